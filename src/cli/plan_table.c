#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plan_table.h"
#include "core/duration.h"
#include "core/number.h"
#include "core/text.h"

/* Between two columns of the table. */
#define GAP 2

/* How short and how long a bar may be. */
#define BAR_LEAST 8
#define BAR_MOST 100

static const struct {
	const char *name;
	bool to_the_left;
} columns[COLUMNS] = {
	[COLUMN_ATTEMPT] = { "#", false },
	[COLUMN_CHANCE] = { "chance", false },
	[COLUMN_START] = { "starts at", false },
	[COLUMN_OUTCOME] = { "outcome", true },
	[COLUMN_VERDICT] = { "verdict", true },
	[COLUMN_NOMINAL] = { "nominal", false },
	[COLUMN_RANGE] = { "range", false },
	[COLUMN_DELAY] = { "delay", false },
};

/* The cells of a bar, with and without Unicode; one column each. */
enum cell { CELL_CERTAIN, CELL_RANGE, CELL_DRAWN, CELLS };

static const struct {
	const char *unicode;
	const char *ascii;
	const char *colour;
} cells[CELLS] = {
	[CELL_CERTAIN] = { "█", "=", "\033[36m" },
	[CELL_RANGE] = { "░", "-", "\033[36m" },
	[CELL_DRAWN] = { "◆", "*", "\033[1;33m" },
};

/* The attempt would be retried if the run did not end. */
static bool
gives_up(const struct record *record)
{
	return record->judgement.verdict == VERDICT_RETRY &&
	    record->reason != REASON_NONE;
}

static void
fill(const struct plan_table *table, const struct record *record,
    char row[COLUMNS][MESSAGE_PART])
{
	const struct outcome outcome = record->outcome;
	const struct delay *delay = &record->delay;
	char text[MESSAGE_PART], low[MESSAGE_PART], high[MESSAGE_PART];

	duration_text(record->started, row[COLUMN_START]);
	if (record->chance > 0 && record->chance < 1e-4)
		strlcpy(row[COLUMN_CHANCE], "<0.01%", MESSAGE_PART);
	else
		snprintf(row[COLUMN_CHANCE], MESSAGE_PART, "%.3g%%",
		    100 * record->chance);
	if (record->attempt == 0) {
		strlcpy(row[COLUMN_OUTCOME], "waits first", MESSAGE_PART);
	} else {
		snprintf(row[COLUMN_ATTEMPT], MESSAGE_PART, "%" PRIu64,
		    record->attempt);
		strlcpy(row[COLUMN_OUTCOME],
		    outcome_ran(outcome) ? message_outcome(record, text)
					 : outcome_name(outcome.kind),
		    MESSAGE_PART);
		strlcpy(row[COLUMN_VERDICT],
		    gives_up(record) ? "give up"
				     : verdict_name(record->judgement.verdict),
		    MESSAGE_PART);
	}
	if (!record->waits)
		return;
	duration_text(delay->nominal, row[COLUMN_NOMINAL]);
	duration_text(delay->seconds, row[COLUMN_DELAY]);
	if (delay->low < delay->high)
		snprintf(row[COLUMN_RANGE], MESSAGE_PART, "%.60s%s%.60s",
		    duration_text(delay->low, low),
		    table->screen->unicode ? "–" : "-",
		    duration_text(delay->high, high));
	else
		strlcpy(row[COLUMN_RANGE], row[COLUMN_DELAY], MESSAGE_PART);
}

static void
measure_row(struct plan_table *table, const struct record *record)
{
	char row[COLUMNS][MESSAGE_PART] = { "" };

	fill(table, record, row);
	for (int i = 0; i < COLUMNS; i++) {
		const int width = text_width(row[i]);

		if (width > table->widths[i] && table->widths[i] > 0)
			table->widths[i] = width;
	}
	if (record->waits)
		table->longest = number_max(table->longest, record->delay.high);
}

/* The columns of a line that are not taken yet. */
static int
room(const struct plan_table *table)
{
	int left = table->screen->width - 1 + GAP;

	for (int i = 0; i < COLUMNS; i++)
		if (table->widths[i] > 0)
			left -= table->widths[i] + GAP;
	return left;
}

