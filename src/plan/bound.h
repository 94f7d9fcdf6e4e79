/* SPDX-License-Identifier: MIT */

#ifndef BOUND_H
#define BOUND_H

#include "plan/simulation.h"

/* How long a run can last at most, however its attempts end. */
struct bound {
	double seconds; /* INFINITY: there is no bound */
	double waited;	/* of these seconds */
	bool by_max_time;
	bool unlimited; /* attempts have no limit; they last as in the script */
	bool unkilled;	/* attempts end when they get --signal */
	double hint;	/* a wait may be so long since the output asks for it;
			   0: none is longer for that */
};

struct bound bound_of(const struct world *world);

/* Prints it, for people. */
void bound_print(const struct world *world, const struct bound *bound);

#endif
