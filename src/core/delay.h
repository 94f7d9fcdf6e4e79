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
 * The delay before an attempt; moves the level.  Either the strategy or the
 * jitter is random, so one draw is enough.  The draws 0 and 1 would have given
 * `low` and `high`.
 */
struct delay delay_draw(const struct policy *policy,
    const struct random *random, struct level *level,
    struct delay_request request);

/*
 * Raises the delay to at least `hint` seconds.  Up to a minute of jitter is
 * added, so that many clients do not come back at the same instant.
 */
struct delay delay_hinted(const struct policy *policy,
    const struct random *random, struct delay delay, double hint,
    uint64_t attempt);

#endif
