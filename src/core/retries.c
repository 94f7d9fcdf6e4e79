/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <string.h>

#include "delay.h"
#include "retries.h"

/* Of a number that a state may have: the largest one stays. */
static uint64_t
next_number(uint64_t number)
{
	return number < UINT64_MAX ? number + 1 : number;
}

void
retries_restore(struct retries *retries, struct state state)
{
	retries->restored = state;
	retries->level = state.level;
	retries->delays = state.n;
}

bool
retries_wait_first(struct retries *retries, double *splay)
{
	const struct policy *policy = retries->policy;
	const double left = retries->restored.delay;
	const bool first = policy->wait_first && retries->delays == 0;
	struct delay *delay = &retries->record->wait.delay;

	*splay = 0;
	if (!(first || policy->splay > 0 || left > 0))
		return false;
	*delay = (struct delay){ 0 };
	if (left > 0) {
		retries->record->wait.kept = true;
		delay->nominal = delay->low = delay->high = delay->seconds =
		    left;
	} else if (first) {
		retries->delays = next_number(retries->delays);
		*delay = delay_draw(policy, &retries->random, &retries->level,
		    (struct delay_request){ .n = retries->delays,
			.attempt = 1 });
	}
	if (policy->splay > 0) {
		*splay = policy->splay *
		    random_uniform(&retries->random, 1, DRAW_SPLAY);
		delay->high += policy->splay;
		delay->seconds += *splay;
	}
	return true;
}

/*
 * The time from which --pace=start counts is when the attempt was due: if each
 * attempt begins a little late, the rate stays the same.  An attempt that is
 * late by more than its delay, because retry was stopped, begins a new series.
 */
void
retries_begin(struct retries *retries, double time)
{
	const double due =
	    retries->delay_begun + retries->record->wait.delay.seconds;
	struct level level = retries->level;

	retries->record->used++;
	if (retries->policy->pace == PACE_END)
		return;
	retries->paced_from =
	    time < due || time - due >= retries->paced.seconds ? time : due;
	retries->paced = delay_draw(retries->policy, &retries->random, &level,
	    (struct delay_request){ .n = next_number(retries->delays),
		.attempt = retries->record->attempt.number + 1 });
}

/*
 * The wait after an attempt that failed, or, with --repeat, succeeded; its hint
 * may make it longer.
 */
static void
draw_delay(struct retries *retries, bool success, double time)
{
	const struct policy *policy = retries->policy;
	const struct ended *last = &retries->record->last;
	const uint64_t attempt = retries->record->attempt.number + 1;
	struct delay delay =
	    delay_draw(policy, &retries->random, &retries->level,
		(struct delay_request){ .n = retries->delays,
		    .attempt = attempt,
		    .throttled = last->judgement.throttled,
		    .success = success });

	if (policy->pace == PACE_START) {
		const double elapsed = time - retries->paced_from;

		delay.low = fmax(delay.low - elapsed, 0);
		delay.high = fmax(delay.high - elapsed, 0);
		delay.seconds = fmax(delay.seconds - elapsed, 0);
	}
	if (last->hint >= 0)
		delay = delay_hinted(policy, &retries->random, delay,
		    last->hint, attempt);
	retries->record->wait.delay = delay;
	retries->delay_begun = time;
}

bool
retries_success(struct retries *retries, double time)
{
	const struct policy *policy = retries->policy;

	retries->successes++;
	if (!policy->repeat ||
	    (policy->repeats > 0 && retries->successes >= policy->repeats)) {
		/* A state has the level that follows a success. */
		backoff_success(&policy->backoff, &retries->level, 0);
		return true;
	}
	retries->record->used = 0;
	/* A success does not clear time windows. */
	memset(retries->tally.counts, 0, sizeof(retries->tally.counts));
	retries->delays = 0;
	draw_delay(retries, true, time);
	return false;
}

void
retries_failure(struct retries *retries, double time)
{
	const struct policy *policy = retries->policy;
	struct record *record = retries->record;
	const struct ended *last = &record->last;
	/* --reset-after: the attempt ran long enough, and was healthy. */
	const bool lasted = policy->reset_after > 0 &&
	    last->outcome.kind != OUTCOME_TIMEOUT &&
	    (!policy->health.used || record->attempt.probes.was_healthy) &&
	    last->duration >= policy->reset_after;

	retries->successes = 0;
	if (lasted) {
		retries->delays = 0;
		record->used = 1;
		retries->level = (struct level){ 0 };
		memset(&retries->tally, 0, offsetof(struct tally, times));
	}
	const bool is_free = set_has(&policy->free, last->outcome);
	if (is_free)
		record->used--;
	record->reached = limits_failure(&policy->limits, &retries->tally,
	    last->outcome, is_free, time);
	retries->delays = next_number(retries->delays);
	draw_delay(retries, false, time);
}

bool
retries_are_used_up(const struct retries *retries)
{
	const uint64_t limit = retries->policy->limits.attempts;

	return (limit > 0 && retries->record->used >= limit) ||
	    retries->record->reached != NULL;
}

uint64_t
retries_given_up(const struct retries *retries, enum reason reason)
{
	return reasons[reason].gives_up && retries->record->attempt.number > 0
	    ? next_number(retries->restored.given_up)
	    : retries->restored.given_up;
}

struct state
retries_left(const struct retries *retries, double time)
{
	const struct record *record = retries->record;
	const bool keeps = retries->policy->backoff.strategy->keeps_level;

	if (record->last.judgement.verdict == VERDICT_SUCCESS)
		return (struct state){
			.level = keeps ? retries->level : (struct level){ 0 },
			/* With --repeat the run may still give up. */
			.given_up = record->end.reason == REASON_NONE
			    ? retries->restored.given_up
			    : 0,
		};
	return (struct state){
		.level = retries->level,
		.n = retries->delays,
		.given_up = retries_given_up(retries, record->end.reason),
		.delay = record->wait.delay.seconds,
		.age = time - retries->delay_begun,
	};
}
