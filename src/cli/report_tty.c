#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/report.h"
#include "core/duration.h"
#include "core/number.h"

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

/* The parts of the status line, all of one column a byte but for the bar. */
struct status {
	char what[MESSAGE_PART]; /* happened */
	char next[MESSAGE_PART];
	char how[MESSAGE_PART]; /* to retry now; may be "" */
	int bar;		/* its cells, or 0 */
	double fraction;	/* of the wait that has passed */
};

static int
width_of(const char *text)
{
	return (int)strlen(text);
}

/* The longest text that leaves room for a bar, or nothing. */
static void
say_what(struct status *status, const struct report *report,
    const struct record *record, int room)
{
	char word[MESSAGE_PART], outcome[MESSAGE_PART];
	const char *text = message_outcome(record->outcome, outcome);

	message_command(report->options, word);
	if (record->attempt > 0)
		snprintf(status->what, MESSAGE_PART, "%.30s %.80s; ", word,
		    text);
	else if (record->kept)
		snprintf(status->what, MESSAGE_PART, "%.30s: a kept delay; ",
		    word);
	if (width_of(status->what) + GAP + BAR_LEAST > room)
		snprintf(status->what, MESSAGE_PART, "%.80s; ",
		    record->attempt > 0 ? text : "a kept delay");
	if ((record->attempt == 0 && !record->kept) ||
	    width_of(status->what) + GAP + BAR_LEAST > room)
		*status->what = '\0';
}

/* The longest advice that leaves room for a bar. */
static void
say_how(struct status *status, long pid, int room)
{
	static const char *const hints[] = {
		"retry now: kill -URG %ld",
		"kill -URG %ld",
	};

	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		snprintf(status->how, MESSAGE_PART, hints[i], pid);
		if (width_of(status->how) + GAP + BAR_LEAST + GAP <= room)
			return;
	}
	*status->how = '\0';
}

/* What there is room for, beginning with what matters most. */
static void
compose(struct status *status, const struct report *report,
    const struct record *record, int width)
{
	const double left = record->due - record->elapsed;
	char attempt[MESSAGE_PART], time[DURATION_TEXT];
	int room = width - 1;

	*status =
	    (struct status){ .fraction = 1 - left / record->delay.seconds };
	snprintf(status->next, MESSAGE_PART, "%.80s in %s",
	    message_attempt(record->attempt + 1, record->used + 1,
		record->limit, attempt),
	    duration_text(number_ceil(left), time));
	room -= width_of(status->next);
	if (room < 0)
		status->next[width - 1] = '\0';
	say_what(status, report, record, room);
	room -= width_of(status->what);
	say_how(status, report->pid, room);
	if (*status->how != '\0')
		room -= width_of(status->how) + GAP;
	room -= GAP;
	status->bar = room < BAR_LEAST ? 0 : room < BAR_MOST ? room : BAR_MOST;
}

static void
draw_bar(const struct status *status, bool unicode, FILE *file)
{
	const int done = (int)(status->fraction * status->bar);

	fprintf(file, "%*s", GAP, "");
	for (int i = 0; i < status->bar; i++)
		if (unicode)
			fputs(i < done ? "█" : "░", file);
		else
			putc(i < done ? '#' : '.', file);
}

/*
 * Nothing is folded while it is drawn, as the terminal may just have become
 * narrower; the cursor rests at the beginning, so that what is folded later is
 * behind it.
 */
static void
draw(struct sink *sink, const struct report *report,
    const struct record *record)
{
	struct status status;

	compose(&status, report, record, sink->screen.width);
	report_tty_hide(sink);
	fprintf(sink->file, "%s%s%s", sink->screen.plain ? "" : "\033[?7l",
	    status.what, status.next);
	if (status.bar > 0)
		draw_bar(&status, sink->screen.unicode, sink->file);
	if (*status.how != '\0')
		fprintf(sink->file, "%*s%s", GAP, "", status.how);
	fputs(sink->screen.plain ? "\r" : "\033[?7h\r", sink->file);
	fflush(sink->file);
	sink->drawn = width_of(status.what) + width_of(status.next) + GAP +
	    status.bar + GAP + width_of(status.how);
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
