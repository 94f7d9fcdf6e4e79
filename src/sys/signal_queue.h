#ifndef SIGNAL_QUEUE_H
#define SIGNAL_QUEUE_H

#include <stdbool.h>
#include <sys/signalfd.h>

#include "sys/child.h"

/*
 * Signals to `retry` wait in a queue until the loop reads them; no handler is
 * ever set.  SIGTSTP has a queue of its own.  Both functions return a
 * descriptor that does not block, or -1 with errno set.
 */

/* All signals but SIGTSTP: struct signalfd_siginfo are read from it. */
int signal_queue_open(void);

/* SIGTSTP, to be read by signal_queue_read_stop() alone. */
int signal_queue_open_stop(void);

/*
 * Reads a SIGTSTP.  Returns false if there is none, because it is ignored or a
 * SIGCONT took it back.  signal_queue_stop() has to follow.
 */
bool signal_queue_read_stop(int queue, struct signalfd_siginfo *info);

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
