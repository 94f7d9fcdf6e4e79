#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "core/number.h"
#include "core/text.h"

/* A run of at most this many attempts has a line for each failure. */
#define FEW 10

/* Seconds after which a failure is told again. */
#define TOLD_FOR 60

const char *
report_colour(const struct screen *screen, enum verdict verdict)
{
	static const char *const colours[] = {
		[VERDICT_NONE] = "",
		[VERDICT_SUCCESS] = "\033[32m",
		[VERDICT_RETRY] = "\033[33m",
		[VERDICT_STOP] = "\033[31m",
	};

	return screen->colour ? colours[verdict] : "";
}

const char *
report_colour_end(const struct screen *screen)
{
	return screen->colour ? "\033[m" : "";
}

/*
 * On a terminal the attempt may have left the cursor behind half a line.  As
 * many blanks as the terminal has columns go over the end of that line, but not
 * of an empty one, so that a CR then leads to the beginning of a line that is
 * free.
 */
static void
begin_line(const struct sink *sink)
{
	const struct screen *screen = &sink->screen;

	if (screen->sized && screen->width > 0 && !screen->plain)
		fprintf(sink->file, "%*s\r\033[J", screen->width, "");
}

static void
put_line(const struct sink *sink, struct message message)
{
	const struct screen *screen = &sink->screen;

	if (*message.text == '\0')
		return;
	begin_line(sink);
	if (sink->format->has_priorities)
		fprintf(sink->file, "<%d>", message.priority);
	fprintf(sink->file, "%s" PROGRAM ":%s %s\n",
	    report_colour(screen, message.verdict), report_colour_end(screen),
	    message.text);
}

/* Whether a failure is only counted, since it equals the one before it. */
static bool
is_left_out(const struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct record *last = &sink->last;

	return record->kind == RECORD_OUTCOME && !report->options->verbose &&
	    record->judgement.verdict == VERDICT_RETRY &&
	    (record->limit == 0 || record->limit > FEW) &&
	    record->elapsed - sink->told < TOLD_FOR &&
	    last->attempt + 1 == record->attempt &&
	    last->outcome.kind == record->outcome.kind &&
	    last->outcome.code == record->outcome.code &&
	    last->judgement.verdict == record->judgement.verdict &&
	    last->judgement.rule == record->judgement.rule &&
	    last->command_timed_out == record->command_timed_out;
}

void
report_more(struct sink *sink, const struct report *report)
{
	if (sink->more == 1)
		put_line(sink, message_of(report->options, &sink->last));
	else if (sink->more > 1)
		put_line(sink, message_more(report->options, sink->more));
	sink->more = 0;
}

void
report_text(struct sink *sink, const struct report *report,
    const struct record *record)
{
	if (is_left_out(sink, report, record)) {
		sink->last = *record;
		sink->more++;
		return;
	}
	if (record->kind == RECORD_OUTCOME || record->kind == RECORD_END) {
		report_more(sink, report);
		sink->last = *record;
		sink->told = record->elapsed;
	}
	put_line(sink, message_of(report->options, record));
}

const struct format formats[] = {
	{ .name = "text",
	    .doc = "one line per failed attempt, and one for the end",
	    .for_people = true,
	    .tell = report_text },
	{ .name = "tty",
	    .doc = "text, and a status line that counts down each wait",
	    .for_people = true,
	    .tell = report_text,
	    .tick = report_tty_tick },
	{ .name = "journal",
	    .doc = "text with the priorities of systemd's journal",
	    .for_people = true,
	    .has_priorities = true,
	    .tell = report_text },
	{ .name = "json",
	    .doc = "one object per line, one per event",
	    .tell = report_json },
	{ .name = "junit",
	    .doc = "a test report at the end, which replaces what FILE held",
	    .whole = true,
	    .tell = report_junit },
	{ .name = "github",
	    .doc = "text in groups, an annotation and outputs, for GitHub",
	    .for_people = true,
	    .tell = report_github,
	    .begin = report_github_begin },
	{ .name = "auto",
	    .doc = "journal, tty, github or text, whichever fits",
	    .for_people = true,
	    .tell = report_text },
	{ .name = NULL },
};

