/* SPDX-License-Identifier: MIT */

#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "options/options.h"
#include "core/record.h"
#include "sys/collector.h"
#include "sys/messages.h"

/*
 * Decides whether the output of attempts is passed on, held or searched.  With
 * --output=chronic the messages of `retry` are held with it.  Only output that
 * is held or searched goes through a pipe and a collector.
 */
struct output {
	const struct options *options;
	struct collector collector;
	bool closed[STREAMS]; /* `retry` was started without it */
	bool merged; /* standard output and standard error are one file */
	int ends[3]; /* of pipes, that a child is given; or NO_DESCRIPTOR */
};

/* Makes ready; collector_close() is the end of it. */
void output_open(struct output *output, const struct options *options,
    struct ev_loop *events);

/*
 * Whether the attempts' output ends in the middle of a line: in standard
 * output, or where messages go; whoever ends that line makes it false.  False
 * if nobody knows, as it goes through no pipe.
 */
bool *output_mid_line(const struct output *output, int stream);

/*
 * An attempt begins: changes the descriptors that it is given for 1 and 2, if
 * they are not `retry`'s own.  Returns 0, or -1 if output_take_failure() says
 * why, or else, with errno set, if no process can be forked.
 */
int output_begin(struct output *output, int descriptors[3]);

/*
 * A check, a gate or a hook begins: it reads the standard output of the attempt
 * before it, if that is held, even if it was let out since; and its own output
 * is held if messages are.
 */
int output_begin_shell(struct output *output, int descriptors[3]);

/*
 * The last lines of what such a command would read, at most 64 KiB, with \1 for
 * each NUL, to be freed; or NULL if nothing is held.
 */
char *output_tail(const struct output *output);

/* The child has been started, or could not be. */
void output_started(struct output *output);

/*
 * After an attempt, or at the end of the run: lets held output out, or forgets
 * it.  output->collector goes on with it.
 */
void output_deliver(struct output *output, const struct record *run);

/*
 * Whether what attempts write to standard output is passed on, but nobody reads
 * it any more: it is a pipe, or a socket, whose other end is closed.
 */
bool output_is_unread(const struct output *output);

/*
 * True once if something went wrong, after a message.  *death is the signal
 * that comes of it, or 0.
 */
bool output_take_failure(struct output *output, int *death);

/*
 * Warns once if standard output is a file and a failed attempt wrote to it,
 * since the next attempt may write the same again.  A pipe does not tell how
 * much went through it.
 */
struct duplicate {
	bool warns;
	bool grew; /* while the last attempt ran */
	off_t end; /* before that attempt */
};

/*
 * Finds out whether to warn.  Nobody is warned who asks for --output=stream, or
 * whose file gets messages or a log (`logged`), too.
 */
void duplicate_open(struct duplicate *duplicate, const struct options *options,
    bool logged);

/* An attempt begins; warns first if the last one failed. */
void duplicate_begin(struct duplicate *duplicate, bool failed);

/* The attempt has ended, and all of its output was passed on. */
void duplicate_end(struct duplicate *duplicate);

#endif
