/* SPDX-License-Identifier: MIT */

#ifndef POLICY_H
#define POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "backoff.h"
#include "budget.h"
#include "health.h"
#include "jitter.h"
#include "limits.h"
#include "verdict.h"

/* When held output goes out. */
enum delivery {
	DELIVERY_NONE, /* nothing is held */
	DELIVERY_EACH, /* after each attempt */
	DELIVERY_LAST  /* at the end of the run */
};

/* Where the delays of a run are counted from: an attempt's end, or start. */
enum pace { PACE_END, PACE_START };

/* What becomes of the processes that an attempt leaves. */
enum leftovers { LEFTOVERS_SPARE, LEFTOVERS_END };

/*
 * The options, as far as they concern the run. Times are in seconds; 0 is
 * no limit.
 */
struct policy {
	struct limits limits;
	double max_time;
	double timeout;
	double timeout_share; /* of the rest of max_time; 0 < share <= 1 */
	double idle_timeout;  /* for an attempt that writes nothing */
	double min_timeout;
	double kill_after;
	double stop_timeout; /* from a signal that ends the run to SIGKILL */
	int signal;
	enum leftovers leftovers;

	struct backoff backoff;
	struct jitter jitter;
	enum pace pace;
	double reset_after;
	bool wait_first;
	double splay;
	double throttle_delay;
	double hint_limit;  /* a longer hint gives up */
	double hint_spread; /* how much longer chance makes a hint: 0.2 */
	bool hints;	    /* an attempt may give one */

	struct health_rules health;
	struct rules rules;
	struct set free;
	bool preserve_status;
	int transient_status; /* of a run whose last failure was; 0: as usual */
	int flaky_status;     /* of a success after failures; 0: as usual */

	bool gate;   /* --before-retry is asked before each retry */
	bool budget; /* the budget is asked before each wait */
	struct budget_rules budget_rules;
	bool input;	 /* standard input is read before the first attempt */
	bool on_success; /* --on-success was given */
	bool on_give_up; /* --on-give-up was given */
	enum delivery delivery;

	bool repeat;
	uint64_t repeats; /* successes in a row that end the run; 0: none */
	double success_delay;

	bool remember;	   /* --state: the next run continues the backoff */
	uint64_t tolerate; /* --tolerate: the failed run in a row that fails */
	bool early_skip;   /* :skip: if it is too early, end, do not wait */
};

/* Whether the length of a wait may be random. */
bool policy_draws(const struct policy *policy);

/* Whether an option can make `retry` kill a process and its descendants. */
bool policy_ends_processes(const struct policy *policy);

#endif
