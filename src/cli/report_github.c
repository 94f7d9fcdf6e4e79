#include <inttypes.h>
#include <string.h>

#include "cli/report.h"

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

/* Whether the run's end is worth an annotation and a summary. */
static bool
is_notable(const struct record *record)
{
	return record->kind == RECORD_END && record->reason != REASON_PLAN &&
	    record->reason != REASON_SIGNAL &&
	    (record->reason != REASON_SUCCESS || record_is_flaky(record));
}

void
report_github_begin(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct options *options = report->options;
	const bool held = options->output == OUTPUT_HOLD;
	char attempt[MESSAGE_PART], name[MESSAGE_PART];

	if (!sink->has_output || sink->group == record->attempt ||
	    options->output == OUTPUT_LAST)
		return;
	/* Of a first attempt nothing is known before its end. */
	if (record->attempt == 1 &&
	    (!held || record->outcome.kind == OUTCOME_NONE ||
		record->judgement.verdict == VERDICT_SUCCESS))
		return;
	/* Something else may have left a line without its end. */
	if (record->attempt == 1 || options->before_retry != NULL)
		putc('\n', sink->file);
	fputs("::group::", sink->file);
	put_workflow(sink->file, message_name(options, name));
	fprintf(sink->file, ": %s\n",
	    message_attempt(record->attempt, record->used, record->limit,
		attempt));
	sink->group = record->attempt;
	sink->grouped = true;
}

void
report_github(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const bool success = record->reason == REASON_SUCCESS;
	char name[MESSAGE_PART];

	/* The attempt may have left a line without its end. */
	if (sink->grouped &&
	    (record->kind == RECORD_OUTCOME || record->kind == RECORD_END)) {
		fputs("\n::endgroup::\n", sink->file);
		sink->grouped = false;
	} else if (success && is_notable(record) && !sink->has_output)
		putc('\n', sink->file);
	if (!is_notable(record)) {
		report_text(sink, report, record);
		return;
	}
	report_more(sink, report);
	fputs(success		    ? "::notice::"
		: record->tolerated ? "::warning::"
				    : "::error::",
	    sink->file);
	put_workflow(sink->file, message_name(report->options, name));
	fputs(": ", sink->file);
	put_workflow(sink->file, message_end(record).text);
	putc('\n', sink->file);
}

static void
tell_output(struct sink *sink, const struct report *report,
    const struct record *record)
{
	(void)report;
	if (record->kind == RECORD_END)
		fprintf(sink->file,
		    "attempts=%" PRIu64 "\nstatus=%d\nflaky=%s\nreason=%s\n",
		    record->attempt, record->status,
		    record_is_flaky(record) ? "true" : "false",
		    reason_name(record->reason));
}

/* Text in which no character is Markdown's or HTML's. */
static void
put_markdown(FILE *file, const char *text)
{
	for (; *text != '\0'; text++) {
		if (strchr("\\`*_{}[]<>()#+-!|~&$@:", *text) != NULL)
			putc('\\', file);
		putc(*text, file);
	}
}

static void
put_row(FILE *file, const struct record *record)
{
	char text[MESSAGE_PART];

	fprintf(file, "| %" PRIu64 " | ", record->attempt);
	put_markdown(file, message_outcome(record, text));
	fputs(" | ", file);
	put_markdown(file, message_time(record->duration, text));
	fputs(" | ", file);
	if (record->just_waited >= 0)
		put_markdown(file, message_time(record->just_waited, text));
	fputs(" |\n", file);
}

static void
tell_summary(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct failures *failures = report_remember(sink, record);
	FILE *file = sink->file;
	char name[MESSAGE_PART];

	if (!is_notable(record))
		return;
	fputs("**", file);
	put_markdown(file, message_name(report->options, name));
	fputs("**: ", file);
	put_markdown(file, message_end(record).text);
	fputs("\n\n", file);
	if (failures == NULL)
		return;
	fputs("| attempt | outcome | duration | waited before |\n"
	      "| ---: | --- | ---: | ---: |\n",
	    file);
	for (uint64_t i = 0; i < failures->kept; i++)
		put_row(file, &failures->records[i]);
	if (failures->kept < failures->count)
		fprintf(file, "| ... | %" PRIu64 " more failed | | |\n",
		    failures->count - failures->kept);
	if (record->reason == REASON_SUCCESS)
		put_row(file, record);
	putc('\n', file);
}

const struct format report_github_files[GITHUB_FILES + 1] = {
	{ .name = "GITHUB_OUTPUT", .tell = tell_output },
	{ .name = "GITHUB_STEP_SUMMARY",
	    .for_people = true,
	    .tell = tell_summary },
	{ .name = NULL },
};
