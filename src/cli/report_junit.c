#include <inttypes.h>

#include "cli/report.h"
#include "core/duration.h"

/* All text has passed vis(3), or is of the program's own: it is printable. */
static void
put_escaped(FILE *file, const char *text)
{
	for (; *text != '\0'; text++)
		switch (*text) {
		case '&':
			fputs("&amp;", file);
			break;
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '"':
			fputs("&quot;", file);
			break;
		default:
			putc(*text, file);
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
	if (failures->kept < failures->count)
		fprintf(file,
		    "    <system-out>%" PRIu64
		    " more failed attempts are left out</system-out>\n",
		    failures->count - failures->kept);
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
	fputs("  </testcase>\n</testsuite>\n", file);
}
