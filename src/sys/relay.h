/* SPDX-License-Identifier: MIT */

#ifndef RELAY_H
#define RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* systemd ignores a message of more bytes, and passes no more descriptors. */
#define RELAY_BYTES 4096
#define RELAY_DESCRIPTORS 253

/* A message to systemd. */
struct letter {
	char text[RELAY_BYTES + 1]; /* "": nothing is to be sent */
	int descriptors[RELAY_DESCRIPTORS];
	size_t count;
};

/*
 * Makes the socket on which an attempt speaks to systemd, and writes the name
 * of it for $NOTIFY_SOCKET.  Each attempt has its own, so that what an earlier
 * one left cannot speak for a later one.  Returns the socket, or -1 with errno
 * set.
 */
#define RELAY_NAME 108
int relay_open(uint64_t attempt, char name[RELAY_NAME]);

/* Removes the socket; of the name only the folder is left. */
void relay_close(int socket, char *name);

/*
 * Takes the next message.  The text is "" if systemd would refuse it, or if it
 * does not come from the attempt, whose first process is `first`.  Returns
 * false if there is none.
 */
bool relay_receive(int socket, pid_t first, struct letter *letter);

/*
 * Sends the letter.  Returns false with errno set if it cannot: EAGAIN if
 * systemd has no room for it now.
 */
bool relay_send(int socket, const struct letter *letter);

/* Closes the descriptors of the letter. */
void relay_close_descriptors(struct letter *letter);

#endif
