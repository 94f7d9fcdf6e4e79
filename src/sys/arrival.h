#ifndef ARRIVAL_H
#define ARRIVAL_H

#include <stdbool.h>
#include <sys/signalfd.h>

#include "sys/child.h"

/*
 * Signals as they arrive: all through one descriptor, SIGCHLD too, so that no
 * handler is ever set.
 */

/*
 * Returns the descriptor, not blocking, of which struct signalfd_siginfo are
 * read; or -1 with errno set.
 */
int arrival_open(void);

/* Whether the terminal sent it to the child as well. */
bool arrival_reached(const struct signalfd_siginfo *arrival,
    const struct child *child);

/* Whether `retry` was started with it ignored: blocked, it arrives even so. */
bool arrival_is_ignored(int signal);

/*
 * Takes a stopping signal's default action, which does not stop what nobody
 * could continue.  Returns when `retry` goes on.
 */
void arrival_stop(int signal);

/*
 * Dies of the signal, as the last attempt did, whose core is enough.  Returns
 * where it cannot, as in the init process of a container.
 */
void arrival_die(int signal);

#endif
