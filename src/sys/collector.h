/* SPDX-License-Identifier: MIT */

#ifndef COLLECTOR_H
#define COLLECTOR_H

#include <ev.h>
#include <stdbool.h>
#include <sys/types.h>

#include "core/search.h"
#include "sys/file.h"
#include "sys/messages.h"
#include "sys/spool.h"

/* For arrays of two: standard output and standard error. */
enum { OUT, ERR, STREAMS };

/* A third spool holds what comes between attempts. */
enum { ASIDE = STREAMS, SPOOLS };

/* What failed of the output. */
enum failure {
	FAILURE_NONE,
	FAILURE_SPOOL,
	FAILURE_PIPE,
	FAILURE_POLL,
	FAILURE_SEARCH,
	FAILURE_START,	/* of the collector */
	FAILURE_STDOUT, /* to pass output on */
	FAILURE_STDERR,
	FAILURE_KILLED /* the collector was, by somebody else */
};

/*
 * Memory that `retry` shares with its collector.  While a collector is at
 * work, `retry` only reads it, except for `ends_mid_line` and failures of its
 * own.  On 32 bits it may read half of a new `active` or `passed`, which is
 * harmless: both are only compared to see whether they changed.
 */
struct collection {
	struct spool spools[SPOOLS]; /* held output */
	off_t begun; /* where the last attempt begins in that of standard output
		      */
	struct found found;
	bool ends_mid_line[STREAMS]; /* the last byte that a collector wrote to
					standard output or standard error is
					not a newline */
	off_t passed;		     /* bytes that readers have taken */
	bool waits;		     /* for a reader to take more, maybe */
	double active;	  /* when the attempt last wrote: CLOCK_MONOTONIC */
	int _Atomic full; /* why no more can be held: an errno; 0: it can */
	int error;	  /* the errno of the failure */
	enum failure _Atomic failure; /* set after `error` */
};

/* A stream of an attempt, as a collector finds it. */
struct stream {
	int pipe; /* the end to read, which does not block; or NO_DESCRIPTOR */
	struct spool *spool; /* which holds it; NULL: it is passed on */
	int writer;	     /* to pass it on: 1 or 2 */
};

/*
 * A process next to an attempt that reads the attempt's output and holds it,
 * searches it or passes it on; without an attempt, one that lets out what is
 * held.  Whatever a reader or a pattern does, `retry` itself waits for signals
 * and timers alone, and can kill the collector.
 */
struct collector {
	struct ev_loop *events;
	struct tree *tree; /* which it is no part of */
	struct stream streams[STREAMS];
	ev_io watchers[STREAMS]; /* of their pipes, until output comes */
	const struct patterns *patterns;
	bool expects;	  /* output; no process is at work yet */
	bool finishes;	  /* it is to end */
	int tries;	  /* failed starts of the process */
	pid_t pid;	  /* 0: none is at work */
	int control_fd;	  /* where it is told to end, or NO_DESCRIPTOR */
	off_t moved;	  /* how far the bytes had got: collector_moved() */
	bool delivers;	  /* it lets out what is held */
	bool joined;	  /* both streams share a pipe and a spool */
	bool lets_go;	  /* what a spool has no room for is passed on */
	bool takes_turns; /* with other runs, at a pipe or file to let out to */
	struct messages *messages; /* which may be held, too */
	struct collection *shared;
	struct collection unused; /* in its place, if there are no collectors */
};

/*
 * Makes the shared memory, if there will be collectors.  Returns 0, or -1 with
 * errno set.  The collector may not be moved after that.
 */
int collector_init(struct collector *collector, bool is_used);

/*
 * Collects what comes through the pipes of the streams, which it closes: looks
 * for the patterns, if they are not NULL, and holds output or passes it on.
 * The process that does so starts when output comes: many attempts print
 * nothing.  It adds to its spool what came before: held messages, and the
 * output of hooks if it is an attempt's collector.
 */
void collector_start(struct collector *collector,
    const struct patterns *patterns);

/*
 * The collector is to end: it takes what its pipes hold now, even if somebody
 * goes on writing, or lets out what there is room for.
 */
void collector_finish(struct collector *collector);

/*
 * Starts a collector that lets each spool out to its writer, a descriptor or
 * NO_DESCRIPTOR, and held messages last; if it cannot be forked, that may be
 * done without it.  Returns 0, or -1 with errno set.
 */
int collector_deliver(struct collector *collector, const int writers[SPOOLS]);

/* Whether it has not come to its end. */
bool collector_works(const struct collector *collector);

/* Stops the collector, if one is at work, or continues it. */
void collector_signal(const struct collector *collector, int signal);

/* Whether bytes got out since this was last asked. */
bool collector_moved(struct collector *collector);

/*
 * Whether the process that was waited for is the collector.  If it was killed,
 * that is a failure.
 */
bool collector_reaped(struct collector *collector, pid_t pid, int status);

/*
 * Ends the collector, if one is at work: one that delivers when it gets no
 * further, any other now.
 */
void collector_drop(struct collector *collector);

#endif
