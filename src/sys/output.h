#ifndef OUTPUT_H
#define OUTPUT_H

#include <ev.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"
#include "core/record.h"
#include "core/lines.h"
#include "core/match.h"
#include "sys/outlet.h"
#include "sys/spool.h"

struct output;

/* One of an attempt's streams, where it comes through a pipe. */
struct stream {
	struct output *output;
	struct outlet *outlet; /* where it goes, if it is not held */
	ev_io watcher;
	ev_timer rest; /* before more is read of what is held */
	int pipe;      /* the end to read; -1: closed */
	bool held;
	bool searched;
	struct spool spool; /* what is held */
	off_t begun;	    /* where the attempt's own begins in it */
	struct lines lines;
};

/* For arrays of two: standard output and standard error. */
enum { OUT, ERR, STREAMS };

/* What becomes of the output of attempts, and of `retry`'s own messages. */
struct output {
	const struct options *options;
	struct ev_loop *events;
	void (*changed)(void *data); /* something got out, or failed */
	void *data;
	FILE *inherited; /* stderr, as it was */
	bool merged;	 /* stdout and stderr are one file */
	bool joined;	 /* and therefore go through one pipe */
	bool silent;	 /* messages are held too */
	struct outlet outlets[STREAMS];
	ev_io writers[STREAMS];
	struct stream streams[STREAMS];
	int ends[3]; /* given to what is started, to be closed; or -1 */
	struct search search;
	const char *failed; /* what did: a write, or a temporary file */
	int error;	    /* its errno */
};

/*
 * Makes ready, and has stderr go through here.  `changed` is called from the
 * event loop alone.  Returns 0, or -1 with errno set.
 */
int output_open(struct output *output, const struct options *options,
    struct ev_loop *events, void (*changed)(void *data), void *data);

void output_close(struct output *output);

/*
 * An attempt begins: changes what it is given for 1 and 2, where that is not
 * what `retry` has.  Returns 0, or -1 where output_failed() says why.
 */
int output_begin(struct output *output, int descriptors[3]);

/*
 * The same for a check or a gate: what it says is held where messages are, and
 * a check reads what is held of the attempt's standard output.
 */
int output_begin_shell(struct output *output, bool is_check,
    int descriptors[3]);

/* It has been started, or could not be. */
void output_started(struct output *output);

/* It has ended: what stands in its pipes is read, and they are closed. */
void output_ended(struct output *output);

/*
 * After an attempt, or at the end of the run: lets out, or forgets, what is
 * held.
 */
void output_settle(struct output *output, const struct record *run);

/* What is said from here on is not held. */
void output_speak(struct output *output);

/* Something stands in a queue yet. */
bool output_waits(const struct output *output);

/*
 * True once if something went wrong, after a message.  *death is the signal
 * that comes of it, or 0.
 */
bool output_failed(struct output *output, int *death);

#endif
