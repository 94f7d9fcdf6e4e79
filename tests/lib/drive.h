/* SPDX-License-Identifier: MIT */

/*
 * Takes a run through what a script says, on an invented clock.  Each call adds
 * a step to the script, and the whole run is made anew, up to where its driver
 * would have to wait for more: what it did last is in `action`.
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

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/duration.h"
#include "core/run.h"
#include "core/signals.h"
#include "tap.h"

#define DRIVE_STEPS 5000

/* What the run asked its driver for. */
enum action_kind {
	ACTION_NONE,
	ACTION_RUN, /* start an attempt */
	ACTION_PROBE,
	ACTION_END_PROBE,
	ACTION_ASK, /* the question */
	ACTION_WAIT,
	ACTION_KILL,	/* signal the process, and all that it has started */
	ACTION_LOOK,	/* has all of that ended?  If not, maybe signal it */
	ACTION_ABANDON, /* what does not end */
	ACTION_COLLECT,
	ACTION_DROP, /* the rest of the output */
	ACTION_DELIVER,
	ACTION_FINISH /* nothing: the run is over */
};

enum question {
	ASK_NOTHING,
	ASK_STATE,
	ASK_INPUT,
	ASK_CHECK,
	ASK_BUDGET,
	ASK_GATE,
	ASK_HOOK
};

struct action {
	enum action_kind kind;
	double wake; /* when the next TIMER is due */
	enum question question;
	int signal; /* KILL, LOOK */
};

/* A reader that has taken nothing for long: see unread_since(). */
#define DRIVE_BLOCKED (-1e9)

/* What happens: an event, or what the driver has to answer. */
enum step_kind {
	STEP_TIMER,
	STEP_EXITED,
	STEP_REAPED,
	STEP_GONE,   /* nothing is left of the process, or it was abandoned */
	STEP_ENDED,  /* the outcome of the attempt is known */
	STEP_ANSWER, /* to the question */
	STEP_PROBED,
	STEP_DATE,
	STEP_SIGNAL,
	STEP_PROGRESS, /* a reader has taken some of the held output */
	STEP_BLOCKED,  /* a reader takes none of the output */
	STEP_DELIVERED,
	STEP_ERROR
};

struct step {
	enum step_kind kind;
	double now;
	double active;		/* when the attempt wrote last */
	struct outcome outcome; /* ENDED, PROBED */
	double hint;		/* ENDED: seconds; negative: none */
	enum answer answer;	/* ANSWER */
	struct state state;	/* ANSWER: of a run before */
	bool failed;		/* ANSWER: `retry` itself did meanwhile */
	int signal;		/* SIGNAL; ERROR, `failed`: to die of, or 0 */
};

struct drive {
	struct policy policy; /* may change between steps */
	struct random random;
	double now;
	bool save_fails;
	double takes; /* seconds: each signal, lock and delivery */

	struct action action;
	struct record run; /* where the run stands */
	struct record end; /* as it was told */
	int ends;	   /* how often that was */
	uint64_t reached;  /* the count of the limit that ended it, or 0 */
	bool judged;	   /* the last step told an outcome */
	int told;	   /* records of the last event */
	enum record_kind told_last;
	struct state saved; /* what the run left to the next */
	bool was_saved;

