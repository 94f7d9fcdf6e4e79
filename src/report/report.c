/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <string.h>

#include "report/report.h"
#include "core/text.h"

const struct format formats[] = {
	{ .name = "text",
	    .doc = "one line per failed attempt, and one for the end",
	    .for_people = true,
	    .dated = true,
	    .tell = report_text },
	{ .name = "tty",
	    .doc = "text, and a status line that counts down each wait",
	    .for_people = true,
	    .tell = report_text,
	    .tick = report_tty_tick,
	    .hide = report_tty_hide },
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
	    .keeps_output = true,
	    .tell = report_junit },
	{ .name = "github",
	    .doc = "for GitHub: text, groups, annotation, outputs, summary",
	    .for_people = true,
	    .tell = report_github,
	    .begin = report_github_begin },
	{ .name = "auto",
	    .doc = "the default: journal, tty, github or text, whichever fits",
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

void
report_tell(struct report *report, const struct record *record)
{
	/*
	 * --quiet keeps the formats for programs, and errors of retry itself:
	 * nothing else shows why the run ends with status 125, 126 or 127.
	 */
	const bool is_error = record->kind == RECORD_OUTCOME &&
	    record->end.reason != REASON_NONE &&
	    !outcome_ran(record->last.outcome);

	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];

		if (!report->style.quiet || !sink->format->for_people ||
		    is_error)
			sink->format->tell(sink, report, record);
	}
}

void
report_note(struct report *report, const char *label, const char *line)
{
	for (size_t i = 0; i < report->count; i++)
		if (report->sinks[i].format->for_people)
			report_text_message(&report->sinks[i], report,
			    message_note(&report->style, label, line));
}

double
report_due(const struct report *report)
{
	double due = INFINITY;

	for (size_t i = 0; i < report->count; i++)
		due = fmin(due, report_text_due(&report->sinks[i]));
	return due;
}

void
report_tell_due(struct report *report, double elapsed)
{
	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];

		if (report_text_due(sink) <= elapsed)
			report_text_end_series(sink, report);
	}
}

void
escape_put(FILE *file, const char *text, const struct escape *escape)
{
	int hashes = 0;

	while (*text != '\0') {
		const char *start = text;
		const uint32_t c = text_next(&text);
		const bool command = text_is_ci_command(c, &hashes);

		if ((c < 0x80 && strchr(escape->special, (int)c) != NULL) ||
		    (escape->is_special != NULL && escape->is_special(c)) ||
		    (escape->commands && command))
			escape->put(file, c);
		else
			fwrite(start, 1, (size_t)(text - start), file);
	}
}
