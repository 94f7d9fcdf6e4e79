/* SPDX-License-Identifier: MIT */

#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>

#include "policy.h"

/*
 * How a process comes to its end, with all that it has started: as a machine
 * with one deadline for each phase.  Times are seconds on any clock that never
 * goes back; INFINITY is no limit.
 *
 *   DRAINS -- end of the run, or --stop-timeout ------------------+
 *    ^    | exits: as in RUNS                                     v
 *   RUNS -|-- deadline, or silence --> SIGNALLED -- deadline --> KILLED
 *    |    v                               ^ |                     |
 *    +- exits; with --leftovers=end       | | exits, and          | the same
 *    |         v                          | | nothing is left     |
 *    |       LEAVES -- a second ----------+ |                     |
 *    |         | nothing is left            |                     |
 *    v         v                            v                     v
 *   COLLECTING <----------------------------+---------------------+
 *
 * A process that does not end by the deadline of its last phase is abandoned.
 */
enum process_phase {
	PHASE_RUNS,
	PHASE_DRAINS,	 /* a signal ended the run: no limit of the attempt's
			      counts any more, and only SIGKILL is sent */
	PHASE_LEAVES,	 /* it has exited, and what it left has a second to
			      end by itself: a filter writes its last lines */
	PHASE_SIGNALLED, /* the first signal was sent, to the process or to
			      what it left */
	PHASE_KILLED,	 /* SIGKILL was sent */
	PHASE_COLLECTING /* it has exited, and nothing else of it is waited
			    for: its output is collected */
};

struct process {
	enum process_phase phase;
	enum process_why why;
	bool is_last;	   /* a signal ends the run after it */
	bool exited;	   /* but maybe not all that it has started */
	bool incomplete;   /* its outcome, or what it wrote, is not all known */
	bool untaken;	   /* nobody took the rest of its output */
	bool ends_left;	   /* --leftovers=end: what it leaves is ended */
	double limit;	   /* when it must end */
	double deadline;   /* of the phase */
	double run_end;	   /* when --max-time ends the run */
	double kill_after; /* from the first signal to SIGKILL; 0: never */
	double idle_limit; /* for a process that writes nothing; 0: none */
	double active;	   /* when it last wrote */
	double stop_by;	   /* when SIGKILL is due after a signal ended the
				  run; 0: never */
};

/*
 * What is to be done with the process now.  If it has exited and nothing of it
 * lives, COLLECT replaces each step that stands before it here.
 */
enum process_step {
	PROCESS_WAIT,	/* nothing before process_wake() */
	PROCESS_SIGNAL, /* ask it and all that it has started to end */
	PROCESS_KILL,	/* send them SIGKILL */
	PROCESS_LOOK,	/* it has exited: does something of it still live? */
	PROCESS_COLLECT,
	PROCESS_ABANDON,    /* forget it, and collect */
	PROCESS_DROP_OUTPUT /* end the collection */
};

/* A process that was sent SIGKILL has this many seconds to be gone. */
#define PROCESS_LAST_GRACE 1.0

/*
 * Seconds that a reader has to take some of the output, once it is late or the
 * run is to end.
 */
#define PROCESS_READER_GRACE 1.0

/*
 * When a process that begins now must end: the earliest of --timeout, the end
 * of the run and, with --timeout=P%, that share of the time that the run has
 * left, or --min-timeout if that is longer.
 */
double process_deadline(const struct policy *policy, double now,
    double run_end);

/*
 * A process begins now that must end by `deadline`, in a run that must end by
 * `run_end`; some limits are for attempts alone.
 */
struct process process_begin(const struct policy *policy, bool is_attempt,
    double now, double deadline, double run_end);

/* When the process must be looked at next. */
double process_wake(const struct process *process);

/* The time is `now`: is it time to end the process, or to abandon it? */
enum process_step process_tick(struct process *process, double now);

/* Asks the process to end now, whatever its deadline is. */
enum process_step process_end(struct process *process, enum process_why why,
    double now);

/* SIGKILL was sent only now: the search for all processes took its time. */
void process_killed(struct process *process, double now);

/* `retry` itself failed: what runs is ended as after a timeout. */
enum process_step process_fail(struct process *process, double now);

/* The run ends: SIGKILL is due at `stop_by`, unless it was due before. */
void process_stop(struct process *process, double stop_by);

/*
 * A signal ends the run.  A process that runs has got it, and may take its
 * time; the reader of its output has PROCESS_READER_GRACE more at most.
 */
void process_drain(struct process *process, double now);

/*
 * The process has exited.  After a timeout nothing of it may be left, or two
 * attempts would overlap; nor with `ends_left`.
 */
enum process_step process_exited(struct process *process, double now);

/* Another process has exited: perhaps the last one that this one started. */
enum process_step process_reaped(const struct process *process);

/*
 * Nothing of the process is waited for: its outcome is due, which a search of
 * its output, or a reader of its output, may delay.  After a process that ended
 * by itself and in time, they have until its limit; else PROCESS_READER_GRACE,
 * up to the end of the run unless that has come already.  If they are late,
 * nothing is signalled: the process has exited, and may leave others behind.
 */
void process_collect(struct process *process, double now);

/*
 * The deadline of a collection has come; a reader last took some of the output
 * at `since`, or INFINITY.  A reader that goes on has PROCESS_READER_GRACE from
 * then on.  Before the run ends, a pause of the reader is not the fault of the
 * process: the reader has as much from now on.
 */
void process_extend(struct process *process, double now, double since);

/*
 * Notes of an attempt that had this process how much of its output was
 * collected, and its outcome, which follows from `why` and `returned`.
 */
void process_note(const struct process *process, struct ended *ended);

#endif
