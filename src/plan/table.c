/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/table.h"
#include "core/duration.h"
#include "core/text.h"

/* Between two columns of the table. */
#define GAP 2

/* How short and how long a bar may be. */
#define BAR_LEAST 8
#define BAR_MOST 100

static const struct {
	const char *name;
	int width; /* or the name's */
	bool to_the_left;
} columns[COLUMNS] = {
	[COLUMN_ATTEMPT] = { "#", 0, false },
	[COLUMN_START] = { "starts", 6, false },
	[COLUMN_OUTCOME] = { "outcome", 0, true },
	[COLUMN_VERDICT] = { "verdict", 7, true },
	[COLUMN_NOMINAL] = { "nominal", 7, false },
	[COLUMN_RANGE] = { "range", 13, false },
	[COLUMN_DELAY] = { "delay", 6, false },
};

static const struct {
	const char *unicode;
	const char *ascii;
	const char *colour;
} cells[] = {
	[BAR_CERTAIN] = { "█", "=", "\033[36m" },
	[BAR_RANGE] = { "░", "-", "\033[36m" },
	[BAR_DRAWN] = { "◆", "*", "\033[1;33m" },
	[BAR_FIRST] = { "□", "o", "\033[36m" },
	[BAR_RETRY] = { "■", "#", "\033[33m" },
};

void
plan_bar(const struct screen *screen, enum bar_cell cell, int count)
{
	if (count <= 0)
		return;
	if (screen->colour)
		fputs(cells[cell].colour, stdout);
	for (int i = 0; i < count; i++)
		fputs(screen->unicode ? cells[cell].unicode : cells[cell].ascii,
		    stdout);
	if (screen->colour)
		fputs("\033[m", stdout);
}

static void
mark(const struct screen *screen, const char *what, enum verdict verdict,
    double time)
{
	const char *line = screen->unicode ? "──" : "--";
	char text[DURATION_TEXT];

	printf("%s%s the service is %s at %s %s%s\n",
	    report_text_colour(screen, verdict), line, what,
	    duration_text(time, text), line,
	    report_text_colour_end(screen, verdict));
}

void
plan_mark_outage(const struct screen *screen, double down_from,
    double down_until, double after, double until)
{
	if (down_from > after && down_from <= until && down_from < INFINITY)
		mark(screen, "down", VERDICT_STOP, down_from);
	if (down_until > after && down_until <= until && down_until < INFINITY)
		mark(screen, "back", VERDICT_SUCCESS, down_until);
}

/* The attempt would be retried if the run did not end. */
static bool
shows_giving_up(const struct record *record)
{
	return record->last.judgement.verdict == VERDICT_RETRY &&
	    record->end.reason != REASON_NONE;
}

const char *
plan_table_outcome(const struct record *record, char text[MESSAGE_PART])
{
	if (record->attempt.number == 0)
		return "waits first";
	return outcome_ran(record->last.outcome)
	    ? message_outcome(record, text)
	    : outcome_name(record->last.outcome.kind);
}

