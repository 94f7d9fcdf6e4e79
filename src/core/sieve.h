/* SPDX-License-Identifier: MIT */

#ifndef SIEVE_H
#define SIEVE_H

#include <stddef.h>

/*
 * A cheap test that most lines fail: most patterns can only match a line that
 * has one of a few words, as "error: (404|410)" needs "error: 404" or "error:
 * 410".  One pass over a line finds the words of all patterns at once, in any
 * case, so that regexec(3) is needed for few lines, however many patterns there
 * are.
 */
struct sieve;

/*
 * Makes a sieve for so many patterns, POSIX extended expressions that
 * regcomp(3) takes; NULL stands for none.  Returns NULL if there is not enough
 * memory.
 */
struct sieve *sieve_open(const char *const *patterns, size_t count);

/*
 * Puts the numbers of the patterns that may match the line into `numbers`,
 * which has room for all of them; returns how many.
 */
size_t sieve_line(struct sieve *sieve, const char *text, size_t length,
    unsigned int *numbers);

void sieve_close(struct sieve *sieve);

#endif
