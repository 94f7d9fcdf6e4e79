#ifndef ENGINE_H
#define ENGINE_H

#include "policy.h"
#include "random.h"
#include "record.h"

/*
 * The run as a state machine that does no I/O: it is told what happened and
 * when, and answers what to do next.  Below, a word in capitals is an event or
 * an action.  Times are seconds on any clock that never goes back.
 */
struct engine;

/* A question that the driver answers with an event ANSWER. */
enum question {
	ASK_STATE,  /* take the lock of the state and read it: SUCCESS; STOP if
		       another run has the lock; NONE if that failed */
	ASK_LOCK,   /* wait, in a process, until the lock may be free */
	ASK_INPUT,  /* read standard input to its end */
	ASK_CHECK,  /* run --check: its verdict */
	ASK_BUDGET, /* pay for a retry: SUCCESS if the budget allows it */
	ASK_GATE,   /* run --before-retry: SUCCESS goes on */
	ASK_SAVE,   /* write the state: SUCCESS, or NONE if that failed */
	ASK_HOOK    /* run --on-success or --on-give-up: any answer */
};

/* The backoff, as one run leaves it to the next. */
struct progress {
	struct level level;
	uint64_t n;	   /* the number of the last retry's delay */
	uint64_t failures; /* in a row, over all runs */
	uint64_t given_up; /* runs in a row that gave up */
	double delay;	   /* seconds that the next attempt is put off */
	double age;	   /* ASK_SAVE: seconds since the delay began */
};

enum event_kind {
	EVENT_NONE, /* for drivers: nothing has happened yet */
	EVENT_START,
	EVENT_EXITED,	 /* the process of the attempt or question has exited */
	EVENT_REAPED,	 /* another process, an orphan, has */
	EVENT_CLEAN,	 /* nothing is left of an ended process, or it was
			    abandoned */
	EVENT_ENDED,	 /* the attempt is over: this is the evidence */
	EVENT_ANSWER,	 /* to the question that was asked */
	EVENT_TIMER,	 /* the action's `wake` is reached */
	EVENT_SIGNAL,	 /* retry received a signal */
	EVENT_PROGRESS,	 /* some of the held output got out */
	EVENT_DELIVERED, /* all of it did */
	EVENT_PLANNED,	 /* the plan ends here */
	EVENT_ERROR	 /* retry itself failed */
};

struct event {
	enum event_kind kind;
	double now;
	double active; /* when the attempt last wrote, if that is known */

	/* ENDED. */
	struct evidence evidence;
	double hint;  /* seconds; negative: none */
	bool healthy; /* --control said so */

	/* ANSWER; an ERROR that comes in place of an answer has it too. */
	enum verdict answer;
	struct progress
	    progress; /* ASK_STATE; `delay` is the rest of the delay */

	/* SIGNAL; ERROR: the signal to die of, or 0. */
	int signal;
	bool forwarded; /* to the process that runs */
	bool ends_run;
};

enum action_kind {
	ACTION_NONE,	/* wait for an event */
	ACTION_RUN,	/* start an attempt */
	ACTION_ASK,	/* ask the question */
	ACTION_WAIT,	/* wait for the timer */
	ACTION_KILL,	/* signal the process, and all that it started */
	ACTION_CLEAN,	/* has all that it started ended?  Signal it first,
			   if there is a signal.  CLEAN, at once or later; no
			   ERROR may come in its place */
	ACTION_ABANDON, /* name what cannot be ended and forget it; CLEAN */
	ACTION_COLLECT, /* ENDED or ANSWER: how did the process end? */
	ACTION_DELIVER, /* let out, or drop, held output; DELIVERED */
	ACTION_FINISH	/* the run is over */
};

struct action {
	enum action_kind kind;
	double wake; /* when the next TIMER is due, INFINITY: never */
	enum question question;	  /* ASK, COLLECT; an attempt's has none */
	int signal;		  /* KILL, CLEAN */
	struct progress progress; /* ASK_SAVE */
};

/* The next action, and the records of what happened, in order. */
struct step {
	struct action action;
	struct record records[3];
	int count;
};

/*
 * Makes an engine for a run.  The policy must last as long.  Returns NULL with
 * errno set if there is no memory.
 */
struct engine *engine_open(const struct policy *policy, struct random random);

void engine_close(struct engine *engine);

/*
 * Returns the action for the event. A TIMER before its time changes nothing.
 * After FINISH no event may come.
 */
struct step engine_step(struct engine *engine, struct event event);

/* Where the run stands at this time; the kind of the record means nothing. */
struct record engine_record(const struct engine *engine, double now);

#endif
