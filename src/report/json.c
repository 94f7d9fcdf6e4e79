/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "core/duration.h"
#include "core/signals.h"
#include "core/text.h"

static void
put_code(FILE *file, uint32_t c)
{
	if (c == '"' || c == '\\')
		fprintf(file, "\\%c", (int)c);
	else
		fprintf(file, "\\u%04" PRIx32, c);
}

static void
put_string(FILE *file, const char *text)
{
	static const struct escape escape = { .special = "\"\\",
		.is_special = text_is_harmful,
		.commands = true,
		.put = put_code };

	putc('"', file);
	escape_put(file, text, &escape);
	putc('"', file);
}

static void
put_name(FILE *file, const char *name)
{
	fputs(",\"", file);
	fputs(name, file);
	fputs("\":", file);
}

/* A field with a text; NULL is null. */
static void
put_text(FILE *file, const char *name, const char *text)
{
	put_name(file, name);
	if (text == NULL)
		fputs("null", file);
	else
		put_string(file, text);
}

static void
put_bool(FILE *file, const char *name, bool value)
{
	put_name(file, name);
	fputs(value ? "true" : "false", file);
}

/*
 * A field with a number of six decimals at most; null, if it is not finite.
 * Printing a double takes far longer than printing whole numbers.
 */
static void
put_number(FILE *file, const char *name, double number)
{
	char text[32] = "null";
	const int64_t micros =
	    fabs(number) < 9e9 ? llround(number * 1e6) : INT64_MAX;

	if (micros % 1000000 == 0)
		snprintf(text, sizeof(text), "%" PRId64, micros / 1000000);
	else if (micros < INT64_MAX) {
		snprintf(text, sizeof(text), "%s%lld.%06lld",
		    micros < 0 ? "-" : "", llabs(micros) / 1000000,
		    llabs(micros) % 1000000);
		for (char *end = text + strlen(text); end[-1] == '0'; end--)
			end[-1] = '\0';
	} else if (isfinite(number))
		snprintf(text, sizeof(text), "%.17g", number);
	put_name(file, name);
	fputs(text, file);
}

/* A field with a number that is above 0, or null. */
static void
put_positive(FILE *file, const char *name, double number)
{
	put_number(file, name, number > 0 ? number : NAN);
}

/* A list of texts, which rows of `stride` bytes begin with. */
static void
put_list(FILE *file, const char *name, const void *first, size_t stride,
    size_t count)
{
	const char *row = first;

	put_name(file, name);
	putc('[', file);
	for (size_t i = 0; i < count; i++, row += stride) {
		if (i > 0)
			putc(',', file);
		put_string(file, *(const char *const *)(const void *)row);
	}
	putc(']', file);
}

/* The strategy with all its parameters, as --backoff takes them. */
static void
put_backoff(FILE *file, const struct backoff *backoff)
{
	const struct strategy *strategy = backoff->strategy;
	char separator = ':';

	fprintf(file, ",\"backoff\":\"%s", strategy->name);
	for (size_t i = 0; strategy->listed && i < backoff->count; i++) {
		fprintf(file, "%c%.15gs", separator, backoff->values[i]);
		separator = ',';
	}
	for (int i = 0; strategy->params[i].name != NULL; i++) {
		const struct param *param = &strategy->params[i];
		const bool is_time =
		    param->kind == PARAM_TIME || param->kind == PARAM_CHANGE;

		fprintf(file, "%c%s=%.15g%s", separator, param->name,
		    backoff_param(backoff, i), is_time ? "s" : "");
		separator = ',';
	}
	putc('"', file);
}

/* What delays and limits of time depend on, as the options have it. */
static void
put_schedule(FILE *file, const struct policy *policy)
{
	const struct backoff *backoff = &policy->backoff;
	const struct jitter *jitter = &policy->jitter;
	char text[64];

	put_backoff(file, backoff);
	put_number(file, "delay", backoff->base);
	put_number(file, "max_delay",
	    backoff->cap < DURATION_MAX ? backoff->cap : NAN);
	put_number(file, "min_delay", backoff->min);
	snprintf(text, sizeof(text), "%s", jitter->kind->name);
	if (jitter->kind->begins != NULL && jitter->kind->relative)
		snprintf(text, sizeof(text), "%.15g%%", jitter->amount * 100);
	else if (jitter->kind->begins != NULL)
		snprintf(text, sizeof(text), "+%.15gs", jitter->amount);
	put_text(file, "jitter", text);
	put_text(file, "order", jitter_orders[jitter->order]);
	put_positive(file, "timeout", policy->timeout);
	put_positive(file, "timeout_share", policy->timeout_share);
}

/* The number of an outcome, and the name that goes with it. */
static void
put_outcome(FILE *file, struct outcome outcome)
{
	char name[SIGNAL_NAME];
	const char *text = NULL;

	if (outcome.kind == OUTCOME_SIGNAL)
		text = signal_name(outcome.code, name);
	else if (!outcome_ran(outcome))
		text = outcome_error(outcome.code);
	put_number(file, "status",
	    outcome_was_ended(outcome) ? NAN : (double)outcome.code);
	put_text(file, "name", text);
}

