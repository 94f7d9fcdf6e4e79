/* SPDX-License-Identifier: MIT */

#ifndef PLAN_TABLE_H
#define PLAN_TABLE_H

#include "plan/script.h"
#include "report/page.h"

/*
 * Prints a plan as a table: a row for each record of an attempt that ended, or
 * of a wait before the first one.  For a terminal it leaves out columns that do
 * not fit, and rows that repeat the one above, except the last of them.  The
 * script's outage is marked where it begins and ends.
 */
void plan_table_print(const struct page *page, const struct script *script,
    const struct record *rows, size_t count);

/* The cells of bars, in the table and in a chart of clients. */
enum bar_cell { BAR_CERTAIN, BAR_RANGE, BAR_DRAWN, BAR_FIRST, BAR_RETRY };

/* Prints so many cells, if any, of one column each, in their colour. */
void plan_bar(const struct page *page, enum bar_cell cell, int count);

/*
 * Prints a line for the start and the end of an outage, if it is after the one
 * moment and not after the other.
 */
void plan_mark_outage(const struct page *page, const struct script *script,
    double after, double until);

#endif
