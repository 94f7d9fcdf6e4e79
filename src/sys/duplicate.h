/* SPDX-License-Identifier: MIT */

#ifndef DUPLICATE_H
#define DUPLICATE_H

#include <stdbool.h>
#include <sys/types.h>

#include "options/options.h"
#include "sys/messages.h"

/*
 * Warns once if standard output is a file and a failed attempt wrote to it,
 * since the next attempt may write the same again.  A pipe does not tell how
 * much went through it.
 */
struct duplicate {
	struct messages *messages;
	bool warns;
	bool grew; /* while the last attempt ran */
	off_t end; /* before that attempt */
};

/*
 * Finds out whether to warn.  Nobody is warned who asks for --output=stream, or
 * whose file gets messages or a log (`logged`), too.
 */
void duplicate_open(struct duplicate *duplicate, const struct options *options,
    struct messages *messages, bool logged);

/* An attempt begins; warns first if the last one failed. */
void duplicate_begin(struct duplicate *duplicate, bool failed);

/* The attempt has ended, and all of its output was passed on. */
void duplicate_end(struct duplicate *duplicate);

#endif
