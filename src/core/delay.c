#include "delay.h"
#include "number.h"

/* The delay of the strategy, for the draw `u`. */
static double
nominal_delay(const struct policy *policy, const struct backoff *backoff,
    struct level *level, struct delay_request request, double u)
{
	if (request.success)
		return backoff_success(backoff, level, policy->success_delay);
	const double nominal = backoff_nominal(backoff, level, request.n, u);
	if (request.throttled &&
	    (backoff->strategy->listed || backoff->strategy->keeps_level))
		return number_max(nominal, policy->throttle_delay);
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
		backoff.base = policy->throttle_delay;
	const double low = jitter_delay(jitter, &backoff,
	    nominal_delay(policy, &backoff, &low_level, request, 0), 0);
	const double high = jitter_delay(jitter, &backoff,
	    nominal_delay(policy, &backoff, &high_level, request, 1), 1);
	const double u = low < high
	    ? random_uniform(random, request.attempt, DRAW_DELAY)
	    : 0;
	const double nominal =
	    nominal_delay(policy, &backoff, level, request, u);
	return (struct delay){
		.nominal = backoff_clamp(&backoff, nominal),
		.low = low,
		.high = high,
		.seconds = jitter_delay(jitter, &backoff, nominal, u),
		.hint = -1,
	};
}

struct delay
delay_hinted(const struct policy *policy, const struct random *random,
    struct delay delay, double hint, uint64_t attempt)
{
	const double most = number_min(hint * (1 + policy->hint_spread),
	    number_max(policy->hint_limit, hint));
	double spread = hint;

	if (policy->hint_spread > 0)
		spread +=
		    (most - hint) * random_uniform(random, attempt, DRAW_HINT);
	delay.hint = hint;
	delay.low = number_max(delay.low, hint);
	delay.high = number_max(delay.high, most);
	delay.seconds = number_max(delay.seconds, spread);
	return delay;
}

struct delay
delay_left(struct delay delay, double elapsed)
{
	delay.low = number_max(delay.low - elapsed, 0);
	delay.high = number_max(delay.high - elapsed, 0);
	delay.seconds = number_max(delay.seconds - elapsed, 0);
	return delay;
}
