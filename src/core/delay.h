/* SPDX-License-Identifier: MIT */

#ifndef DELAY_H
#define DELAY_H

#include "policy.h"
#include "random.h"
#include "record.h"

/*
 * How long a wait is: the strategy, the jitter and a hint brought together.
 * Every draw is a function of the seed, the number of the attempt that follows
 * and its purpose, so that a delay can be computed twice and is the same.
 */

/* The wait that follows an attempt, apart from chance. */
struct delay_request {
	uint64_t n;	  /* the number of the retry, from 1 */
	uint64_t attempt; /* the number of the attempt after the wait */
	bool throttled;	  /* --throttle-delay is the base */
	bool success;	  /* it follows a success, with --repeat */
};

/*
 * The delay before an attempt; moves the level.  One draw serves the strategy
 * or the jitter, of which only one is random; `low` and `high` are what the
 * draws 0 and 1 would have given.
 */
struct delay delay_draw(const struct policy *policy,
    const struct random *random, struct level *level,
    struct delay_request request);

/*
 * Takes a hint into account: a minimum of `hint` seconds, which is spread
 * upward, by a minute at most, so that a fleet does not come back in one
 * instant.
 */
struct delay delay_hinted(const struct policy *policy,
    const struct random *random, struct delay delay, double hint,
    uint64_t attempt);

/* The rest of a delay of which `elapsed` seconds are over. */
struct delay delay_left(struct delay delay, double elapsed);

#endif
