/* SPDX-License-Identifier: MIT */

#include <math.h>

#include "delay.h"

/* Enough to spread many clients, and little compared with a hint of hours. */
#define HINT_SPREAD_MOST 60.0

/* The delay of the strategy, for the draw `u`. */
static double
nominal_delay(const struct policy *policy, const struct backoff *backoff,
    struct level *level, struct delay_request request, double u)
{
	if (request.success)
		return backoff_success(backoff, level, policy->success_delay);
	const double nominal = backoff_nominal(backoff, level, request.n, u);
	/* These have no base that --throttle-delay could replace. */
	if (request.throttled &&
	    (backoff->strategy->listed || backoff->strategy->keeps_level))
		return fmax(nominal, policy->throttle_delay);
	return nominal;
}

struct delay
delay_draw(const struct policy *policy, const struct random *random,
    struct level *level, struct delay_request request)
{
	const struct jitter *jitter = &policy->jitter;
	struct backoff backoff = policy->backoff;
	struct level low_level = *level, high_level = *level;

	if (request.throttled && !backoff.strategy->keeps_level)
		backoff.base = policy->throttle_delay; /* if it has one */
	/* The least draw and the largest, on copies of the level. */
	const double low = jitter_delay(jitter, &backoff,
	    nominal_delay(policy, &backoff, &low_level, request, 0), 0);
	const double high = jitter_delay(jitter, &backoff,
	    nominal_delay(policy, &backoff, &high_level, request, 1), 1);
	/* Even if low is high: a strategy may store the draw in its level. */
	const double u = random_uniform(random, request.attempt, DRAW_DELAY);
	const double nominal =
	    nominal_delay(policy, &backoff, level, request, u);
	return (struct delay){
		/* As far as jitter_delay() uses it. */
		.nominal = fmin(backoff_clamp(&backoff, nominal),
		    jitter_room(jitter, &backoff)),
		.low = low,
		.high = high,
		.seconds = jitter_delay(jitter, &backoff, nominal, u),
	};
}

struct delay
delay_hinted(const struct policy *policy, const struct random *random,
    struct delay delay, double hint, uint64_t attempt)
{
	const double most =
	    fmin(hint + fmin(hint * policy->hint_spread, HINT_SPREAD_MOST),
		fmax(policy->hint_limit, hint));
	double asked = hint;

	if (policy->hint_spread > 0)
		asked +=
		    (most - hint) * random_uniform(random, attempt, DRAW_HINT);
	delay.hint_is_longer = hint > delay.high;
	delay.hint_decides = asked > delay.seconds;
	delay.low = fmax(delay.low, hint);
	delay.high = fmax(delay.high, most);
	delay.seconds = fmax(delay.seconds, asked);
	return delay;
}
