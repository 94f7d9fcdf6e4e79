#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "core/number.h"
#include "core/text.h"

static void
tell_text(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct message message = message_of(report->options, record);

	if (*message.text != '\0')
		fprintf(sink->file, "retry: %s\n", message.text);
}

static void
tell_journal(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct message message = message_of(report->options, record);

	if (*message.text != '\0')
		fprintf(sink->file, "<%d>retry: %s\n", message.priority,
		    message.text);
}

/* Escapes the characters that would end the text of a workflow command. */
static void
put_workflow(FILE *file, const char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '%' || *text == '\r' || *text == '\n')
			fprintf(file, "%%%02X", (unsigned int)*text);
		else
			putc(*text, file);
}

/* Text, grouped by attempt; a run that failed or was flaky is annotated. */
static void
tell_github(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const bool success = record->reason == REASON_SUCCESS;
	const bool notable = record->kind == RECORD_END &&
	    record->reason != REASON_PLAN && record->reason != REASON_SIGNAL &&
	    (!success || record->failures > 0);
	char attempt[MESSAGE_PART], name[MESSAGE_PART];

	if (record->kind == RECORD_ATTEMPT) {
		fputs("::group::", sink->file);
		put_workflow(sink->file, message_name(report->options, name));
		fprintf(sink->file, ": %s\n",
		    message_attempt(record->attempt, record->used,
			record->limit, attempt));
		sink->grouped = true;
	}
	if (record->kind == RECORD_OUTCOME && sink->grouped) {
		fputs("::endgroup::\n", sink->file);
		sink->grouped = false;
	}
	if (!notable) {
		tell_text(sink, report, record);
		return;
	}
	fputs(success ? "::notice::" : "::error::", sink->file);
	put_workflow(sink->file, message_name(report->options, name));
	fputs(": ", sink->file);
	put_workflow(sink->file, message_end(record).text);
	putc('\n', sink->file);
}

const struct format formats[] = {
	{ .name = "text",
	    .doc = "a line for each failed attempt and one for the end",
	    .for_people = true,
	    .tell = tell_text },
	{ .name = "tty",
	    .doc = "text, and a status line that counts down a wait",
	    .for_people = true,
	    .tell = tell_text,
	    .tick = report_tty_tick },
	{ .name = "journal",
	    .doc = "text with the priorities of systemd's journal",
	    .for_people = true,
	    .tell = tell_journal },
	{ .name = "json",
	    .doc = "an object a line, one for each event",
	    .tell = report_json },
	{ .name = "junit",
	    .doc = "a test report at the end, which replaces what FILE held",
	    .whole = true,
	    .tell = report_junit },
	{ .name = "github",
	    .doc = "text in groups, and an annotation, for GitHub's logs",
	    .for_people = true,
	    .tell = tell_github },
	{ .name = "auto",
	    .doc = "journal, tty, github or text, as the place asks for",
	    .for_people = true,
	    .tell = tell_text },
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

/* Of a write before this one errno says nothing: it may be another's by now. */
static void
flush(struct sink *sink)
{
	if (fflush(sink->file) == EOF)
		complain(sink, strerror(errno));
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
	    record->reason != REASON_NONE &&
	    (record->outcome.kind == OUTCOME_UNSTARTABLE ||
		record->outcome.kind == OUTCOME_UNFORKED);
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
			flush(sink);
	}
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
		flush(sink);
		if (fclose(sink->file) == EOF)
			complain(sink, strerror(errno));
	}
	free(report->sinks);
	report->count = 0;
}
