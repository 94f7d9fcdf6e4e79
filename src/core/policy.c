/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <string.h>

#include "policy.h"

/* Whether the first failure that counts ends the run. */
static bool
fails_once(const struct limits *limits)
{
	bool once = limits->attempts == 1;

	for (size_t i = 0; i < limits->count; i++)
		once |= limits->rows[i].count == 1 && !limits->rows[i].named;
	return once;
}

/* Whether there may be a delay that the strategy finds. */
static bool
has_backoff(const struct policy *policy)
{
	static const struct set none;
	const bool free = memcmp(&policy->free, &none, sizeof(none)) != 0;

	/* A state keeps the delay that would come next. */
	return policy->wait_first || policy->remember || free ||
	    !fails_once(&policy->limits);
}

/* Whether an attempt may follow one that succeeded. */
static bool
follows_success(const struct policy *policy)
{
	return policy->repeat && policy->repeats != 1;
}

bool
policy_draws(const struct policy *policy)
{
	const struct backoff *backoff = &policy->backoff;
	const struct jitter *jitter = &policy->jitter;
	const bool failures = has_backoff(policy);
	const bool successes = follows_success(policy);
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
