/* SPDX-License-Identifier: MIT */

#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>

#include "attempt.h"

/* The patterns of options that output is searched for; sets have a bit each. */
enum match {
	MATCH_SUCCESS,
	MATCH_FAIL,
	MATCH_RETRY,
	MATCH_STOP,
	MATCH_THROTTLE,
	MATCHES
};

#define MATCH_BIT(match) (1u << (match))

/* What a preset says of failures by their outcome; its patterns say more. */
struct preset_rules {
	const char *name;
	struct set transient, permanent;
};

/* The rules of a run; `matches` has a bit for each match that is looked for. */
struct rules {
	const struct preset_rules *presets;
	int preset_count;
	bool classifies; /* one of them knows failures, not only delays */

	struct set success;
	struct set stop;     /* that --stop-on names */
	struct set hopeless; /* others that stop the run: usually, by presets */
	struct set throttle;
	struct set retry;
	bool retry_listed; /* --retry-on was given */
	unsigned int matches;
	bool check;
};

/*
 * The class of the attempt's failure, from the first of these that knows it: a
 * plan, a throttling set or match, a line of output, the outcome in a preset, a
 * hint, the outcome itself.
 */
struct class_known verdict_classify(const struct rules *rules,
    const struct attempt *attempt);

/* The preset that knows the class; NULL: it comes from elsewhere. */
const char *verdict_preset(const struct rules *rules, struct class_known known);

struct judgement verdict_judge(const struct rules *rules,
    const struct attempt *attempt);

/* "success", "retry", "stop"; "none". */
const char *verdict_name(enum verdict verdict);

/* The option that stands for the rule, "default" or "signal"; "none". */
const char *rule_name(enum rule rule);

#endif
