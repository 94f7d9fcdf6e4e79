/* SPDX-License-Identifier: MIT */

#ifndef PLAN_CLIENTS_H
#define PLAN_CLIENTS_H

#include "plan/figures.h"
#include "report/report.h"

/* The most that --clients takes: each needs some kilobytes. */
#define CLIENTS_MOST 10000

/*
 * Simulates crowds of --clients runs against one service, as long as
 * the watch runs.  Prints a chart of the attempts over time on stdout, unless
 * `screen` is NULL.
 */
struct plan_figures clients_simulate(const struct plan_options *options,
    const struct screen *screen, const struct stopwatch *watch);

/* Prints the lines below the chart, for people. */
void clients_print(const struct plan_figures *figures);

#endif
