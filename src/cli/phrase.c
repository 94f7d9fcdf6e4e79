#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/phrase.h"
#include "core/duration.h"
#include "core/signals.h"

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
phrase_attempt(const struct engine *engine, char text[PHRASE])
{
	const uint64_t limit = engine->policy->attempts;

	if (limit == 0)
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

/* Why a run was given up, beyond what its last attempt did; or "". */
static const char *
why(const struct engine *engine, char text[PHRASE])
{
	char limit[DURATION_TEXT];

	switch (engine->reason) {
	case REASON_STOP:
		snprintf(text, PHRASE, " (%s)",
		    rule_name(engine->judgement.rule));
		return text;
	case REASON_MAX_TIME:
		snprintf(text, PHRASE, " (--max-time %s leaves no more time)",
		    duration_text(engine->policy->max_time, limit));
		return text;
	case REASON_HINT:
		snprintf(text, PHRASE, " (asked to wait %s, which is too long)",
		    duration_text(engine->hint, limit));
		return text;
	case REASON_BUDGET:
		return " (the retry budget is used up)";
	case REASON_GATE:
		return " (--before-retry failed)";
	case REASON_PLAN:
		return " (the plan's script ends)";
	case REASON_ERROR:
		return " (an error of retry's own)";
	case REASON_NONE:
	case REASON_SUCCESS:
	case REASON_ATTEMPTS:
	case REASON_SIGNAL:
	case REASON_EARLY:
		break;
	}
	return "";
}

const char *
phrase_end(const struct engine *engine, double elapsed, char text[PHRASE_END])
{
	const uint64_t attempts = engine->attempt;
	char time[DURATION_TEXT], what[PHRASE], reason[PHRASE];
	char name[SIGNAL_NAME];
	int length;

	duration_text(elapsed, time);
	if (engine->reason == REASON_SUCCESS) {
		length = snprintf(text, PHRASE_END,
		    "succeeded at attempt %" PRIu64, attempts);
		if (engine->policy->attempts > 0 && engine->used == attempts)
			length +=
			    snprintf(text + length, PHRASE_END - (size_t)length,
				" of %" PRIu64, engine->policy->attempts);
		snprintf(text + length, PHRASE_END - (size_t)length, " in %s",
		    time);
		return text;
	}
	if (engine->reason == REASON_SIGNAL && engine->signal == 0) {
		snprintf(text, PHRASE_END, "ended by %s after %s",
		    signal_name(engine->death, name), time);
		return text;
	}
	snprintf(text, PHRASE_END, "%s after %" PRIu64 " attempt%s in %s: %s%s",
	    engine->reason == REASON_SIGNAL ? "ended by a signal" : "giving up",
	    attempts, attempts == 1 ? "" : "s", time,
	    phrase_outcome(engine->evidence.outcome, what),
	    why(engine, reason));
	return text;
}
