#ifndef COLLECTOR_H
#define COLLECTOR_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/search.h"
#include "sys/spool.h"

/* For arrays of two: standard output and standard error. */
enum { OUT, ERR, STREAMS };

/* Stands for a descriptor that is closed. */
#define NO_DESCRIPTOR (-1)

/*
 * Memory that `retry` shares with its collector.  While a collector is at
 * work, `retry` only reads it, except for `ragged` and failures of its own.
 */
struct collection {
	struct spool spools[STREAMS]; /* held output */
	struct found found;
	bool ragged[STREAMS]; /* the last byte of what went to standard output
				 or standard error is not a newline */
	off_t passed;	      /* bytes that readers have taken */
	double active;	      /* when the attempt last wrote: CLOCK_MONOTONIC */
	int error;	      /* the errno of a failure */
	const char *_Atomic failed; /* the file or call that did, or NULL; set
					after `error` */
};

/* A stream of an attempt, as a collector finds it. */
struct stream {
	int pipe; /* the end to read, which does not block; or NO_DESCRIPTOR */
	bool held;
	int writer; /* to pass it on: 1, 2 or NO_DESCRIPTOR */
};

/*
 * A process beside an attempt that reads the attempt's output and holds it,
 * searches it or passes it on; and beside no attempt one that lets out what is
 * held.  Whatever a reader or a pattern does, `retry` itself waits for signals
 * and timers alone, and can kill the collector.
 */
struct collector {
	pid_t pid;   /* 0: none is at work */
	int leash;   /* to be written to; see collector_finish() */
	off_t moved; /* how far the bytes had got: collector_moved() */
	struct collection *shared;
};

/* Makes the shared memory.  Returns 0, or -1 with errno set. */
int collector_init(struct collector *collector);

/*
 * Starts a collector of an attempt's streams, which looks for the patterns, if
 * they are not NULL, and holds messages in one of the spools.  It takes the
 * ends of the pipes over.  Returns 0, or -1 with errno set.
 */
int collector_start(struct collector *collector, struct stream streams[STREAMS],
    const struct patterns *patterns, int messages);

/* Has the collector hold a message of `retry`'s among the output. */
void collector_tell(const struct collector *collector, const char *message,
    size_t size);

/*
 * The attempt has ended: the collector takes what its pipes hold now, even if
 * somebody goes on writing, and ends.
 */
void collector_finish(struct collector *collector);

/*
 * Starts a collector that lets each spool out to its writer, a descriptor or
 * NO_DESCRIPTOR.  Returns 0, or -1 with errno set.
 */
int collector_deliver(struct collector *collector, const int writers[STREAMS]);

/* Whether bytes got out since this was last asked. */
bool collector_moved(struct collector *collector);

/*
 * Whether the process that was waited for is the collector.  If it was killed,
 * that is a failure.
 */
bool collector_reaped(struct collector *collector, pid_t pid, int status);

/* Kills the collector, if one is at work, and waits for its end. */
void collector_drop(struct collector *collector);

#endif
