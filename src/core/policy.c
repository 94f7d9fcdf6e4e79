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
	/* Whether a wait may follow an attempt that succeeded, or failed. */
	const bool after_success = policy->repeat && policy->repeats != 1;
	bool fails_once = limits->attempts == 1;
	for (size_t i = 0; i < limits->count; i++)
		fails_once |=
		    limits->rows[i].count == 1 && !limits->rows[i].named;
	/* A failed run draws a delay, too: a state keeps it for a later run. */
	const bool after_failure = !fails_once || policy->wait_first ||
	    policy->remember || memcmp(&policy->free, &none, sizeof(none)) != 0;
	double longest = backoff->min;

	if (policy->splay > 0)
		return true;
	if (!after_failure && !after_success)
		return false;
	if (after_failure || backoff->strategy->keeps_level)
		longest = fmax(fmax(longest, policy->throttle_delay),
		    fmax(backoff->base, backoff_longest(backoff)));
	if (after_success)
		longest = fmax(longest, policy->success_delay);
	if (policy->hints && policy->hint_spread > 0)
		return true;
	if (backoff->strategy->random)
		return after_failure && longest > 0;
	if (jitter->kind->least < 1)
		return longest > 0;
	/* 20% of 0 is 0. */
	return jitter->amount > 0 && (longest > 0 || !jitter->kind->relative);
}

bool
policy_ends_processes(const struct policy *policy)
{
	return policy->timeout > 0 || policy->timeout_share > 0 ||
	    policy->min_timeout > 0 || policy->idle_timeout > 0 ||
	    policy->stop_timeout > 0 || policy->max_time > 0 ||
	    policy->leftovers == LEFTOVERS_END;
}
