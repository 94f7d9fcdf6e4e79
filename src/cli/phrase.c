#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/phrase.h"
#include "core/duration.h"
#include "core/signals.h"

const char *
phrase_seconds(double seconds, char text[PHRASE])
{
	return duration_text(seconds, text);
}

const char *
phrase_outcome(struct outcome outcome, char text[PHRASE])
{
	char name[SIGNAL_NAME];

	switch (outcome.kind) {
	case OUTCOME_NONE:
		return "did not run";
	case OUTCOME_EXIT:
		snprintf(text, PHRASE, "exited %d", outcome.code);
		break;
	case OUTCOME_SIGNAL:
		snprintf(text, PHRASE, "died of %s",
		    signal_name(outcome.code, name));
		break;
	case OUTCOME_TIMEOUT:
		return "timed out";
	case OUTCOME_UNSTARTABLE:
		snprintf(text, PHRASE, "could not be started: %s",
		    strerror(outcome.code));
		break;
	case OUTCOME_UNFORKED:
		snprintf(text, PHRASE, "could not be forked: %s",
		    strerror(outcome.code));
		break;
	}
	return text;
}

const char *
phrase_rule(struct judgement judgement, char text[PHRASE])
{
	const enum rule rule = judgement.rule;

	if (judgement.verdict != VERDICT_RETRY ||
	    (rule != RULE_CONTROL && rule != RULE_CHECK &&
		rule != RULE_SUCCESS_MATCH && rule != RULE_FAIL_MATCH))
		return "";
	snprintf(text, PHRASE, " (%s)", rule_name(rule));
	return text;
}

const char *
phrase_attempt(const struct engine *engine, char text[PHRASE])
{
	const uint64_t limit = engine->policy->attempts;
	const bool afresh =
	    engine->used == 0 && engine->judgement.verdict == VERDICT_SUCCESS;

	if (limit == 0 || afresh)
		snprintf(text, PHRASE, "attempt %" PRIu64, engine->attempt);
	else if (engine->used == engine->attempt)
		snprintf(text, PHRASE, "attempt %" PRIu64 "/%" PRIu64,
		    engine->attempt, limit);
	else
		snprintf(text, PHRASE,
		    "attempt %" PRIu64 " (%" PRIu64 "/%" PRIu64 " used)",
		    engine->attempt, engine->used, limit);
	return text;
}

/* What --max-time ended, where it was no attempt. */
static const char *
what_was_ended(const struct engine *engine)
{
	if (engine->status == STATUS_TIMEOUT &&
	    outcome_status(engine->evidence.outcome) != STATUS_TIMEOUT) {
		if (engine->question == ASK_CHECK)
			return "ended --check";
		if (engine->question == ASK_GATE)
			return "ended --before-retry";
	}
	return "leaves no more time";
}

/* Why a run was given up, beyond what its last attempt did; or "". */
static const char *
why(const struct engine *engine, char text[PHRASE])
{
	char limit[PHRASE];

	switch (engine->reason) {
	case REASON_STOP:
		snprintf(text, PHRASE, " (%s)",
		    rule_name(engine->judgement.rule));
		return text;
	case REASON_MAX_TIME:
		snprintf(text, PHRASE, " (--max-time %s %s)",
		    phrase_seconds(engine->policy->max_time, limit),
		    what_was_ended(engine));
		return text;
	case REASON_HINT:
		snprintf(text, PHRASE, " (asked to wait %s, which is too long)",
		    phrase_seconds(engine->hint, limit));
		return text;
	case REASON_BUDGET:
		return " (the retry budget is used up)";
	case REASON_GATE:
		return " (--before-retry failed)";
	case REASON_ERROR:
		return " (an error of retry's own)";
	case REASON_ATTEMPTS:
		return phrase_rule(engine->judgement, text);
	case REASON_NONE:
	case REASON_SUCCESS:
	case REASON_SIGNAL:
	case REASON_EARLY:
	case REASON_PLAN:
		break;
	}
	return "";
}

static void
phrase_success(const struct engine *engine, const char *time,
    char text[PHRASE_END])
{
	const uint64_t attempts = engine->attempt;
	const uint64_t limit = engine->policy->attempts;
	char of[PHRASE] = "";

	if (limit > 0 && engine->used == attempts)
		snprintf(of, PHRASE, " of %" PRIu64, limit);
	snprintf(text, PHRASE_END, "succeeded at attempt %" PRIu64 "%s in %s",
	    attempts, of, time);
}

/* The signal came in a wait, or it let an attempt end. */
static void
phrase_signal(const struct engine *engine, const char *past,
    char text[PHRASE_END])
{
	const bool waited = engine->signal == 0;
	char name[SIGNAL_NAME], what[PHRASE];

	signal_name(waited ? engine->death : engine->signal, name);
	snprintf(text, PHRASE_END, "ended by %s after %s%s%s", name, past,
	    waited ? "" : ": ",
	    waited ? "" : phrase_outcome(engine->evidence.outcome, what));
}

static void
phrase_early(const struct engine *engine, char text[PHRASE_END])
{
	char time[PHRASE];

	if (engine->first_wait > 0)
		snprintf(text, PHRASE_END, "too early by %s",
		    phrase_seconds(engine->first_wait, time));
	else
		snprintf(text, PHRASE_END,
		    "too early: another run is under way");
}

const char *
phrase_end(const struct engine *engine, double elapsed, char text[PHRASE_END])
{
	const uint64_t attempts = engine->attempt;
	char time[PHRASE], past[PHRASE], what[PHRASE], reason[PHRASE];

	phrase_seconds(elapsed, time);
	snprintf(past, PHRASE, "%" PRIu64 " attempt%s in %.60s", attempts,
	    attempts == 1 ? "" : "s", time);
	switch (engine->reason) {
	case REASON_SUCCESS:
		phrase_success(engine, time, text);
		break;
	case REASON_SIGNAL:
		phrase_signal(engine, past, text);
		break;
	case REASON_EARLY:
		phrase_early(engine, text);
		break;
	case REASON_PLAN:
		snprintf(text, PHRASE_END, "the plan ends after %s", past);
		break;
	case REASON_NONE:
	case REASON_ATTEMPTS:
	case REASON_MAX_TIME:
	case REASON_STOP:
	case REASON_BUDGET:
	case REASON_GATE:
	case REASON_HINT:
	case REASON_ERROR:
		snprintf(text, PHRASE_END, "giving up after %s: %s%s", past,
		    phrase_outcome(engine->evidence.outcome, what),
		    why(engine, reason));
	}
	return text;
}
