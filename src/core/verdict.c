/* SPDX-License-Identifier: MIT */

#include <stddef.h>
#include <sysexits.h>

#include "verdict.h"

/* Of two presets that disagree the one wins that says `transient`. */
static struct class_known
classify_by_status(const struct rules *rules, struct outcome outcome)
{
	struct class_known known = { .class = CLASS_NONE };

	for (int i = 0; i < rules->preset_count; i++) {
		const struct preset_rules *preset = &rules->presets[i];

		if (set_has(&preset->transient, outcome))
			return (struct class_known){ CLASS_TRANSIENT,
				preset->name, false };
		if (known.class == CLASS_NONE &&
		    set_has(&preset->permanent, outcome))
			known = (struct class_known){ CLASS_PERMANENT,
				preset->name, false };
	}
	return known;
}

void
verdict_classify(const struct rules *rules, struct ended *ended)
{
	const struct outcome outcome = ended->outcome;
	const struct class_known by_status = classify_by_status(rules, outcome);
	const bool throttled = set_has(&rules->throttle, outcome) ||
	    ended->matched & rules->matches & MATCH_BIT(MATCH_THROTTLE);
	const bool tempfail =
	    outcome.kind == OUTCOME_EXIT && outcome.code == EX_TEMPFAIL;
	const struct {
		bool applies;
		struct class_known known;
	} rows[] = {
		{ outcome.class != CLASS_NONE, { .class = outcome.class } },
		{ throttled, { .class = CLASS_TRANSIENT } },
		{ ended->by_line.class != CLASS_NONE, ended->by_line },
		{ by_status.class != CLASS_NONE, by_status },
		{ ended->hint >= 0, { .class = CLASS_TRANSIENT } },
		{ tempfail, { .class = CLASS_TRANSIENT } },
		{ outcome.kind == OUTCOME_UNSTARTABLE,
		    { .class = CLASS_PERMANENT } },
		{ true, { .class = CLASS_UNKNOWN } },
	};
	size_t i = 0;

	while (!rows[i].applies)
		i++;
	ended->known = rows[i].known;
	ended->outcome.class = ended->known.class;
}

static struct judgement
judgement_by(enum verdict verdict, enum rule rule)
{
	return (struct judgement){
		.verdict = verdict,
		.rule = rule,
		.throttled =
		    rule == RULE_THROTTLE_ON || rule == RULE_THROTTLE_MATCH,
	};
}

struct judgement
verdict_judge(const struct rules *rules, const struct ended *ended)
{
	const struct outcome outcome = ended->outcome;
	const unsigned int found = ended->matched & rules->matches;
	const unsigned int missing = rules->matches & ~found;
	const bool listed = set_has(&rules->success, outcome);
	const bool failed = found & MATCH_BIT(MATCH_FAIL);
	const bool unseen = missing & MATCH_BIT(MATCH_SUCCESS);
	const bool hopeless = set_has(&rules->hopeless, outcome);
	/* A preset's class stops the run later, if no --throttle-* retries. */
	const bool is_permanent = hopeless && outcome_ran(outcome) &&
	    outcome.class == CLASS_PERMANENT;

	/* A command that never ran leaves nothing to check. */
	if (rules->check && outcome_ran(outcome))
		return judgement_by(ended->check, RULE_CHECK);
	if (listed && !failed && !unseen)
		return judgement_by(VERDICT_SUCCESS, RULE_SUCCESS_ON);
	if (set_has(&rules->stop, outcome))
		return judgement_by(VERDICT_STOP, RULE_STOP_ON);
	if (hopeless && !is_permanent)
		return (struct judgement){ .verdict = VERDICT_STOP,
			.rule = RULE_STOP_ON,
			.by_default = true };
	if (found & MATCH_BIT(MATCH_STOP))
		return judgement_by(VERDICT_STOP, RULE_STOP_MATCH);
	if (ended->unread && !set_has(&rules->retry, outcome))
		return judgement_by(VERDICT_STOP, RULE_UNREAD);
	if (set_has(&rules->throttle, outcome))
		return judgement_by(VERDICT_RETRY, RULE_THROTTLE_ON);
	if (found & MATCH_BIT(MATCH_THROTTLE))
		return judgement_by(VERDICT_RETRY, RULE_THROTTLE_MATCH);
	if (is_permanent)
		return judgement_by(VERDICT_STOP, RULE_PRESET);
	if (set_has(&rules->retry, outcome))
		return judgement_by(VERDICT_RETRY, RULE_RETRY_ON);
	if (found & MATCH_BIT(MATCH_RETRY))
		return judgement_by(VERDICT_RETRY, RULE_RETRY_MATCH);
	if (rules->retry_listed)
		return (struct judgement){ .verdict = VERDICT_STOP,
			.rule = RULE_RETRY_ON,
			.unmatched = missing & MATCH_BIT(MATCH_RETRY) };
	if (rules->matches & MATCH_BIT(MATCH_RETRY))
		return judgement_by(VERDICT_STOP, RULE_RETRY_MATCH);
	if (listed)
		return judgement_by(VERDICT_RETRY,
		    failed ? RULE_FAIL_MATCH : RULE_SUCCESS_MATCH);
	return judgement_by(VERDICT_RETRY,
	    ended->why == WHY_IDLE ? RULE_IDLE_TIMEOUT : RULE_DEFAULT);
}

enum match
verdict_match(enum rule rule, unsigned int matched)
{
	if (rule < RULE_SUCCESS_MATCH)
		return MATCHES;
	const enum match match = rule - RULE_SUCCESS_MATCH;
	return match < MATCHES && matched & MATCH_BIT(match) ? match : MATCHES;
}

const char *const verdict_names[] = {
	[VERDICT_NONE] = "none",
	[VERDICT_SUCCESS] = "success",
	[VERDICT_RETRY] = "retry",
	[VERDICT_STOP] = "stop",
};

const char *const rule_names[] = {
	[RULE_NONE] = "none",
	[RULE_CHECK] = "check",
	[RULE_SUCCESS_ON] = "success-on",
	[RULE_SUCCESS_MATCH] = "success-match",
	[RULE_FAIL_MATCH] = "fail-match",
	[RULE_STOP_ON] = "stop-on",
	[RULE_STOP_MATCH] = "stop-match",
	[RULE_PRESET] = "preset",
	[RULE_UNREAD] = "unread",
	[RULE_THROTTLE_ON] = "throttle-on",
	[RULE_THROTTLE_MATCH] = "throttle-match",
	[RULE_RETRY_ON] = "retry-on",
	[RULE_RETRY_MATCH] = "retry-match",
	[RULE_DEFAULT] = "default",
	[RULE_IDLE_TIMEOUT] = "idle-timeout",
	[RULE_SIGNAL] = "signal",
	[RULE_MAX_TIME] = "max-time",
	[RULE_ERROR] = "error",
};
