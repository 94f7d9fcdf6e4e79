/* SPDX-License-Identifier: MIT */

#ifndef SIEVE_H
#define SIEVE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Finds many texts in a line at once, A to Z and a to z alike.  A line costs
 * one pass, however many texts there are.
 */
struct sieve;

/* A text to look for: no NUL ends it, and it has at least SIEVE_LEAST bytes. */
struct sieve_text {
	const char *text;
	size_t length;
	void *of; /* the caller's */
};

#define SIEVE_LEAST 3

/* A text that a line has; all 0 before the first one. */
struct sieve_place {
	size_t number;	   /* of the text */
	size_t at;	   /* where it begins */
	size_t from, next; /* where the search goes on */
};

/*
 * Makes a sieve for the texts, which stay the caller's.  Returns NULL if there
 * is not enough memory.
 */
struct sieve *sieve_open(const struct sieve_text *texts, size_t count);

/*
 * Finds the next text of a line, or of several, the same one several times.
 * Returns whether there is one.
 */
bool sieve_next(const struct sieve *sieve, const char *line, size_t length,
    struct sieve_place *place);

void sieve_close(struct sieve *sieve);

#endif
