/* SPDX-License-Identifier: MIT */

#ifndef LINE_H
#define LINE_H

#include <stddef.h>

/* Takes the colours out of a line, in place; returns its new length. */
size_t line_uncolour(char *text, size_t length);

/*
 * Skips what a command prints before the lines of another: blanks, frames,
 * times, BuildKit's "#9 3.1 ", "[builder] ", "web-1  | ", "stderr: ".
 */
const char *line_body(const char *text);

/*
 * Copies the words around the bytes from `start` to `end` of a line: at most
 * about LINE_QUOTE bytes, cut between words.  CI masks a secret by its exact
 * text, so no word is ever cut.
 */
#define LINE_QUOTE 160
void line_quote(char *quote, size_t size, const char *line, size_t start,
    size_t end);

/* What a pattern that is searched for stands for. */
enum line_kind {
	LINE_MATCH,    /* an option, in the order of enum match */
	LINE_HINT,     /* --delay-match */
	LINE_COMPILER, /* a compiler says that the source is wrong */
	LINE_TEST,     /* a run of tests says that one failed */
	LINE_CLUE,     /* what a preset knows */

	/* The others are tried only on lines with a clue. */
	LINE_WARNING, /* the line proves no permanent failure */

	/*
	 * Nor a transient one: an echoed command, the title of a test.  Tried
	 * on the body of the line, with \1 in place of each byte of the clue,
	 * so that a word in it does not count.
	 */
	LINE_DOUBT
};

/* What is known of the lines of all programs; a NULL text ends it. */
extern const struct line_pattern {
	enum line_kind kind;
	const char *text;
} line_patterns[];

#endif
