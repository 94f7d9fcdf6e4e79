/* SPDX-License-Identifier: MIT */

#ifndef INPUT_H
#define INPUT_H

#include <ev.h>
#include <stdbool.h>
#include <time.h>

#include "options/options.h"
#include "sys/events.h"
#include "sys/messages.h"
#include "sys/spool.h"

/* The standard input of the attempts. */
struct input {
	enum input_mode mode;
	struct messages *messages;
	bool warns;		 /* of a stdin that the first attempt used up */
	bool had_bytes;		 /* before an attempt there was something */
	struct timespec written; /* when bytes last came before the run */
	off_t start; /* the offset to which stdin is rewound; -1: not rewound */
	struct spool spool;
	int given; /* the child's descriptor, closed after its start; or
		      NO_DESCRIPTOR */
	struct ev_loop *events;
	ev_io watcher;
	void (*done)(void *data, bool success);
	void *data;
	struct clock *clock; /* skips the time that SIGTTIN stops `retry` */
};

/*
 * Finds out about stdin, or ends `retry` after a message.  `done` is called
 * from the event loop, when all of stdin is spooled, or, after a message, when
 * that failed.
 */
void input_open(struct input *input, const struct options *options,
    struct messages *messages, struct ev_loop *events, struct clock *clock,
    void (*done)(void *data, bool success), void *data);

void input_close(struct input *input);

/*
 * Begins to spool stdin. Returns 1; 0 if stdin is closed; or -1 after a
 * message.
 */
int input_spool(struct input *input);

/* Reads no more. */
void input_stop(struct input *input);

/*
 * An attempt begins: rewinds stdin, or replaces the attempt's descriptor 0.
 * Returns 0, or -1 after a message.
 */
int input_begin(struct input *input, bool is_retry, int *descriptor);

/* The attempt has been started, or could not be. */
void input_started(struct input *input);

#endif