static void
print_text(struct plan_table *table, enum column column, const char *text,
    const char *colour)
{
	const bool coloured = table->screen->colour && *colour != '\0';
	const bool to_the_left = columns[column].to_the_left;
	const int pad = table->widths[column] - text_width(text);

	if (table->widths[column] == 0)
		return;
	table->blanks += (column > 0 ? GAP : 0) + (to_the_left ? 0 : pad);
	if (*text != '\0') {
		printf("%*s%s%s%s", table->blanks, "", coloured ? colour : "",
		    text, coloured ? "\033[m" : "");
		table->blanks = 0;
	}
	table->blanks += to_the_left ? pad : 0;
}

/* Shows the range of a delay, and the draw, beside that of the longest one. */
static void
print_bar(const struct plan_table *table, const struct delay *delay)
{
	const struct screen *screen = table->screen;
	enum cell last = CELLS;
	int count = room(table) - GAP;

	if (count > BAR_MOST)
		count = BAR_MOST;
	if (count < BAR_LEAST || !(table->longest > 0))
		return;

	const double scale = count / table->longest;
	const int low = (int)(delay->low * scale);
	const int high = (int)number_ceil(delay->high * scale);
	const int drawn = (int)number_min(delay->seconds * scale, count - 1);

	printf("%*s", table->blanks + GAP, "");
	for (int i = 0; i < count && (i < high || i == drawn); i++) {
		const enum cell cell = i == drawn ? CELL_DRAWN
		    : i < low			  ? CELL_CERTAIN
						  : CELL_RANGE;

		if (screen->colour && cell != last)
			fputs(cells[cell].colour, stdout);
		fputs(screen->unicode ? cells[cell].unicode : cells[cell].ascii,
		    stdout);
		last = cell;
	}
	if (screen->colour)
		fputs("\033[m", stdout);
}

static void
print_row(struct plan_table *table, const struct record *record)
{
	const char *colour = report_colour(table->screen,
	    gives_up(record) ? VERDICT_STOP : record->judgement.verdict);
	char row[COLUMNS][MESSAGE_PART] = { "" };

	fill(table, record, row);
	for (int i = 0; i < COLUMNS; i++)
		print_text(table, i, row[i], i == COLUMN_VERDICT ? colour : "");
	if (record->waits)
		print_bar(table, &record->delay);
	putchar('\n');
	table->blanks = 0;
}

static void
show(struct plan_table *table, const struct record *record)
{
	if (table->printing)
		print_row(table, record);
	else
		measure_row(table, record);
}

/* Shows the last of the rows that were left out. */
static void
show_held(struct plan_table *table)
{
	if (table->repeats > 1 && table->printing)
		printf("... and %" PRIu64 " more like it\n",
		    table->repeats - 1);
	if (table->repeats > 0)
		show(table, &table->held);
	table->repeats = 0;
}

struct plan_table
plan_table_open(const struct screen *screen, bool chances)
{
	struct plan_table table = { .screen = screen };

	for (int i = 0; i < COLUMNS; i++)
		if (i != COLUMN_CHANCE || chances)
			table.widths[i] = text_width(columns[i].name);
	return table;
}

void
plan_table_print(struct plan_table *table)
{
	/* The columns that may be missing, in this order. */
	static const enum column lesser[] = { COLUMN_NOMINAL, COLUMN_RANGE,
		COLUMN_VERDICT, COLUMN_START };

	for (size_t i = 0; table->screen->terminal && room(table) < 0 &&
	     i < sizeof(lesser) / sizeof(lesser[0]);
	     i++)
		table->widths[lesser[i]] = 0;
	table->printing = true;
	for (int i = 0; i < COLUMNS; i++)
		print_text(table, i, columns[i].name, "\033[1m");
	putchar('\n');
	table->blanks = 0;
}

void
plan_table_row(struct plan_table *table, const struct record *record)
{
	const struct record *shown = &table->shown;
	const struct delay *delay = &record->delay;

	if (table->screen->terminal && record->waits && shown->waits &&
	    record->outcome.kind == shown->outcome.kind &&
	    record->outcome.code == shown->outcome.code &&
	    record->judgement.verdict == shown->judgement.verdict &&
	    delay->nominal == shown->delay.nominal &&
	    delay->low == shown->delay.low &&
	    delay->high == shown->delay.high) {
		table->held = *record;
		table->repeats++;
		return;
	}
	show_held(table);
	show(table, record);
	table->shown = *record;
}

void
plan_table_end(struct plan_table *table)
{
	show_held(table);
	table->shown = (struct record){ .kind = RECORD_START };
}