static void
put_start(FILE *file, const struct report_style *style,
    const struct record *record)
{
	const struct policy *policy = record->policy;
	size_t words = 0;

	while (style->command[words] != NULL)
		words++;
	put_text(file, "name", style->name);
	put_list(file, "command", style->command, sizeof(*style->command),
	    words);
	put_positive(file, "attempts", (double)policy->limits.attempts);
	put_positive(file, "max_time", policy->max_time);
	/* The limits other than the number, as the user wrote them. */
	fputs(",\"limits\":[", file);
	for (size_t i = 0; i < policy->limits.count; i++)
		fprintf(file, "%s\"%.*s\"", i > 0 ? "," : "",
		    policy->limits.rows[i].length, policy->limits.rows[i].text);
	putc(']', file);
	put_schedule(file, policy);
	put_list(file, "preset", policy->rules.presets,
	    sizeof(*policy->rules.presets), (size_t)policy->rules.preset_count);
	if (policy_draws(style->policy))
		fprintf(file, ",\"seed\":%" PRIu64, style->seed);
	else
		put_text(file, "seed", NULL);
}

void
report_json(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct judgement judgement = record->last.judgement;
	const struct delay *delay = &record->wait.delay;
	FILE *file = sink->file;
	char name[SIGNAL_NAME], run[64], line[MESSAGE_LINE];

	fprintf(file, "{\"event\":\"%s\"", record_names[record->kind]);
	put_number(file, "time", record->seen.time);
	put_number(file, "elapsed", record->elapsed);
	/* No two runs of a log are the same process since the same moment. */
	snprintf(run, sizeof(run), "%ld-%" PRId64, report->pid,
	    (int64_t)round(report->begun * 1e6));
	put_text(file, "run", report->pid == 0 ? NULL : run);
	switch (record->kind) {
	case RECORD_START:
		put_start(file, &report->style, record);
		break;
	case RECORD_ATTEMPT:
		put_number(file, "attempt", (double)record->attempt.number);
		put_positive(file, "pid", (double)record->seen.pid);
		put_number(file, "timeout", record->attempt.timeout);
		break;
	case RECORD_OUTCOME:
		put_number(file, "attempt", (double)record->attempt.number);
		put_text(file, "outcome",
		    outcome_names[record->last.outcome.kind]);
		put_outcome(file, record->last.outcome);
		put_bool(file, "oom", record->last.outcome.oom);
		put_text(file, "verdict", verdict_names[judgement.verdict]);
		put_text(file, "rule", rule_names[judgement.rule]);
		put_text(file, "class",
		    record_has_class(record)
			? class_names[record->last.outcome.class]
			: NULL);
		put_text(file, "line", message_line(record, line));
		put_number(file, "duration", record->last.duration);
		put_number(file, "user", record->seen.user);
		put_number(file, "system", record->seen.system);
		put_number(file, "left", (double)record->seen.left);
		break;
	case RECORD_LOCK:
		break;
	case RECORD_HEALTH:
		put_number(file, "attempt", (double)record->attempt.number);
		put_text(file, "health", health_names[record->attempt.health]);
		put_number(file, "failures",
		    (double)record->attempt.probes.failures);
		put_text(file, "probe",
		    outcome_names[record->attempt.probes.last.kind]);
		put_outcome(file, record->attempt.probes.last);
		put_text(file, "output", record->seen.last_line);
		break;
	case RECORD_WAIT:
		put_number(file, "attempt", (double)record->attempt.number + 1);
		put_number(file, "nominal", delay->nominal);
		put_number(file, "low", delay->low);
		put_number(file, "high", delay->high);
		put_number(file, "delay", delay->seconds);
		put_number(file, "hint",
		    record->last.hint >= 0 ? record->last.hint : NAN);
		break;
	case RECORD_SIGNAL:
		put_text(file, "signal", signal_name(record->signal, name));
		put_bool(file, "forwarded", record->forwarded);
		break;
	case RECORD_END:
		put_text(file, "name", report->style.name);
		put_text(file, "reason", reasons[record->end.reason].name);
		put_number(file, "status", record->end.status);
		put_number(file, "attempts", (double)record->attempt.number);
		put_number(file, "failures",
		    record->clients > 0 ? NAN : (double)record->failures);
		put_bool(file, "flaky", record_is_flaky(record));
		put_number(file, "waited",
		    record->clients > 0 ? NAN : record->wait.total);
		put_bool(file, "tolerated", record->end.tolerated);
		fputs(",\"limit\":", file);
		if (record->end.reason != REASON_ATTEMPTS ||
		    record->reached == NULL)
			fputs("null", file);
		else
			fprintf(file, "\"%.*s\"", record->reached->length,
			    record->reached->text);
		put_positive(file, "hint", record->end.too_long);
		put_positive(file, "lost_input",
		    (double)record->seen.lost_input);
		for (const struct figure *figure = record->figures;
		     figure != NULL && figure->name != NULL; figure++)
			put_number(file, figure->name, figure->value);
		break;
	}
	fputs("}\n", file);
}
