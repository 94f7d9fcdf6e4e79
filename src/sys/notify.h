/* SPDX-License-Identifier: MIT */

#ifndef NOTIFY_H
#define NOTIFY_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "report/message.h"
#include "sys/messages.h"

/* systemd ignores a message of more bytes, and passes no more descriptors. */
#define NOTIFY_BYTES 4096
#define NOTIFY_DESCRIPTORS 253

/* What systemd knows of the unit. */
enum notify_stage {
	NOTIFY_STARTING,
	NOTIFY_READY,
	NOTIFY_RELOADING,
	NOTIFY_STOPPING
};

/*
 * The service manager that $NOTIFY_SOCKET names, and what `retry` itself tells
 * it: see sd_notify(3).  Nothing here waits.  What the manager has no room for
 * stays due until it has, and of a status only the newest counts.
 */
struct notify {
	int socket; /* -1: there is none */
	struct sockaddr_un address;
	socklen_t length;
	struct ev_loop *events;
	ev_io room;
	ev_timer pulse;
	enum notify_stage stage;
	unsigned int due; /* a bit for each kind of message */
	bool bounded;	  /* the run gives up some time */
	double watchdog;  /* seconds that WatchdogSec= allows; 0: any */
	double extended; /* the start may take until then, on CLOCK_MONOTONIC */
	char *status;	 /* of the run; NULL: none yet */
	char *program_status; /* the attempt's own; NULL: none */
};

/*
 * Finds the manager.  If $NOTIFY_SOCKET is set and nobody can be told, says so,
 * and there is none.
 */
void notify_open(struct notify *notify, const struct policy *policy,
    struct ev_loop *events, struct messages *messages);

/*
 * Sends a message, with these descriptors.  Returns 0, or -1 with errno set:
 * EAGAIN if the manager has no room for it now.
 */
int notify_send(struct notify *notify, const char *text, const int *descriptors,
    size_t count);

/*
 * Tells where the run stands after the record.  While the unit starts, and if
 * the run gives up some time, a retry has more time for it.
 */
void notify_tell(struct notify *notify, const struct report_style *style,
    const struct record *record);

/* The attempt says this of itself; NULL: nothing any more. */
void notify_add_status(struct notify *notify, const char *text);

/* The unit is ready, unless it was ready before, or ends. */
void notify_ready(struct notify *notify);

/*
 * Answers SIGHUP, with which systemd reloads a unit of Type=notify-reload, if
 * the unit is ready.
 */
void notify_reloaded(struct notify *notify);

/* The run comes to its end. */
void notify_stopping(struct notify *notify);

/* Waits a second at most if systemd does not know yet that it was ready. */
void notify_close(struct notify *notify);

#endif
