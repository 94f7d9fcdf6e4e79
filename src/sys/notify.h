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
	bool ready;    /* READY=1 was sent */
	bool stopping; /* that was said */
};

/* Finds it; whatever is wrong with it, there is none then. */
void notify_open(struct notify *notify);

/*
 * Tells where the run stands after the record, and asks for more time as long
 * as no attempt has succeeded.  Never waits, and fails silently.
 */
void notify_tell(struct notify *notify, const struct report_style *style,
    const struct record *record);

/* Tells, once, that the run comes to its end. */
void notify_stopping(struct notify *notify);

#endif
