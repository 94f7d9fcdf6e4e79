/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <stdio.h>

#include "plan/bound.h"
#include "report/message.h"
#include "core/delay.h"
#include "core/duration.h"
#include "core/process.h"

/* So many waits are looked at; others are as long as any can be. */
#define WAITS 50000

/* The largest draw. */
static const double almost_1 = 1 - 0x1p-53;
static const double zero = 0;

/* The longest delays, one after the other. */
struct waits {
	const struct policy *policy;
	/*
	 * The levels after draws of 0, and of nearly 1 alone: from one of the
	 * two the next delay is the longest, for any strategy.
	 */
	struct level low, high;
	uint64_t n;
	double path;  /* the sum of all, if every draw is nearly 1 */
	bool clamped; /* a delay met --max-delay or --min-delay */
};

/* --- delays --- */

static struct delay
draw_delay(const struct waits *waits, struct level *level, const double *chance,
    bool throttled, bool success)
{
	const struct random random = { .script = chance, .script_length = 1 };

	return delay_draw(waits->policy, &random, level,
	    (struct delay_request){ .n = waits->n,
		.attempt = waits->n + 1,
		.throttled = throttled,
		.success = success });
}

/* From this level, after a throttled attempt or another. */
static double
longest_from(const struct waits *waits, struct level *level,
    const double *chance, bool success, double *drawn)
{
	const bool throttles = waits->policy->throttle_delay > 0 && !success;
	struct level other = *level;
	struct delay delay = draw_delay(waits, level, chance, false, success);

	if (throttles) {
		const struct delay throttled =
		    draw_delay(waits, &other, chance, true, success);

		if (throttled.high > delay.high) {
			*level = other;
			delay = throttled;
		}
	}
	*drawn = delay.high;
	return delay.high;
}

/* No delay of the strategy is longer. */
static double
longest_of_all(const struct policy *policy)
{
	return jitter_delay(&policy->jitter, &policy->backoff, INFINITY, 1);
}

static double
next_wait(struct waits *waits, bool success)
{
	const struct backoff *backoff = &waits->policy->backoff;
	double drawn, path;

	if (!success)
		waits->n++;
	const double low =
	    longest_from(waits, &waits->low, &zero, success, &drawn);
	const double high =
	    longest_from(waits, &waits->high, &almost_1, success, &path);
	const double wait = fmax(low, high);
	waits->path += path;
	waits->clamped |= backoff->min > 0 || wait >= backoff->cap;
	return wait;
}

/* --- attempts --- */

/* How long a process may run by --timeout. */
static double
process_limit(const struct policy *policy, double least)
{
	double limit = policy->timeout > 0 ? policy->timeout : INFINITY;

	if (policy->timeout_share > 0)
		limit = fmin(limit,
		    fmax(policy->timeout_share * policy->max_time, least));
	return limit;
}

/* How long a simulated attempt may take without a limit. */
static double
script_longest(const struct world *world)
{
	const struct script *script = &world->script;
	double longest = world->policy.idle_timeout;

	for (size_t i = 0; i < script->count; i++)
		longest = fmax(longest, script->items[i].duration);
	if (script->down_from < INFINITY)
		longest = fmax(longest, script->down.duration);
	return longest;
}

/*
 * An attempt and its check: it is ended at the last moment, or exits then, and
 * its check is ended.  `paced` is the delay of which --min-timeout makes a
 * limit.
 */
static double
attempt_time(const struct world *world, double paced)
{
	const struct policy *policy = &world->policy;
	double limit = process_limit(policy, policy->min_timeout);

	if (policy->pace_start && policy->min_timeout > 0)
		limit = fmin(limit, fmax(paced, policy->min_timeout));
	if (isinf(limit))
		limit = script_longest(world);
	else if (!policy->rules.check)
		return limit + policy->kill_after;
	if (!policy->rules.check)
		return limit;
	const double check = process_limit(policy, 0);
	return limit + (isinf(check) ? 0 : check + policy->kill_after);
}

/* --- how many --- */

/* All outcomes that may be a failure. */
static struct set
failures_of(const struct rules *rules)
{
	struct set failures = { 0 };

	set_parse(&failures, "any", NULL);
	if (!rules->check && rules->matches == 0)
		set_remove(&failures, &rules->success);
	return failures;
}

static bool
is_empty(const struct set *set)
{
	return script_example(set).kind == OUTCOME_NONE;
}

/* The failures that do not count against this limit, or the number itself. */
static struct set
missed_by(const struct policy *policy, const struct limit *limit)
{
	struct set missed = failures_of(&policy->rules);

	if (limit != NULL && limit->named)
		set_remove(&missed, &limit->set);
	else
		set_keep(&missed, &policy->free);
	return missed;
}

/* Limits that every failure counts against; and the most failures there are. */
struct failures {
	struct limits windows; /* of these limits, those with a window */
	double most;
};

static struct failures
count_failures(const struct policy *policy)
{
	const struct limits *limits = &policy->limits;
	struct failures failures = { .most = INFINITY };
	struct set missed_by_all = failures_of(&policy->rules);
	double sum = 1;

	for (size_t i = 0; i <= limits->count; i++) {
		const struct limit *limit =
		    i < limits->count ? &limits->rows[i] : NULL;
		const double count = limit == NULL ? (double)limits->attempts
						   : (double)limit->count;
		const bool has_window =
		    limit != NULL && limit->window < INFINITY;
		struct set missed = missed_by(policy, limit);

		if (count == 0)
			continue;
		if (is_empty(&missed) && (!has_window || count == 1))
			failures.most = fmin(failures.most, count);
		else if (is_empty(&missed) && limit != NULL)
			failures.windows.rows[failures.windows.count++] =
			    *limit;
		if (has_window)
			continue;
		set_keep(&missed_by_all, &missed);
		sum += count - 1;
	}
	if (is_empty(&missed_by_all))
		failures.most = fmin(failures.most, sum);
	return failures;
}

