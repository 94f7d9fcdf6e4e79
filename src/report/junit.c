/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "report/escape.h"
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
		if (nested)
			fputs("</stackTrace>", file);
		if (nested && failure->output != NULL) {
			fputs("<system-out>", file);
			put_escaped(file, failure->output);
			fputs("</system-out>", file);
		}
		fprintf(file, "</%s>\n", element);
	}
}

struct counts {
	uint64_t tests, skipped, failures;
};

/*
 * Begins the element: the run's name, its figures and, unless it is a plan,
 * when it began.  As Ant has it, the time is UTC and does not say so.
 */
static void
begin_suite(FILE *file, const struct report *report, double elapsed,
    struct counts counts)
{
	const time_t begun = (time_t)report->begun;
	char name[MESSAGE_PART], text[32];
	struct tm date;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<testsuite name=\"",
	    file);
	put_escaped(file, message_name(report->options, name));
	putc('"', file);
	if (report->pid != 0 && gmtime_r(&begun, &date) != NULL &&
	    strftime(text, sizeof(text), "%FT%T", &date) > 0)
		fprintf(file, " timestamp=\"%s\"", text);
	fprintf(file,
	    " time=\"%.3f\" tests=\"%" PRIu64
	    "\" errors=\"0\" skipped=\"%" PRIu64 "\" failures=\"%" PRIu64
	    "\">\n",
	    elapsed, counts.tests, counts.skipped, counts.failures);
}

static void
put_property(FILE *file, const char *name, const char *value)
{
	fprintf(file, "    <property name=\"%s\" value=\"", name);
	put_escaped(file, value);
	fputs("\"/>\n", file);
}

/* The host is a property, as Surefire's schema has no attribute for it. */
static void
put_host(FILE *file, const struct report *report)
{
	if (*report->host != '\0')
		put_property(file, "hostname", report->host);
}

/* How many trials have a testcase; the others are counted. */
#define CASES_MOST 100000

/* The testcases of trials, as text that is written at the end. */
struct cases {
	uint64_t count, left_out, failed, skipped;
	uint64_t outputs; /* of them, FAILURES_KEPT at most */
	FILE *file;
	char *text;
	size_t size;
};

static struct cases *
open_cases(void)
{
	struct cases *cases = calloc(1, sizeof(*cases));

	if (cases == NULL)
		return NULL;
	cases->file = open_memstream(&cases->text, &cases->size);
	if (cases->file != NULL)
		return cases;
	free(cases);
	return NULL;
}

void
report_junit_end(struct sink *sink)
{
	struct cases *cases = sink->cases;

	report_failures_free(sink);
	sink->cases = NULL;
	if (cases == NULL)
		return;
	fclose(cases->file);
	free(cases->text);
	free(cases);
}

/* A trial has ended: a testcase, which is skipped if it was not judged. */
static void
add_case(struct cases *cases, const struct report *report,
    const struct record *record)
{
	const bool judged = record->trials->count == record->attempt;
	const bool success = record->judgement.verdict == VERDICT_SUCCESS;
	FILE *file = cases->file;
	char text[MESSAGE_PART];

	cases->failed += judged && !success;
	cases->skipped += !judged;
	if (cases->count == CASES_MOST) {
		cases->left_out++;
		return;
	}
	cases->count++;
	fputs("  <testcase name=\"", file);
	put_escaped(file, message_name(report->options, text));
	fprintf(file, " %" PRIu64 "\" classname=\"retry\" time=\"%.3f\"",
	    record->attempt, record->duration);
	if (judged && success) {
		fputs("/>\n", file);
		return;
	}
	fprintf(file, ">\n    <%s message=\"", judged ? "failure" : "skipped");
	put_escaped(file, message_outcome(record, text));
	if (judged) {
		fprintf(file, "\" type=\"%s\">",
		    outcome_name(record->outcome.kind));
		put_escaped(file, message_failure(record).text);
		fputs("</failure>\n", file);
	} else
		fputs("\"/>\n", file);
	if (record->output != NULL && cases->outputs < FAILURES_KEPT) {
		cases->outputs++;
		fputs("    <system-out>", file);
		put_escaped(file, record->output);
		fputs("</system-out>\n", file);
	}
	fputs("  </testcase>\n", file);
}

/* One testcase per trial. */
static void
tell_trials(struct sink *sink, const struct report *report,
    const struct record *record)
{
	FILE *file = sink->file;

	if (sink->cases == NULL)
		sink->cases = open_cases();
	struct cases *cases = sink->cases;
	if (cases == NULL)
		return;
	if (record->kind == RECORD_OUTCOME)
		add_case(cases, report, record);
	if (record->kind != RECORD_END)
		return;
	fflush(cases->file);
	begin_suite(file, report, record->elapsed,
	    (struct counts){ .tests = cases->count + cases->left_out,
		.skipped = cases->skipped,
		.failures = cases->failed });
	fputs("  <properties>\n", file);
	put_host(file, report);
	put_property(file, "trials", message_end(record).text);
	if (cases->left_out > 0) {
		char number[32];

		snprintf(number, sizeof(number), "%" PRIu64, cases->left_out);
		put_property(file, "left_out", number);
	}
	fputs("  </properties>\n", file);
	fwrite(cases->text, 1, cases->size, file);
	fputs("</testsuite>\n", file);
}

void
report_junit(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const bool success = record->reason == REASON_SUCCESS;
	FILE *file = sink->file;
	char name[MESSAGE_PART];

	if (record->trials != NULL) {
		tell_trials(sink, report, record);
		return;
	}
	const struct failures *failures = report_failures_add(sink, record);
	if (record->kind != RECORD_END)
		return;

	const bool failed = !success && failures != NULL;
	const bool skipped = !success && failures == NULL;
	const uint64_t left_out =
	    failures == NULL ? 0 : failures->count - failures->kept;
	/* As Surefire has it: of a failure, which has no room for its own. */
	const char *output =
	    failed ? failures->records[0].output : record->output;

	begin_suite(file, report, record->elapsed,
	    (struct counts){ .tests = 1,
		.skipped = skipped,
		.failures = failed });
	if (*report->host != '\0') {
		fputs("  <properties>\n", file);
		put_host(file, report);
		fputs("  </properties>\n", file);
	}
	fputs("  <testcase name=\"", file);
	put_escaped(file, message_name(report->options, name));
	fprintf(file, "\" classname=\"retry\" time=\"%.3f\">\n",
	    record->elapsed);
	if (failures != NULL)
		put_failures(file, failures, success);
	if (skipped) {
		fputs("    <skipped message=\"", file);
		put_escaped(file, message_end(record).text);
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
