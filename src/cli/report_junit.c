#include <inttypes.h>
#include <string.h>

#include "cli/report.h"
#include "core/duration.h"
#include "core/text.h"

/* Whether XML can hold the character. */
static bool
is_valid(uint32_t c)
{
	return c == '\t' || c == '\n' || c == '\r' ||
	    (c >= ' ' && c != 0xfffe && c != 0xffff);
}

static void
put_escaped(FILE *file, const char *text)
{
	while (*text != '\0') {
		const char *start = text;
		const uint32_t c = text_next(&text);

		if (!is_valid(c) || c == TEXT_REPLACEMENT)
			fputs("\xef\xbf\xbd", file);
		else if (c < 0x80 && strchr("&<>\"\r", (int)c) != NULL)
			fprintf(file, "&#%d;", (int)c);
		else
			fwrite(start, 1, (size_t)(text - start), file);
	}
}

/*
 * As Surefire has it: `failure` for the first, `rerunFailure` for those after
 * it, `flakyFailure` for all if the run succeeded; only `failure` has its text
 * at once.
 */
static void
put_failures(FILE *file, const struct failures *failures, bool success)
{
	char buffer[MESSAGE_PART];

	for (uint64_t i = 0; i < failures->kept; i++) {
		const struct record *failure = &failures->records[i];
		const char *text = message_outcome(failure, buffer);
		const bool nested = success || i > 0;
		const char *element = success ? "flakyFailure"
		    : nested		      ? "rerunFailure"
					      : "failure";

		fprintf(file, "    <%s message=\"", element);
		put_escaped(file, text);
		fprintf(file, "\" type=\"%s\">%s",
		    outcome_name(failure->outcome.kind),
		    nested ? "<stackTrace>" : "");
		put_escaped(file, message_failure(failure).text);
		fprintf(file, "%s</%s>\n", nested ? "</stackTrace>" : "",
		    element);
	}
}

void
report_junit(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct failures *failures = report_remember(sink, record);
	const bool success = record->reason == REASON_SUCCESS;
	FILE *file = sink->file;
	char name[MESSAGE_PART];

	if (record->kind != RECORD_END)
		return;

	const bool failed = !success && failures != NULL;
	const bool skipped = !success && failures == NULL;
	const uint64_t left_out =
	    failures == NULL ? 0 : failures->count - failures->kept;

	message_name(report->options, name);
	fprintf(file,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<testsuite name=\"");
	put_escaped(file, name);
	fprintf(file,
	    "\" time=\"%.3f\" tests=\"1\" errors=\"0\" skipped=\"%d\" "
	    "failures=\"%d\">\n  <testcase name=\"",
	    record->elapsed, skipped, failed);
	put_escaped(file, name);
	fprintf(file, "\" classname=\"retry\" time=\"%.3f\">\n",
	    record->elapsed);
	if (failures != NULL)
		put_failures(file, failures, success);
	if (skipped) {
		fputs("    <skipped message=\"", file);
		put_escaped(file, message_end(record).text);
		fputs("\"/>\n", file);
	}
	if (left_out > 0 || record->output != NULL) {
		fputs("    <system-out>", file);
		if (left_out > 0)
			fprintf(file,
			    "%" PRIu64 " more failed attempts are left out\n",
			    left_out);
		if (record->output != NULL)
			put_escaped(file, record->output);
		fputs("</system-out>\n", file);
	}
	fputs("  </testcase>\n</testsuite>\n", file);
}