const struct format *
report_format(const char *name)
{
	for (const struct format *row = formats; row->name != NULL; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

/* Says once per file that it cannot be written, which changes nothing else. */
static void
complain(struct sink *sink, const char *problem)
{
	char safe[128];

	if (!sink->failed && sink->name != NULL)
		fprintf(stderr, "%s: --log: %s: %s\n",
		    program_invocation_short_name,
		    text_safe(sink->name, safe, sizeof(safe)), problem);
	sink->failed = true;
}

/* Makes ready to write what waits in the sink's buffer; false if it cannot. */
static bool
begin_flush(const struct report *report, const struct sink *sink)
{
	struct pollfd poll_fd = { .events = POLLOUT };

	if (sink->name == NULL || __fpending(sink->file) == 0)
		return true;
	poll_fd.fd = fileno(sink->file);
	if (poll(&poll_fd, 1, 0) == 0) {
		__fpurge(sink->file);
		errno = EAGAIN;
		return false;
	}
	if (sink->has_output && report->ragged != NULL && *report->ragged)
		*report->ragged = write(poll_fd.fd, "\n", 1) != 1;
	return true;
}

/* If an earlier write failed, errno may be another's by now. */
static void
flush(const struct report *report, struct sink *sink)
{
	if (!begin_flush(report, sink) || fflush(sink->file) == EOF)
		complain(sink,
		    errno == EAGAIN ? "lines are left out: nobody reads them"
				    : strerror(errno));
	else if (ferror(sink->file))
		complain(sink, "could not be written");
	clearerr(sink->file);
}

/*
 * --quiet leaves the formats for programs, and errors of retry's own: nobody
 * else can tell why the run ends with status 125, 126 or 127.
 */
static bool
is_told(const struct report *report, const struct format *format,
    const struct record *record)
{
	if (!report->options->quiet || !format->for_people)
		return true;
	return record->kind == RECORD_OUTCOME &&
	    record->reason != REASON_NONE && !outcome_ran(record->outcome);
}

void
report_tell(struct report *report, const struct record *record)
{
	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];

		if (!is_told(report, sink->format, record))
			continue;
		report_tty_hide(sink);
		sink->format->tell(sink, report, record);
		if (!report->options->plan)
			flush(report, sink);
	}
}

void
report_begin(struct report *report, const struct record *record)
{
	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];

		if (sink->format->begin == NULL || report->options->quiet)
			continue;
		sink->format->begin(sink, report, record);
		flush(report, sink);
	}
}

const struct failures *
report_remember(struct sink *sink, const struct record *record)
{
	const bool failed = record->kind == RECORD_OUTCOME &&
	    record->judgement.verdict != VERDICT_SUCCESS;
	struct failures *failures = sink->memory;

	if (failed && failures == NULL)
		sink->memory = failures = calloc(1, sizeof(*failures));
	if (failed && failures != NULL) {
		if (failures->kept < FAILURES_KEPT)
			failures->records[failures->kept++] = *record;
		failures->count++;
	}
	return failures;
}

double
report_tick(struct report *report, const struct record *record)
{
	double next = INFINITY;

	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];

		if (sink->format->tick != NULL && !report->options->quiet)
			next = number_min(next,
			    sink->format->tick(sink, report, record));
	}
	return next;
}

void
report_hide(struct report *report)
{
	for (size_t i = 0; i < report->count; i++)
		report_tty_hide(&report->sinks[i]);
}

void
report_close(struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];

		free(sink->memory);
		if (sink->name == NULL)
			continue;
		flush(report, sink);
		if (fclose(sink->file) == EOF)
			complain(sink, strerror(errno));
		free(sink->buffer);
	}
	free(report->sinks);
	report->count = 0;
}
