/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/figure.h"
#include "report/message.h"
#include "core/duration.h"
#include "core/signals.h"
#include "core/text.h"

/* More of a line of output is not shown. */
#define LINE_COLUMNS 200

const char *
message_time(double seconds, char text[MESSAGE_PART])
{
	if (seconds > 0 && seconds < 1e-3)
		return "<1ms";
	if (seconds < 0.1)
		seconds = round(seconds * 1e3) / 1e3;
	return duration_text(seconds, text);
}

static const char *
why_unstartable(struct outcome outcome)
{
	return outcome.reason != NULL ? outcome.reason : strerror(outcome.code);
}

const char *
message_outcome(const struct record *record, char text[MESSAGE_PART])
{
	const struct outcome outcome = record->outcome;
	const char *oom = outcome.oom ? " (out of memory)" : "";
	char name[MESSAGE_PART];

	switch (outcome.kind) {
	case OUTCOME_NONE:
		return "did not run";
	case OUTCOME_EXIT:
		snprintf(text, MESSAGE_PART, "exited %d%s", outcome.code, oom);
		break;
	case OUTCOME_SIGNAL:
		snprintf(text, MESSAGE_PART, "killed by %s%s",
		    signal_name(outcome.code, name), oom);
		break;
	case OUTCOME_TIMEOUT:
		if (record->cut != CUT_ATTEMPT)
			return "timed out";
		snprintf(text, MESSAGE_PART, "timed out at --max-time %.80s",
		    duration_text(record->max_time, name));
		break;
	case OUTCOME_UNHEALTHY:
		return "unhealthy";
	case OUTCOME_UNSTARTABLE:
		snprintf(text, MESSAGE_PART, "could not be started: %s",
		    why_unstartable(outcome));
		break;
	case OUTCOME_UNFORKED:
		snprintf(text, MESSAGE_PART, "could not be forked: %s",
		    strerror(outcome.code));
		break;
	}
	return text;
}

const char *
message_attempt(uint64_t attempt, uint64_t used, uint64_t limit,
    char text[MESSAGE_PART])
{
	if (limit == 0)
		snprintf(text, MESSAGE_PART, "attempt %" PRIu64, attempt);
	else if (used == attempt)
		snprintf(text, MESSAGE_PART, "attempt %" PRIu64 "/%" PRIu64,
		    attempt, limit);
	else
		snprintf(text, MESSAGE_PART,
		    "attempt %" PRIu64 " (%" PRIu64 "/%" PRIu64 " used)",
		    attempt, used, limit);
	return text;
}

const char *
message_name(const struct report_style *style, char text[MESSAGE_PART])
{
	const char *name = style->name;

	return text_safe(name == NULL ? "" : name, text, MESSAGE_PART);
}

static void __attribute__((format(printf, 2, 3)))
add(struct message *message, const char *format, ...)
{
	const size_t length = strlen(message->text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message->text + length, sizeof(message->text) - length,
	    format, arguments);
	va_end(arguments);
}

static void
add_attempt(struct message *message, const struct record *record)
{
	const bool afresh =
	    record->used == 0 && record->judgement.verdict == VERDICT_SUCCESS;
	char text[MESSAGE_PART];

	add(message, "%s",
	    message_attempt(record->attempt, record->used,
		afresh ? 0 : record->limit, text));
}

const char *
message_line(const struct record *record, char text[MESSAGE_LINE])
{
	const char *line = record->line;

	if (line == NULL)
		return NULL;
	text_safe(line + strspn(line, " \t"), text, MESSAGE_LINE);
	if (text_width(text) <= LINE_COLUMNS)
		return text;
	text_cut(text, LINE_COLUMNS - 3);
	strlcat(text, "...", MESSAGE_LINE);
	return text;
}

/* Whether the line is that of a pattern of the user's, or else of a preset. */
static bool
is_rules_line(const struct record *record)
{
	const enum rule rule = record->judgement.rule;

	return record->line != NULL &&
	    (rule == RULE_FAIL_MATCH || rule == RULE_STOP_MATCH ||
		rule == RULE_THROTTLE_MATCH ||
		(rule == RULE_RETRY_MATCH &&
		    record->judgement.verdict == VERDICT_RETRY));
}

