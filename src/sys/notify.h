#ifndef NOTIFY_H
#define NOTIFY_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The service manager that $NOTIFY_SOCKET names: see sd_notify(3). */
struct notify {
	int socket; /* -1: there is none */
	struct sockaddr_un address;
	socklen_t length;
	bool stopping; /* that was said */
};

/* Finds it; whatever is wrong with it, there is none then. */
void notify_open(struct notify *notify);

void notify_close(struct notify *notify);

/*
 * What is said: at once or never, and heard or not.  The status is a text for
 * people; starting may take so many more seconds; the run comes to its end.
 */
void notify_status(const struct notify *notify, const char *text);
void notify_extend(const struct notify *notify, double seconds);
void notify_stopping(struct notify *notify);

#endif
