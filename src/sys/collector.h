/* SPDX-License-Identifier: MIT */

#ifndef COLLECTOR_H
#define COLLECTOR_H

#include <ev.h>
#include <stdbool.h>
#include <sys/types.h>

#include "core/search.h"
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
	FAILURE_SEARCH,
	FAILURE_STDOUT, /* to pass output on */
	FAILURE_STDERR
};

/* As much of a stream as was read and has not gone on. */
#define STREAM_MOST (1 << 16)

/*
 * A stream of a process: what is read of it is added to a spool or written to a
 * sink, and searched.  There is room for STREAM_MOST bytes that wait for the
 * one or the other, so that a slow reader, or a slow search, makes the process
 * wait.
 */
struct stream {
	int pipe; /* the end to read, which does not block; or NO_DESCRIPTOR */
	size_t left;	     /* bytes to read, once the process has ended */
	struct spool *spool; /* which holds it; NULL: it is passed on */
	bool searches;	     /* the patterns are looked for in it */
	ev_io watcher;
	size_t size, passed, searched; /* of the bytes that were read */
};

/* What takes much memory, once output may come. */
struct work {
	struct search search;
	struct found found;
	struct stream_line lines[STREAMS];
	char bytes[STREAMS][STREAM_MOST]; /* that were read of each stream */
	char moved[STREAM_MOST];	  /* from a spool to a sink */
};

/*
 * Reads the output of a process, and holds it, searches it or passes it on; or
 * lets out what is held.  It waits for nothing but files: it goes on in short
 * steps, when the event loop finds something to read, or room to write.
 */
struct collector {
	struct ev_loop *events;
	struct sink own;	     /* standard output, if it is not also... */
	struct sink *sinks[STREAMS]; /* ...standard error: that of messages */
	ev_io writers[STREAMS];	     /* of the sinks, while something waits */
	ev_timer again; /* there is more to read, or a lock to ask for */
	struct stream streams[STREAMS];
	struct spool spools[SPOOLS];  /* held output */
	struct sink *outlets[SPOOLS]; /* where one is let out to; or NULL */
	bool outs_messages;	      /* held messages follow them */
	size_t messages_out;	      /* bytes of them */
	off_t begun; /* where the last attempt begins in that of standard output
		      */
	const struct patterns *patterns; /* of streams that are searched */
	struct work *work; /* NULL: this run has collected nothing */
	bool expects;	   /* nothing has come yet */
	bool collects;	   /* output of a process that may still write */
	bool finishes;	   /* the process has ended */
	bool delivers;	   /* lets out what is held */
	bool joined;	   /* both streams share a pipe and a spool */
	bool lets_go;	   /* what a spool has no room for is passed on */
	bool takes_turns;  /* by a lock, with other runs at its sink */
	double turn_by; /* when to stop waiting for the lock; 0: it is held */
	double took;	/* when a sink last took some: CLOCK_MONOTONIC */
	double active;	/* when the process last wrote, likewise */
	bool full;	/* no more can be held: all is passed on */
	int error;	/* the errno of the failure */
	enum failure failure;
};

void collector_init(struct collector *collector, bool merged);
void collector_close(struct collector *collector);

/*
 * Collects what comes through the pipes of the streams, which it closes:
 * searches it, and holds it or passes it on.  It adds to its spool what came
 * before: held messages, and the output of hooks if it is an attempt's
 * collector.
 */
void collector_start(struct collector *collector);

/*
 * The process has ended: takes the bytes that its pipes hold now, even if
 * another process goes on writing.
 */
void collector_finish(struct collector *collector);

/* Lets each spool out to its outlet, and held messages last. */
void collector_deliver(struct collector *collector);

/*
 * When the process last wrote, on CLOCK_MONOTONIC: maybe now, while nothing of
 * it is read, since a reader or a search is slow.
 */
double collector_active(const struct collector *collector);

/*
 * When a reader last took some of what waits for it, on CLOCK_MONOTONIC;
 * INFINITY: nothing waits.
 */
double collector_unread_since(const struct collector *collector);

/*
 * Ends the collector, if it is at work: one that delivers when it gets no
 * further, any other now.
 */
void collector_drop(struct collector *collector);

/* The sink of a stream, which is open after this. */
struct sink *collector_sink(struct collector *collector, int stream);

/* Keeps the first failure, and ends the collector. */
void collector_fail(struct collector *collector, enum failure failure);

#endif