/* Why the outcome was judged so, if the outcome alone does not tell. */
static void
add_rule(struct message *message, const struct record *record)
{
	static const struct {
		enum verdict verdict;
		enum rule rule;
		const char *text;
	} rows[] = {
		{ VERDICT_SUCCESS, RULE_SUCCESS_ON, "in --success-on" },
		{ VERDICT_RETRY, RULE_SUCCESS_MATCH,
		    "but nothing matches --success-match" },
		{ VERDICT_RETRY, RULE_FAIL_MATCH, "matches --fail-match" },
		{ VERDICT_RETRY, RULE_THROTTLE_ON, "in --throttle-on" },
		{ VERDICT_RETRY, RULE_THROTTLE_MATCH,
		    "matches --throttle-match" },
		{ VERDICT_RETRY, RULE_RETRY_MATCH, "matches --retry-match" },
		{ VERDICT_STOP, RULE_STOP_ON, "in --stop-on" },
		{ VERDICT_STOP, RULE_STOP_MATCH, "matches --stop-match" },
		{ VERDICT_STOP, RULE_UNREAD, "and nobody reads its output" },
		{ VERDICT_STOP, RULE_RETRY_ON, "not in --retry-on" },
		{ VERDICT_STOP, RULE_RETRY_MATCH,
		    "and nothing matches --retry-match" },
	};
	const enum verdict verdict = record->judgement.verdict;
	const enum rule rule = record->judgement.rule;
	const bool zero =
	    record->outcome.kind == OUTCOME_EXIT && record->outcome.code == 0;
	const char *link = zero == (verdict == VERDICT_SUCCESS) ? "and" : "but";
	char line[MESSAGE_LINE], text[MESSAGE_PART];

	if (rule == RULE_CHECK && record->check_timed_out)
		add(message, ", %s --check timed out", link);
	else if (rule == RULE_CHECK)
		add(message, ", %s --check says %s", link,
		    verdict_name(verdict));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (verdict == rows[i].verdict && rule == rows[i].rule &&
		    !(zero && rule == RULE_SUCCESS_ON))
			add(message, ", %s", rows[i].text);
	if (record->judgement.unmatched)
		add(message, ", and nothing matches --retry-match");
	if (zero && verdict == VERDICT_RETRY &&
	    (rule == RULE_DEFAULT || rule == RULE_RETRY_ON))
		add(message, ", not in --success-on");
	if (is_rules_line(record))
		add(message, ": \"%s\"", message_line(record, line));
	if (!record_has_class(record))
		return;
	if (record->preset != NULL)
		add(message, ", %s failure (--preset=%s)",
		    outcome_class_name(record->known.class),
		    text_safe(record->preset, text, sizeof(text)));
	else if (record->has_presets && record->reason != REASON_NONE)
		add(message, ", %s failure",
		    outcome_class_name(record->known.class));
	if (record->line != NULL && !is_rules_line(record))
		add(message, ": \"%s\"", message_line(record, line));
}

/* Adds the failures of a health probe, and the last line that it wrote. */
static void
add_probes(struct message *message, const struct record *record)
{
	static const char *const times[] = { "", "once", "twice", "three times",
		"four times", "five times" };
	const struct health *probes = &record->probes;
	const struct outcome last = probes->last;
	char how[MESSAGE_PART], text[MESSAGE_PART];

	if (last.kind == OUTCOME_EXIT && last.code == 0)
		return;
	snprintf(how, sizeof(how), "%s",
	    message_outcome(&(struct record){ .outcome = last }, text));
	add(message, "health check %s%s", probes->differ ? "failed" : how,
	    probes->failures > 0 ? " " : "");
	if (probes->failures < sizeof(times) / sizeof(times[0]))
		add(message, "%s", times[probes->failures]);
	else
		add(message, "%" PRIu64 " times", probes->failures);
	if (probes->differ)
		add(message, ", at last it %s", how);
	if (record->last_line != NULL)
		add(message, " (\"%s\")",
		    text_safe(record->last_line, text, sizeof(text)));
}

static void
add_ended(struct message *message, const struct record *record)
{
	char text[MESSAGE_PART];

	add_attempt(message, record);
	add(message, " %s%s",
	    record->outcome.kind == OUTCOME_UNHEALTHY ? "was " : "",
	    message_outcome(record, text));
	add(message, " after %s", message_time(record->duration, text));
	if (record->silent > 0)
		add(message, ", silent for %s",
		    message_time(record->silent, text));
	if (record->outcome.kind == OUTCOME_UNHEALTHY) {
		add(message, ": ");
		add_probes(message, record);
	}
}

/* What an attempt left, with which the next one might contend. */
static void
add_left(struct message *message, const struct record *record)
{
	char text[MESSAGE_PART];

	if (record->left_names != NULL)
		add(message, "; left %" PRIu64 " process%s: %s", record->left,
		    record->left == 1 ? "" : "es",
		    text_safe(record->left_names, text, sizeof(text)));
}

