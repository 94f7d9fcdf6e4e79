/*
 * Takes an engine through a run on an invented clock.  The caller says what
 * happens and when; what the engine answered last is in `action`.
 *
 *	struct drive drive = { .policy = drive_policy("exponential") };
 *
 *	drive_start(&drive);
 *	drive_exit(&drive, 1);
 *	CHECK_INT(drive.action.kind, ACTION_WAIT);
 *	drive_timer(&drive);
 */

#ifndef DRIVE_H
#define DRIVE_H

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/duration.h"
#include "core/engine.h"

struct drive {
	struct policy policy; /* may change between events */
	struct random random;
	struct engine engine;
	struct action action;
	double now;
};

/* By name, with neither parameters nor values; it must exist. */
static inline const struct strategy *
drive_strategy(const char *name)
{
	const struct strategy *row = strategies;

	while (row->name != NULL && strcmp(row->name, name) != 0)
		row++;
	if (row->name == NULL)
		abort();
	return row;
}

static inline struct jitter
drive_jitter(const char *text, enum jitter_order order)
{
	struct jitter jitter = { .order = order };

	if (jitter_parse(text, &jitter) != NULL)
		abort();
	return jitter;
}

/* No limit on attempts, a base of 1 s, no cap, no jitter; 0 is success. */
static inline struct policy
drive_policy(const char *strategy)
{
	struct policy policy = {
		.kill_after = 10,
		.signal = SIGTERM,
		.hint_limit = 3600,
		.backoff = { .strategy = drive_strategy(strategy),
		    .base = 1,
		    .cap = DURATION_MAX },
		.jitter = drive_jitter("none", JITTER_INSIDE),
	};

	if (set_apply(&policy.rules.success, "0") != NULL)
		abort();
	return policy;
}

static inline enum action_kind
drive_step(struct drive *drive, struct event event)
{
	event.now = drive->now;
	drive->action = engine_step(&drive->engine, event);
	return drive->action.kind;
}

/* Begins the run at `now`. */
static inline enum action_kind
drive_start(struct drive *drive)
{
	engine_init(&drive->engine, &drive->policy, drive->random);
	return drive_step(drive, (struct event){ .kind = EVENT_START });
}

/* The attempt ended, with a hint or, where that is negative, without. */
static inline enum action_kind
drive_end(struct drive *drive, struct outcome outcome, double hint)
{
	return drive_step(drive,
	    (struct event){ .kind = EVENT_ENDED,
		.evidence.outcome = outcome,
		.hint = hint });
}

static inline enum action_kind
drive_exit(struct drive *drive, int status)
{
	return drive_end(drive, (struct outcome){ OUTCOME_EXIT, status }, -1);
}

/* The clock reaches the moment that the last action named. */
static inline enum action_kind
drive_timer(struct drive *drive)
{
	if (!isfinite(drive->action.wake))
		abort();
	drive->now = fmax(drive->now, drive->action.wake);
	return drive_step(drive, (struct event){ .kind = EVENT_TIMER });
}

static inline enum action_kind
drive_signal(struct drive *drive, int number)
{
	return drive_step(drive,
	    (struct event){ .kind = EVENT_SIGNAL, .signal = number });
}

static inline enum action_kind
drive_answer(struct drive *drive, enum verdict answer)
{
	return drive_step(drive,
	    (struct event){ .kind = EVENT_ANSWER, .answer = answer });
}

#endif
