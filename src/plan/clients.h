/* SPDX-License-Identifier: MIT */

#ifndef PLAN_CLIENTS_H
#define PLAN_CLIENTS_H

#include "plan/figures.h"
#include "report/report.h"

/* The most that --clients takes: each needs some kilobytes. */
#define CLIENTS_MOST 10000

/*
 * Simulates crowds of --clients runs against one world, in about so many
 * steps at most.  Prints a chart of the attempts over time on stdout, unless
 * `screen` is NULL.
 */
struct plan_figures clients_simulate(const struct plan_options *options,
    const struct screen *screen, uint64_t most);

#endif
