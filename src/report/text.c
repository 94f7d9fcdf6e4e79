/* SPDX-License-Identifier: MIT */

#include "report/report.h"
#include "core/text.h"

/* A run of at most this many attempts has a line for each failure. */
#define FEW 10

/* Seconds after which a failure is told again. */
#define TOLD_FOR 60

const char *
report_text_colour(const struct screen *screen, enum verdict verdict)
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
report_text_colour_end(const struct screen *screen, enum verdict verdict)
{
	return *report_text_colour(screen, verdict) != '\0' ? "\033[m" : "";
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

void
report_text_message(const struct sink *sink, struct message message)
{
	const struct screen *screen = &sink->screen;

	if (*message.text == '\0')
		return;
	begin_line(sink);
	if (sink->format->has_priorities)
		fprintf(sink->file, "<%d>", message.priority);
	fprintf(sink->file, "%s" PROGRAM ":%s %s\n",
	    report_text_colour(screen, message.verdict),
	    report_text_colour_end(screen, message.verdict), message.text);
}

/* Whether a failure is only counted, since it equals the one before it. */
static bool
is_left_out(const struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct record *last = &sink->last;

	return record->kind == RECORD_OUTCOME && !report->style.verbose &&
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
report_text_more(struct sink *sink, const struct report *report)
{
	if (sink->more == 1)
		report_text_message(sink,
		    message_of(&report->style, &sink->last));
	else if (sink->more > 1)
		report_text_message(sink,
		    message_more(&report->style, sink->more));
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
		report_text_more(sink, report);
		sink->last = *record;
		sink->told = record->elapsed;
	}
	report_text_message(sink, message_of(&report->style, record));
}
