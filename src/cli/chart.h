#ifndef CHART_H
#define CHART_H

#include <stdbool.h>

#include "cli/screen.h"
#include "core/engine.h"

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

/* The row for the engine's last attempt, and the wait after it if there is. */
void chart_measure(struct chart *chart, const struct engine *engine);
void chart_print(const struct chart *chart, const struct engine *engine);

/* The names of the columns. */
void chart_print_head(const struct chart *chart);

#endif
