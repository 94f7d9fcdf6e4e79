/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <string.h>
#include <time.h>

#include "report/report.h"
#include "core/duration.h"
#include "core/text.h"

/* A shorter wait shows nothing: it would only flicker. */
#define SHORTEST 0.5

/* Seconds between two drawings, for the last seconds and before them. */
#define LAST_SECONDS 10
#define FAST 0.25
#define SLOW 1.0

/* The cells of a bar. */
#define BAR_LEAST 8
#define BAR_MOST 40

#define GAP 2

/* The columns of a name that are shown. */
#define NAME_MOST 30

/* A wait of at least this many seconds shows when it ends. */
#define LONG 60
#define DAY 86400

/* Takes the columns of the part off the room, or leaves the part out. */
static void
fit(char part[MESSAGE_PART], int *room)
{
	const int width = text_width(part);

	if (width > *room)
		*part = '\0';
	else
		*room -= width;
}

/* The run's name, if it has one and there is room. */
static void
fit_name(const struct report *report, char name[MESSAGE_PART], int *room)
{
	char text[MESSAGE_PART];

	message_name(&report->style, text);
	text_cut(text, NAME_MOST);
	if (*text != '\0')
		snprintf(name, MESSAGE_PART, "%.120s: ", text);
	fit(name, room);
}

/* The time of day at which the wait ends; the date too, if that is not soon. */
static void
put_clock(const struct record *record, char text[MESSAGE_PART])
{
	const double left = record->wait.due - record->elapsed;
	const time_t due = (time_t)(record->seen.time + left);
	struct tm broken;

	if (localtime_r(&due, &broken) != NULL)
		strftime(text, MESSAGE_PART,
		    left < DAY ? ", at %H:%M:%S" : ", at %F %H:%M", &broken);
}

void
report_tty_hide(struct sink *sink)
{
	if (!sink->drawn)
		return;
	fputs("\r\033[J", sink->file);
	sink->drawn = false;
}

/*
 * Draws what fits, the most important first: when the next attempt starts,
 * which one it is, how to retry now, how the last one ended (a message has said
 * that) and a bar.
 *
 * Nothing wraps while it is drawn, although the terminal may just have become
 * narrower: the cursor stays at the beginning, so that what wraps later comes
 * after it.
 */
static void
draw_wait(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct screen *screen = &sink->screen;
	const double left = record->wait.due - record->elapsed;
	const double passed = 1 - left / record->wait.delay.seconds;
	char head[MESSAGE_PART] = PROGRAM ": ", name[MESSAGE_PART] = "";
	char next[MESSAGE_PART], clock[MESSAGE_PART] = "";
	char last[MESSAGE_PART] = "", how[MESSAGE_PART] = "";
	char text[MESSAGE_PART], time[DURATION_TEXT];
	int room = screen->width - 1;

	snprintf(next, sizeof(next), "%.80s in %s",
	    message_attempt(record, 1, text), duration_text(ceil(left), time));
	text_cut(next, room);
	fit(next, &room);
	fit_name(report, name, &room);
	if (record->wait.delay.seconds >= LONG)
		put_clock(record, clock);
	fit(clock, &room);
	if (record->wait.delay.seconds > LAST_SECONDS && report->pid != 1)
		snprintf(how, sizeof(how), "  retry now: kill -URG %ld",
		    report->pid);
	fit(how, &room);
	if (record->attempt.number > 0)
		snprintf(last, sizeof(last), "  last %.80s",
		    message_outcome(record, text));
	else if (record->wait.kept)
		strlcpy(last, "  from an earlier run", sizeof(last));
	fit(last, &room);
	fit(head, &room);
	room -= GAP;
	const int bar = room < BAR_LEAST ? 0
	    : room < BAR_MOST		 ? room
					 : BAR_MOST;

	report_tty_hide(sink);
	fprintf(sink->file, "\033[?7l%s%s%s%s", head, name, next, clock);
	if (bar > 0)
		fprintf(sink->file, "%*s", GAP, "");
	for (int i = 0; i < bar; i++)
		if (i < (int)(passed * bar))
			fputs(screen->unicode ? "█" : "=", sink->file);
		else
			fputs(screen->unicode ? "░" : "-", sink->file);
	fprintf(sink->file, "%s%s\033[?7h\r", last, how);
	sink->drawn = true;
}

/* Draws a line, after as much of the run's name as there is room for. */
static void
draw_line(struct sink *sink, const struct report *report,
    char line[MESSAGE_PART])
{
	char head[MESSAGE_PART] = PROGRAM ": ", name[MESSAGE_PART] = "";
	int room = sink->screen.width - 1;

	text_cut(line, room);
	fit(line, &room);
	fit_name(report, name, &room);
	fit(head, &room);
	report_tty_hide(sink);
	fprintf(sink->file, "%s%s%s\r", head, name, line);
	sink->drawn = true;
}

/* Draws for how long another run has had the state. */
static void
draw_lock(struct sink *sink, const struct report *report,
    const struct record *record)
{
	char line[MESSAGE_PART], file[MESSAGE_PART], time[DURATION_TEXT];

	snprintf(line, sizeof(line), "another run has %.80s; waiting %s",
	    text_safe(report->style.state, file, sizeof(file)),
	    duration_text(floor(record->elapsed), time));
	draw_line(sink, report, line);
}

/* Draws how long the attempt has run, and what else there is room for. */
static void
draw_attempt(struct sink *sink, const struct report *report,
    const struct record *record)
{
	char line[MESSAGE_PART], text[MESSAGE_PART];
	char ran[DURATION_TEXT], limit[DURATION_TEXT];

	snprintf(line, sizeof(line), "%.60s runs %s",
	    message_attempt(record, 0, text),
	    duration_text(floor(record->elapsed - record->attempt.begun), ran));
	if (record->attempt.timeout < INFINITY)
		text_append(line, sizeof(line), " of %s",
		    duration_text(record->attempt.timeout, limit));
	draw_line(sink, report, line);
}

double
report_tty_tick(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const double left = record->wait.due - record->elapsed;
	const double period = left > LAST_SECONDS ? SLOW : FAST;

	if (record->attempt.runs) {
		const double ran = record->elapsed - record->attempt.begun;

		/* Nothing else is written while such an attempt runs. */
		if (!report->style.holds_stderr || !sink->screen.terminal)
			return INFINITY;
		if (sink->screen.width > 0 && ran >= SLOW)
			draw_attempt(sink, report, record);
		return record->attempt.begun + (floor(ran / SLOW) + 1) * SLOW;
	}
	if (record->locked && sink->screen.terminal) {
		if (record->elapsed >= SLOW && sink->screen.width > 0)
			draw_lock(sink, report, record);
		return record->elapsed + SLOW;
	}
	if (record->wait.delay.seconds < SHORTEST || left <= 0 ||
	    !sink->screen.terminal)
		return INFINITY;
	if (sink->screen.width > 0)
		draw_wait(sink, report, record);

	/* Then when a whole number of periods is left, but not at once. */
	const double next =
	    record->wait.due - (ceil(left / period) - 1) * period;
	return next - record->elapsed < period / 2 ? next + period : next;
}
