/* SPDX-License-Identifier: MIT */

#ifndef SEARCH_H
#define SEARCH_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "verdict.h"

/* The longest pattern, and how many bytes of a line are searched. */
#define PATTERN_MOST 1024
#define LINE_MOST 4096

/* Room for the text of a hint, with its NUL. */
#define HINT_TEXT 128

/*
 * The patterns that are looked for in each line of an attempt's output: POSIX
 * extended expressions, each NULL if it was not given.  "(?i)" before one
 * ignores case.
 */
struct patterns {
	const char *match[MATCHES];
	const char *hint; /* --delay-match: its first group is the hint */
};

/*
 * Checks the text as the pattern of a match or, which needs a group, of a hint.
 * If it is wrong, *where points to what is.
 */
const char *search_check(const char *text, bool is_hint, const char **where);

/* Whether a pattern that is right has "\|", which matches a | and no more. */
bool search_has_pipe(const char *text);

/* A bit for each match that has a pattern. */
unsigned int search_matches(const struct patterns *patterns);

/* The matches and the hint that were found in an attempt's output. */
struct found {
	unsigned int matched; /* a bit for each match */
	bool hinted;
	char hint[HINT_TEXT]; /* the text of the last hint, cut to its room */
};

/*
 * A line of a stream, as far as the stream was read.  Only '\n' ends a line.
 * A NUL reads as '\1', a control character like any other, since it would end
 * the text.
 */
struct stream_line {
	char text[LINE_MOST + 1]; /* without its end */
	size_t length;
	bool cut;   /* the line is longer than the text */
	bool begun; /* its first byte, which may be its end, was read */
};

/* A search through the streams of one attempt. */
struct search {
	const struct patterns *patterns;
	struct found *found;
	regex_t match[MATCHES];
	regex_t hinted;	 /* whether a line has a hint */
	regex_t hint;	 /* where in the line it is */
	size_t searched; /* bytes since the patterns were compiled */
};

/*
 * Begins a search, which adds to *found.  Returns 0, or -1 if there is not
 * enough memory for the patterns.
 */
int search_begin(struct search *search, const struct patterns *patterns,
    struct found *found);

/* Takes the next bytes of a stream, and looks through each line that ends. */
void search_bytes(struct search *search, struct stream_line *line,
    const char *bytes, size_t size);

/* The stream has ended: looks through a last line without an end. */
void search_end(struct search *search, struct stream_line *line);

/* Releases what search_begin() allocated. */
void search_close(struct search *search);

#endif
