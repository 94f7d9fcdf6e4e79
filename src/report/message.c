/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/message.h"
#include "core/duration.h"
#include "core/signals.h"
#include "core/text.h"

#define INFO .priority = PRIORITY_INFO
#define NOTICE .priority = PRIORITY_NOTICE
#define WARNING .priority = PRIORITY_WARNING, .verdict = VERDICT_RETRY
#define ERROR .priority = PRIORITY_ERROR, .verdict = VERDICT_STOP

const struct message_row message_rows[] = {
	{ "line start", "endless",
	    "CI is set, but nothing limits this run: give -a N or -T DUR"
	    "[?verbose [?draws ; --seed=%seed repeats the delays]]",
	    WARNING },
	{ "line start", "verbose draws", "--seed=%seed repeats the delays",
	    INFO },
	{ "line attempt", "",
	    "%attempt starts as process %pid[, for %timeout at most]: %words",
	    INFO },
	{ "line outcome", "!verbose rule=error", "" },
	/* A signal that was passed on makes an ordinary end. */
	{ "line outcome", "rule=signal", "%ended", NOTICE },
	{ "line outcome", "", "%ended" },
	{ "line lock", "", "waiting for another run, which holds %state.lock",
	    INFO },
	/* The line for the outcome says that it was unhealthy. */
	{ "line health", "health=healthy !healthy-told", "%healthy" },
	{ "line health", "verbose !health=unhealthy", "%healthy" },
	{ "line wait", "!begun verbose", "%next" },
	{ "line wait", "!begun kept lasting", "%next" },
	{ "line signal", "", "received %signal[?forwarded , forwarded]", INFO },
	/* An earlier line has said all. */
	{ "line end", "!verbose reason=error", "" },
	{ "line end", "!verbose reason=stop outcome=unstartable", "" },
	{ "line end", "reason=stop !outcome=unstartable", "%last[; %advice]" },
	{ "line end", "", "%last" },

	/* Where the run stands. */
	/* A time of day stays true while the status is shown. */
	{ "now attempt", "",
	    "%attempt runs[; attempt %before %how, at %when]" },
	{ "now health", "", "%healthy" },
	{ "now lock", "", "waiting for another run, which holds %state.lock" },
	{ "now wait", "begun", "%ended" },
	{ "now wait", "", "%next" },
	{ "now end", "", "%last" },

	/* How an attempt ended; the last line has a rule that ends the run. */
	{ "ended", "outcome=unstartable",
	    "cannot execute %command: %error[; %advice][?waits ; %next]",
	    WARNING },
	{ "ended", "",
	    "%failure[?goes-on %rule][?unsure , unknown failure, retried]"
	    "[?failed [; left %processes: %left-names]]"
	    "[?waits [?failed [; %advice]]; %next]",
	    WARNING },
	{ "failure", "outcome=unhealthy",
	    "%attempt was %how after %duration[, silent for %silent]"
	    "[: %checked][?never , and was never healthy (for a slow start, "
	    "raise --health-start-period)]" },
	{ "failure", "",
	    "%attempt %how after %duration[, silent for %silent]" },
	{ "how", "outcome=none", "did not run" },
	{ "how", "outcome=exit", "exited %code[?oom  (out of memory)]" },
	{ "how", "outcome=signal", "killed by %killer[?oom  (out of memory)]" },
	{ "how", "outcome=timeout cut=attempt",
	    "timed out at --max-time %max-time" },
	{ "how", "outcome=timeout", "timed out" },
	{ "how", "outcome=unhealthy", "unhealthy" },
	{ "how", "outcome=unstartable", "could not be started: %error" },
	{ "how", "outcome=unforked", "could not be forked: %error" },

	/* Which rule decided, if the outcome alone does not show it. */
	{ "rule", "",
	    "[, %by][?unmatched , and nothing matches --retry-match]"
	    "[: \"%pattern-line\"][, %known]"
	    "[: \"%class-line\"]" },
	{ "known", "class preset", "%class failure (--preset=%preset)" },
	{ "known", "class !class=unknown", "%class failure" },
	{ "known", "class !outcome=timeout",
	    "not a failure that --preset knows" },
	{ "by", "rule=check check-timed-out", "%link --check timed out" },
	{ "by", "rule=check", "%link --check says %verdict" },
	{ "by", "verdict=success rule=success-on !zero", "in --success-on" },
	{ "by", "verdict=retry rule=success-match",
	    "but nothing matches --success-match" },
	{ "by", "verdict=retry rule=fail-match", "matches --fail-match" },
	{ "by", "verdict=retry rule=throttle-on", "in --throttle-on" },
	{ "by", "verdict=retry rule=throttle-match",
	    "matches --throttle-match" },
	{ "by", "verdict=retry rule=retry-match", "matches --retry-match" },
	{ "by", "verdict=retry zero", "not in --success-on" },
	{ "by", "verdict=stop rule=stop-on by-default",
	    "in --stop-on (default)" },
	{ "by", "verdict=stop rule=stop-on", "in --stop-on" },
	{ "by", "verdict=stop rule=stop-match", "matches --stop-match" },
	{ "by", "verdict=stop rule=unread", "and nobody reads its output" },
	{ "by", "verdict=stop rule=retry-on", "not in --retry-on" },
	{ "by", "verdict=stop rule=retry-match",
	    "and nothing matches --retry-match" },

	/* The health of an attempt. */
	{ "healthy", "health=healthy", "%attempt is %health after %running",
	    INFO },
	{ "healthy", "", "%attempt is %health after %running[: %checked]",
	    WARNING },
	{ "checked", "hung", "no WATCHDOG=1 in time, or WATCHDOG=trigger" },
	{ "checked", "probe-failed differ probes",
	    "health check failed %times; the last %probe"
	    "[ (\"%last-line\")]" },
	{ "checked", "probe-failed",
	    "health check %probe[ %times][ (\"%last-line\")]" },

	/* The wait. */
	{ "next", "!begun kept",
	    "waiting %delay: the rest of an earlier run's delay[%range]",
	    INFO },
	{ "next", "delay", "next in %delay[%range]" },
	{ "next", "", "next at once[%range]" },
	{ "range", "verbose",
	    " (nominal %nominal, range %low to %high[, asked for %hint])" },

	/* How the run ended. */
	{ "last", "reason=success",
	    "succeeded at %attempt in %elapsed"
	    "[, without the input that attempt %lost-input read]",
	    .priority = PRIORITY_INFO, .verdict = VERDICT_SUCCESS },
	{ "last", "reason=signal !in-wait begun",
	    "ended by %ended-by after %attempts in %elapsed: %how[%rest]",
	    NOTICE },
	{ "last", "reason=signal",
	    "ended by %ended-by after %attempts in %elapsed[?untaken %rest]",
	    NOTICE },
	{ "last", "reason=early too-early",
	    "not started: the next attempt is due in %too-early", ERROR },
	{ "last", "reason=early", "not started: another run is active", ERROR },
	{ "last", "reason=plan", "the plan ends after %attempts in %elapsed",
	    ERROR },
	{ "last", "tolerated",
	    "giving up after %attempts in %elapsed: %why; "
	    "[?begun failed run %given-up of %tolerate; ]"
	    "exiting 0 (--tolerate)",
	    .priority = PRIORITY_NOTICE, .verdict = VERDICT_STOP },
	{ "last", "",
	    "giving up after %attempts in %elapsed: %why"
	    "[; %in-a-row failed runs in a row]",
	    ERROR },
	{ "why", "cut=input",
	    "standard input had not ended after --max-time %max-time" },
	{ "why", "reason=max-time !begun",
	    "--max-time %max-time leaves no time for an attempt"
	    "[?kept [ after an earlier run's delay of %delay]]" },
	{ "why", "untaken !cut=attempt", "%how%rule%rest[, %limit]" },
	{ "why", "", "%how%rule[, %limit]" },
	{ "rest", "untaken", ", and nobody took the rest of its output" },
	{ "rest", "unsearched",
	    ", and the rest of its output was not searched" },
	{ "limit", "reason=max-time cut=none",
	    "and --max-time %max-time leaves no time for attempt "
	    "%after" },
	{ "limit", "reason=max-time cut=attempt untaken !outcome=timeout",
	    "and nobody took the rest of its output by --max-time %max-time" },
	{ "limit", "reason=max-time cut=attempt !outcome=timeout",
	    "and --max-time %max-time leaves no time to judge it" },
	{ "limit", "reason=max-time cut=check",
	    "and --max-time %max-time ended --check" },
	{ "limit", "reason=max-time cut=gate",
	    "and --max-time %max-time ended --before-retry" },
	{ "limit", "reason=hint too-late",
	    "and asked to wait %too-long, longer than --max-time allows" },
	{ "limit", "reason=hint",
	    "and asked to wait %too-long, over the %hint-limit limit; raise it "
	    "with -m" },
	{ "limit", "reason=budget", "and --budget is used up" },
	{ "limit", "reason=gate", "and --before-retry failed" },
	{ "limit", "reason=error sigpipe", "and nobody reads the output" },
	{ "limit", "reason=error", "and retry itself failed" },
	{ "limit", "reason=attempts", "which reaches --attempts=%reached" },

	{ "short", "", "%how%rule" },
	{ "long", "", "%failure%rule" },

	/* Parts. */
	{ "attempts", "number=1", "1 attempt" },
	{ "attempts", "", "%number attempts" },
	{ "processes", "left=1", "1 process" },
	{ "processes", "", "%left processes" },
	{ "command", "!program", "it" },
	{ "command", "blank", "'%program'" },
	{ "command", "", "%program" },
	{ "times", "probes=1", "once" },
	{ "times", "probes=2", "twice" },
	{ "times", "probes=3", "three times" },
	{ "times", "probes=4", "four times" },
	{ "times", "probes=5", "five times" },
	{ "times", "", "%probes times" },
	{ .name = NULL },
};
const char *
message_time(double seconds, char text[MESSAGE_PART])
{
	if (seconds > 0 && seconds < 1e-3)
		return "<1ms";
	if (seconds < 0.1)
		seconds = round(seconds * 1e3) / 1e3;
	return duration_text(seconds, text);
}

