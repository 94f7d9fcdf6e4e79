#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "core/number.h"
#include "core/signals.h"
#include "core/text.h"

static void
put_string(FILE *file, const char *text)
{
	putc('"', file);
	while (*text != '\0') {
		const char *start = text;
		const uint32_t c = text_next(&text);

		if (c == '"' || c == '\\')
			fprintf(file, "\\%c", (int)c);
		else if (text_is_harmful(c))
			fprintf(file, "\\u%04" PRIx32, c);
		else
			fwrite(start, 1, (size_t)(text - start), file);
	}
	putc('"', file);
}

/* A field with a text; NULL is null. */
static void
put_text(FILE *file, const char *name, const char *text)
{
	fprintf(file, ",\"%s\":", name);
	if (text == NULL)
		fputs("null", file);
	else
		put_string(file, text);
}

static void
put_bool(FILE *file, const char *name, bool value)
{
	fprintf(file, ",\"%s\":%s", name, value ? "true" : "false");
}

/*
 * A field with the shortest text that reads back as the same double; a
 * number that is not finite is null.
 */
static void
put_number(FILE *file, const char *name, double number)
{
	char text[32] = "null";

	if (fabs(number) < 1e15 && number == number_floor(number))
		/* Whole numbers, most in a plan, take the short way. */
		snprintf(text, sizeof(text), "%" PRId64, (int64_t)number);
	else if (isfinite(number))
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(text, sizeof(text), "%.*g", digits, number);
			if (strtod(text, NULL) == number)
				break;
		}
	fprintf(file, ",\"%s\":%s", name, text);
}

static void
put_command(FILE *file, const char *const *command)
{
	fputs(",\"command\":[", file);
	for (int i = 0; command[i] != NULL; i++) {
		if (i > 0)
			putc(',', file);
		put_string(file, command[i]);
	}
	putc(']', file);
}

/* The limits other than the number of attempts, as the user wrote them. */
static void
put_limits(FILE *file, const struct limits *limits)
{
	fputs(",\"limits\":[", file);
	for (size_t i = 0; i < limits->count; i++)
		fprintf(file, "%s\"%.*s\"", i > 0 ? "," : "",
		    limits->rows[i].length, limits->rows[i].text);
	putc(']', file);
}

/* The number of an outcome, and the name that goes with it. */
static void
put_code(FILE *file, struct outcome outcome)
{
	char name[SIGNAL_NAME];
	const char *text = NULL;

	if (outcome.kind == OUTCOME_SIGNAL)
		text = signal_name(outcome.code, name);
	else if (!outcome_ran(outcome))
		text = outcome_error(outcome.code);
	put_number(file, "status",
	    outcome.kind == OUTCOME_TIMEOUT ? NAN : (double)outcome.code);
	put_text(file, "name", text);
}

void
report_json(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct judgement judgement = record->judgement;
	const struct delay *delay = &record->delay;
	FILE *file = sink->file;
	char name[SIGNAL_NAME];

	fprintf(file, "{\"event\":\"%s\"", record_name(record->kind));
	put_number(file, "time", record->time);
	put_number(file, "elapsed", record->elapsed);
	switch (record->kind) {
	case RECORD_START:
		put_text(file, "name", report->options->name);
		put_command(file, report->options->command);
		put_number(file, "attempts",
		    record->limit > 0 ? (double)record->limit : NAN);
		put_number(file, "max_time",
		    record->max_time > 0 ? record->max_time : NAN);
		put_limits(file, &report->options->policy.limits);
		break;
	case RECORD_ATTEMPT:
		put_number(file, "attempt", (double)record->attempt);
		put_number(file, "pid",
		    record->pid > 0 ? (double)record->pid : NAN);
		put_number(file, "timeout", record->timeout);
		if (!isnan(record->chance))
			put_number(file, "chance", record->chance);
		break;
	case RECORD_OUTCOME:
		put_number(file, "attempt", (double)record->attempt);
		put_text(file, "outcome", outcome_name(record->outcome.kind));
		put_code(file, record->outcome);
		put_text(file, "verdict", verdict_name(judgement.verdict));
		put_text(file, "rule", rule_name(judgement.rule));
		put_number(file, "duration", record->duration);
		put_number(file, "user", record->user);
		put_number(file, "system", record->system);
		break;
	case RECORD_LOCK:
		break;
	case RECORD_WAIT:
		put_number(file, "attempt", (double)record->attempt + 1);
		put_number(file, "nominal", delay->nominal);
		put_number(file, "low", delay->low);
		put_number(file, "high", delay->high);
		put_number(file, "delay", delay->seconds);
		put_number(file, "hint", delay->hint >= 0 ? delay->hint : NAN);
		break;
	case RECORD_SIGNAL:
		put_text(file, "signal", signal_name(record->signal, name));
		put_bool(file, "forwarded", record->forwarded);
		break;
	case RECORD_END:
		put_text(file, "reason", reason_name(record->reason));
		put_number(file, "status", record->status);
		put_number(file, "attempts", (double)record->attempt);
		put_number(file, "failures", (double)record->failures);
		put_bool(file, "flaky", record_is_flaky(record));
		put_number(file, "waited", record->waited);
		put_bool(file, "tolerated", record->tolerated);
		fputs(",\"limit\":", file);
		if (record->reason != REASON_ATTEMPTS ||
		    record->reached == NULL)
			fputs("null", file);
		else
			fprintf(file, "\"%.*s\"", record->reached->length,
			    record->reached->text);
		if (isnan(record->chance))
			break;
		put_number(file, "chance", record->chance);
		put_number(file, "expected_attempts",
		    record->expected_attempts);
		put_number(file, "expected_elapsed", record->expected_elapsed);
		break;
	}
	fputs("}\n", file);
}
