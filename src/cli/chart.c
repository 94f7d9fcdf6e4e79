#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/message.h"
#include "core/duration.h"
#include "core/number.h"

#define GAP 2

/* How short and how long a bar may be. */
#define BAR_LEAST 8
#define BAR_MOST 100

static const struct {
	const char *name;
	bool to_the_left;
} columns[COLUMNS] = {
	[COLUMN_ATTEMPT] = { "#", false },
	[COLUMN_START] = { "starts at", false },
	[COLUMN_OUTCOME] = { "outcome", true },
	[COLUMN_VERDICT] = { "verdict", true },
	[COLUMN_NOMINAL] = { "nominal", false },
	[COLUMN_RANGE] = { "range", false },
	[COLUMN_DELAY] = { "delay", false },
};

/* What a bar is made of, with and without Unicode; one column each. */
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

static const char *const verdict_colours[] = {
	[VERDICT_NONE] = "",
	[VERDICT_SUCCESS] = "\033[32m",
	[VERDICT_RETRY] = "",
	[VERDICT_STOP] = "\033[31m",
};

/* The texts of a row. */
struct row {
	char texts[COLUMNS][MESSAGE_PART];
};

/* A line of the table, longer than any. */
struct output {
	size_t length;
	char bytes[4096];
};

/* Columns on the screen: bytes that begin a character. */
static int
width_of(const char *text)
{
	int width = 0;

	for (; *text != '\0'; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static void
fill(struct row *row, const struct chart *chart, const struct record *record)
{
	const struct outcome outcome = record->outcome;
	const struct delay *delay = &record->delay;
	const bool ran = outcome.kind != OUTCOME_UNSTARTABLE &&
	    outcome.kind != OUTCOME_UNFORKED;
	char text[MESSAGE_PART], low[MESSAGE_PART], high[MESSAGE_PART];

	*row = (struct row){ .texts = { "" } };
	duration_text(record->started, row->texts[COLUMN_START]);
	if (record->attempt == 0) {
		strlcpy(row->texts[COLUMN_OUTCOME], "waits first",
		    MESSAGE_PART);
	} else {
		snprintf(row->texts[COLUMN_ATTEMPT], MESSAGE_PART, "%" PRIu64,
		    record->attempt);
		strlcpy(row->texts[COLUMN_OUTCOME],
		    ran ? message_outcome(outcome, text)
			: outcome_name(outcome.kind),
		    MESSAGE_PART);
		strlcpy(row->texts[COLUMN_VERDICT],
		    verdict_name(record->judgement.verdict), MESSAGE_PART);
	}
	if (!record->waits)
		return;
	duration_text(delay->nominal, row->texts[COLUMN_NOMINAL]);
	duration_text(delay->seconds, row->texts[COLUMN_DELAY]);
	if (delay->low < delay->high)
		snprintf(row->texts[COLUMN_RANGE], MESSAGE_PART, "%.60s%s%.60s",
		    duration_text(delay->low, low),
		    chart->screen->unicode ? "–" : "-",
		    duration_text(delay->high, high));
	else
		strlcpy(row->texts[COLUMN_RANGE], row->texts[COLUMN_DELAY],
		    MESSAGE_PART);
}

void
chart_measure(struct chart *chart, const struct record *record)
{
	struct row row;

	fill(&row, chart, record);
	for (int i = 0; i < COLUMNS; i++) {
		const int width = width_of(row.texts[i]);

		if (width > chart->widths[i])
			chart->widths[i] = width;
		if (width_of(columns[i].name) > chart->widths[i])
			chart->widths[i] = width_of(columns[i].name);
	}
	if (record->waits)
		chart->longest = number_max(chart->longest, record->delay.high);
}

static void
append(struct output *line, const char *text)
{
	const size_t length = strlen(text);

	if (length > sizeof(line->bytes) - line->length)
		return;
	memcpy(line->bytes + line->length, text, length);
	line->length += length;
}

static void
append_blanks(struct output *line, int count)
{
	for (; count > 0; count--)
		append(line, " ");
}

static void
append_text(struct output *line, const struct chart *chart, enum column column,
    const char *text, const char *colour)
{
	const bool coloured = chart->screen->colour && *colour != '\0';
	const int room = chart->widths[column] - width_of(text);

	if (column > 0)
		append_blanks(line, GAP);
	if (!columns[column].to_the_left)
		append_blanks(line, room);
	append(line, coloured ? colour : "");
	append(line, text);
	append(line, coloured ? "\033[m" : "");
	if (columns[column].to_the_left)
		append_blanks(line, room);
}

static void
print(struct output *line)
{
	while (line->length > 0 && line->bytes[line->length - 1] == ' ')
		line->length--;
	fwrite(line->bytes, 1, line->length, stdout);
	putchar('\n');
}

/* What stands at this place of the bar of so many cells; CELLS for nothing. */
static enum cell
cell_at(const struct chart *chart, const struct delay *delay, int cell,
    int count)
{
	const double scale = count / chart->longest;
	const int drawn = (int)number_min(delay->seconds * scale, count - 1);

	if (cell == drawn)
		return CELL_DRAWN;
	if (cell < (int)(delay->low * scale))
		return CELL_CERTAIN;
	if (cell < (int)number_ceil(delay->high * scale))
		return CELL_RANGE;
	return CELLS;
}

static int
bar_room(const struct chart *chart)
{
	int room = chart->screen->width - 1;

	for (int i = 0; i < COLUMNS; i++)
		room -= chart->widths[i] + GAP;
	return room < BAR_MOST ? room : BAR_MOST;
}

static void
append_bar(struct output *line, const struct chart *chart,
    const struct delay *delay)
{
	const bool unicode = chart->screen->unicode;
	const bool colour = chart->screen->colour;
	const int count = bar_room(chart);
	enum cell last = CELLS;

	if (count < BAR_LEAST || !(chart->longest > 0))
		return;
	append_blanks(line, GAP);
	for (int i = 0; i < count; i++) {
		const enum cell cell = cell_at(chart, delay, i, count);

		if (cell == CELLS)
			break;
		if (colour && cell != last)
			append(line, cells[cell].colour);
		append(line, unicode ? cells[cell].unicode : cells[cell].ascii);
		last = cell;
	}
	append(line, colour ? "\033[m" : "");
}

void
chart_print_head(const struct chart *chart)
{
	struct output line = { .length = 0 };

	for (int i = 0; i < COLUMNS; i++)
		append_text(&line, chart, (enum column)i, columns[i].name,
		    "\033[1m");
	print(&line);
}

void
chart_print(const struct chart *chart, const struct record *record)
{
	struct output line = { .length = 0 };
	struct row row;

	fill(&row, chart, record);
	for (int i = 0; i < COLUMNS; i++)
		append_text(&line, chart, (enum column)i, row.texts[i],
		    i == COLUMN_VERDICT
			? verdict_colours[record->judgement.verdict]
			: "");
	if (record->waits)
		append_bar(&line, chart, &record->delay);
	print(&line);
}
