/* SPDX-License-Identifier: MIT */

#include "policy.h"

bool
policy_draws(const struct policy *policy)
{
	return policy->splay > 0 || policy->backoff.strategy->random ||
	    !policy->jitter.kind->fixed;
}

bool
policy_ends_processes(const struct policy *policy)
{
	return policy->timeout > 0 || policy->timeout_share > 0 ||
	    policy->min_timeout > 0 || policy->idle_timeout > 0 ||
	    policy->stop_timeout > 0 || policy->max_time > 0 ||
	    policy->health.used;
}