static void
fill(const struct plan_table *table, const struct record *record,
    char row[COLUMNS][MESSAGE_PART])
{
	const struct delay *delay = &record->wait.delay;
	char text[MESSAGE_PART], low[MESSAGE_PART], high[MESSAGE_PART];

	duration_text(record->attempt.begun, row[COLUMN_START]);
	strlcpy(row[COLUMN_OUTCOME], plan_table_outcome(record, text),
	    MESSAGE_PART);
	if (record->attempt.number > 0) {
		snprintf(row[COLUMN_ATTEMPT], MESSAGE_PART, "%" PRIu64,
		    record->attempt.number);
		strlcpy(row[COLUMN_VERDICT],
		    shows_giving_up(record)
			? "give up"
			: verdict_name(record->last.judgement.verdict),
		    MESSAGE_PART);
	}
	if (!record->wait.lasts)
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

/*
 * Prints the texts of a row, in this colour those of that column, or of all.
 * Returns the blanks that are due before more is printed in the line.
 */
static int
print_texts(const struct plan_table *table, char row[COLUMNS][MESSAGE_PART],
    const char *colour, enum column coloured)
{
	int blanks = 0;

	for (enum column i = 0; i < COLUMNS; i++) {
		const bool has_colour = table->screen->colour &&
		    *colour != '\0' && (coloured == COLUMNS || coloured == i);
		const int width = text_width(row[i]);
		const int pad =
		    table->widths[i] > width ? table->widths[i] - width : 0;

		if (table->widths[i] == 0)
			continue;
		blanks +=
		    (i > 0 ? GAP : 0) + (columns[i].to_the_left ? 0 : pad);
		if (*row[i] != '\0') {
			printf("%*s%s%s%s", blanks, "",
			    has_colour ? colour : "", row[i],
			    has_colour ? "\033[m" : "");
			blanks = 0;
		}
		blanks += columns[i].to_the_left ? pad : 0;
	}
	return blanks;
}

/* The length of the longest bar; 0: there are none. */
static int
bar_length(const struct plan_table *table)
{
	const int left = room(table) - GAP;

	if (left < BAR_LEAST || !(table->looks.longest > 0))
		return 0;
	return left < BAR_MOST ? left : BAR_MOST;
}

/* Shows the range of a delay, and the draw, on the scale of the longest. */
static void
print_bar(const struct plan_table *table, const struct delay *delay, int blanks)
{
	const int count = bar_length(table);

	if (count == 0)
		return;
	const double scale = count / table->looks.longest;
	const int low = (int)fmin(delay->low * scale, count);
	const int high = (int)fmin(ceil(delay->high * scale), count);
	const int drawn = (int)fmin(delay->seconds * scale, count - 1);
	printf("%*s", blanks + GAP, "");
	plan_bar(table->screen, BAR_CERTAIN, low < drawn ? low : drawn);
	plan_bar(table->screen, BAR_RANGE, drawn - low);
	plan_bar(table->screen, BAR_DRAWN, 1);
	plan_bar(table->screen, BAR_RANGE, high - drawn - 1);
}

static void
print_row(struct plan_table *table, const struct record *record)
{
	const char *colour = report_text_colour(table->screen,
	    shows_giving_up(record) ? VERDICT_STOP
				    : record->last.judgement.verdict);
	char row[COLUMNS][MESSAGE_PART] = { "" };

	fill(table, record, row);
	const int blanks = print_texts(table, row, colour, COLUMN_VERDICT);
	if (record->wait.lasts)
		print_bar(table, &record->wait.delay, blanks);
	putchar('\n');
}

/* Shows the last of the rows that were left out. */
static void
print_held(struct plan_table *table)
{
	if (table->repeats > 1)
		printf("... and %" PRIu64 " more like it\n",
		    table->repeats - 1);
	if (table->repeats > 0)
		print_row(table, &table->held);
	table->repeats = 0;
}

struct plan_table
plan_table_open(const struct screen *screen, struct plan_looks looks)
{
	/* The columns that may be missing, in this order. */
	static const enum column lesser[] = { COLUMN_NOMINAL, COLUMN_RANGE,
		COLUMN_VERDICT, COLUMN_START };
	struct plan_table table = { .screen = screen, .looks = looks };
	char heads[COLUMNS][MESSAGE_PART], number[MESSAGE_PART];

	for (int i = 0; i < COLUMNS; i++) {
		table.widths[i] = columns[i].width;
		strlcpy(heads[i], columns[i].name, sizeof(heads[i]));
	}
	table.widths[COLUMN_ATTEMPT] =
	    snprintf(number, sizeof(number), "%" PRIu64, looks.last);
	table.widths[COLUMN_OUTCOME] = looks.outcome > 7 ? looks.outcome : 7;
	for (size_t i = 0; screen->terminal && room(&table) < 0 &&
	     i < sizeof(lesser) / sizeof(lesser[0]);
	     i++)
		table.widths[lesser[i]] = 0;
	print_texts(&table, heads, "\033[1m", COLUMNS);
	putchar('\n');
	return table;
}

void
plan_table_row(struct plan_table *table, const struct record *record)
{
	const struct record *shown = &table->shown;
	const struct delay *delay = &record->wait.delay;
	const struct plan_looks *looks = &table->looks;

	if (table->time < looks->down_until &&
	    record->attempt.begun >= looks->down_until)
		print_held(table);
	plan_mark_outage(table->screen, looks->down_from, looks->down_until,
	    table->time, record->attempt.begun);
	table->time = record->attempt.begun;
	if (table->screen->terminal && record->wait.lasts &&
	    shown->wait.lasts &&
	    record->last.outcome.kind == shown->last.outcome.kind &&
	    record->last.outcome.code == shown->last.outcome.code &&
	    record->last.judgement.verdict == shown->last.judgement.verdict &&
	    delay->nominal == shown->wait.delay.nominal &&
	    delay->low == shown->wait.delay.low &&
	    delay->high == shown->wait.delay.high) {
		table->held = *record;
		table->repeats++;
		return;
	}
	print_held(table);
	print_row(table, record);
	table->shown = *record;
}

void
plan_table_end(struct plan_table *table)
{
	const struct screen *screen = table->screen;
	const struct plan_looks *looks = &table->looks;

	print_held(table);
	plan_mark_outage(screen, looks->down_from, looks->down_until,
	    table->time, INFINITY);
	if (bar_length(table) == 0)
		return;
	printf("delay: ");
	plan_bar(screen, BAR_CERTAIN, 1);
	printf(" certain, ");
	plan_bar(screen, BAR_RANGE, 1);
	printf(" possible, ");
	plan_bar(screen, BAR_DRAWN, 1);
	printf(" drawn\n");
}
