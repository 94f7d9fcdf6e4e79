/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <stdio.h>

#include "plan/bound.h"
#include "plan/script.h"
#include "core/delay.h"
#include "core/duration.h"
#include "core/process.h"

/* So many waits are computed; later ones are as long as any can be. */
#define WAITS 50000

/*
 * The longest wait that can follow.  For any strategy it follows a draw of 0,
 * or draws of nearly 1 alone, each of which leaves a level.
 */
static double
longest_wait(const struct policy *policy, struct level levels[2], uint64_t n)
{
	static const double draws[2] = { 0, 1 - 0x1p-53 };
	double longest = policy->hints ? policy->hint_limit : 0;

	for (int i = 0; i < 2; i++) {
		const struct random random = { .script = &draws[i],
			.script_length = 1 };
		struct delay_request request = { .n = n,
			.attempt = n + 1,
			.success = policy->repeat };
		struct level level = levels[i];
		double high =
		    delay_draw(policy, &random, &levels[i], request).high;

		request.throttled = policy->throttle_delay > 0;
		const double throttled =
		    delay_draw(policy, &random, &level, request).high;
		if (throttled > high) {
			high = throttled;
			levels[i] = level;
		}
		longest = fmax(longest, high);
	}
	return longest;
}

/* How many attempts there can be; INFINITY: no option limits them. */
static double
most_attempts(const struct policy *policy)
{
	const double most = (double)policy->limits.attempts;
	const bool resets = policy->reset_after > 0 &&
	    (policy->timeout == 0 || policy->timeout > policy->reset_after);

	if (policy->repeat && most == 1 && policy->repeats > 0)
		return (double)policy->repeats;
	if (policy->repeat || most == 0 || (resets && most > 1) ||
	    script_example(&policy->free).kind != OUTCOME_NONE)
		return INFINITY;
	return most;
}

struct bound
bound_of(const struct policy *policy)
{
	const double process = policy->timeout > 0 && policy->kill_after > 0
	    ? policy->timeout + policy->kill_after
	    : INFINITY;
	const double attempt = policy->rules.check ? 2 * process : process;
	const double gate = policy->gate ? process : 0;
	const double attempts = most_attempts(policy);
	const double last = policy->splay + policy->max_time +
	    (policy->kill_after > 0 ? policy->kill_after : PROCESS_LAST_GRACE);
	struct level levels[2] = { { .previous = 0 }, { .previous = 0 } };
	double waits = policy->splay, wait = 0, count = 1;
	uint64_t n = 0;

	if (policy->wait_first)
		waits += longest_wait(policy, levels, ++n);
	double seconds = waits + attempt;
	double left = attempts - 1;
	while (left > 0) {
		const double before = wait;

		if (isinf(attempts)) {
			seconds = waits = INFINITY;
			break;
		}
		wait = longest_wait(policy, levels, ++n);
		if (n > WAITS) {
			count = left;
			if (wait > before)
				wait = fmax(wait,
				    jitter_delay(&policy->jitter,
					&policy->backoff, INFINITY, 1));
		}
		waits += count * wait;
		seconds += count *
		    (gate +
			(policy->pace == PACE_START ? fmax(attempt, wait)
						    : attempt + wait));
		left -= count;
	}
	if (policy->max_time == 0 || last >= seconds)
		return (struct bound){ seconds, waits,
			"if every time limit is used up" };
	return (struct bound){ last, waits,
		policy->kill_after > 0 ? "by --max-time and --kill-after"
				       : "by --max-time" };
}

void
bound_print(FILE *file, const struct bound *bound)
{
	char text[DURATION_TEXT];

	if (bound->seconds < INFINITY)
		fprintf(file, "longest   %s, %s\n",
		    duration_text(bound->seconds, text), bound->why);
	else if (bound->waits > 0 && bound->waits < INFINITY)
		fprintf(file,
		    "longest   no bound without a time limit; waits add at "
		    "most %s\n",
		    duration_text(bound->waits, text));
	else
		fprintf(file, "longest   no bound without --max-time\n");
}
