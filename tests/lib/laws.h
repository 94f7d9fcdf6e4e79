/* SPDX-License-Identifier: MIT */

/*
 * What must hold after each step of an engine, whatever happens to it.  Who
 * includes this defines MUST(condition) first.
 *
 *	struct walk walk = { 0 };
 *
 *	walk.drive.policy = policy;
 *	walk.drive.engine = engine_open(&walk.drive.policy, random,
 *	    drive_hear, &walk.drive);
 *	walk_step(&walk, (struct event){ .kind = EVENT_START });
 */

#ifndef LAWS_H
#define LAWS_H

#include "drive.h"

struct walk {
	struct drive drive;
	double begun;
	uint64_t attempts; /* that were begun */
};

static inline double
walk_run_end(const struct walk *walk)
{
	const struct policy *policy = &walk->drive.policy;

	return policy->max_time > 0
	    ? walk->begun + policy->splay + policy->max_time
	    : INFINITY;
}

static inline void
walk_check_wait(const struct walk *walk)
{
	const struct record *run = &walk->drive.run;
	const struct delay *delay = &run->delay;

	MUST(run->waits);
	MUST(delay->nominal >= 0 && isfinite(delay->nominal));
	MUST(delay->low >= 0 && delay->low <= delay->seconds);
	MUST(delay->seconds <= delay->high && isfinite(delay->high));
	MUST(delay->seconds >= delay->hint);
	MUST(walk->drive.action.wake >= walk->drive.now);
	MUST(walk->drive.action.wake <= walk->drive.now + delay->seconds);
	MUST(isfinite(run->waited) && run->waited >= 0);
}

static inline void
walk_check_run(struct walk *walk)
{
	const struct record *run = &walk->drive.run;

	MUST(run->attempt == ++walk->attempts);
	MUST(run->limit == 0 || run->used <= run->limit);
	MUST(walk->drive.now < walk_run_end(walk));
	MUST(walk->drive.action.wake >= walk->drive.now);
	MUST(walk->drive.action.wake <= walk_run_end(walk));
	MUST(run->ended_by == 0);
}

static inline void
walk_check_finish(const struct walk *walk)
{
	const struct record *run = &walk->drive.run;
	const bool preserves = walk->drive.policy.preserve_status;

	MUST(run->reason != REASON_NONE);
	MUST(run->status >= 0 && run->status <= 255);
	MUST(run->death == 0 || run->status == 128 + run->death);
	if (run->status == 0 && !preserves)
		MUST(run->reason == REASON_SUCCESS ||
		    run->reason == REASON_SIGNAL || run->tolerated);
	if (run->reason == REASON_SUCCESS)
		MUST(run->status == 0 || preserves);
	MUST(run->failures <= run->attempt);
	/* All that was told of the end is so, whatever a hook did since. */
	MUST(walk->drive.ends == 1 && !walk->drive.talks);
	MUST(walk->drive.end.reason == run->reason);
	MUST(walk->drive.end.status == run->status);
	MUST(walk->drive.end.death == run->death);
}

static inline void
walk_step(struct walk *walk, struct event event)
{
	const struct action *action = &walk->drive.action;

	const bool probed = walk->drive.probes;

	walk->drive.judged = false;
	drive_event(&walk->drive, event);
	MUST(!isnan(action->wake));
	if (walk->drive.judged)
		MUST(walk->drive.run.judgement.verdict != VERDICT_NONE);
	/* A reload is for the program alone. */
	if (event.kind == EVENT_SIGNAL && event.signal == SIGHUP &&
	    !event.ends_run)
		MUST(action->kind == ACTION_NONE);
	/* What an attempt leaves is looked for before anything else. */
	if (event.kind == EVENT_EXITED && !walk->drive.asked &&
	    walk->drive.policy.leftovers == LEFTOVERS_END)
		MUST(action->kind == ACTION_LOOK ||
		    action->kind == ACTION_ABANDON);
	switch (action->kind) {
	case ACTION_NONE:
	case ACTION_ASK:
	case ACTION_LOOK:
	case ACTION_ABANDON:
	case ACTION_COLLECT:
		break;
	case ACTION_PROBE:
		MUST(!probed || event.kind == EVENT_PROBED);
		MUST(walk->drive.doing == DOING_PROCESS && !walk->drive.asked);
		break;
	case ACTION_END_PROBE:
		MUST(probed);
		break;
	case ACTION_RUN:
		walk_check_run(walk);
		break;
	case ACTION_WAIT:
		walk_check_wait(walk);
		break;
	case ACTION_KILL:
		MUST(action->signal == SIGKILL ||
		    action->signal == walk->drive.policy.signal);
		/* It has got the signal that ends the run, and drains. */
		MUST(action->signal == SIGKILL || !walk->drive.signalled ||
		    event.kind == EVENT_ERROR);
		break;
	case ACTION_DELIVER:
		MUST(walk->drive.policy.delivery != DELIVERY_NONE);
		break;
	case ACTION_FINISH:
		walk_check_finish(walk);
		break;
	}
}

#endif
