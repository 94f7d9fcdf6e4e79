/* SPDX-License-Identifier: MIT */

#ifndef NOTIFY_H
#define NOTIFY_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

#include "report/message.h"
#include "sys/child.h"
#include "sys/messages.h"
#include "sys/relay.h"

/* Room for the status of a program; the rest of it is cut off. */
#define NOTIFY_STATUS 2048

/* What systemd knows of the unit. */
enum notify_stage {
	NOTIFY_STARTING,
	NOTIFY_READY,
	NOTIFY_RELOADING,
	NOTIFY_STOPPING
};

/*
 * The service manager that $NOTIFY_SOCKET names, see sd_notify(3), which hears
 * `retry` alone, the main process of the unit: what the run has to say, and
 * what an attempt says on a socket of its own.  Nothing here waits.  What an
 * attempt says about the unit becomes the run's own message.  Messages keep
 * their order: while the manager has no room for one, the attempt's next ones
 * wait in its socket, and of the run's own only the newest of each kind.
 */
struct notify {
	int socket; /* -1: there is no manager */
	const struct child *child;
	struct messages *messages;
	struct ev_loop *events;
	ev_io room;	/* the manager takes messages again */
	ev_io received; /* on the attempt's socket; -1 between attempts */
	ev_timer pulse;
	double beaten; /* when it last beat, on CLOCK_MONOTONIC */

	enum notify_stage stage;
	unsigned int due;      /* a bit for each kind of message of the run */
	struct letter letter;  /* the attempt's, until the manager has it */
	struct message status; /* of the run */
	bool bounded;	       /* the run gives up some time */
	bool failed;	       /* the manager knows an ERRNO= of an attempt */
	double watchdog;       /* seconds that WatchdogSec= allows; 0: any */
	double extended; /* the start may take until then, on CLOCK_MONOTONIC */

	struct {
		uint64_t number;
		char name[RELAY_NAME];
		char status[NOTIFY_STATUS];
		bool ready;    /* it is, or a probe said so */
		bool answers;  /* it said so itself, and will say it reloads */
		bool held;     /* it gets SIGHUP once it is ready */
		bool reloads;  /* it has got SIGHUP, and has not answered */
		bool feeds;    /* it has sent WATCHDOG=1 */
		bool hangs;    /* it no longer does, or calls itself hung */
		double limit;  /* seconds that its watchdog allows; 0: any */
		double silent; /* seconds since its last sign of life */
	} attempt;
};

/*
 * Finds the manager.  If $NOTIFY_SOCKET is set and nobody can be told, says so,
 * and there is none.
 */
void notify_open(struct notify *notify, const struct policy *policy,
    const struct child *child, struct ev_loop *events,
    struct messages *messages);

/* An attempt begins.  Returns its $NOTIFY_SOCKET, or NULL if it gets none. */
const char *notify_begin(struct notify *notify, uint64_t number);

/* The attempt has ended: reads its last words, for a second at most. */
void notify_end(struct notify *notify);

/* Whether the attempt has stopped to feed its watchdog; true once. */
bool notify_take_hang(struct notify *notify);

/*
 * Tells where the run stands after the record.  While the unit starts, and if
 * the run gives up some time, a retry has more time for it.
 */
void notify_tell(struct notify *notify, const struct report_style *style,
    const struct record *record);

/*
 * SIGHUP has come, with which systemd reloads a unit.  Returns whether an
 * attempt that runs gets it now: after a restart a program may not be ready for
 * it, and dies of it.  If none runs, or it cannot answer, `retry` does.
 */
bool notify_reload(struct notify *notify);

/* The run comes to its end. */
void notify_stopping(struct notify *notify);

/* Waits a second at most if systemd does not know yet that it was ready. */
void notify_close(struct notify *notify);

#endif