static void
add_advice(struct message *message, const struct record *record)
{
	if (record->advice != NULL)
		add(message, "; %s", record->advice);
}

static void
add_outcome(struct message *message, const struct report_style *style,
    const struct record *record)
{
	const char *command = *style->command;
	char text[MESSAGE_PART];

	/* A signal that was passed on makes an ordinary end. */
	message->priority = record->judgement.rule == RULE_SIGNAL
	    ? PRIORITY_NOTICE
	    : PRIORITY_WARNING;
	message->verdict = record->judgement.verdict;
	if (record->outcome.kind == OUTCOME_UNSTARTABLE) {
		const char *quote = command != NULL &&
			(*command == '\0' || strpbrk(command, " \t\n") != NULL)
		    ? "'"
		    : "";

		add(message, "cannot execute %s%s%s: %s", quote,
		    command == NULL ? "it"
				    : text_safe(command, text, MESSAGE_PART),
		    quote, why_unstartable(record->outcome));
		add_advice(message, record);
		return;
	}
	add_ended(message, record);
	/*
	 * If this ends the run, the line for the end has the rule and is red.
	 */
	if (message->verdict == VERDICT_STOP)
		message->verdict = VERDICT_RETRY;
	else if (reasons[record->reason].gave_up == NULL)
		add_rule(message, record);
	if (style->verbose && record->has_presets && record->waits &&
	    message->verdict == VERDICT_RETRY &&
	    record->known.class == CLASS_UNKNOWN)
		add(message, ", unknown failure, retried");
	if (message->verdict == VERDICT_RETRY)
		add_left(message, record);
	if (message->verdict == VERDICT_RETRY && record->waits)
		add_advice(message, record);
}

struct message
message_why(const struct record *record)
{
	struct message message = { .priority = PRIORITY_WARNING };
	char text[MESSAGE_PART];

	add(&message, "%s", message_outcome(record, text));
	add_rule(&message, record);
	return message;
}

struct message
message_failure(const struct record *record)
{
	struct message message = { .priority = PRIORITY_WARNING };

	add_ended(&message, record);
	add_rule(&message, record);
	return message;
}

static void
add_wait(struct message *message, const struct report_style *style,
    const struct record *record)
{
	const struct delay *delay = &record->delay;
	char text[MESSAGE_PART];

	if (record->kept && record->attempt == 0)
		add(message, "waiting %s: the rest of an earlier run's delay",
		    message_time(delay->seconds, text));
	else if (delay->seconds > 0)
		add(message, "next in %s", message_time(delay->seconds, text));
	else
		add(message, "next at once");
	if (!style->verbose)
		return;
	add(message, " (nominal %s", duration_text(delay->nominal, text));
	add(message, ", range %s", duration_text(delay->low, text));
	add(message, " to %s", duration_text(delay->high, text));
	if (delay->hint >= 0)
		add(message, ", asked for %s",
		    duration_text(delay->hint, text));
	add(message, ")");
}

/* Why a run ends that neither its attempts nor a limit end. */
static const char *
own_failure_text(const struct record *record)
{
	return record->death == SIGPIPE ? "nobody reads the output"
					: "retry itself failed";
}

/* Adds the limit, the command or the signal that let no attempt follow. */
static void
add_reason(struct message *message, const char *link,
    const struct record *record)
{
	char text[MESSAGE_PART];

	switch (record->reason) {
	case REASON_MAX_TIME:
		add(message, "%s--max-time %s", link,
		    duration_text(record->max_time, text));
		break;
	case REASON_SIGNAL:
		add(message, "%sended by %s", link,
		    signal_name(record->ended_by, text));
		break;
	case REASON_HINT:
		add(message, "%sasked to wait %s, ", link,
		    message_time(record->too_long, text));
		if (record->too_late)
			add(message, "longer than --max-time allows");
		else
			add(message, "over the %s limit; raise it with -m",
			    duration_text(record->hint_limit, text));
		break;
	case REASON_BUDGET:
		add(message, "%s--budget is used up", link);
		break;
	case REASON_GATE:
		add(message, "%s--before-retry failed", link);
		break;
	case REASON_ERROR:
		add(message, "%s%s", link, own_failure_text(record));
		break;
	case REASON_NONE:
	case REASON_SUCCESS:
	case REASON_ATTEMPTS:
	case REASON_STOP:
	case REASON_EARLY:
	case REASON_PLAN:
		break;
	}
}

