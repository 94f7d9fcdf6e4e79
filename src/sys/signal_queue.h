/* SPDX-License-Identifier: MIT */

#ifndef SIGNAL_QUEUE_H
#define SIGNAL_QUEUE_H

#include <stdbool.h>
#include <sys/signalfd.h>

#include "sys/child.h"

/*
 * Signals to `retry` wait in a queue until the loop reads them; no handler is
 * ever set.  SIGTSTP, SIGTTIN and SIGTTOU have a queue of their own.  Both
 * functions return a descriptor that does not block, or -1 with errno set.
 */

/*
 * A queue of all signals but the three that stop: a struct signalfd_siginfo is
 * read for each.
 */
int signal_queue_open(void);

/* A queue of those three, which signal_queue_read_stop() reads. */
int signal_queue_open_stop(void);

/*
 * Reads a stopping signal.  Returns false if there is none, because it is
 * ignored or a SIGCONT took it back.  signal_queue_stop() or
 * signal_queue_leave_stop() has to follow.
 */
bool signal_queue_read_stop(struct signalfd_siginfo *info);

/* Does nothing about the stopping signal that was read. */
void signal_queue_leave_stop(int signal);

/*
 * Stops `retry` by the stopping signal that was read, and returns when it goes
 * on: at once if a SIGCONT has come since, or if nobody could continue it.
 */
void signal_queue_stop(int signal);

/* Whether the terminal sent the signal to the child as well. */
bool signal_queue_reached(const struct signalfd_siginfo *info,
    const struct child *child);

/*
 * Whether `retry` was started with the signal ignored: since it is blocked, it
 * arrives all the same.
 */
bool signal_queue_ignores(int signal);

/*
 * Dies of the signal, as the last attempt did, whose core is enough.  Returns
 * if that is impossible, as in the init process of a container.
 */
void signal_queue_die(int signal);

#endif
