/* SPDX-License-Identifier: MIT */

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

/* What a driver would be busy with. */
enum doing {
	DOING_NOTHING,
	DOING_PROCESS,	/* it runs */
	DOING_LOOK,	/* it has exited: what it left is waited for */
	DOING_COLLECT,	/* what came of it is asked for */
	DOING_QUESTION, /* one that no process answers */
	DOING_WAIT,
	DOING_DELIVERY,
	DOING_OVER
};

struct drive {
	struct policy policy; /* may change between events */
	struct random random;
	struct engine *engine;
	struct action action;
	struct record run; /* where the run stands */
	struct record end; /* as it was told */
	int ends;	   /* how often that was */
	bool talks;	   /* more than signals was told since */
	bool judged;	   /* the last step told an outcome */
	int told;	   /* records of the last event */
	enum record_kind told_last;
	enum doing doing;
	bool signalled;	    /* by what ends the run */
	bool probes;	    /* a health probe runs */
	bool asked;	    /* a question is asked: no attempt runs */
	struct state saved; /* what the run left to the next */
	bool was_saved;
	double now;
};

/* There is one engine at a time; the last one is freed at the end. */
static inline struct engine **
drive_engine(void)
{
	static struct engine *engine;

	return &engine;
}

static inline void
drive_free(void)
{
	engine_close(*drive_engine());
	*drive_engine() = NULL;
}

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
		.health = { .interval = 30, .timeout = 30, .retries = 3 },
		.hint_limit = 3600,
		.backoff = { .strategy = drive_strategy(strategy),
		    .base = 1,
		    .cap = DURATION_MAX },
		.jitter = drive_jitter("none", JITTER_INSIDE),
	};

	if (set_parse(&policy.rules.success, "0", NULL) != NULL)
		abort();
	return policy;
}

static inline void
drive_hear(void *context, struct record *record)
{
	struct drive *drive = context;

	drive->told++;
	drive->told_last = record->kind;
	if (record->kind == RECORD_OUTCOME)
		drive->judged = true;
	if (drive->ends > 0 && record->kind != RECORD_SIGNAL)
		drive->talks = true;
	if (record->kind == RECORD_END) {
		drive->end = *record;
		drive->ends++;
	}
}

/* One step, and no more. */
static inline enum action_kind
drive_event(struct drive *drive, struct event event)
{
	event.now = drive->now;
	drive->signalled |= event.kind == EVENT_SIGNAL && event.ends_run;
	drive->told = 0;
	drive->action = engine_step(drive->engine, event);
	drive->run = engine_record(drive->engine, drive->now);
	if (event.kind == EVENT_PROBED ||
	    (drive->action.kind != ACTION_NONE &&
		drive->action.kind != ACTION_END_PROBE))
		drive->probes = false;
	switch (drive->action.kind) {
	case ACTION_NONE:
	case ACTION_KILL:
	case ACTION_END_PROBE:
		break;
	case ACTION_PROBE:
		drive->probes = true;
		break;
	case ACTION_RUN:
		drive->asked = false;
		drive->doing = DOING_PROCESS;
		break;
	case ACTION_ASK:
		drive->asked = true;
		drive->doing = question_has_process(drive->action.question)
		    ? DOING_PROCESS
		    : DOING_QUESTION;
		break;
	case ACTION_LOOK:
	case ACTION_ABANDON:
		drive->doing = DOING_LOOK;
		break;
	case ACTION_COLLECT:
		drive->doing = DOING_COLLECT;
		break;
	case ACTION_WAIT:
		drive->doing = DOING_WAIT;
		break;
	case ACTION_DELIVER:
		drive->doing = DOING_DELIVERY;
		break;
	case ACTION_FINISH:
		drive->doing = DOING_OVER;
		break;
	}
	return drive->action.kind;
}

/* A step; the state is written, and what does not end is given up, at once. */
static inline enum action_kind
drive_step(struct drive *drive, struct event event)
{
	drive->judged = false;
	drive_event(drive, event);
	if (drive->action.kind == ACTION_ABANDON) {
		drive_event(drive, (struct event){ .kind = EVENT_GONE });
		drive_event(drive,
		    (struct event){ .kind = drive->asked ? EVENT_ANSWER
							 : EVENT_ENDED,
			.hint = -1 });
	}
	while (drive->action.kind == ACTION_ASK &&
	    drive->action.question == ASK_SAVE) {
		drive->was_saved = true;
		drive->saved = drive->action.state;
		drive_event(drive,
		    (struct event){ .kind = EVENT_ANSWER,
			.answer = ANSWER_YES });
	}
	return drive->action.kind;
}

/* Begins the run at `now`. */
static inline enum action_kind
drive_start(struct drive *drive)
{
	static bool registered;

	if (!registered)
		atexit(drive_free);
	registered = true;
	drive_free();
	drive->engine =
	    engine_open(&drive->policy, drive->random, drive_hear, drive);
	if (drive->engine == NULL)
		abort();
	*drive_engine() = drive->engine;
	return drive_step(drive, (struct event){ .kind = EVENT_START });
}

/* Begins a run that goes on from an earlier one; `delay` is still waited. */
static inline enum action_kind
drive_resume(struct drive *drive, struct state state)
{
	drive->policy.remember = true;
	drive_start(drive);
	return drive_step(drive,
	    (struct event){ .kind = EVENT_ANSWER,
		.answer = ANSWER_YES,
		.state = state });
}

/* The process has exited, and nothing of it is left. */
static inline void
drive_exited(struct drive *drive)
{
	drive_event(drive, (struct event){ .kind = EVENT_EXITED });
	if (drive->action.kind != ACTION_COLLECT)
		drive_event(drive, (struct event){ .kind = EVENT_GONE });
}

/* The attempt ended, with a hint or, if that is negative, without. */
static inline enum action_kind
drive_end(struct drive *drive, struct outcome outcome, double hint)
{
	drive_exited(drive);
	return drive_step(drive,
	    (struct event){ .kind = EVENT_ENDED,
		.evidence.outcome = outcome,
		.hint = hint });
}

static inline enum action_kind
drive_exit(struct drive *drive, int status)
{
	return drive_end(drive,
	    (struct outcome){ .kind = OUTCOME_EXIT, .code = status }, -1);
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
	    (struct event){ .kind = EVENT_SIGNAL,
		.signal = number,
		.ends_run = number != SIGURG });
}

/* The health probe has ended with this status. */
static inline enum action_kind
drive_probed(struct drive *drive, int status)
{
	return drive_step(drive,
	    (struct event){ .kind = EVENT_PROBED,
		.probe = { .kind = OUTCOME_EXIT, .code = status } });
}

static inline enum action_kind
drive_answer(struct drive *drive, enum answer answer)
{
	return drive_step(drive,
	    (struct event){ .kind = EVENT_ANSWER, .answer = answer });
}

#endif