/* Adds why a run gave up, unless the outcome says so already. */
static void
add_limit(struct message *message, const struct record *record)
{
	static const char *const cuts[] = {
		[CUT_NOTHING] = "leaves no time for another",
		[CUT_ATTEMPT] = "leaves no time to judge it",
		[CUT_CHECK] = "ended --check",
		[CUT_GATE] = "ended --before-retry",
	};
	const bool cut = record->reason == REASON_MAX_TIME;

	if (cut && record->cut == CUT_ATTEMPT &&
	    record->outcome.kind == OUTCOME_TIMEOUT)
		return;
	add_reason(message, ", and ", record);
	if (cut)
		add(message, " %s", cuts[record->cut]);
	if (record->reason == REASON_ATTEMPTS && record->reached != NULL)
		add(message, ", which reaches --attempts=%.*s",
		    record->reached->length, record->reached->text);
}

struct message
message_end(const struct record *record)
{
	struct message message = { .priority = PRIORITY_ERROR,
		.verdict = VERDICT_STOP };
	char past[MESSAGE_PART], text[MESSAGE_PART], name[SIGNAL_NAME];

	snprintf(past, sizeof(past), "%" PRIu64 " attempt%s in %s",
	    record->attempt, record->attempt == 1 ? "" : "s",
	    message_time(record->elapsed, text));
	switch (record->reason) {
	case REASON_SUCCESS:
		message.priority = PRIORITY_INFO;
		message.verdict = VERDICT_SUCCESS;
		add(&message, "succeeded at ");
		add_attempt(&message, record);
		add(&message, " in %s", message_time(record->elapsed, text));
		return message;
	case REASON_SIGNAL:
		message.priority = PRIORITY_NOTICE;
		message.verdict = VERDICT_NONE;
		add(&message, "ended by %s after %s",
		    signal_name(record->ended_by, name), past);
		if (!record->in_a_wait && record->attempt > 0)
			add(&message, ": %s", message_outcome(record, text));
		return message;
	case REASON_EARLY:
		if (record->too_early > 0)
			add(&message,
			    "not started: the next attempt is due in %s",
			    message_time(record->too_early, text));
		else
			add(&message, "not started: another run is active");
		return message;
	case REASON_PLAN:
		add(&message, "the plan ends after %s", past);
		return message;
	case REASON_NONE:
	case REASON_STOP:
	case REASON_MAX_TIME:
	case REASON_HINT:
	case REASON_BUDGET:
	case REASON_GATE:
	case REASON_ERROR:
	case REASON_ATTEMPTS:
		break;
	}
	add(&message, "giving up after %s: ", past);
	if (record->cut == CUT_INPUT) {
		add(&message,
		    "standard input had not ended after --max-time %s",
		    duration_text(record->max_time, text));
	} else if (record->attempt == 0 && record->reason == REASON_MAX_TIME) {
		add(&message, "--max-time %s leaves no time for an attempt",
		    duration_text(record->max_time, text));
		if (record->kept && record->delay.seconds > 0)
			add(&message, " after an earlier run's delay of %s",
			    message_time(record->delay.seconds, text));
	} else {
		add(&message, "%s", message_outcome(record, text));
		add_rule(&message, record);
		add_limit(&message, record);
	}
	if (record->tolerated) {
		message.priority = PRIORITY_NOTICE;
		add(&message, "; ");
		if (record->attempt > 0)
			add(&message, "run %" PRIu64 " of %" PRIu64 " ",
			    record->given_up, record->tolerate);
		add(&message, "tolerated, exiting 0");
	} else if (record->tolerate > 0 && record->attempt > 0 &&
	    record->given_up > 1 && reasons[record->reason].saves)
		add(&message, "; %" PRIu64 " failed runs in a row",
		    record->given_up);
	return message;
}

/*
 * The end needs no line of its own if the first attempt succeeded, or if an
 * earlier line said that the command cannot be executed or that retry failed.
 */
static bool
end_is_plain(const struct record *record)
{
	if (record->reason == REASON_SUCCESS)
		return record->failures == 0;
	return record->reason == REASON_ERROR ||
	    (record->reason == REASON_STOP &&
		record->outcome.kind == OUTCOME_UNSTARTABLE);
}

