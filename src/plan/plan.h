/* SPDX-License-Identifier: MIT */

#ifndef PLAN_H
#define PLAN_H

#include "plan/simulation.h"
#include "report/report.h"

/*
 * Goes through the run on an imaginary clock, tells its report, and simulates
 * many more for less than a second of `clock`.  Prints a table on stdout, whose
 * looks are `screen`, unless a log is there.
 */
void plan_run(const struct plan_options *options, struct report *report,
    const struct screen *screen, double (*clock)(void));

#endif
