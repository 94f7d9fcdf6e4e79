/* SPDX-License-Identifier: MIT */

#ifndef PLAN_CLIENTS_H
#define PLAN_CLIENTS_H

#include "plan/figures.h"
#include "report/page.h"

/*
 * Simulates so many runs at most, one after the other, or crowds of the
 * script's clients against one world; one if nothing is drawn, and fewer once
 * they have taken `most` steps.  Prints a chart of the attempts of crowds over
 * time on the page, unless that is NULL.
 */
struct plan_figures clients_simulate(struct world *world,
    const struct page *page, uint64_t most, uint64_t runs);

#endif
