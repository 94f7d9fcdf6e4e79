#include "cli/report.h"

/* Escapes the characters that would end a workflow command's text. */
static void
put_escaped(FILE *file, const char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '%' || *text == '\r' || *text == '\n')
			fprintf(file, "%%%02X", (unsigned int)*text);
		else
			putc(*text, file);
}

void
report_github(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const bool success = record->reason == REASON_SUCCESS;
	/* The run was given up, or was flaky. */
	const bool notable = record->kind == RECORD_END &&
	    record->reason != REASON_PLAN && record->reason != REASON_SIGNAL &&
	    (!success || record->failures > 0);
	char attempt[MESSAGE_PART], command[MESSAGE_PART];

	message_command(report->options, command);
	if (record->kind == RECORD_ATTEMPT) {
		fprintf(sink->file, "::group::%s: ",
		    message_attempt(record->attempt, record->used,
			record->limit, attempt));
		put_escaped(sink->file, command);
		putc('\n', sink->file);
		sink->grouped = true;
	}
	if (record->kind == RECORD_OUTCOME && sink->grouped) {
		fputs("::endgroup::\n", sink->file);
		sink->grouped = false;
	}
	if (!notable) {
		report_text(sink, report, record);
		return;
	}
	fputs(success ? "::notice::" : "::error::", sink->file);
	put_escaped(sink->file, command);
	fputs(": ", sink->file);
	put_escaped(sink->file, message_end(record).text);
	putc('\n', sink->file);
}
