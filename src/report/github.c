/* SPDX-License-Identifier: MIT */

#include <inttypes.h>

#include "report/report.h"

static void
put_percent(FILE *file, uint32_t c)
{
	fprintf(file, "%%%02" PRIX32, c);
}

/* Text in which no character can end a workflow command. */
static void
put_workflow(FILE *file, const char *text)
{
	static const struct escape escape = { .special = "%\r\n",
		.put = put_percent };

	escape_put(file, text, &escape);
}

/* Whether the run's end is worth an annotation and a summary. */
static bool
is_notable(const struct record *record)
{
	return record->kind == RECORD_END &&
	    record->end.reason != REASON_PLAN &&
	    record->end.reason != REASON_SIGNAL &&
	    (record->end.reason != REASON_SUCCESS || record_is_flaky(record));
}

void
report_github_begin(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct report_style *style = &report->style;
	const bool held = record->policy->delivery == DELIVERY_EACH;
	const bool failed = style->forgets && held;
	char attempt[MESSAGE_PART], name[MESSAGE_PART];

	if (!sink->shares_stdout || sink->group == record->attempt.number ||
	    (style->forgets && !held))
		return;
	/* Everybody looks for the output of the last attempt. */
	if (record->final)
		return;
	if (failed &&
	    (record->attempt.runs ||
		record->last.judgement.verdict == VERDICT_SUCCESS))
		return;
	/* Whether a first attempt fails is known at its end. */
	if (record->attempt.number == 1 &&
	    (!held || record->last.outcome.kind == OUTCOME_NONE ||
		record->last.judgement.verdict == VERDICT_SUCCESS))
		return;
	report_text_end_series(sink, report);
	/* Something else may have left a line without its end. */
	if (record->attempt.number == 1 || record->policy->gate)
		putc('\n', sink->file);
	fputs("::group::", sink->file);
	put_workflow(sink->file, message_name(style, name));
	fprintf(sink->file, ": %s\n", message_attempt(record, 0, attempt));
	sink->group = record->attempt.number;
	sink->grouped = true;
}

void
report_github(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const bool success = record->end.reason == REASON_SUCCESS;
	char name[MESSAGE_PART];

	/* The attempt may have left a line without its end. */
	if (sink->grouped &&
	    (record->kind == RECORD_OUTCOME || record->kind == RECORD_END)) {
		fputs("\n::endgroup::\n", sink->file);
		sink->grouped = false;
	} else if (success && is_notable(record) &&
	    sink->group != record->attempt.number)
		putc('\n', sink->file);
	if (!is_notable(record)) {
		report_text(sink, report, record);
		return;
	}
	report_text_end_series(sink, report);
	fputs(success			? "::notice::"
		: record->end.tolerated ? "::warning::"
					: "::error::",
	    sink->file);
	put_workflow(sink->file, message_name(&report->style, name));
	fputs(": ", sink->file);
	put_workflow(sink->file, message_part(record, "last").text);
	putc('\n', sink->file);
}

static void
tell_output(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const bool failed = record_has_class(record);
	char line[MESSAGE_LINE];

	(void)report;
	if (record->kind != RECORD_END)
		return;
	fprintf(sink->file,
	    "retry-attempts=%" PRIu64 "\nretry-status=%d\nretry-flaky=%s\n"
	    "retry-reason=%s\nretry-class=%s\nretry-line=%s\n",
	    record->attempt.number, record->end.status,
	    record_is_flaky(record) ? "true" : "false",
	    reasons[record->end.reason].name,
	    failed ? class_names[record->last.outcome.class] : "",
	    failed && record->seen.line != NULL ? message_line(record, line)
						: "");
}

/*
 * Text as it is, in a span of code: nothing in it is Markdown's, HTML's or a
 * link, and the runner masks a secret in it by its exact text.  The cell of a
 * table would need a backslash before a '|'.
 */
static void
put_span(FILE *file, const char *text)
{
	size_t fence = 1, run = 0;

	for (const char *c = text; *c != '\0'; c++) {
		run = *c == '`' ? run + 1 : 0;
		if (run >= fence)
			fence = run + 1;
	}
	/* A blank keeps the text's own "`" from the fence. */
	const char *blank = fence > 1 ? " " : "";
	for (size_t i = 0; i < fence; i++)
		putc('`', file);
	fprintf(file, "%s%s%s", blank, text, blank);
	for (size_t i = 0; i < fence; i++)
		putc('`', file);
}

static void
put_attempt(FILE *file, uint64_t attempt, const char *outcome, double duration,
    double waited)
{
	char text[MESSAGE_PART];

	fprintf(file, "- attempt %" PRIu64 ": ", attempt);
	put_span(file, outcome);
	fprintf(file, " after `%s`", message_time(duration, text));
	if (waited >= 0)
		fprintf(file, ", waited `%s` before",
		    message_time(waited, text));
	putc('\n', file);
}

static void
tell_summary(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct attempts *failures = &sink->attempts;
	FILE *file = sink->file;
	char name[MESSAGE_PART], text[MESSAGE_PART];

	report_attempts_add(sink, record);
	if (!is_notable(record))
		return;
	put_span(file, message_name(&report->style, name));
	fputs(": ", file);
	put_span(file, message_part(record, "last").text);
	fputs("\n\n", file);
	if (failures->count == 0)
		return;
	for (size_t i = 0; i < failures->kept; i++) {
		const struct failed *row = &failures->rows[i];

		put_attempt(file, row->attempt, row->outcome, row->duration,
		    row->waited);
	}
	if (failures->kept < failures->count)
		fprintf(file, "- %" PRIu64 " more failed\n",
		    failures->count - failures->kept);
	if (record->end.reason == REASON_SUCCESS)
		put_attempt(file, record->attempt.number,
		    message_outcome(record, text), record->last.duration,
		    record->wait.before);
	putc('\n', file);
}

const struct format report_github_files[GITHUB_FILES + 1] = {
	{ .name = "GITHUB_OUTPUT", .tell = tell_output },
	{ .name = "GITHUB_STEP_SUMMARY",
	    .for_people = true,
	    .tell = tell_summary },
	{ .name = NULL },
};
