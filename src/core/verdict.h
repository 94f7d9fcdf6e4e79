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
	struct preset_rules *presets;
	int preset_count;
	bool classifies; /* one of them knows failures, not only delays */

	struct set success;
	struct set stop;     /* that --stop-on names */
	struct set hopeless; /* that stop the run by default, with the class
				"permanent", as --stop-on changes them */
	struct set throttle;
	struct set retry;
	bool retry_listed; /* --retry-on was given */
	unsigned int matches;
	bool check;
};

/*
 * Notes the class of the failure, and the preset that knows it, from the first
 * of these that shows a class: a plan, a throttling set or match, a line of
 * output, the outcome in a preset, a hint, the outcome itself.
 */
void verdict_classify(const struct rules *rules, struct ended *ended);

struct judgement verdict_judge(const struct rules *rules,
    const struct ended *ended);

/* The match of a line that decided by this rule; MATCHES: no line did. */
enum match verdict_match(enum rule rule, unsigned int matched);

/* "success", "retry", "stop"; "none". */
extern const char *const verdict_names[];

/* The option that stands for the rule, "default" or "signal"; "none". */
extern const char *const rule_names[];

#endif