/* Whether --reset-after may begin anew, as often as it likes. */
static bool
resets(const struct policy *policy)
{
	return policy->reset_after > 0 &&
	    process_limit(policy, policy->min_timeout) > policy->reset_after;
}

/* --- the bound --- */

/* By the number of attempts. */
static struct bound
bound_by_attempts(const struct world *world)
{
	const struct policy *policy = &world->policy;
	const struct failures failures = count_failures(policy);
	const struct set any = failures_of(&policy->rules);
	const struct outcome failure = script_example(&any);
	const bool repeats = policy->repeat && policy->repeats != 1;
	const double limit = process_limit(policy, policy->min_timeout);
	const double gate =
	    policy->gate && limit < INFINITY ? limit + policy->kill_after : 0;
	const double longest = longest_of_all(policy);
	struct waits waits = { .policy = policy };
	struct tally tally = { 0 };
	double most = failures.most, before = 0, waited = 0, rest = 0;
	struct bound bound = {
		.unlimited = isinf(limit) &&
		    !(policy->pace_start && policy->min_timeout > 0),
		.hint = policy->hints ? policy->hint_limit : 0,
	};

	/* With each success the count of failures begins anew. */
	if (repeats)
		most = most == 1 && policy->repeats > 0
		    ? (double)policy->repeats
		    : INFINITY;
	else if (resets(policy) && most > 1)
		most = INFINITY;
	const bool has_windows = failures.windows.count > 0 && !repeats &&
	    !resets(policy) && !bound.unlimited;
	if (policy->wait_first)
		waited += next_wait(&waits, false);
	for (double made = 0;;) {
		struct waits ahead = waits;
		const double paced = next_wait(&ahead, false);
		const double attempt = attempt_time(world, paced);

		made++;
		bound.seconds += attempt;
		if (made >= most ||
		    (has_windows &&
			limits_failure(&failures.windows, &tally, failure,
			    false, bound.seconds + waited) != NULL))
			break;
		if (isinf(most) && (!has_windows || made >= WAITS)) {
			bound.seconds = INFINITY;
			return bound;
		}
		double wait = next_wait(&waits, repeats);
		const bool longer = wait > before;
		before = wait;
		wait = fmax(wait, bound.hint);
		if (policy->pace_start)
			wait = fmax(wait - attempt, 0);
		waited += wait;
		bound.seconds += gate;
		/* What follows is as long as this, or as anything can be. */
		if (made >= WAITS || (before >= longest && !has_windows)) {
			rest = most - made;
			wait = fmax(longer ? longest : before, bound.hint);
			if (policy->pace_start)
				wait = fmax(wait - attempt, 0);
			waited += (rest - 1) * wait;
			bound.seconds += rest * attempt + (rest - 1) * gate;
			break;
		}
	}
	/* Delays of `smooth` add up to less than the longest of each do. */
	if (!waits.clamped && rest == 0 && bound.hint == 0 &&
	    !policy->pace_start)
		waited = fmin(waited, waits.path);
	bound.waited = waited + policy->splay;
	bound.seconds += bound.waited;
	bound.unkilled = !bound.unlimited && policy->kill_after == 0;
	return bound;
}

struct bound
bound_of(const struct world *world)
{
	const struct policy *policy = &world->policy;
	/* Without SIGKILL the run does not wait for ever all the same. */
	const double kill_after =
	    policy->kill_after > 0 ? policy->kill_after : PROCESS_LAST_GRACE;
	const double last = policy->splay + policy->max_time + kill_after;
	const struct bound bound = bound_by_attempts(world);

	if (policy->max_time > 0 &&
	    (bound.unlimited || bound.unkilled || bound.seconds > last))
		return (struct bound){ .seconds = last, .by_max_time = true };
	return bound;
}

void
bound_print(const struct world *world, const struct bound *bound)
{
	const struct policy *policy = &world->policy;
	const bool waits = bound->seconds > 0 &&
	    bound->seconds - bound->waited <= 1e-9 * bound->seconds;
	char text[MESSAGE_PART];

	if (isinf(bound->seconds)) {
		printf("longest   no bound; --max-time would give one\n");
		return;
	}
	printf("longest   %s", duration_text(bound->seconds, text));
	if (bound->by_max_time) {
		printf(", by --max-time%s\n",
		    policy->kill_after > 0 ? " and --kill-after" : "");
		return;
	}
	printf("%s", waits ? " of waiting" : "");
	if (bound->hint > 0)
		printf(", each hint %s", duration_text(bound->hint, text));
	if (bound->unlimited && bound->seconds > bound->waited)
		printf(", if no attempt lasts longer than in the script\n");
	else
		printf("%s\n",
		    bound->unlimited ? "; attempts have no time limit"
			: bound->unkilled
			? "; an attempt that ignores the signal takes longer"
			: policy->rules.check || policy->gate
			? ", every time limit used up"
			: ", every attempt ended by its timeout");
}
