/* SPDX-License-Identifier: MIT */

#ifndef RELAY_H
#define RELAY_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

#include "sys/child.h"
#include "sys/notify.h"

/*
 * Passes on to systemd what an attempt tells it.  Each attempt has a socket of
 * its own as $NOTIFY_SOCKET, so that systemd hears `retry` alone, the main
 * process of the unit, and what an earlier attempt left cannot speak for a
 * later one.  A table decides about each line; what is refused is neither told
 * nor reported.  Messages keep their order: while systemd has no room for one,
 * the attempt's next ones wait in its socket.
 */
struct relay {
	struct notify *notify;
	struct messages *messages;
	const struct child *child;
	void (*hangs)(void *data); /* the attempt does not feed its watchdog */
	void *data;

	struct sockaddr_un address;
	ev_io received; /* its descriptor is NO_DESCRIPTOR between attempts */
	ev_io room;	/* systemd takes messages again */
	ev_timer watch; /* half of the time that the watchdog allows is over */

	/* Of the attempt. */
	uint64_t attempt; /* its number */
	bool ready;	  /* it is, or a probe said so */
	bool answers;	  /* it said so itself, and will say that it reloads */
	bool held;	  /* it gets SIGHUP once it is ready */
	bool triggered;	  /* it calls itself hung */
	bool alive;	  /* it gave a sign of life since `watched` */
	int missed;	  /* halves of the limit without one */
	double limit;	  /* seconds that its watchdog allows; 0: any */
	double watched;	  /* on CLOCK_MONOTONIC */
	bool failed;	  /* systemd knows an ERRNO= of an attempt */
};

/* Makes ready; nothing more happens if there is no manager. */
void relay_open(struct relay *relay, struct notify *notify,
    const struct child *child, struct messages *messages,
    void (*hangs)(void *data), void *data);

/* An attempt begins.  Returns its $NOTIFY_SOCKET, or NULL if it gets none. */
const char *relay_begin(struct relay *relay, uint64_t attempt);

/*
 * The attempt has ended: reads its last words.  If systemd has no room, waits a
 * second at most.
 */
void relay_end(struct relay *relay);

/* Tells systemd the record, as notify_tell() does. */
void relay_tell(struct relay *relay, const struct report_style *style,
    const struct record *record);

/*
 * SIGHUP has come, which asks for a reload.  Returns whether an attempt that
 * runs gets it now: after a restart a program may not be ready for it, and dies
 * of it.  If none runs, or it cannot answer, `retry` does.
 */
bool relay_reload(struct relay *relay);

#endif
