/* SPDX-License-Identifier: MIT */

#ifndef INPUT_H
#define INPUT_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

#include "options/options.h"
#include "sys/events.h"
#include "sys/messages.h"
#include "sys/spool.h"

/*
 * The standard input of the attempts.  By default they get stdin itself.  A
 * file is rewound for each.  Of a pipe to which nobody writes any more there is
 * a copy, for attempts after one that has read from the pipe.  Anything else is
 * a stream: what an attempt reads, later ones lack.
 */
struct input {
	enum input_mode mode;
	off_t start; /* the offset to which stdin is rewound; -1: not rewound */
	int copy;    /* a pipe with all that stdin held, or NO_DESCRIPTOR */
	int copied;  /* bytes of it */
	bool is_stream;
	int reads;     /* an inotify that sees reads of it, or NO_DESCRIPTOR */
	int bytes;     /* that waited in it when the last attempt began */
	uint64_t lost; /* the attempt whose input later ones lack; 0: none */
	struct spool spool;
	struct ev_loop *events;
	ev_io watcher; /* is active while stdin is spooled */
	bool *failed;  /* is set, after a message, if stdin cannot be read */
	struct clock *clock; /* skips the time that SIGTTIN stops `retry` */
};

/*
 * Finds out about stdin, or ends `retry` after a message.  If stdin cannot be
 * spooled, *failed is set.
 */
void input_open(struct input *input, const struct options *options,
    struct ev_loop *events, struct clock *clock, bool *failed);

void input_close(struct input *input);

/* Begins to spool stdin, unless it is closed. */
void input_spool(struct input *input);

/* Reads no more. */
void input_stop(struct input *input);

/*
 * An attempt begins: rewinds stdin, or replaces the attempt's descriptor 0 by
 * another, which the caller closes after the start.  `left`: processes of the
 * last attempt live.  Returns 0, or -1 after a message.
 */
int input_begin(struct input *input, uint64_t attempt, bool left,
    int *descriptor);

#endif
