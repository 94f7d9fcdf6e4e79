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

/* What is known of the rows before the first one is printed. */
struct plan_looks {
	uint64_t last;	/* the number of the last attempt */
	int outcome;	/* the width of the longest outcome, in columns */
	double longest; /* the longest delay, in seconds */
	double down_from, down_until; /* INFINITY: there is no outage */
};

/*
 * The table of a plan, which is printed on stdout row by row.  On a terminal it
 * leaves out columns that do not fit, and rows that repeat the one above,
 * except the last of them.
 */
struct plan_table {
	const struct screen *screen;
	int widths[COLUMNS]; /* 0: the column is not shown */
	struct plan_looks looks;
	double time; /* of the last row */

	/* The part of a row that can repeat, and the last row that did. */
	struct record shown, held;
	uint64_t repeats; /* how many rows are left out, and the last one */
};

/* Prints the heads of the columns. */
struct plan_table plan_table_open(const struct screen *screen,
    struct plan_looks looks);

/* A row for an attempt that has ended, or for a wait before the first one. */
void plan_table_row(struct plan_table *table, const struct record *record);

/* No row follows: explains the bars. */
void plan_table_end(struct plan_table *table);

/* How the outcome of this row reads. */
const char *plan_table_outcome(const struct record *record,
    char text[MESSAGE_PART]);

/* The cells of bars, in the table and in a chart of clients. */
enum bar_cell { BAR_CERTAIN, BAR_RANGE, BAR_DRAWN, BAR_FIRST, BAR_RETRY };

/* Prints so many cells, if any, of one column each, in their colour. */
void plan_bar(const struct screen *screen, enum bar_cell cell, int count);

/*
 * Prints a line for the start and the end of an outage, if it is after the one
 * moment and not after the other.
 */
void plan_mark_outage(const struct screen *screen, double down_from,
    double down_until, double after, double until);

#endif
