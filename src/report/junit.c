/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <time.h>

#include "report/report.h"
#include "core/duration.h"
#include "core/text.h"

/* Whether XML cannot hold the character. */
static bool
is_bad(uint32_t c)
{
	return c == TEXT_REPLACEMENT || c == 0xfffe || c == 0xffff ||
	    (c < ' ' && c != '\t' && c != '\n' && c != '\r');
}

static void
put_reference(FILE *file, uint32_t c)
{
	if (is_bad(c))
		fputs("\xef\xbf\xbd", file);
	else
		fprintf(file, "&#%" PRIu32 ";", c);
}

static void
put_escaped(FILE *file, const char *text)
{
	static const struct escape escape = { .special = "&<>\"\r",
		.is_special = is_bad,
		.commands = true,
		.put = put_reference };

	escape_put(file, text, &escape);
}

/*
 * As Surefire has it: `failure` for the first, `rerunFailure` for those after
 * it, `flakyFailure` for all if the run succeeded; only `failure` has its text
 * at once.
 */
static void
put_failures(FILE *file, const struct attempts *failures, bool success)
{
	for (size_t i = 0; i < failures->kept; i++) {
		const struct failed *failure = &failures->rows[i];
		const bool nested = success || i > 0;
		const char *element = success ? "flakyFailure"
		    : nested		      ? "rerunFailure"
					      : "failure";

		fprintf(file, "    <%s message=\"", element);
		put_escaped(file, failure->outcome);
		fprintf(file, "\" type=\"%s\">%s", outcome_names[failure->kind],
		    nested ? "<stackTrace>" : "");
		put_escaped(file, failure->sentence);
		if (nested) {
			fputs("</stackTrace>", file);
			if (failure->output != NULL) {
				fputs("<system-out>", file);
				put_escaped(file, failure->output);
				fputs("</system-out>", file);
			}
		}
		fprintf(file, "</%s>\n", element);
	}
}

/* One testcase for the run. */
static void
put_run(FILE *file, const struct report *report, const struct record *record,
    const struct attempts *failures)
{
	const bool success = record->end.reason == REASON_SUCCESS;
	const bool failed = !success && failures->count > 0;
	const bool skipped = !success && failures->count == 0;
	const uint64_t left_out = failures->count - failures->kept;
	/* As in Surefire: of the first failure, whose element has no output. */
	const char *output = failed && failures->kept > 0
	    ? failures->rows[0].output
	    : record->seen.output;
	const time_t begun = (time_t)report->begun;
	char name[MESSAGE_PART], text[32];
	struct tm date;

	message_name(&report->style, name);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<testsuite name=\"",
	    file);
	put_escaped(file, name);
	putc('"', file);
	/* As Ant has it, the time is UTC and does not say so. */
	if (report->pid != 0 && gmtime_r(&begun, &date) != NULL &&
	    strftime(text, sizeof(text), "%FT%T", &date) > 0)
		fprintf(file, " timestamp=\"%s\"", text);
	fprintf(file,
	    " time=\"%.3f\" tests=\"1\" errors=\"0\" skipped=\"%d\""
	    " failures=\"%d\">\n",
	    record->elapsed, skipped, failed);
	/* A property, as Surefire's schema has no attribute for it. */
	if (*report->host != '\0') {
		fputs(
		    "  <properties>\n    <property name=\"hostname\" value=\"",
		    file);
		put_escaped(file, report->host);
		fputs("\"/>\n  </properties>\n", file);
	}
	fputs("  <testcase name=\"", file);
	put_escaped(file, name);
	fprintf(file, "\" classname=\"retry\" time=\"%.3f\">\n",
	    record->elapsed);
	put_failures(file, failures, success);
	if (skipped) {
		fputs("    <skipped message=\"", file);
		put_escaped(file, message_part(record, "last").text);
		fputs("\"/>\n", file);
	}
	if (left_out > 0 || output != NULL) {
		fputs("    <system-out>", file);
		if (left_out > 0)
			fprintf(file,
			    "%" PRIu64 " more failed attempt%s left out\n",
			    left_out, left_out == 1 ? " is" : "s are");
		if (output != NULL)
			put_escaped(file, output);
		fputs("</system-out>\n", file);
	}
	fputs("  </testcase>\n</testsuite>\n", file);
}

void
report_junit(struct sink *sink, const struct report *report,
    const struct record *record)
{
	report_attempts_add(sink, record);
	/* A run that was not started leaves the report of the last one. */
	if (record->kind != RECORD_END || record->end.reason == REASON_EARLY)
		return;
	put_run(sink->file, report, record, &sink->attempts);
}
