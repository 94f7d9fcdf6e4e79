#ifndef OUTLET_H
#define OUTLET_H

#include <stdbool.h>
#include <sys/types.h>

#include "sys/spool.h"

/* How a descriptor is written to without waiting for its reader. */
enum outlet_kind {
	OUTLET_UNOPENED,
	OUTLET_CLOSED,
	OUTLET_FILE,	/* it never makes one wait for long */
	OUTLET_PIPE,	/* by splice(2), or after poll(2) */
	OUTLET_SOCKET,	/* by send(2) */
	OUTLET_TERMINAL /* after poll(2) */
};

/*
 * One of the descriptors that `retry` was given to write to.  Others may share
 * it, so it is never made non-blocking; and since all signals are blocked, a
 * write that waits would make `retry` deaf.  What cannot be written at once
 * stands in a queue.
 */
struct outlet {
	int fd;	     /* as it was given: 1 or 2 */
	int private; /* the same, opened again as non-blocking; or `fd` */
	enum outlet_kind kind;
	bool refuses; /* sendfile(2) or splice(2), as what appends does */
	struct spool queue;
	bool precious; /* some of the queue is the command's output */
};

void outlet_open(struct outlet *outlet, int fd);

void outlet_close(struct outlet *outlet);

/* They write to the same file. */
bool outlet_same(const struct outlet *one, const struct outlet *other);

/* Something stands in the queue. */
bool outlet_waits(const struct outlet *outlet);

/*
 * Writes what can be written at once, past the queue.  Returns how much that
 * was, or -1 with errno set: EAGAIN if it was nothing.
 */
ssize_t outlet_write(const struct outlet *outlet, const void *data,
    size_t size);

/*
 * Writes a bounded part of the queue.  Returns how much, or -1 with errno set:
 * EAGAIN if nothing could be written at once.
 */
ssize_t outlet_flush(struct outlet *outlet);

/* Forgets the queue. */
void outlet_drop(struct outlet *outlet);

#endif
