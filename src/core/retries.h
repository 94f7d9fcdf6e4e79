/* SPDX-License-Identifier: MIT */

#ifndef RETRIES_H
#define RETRIES_H

#include "policy.h"
#include "random.h"
#include "record.h"
#include "state.h"

/*
 * What a run has counted, and the delays that follow from it.  Times are
 * seconds on the run's clock; `record` is where the run stands.
 */
struct retries {
	const struct policy *policy;
	struct random random;
	struct record *record;

	uint64_t delays;    /* that were drawn since they began anew */
	uint64_t successes; /* in a row */
	struct level level;
	struct state restored; /* from the last run; its counts go on */
	double delay_begun;    /* when the last delay was found */
	double paced_from;  /* --pace=start: the next delay counts from this */
	struct delay paced; /* and was drawn when the attempt began */
	struct tally tally; /* last: only limits that there are have times */
};

/* An earlier run left this state. */
void retries_restore(struct retries *retries, struct state state);

/*
 * Finds the wait before the first attempt: a delay that an earlier run left,
 * --wait-first and --splay.  Returns whether there is one; *splay are the
 * seconds of --splay.
 */
bool retries_wait_first(struct retries *retries, double *splay);

/* An attempt begins, and is counted: its number is in the record. */
void retries_begin(struct retries *retries, double time);

/*
 * The attempt succeeded.  Returns whether there are as many successes in a row
 * as the run needs; if not, its counts begin anew, and the next wait is drawn.
 */
bool retries_success(struct retries *retries, double time);

/*
 * The attempt failed: counts that, notes in the record which limit is reached,
 * and draws the next wait, if only for a later run.
 */
void retries_failure(struct retries *retries, double time);

/* Whether --attempts allows no further attempt. */
bool retries_are_used_up(const struct retries *retries);

/* Runs in a row that gave up, with this one if its reason counts. */
uint64_t retries_given_up(const struct retries *retries, enum reason reason);

/* The state for the next run: the delay, or a fresh start after a success. */
struct state retries_left(const struct retries *retries, double time);

#endif
