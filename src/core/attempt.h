/* SPDX-License-Identifier: MIT */

#ifndef ATTEMPT_H
#define ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "health.h"
#include "outcome.h"

/* The meaning of an attempt's outcome. */
enum verdict { VERDICT_NONE, VERDICT_SUCCESS, VERDICT_RETRY, VERDICT_STOP };

/* The rule that gave the verdict. */
enum rule {
	RULE_NONE,
	RULE_CHECK,
	RULE_SUCCESS_ON,
	RULE_STOP_ON,
	RULE_PRESET, /* a preset knows that no retry mends this failure */
	RULE_UNREAD, /* nobody reads the output: see ended.unread */
	RULE_THROTTLE_ON,
	RULE_RETRY_ON,
	RULE_SUCCESS_MATCH, /* from here on in the order of enum match */
	RULE_FAIL_MATCH,
	RULE_RETRY_MATCH,
	RULE_STOP_MATCH,
	RULE_THROTTLE_MATCH,
	RULE_DEFAULT,
	RULE_IDLE_TIMEOUT, /* the default, for an attempt that was idle */
	RULE_SIGNAL,	   /* a signal ended the run: no rule applies */
	RULE_MAX_TIME,	   /* it ended the attempt, or left no time to ask */
	RULE_ERROR	   /* `retry` itself failed */
};

/* The class of a failure, and what shows it. */
struct class_known {
	enum failure_class class;
	const char *preset; /* that knows it, or NULL */
	bool from_line;	    /* a line of output shows it */
};

/* With VERDICT_NONE the check must be asked first. */
struct judgement {
	enum verdict verdict;
	enum rule rule;
	bool throttled;
	bool unmatched;	 /* RULE_RETRY_ON: --retry-match was given, too */
	bool by_default; /* RULE_STOP_ON: --stop-on was not given */
};

/* One execution of the command, from its begin on. */
struct attempt {
	uint64_t number; /* from 1; 0: there was none */
	double begun;	 /* seconds since the run began */
	double timeout;	 /* seconds; INFINITY: none */
	bool runs;
	struct health probes;
	enum health_status health; /* as it was told last */
	bool healthy_told; /* an earlier record told that it was healthy */
};

/* How an attempt ended, and the meaning of that. */
struct ended {
	/* What a driver knows. */
	struct outcome returned;    /* by its process, even after a timeout */
	unsigned int matched;	    /* a bit for each match in its output */
	struct class_known by_line; /* NONE: no line shows one */
	bool unread;		    /* nobody reads what it writes any more */
	double hint; /* seconds that it asks to wait; or below 0 */

	enum process_why why;
	enum extent extent; /* of its output */
	double duration;
	struct outcome outcome;

	struct class_known known; /* the class of the outcome */
	enum verdict check;	  /* the check's answer; NONE: not asked */
	bool check_timed_out;
	struct judgement judgement;
	bool untold;	/* the outcome has not been told yet */
	bool delivered; /* its output was let out, or dropped */
};

#endif
