/* SPDX-License-Identifier: MIT */

#ifndef PLAN_H
#define PLAN_H

#include "report/report.h"

/*
 * Goes through the run of this script on a simulated clock and writes its
 * report; then simulates many more runs, in about this many steps at most, so
 * that a seed gives the same figures on any machine.  Prints a table on stdout
 * as `screen` allows, unless a log is written there.
 */
#define PLAN_STEPS 2000000

void plan_run(const char *script, struct report *report,
    const struct screen *screen, uint64_t steps);

#endif
