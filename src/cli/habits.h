#ifndef HABITS_H
#define HABITS_H

#include "cli/options.h"

/*
 * Words that people type from habit, or slightly wrong, and the words to type
 * instead.
 */

/* A search for the known word that is nearest to the one that was typed. */
struct nearest {
	const char *typed;
	const char *word; /* NULL: none is near enough */
	size_t distance;
};

/* Takes the word if it is near, and nearer than the one so far. */
void habits_compare(struct nearest *nearest, const char *word);

/* Takes the nearest signal, or also the nearest word of a SET. */
void habits_compare_outcomes(struct nearest *nearest, bool sets);

/* The text that replaces an option of another program, or NULL. */
const char *habits_option(const char *name);

/* The value that replaces a wrong value of the option, or NULL. */
const char *habits_value(enum option_id id, const char *value);

/*
 * Says what to type instead of a command that was not found, in `text` or a
 * text of its own; NULL if nothing is known of its name.
 */
const char *habits_command(const struct options *options, char *text,
    size_t size);

#endif
