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

/*
 * Patterns of lines that prove nothing, such as an echoed command, an option's
 * description, an assertion, the title of a test; NULL ends them.
 */
extern const char *const line_no_evidence[];

/* A pattern of whole lines that warn, which prove no permanent failure. */
extern const char *const line_warning;

/* Patterns of the lines by which a run of tests says that one failed. */
extern const char *const line_failed_tests[];

/* A pattern of lines by which a compiler says that the source is wrong. */
extern const char *const line_compiler;

#endif
