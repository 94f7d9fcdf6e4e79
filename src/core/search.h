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

/* Room for a line that decides, as far as people are shown it. */
#define DECIDING_LINE 400

/* A line of this pattern is transient or permanent, as a preset says. */
struct class_pattern {
	const char *text;
	enum failure_class class;
	int preset; /* its number in the rules */
};

/*
 * The patterns that are looked for in each line of an attempt's output: POSIX
 * extended expressions, each NULL if it was not given.  "(?i)" before one
 * ignores case.
 */
struct patterns {
	const char *match[MATCHES];
	const char *hint; /* --delay-match: its first group is the hint */
	struct class_pattern *classes;
	size_t class_count;
};

/*
 * Checks the text as the pattern of a match or, which needs a group, of a hint.
 * If it is wrong, *where points to what is.
 */
const char *search_check(const char *text, bool is_hint, const char **where);

/* Whether a pattern that is right has "\|", which matches a | and no more. */
bool search_has_pipe(const char *text);

/* Whether there is a pattern. */
bool search_is_needed(const struct patterns *patterns);

/* A bit for each match that has a pattern. */
unsigned int search_matches(const struct patterns *patterns);

/* What was found in an attempt's output. */
struct found {
	unsigned int matched;		    /* a bit for each match */
	char lines[MATCHES][DECIDING_LINE]; /* the first of each that was */

	/*
	 * A preset that has seen a transient line and a permanent line is in
	 * doubt, and says transient.  Of two presets that disagree the one
	 * wins that says permanent.
	 */
	struct class_known class; /* NONE: no line tells it */
	char class_line[DECIDING_LINE];
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
	struct sieve *sieve;
	struct expression *expressions; /* matches, the hint, classes */
	size_t count;
	unsigned int *numbers; /* of the expressions that a line may match */
	regex_t hint;	       /* where in a line the hint is */
};

/* What a rule or a preset decided by, or NULL if that was no line. */
const char *search_line(const struct found *found, enum rule rule,
    struct class_known known);

/*
 * Begins a search, which adds to *found.  Returns 0, or -1 if there is not
 * enough memory for the patterns.
 */
int search_begin(struct search *search, const struct patterns *patterns,
    struct found *found);

/*
 * Takes the next bytes of a stream, and looks through each line that ends.
 * Returns 0, or -1 if there is not enough memory for the patterns.
 */
int search_bytes(struct search *search, struct stream_line *line,
    const char *bytes, size_t size);

/* The stream has ended: looks through a last line without an end, alike. */
int search_end(struct search *search, struct stream_line *line);

/* Releases what search_begin() allocated. */
void search_close(struct search *search);

#endif
