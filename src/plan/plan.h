/* SPDX-License-Identifier: MIT */

#ifndef PLAN_H
#define PLAN_H

#include "plan/simulation.h"
#include "report/report.h"

/*
 * Goes through the run on an imaginary clock, tells its report, and simulates
 * many more in about so many steps at most, so that a seed means the same
 * figures on any machine.  Prints a table on stdout, whose looks are `screen`,
 * unless a log is there.
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
