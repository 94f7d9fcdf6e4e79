#ifndef CHILD_H
#define CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * What `retry` was given and every child gets again.  `retry` itself blocks
 * all signals and leaves their dispositions alone, but for SIGCHLD's, so the
 * mask is nearly all there is to restore.
 */
struct inheritance {
	sigset_t mask;
	bool sigchld_ignored;
	bool own_group; /* children get one: there is no terminal */
	pid_t parent;	/* `retry` itself */
};

/* A descriptor that a child keeps as it is. */
#define CHILD_KEEPS (-1)

/* What to start. */
struct start {
	const char *const *argv;
	char *const *envp;
	char *listen_pid; /* where the child writes its pid, or NULL */
	char *watchdog_pid;
	int descriptors[3]; /* for 0, 1 and 2, or CHILD_KEEPS */
};

/* The one process that `retry` waits for: an attempt, or a command of its own. */
struct child {
	pid_t pid; /* 0 while none runs */
	bool own_group;
	sigset_t missed; /* `retry` has them pending from before it began */
	int *error;	 /* execve(2)'s errno, shared with the child: */
	int own_error;	 /* this one, where it starts in the same memory */
};

/* Room for the digits of a pid, for listen_pid and watchdog_pid. */
#define PID_DIGITS 16

/*
 * Takes the signals over and finds out about the terminal.  Returns 0, or -1
 * with errno set.
 */
int child_inherit(struct inheritance *inheritance);

/*
 * Makes ready for child_start(); the child stays where it is from now on.
 * Returns 0, or -1 with errno set.
 */
int child_init(struct child *child, const struct inheritance *inheritance);

/*
 * Starts a child.  Returns 0, or -1 with errno set where no process could be
 * made.  That it could not be executed shows when it has ended.
 */
int child_start(struct child *child, const struct inheritance *inheritance,
    const struct start *start);

/*
 * Starts a child that calls the function and ends with what it returns.
 * Returns 0, or -1 with errno set.
 */
int child_call(struct child *child, const struct inheritance *inheritance,
    int (*function)(const void *argument), const void *argument);

/* execve(2)'s errno if the child that ended was never executed, else 0. */
int child_error(const struct child *child);

/* Sends a signal to the child, or to its own group.  Returns 0 or -1. */
int child_signal(const struct child *child, int signal);

#endif
