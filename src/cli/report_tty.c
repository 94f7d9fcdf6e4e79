#include <math.h>
#include <string.h>

#include "cli/report.h"
#include "core/duration.h"
#include "core/number.h"
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

/* The first text, of which the last is "", that takes up no more columns. */
static const char *
first_fit(char texts[3][MESSAGE_PART], int columns)
{
	while (**texts != '\0' && (int)strlen(*texts) > columns)
		texts++;
	return *texts;
}

/*
 * Draws as much as there is room for, beginning with what matters most: when
 * the next attempt is, how the last one ended, how to retry now, and a bar.  In
 * all but the bar a byte is a column.
 *
 * Nothing is folded while it is drawn, as the terminal may just have become
 * narrower; the cursor rests at the beginning, so that what is folded later is
 * behind it.
 */
static void
draw(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct screen *screen = &sink->screen;
	const double left = record->due - record->elapsed;
	const double passed = 1 - left / record->delay.seconds;
	char whats[3][MESSAGE_PART] = { "" }, hows[3][MESSAGE_PART] = { "" };
	char next[MESSAGE_PART], name[MESSAGE_PART], text[MESSAGE_PART];
	char time[DURATION_TEXT];
	int room = screen->width - 1;

	snprintf(next, sizeof(next), "%.80s in %s",
	    message_attempt(record->attempt + 1, record->used + 1,
		record->limit, text),
	    duration_text(number_ceil(left), time));
	room -= (int)strlen(next);
	if (room < 0)
		next[screen->width - 1] = '\0';

	message_name(report->options, name);
	if (record->attempt > 0) {
		const char *outcome = message_outcome(record, text);

		snprintf(whats[0], MESSAGE_PART, "%.30s %.80s; ", name,
		    outcome);
		snprintf(whats[1], MESSAGE_PART, "%.80s; ", outcome);
	} else if (record->kept) {
		snprintf(whats[0], MESSAGE_PART, "%.30s: a kept delay; ", name);
		snprintf(whats[1], MESSAGE_PART, "a kept delay; ");
	}
	const char *what = first_fit(whats, room - GAP - BAR_LEAST);
	room -= (int)strlen(what);

	snprintf(hows[0], MESSAGE_PART, "retry now: kill -URG %ld",
	    report->pid);
	snprintf(hows[1], MESSAGE_PART, "kill -URG %ld", report->pid);
	const char *how = first_fit(hows, room - GAP - BAR_LEAST - GAP);
	if (*how != '\0')
		room -= (int)strlen(how) + GAP;

	room -= GAP;
	const int bar = room < BAR_LEAST ? 0
	    : room < BAR_MOST		 ? room
					 : BAR_MOST;

	report_tty_hide(sink);
	fprintf(sink->file, "%s%s%s", screen->plain ? "" : "\033[?7l", what,
	    next);
	if (bar > 0)
		fprintf(sink->file, "%*s", GAP, "");
	for (int i = 0; i < bar; i++)
		if (i < (int)(passed * bar))
			fputs(screen->unicode ? "█" : "#", sink->file);
		else
			fputs(screen->unicode ? "░" : ".", sink->file);
	if (*how != '\0')
		fprintf(sink->file, "%*s%s", GAP, "", how);
	fputs(screen->plain ? "\r" : "\033[?7h\r", sink->file);
	fflush(sink->file);
	sink->drawn = (int)(strlen(what) + strlen(next) + GAP + (size_t)bar +
	    GAP + strlen(how));
}

/* Draws for how long another run has had the state. */
static void
draw_lock(struct sink *sink, const struct report *report,
    const struct record *record)
{
	char line[3 * MESSAGE_PART], name[MESSAGE_PART], file[MESSAGE_PART];
	char time[DURATION_TEXT];

	snprintf(line, sizeof(line), "%.30s: another run has %s; waiting %s",
	    message_name(report->options, name),
	    text_safe(report->options->state, file, sizeof(file)),
	    duration_text(number_floor(record->locked), time));
	report_tty_hide(sink);
	sink->drawn = fprintf(sink->file, "%.*s", sink->screen.width - 1, line);
	putc('\r', sink->file);
	fflush(sink->file);
}

void
report_tty_hide(struct sink *sink)
{
	if (sink->drawn == 0)
		return;
	if (sink->screen.plain)
		fprintf(sink->file, "\r%*s\r", sink->drawn, "");
	else
		fputs("\r\033[J", sink->file);
	fflush(sink->file);
	sink->drawn = 0;
}

double
report_tty_tick(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const double left = record->due - record->elapsed;
	const double period = left > LAST_SECONDS ? SLOW : FAST;

	if (record->locked > 0 && sink->screen.terminal) {
		if (record->locked >= SLOW && sink->screen.width > 0)
			draw_lock(sink, report, record);
		return record->elapsed + SLOW;
	}
	if (record->delay.seconds < SHORTEST || left <= 0 ||
	    !sink->screen.terminal)
		return INFINITY;
	if (sink->screen.width > 0)
		draw(sink, report, record);

	/* Then when a whole number of periods is left, but not at once. */
	const double next =
	    record->due - (number_ceil(left / period) - 1) * period;
	return next - record->elapsed < period / 2 ? next + period : next;
}
