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
	RULE_PRESET, /* a preset knows that no retry mends this failure */
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

/* Where the class of a failure comes from. */
enum class_source {
	SOURCE_OUTCOME, /* the outcome itself, or nobody */
	SOURCE_HINT,
	SOURCE_STATUS, /* a preset, by the outcome */
	SOURCE_LINE    /* a preset, by a line of output */
};

struct class_known {
	enum failure_class class;
	enum class_source source;
	int preset; /* STATUS, LINE: its number in the rules */
};

/* The rules of a run; `matches` has a bit for each match that is looked for. */
struct rules {
	const struct preset_rules *presets;
	int preset_count;
	bool classifies;     /* one of them knows failures, not only delays */
	struct set hopeless; /* with a preset: the failures that stop the run */

	struct set success;
	struct set stop;
	struct set throttle;
	struct set retry;
	bool retry_listed; /* --retry-on was given */
	bool stop_listed;  /* --stop-on was given */
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
	bool hinted; /* it said how long to wait */
	struct class_known by_line; /* NONE: no line told a class */
	struct class_known known;   /* verdict_classify() */
};

/* With VERDICT_NONE the check must be asked first. */
struct judgement {
	enum verdict verdict;
	enum rule rule;
	bool throttled;
	bool unmatched;	 /* RULE_RETRY_ON: --retry-match was given, too */
	bool by_default; /* RULE_STOP_ON: --stop-on was not given */
};

/*
 * The class of the attempt's failure, from the first of these that knows it: a
 * plan, a throttling set or match, a line of output, the outcome in a preset, a
 * hint, the outcome itself.
 */
struct class_known verdict_classify(const struct rules *rules,
    const struct evidence *evidence);

struct judgement verdict_judge(const struct rules *rules,
    const struct evidence *evidence);

/* "success", "retry", "stop"; "none". */
const char *verdict_name(enum verdict verdict);

/* The option that stands for the rule, "default" or "signal"; "none". */
const char *rule_name(enum rule rule);

#endif
