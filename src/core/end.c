/* SPDX-License-Identifier: MIT */

#include "end.h"

/* The exit status of a run that ends as its last attempt did. */
static int
last_status(const struct record *record)
{
	const struct outcome returned = record->last.returned;

	if (!record->policy->preserve_status)
		return outcome_status(record->last.outcome);
	return returned.kind == OUTCOME_EXIT ? returned.code
					     : outcome_status(returned);
}

struct end
end_as_last(const struct record *record, enum reason reason)
{
	const struct policy *policy = record->policy;
	const struct outcome outcome = record->last.outcome;
	struct end end = { .reason = reason, .status = last_status(record) };

	/* With --repeat it may have succeeded in a run that gives up. */
	if (record->last.judgement.verdict == VERDICT_SUCCESS) {
		if (policy->flaky_status > 0 && record->failures > 0)
			end.status = policy->flaky_status;
		else if (!policy->preserve_status)
			end.status = 0;
	} else if (reason == REASON_SIGNAL && outcome.kind == OUTCOME_EXIT &&
	    outcome.code == 0)
		end.status = 0;
	else if (policy->transient_status > 0 && reason != REASON_SIGNAL &&
	    outcome.class == CLASS_TRANSIENT)
		end.status = policy->transient_status;
	else if (outcome.kind == OUTCOME_SIGNAL)
		end.death = outcome.code;
	return end;
}

struct end
end_cut_short(const struct record *record)
{
	return (struct end){ .reason = REASON_MAX_TIME,
		.status = record->policy->preserve_status &&
			record->attempt.number > 0
		    ? last_status(record)
		    : STATUS_TIMEOUT };
}

struct end
end_by_signal(int signal)
{
	return (struct end){ .reason = REASON_SIGNAL,
		.status = 128 + signal,
		.death = signal,
		.ended_by = signal };
}

struct end
end_by_error(int death)
{
	return (struct end){ .reason = REASON_ERROR,
		.status = death != 0 ? 128 + death : STATUS_OWN_FAILURE,
		.death = death };
}
