/* SPDX-License-Identifier: MIT */

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
	const char *notify; /* $NOTIFY_SOCKET; NULL: none */
	pid_t probed; /* $RETRY_PID: the attempt that a probe looks at, or 0 */
	int descriptors[3]; /* for 0, 1 and 2, or CHILD_KEEPS */
};

/*
 * A process that `retry` waits for: an attempt, or a command of its own.
 * `retry` blocks all signals and leaves their dispositions alone, but for
 * SIGCHLD's; each child gets the mask and SIGCHLD's disposition back.
 */
struct child {
	pid_t pid;  /* 0 while none runs */
	pid_t self; /* the process of `retry` */
	sigset_t mask;
	bool sigchld_ignored;
	bool own_group;	  /* there is no terminal, so each child gets a group */
	bool own_session; /* and a session, without a terminal */
	bool outlives;	  /* a child does not die with `retry` */
	sigset_t missed;  /* signals that may have come before the child */
	bool shares;	  /* its memory with `retry`, up to the exec */
	int *exec_errno;  /* why the last one could not be executed, or 0 */
	struct launch *launch; /* of the last one; NULL: none was started */
};

/*
 * Blocks all signals and finds out about the terminal.  Returns 0, or -1 with
 * errno set.
 */
int child_init(struct child *child);

/*
 * Starts a command.  Returns 0, or -1 with errno set if no process could be
 * made.  The exec may hang; signals end it.  If it fails, *exec_errno says why
 * once the child has ended.
 */
int child_start(struct child *child, const struct start *start);

/*
 * Sends a signal to the child, or to the group that it was given.  Returns 0,
 * or -1 with errno set.
 */
int child_signal(const struct child *child, int signal);

/*
 * Sends a signal to the child as a terminal would: to the whole group, if the
 * child leads one.  Returns as child_signal() does.
 */
int child_signal_group(const struct child *child, int signal);

#endif
