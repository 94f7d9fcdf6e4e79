/* SPDX-License-Identifier: MIT */

#ifndef JOB_H
#define JOB_H

#include <sys/resource.h>

#include "core/run.h"
#include "options/options.h"
#include "sys/child.h"
#include "sys/command.h"
#include "sys/hinted.h"
#include "sys/input.h"
#include "sys/oom.h"
#include "sys/output.h"
#include "sys/probe.h"
#include "sys/terminal.h"
#include "sys/tree.h"

/*
 * The process that runs, one at a time, for whatever task: an attempt, or a
 * shell command between attempts; and what it reads, writes and leaves behind.
 * The probe of an attempt is the only one that runs next to another.
 */
struct job {
	const struct options *options;
	struct report *report;
	struct notify *notify;

	enum task task;
	const char *option; /* its name, if the shell runs its value */
	struct child child; /* its pid is 0 once it has exited */
	int status;	    /* that it has ended with */
	bool signalled;	    /* by `retry`, to end it */
	bool ends_run;	    /* a signal ends the run after it */
	struct probe probe;
	struct tree tree;
	struct terminal terminal;

	/* Of attempts. */
	struct input input;
	struct output output;
	struct duplicate
	    duplicate; /* warns of output that is in a file twice */
	struct hinted hinted;
	struct oom oom;
	struct rusage usage;	     /* of the last one */
	struct survivors left;	     /* by the last one */
	struct found found;	     /* in the output of the last one */
	char reason[COMMAND_REASON]; /* why the command was not executed */
};

/*
 * Each of these does what the function of the same name in struct driver is to
 * do, but job_start() does not look for failures of the output.
 */
struct started job_start(struct job *job, enum task task,
    struct record *record);
void job_signal(struct job *job, int signal);
void job_abandon(struct job *job);
void job_note_attempt(struct job *job, struct ended *ended);
enum answer job_answer(struct job *job);

/* Completes a record with pids, times and lines of the last attempt. */
void job_describe(const struct job *job, struct record *record);

/*
 * Waits for all processes that have ended: the child, and orphans that nobody
 * else waits for.  One event stands for all of them: EXITED, which ends the
 * probe and looks for orphans anyway, or else PROBED, since no orphan is waited
 * for while a probe runs, or else REAPED.  Returns false if none of these
 * happened.
 */
bool job_reap(struct job *job, struct event *event);

#endif
