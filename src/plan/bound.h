/* SPDX-License-Identifier: MIT */

#ifndef BOUND_H
#define BOUND_H

#include <stdio.h>

#include "core/policy.h"

/* How long a run can last at most, however its attempts end. */
struct bound {
	double seconds;	 /* INFINITY: there is no bound */
	double waits;	 /* the sum of the longest ones, or INFINITY */
	const char *why; /* for people: "by --max-time" */
};

/*
 * Attempts, checks and gates that are all ended by SIGKILL, after --timeout and
 * --kill-after, and the longest waits; or --max-time, if that is shorter.
 */
struct bound bound_of(const struct policy *policy);

/* Prints it, for people. */
void bound_print(FILE *file, const struct bound *bound);

#endif
