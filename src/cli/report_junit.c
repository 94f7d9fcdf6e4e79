#include <inttypes.h>
#include <stdlib.h>

#include "cli/report.h"
#include "core/duration.h"

/* So many failed attempts are kept, and the others counted. */
#define KEPT 1000

struct failure {
	uint64_t attempt;
	struct outcome outcome;
	enum rule rule;
	double duration;
};

/* What a sink remembers until the end. */
struct memory {
	uint64_t count;
	struct failure failures[KEPT];
};

static void
remember(struct sink *sink, const struct record *record)
{
	struct memory *memory = sink->memory;

	if (record->judgement.verdict == VERDICT_SUCCESS)
		return;
	if (memory == NULL)
		sink->memory = memory = calloc(1, sizeof(*memory));
	if (memory == NULL)
		return;
	if (memory->count < KEPT)
		memory->failures[memory->count] = (struct failure){
			.attempt = record->attempt,
			.outcome = record->outcome,
			.rule = record->judgement.rule,
			.duration = record->duration,
		};
	memory->count++;
}

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
put_failure(FILE *file, const struct failure *failure, const char *element,
    bool nested)
{
	char buffer[MESSAGE_PART], time[MESSAGE_PART];
	const char *text = message_outcome(failure->outcome, buffer);

	fprintf(file, "    <%s message=\"", element);
	put_escaped(file, text);
	fprintf(file, "\" type=\"%s\">%s", outcome_name(failure->outcome.kind),
	    nested ? "<stackTrace>" : "");
	fprintf(file, "attempt %" PRIu64 " ", failure->attempt);
	put_escaped(file, text);
	fprintf(file, " after %s (%s)%s</%s>\n",
	    duration_text(failure->duration, time), rule_name(failure->rule),
	    nested ? "</stackTrace>" : "", element);
}

static void
put_failures(FILE *file, const struct memory *memory, bool success)
{
	for (uint64_t i = 0; i < memory->count && i < KEPT; i++)
		put_failure(file, &memory->failures[i],
		    success	 ? "flakyFailure"
			: i == 0 ? "failure"
				 : "rerunFailure",
		    success || i > 0);
	if (memory->count > KEPT)
		fprintf(file,
		    "    <system-out>%" PRIu64
		    " more failed attempts are left out</system-out>\n",
		    memory->count - KEPT);
}

static void
put_document(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct memory *memory = sink->memory;
	const bool success = record->reason == REASON_SUCCESS;
	const bool failed = !success && memory != NULL;
	FILE *file = sink->file;
	char text[MESSAGE_PART];

	fprintf(file,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<testsuite name=\"retry\" time=\"%.3f\" tests=\"1\" errors=\"0\" "
	    "skipped=\"%d\" failures=\"%d\">\n  <testcase name=\"",
	    record->elapsed, !success && !failed, failed);
	put_escaped(file, message_command(report->options, text));
	fprintf(file, "\" classname=\"retry\" time=\"%.3f\">\n",
	    record->elapsed);
	if (memory != NULL)
		put_failures(file, memory, success);
	else if (!success) {
		fputs("    <skipped message=\"", file);
		put_escaped(file, message_end(record).text);
		fputs("\"/>\n", file);
	}
	fputs("  </testcase>\n</testsuite>\n", file);
}

void
report_junit(struct sink *sink, const struct report *report,
    const struct record *record)
{
	if (record->kind == RECORD_OUTCOME)
		remember(sink, record);
	if (record->kind == RECORD_END)
		put_document(sink, report, record);
}
