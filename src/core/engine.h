#ifndef ENGINE_H
#define ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "backoff.h"
#include "jitter.h"
#include "outcome.h"
#include "random.h"
#include "sets.h"
#include "verdict.h"

/*
 * The run as a state machine that does no I/O: it is told what happened and
 * when, and answers what to do next.  Times are seconds on any clock that
 * never goes back; a limit of 0 is none.
 */

/* What the user asked for. */
struct policy {
	uint64_t attempts;
	double max_time;
	double timeout;
	double timeout_share; /* of what is left of max_time; 0 < it <= 1 */
	double min_timeout;
	double kill_after;
	int signal;

	struct backoff backoff;
	struct jitter jitter;
	bool pace_start;
	double reset_after;
	bool wait_first;
	double splay;
	double throttle_delay;
	double hint_limit;  /* a longer hint gives up */
	double hint_spread; /* how much longer chance makes one: 0.2 */

	struct rules rules;
	struct set free;
	bool gate;   /* a command is asked before each retry */
	bool budget; /* a budget is asked before each wait */
	bool input;  /* what attempts read is asked for before the first */
	bool holds;  /* output is held: it is delivered before the run ends */

	bool repeat;
	uint64_t repeats; /* successes in a row that end the run */
	double success_delay;

	/*
	 * The backoff goes on from an earlier run, which is asked for first,
	 * to a later one, so that the end of the run moves it on too.
	 */
	bool remember;
};

enum event_kind {
	EVENT_START,
	EVENT_ENDED,	 /* the attempt, and what had to go with it */
	EVENT_ANSWER,	 /* to the question that was asked */
	EVENT_TIMER,	 /* the action's `wake` is reached */
	EVENT_SIGNAL,	 /* one that ends a run, or SIGURG: retry now */
	EVENT_DELIVERED, /* what was held is out */
	EVENT_ERROR	 /* `retry` itself failed: what runs is ended first */
};

struct event {
	enum event_kind kind;
	double now;
	struct evidence evidence; /* ENDED */
	double hint;		  /* ENDED: seconds; negative for none */
	bool healthy;		  /* ENDED: --control said so */
	enum verdict answer;	  /* ANSWER: the check's; SUCCESS goes on */
	int signal;		  /* SIGNAL; ERROR: the one to die of, or 0 */
};

enum action_kind {
	ACTION_NONE, /* go on waiting for an event */
	ACTION_RUN,  /* start an attempt */
	ACTION_ASK,  /* ask the question */
	ACTION_WAIT,
	ACTION_KILL,	/* send the signal to what runs, if anything does */
	ACTION_DELIVER, /* pass on what is held; the TIMER starts afresh
			   whenever some of it got out */
	ACTION_FINISH
};

enum question { ASK_STATE, ASK_INPUT, ASK_CHECK, ASK_BUDGET, ASK_GATE };

struct action {
	enum action_kind kind;
	double wake; /* when the next TIMER is due, INFINITY for never */
	bool judged; /* engine->judgement is new */
	enum question question; /* ASK */
	int signal;		/* KILL */
};

enum reason {
	REASON_NONE,
	REASON_SUCCESS,
	REASON_ATTEMPTS,
	REASON_MAX_TIME,
	REASON_STOP,
	REASON_SIGNAL,
	REASON_BUDGET,
	REASON_GATE,
	REASON_HINT,
	REASON_EARLY,
	REASON_PLAN,
	REASON_ERROR
};

/* A wait: its length, and how it came about.  Seconds. */
struct delay {
	double nominal;	  /* what the strategy says, held */
	double low, high; /* the range that chance has */
	double seconds;	  /* what is waited */
	double hint;	  /* negative for none */
};

enum engine_state {
	STATE_IDLE,
	STATE_RUNNING,
	STATE_ASKING,
	STATE_WAITING,
	STATE_DELIVERING,
	STATE_FINISHED
};

/* To be read by all; written by engine_step() alone. */
struct engine {
	const struct policy *policy;
	struct random random;
	enum engine_state state;
	enum question question; /* ASKING */

	uint64_t attempt;   /* the number of the last attempt, from 1 */
	uint64_t used;	    /* attempts that count against policy->attempts */
	uint64_t n;	    /* the number of the last retry's delay */
	uint64_t failures;  /* of the run */
	uint64_t successes; /* in a row */
	struct level level;
	uint64_t drawn_for; /* the attempt that `chance` was drawn for */
	double chance;

	double begun; /* the run */
	double attempt_begun;
	double attempt_ended;
	double deadline; /* of what runs now, INFINITY for none */
	bool ending;	 /* the first signal was sent to what runs now */
	double kill_at;	 /* ending: when SIGKILL is due */
	double leave_at; /* ending: when it is left to itself */
	double wait_begun;
	double just_waited; /* before the last attempt; negative for not */
	double waited;	    /* in all */
	double first_wait;  /* set by engine_resume() */

	struct evidence evidence; /* of the last attempt that ended */
	struct judgement judgement;
	bool unreported; /* the judgement */
	double hint;	 /* of the last attempt; negative for none */
	bool healthy;
	struct delay delay; /* the last one */
	struct delay paced; /* pace_start: drawn when the attempt began */
	int signal;	    /* received, that ends the run; 0 for none */
	bool failed;	    /* `retry` itself */

	/* DELIVER and FINISH: why, the exit status, and a signal to die of or 0. */
	enum reason reason;
	int status;
	int death;
};

void engine_init(struct engine *engine, const struct policy *policy,
    struct random random);

/*
 * Before the answer to ASK_STATE, which is NONE if that failed: take up the
 * backoff of an earlier run, whose last delay was the n-th, and wait so many
 * seconds more before the first attempt.
 */
void engine_resume(struct engine *engine, struct level level, uint64_t n,
    double wait);

/*
 * What to do about the event.  A TIMER before its time changes nothing.  After
 * FINISH no event may come but ERROR: what the end called for could not be done.
 */
struct action engine_step(struct engine *engine, struct event event);

/* `attempts` allows no attempt after the present one. */
bool engine_is_final(const struct engine *engine);

/* What the attempt that runs now was given, in seconds; INFINITY for none. */
double engine_timeout(const struct engine *engine);

/* The name of the reason in events: "success", "max-time". */
const char *reason_name(enum reason reason);

#endif