	/* The script so far, and the run that goes through it. */
	struct step *steps;
	int count, at;	     /* steps, and the next of them */
	double begun, clock; /* when the run began; its time */
	double active;	     /* when the attempt wrote last */
	jmp_buf *waits;	     /* left to from where the script has no more */
	bool runs, exited;   /* the process */
	bool reads;	     /* standard input is read */
	double since;	     /* unread_since() */
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

/* --- the driver --- */

static inline struct step *
drive_next(struct drive *drive)
{
	return drive->at < drive->count ? &drive->steps[drive->at] : NULL;
}

/* What this step says is true from now on. */
static inline struct step *
drive_take(struct drive *drive)
{
	struct step *step = drive_next(drive);

	drive->at++;
	drive->clock = fmax(drive->clock, step->now);
	drive->active = fmax(drive->active, step->active);
	drive->action.kind = ACTION_NONE;
	return step;
}

static inline bool
drive_is_next(struct drive *drive, enum step_kind kind)
{
	const struct step *step = drive_next(drive);

	return step != NULL && step->kind == kind;
}

/* The script is at its end: there is more to wait for. */
static inline void
drive_wait(struct drive *drive, double wake)
{
	drive->action.wake = fmax(wake, drive->clock);
	longjmp(*drive->waits, 1);
}

/* Takes the next step, before which nothing of another kind can happen. */
static inline struct step *
drive_take_a(struct drive *drive, enum step_kind kind)
{
	if (drive_next(drive) == NULL)
		drive_wait(drive, INFINITY);
	if (!drive_is_next(drive, kind))
		tap_bail_out(tap.row, "something else comes first");
	return drive_take(drive);
}

static inline void
drive_act(struct drive *drive, enum action_kind kind, enum question question)
{
	drive->action.kind = kind;
	drive->action.question = question;
}

static inline bool
drive_result_is_next(struct drive *drive)
{
	return drive_is_next(drive, STEP_ENDED) ||
	    drive_is_next(drive, STEP_ANSWER);
}

/* An outcome or an answer: the process has exited, and is collected. */
static inline bool
drive_result(struct drive *drive, double until, struct event *event)
{
	struct step *step = drive_next(drive);

	event->kind = EVENT_DONE;
	if (drive->reads) {
		drive->reads = false;
		drive_take(drive);
	} else if (drive->runs && !drive->exited) {
		drive->exited = true;
		event->kind = EVENT_EXITED;
	} else if (!drive->runs) {
		event->kind = EVENT_TIMER;
		drive->clock = fmax(drive->clock, until);
	} else if (step->failed) {
		event->kind = EVENT_ERROR;
		event->signal = step->signal;
	}
	drive->clock = fmax(drive->clock, step->now);
	return true;
}

/* Whether the step is an event, and not only what the driver knows. */
static inline bool
drive_happens(struct drive *drive, double until, struct event *event)
{
	const bool is_due = drive_next(drive)->now >= until;

	if (drive_result_is_next(drive))
		return drive_result(drive, until, event);
	const struct step *step = drive_take(drive);
	*event = (struct event){ .signal = step->signal,
		.ends_run = signal_ends_run(step->signal),
		.forwarded = step->signal != SIGURG,
		.probe = step->outcome };
	switch (step->kind) {
	case STEP_PROGRESS:
		drive->since = step->now;
		return is_due;
	case STEP_BLOCKED:
		drive->since = DRIVE_BLOCKED;
		return is_due;
	case STEP_TIMER:
		return is_due;
	case STEP_EXITED:
		drive->exited = true;
		event->kind = EVENT_EXITED;
		return true;
	case STEP_REAPED:
		event->kind = EVENT_REAPED;
		return true;
	case STEP_PROBED:
		event->kind = EVENT_PROBED;
		return true;
	case STEP_DATE:
		event->kind = EVENT_DATE;
		return true;
	case STEP_SIGNAL:
		event->kind = EVENT_SIGNAL;
		return true;
	case STEP_DELIVERED:
		event->kind = EVENT_DONE;
		return true;
	case STEP_ERROR:
		event->kind = EVENT_ERROR;
		return true;
	case STEP_GONE:
	case STEP_ENDED:
	case STEP_ANSWER:
		break;
	}
	tap_bail_out(tap.row, "this cannot happen now");
}

static inline struct event
drive_do_next(struct host *host, double until)
{
	struct drive *drive = (struct drive *)host;
	struct event event = { .kind = EVENT_TIMER };

	do
		if (drive_next(drive) == NULL)
			drive_wait(drive, until);
	while (!drive_happens(drive, until, &event));
	event.now = drive->clock;
	event.active = drive->active;
	return event;
}

static inline double
drive_do_now(struct host *host)
{
	const struct drive *drive = (struct drive *)host;

	return drive->clock;
}

static inline void
drive_do_tell(struct host *host, struct record *record)
{
	struct drive *drive = (struct drive *)host;

	if (drive->at == drive->count) {
		drive->told++;
		drive->told_last = record->kind;
	}
	if (record->kind == RECORD_OUTCOME && drive->at >= drive->count)
		drive->judged = true;
	if (record->kind == RECORD_END) {
		drive->end = *record;
		drive->ends++;
	}
}

static inline struct started
drive_do_start(struct host *host, enum task task, struct record *record)
{
	static const enum question questions[] = {
		[TASK_CHECK] = ASK_CHECK,
		[TASK_GATE] = ASK_GATE,
		[TASK_LAST_HOOK] = ASK_HOOK,
	};
	struct drive *drive = (struct drive *)host;
	const struct step *step = drive_next(drive);

	(void)record;
	if (task == TASK_PROBE)
		drive_act(drive, ACTION_PROBE, ASK_NOTHING);
	else if (task == TASK_ATTEMPT)
		drive_act(drive, ACTION_RUN, ASK_NOTHING);
	else
		drive_act(drive, ACTION_ASK, questions[task]);
	if (task != TASK_PROBE)
		drive->runs = drive->exited = false;
	if (step != NULL && step->outcome.kind == OUTCOME_UNFORKED) {
		drive_take(drive);
		return (struct started){ .error = EAGAIN };
	}
	if (step != NULL && step->kind == STEP_ANSWER && step->failed) {
		drive_take(drive);
		return (struct started){ .death = step->signal };
	}
	drive->runs = true;
	return (struct started){ .runs = true };
}

static inline void
drive_do_signal(struct host *host, int number)
{
	struct drive *drive = (struct drive *)host;

	if (drive->action.kind != ACTION_LOOK)
		drive->action.kind = ACTION_KILL;
	drive->action.signal = number;
	drive->clock += drive->takes;
}

static inline bool
drive_do_is_gone(struct host *host)
{
	struct drive *drive = (struct drive *)host;
	const bool gone = drive_is_next(drive, STEP_GONE);

	drive->action.kind = ACTION_LOOK;
	drive->action.signal = 0;
	if (gone)
		drive_take(drive);
	return gone || drive_result_is_next(drive);
}

static inline void
drive_do_abandon(struct host *host)
{
	struct drive *drive = (struct drive *)host;

	drive->action.kind = ACTION_ABANDON;
	drive_take_a(drive, STEP_GONE);
}

static inline bool
drive_do_collect(struct host *host)
{
	struct drive *drive = (struct drive *)host;

	drive->action.kind = ACTION_COLLECT;
	return drive_result_is_next(drive) && !drive_next(drive)->failed;
}

static inline void
drive_do_drop_output(struct host *host)
{
	struct drive *drive = (struct drive *)host;

	drive->action.kind = ACTION_DROP;
	drive_take_a(drive, STEP_GONE);
}

static inline void
drive_do_note_attempt(struct host *host, struct ended *ended)
{
	struct drive *drive = (struct drive *)host;
	const struct step *step = drive_take_a(drive, STEP_ENDED);

	drive->runs = false;
	ended->returned = step->outcome;
	ended->hint = step->hint;
}

static inline enum answer
drive_do_answer(struct host *host)
{
	struct drive *drive = (struct drive *)host;

	drive->runs = false;
	return drive_take_a(drive, STEP_ANSWER)->answer;
}

static inline void
drive_do_end_probe(struct host *host, bool waits)
{
	struct drive *drive = (struct drive *)host;

	if (waits)
		drive->action.kind = ACTION_END_PROBE;
}

static inline enum answer
drive_do_lock(struct host *host, struct state *state)
{
	struct drive *drive = (struct drive *)host;

	drive_act(drive, ACTION_ASK, ASK_STATE);
	if (!drive_is_next(drive, STEP_ANSWER))
		return ANSWER_AGAIN;
	const struct step *step = drive_take(drive);
	drive->clock += drive->takes;
	*state = step->state;
	return step->answer;
}

static inline bool
drive_do_save(struct host *host, const struct state *state)
{
	struct drive *drive = (struct drive *)host;

	drive->was_saved = true;
	drive->saved = *state;
	return !drive->save_fails;
}

static inline bool
drive_do_read_input(struct host *host)
{
	struct drive *drive = (struct drive *)host;

	drive_act(drive, ACTION_ASK, ASK_INPUT);
	drive->reads = true;
	return false;
}

static inline enum answer
drive_do_pay(struct host *host, bool throttled, int64_t *paid)
{
	struct drive *drive = (struct drive *)host;

	(void)throttled;
	drive_act(drive, ACTION_ASK, ASK_BUDGET);
	if (drive_next(drive) == NULL)
		drive_wait(drive, INFINITY);
	if (!drive_is_next(drive, STEP_ANSWER))
		return ANSWER_AGAIN;
	const enum answer answer = drive_take(drive)->answer;
	*paid = answer == ANSWER_YES ? 1000 : 0;
	return answer;
}

static inline void
drive_do_give(struct host *host, int64_t paid)
{
	(void)host, (void)paid;
}

static inline bool
drive_do_deliver(struct host *host, struct record *record)
{
	struct drive *drive = (struct drive *)host;

	(void)record;
	drive->action.kind = ACTION_DELIVER;
	drive->clock += drive->takes;
	drive->since = -INFINITY;
	return false;
}

/* What a step says of the reader of a collection holds when it is asked. */
static inline double
drive_do_unread_since(struct host *host)
{
	struct drive *drive = (struct drive *)host;
	const double since = drive->since;

	if (since == DRIVE_BLOCKED)
		drive->since = INFINITY;
	return since;
}

static inline void
drive_do_begin_wait(struct host *host, bool hint_decides, double seconds)
{
	struct drive *drive = (struct drive *)host;

	(void)hint_decides, (void)seconds;
	drive->action.kind = ACTION_WAIT;
}

/* Makes the run anew, up to the end of the script. */
static inline void
drive_replay(struct drive *drive)
{
	static const struct driver driver = {
		.next = drive_do_next,
		.now = drive_do_now,
		.tell = drive_do_tell,
		.start = drive_do_start,
		.signal = drive_do_signal,
		.is_gone = drive_do_is_gone,
		.abandon = drive_do_abandon,
		.drop_output = drive_do_drop_output,
		.collect = drive_do_collect,
		.note_attempt = drive_do_note_attempt,
		.answer = drive_do_answer,
		.end_probe = drive_do_end_probe,
		.lock = drive_do_lock,
		.save = drive_do_save,
		.read_input = drive_do_read_input,
		.pay = drive_do_pay,
		.give = drive_do_give,
		.deliver = drive_do_deliver,
		.unread_since = drive_do_unread_since,
		.begin_wait = drive_do_begin_wait,
	};
	jmp_buf waits;
	struct run *run = run_open(&drive->policy, drive->random, &driver,
	    (struct host *)drive);

	if (run == NULL)
		abort();
	/* cppcheck-suppress autoVariables */
	drive->waits = &waits;
	drive->at = drive->told = drive->ends = 0;
	drive->judged = drive->was_saved = false;
	drive->runs = drive->exited = drive->reads = false;
	drive->since = INFINITY;
	drive->clock = drive->begun;
	drive->active = 0;
	drive->action = (struct action){ .kind = ACTION_NONE };
	if (setjmp(waits) == 0) {
		while (run_step(run))
			continue;
		drive->action =
		    (struct action){ .kind = ACTION_FINISH, .wake = INFINITY };
	}
	drive->now = drive->clock;
	drive->run = run_record(run, drive->now);
	drive->reached =
	    drive->run.reached == NULL ? 0 : drive->run.reached->count;
	run_close(run);
}

/* --- scripts --- */

/* Adds a step that happens now. */
static inline enum action_kind
drive_step(struct drive *drive, struct step step)
{
	if (drive->count == DRIVE_STEPS)
		tap_bail_out(tap.row, "there are too many steps");
	step.now = drive->now;
	drive->steps[drive->count++] = step;
	drive_replay(drive);
	return drive->action.kind;
}

/* Begins the run at `now`; there is one at a time. */
static inline enum action_kind
drive_start(struct drive *drive)
{
	static struct step steps[DRIVE_STEPS];

	drive->steps = steps;
	drive->count = 0;
	drive->begun = drive->now;
	drive_replay(drive);
	return drive->action.kind;
}

/* Begins a run that goes on from an earlier one; `delay` is still waited. */
static inline enum action_kind
drive_resume(struct drive *drive, struct state state)
{
	drive->policy.remember = true;
	drive_start(drive);
	return drive_step(drive,
	    (struct step){ .kind = STEP_ANSWER,
		.answer = ANSWER_YES,
		.state = state });
}

/* The attempt ended, and all that it has started. */
static inline enum action_kind
drive_exit(struct drive *drive, int status)
{
	return drive_step(drive,
	    (struct step){ .kind = STEP_ENDED,
		.outcome = { .kind = OUTCOME_EXIT, .code = status },
		.hint = -1 });
}

/* The clock reaches the moment that the last action named. */
static inline enum action_kind
drive_timer(struct drive *drive)
{
	if (!isfinite(drive->action.wake))
		tap_bail_out(tap.row, "no time is waited for");
	drive->now = fmax(drive->now, drive->action.wake);
	return drive_step(drive, (struct step){ .kind = STEP_TIMER });
}

static inline enum action_kind
drive_signal(struct drive *drive, int number)
{
	return drive_step(drive,
	    (struct step){ .kind = STEP_SIGNAL, .signal = number });
}

static inline enum action_kind
drive_answer(struct drive *drive, enum answer answer)
{
	return drive_step(drive,
	    (struct step){ .kind = STEP_ANSWER, .answer = answer });
}

#endif
