/* SPDX-License-Identifier: MIT */

#ifndef NOTIFY_H
#define NOTIFY_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "report/message.h"

/* The service manager that $NOTIFY_SOCKET names: see sd_notify(3). */
struct notify {
	int socket; /* -1: there is none */
	struct sockaddr_un address;
	socklen_t length;
	bool probed;	 /* health probes run */
	bool ready;	 /* READY=1 was sent */
	bool stopping;	 /* that was said */
	double watchdog; /* seconds between signs of life; 0: none are due */
	double alive_at; /* the next one is due, in seconds of the run */
};

/*
 * Finds it; whatever is wrong with it, there is none then.  If health probes
 * run, `retry` notifies in place of the program.
 */
void notify_open(struct notify *notify, bool probed);

/*
 * Tells where the run stands after the record, and asks for more time as long
 * as no attempt has succeeded.  Never waits, and fails silently.
 */
void notify_tell(struct notify *notify, const struct report_style *style,
    const struct record *record);

/*
 * Gives the signs of life that WatchdogSec= asks for, unless the program gives
 * them: if no attempt runs, and with --health.  Returns when the next one is
 * due, in seconds since the run began, or INFINITY.
 */
double notify_tick(struct notify *notify, const struct record *record);

/* Gives a sign of life: a health probe has succeeded. */
void notify_alive(const struct notify *notify);

/* Answers SIGHUP, with which systemd reloads a unit of Type=notify-reload. */
void notify_reloaded(const struct notify *notify);

/* Tells, once, that the run comes to its end. */
void notify_stopping(struct notify *notify);

#endif
