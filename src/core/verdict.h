/* SPDX-License-Identifier: MIT */

#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>

#include "outcome.h"

/* The meaning of an attempt's outcome. */
enum verdict { VERDICT_NONE, VERDICT_SUCCESS, VERDICT_RETRY, VERDICT_STOP };

/* The rule that gave the verdict. */
enum rule {
	RULE_NONE,
	RULE_CHECK,
	RULE_SUCCESS_ON,
	RULE_SUCCESS_MATCH,
	RULE_FAIL_MATCH,
	RULE_STOP_ON,
	RULE_STOP_MATCH,
	RULE_PRESET, /* the preset knows that this failure lasts */
	RULE_UNREAD, /* nobody reads the output: see evidence.unread */
	RULE_THROTTLE_ON,
	RULE_THROTTLE_MATCH,
	RULE_RETRY_ON,
	RULE_RETRY_MATCH,
	RULE_DEFAULT,
	RULE_IDLE_TIMEOUT, /* the default, for an attempt that was idle */
	RULE_SIGNAL,	   /* a signal ended the run: no rule applies */
	RULE_MAX_TIME,	   /* it ended the attempt, or left no time to ask */
	RULE_ERROR	   /* `retry` itself failed */
};

/*
 * The patterns that output is searched for; sets have a bit for each.  The last
 * two are those of a preset: a line that says that no retry mends the failure,
 * and a line that casts doubt on that.
 */
enum match {
	MATCH_SUCCESS,
	MATCH_FAIL,
	MATCH_RETRY,
	MATCH_STOP,
	MATCH_THROTTLE,
	MATCH_LASTING,
	MATCH_PASSING,
	MATCHES
};

#define MATCH_BIT(match) (1u << (match))

/* The rules of a run; `matches` has a bit for each match that is looked for. */
struct rules {
	struct set success;
	struct set stop;
	struct set throttle;
	struct set retry;
	bool retry_listed; /* --retry-on was given */
	bool listed_only;  /* the user lists what is retried: what a preset's
			      match throttles is retried only if listed */
	unsigned int matches;
	bool check;
};

/* The facts about an attempt that ended. */
struct evidence {
	struct outcome outcome;
	enum verdict check;   /* the check's answer, or NONE before it */
	unsigned int matched; /* a bit for each that was found */
	bool idle;   /* it timed out since it wrote nothing for too long */
	bool unread; /* nobody reads what it writes any more */
};

/* With VERDICT_NONE the check must be asked first. */
struct judgement {
	enum verdict verdict;
	enum rule rule;
	bool throttled;
};

struct judgement verdict_judge(const struct rules *rules,
    const struct evidence *evidence);

/* "success", "retry", "stop"; "none". */
const char *verdict_name(enum verdict verdict);

/* The option that stands for the rule, "default" or "signal"; "none". */
const char *rule_name(enum rule rule);

#endif
