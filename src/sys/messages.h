/* SPDX-License-Identifier: MIT */

#ifndef MESSAGES_H
#define MESSAGES_H

#include "report/report.h"

/*
 * Standard error, as far as `retry` itself writes to it.  Losing a message is
 * harmless; a run whose limits and signals wait for a reader is not.  So a
 * message has a second to be read; then it is lost, those that follow do not
 * wait, and the number of lost lines is said before the next one that is read.
 */
extern struct messages {
	struct sink sink; /* its descriptor is 0 until the first message */
	bool stuck;	  /* the reader took nothing for a second */
	uint64_t lost;	  /* lines */

	/* With --output=chronic messages are held. */
	bool held;
	char *text;
	size_t size;
} messages;

/* Says how many lines were lost, and frees the memory. */
void messages_close(void);

/* Writes whole lines, or holds them. */
void messages_write(const char *lines, size_t size);

/* Writes a drawing, or the end of one, if there is room for it now. */
void messages_draw(const char *text, size_t size);

/*
 * A message as warnx(3) writes it, on one line.  All of it is made harmless:
 * the names of files and of processes are somebody else's text.
 */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same as warn(3) does: with the text of errno. */
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Opens the sink of a descriptor, 1 or 2, unless it is open. */
void sink_open(struct sink *sink, int descriptor);

void sink_close(struct sink *sink);

/*
 * Writes as many of the bytes of an attempt as there is room for.  Returns how
 * many, or -1 with errno set: EAGAIN if there is none.
 */
ssize_t sink_pass(struct sink *sink, const char *bytes, size_t size);

/* Finds out how the sink's descriptor is written to without waiting. */
void sink_begin(struct sink *sink);

/*
 * Writes bytes to a sink whose reader has so many seconds to take them.  If it
 * takes only some of them, the rest comes before all that is written later.
 * Returns false, with errno set, if it takes none: EAGAIN, or an error.
 */
bool sink_write(struct sink *sink, const char *bytes, size_t size,
    double patience);

#endif
