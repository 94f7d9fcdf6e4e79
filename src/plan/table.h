/* SPDX-License-Identifier: MIT */

#ifndef PLAN_TABLE_H
#define PLAN_TABLE_H

#include "report/report.h"

/* The columns; bars take the rest of the screen. */
enum column {
	COLUMN_ATTEMPT,
	COLUMN_START,
	COLUMN_OUTCOME,
	COLUMN_VERDICT,
	COLUMN_NOMINAL,
	COLUMN_RANGE,
	COLUMN_DELAY,
	COLUMNS
};

/*
 * The table of a plan, which is printed on stdout row by row.  On a terminal
 * rows that repeat the one above are left out, but for the last of them, and so
 * are columns for which there is no room.
 */
struct plan_table {
	const struct screen *screen;
	int widths[COLUMNS]; /* 0: the column is not shown */
	double longest; /* the delay whose bar is the longest, in seconds */

	/* The part of a row that can repeat, and the last row that did. */
	struct record shown, held;
	uint64_t repeats; /* how many rows are left out, and the last one */
};

/*
 * Prints the heads of the columns.  At most so many attempts follow, whose
 * outcomes are at most that wide, in columns.
 */
struct plan_table plan_table_open(const struct screen *screen,
    uint64_t attempts, int outcome, double longest);

/* A row for an attempt that has ended, or for a wait before the first one. */
void plan_table_row(struct plan_table *table, const struct record *record);

/* No row follows. */
void plan_table_end(struct plan_table *table);

/* How the outcome of this row reads. */
const char *plan_table_outcome(const struct record *record,
    char text[MESSAGE_PART]);

/* The cells of bars, in the table and in a chart of clients. */
enum bar_cell { BAR_CERTAIN, BAR_RANGE, BAR_DRAWN, BAR_FIRST, BAR_RETRY };

/* Prints so many cells, if any, of one column each, in their colour. */
void plan_bar(const struct screen *screen, enum bar_cell cell, int count);

#endif
