/* SPDX-License-Identifier: MIT */

#ifndef PLAN_H
#define PLAN_H

#include "plan/simulation.h"
#include "report/report.h"

/*
 * Goes through the run on a simulated clock and writes its report; then
 * simulates many more runs, in about this many steps at most, so that a seed
 * gives the same figures on any machine.  Prints a table on stdout as `screen`
 * allows, unless a log is written there.
 */
#define PLAN_STEPS 2000000

void plan_run(const struct plan_options *options, struct report *report,
    const struct screen *screen, uint64_t steps);

/*
 * Simulates so many runs, one after the other, or one if nothing is drawn;
 * fewer once they have taken `most` steps.
 */
struct plan_figures plan_simulate(const struct plan_options *options,
    uint64_t most, uint64_t runs);

#endif
