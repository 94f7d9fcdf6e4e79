/* SPDX-License-Identifier: MIT */

#ifndef LIMITS_H
#define LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outcome.h"

/* How many limits --attempts takes besides the number of attempts. */
#define LIMITS_MOST 8

/* The largest count of a limit with a window: it stores that many times. */
#define LIMITS_WINDOW_MOST 100

/* One limit of --attempts: [ITEM:]COUNT[/DUR]. */
struct limit {
	bool named; /* it counts the failures in `set` alone */
	struct set set;
	uint64_t count;	  /* at least 1 */
	double window;	  /* seconds; INFINITY: the whole run */
	const char *text; /* as it was given, with its length */
	int length;
};

/* All that --attempts says. */
struct limits {
	uint64_t attempts; /* 0: any number */
	size_t count;
	struct limit rows[LIMITS_MOST];
};

/*
 * Reads a comma list of a number of attempts, which is none if it is missing,
 * and of limits.  If an item is wrong, *where points to it, and the limits are
 * as they were.
 */
const char *limits_parse(struct limits *limits, const char *list,
    const char **where);

/* The failures that each limit of a run has counted. */
struct tally {
	uint64_t counts[LIMITS_MOST]; /* of a limit without a window */
	uint64_t totals[LIMITS_MOST]; /* of a limit with a window */
	/* The times of its last failures, as a ring: set before it is read. */
	double times[LIMITS_MOST][LIMITS_WINDOW_MOST];
};

/*
 * Counts a failure at this time, in seconds on any clock that never goes back.
 * A `free` one counts only for limits that name it.  Returns the first limit
 * that it reaches, or NULL.
 */
const struct limit *limits_failure(const struct limits *limits,
    struct tally *tally, struct outcome outcome, bool free, double time);

#endif
