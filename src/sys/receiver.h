/* SPDX-License-Identifier: MIT */

#ifndef RECEIVER_H
#define RECEIVER_H

#include <ev.h>
#include <stdbool.h>
#include <sys/signalfd.h>

#include "sys/child.h"
#include "sys/messages.h"

/*
 * How many signals are read at once.  All but real-time signals come first, at
 * most one of each, and so together.
 */
#define SIGNALS 32

/*
 * Receives the signals to `retry`, and passes them on to a child.  They wait in
 * a queue of the kernel; no handler is ever set.
 */
struct receiver {
	struct child *child;
	int asks; /* --signal: ends the run as SIGTERM does */
	ev_io signals;
	struct signalfd_siginfo
	    queue[SIGNALS]; /* that were read, but not handled */
	size_t count, next;
	bool child_ended; /* SIGCHLD was read: reset by the caller */
};

/* A signal that concerns the run. */
struct received {
	int signal;
	bool ends_run;
	bool stops;	  /* it stops `retry`: receiver_stop() */
	bool from_kernel; /* the terminal sent it */
	bool reached;	  /* and sent it to the child, too */
};

/* Begins to receive, or ends `retry`. */
void receiver_open(struct receiver *receiver, struct ev_loop *events);

/* Takes the next signal that was read; false: there is none. */
bool receiver_take(struct receiver *receiver, struct received *received);

/*
 * Stops the child and then `retry`, as the signal asks.  Returns once the shell
 * has continued both.
 */
void receiver_stop(const struct receiver *receiver,
    const struct received *received);

/*
 * Passes a signal on to the child; returns whether that was needed.  A signal
 * that neither ends the run nor continues a process is for attempts alone: a
 * check or a gate would die of it.
 */
bool receiver_forward(struct receiver *receiver,
    const struct received *received, bool is_attempt);

/*
 * Whether `retry` was started with the signal ignored: since it is blocked, it
 * arrives all the same.
 */
bool receiver_ignores(int signal);

/*
 * Dies of the signal, as the last attempt did, whose core is enough.  Returns
 * if that is impossible, as in the init process of a container.
 */
void receiver_die(int signal);

#endif
