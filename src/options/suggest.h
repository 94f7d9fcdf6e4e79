/* SPDX-License-Identifier: MIT */

#ifndef SUGGEST_H
#define SUGGEST_H

#include "options/options.h"

/*
 * What to type instead of a word that is slightly wrong, or that belongs to
 * another program.  It is appended, behind "; ", to a text in a buffer of
 * `size` bytes.
 */

/* An option that does not exist, without its dashes. */
void suggest_option(const char *name, char *text, size_t size);

/* The value of an option, whose wrong part begins at `part`. */
void suggest_value(const struct options *options, enum option_id id,
    const char *part, char *text, size_t size);

/*
 * What to run instead of a command that was not found, or what a list should
 * name so that it holds this outcome: 137 is an exit status, and KILL a death.
 * Returns the text, or NULL.
 */
const char *suggest_outcome(const struct options *options,
    struct outcome outcome, char *text, size_t size);

/* The word of --help's topics that was meant; NULL if none is near. */
const char *suggest_topic(const char *typed);

#endif
