/* SPDX-License-Identifier: MIT */

/*
 * What the targets of libFuzzer share.  A target gives LLVMFuzzerTestOneInput
 * an input of any bytes, and says what must hold for it:
 *
 *	char *text = fuzz_text(data, size);
 *
 *	if (duration_parse(text, &seconds) == NULL)
 *		MUST(seconds >= 0);
 *	free(text);
 *	return 0;
 */

#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"

/* Ends the program, with the line that did not hold. */
#define MUST(condition) \
	do { \
		if (!(condition)) { \
			dprintf(STDERR_FILENO, "%s:%d: %s\n", __FILE__, \
			    __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input as a string that ends where its memory does; to be freed. */
static inline char *
fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* Cuts the first line off and returns it; "" where none is left. */
static inline char *
fuzz_line(char **text)
{
	char *line = *text, *end = line + strcspn(line, "\n");

	*text = *end == '\0' ? end : end + 1;
	*end = '\0';
	return line;
}

/*
 * Whether expressions in the text may take too much memory: regcomp(3) copies
 * what is repeated, so that "x++++" takes 2^4 times what "x" does.
 */
static inline bool
fuzz_is_heavy(const char *text)
{
	int repetitions = 0;

	if (strchr(text, '{') != NULL)
		return true;
	for (; *text != '\0'; text++)
		repetitions += strchr("*+?", *text) != NULL;
	return repetitions > 6;
}

#define FUZZ_WORDS 64

/*
 * Makes a command's words of the lines up to one that is empty, but for heavy
 * ones, and leaves the rest.  Returns how many there are; a NULL follows them.
 */
static inline int
fuzz_words(char **text, char *words[FUZZ_WORDS])
{
	static char name[] = "retry";
	int count = 0;

	words[count++] = name;
	while (count < FUZZ_WORDS - 1 && **text != '\0' && **text != '\n') {
		words[count] = fuzz_line(text);
		if (!fuzz_is_heavy(words[count]))
			count++;
	}
	if (**text == '\n')
		++*text;
	words[count] = NULL;
	return count;
}

/*
 * What is wrong is said in one line of words; a line that is cut may end within
 * a character.
 */
static inline void
fuzz_problem(const char *problem)
{
	MUST(*problem != '\0');
	while (*problem != '\0') {
		const uint32_t c = text_next(&problem);

		MUST(!text_is_harmful(c) || c == TEXT_REPLACEMENT);
	}
}

#endif
