/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <string.h>

#include "policy.h"

bool
policy_draws(const struct policy *policy)
{
	static const struct set none;
	const struct backoff *backoff = &policy->backoff;
	const struct jitter *jitter = &policy->jitter;
	const struct limits *limits = &policy->limits;
	/* Whether an attempt may follow one that succeeded. */
	const bool successes = policy->repeat && policy->repeats != 1;
	bool fails_once = limits->attempts == 1;
	for (size_t i = 0; i < limits->count; i++)
		fails_once |=
		    limits->rows[i].count == 1 && !limits->rows[i].named;
	/* A failed run draws a delay, too: a state keeps it for a later run. */
	const bool failures = !fails_once || policy->wait_first ||
	    policy->remember || memcmp(&policy->free, &none, sizeof(none)) != 0;
	double longest = backoff->min;

	if (policy->splay > 0)
		return true;
	if (!failures && !successes)
		return false;
	if (failures || backoff->strategy->keeps_level)
		longest = fmax(fmax(longest, policy->throttle_delay),
		    fmax(backoff->base, backoff_longest(backoff)));
	if (successes)
		longest = fmax(longest, policy->success_delay);
	if (policy->hints && policy->hint_spread > 0)
		return true;
	if (backoff->strategy->random)
		return failures && longest > 0;
	/* 20% of 0 is 0. */
	return jitter->kind->least < 1 || jitter->kind->relative
	    ? longest > 0 && (jitter->kind->least < 1 || jitter->amount > 0)
	    : jitter->amount > 0;
}

bool
policy_ends_processes(const struct policy *policy)
{
	return policy->timeout > 0 || policy->timeout_share > 0 ||
	    policy->min_timeout > 0 || policy->idle_timeout > 0 ||
	    policy->stop_timeout > 0 || policy->max_time > 0 ||
	    policy->leftovers == LEFTOVERS_END;
}
