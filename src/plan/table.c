/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "plan/table.h"
#include "core/duration.h"
#include "core/text.h"

/* Between two columns of the table. */
#define GAP 2

/* How short and how long a bar may be. */
#define BAR_LEAST 8
#define BAR_MOST 100

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

static const struct {
	const char *name;
	int width; /* or more, for what stands in it */
	bool to_the_left;
} columns[COLUMNS] = {
	[COLUMN_ATTEMPT] = { "#", 1, false },
	[COLUMN_START] = { "starts", 6, false },
	[COLUMN_OUTCOME] = { "outcome", 7, true },
	[COLUMN_VERDICT] = { "verdict", 7, true },
	[COLUMN_NOMINAL] = { "nominal", 7, false },
	[COLUMN_RANGE] = { "range", 13, false },
	[COLUMN_DELAY] = { "delay", 6, false },
};

struct table {
	const struct page *page;
	int widths[COLUMNS]; /* 0: the column is not shown */
	double longest;	     /* the longest delay, in seconds */
};

static const struct {
	const char *unicode;
	const char *ascii;
	const char *colour;
} cells[] = {
	[BAR_CERTAIN] = { "█", "=", "" },
	[BAR_RANGE] = { "░", "-", "" },
	[BAR_DRAWN] = { "◆", "*", "\033[1;35m" },
	[BAR_FIRST] = { "□", "o", "" },
	[BAR_RETRY] = { "■", "#", "\033[35m" },
};

void
plan_bar(const struct page *page, enum bar_cell cell, int count)
{
	const char *colour = page->screen->colour ? cells[cell].colour : "";
	const char *text =
	    page->screen->unicode ? cells[cell].unicode : cells[cell].ascii;

	if (count <= 0)
		return;
	fputs(colour, page->file);
	for (int i = 0; i < count; i++)
		fputs(text, page->file);
	if (*colour != '\0')
		fputs("\033[m", page->file);
}

static void
print_mark(const struct page *page, const char *what, enum verdict verdict,
    double time)
{
	const char *colour = report_text_colour(page->screen, verdict);
	const char *line = page->screen->unicode ? "──" : "--";
	char text[DURATION_TEXT];

	fprintf(page->file, "%s%s the service is %s at %s %s%s\n", colour, line,
	    what, duration_text(time, text), line,
	    *colour == '\0' ? "" : "\033[m");
}

void
plan_mark_outage(const struct page *page, const struct script *script,
    double after, double until)
{
	const double down = script->down_from, back = script->down_until;

	if (down > after && down <= until && down < INFINITY)
		print_mark(page, "down", VERDICT_STOP, down);
	if (back > after && back <= until && back < INFINITY)
		print_mark(page, "back", VERDICT_SUCCESS, back);
}

/* The attempt would be retried if the run did not end. */
static bool
shows_giving_up(const struct record *record)
{
	return record->last.judgement.verdict == VERDICT_RETRY &&
	    record->end.reason != REASON_NONE;
}

static const char *
outcome_of(const struct record *record, char text[MESSAGE_PART])
{
	if (record->attempt.number == 0)
		return "waits first";
	return outcome_ran(record->last.outcome)
	    ? message_outcome(record, text)
	    : outcome_names[record->last.outcome.kind];
}

static void
fill_row(const struct table *table, const struct record *record,
    char row[COLUMNS][MESSAGE_PART])
{
	const struct delay *delay = &record->wait.delay;
	char text[MESSAGE_PART], low[MESSAGE_PART], high[MESSAGE_PART];

	duration_text(record->attempt.begun, row[COLUMN_START]);
	strlcpy(row[COLUMN_OUTCOME], outcome_of(record, text), MESSAGE_PART);
	if (record->attempt.number > 0) {
		snprintf(row[COLUMN_ATTEMPT], MESSAGE_PART, "%" PRIu64,
		    record->attempt.number);
		strlcpy(row[COLUMN_VERDICT],
		    shows_giving_up(record)
			? "give up"
			: verdict_names[record->last.judgement.verdict],
		    MESSAGE_PART);
	}
	if (!record->wait.lasts)
		return;
	duration_text(delay->nominal, row[COLUMN_NOMINAL]);
	duration_text(delay->seconds, row[COLUMN_DELAY]);
	if (delay->low < delay->high)
		snprintf(row[COLUMN_RANGE], MESSAGE_PART, "%.60s%s%.60s",
		    duration_text(delay->low, low),
		    table->page->screen->unicode ? "–" : "-",
		    duration_text(delay->high, high));
	else
		strlcpy(row[COLUMN_RANGE], row[COLUMN_DELAY], MESSAGE_PART);
}

/* The columns of a line that are not taken yet. */
static int
free_columns(const struct table *table)
{
	int left = table->page->screen->width - 1 + GAP;

	for (int i = 0; i < COLUMNS; i++)
		if (table->widths[i] > 0)
			left -= table->widths[i] + GAP;
	return left;
}

/* Prints the texts of a row, in this colour those of that column, or of all. */
static void
print_texts(const struct table *table, char row[COLUMNS][MESSAGE_PART],
    const char *colour, enum column coloured)
{
	for (enum column i = 0; i < COLUMNS; i++) {
		const char *begin =
		    coloured == COLUMNS || coloured == i ? colour : "";
		const int width = text_width(row[i]);
		const int pad =
		    table->widths[i] > width ? table->widths[i] - width : 0;

		if (table->widths[i] == 0)
			continue;
		fprintf(table->page->file, "%*s%s%s%s%*s",
		    (i > 0 ? GAP : 0) + (columns[i].to_the_left ? 0 : pad), "",
		    begin, row[i], *begin == '\0' ? "" : "\033[m",
		    columns[i].to_the_left ? pad : 0, "");
	}
}