/* The health of an attempt that runs. */
static void
add_health(struct message *message, const struct record *record)
{
	char text[MESSAGE_PART];

	add_attempt(message, record);
	add(message, " is %s after %s", health_name(record->health),
	    message_time(record->elapsed - record->started, text));
	if (record->health == HEALTH_HEALTHY)
		return;
	message->priority = PRIORITY_WARNING;
	message->verdict = VERDICT_RETRY;
	add(message, ": ");
	add_probes(message, record);
}

static struct message
body_of(const struct report_style *style, const struct record *record)
{
	struct message message = { .priority = PRIORITY_INFO };
	const struct judgement judgement = record->judgement;
	char text[MESSAGE_PART], name[SIGNAL_NAME];

	switch (record->kind) {
	case RECORD_START:
		if (style->verbose && style->draws)
			add(&message, "--seed=%" PRIu64 " repeats the delays",
			    style->seed);
		break;
	case RECORD_ATTEMPT:
		if (!style->verbose)
			break;
		add_attempt(&message, record);
		add(&message, " starts as process %ld", record->pid);
		if (record->timeout <= DURATION_MAX)
			add(&message, ", for %s at most",
			    duration_text(record->timeout, text));
		break;
	case RECORD_OUTCOME:
		if (!style->verbose &&
		    (judgement.verdict == VERDICT_SUCCESS ||
			judgement.rule == RULE_ERROR))
			break;
		add_outcome(&message, style, record);
		if (!record->waits)
			break;
		add(&message, "; ");
		add_wait(&message, style, record);
		break;
	case RECORD_LOCK:
		add(&message, "waiting for another run, which holds %s.lock",
		    text_safe(style->state, text, sizeof(text)));
		break;
	case RECORD_HEALTH:
		/* The line for the outcome says that it was unhealthy. */
		if (record->first_healthy ||
		    (style->verbose && record->health != HEALTH_UNHEALTHY))
			add_health(&message, record);
		break;
	case RECORD_WAIT:
		if (record->attempt == 0 &&
		    (style->verbose ||
			(record->kept && record->delay.seconds >= 1)))
			add_wait(&message, style, record);
		break;
	case RECORD_SIGNAL:
		if (style->verbose)
			add(&message, "received %s%s",
			    signal_name(record->signal, name),
			    record->forwarded ? ", forwarded" : "");
		break;
	case RECORD_END:
		if (!style->verbose && end_is_plain(record))
			break;
		message = message_end(record);
		if (record->reason == REASON_STOP &&
		    record->outcome.kind != OUTCOME_UNSTARTABLE)
			add_advice(&message, record);
		break;
	}
	return message;
}

/* Puts the run's name before the text, unless the text is empty. */
static struct message
named(const struct report_style *style, struct message body)
{
	struct message message = body;
	char name[MESSAGE_PART];

	message_name(style, name);
	if (*body.text == '\0' || *name == '\0')
		return body;
	*message.text = '\0';
	add(&message, "%s: %s", name, body.text);
	return message;
}

struct message
message_of(const struct report_style *style, const struct record *record)
{
	const struct message body = body_of(style, record);

	/* The name is only what the text says: what cannot be executed. */
	return record->kind == RECORD_OUTCOME &&
		record->outcome.kind == OUTCOME_UNSTARTABLE &&
		!style->name_given
	    ? body
	    : named(style, body);
}

struct message
message_more(const struct report_style *style, uint64_t count)
{
	struct message message = { .priority = PRIORITY_WARNING,
		.verdict = VERDICT_RETRY };

	add(&message, "(%" PRIu64 " more identical failures)", count);
	return named(style, message);
}

struct message
message_note(const struct report_style *style, const char *label,
    const char *line)
{
	struct message message = { .priority = PRIORITY_INFO };
	char text[2 * MESSAGE_PART];

	add(&message, "%s%s", label, text_safe(line, text, sizeof(text)));
	return named(style, message);
}

struct message
message_status(const struct report_style *style, const struct record *record)
{
	struct message message = { .text = "" };

	switch (record->kind) {
	case RECORD_START:
	case RECORD_OUTCOME:
	case RECORD_SIGNAL:
		break;
	case RECORD_ATTEMPT:
		add_attempt(&message, record);
		add(&message, " runs");
		break;
	case RECORD_HEALTH:
		add_health(&message, record);
		break;
	case RECORD_LOCK:
		add(&message, "%s", body_of(style, record).text);
		break;
	case RECORD_WAIT:
		if (record->attempt > 0) {
			add_outcome(&message, style, record);
			add(&message, "; ");
		}
		add_wait(&message, style, record);
		break;
	case RECORD_END:
		add(&message, "%s", message_end(record).text);
		break;
	}
	return named(style, message);
}
