/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <string.h>
#include <time.h>

#include "report/report.h"
#include "core/text.h"

/* A run of at most this many attempts has a line for each failure. */
#define FEW 20

/* After a wait of this many seconds each failure has a line. */
#define LONG_WAIT 2

/*
 * A series of equal failures takes one more within GAP_MOST seconds of the one
 * before, and within SERIES_MOST of the first.
 */
#define GAP_MOST 5
#define SERIES_MOST 60

const char *
report_text_colour(const struct screen *screen, enum verdict verdict)
{
	static const char *const colours[] = {
		[VERDICT_NONE] = "",
		[VERDICT_SUCCESS] = "\033[32m",
		[VERDICT_RETRY] = "\033[35m",
		[VERDICT_STOP] = "\033[31m",
	};

	return screen->colour ? colours[verdict] : "";
}

/* In a file, the local time and its offset: people compare logs. */
static void
write_time(const struct sink *sink, const struct report *report)
{
	const time_t now = (time_t)report->now;
	char text[MESSAGE_PART] = "";
	struct tm broken;

	if (sink->format->dated && report->pid != 0 && sink->by_name &&
	    strncmp(sink->name, "/dev/", 5) != 0 &&
	    localtime_r(&now, &broken) != NULL)
		strftime(text, sizeof(text), "%FT%T%z ", &broken);
	fputs(text, sink->file);
}

static void
write_line(const struct sink *sink, const struct report *report,
    struct message message)
{
	const struct screen *screen = &sink->screen;
	const char *colour = report_text_colour(screen, message.verdict);

	/*
	 * The attempt may have left the cursor after half a line.  As many
	 * blanks as the terminal has columns then reach the next line; if the
	 * line was empty, they stay in it.  Either way a CR leads to a line
	 * that is free.
	 */
	if (screen->sized && screen->width > 0 && !screen->plain)
		fprintf(sink->file, "%*s\r\033[J", screen->width, "");
	write_time(sink, report);
	if (sink->format->has_priorities)
		fprintf(sink->file, "<%d>", message.priority);
	fprintf(sink->file, "%s" PROGRAM ":%s %s\n", colour,
	    *colour == '\0' ? "" : "\033[m", message.text);
}

void
report_text_end_series(struct sink *sink, const struct report *report)
{
	const struct series *series = &sink->series;

	if (series->untold == 1)
		write_line(sink, report, series->second);
	else if (series->untold > 1)
		write_line(sink, report,
		    message_more(&report->style, series->untold));
	sink->series = (struct series){ 0 };
}

double
report_text_due(const struct sink *sink)
{
	const struct series *series = &sink->series;

	return series->untold == 0
	    ? INFINITY
	    : fmin(series->ended + GAP_MOST, series->begun + SERIES_MOST);
}

void
report_text_message(struct sink *sink, const struct report *report,
    struct message message)
{
	if (*message.text == '\0')
		return;
	report_text_end_series(sink, report);
	write_line(sink, report, message);
}

/* Whether a failure, at the end of an attempt, may be one of a series. */
static bool
may_be_counted(const struct sink *sink, const struct report *report,
    const struct record *record)
{
	const uint64_t limit = record->policy->limits.attempts;

	/* The journal limits rates itself. */
	return record->kind == RECORD_OUTCOME &&
	    record->last.judgement.verdict == VERDICT_RETRY &&
	    !sink->format->has_priorities && !report->style.verbose &&
	    (limit == 0 || limit > FEW) &&
	    record->wait.delay.seconds < LONG_WAIT;
}

/* Whether a failure that may be counted is identical to the series. */
static bool
continues(const struct series *series, const struct record *record)
{
	const struct ended *first = &series->first, *last = &record->last;

	return series->attempt != 0 &&
	    series->attempt + 1 == record->attempt.number &&
	    record->elapsed - series->ended < GAP_MOST &&
	    record->elapsed - series->begun < SERIES_MOST &&
	    first->outcome.kind == last->outcome.kind &&
	    first->outcome.code == last->outcome.code &&
	    first->judgement.verdict == last->judgement.verdict &&
	    first->judgement.rule == last->judgement.rule &&
	    first->check_timed_out == last->check_timed_out;
}

/*
 * Identical failures that follow each other closely are a series: the first is
 * printed, and the others are counted until the series ends.  It ends before
 * any other message, and as soon as no other failure can belong to it, so that
 * no failure is held back for long.
 */
void
report_text(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const bool counted = may_be_counted(sink, report, record);
	struct series *series = &sink->series;

	if (counted && continues(series, record)) {
		/* More than one are only counted. */
		if (++series->untold == 1)
			series->second = message_of(&report->style, record);
	} else {
		report_text_message(sink, report,
		    message_of(&report->style, record));
		if (!counted)
			return;
		*series = (struct series){
			.first = record->last,
			.begun = record->elapsed,
		};
	}
	series->attempt = record->attempt.number;
	series->ended = record->elapsed;
}
