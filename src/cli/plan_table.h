#ifndef PLAN_TABLE_H
#define PLAN_TABLE_H

#include "cli/report.h"

/* The columns; bars take the rest of the screen. */
enum column {
	COLUMN_ATTEMPT,
	COLUMN_CHANCE, /* in a plan with chances alone */
	COLUMN_START,
	COLUMN_OUTCOME,
	COLUMN_VERDICT,
	COLUMN_NOMINAL,
	COLUMN_RANGE,
	COLUMN_DELAY,
	COLUMNS
};

/*
 * The table of a plan.  All rows are told twice: first they are measured, then,
 * below the heads of the columns, printed on stdout.  On a terminal rows that
 * repeat the one above are left out, but for the last of them, and so are
 * columns for which there is no room.
 */
struct plan_table {
	const struct screen *screen;
	int widths[COLUMNS]; /* 0: the column is not shown */
	bool printing;
	double longest; /* the longest delay that chance allows, in seconds */
	int blanks;	/* to be printed before what follows in the line */

	/* The part of a row that can repeat, and the last row that did. */
	struct record shown, held;
	uint64_t repeats; /* how many rows are left out, and the last one */
};

/* Begins to measure. */
struct plan_table plan_table_open(const struct screen *screen, bool chances);

/* Prints the heads of the columns; the rows that follow are printed too. */
void plan_table_print(struct plan_table *table);

/* A row for an attempt that has ended, or for a wait before the first one. */
void plan_table_row(struct plan_table *table, const struct record *record);

/* No row follows. */
void plan_table_end(struct plan_table *table);

#endif
