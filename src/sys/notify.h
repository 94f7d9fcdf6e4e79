/* SPDX-License-Identifier: MIT */

#ifndef NOTIFY_H
#define NOTIFY_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

#include "options/options.h"
#include "report/message.h"
#include "sys/child.h"
#include "sys/messages.h"

/*
 * The service manager that $NOTIFY_SOCKET names, see sd_notify(3), which hears
 * `retry` alone, the main process of the unit: what the run has to say, and
 * what an attempt says on a socket of its own.  Nothing here waits.  What an
 * attempt says about the unit becomes the run's own message.  Messages keep
 * their order: while the manager has no room for one, the attempt's next ones
 * wait in its socket, and of the run's own only the newest of each kind.  NULL
 * stands for no manager: nothing is sent then.
 */
struct notify;

/*
 * Finds the manager.  Returns NULL if $NOTIFY_SOCKET names none.  If it cannot
 * be reached, an attempt may still speak: that READY=1 is lost is said.
 */
struct notify *notify_open(const struct options *options,
    const struct child *child, struct ev_loop *events);

/*
 * Gives signs of life as they are due, and notes a silence.  Returns in how
 * many seconds this has something to do again.
 */
double notify_beat(struct notify *notify);

/* An attempt begins.  Returns its $NOTIFY_SOCKET, or NULL if it gets none. */
const char *notify_begin(struct notify *notify, uint64_t number);

/* The attempt has ended: reads its last words, for a second at most. */
void notify_end(struct notify *notify);

/* Whether the attempt has stopped feeding its watchdog; true once. */
bool notify_take_hang(struct notify *notify);

/*
 * Tells where the run stands after the record.  While the unit starts, and if
 * the run gives up some time, a retry has more time for it.
 */
void notify_tell(struct notify *notify, const struct report_style *style,
    const struct record *record);

/*
 * A signal has come that is the attempt's.  Returns whether the attempt gets it
 * only once it is ready: a program that starts again may not be ready for it,
 * and die of it.  SIGHUP reloads a unit: if no attempt answers within five
 * seconds, by RELOADING=1 and then READY=1 or its end, `retry` does.
 */
bool notify_holds(struct notify *notify, int signal);

/* The run comes to its end. */
void notify_stopping(struct notify *notify);

/* Waits a second at most if systemd does not know yet that it was ready. */
void notify_close(struct notify *notify);

#endif
