#ifndef CHART_H
#define CHART_H

#include <stdbool.h>

#include "cli/report.h"
#include "core/record.h"

/* The columns of a plan's table; bars take what is left of the screen. */
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

/* Sized by all rows before any is printed; all zero but for the screen. */
struct chart {
	const struct screen *screen;
	int widths[COLUMNS];
	double longest; /* the longest delay that chance allows, in seconds */
};

/* The row for an attempt that ended, or for the wait before the first. */
void chart_measure(struct chart *chart, const struct record *record);
void chart_print(const struct chart *chart, const struct record *record);

/* The names of the columns. */
void chart_print_head(const struct chart *chart);

#endif