/* The length of the longest bar; 0: there are none. */
static int
bar_length(const struct table *table)
{
	const int left = free_columns(table) - GAP;

	if (left < BAR_LEAST || !(table->longest > 0))
		return 0;
	return left < BAR_MOST ? left : BAR_MOST;
}

/* Shows the range of a delay, and the draw, on the scale of the longest. */
static void
print_bar(const struct table *table, const struct delay *delay)
{
	const int count = bar_length(table);

	if (count == 0)
		return;
	const double scale = count / table->longest;
	const int low = (int)fmin(delay->low * scale, count);
	const int high = (int)fmin(ceil(delay->high * scale), count);
	const int drawn = (int)fmin(delay->seconds * scale, count - 1);
	fprintf(table->page->file, "%*s", GAP, "");
	plan_bar(table->page, BAR_CERTAIN, low < drawn ? low : drawn);
	plan_bar(table->page, BAR_RANGE, drawn - low);
	plan_bar(table->page, BAR_DRAWN, 1);
	plan_bar(table->page, BAR_RANGE, high - drawn - 1);
}

static void
print_row(const struct table *table, const struct record *record)
{
	const char *colour = report_text_colour(table->page->screen,
	    shows_giving_up(record) ? VERDICT_STOP
				    : record->last.judgement.verdict);
	char row[COLUMNS][MESSAGE_PART] = { "" };

	fill_row(table, record, row);
	print_texts(table, row, colour, COLUMN_VERDICT);
	if (record->wait.lasts)
		print_bar(table, &record->wait.delay);
	putc('\n', table->page->file);
}

/* Whether two attempts ended alike, and wait alike. */
static bool
are_alike(const struct record *a, const struct record *b)
{
	return a->wait.lasts && b->wait.lasts &&
	    a->last.outcome.kind == b->last.outcome.kind &&
	    a->last.outcome.code == b->last.outcome.code &&
	    a->last.judgement.verdict == b->last.judgement.verdict &&
	    a->wait.delay.nominal == b->wait.delay.nominal &&
	    a->wait.delay.low == b->wait.delay.low &&
	    a->wait.delay.high == b->wait.delay.high;
}

static void
print_rows(const struct table *table, const struct script *script,
    const struct record *rows, size_t count)
{
	const struct page *page = table->page;
	const struct record *shown = NULL;
	size_t repeats = 0; /* rows that are left out, and the last one */
	double before = 0;

	for (size_t i = 0; i <= count; i++) {
		const bool is_more = i < count;
		const double now = is_more ? rows[i].attempt.begun : INFINITY;
		const bool repeated = page->screen->terminal && is_more &&
		    shown != NULL && are_alike(shown, &rows[i]) &&
		    !(before < script->down_until && now >= script->down_until);

		if (!repeated && repeats > 1)
			fprintf(page->file, "... and %zu more like it\n",
			    repeats - 1);
		if (!repeated && repeats > 0)
			print_row(table, &rows[i - 1]);
		plan_mark_outage(page, script, before, now);
		before = now;
		repeats = repeated ? repeats + 1 : 0;
		if (repeated || !is_more)
			continue;
		shown = &rows[i];
		print_row(table, shown);
	}
}

void
plan_table_print(const struct page *page, const struct script *script,
    const struct record *rows, size_t count)
{
	/* The columns that may be missing, in this order. */
	static const enum column lesser[] = { COLUMN_NOMINAL, COLUMN_RANGE,
		COLUMN_VERDICT, COLUMN_START };
	struct table table = { .page = page };
	char heads[COLUMNS][MESSAGE_PART], text[MESSAGE_PART];

	for (int i = 0; i < COLUMNS; i++) {
		table.widths[i] = columns[i].width;
		strlcpy(heads[i], columns[i].name, sizeof(heads[i]));
	}
	for (size_t i = 0; i < count; i++) {
		const int number = snprintf(text, sizeof(text), "%" PRIu64,
		    rows[i].attempt.number);
		const int outcome = text_width(outcome_of(&rows[i], text));

		if (table.widths[COLUMN_ATTEMPT] < number)
			table.widths[COLUMN_ATTEMPT] = number;
		if (table.widths[COLUMN_OUTCOME] < outcome)
			table.widths[COLUMN_OUTCOME] = outcome;
		if (rows[i].wait.lasts)
			table.longest =
			    fmax(table.longest, rows[i].wait.delay.high);
	}
	for (size_t i = 0; page->screen->terminal && free_columns(&table) < 0 &&
	     i < sizeof(lesser) / sizeof(lesser[0]);
	     i++)
		table.widths[lesser[i]] = 0;
	print_texts(&table, heads, page->screen->colour ? "\033[1m" : "",
	    COLUMNS);
	putc('\n', page->file);
	print_rows(&table, script, rows, count);
	if (bar_length(&table) == 0)
		return;
	fprintf(page->file, "delay: ");
	plan_bar(page, BAR_CERTAIN, 1);
	fprintf(page->file, " certain, ");
	plan_bar(page, BAR_RANGE, 1);
	fprintf(page->file, " possible, ");
	plan_bar(page, BAR_DRAWN, 1);
	fprintf(page->file, " drawn\n");
}