const char *
message_attempt(const struct record *record, uint64_t ahead,
    char text[MESSAGE_PART])
{
	const uint64_t limit = record->policy->limits.attempts;
	const uint64_t attempt = record->attempt.number + ahead;
	const uint64_t used = record->used + ahead;

	/* A success of --repeat has just made `used` 0. */
	if (limit == 0 ||
	    (used == 0 && record->last.judgement.verdict == VERDICT_SUCCESS))
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

const char *
message_line(const struct record *record, char text[MESSAGE_LINE])
{
	const char *line = record->seen.line;

	if (line == NULL)
		return NULL;
	return text_safe(line + strspn(line, " \t"), text, MESSAGE_LINE);
}

/* A message that is being written. */
struct telling {
	const struct report_style *style;
	const struct record *record;
	struct message message;
};

static bool add_part(struct telling *telling, const char *name);

/* Most names differ in their first letter, and there are many. */
static bool
is_name(const char *a, const char *b)
{
	return *a == *b && strcmp(a, b) == 0;
}

/* Returns the fact of this name as a text, or NULL if it is absent. */
#define FACT(word, is, as) \
	if (is_name(word, name)) \
		return (is) ? (as) : NULL;
#define IF(word, is) FACT(word, is, "")
#define AS(word, is) FACT(word, true, is)
#define SAFE(word, is) \
	FACT(word, (is) != NULL, text_safe(is, text, MESSAGE_PART))
/* `if` is the rest of a condition on the seconds: "> 0". */
#define TIME(word, seconds, if) \
	FACT(word, (seconds) if, message_time(seconds, text))
#define EXACT(word, seconds, if) \
	FACT(word, (seconds) if, duration_text(seconds, text))
#define COUNT(word, number, is) \
	FACT(word, is, count_text((uint64_t)(number), text))
#define SIGNAL(word, number) FACT(word, true, signal_name(number, text))

static const char *
count_text(uint64_t count, char text[MESSAGE_LINE])
{
	snprintf(text, MESSAGE_LINE, "%" PRIu64, count);
	return text;
}

static const char *
limit_text(const struct limit *limit, char text[MESSAGE_LINE])
{
	snprintf(text, MESSAGE_LINE, "%.*s", limit->length, limit->text);
	return text;
}

/* The command, cut. */
static const char *
words_text(const char *const *words, char text[MESSAGE_LINE])
{
	char all[MESSAGE_LINE] = "";

	for (; *words != NULL; words++)
		text_append(all, sizeof(all), *all == '\0' ? "%s" : " %s",
		    *words);
	return text_safe(all, text, MESSAGE_PART);
}

static const char *
date_text(double seconds, char text[MESSAGE_LINE])
{
	const time_t time = (time_t)seconds;
	struct tm date;

	return localtime_r(&time, &date) != NULL &&
		strftime(text, MESSAGE_LINE, "%F %T", &date) != 0
	    ? text
	    : NULL;
}

static const char *
outcome_text(const struct policy *policy, struct outcome outcome,
    char text[MESSAGE_LINE])
{
	const struct record record = { .policy = policy,
		.last.outcome = outcome };

	return message_outcome(&record, text);
}

/*
 * The fact of this name: a table, for the most part.  An unknown one shows its
 * name.
 */
static const char * /* NOLINTNEXTLINE(readability-function-size) */
find_fact(const struct telling *telling, const char *name,
    char text[MESSAGE_LINE])
{
	static const char *const cuts[] = { "none", "attempt", "check", "gate",
		"input" };
	const struct report_style *style = telling->style;
	const struct record *record = telling->record;
	const struct policy *policy = record->policy;
	const struct outcome outcome = record->last.outcome;
	const struct judgement judgement = record->last.judgement;
	const struct delay *delay = &record->wait.delay;
	const struct health *probes = &record->attempt.probes;
	const enum failure_class class = outcome.class;
	const bool zero = outcome.kind == OUTCOME_EXIT && outcome.code == 0;
	const bool good = judgement.verdict == VERDICT_SUCCESS;
	const bool bad = judgement.verdict == VERDICT_RETRY ||
	    judgement.verdict == VERDICT_STOP;
	const bool probe_failed = probes->last.kind != OUTCOME_NONE &&
	    (probes->last.kind != OUTCOME_EXIT || probes->last.code != 0);
	const bool has_class = record_has_class(record);
	const char *command = style->command == NULL ? NULL : *style->command;
	/* A pattern of the user's matched the line; else a preset found it. */
	const bool patterns =
	    verdict_match(judgement.rule, record->last.matched) < MATCHES;
	const bool shows_class = has_class &&
	    (record->last.known.preset != NULL ||
		(policy->rules.classifies &&
		    record->end.reason != REASON_NONE));

	/* What is asked. */
	IF("verbose", style->verbose)
	IF("draws", policy_draws(style->policy))
	IF("endless",
	    style->ci && policy->max_time == 0 &&
		policy->limits.attempts == 0 && policy->limits.count == 0)
	IF("begun", record->attempt.number > 0)
	IF("zero", zero)
	IF("oom", outcome.oom)
	IF("failed", bad)
	/* If the run gives up, its last line names the rule instead. */
	IF("goes-on",
	    judgement.verdict != VERDICT_STOP &&
		reasons[record->end.reason].gave_up == NULL)
	IF("unsure",
	    style->verbose && policy->rules.classifies && record->wait.lasts &&
		bad && class == CLASS_UNKNOWN)
	IF("by-default", judgement.by_default)
	IF("unmatched", judgement.unmatched)
	IF("check-timed-out", record->last.check_timed_out)
	IF("sigpipe", record->end.death == SIGPIPE)
	IF("untaken", record->last.extent == EXTENT_UNTAKEN)
	IF("unsearched", record->last.extent == EXTENT_UNSEARCHED)
	IF("failures", record->failures > 0)
	IF("waits", record->wait.lasts)
	IF("kept", record->wait.kept)
	IF("lasting", delay->seconds >= 1)
	IF("healthy-told", record->attempt.healthy_told)
	IF("probe-failed", probe_failed)
	IF("hung", probes->last.kind == OUTCOME_UNHEALTHY)
	IF("differ", probes->differ)
	IF("never", probes->failures > 0 && !probes->was_healthy)
	IF("forwarded", record->forwarded)
	IF("in-wait", record->end.in_a_wait)
	IF("too-late", record->end.too_long <= policy->hint_limit)
	IF("tolerated", record->end.tolerated)
	IF("blank",
	    command != NULL &&
		(*command == '\0' || strpbrk(command, " \t\n") != NULL))

	/* Texts. */
	AS("outcome", outcome_names[outcome.kind])
	AS("verdict", verdict_names[judgement.verdict])
	AS("rule", rule_names[judgement.rule])
	AS("reason", reasons[record->end.reason].name)
	AS("health", health_names[record->attempt.health])
	AS("cut", cuts[record->end.cut])
	AS("link", zero == good ? "and" : "but")
	AS("class", shows_class ? class_names[class] : NULL)
	AS("pattern-line", patterns ? message_line(record, text) : NULL)
	AS("class-line",
	    has_class && !patterns ? message_line(record, text) : NULL)
	AS("advice", record->seen.advice)
	FACT("error", !outcome_ran(outcome),
	    outcome.reason != NULL ? outcome.reason : strerror(outcome.code))
	AS("attempt", message_attempt(record, 0, text))
	FACT("probe", probe_failed, outcome_text(policy, probes->last, text))
	/* An attempt runs, since the one before has failed. */
	FACT("when",
	    record->kind == RECORD_ATTEMPT &&
		judgement.verdict == VERDICT_RETRY,
	    date_text(record->seen.time - fmax(record->wait.before, 0), text))
	FACT("reached", record->reached != NULL,
	    limit_text(record->reached, text))
	SAFE("preset", record->last.known.preset)
	SAFE("last-line", record->seen.last_line)
	SAFE("left-names", record->seen.left_names)
	SAFE("program", command)
	FACT("words", command != NULL, words_text(style->command, text))
	SAFE("state", style->state)

	/* Seconds. */
	TIME("elapsed", record->elapsed, >= 0)
	TIME("duration", record->last.duration, >= 0)
	TIME("running", record->elapsed - record->attempt.begun, >= 0)
	FACT("silent", record->last.why == WHY_IDLE,
	    message_time(policy->idle_timeout, text))
	TIME("delay", delay->seconds, > 0)
	TIME("too-long", record->end.too_long, > 0)
	TIME("too-early", record->end.too_early, > 0)
	EXACT("timeout", record->attempt.timeout, <= DURATION_MAX)
	EXACT("max-time", policy->max_time, >= 0)
	EXACT("hint-limit", policy->hint_limit, >= 0)
	EXACT("nominal", delay->nominal, >= 0)
	EXACT("low", delay->low, >= 0)
	EXACT("high", delay->high, >= 0)
	EXACT("hint", record->last.hint, >= 0)

	/* Numbers. */
	COUNT("number", record->attempt.number, true)
	COUNT("before", record->attempt.number - 1, true)
	COUNT("after", record->attempt.number + 1, true)
	COUNT("code", outcome.code, true)
	SIGNAL("killer", outcome.code)
	SIGNAL("signal", record->signal)
	SIGNAL("ended-by", record->end.ended_by)
	COUNT("pid", record->seen.pid, true)
	COUNT("seed", style->seed, true)
	COUNT("left", record->seen.left, true)
	COUNT("lost-input", record->seen.lost_input,
	    record->seen.lost_input > 0)
	COUNT("probes", probes->failures, probes->failures > 0)
	COUNT("tolerate", policy->tolerate, true)
	COUNT("given-up", record->end.given_up, true)
	COUNT("in-a-row", record->end.given_up,
	    policy->tolerate > 0 && record->attempt.number > 0 &&
		record->end.given_up > 1 &&
		reasons[record->end.reason].gives_up)
	snprintf(text, MESSAGE_LINE, "%%%s", name);
	return text;
}

/* Copies the name that the text begins with, and returns what follows it. */
static const char *
take_name(const char *text, char name[MESSAGE_PART])
{
	size_t i = 0;

	while ((text[i] >= 'a' && text[i] <= 'z') || text[i] == '-') {
		name[i] = text[i];
		i++;
	}
	name[i] = '\0';
	return text + i;
}

/* Whether all words hold: "fact", "fact=text", and "!" before one of them. */
static bool
holds(const struct telling *telling, const char *words)
{
	char name[MESSAGE_PART], text[MESSAGE_LINE];

	while (*words != '\0') {
		const bool negated = *words == '!';
		const char *end = take_name(words + negated, name);
		const char *found = find_fact(telling, name, text);
		bool is = found != NULL;

		if (*end == '=') {
			const size_t length = strcspn(++end, " ");

			is = is && strlen(found) == length &&
			    strncmp(found, end, length) == 0;
			end += length;
		}
		if (is == negated)
			return false;
		words = end + strspn(end, " ");
	}
	return true;
}

/* Where the part in brackets ends that begins here. */
static const char *
find_close(const char *text)
{
	int depth = 1;

	while (depth > 0) {
		text++;
		depth += (*text == '[') - (*text == ']');
	}
	return text;
}

/*
 * Adds a text with its facts.  False if one of them is absent; if that is in
 * brackets, only what they hold is left out.
 */
static bool
add_text(struct telling *telling, const char *text, const char *end)
{
	char *message = telling->message.text;
	const size_t size = sizeof(telling->message.text);
	char name[MESSAGE_PART];

	while (text < end) {
		const size_t length = strlen(message);

		if (*text == '[') {
			const char *close = find_close(text);

			if (!add_text(telling, text + 1, close))
				message[length] = '\0';
			text = close + 1;
		} else if (*text == '?') {
			text = take_name(text + 1, name) + 1;
			if (!holds(telling, name))
				return false;
		} else if (*text == '%') {
			text = take_name(text + 1, name);
			if (!add_part(telling, name))
				return false;
		} else {
			size_t end_of = length;

			while (text < end && *text != '[' && *text != '?' &&
			    *text != '%' && end_of < size - 1)
				message[end_of++] = *text++;
			message[end_of] = '\0';
			if (end_of == size - 1)
				return true;
		}
	}
	return true;
}

/* Adds the first row of this name that holds, or else the fact. */
static bool
add_part(struct telling *telling, const char *name)
{
	struct message *message = &telling->message;
	const struct message_row *row = message_rows;
	bool is_row = false;
	char text[MESSAGE_LINE];

	for (; row->name != NULL; row++) {
		if (!is_name(row->name, name))
			continue;
		is_row = true;
		if (holds(telling, row->when))
			break;
	}
	if (row->name != NULL) {
		if (message->priority == 0 && row->priority != 0) {
			message->priority = row->priority;
			message->verdict = row->verdict;
		}
		return add_text(telling, row->text,
		    row->text + strlen(row->text));
	}
	const char *fact = is_row ? NULL : find_fact(telling, name, text);
	if (fact != NULL)
		strlcat(message->text, fact, sizeof(message->text));
	return fact != NULL;
}

/* The part of a message that has this name; empty if no row of it holds. */
static struct message
compose(const struct report_style *style, const struct record *record,
    const char *part)
{
	static const struct report_style plain = { .name = NULL };
	struct telling telling = { .style = style == NULL ? &plain : style,
		.record = record };

	if (!add_part(&telling, part))
		*telling.message.text = '\0';
	/* Facts may have text that others wrote. */
	struct message message = telling.message;
	text_safe(telling.message.text, message.text, sizeof(message.text));
	if (message.priority == 0)
		message.priority = PRIORITY_INFO;
	return message;
}

const char *
message_outcome(const struct record *record, char text[MESSAGE_PART])
{
	strlcpy(text, compose(NULL, record, "how").text, MESSAGE_PART);
	return text;
}

struct message
message_part(const struct record *record, const char *name)
{
	return compose(NULL, record, name);
}

/* Puts the run's name before the text, unless the text is empty. */
static struct message
named(const struct report_style *style, struct message body)
{
	struct message message = body;
	char name[MESSAGE_PART];

	if (*body.text == '\0')
		return body;
	message_name(style, name);
	if (*name != '\0')
		snprintf(message.text, sizeof(message.text), "%s: %.800s", name,
		    body.text);
	return message;
}

bool
message_is_silent(const struct report_style *style, const struct record *record)
{
	if (style->verbose)
		return false;
	switch (record->kind) {
	case RECORD_START:
		return !style->ci;
	case RECORD_ATTEMPT:
	case RECORD_SIGNAL:
		return true;
	case RECORD_OUTCOME:
		return record->last.judgement.verdict == VERDICT_SUCCESS;
	case RECORD_WAIT:
		return record->attempt.number > 0;
	case RECORD_END:
		return record->end.reason == REASON_SUCCESS &&
		    record->failures == 0;
	case RECORD_LOCK:
	case RECORD_HEALTH:
		break;
	}
	return false;
}

struct message
message_of(const struct report_style *style, const struct record *record)
{
	const bool unstartable =
	    record->last.outcome.kind == OUTCOME_UNSTARTABLE;
	const enum verdict verdict = record->last.judgement.verdict;
	char part[MESSAGE_PART];

	if (message_is_silent(style, record))
		return (struct message){ .priority = PRIORITY_INFO };
	snprintf(part, sizeof(part), "line %s", record_names[record->kind]);
	struct message message = compose(style, record, part);

	if (record->kind != RECORD_OUTCOME)
		return named(style, message);
	/* As other failures, even if it ends the run: END is the red line. */
	if (*message.text != '\0')
		message.verdict = verdict == VERDICT_STOP && !unstartable
		    ? VERDICT_RETRY
		    : verdict;
	/* The name of the run is the command, which the text has already. */
	return unstartable && !style->name_given ? message
						 : named(style, message);
}

struct message
message_status(const struct report_style *style, const struct record *record)
{
	char part[MESSAGE_PART];

	if (record->kind == RECORD_START || record->kind == RECORD_OUTCOME ||
	    record->kind == RECORD_SIGNAL)
		return (struct message){ .text = "" };
	snprintf(part, sizeof(part), "now %s", record_names[record->kind]);
	return named(style, compose(style, record, part));
}

struct message
message_more(const struct report_style *style, uint64_t count)
{
	struct message message = { WARNING };

	snprintf(message.text, sizeof(message.text),
	    "(%" PRIu64 " more identical failures)", count);
	return named(style, message);
}

struct message
message_note(const struct report_style *style, const char *label,
    const char *line)
{
	struct message message = { .priority = PRIORITY_INFO };
	char text[2 * MESSAGE_PART];

	snprintf(message.text, sizeof(message.text), "%s%s", label,
	    text_safe(line, text, sizeof(text)));
	return named(style, message);
}
