/* SPDX-License-Identifier: MIT */

#ifndef SIEVE_H
#define SIEVE_H

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

/* Is told the number of a text, and where in the line the text begins. */
typedef void sieve_hit(void *context, size_t number, size_t at);

/*
 * Makes a sieve for the texts, which stay the caller's.  Returns NULL if there
 * is not enough memory.
 */
struct sieve *sieve_open(const struct sieve_text *texts, size_t count);

/* Tells `hit` each text of the line, the same one several times. */
void sieve_line(const struct sieve *sieve, const char *line, size_t length,
    sieve_hit *hit, void *context);

void sieve_close(struct sieve *sieve);

#endif
