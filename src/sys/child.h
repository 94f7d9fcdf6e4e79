#ifndef CHILD_H
#define CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "core/record.h"

/* A descriptor that a child keeps as it is. */
#define CHILD_KEEPS (-1)

/* A process to start.  RETRY_* in its environment come from the record. */
struct start {
	const char *const *argv;
	const struct record *record;
	const char *control; /* $RETRY_CONTROL, or NULL */
	int descriptors[3];  /* for 0, 1 and 2, or CHILD_KEEPS */
};

/*
 * The one process that `retry` waits for: an attempt, or a command of its own.
 * `retry` blocks all signals and leaves their dispositions alone, but for
 * SIGCHLD's; each child gets the mask and SIGCHLD's disposition back.
 */
struct child {
	pid_t pid;    /* 0 while none runs */
	pid_t parent; /* `retry` itself */
	sigset_t mask;
	bool sigchld_ignored;
	bool own_group;	 /* there is no terminal, so each child gets a group */
	bool outlives;	 /* a child does not die with `retry` */
	sigset_t missed; /* signals that may have come before the child */
	int *error;	 /* shared: the errno of a failed execve(2), or 0 */
};

/*
 * Blocks all signals and finds out about the terminal.  Returns 0, or -1 with
 * errno set.
 */
int child_init(struct child *child);

/*
 * Starts a command.  Returns 0, or -1 with errno set if no process could be
 * made.  The exec may hang; signals end it.  If it fails, *error says why once
 * the child has ended.
 */
int child_start(struct child *child, const struct start *start);

/*
 * Forks.  Returns 0 in the child, which has the signals that `retry` was
 * started with, and dies with `retry` unless it outlives it; in the parent the
 * pid, or -1 with errno set.
 */
pid_t child_fork(struct child *child);

/*
 * Ends this process, which was just forked, if its parent has ended already: no
 * PR_SET_PDEATHSIG would come any more.
 */
void child_end_orphan(pid_t parent);

/* Sends a signal to the child, or to its own group.  Returns 0 or -1. */
int child_signal(const struct child *child, int signal);

#endif
