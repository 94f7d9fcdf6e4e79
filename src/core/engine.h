/* SPDX-License-Identifier: MIT */

#ifndef ENGINE_H
#define ENGINE_H

#include "policy.h"
#include "random.h"
#include "record.h"
#include "state.h"

/*
 * The run as a state machine that does no I/O: it is told what happened and
 * when, and answers what to do next.  Below, a word in capitals is an event or
 * an action.  Times are seconds on any clock that never goes back.
 */
struct engine;

/* A question that the driver answers with an event ANSWER. */
enum question {
	ASK_NOTHING, /* an attempt runs, or has run */
	ASK_STATE,   /* take the lock of the state and read it: YES; NO if
		       another run has it and is not waited for; AGAIN once a
		       process that waited for the lock has ended; NONE if
		       that failed */
	ASK_INPUT,   /* read standard input to its end */
	ASK_CHECK,   /* run --check: YES is a success, NO stops the run,
		       AGAIN is neither */
	ASK_BUDGET,  /* pay for a retry: YES if the budget allows it */
	ASK_GATE,    /* run --before-retry: AGAIN gives up, and any
		       other answer goes on */
	ASK_SAVE,    /* write the state: YES, or NONE if that failed */
	ASK_HOOK     /* run --on-success or --on-give-up: any answer */
};

/* NONE: there is no answer. */
enum answer { ANSWER_NONE, ANSWER_YES, ANSWER_AGAIN, ANSWER_NO };

/* Whether a process answers the question, or else the driver by itself. */
bool question_has_process(enum question question);

enum event_kind {
	EVENT_NONE, /* for drivers: nothing has happened yet */
	EVENT_START,
	EVENT_EXITED,	 /* the process of the attempt or question has exited */
	EVENT_REAPED,	 /* another process, an orphan, has */
	EVENT_KILLED,	 /* all processes were found, and got SIGKILL */
	EVENT_GONE,	 /* nothing is left of an ended process, or it was
			    abandoned */
	EVENT_ENDED,	 /* the attempt is over: this is the evidence */
	EVENT_ANSWER,	 /* to the question that was asked */
	EVENT_PROBED,	 /* the health probe has ended, or could not start */
	EVENT_TIMER,	 /* the action's `wake` is reached */
	EVENT_DATE,	 /* the wall clock shows the end of a wait, maybe before
			    the TIMER: the clock was set, or suspended */
	EVENT_SIGNAL,	 /* retry received a signal */
	EVENT_PROGRESS,	 /* a reader has taken some of the held output */
	EVENT_BLOCKED,	 /* COLLECT is not over, since a reader takes none of
			    the output */
	EVENT_DELIVERED, /* all held output got out, or was dropped */
	EVENT_PLANNED,	 /* the plan ends here */
	EVENT_ERROR	 /* retry itself failed */
};

struct event {
	enum event_kind kind;
	double now;
	double active; /* when the attempt last wrote, if that is known */

	/* ENDED. */
	struct evidence evidence;
	double hint; /* seconds; negative: none */

	/* ANSWER. */
	enum answer answer;
	struct state state; /* ASK_STATE: from the last run */
	int64_t paid; /* ASK_BUDGET: thousandths of a token for the retry */

	struct outcome probe; /* PROBED */

	bool failed; /* ENDED, ANSWER: retry itself failed meanwhile */
	/* SIGNAL; failed, ERROR: the signal to die of, or 0. */
	int signal;
	bool forwarded; /* to the process that runs */
	bool ends_run;
};

/*
 * A health probe goes on during NONE, PROBE and END_PROBE.  Any other action
 * ends it first, and no PROBED follows.
 */
enum action_kind {
	ACTION_NONE,	  /* wait for an event */
	ACTION_RUN,	  /* start an attempt */
	ACTION_PROBE,	  /* start the health probe; PROBED */
	ACTION_END_PROBE, /* kill the probe and all that it started; PROBED */
	ACTION_ASK,	  /* ask the question */
	ACTION_WAIT,	  /* wait for the timer */
	ACTION_KILL,	  /* signal the process, and all that it started; KILLED
			   if that took time and was SIGKILL */
	ACTION_LOOK,	  /* has all that it started ended?  If not, signal it
			   as KILL does, if there is a signal.  GONE, at once
			   or later; no ERROR may come in its place */
	ACTION_ABANDON,	  /* name what cannot be ended and forget it; GONE */
	ACTION_COLLECT,	  /* ENDED or ANSWER: how did the process end? */
	ACTION_DELIVER,	  /* let out, or drop, held output; DELIVERED */
	ACTION_FINISH	  /* the run is over */
};

struct action {
	enum action_kind kind;
	double wake; /* when the next TIMER is due, INFINITY: never */
	enum question question; /* RUN: NOTHING; ASK */
	enum reason reason;	/* ASK_HOOK: why the run ended */
	int signal;		/* KILL, LOOK */
	struct state state;	/* ASK_SAVE: for the next run */
};

/*
 * Makes an engine for a run.  The policy must last as long.  engine_step()
 * calls `tell` with each record at the moment when the record is true; `tell`
 * may complete the record, and must not call engine_step().  Returns NULL with
 * errno set if there is no memory.
 */
struct engine *engine_open(const struct policy *policy, struct random random,
    void (*tell)(void *context, struct record *record), void *context);

void engine_close(struct engine *engine);

/*
 * Returns the action for the event.  A TIMER before its time changes nothing.
 * After FINISH no event may come.
 */
struct action engine_step(struct engine *engine, struct event event);

/* Where the run stands at this time; the kind of the record means nothing. */
struct record engine_record(const struct engine *engine, double now);

#endif
