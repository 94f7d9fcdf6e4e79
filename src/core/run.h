/* SPDX-License-Identifier: MIT */

#ifndef RUN_H
#define RUN_H

#include "policy.h"
#include "random.h"
#include "record.h"
#include "state.h"

/*
 * A run: attempt, judge, give up or wait, again.  It does no I/O; what it needs
 * done, it asks a struct driver for.  Times are seconds on the driver's clock,
 * which never goes back.
 */
struct run;

/* What the driver starts a process for. */
enum task {
	TASK_ATTEMPT,
	TASK_PROBE, /* --health, next to an attempt */
	TASK_CHECK,
	TASK_GATE,     /* --before-retry */
	TASK_LAST_HOOK /* --on-success or --on-give-up, after END */
};

enum answer {
	ANSWER_NONE,  /* the question could not be asked */
	ANSWER_YES,   /* of a check: success; of a gate: go on */
	ANSWER_AGAIN, /* of a check: retry; of a gate: give up; of the lock and
			 the budget: ask again */
	ANSWER_NO,  /* of a check: stop; of a gate: go on; of the lock: another
			 run has it, and is not waited for */
	ANSWER_LATE /* a time limit ended the process: only run.c says so */
};

/* Whether a process was started. */
struct started {
	bool runs;
	int error; /* if fork(2) failed, its errno; if `retry` did, 0 */
	int death; /* if `retry` failed, the signal to die of; or 0 */
};

enum event_kind {
	EVENT_TIMER,  /* `until` is reached */
	EVENT_EXITED, /* the process of the task has exited */
	EVENT_REAPED, /* another process, an orphan, has */
	EVENT_PROBED, /* the health probe has ended */
	EVENT_DONE,   /* the collection or delivery of output, or the reading of
		       input, has ended */
	EVENT_DATE, /* the wall clock shows the end of a wait, maybe before the
		       TIMER: the clock was set, or suspended */
	EVENT_SIGNAL,  /* `retry` received a signal */
	EVENT_PLANNED, /* the plan ends here */
	EVENT_ERROR    /* `retry` itself failed */
};

struct event {
	enum event_kind kind;
	double now;
	double active; /* when the attempt last wrote, if that is known */
	struct outcome probe; /* PROBED */
	int signal;	      /* SIGNAL; ERROR: the signal to die of, or 0 */
	bool forwarded;	      /* to the process that runs */
	bool ends_run;
};

/* A system, a plan or a test: the driver alone knows its members. */
struct host;

/*
 * What a run needs done: by the system, by a plan on an imaginary clock, or by
 * a test.  next() alone blocks; any other function may take some time, though,
 * so that the clock is read again after it.
 */
struct driver {
	/*
	 * Returns what happens next.  If several things have happened: first an
	 * ERROR, then signals, those that end the run before any other, then
	 * DONE; then one event that stands for all processes that have ended; a
	 * PROBED for an attempt that no longer feeds its watchdog; then DATE,
	 * and TIMER last, once signals were read at `until` or later.  `until`
	 * may lie in the past, or be INFINITY.
	 */
	struct event (*next)(struct host *host, double until);

	double (*now)(struct host *host);

	/* The record is true at this moment; the driver may complete it. */
	void (*tell)(struct host *host, struct record *record);

	/*
	 * Starts a process; EXITED or, for a probe, PROBED follows, and no DONE
	 * of anything that began before.
	 */
	struct started (
	    *start)(struct host *host, enum task task, struct record *record);

	/* Signals the process, and all that it has started. */
	void (*signal)(struct host *host, int signal);

	/* Whether all of that has ended, too. */
	bool (*is_gone)(struct host *host);

	/* Names what of the process does not end, and forgets it. */
	void (*abandon)(struct host *host);

	/*
	 * The process has exited, and nothing else of it is waited for:
	 * collects its output.  Returns true if that is over; else DONE
	 * follows.
	 */
	bool (*collect)(struct host *host);

	/* Does not wait for the rest of the output that is collected. */
	void (*drop_output)(struct host *host);

	/*
	 * The attempt has ended: fills in how its process ended, what its
	 * output matched, and the hint, if it gave one.
	 */
	void (*note_attempt)(struct host *host, struct ended *ended);

	/* Returns the answer to a question; says how a hook failed. */
	enum answer (*answer)(struct host *host);

	/*
	 * Kills the probe, if one runs, and all that it started; PROBED
	 * follows, unless nobody waits for it.
	 */
	void (*end_probe)(struct host *host, bool waits);

	/*
	 * Takes the lock of the state and reads it.  AGAIN: another run has it;
	 * ask again after RUN_LOCK_PAUSE.
	 */
	enum answer (*lock)(struct host *host, struct state *state);

	/* Writes the state; false: that failed. */
	bool (*save)(struct host *host, const struct state *state);

	/*
	 * Reads standard input to its end.  Returns true if that is over; else
	 * DONE follows.
	 */
	bool (*read_input)(struct host *host);

	/*
	 * Pays for a retry: YES, and thousandths of a token; or NO.  AGAIN:
	 * another process has the budget; ask again after RUN_BUDGET_PAUSE.
	 */
	enum answer (*pay)(struct host *host, bool throttled, int64_t *paid);

	/* Gives tokens back for a success whose retry cost so many. */
	void (*give)(struct host *host, int64_t paid);

	/*
	 * Lets held output out, or drops it.  Returns true if that is over;
	 * else DONE follows.
	 */
	bool (*deliver)(struct host *host, struct record *record);

	/*
	 * When a reader last took some of the output that waits for it;
	 * INFINITY: none does.
	 */
	double (*unread_since)(struct host *host);

	/*
	 * A wait of so many seconds begins; `hint_decides` says that a hint
	 * made it so long, perhaps until a date.
	 */
	void (
	    *begin_wait)(struct host *host, bool hint_decides, double seconds);
};

/* Seconds between two looks at a budget, or a state, that is locked. */
#define RUN_BUDGET_PAUSE 0.001
#define RUN_LOCK_PAUSE 0.1

/*
 * Makes a run; the policy and the driver must last as long.  Returns NULL with
 * errno set if there is no memory.
 */
struct run *run_open(const struct policy *policy, struct random random,
    const struct driver *driver, struct host *host);

void run_close(struct run *run);

/*
 * Does what follows the last outcome, and then either the next attempt, up to
 * its outcome, or the end of the run.  Returns false after the end.
 */
bool run_step(struct run *run);

/* Where the run stands at this time; the kind of the record means nothing. */
struct record run_record(const struct run *run, double time);

#endif
