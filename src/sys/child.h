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

/* How many variables `retry` sets, and room for one of them. */
#define CHILD_VARIABLES 8
#define CHILD_ENTRY 128

/* Memory that the child shares and that lasts as long as `retry`. */
struct child_memory {
	int error; /* the errno with which execve(2) failed, or 0 */
	char variables[CHILD_VARIABLES][CHILD_ENTRY]; /* for environ */
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
	sigset_t missed; /* signals that may have come before the child */
	struct child_memory *memory;
};

/*
 * Blocks all signals and finds out about the terminal.  Returns 0, or -1 with
 * errno set.
 */
int child_init(struct child *child);

/*
 * Starts a command.  Returns 0, or -1 with errno set if no process could be
 * made.  The exec may hang; signals end it.  If it fails, memory->error says
 * why once the child has ended.
 */
int child_start(struct child *child, const struct start *start);

/*
 * Starts a child that calls the function and ends with what it returns.
 * Returns 0, or -1 with errno set.
 */
int child_call(struct child *child, int (*function)(const void *argument),
    const void *argument);

/* Sends a signal to the child, or to its own group.  Returns 0 or -1. */
int child_signal(const struct child *child, int signal);

#endif
