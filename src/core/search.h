/* SPDX-License-Identifier: MIT */

#ifndef SEARCH_H
#define SEARCH_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "verdict.h"

/* The longest pattern, and how many bytes of a line are searched. */
#define PATTERN_MOST 1024
#define LINE_MOST 4096

/* Room for the text of a hint, with its NUL. */
#define HINT_TEXT 128

/* Room for a line that decides, as far as people are shown it. */
#define DECIDING_LINE 512

/* What a preset looks for in a line. */
enum clue_kind {
	CLUE_TEXT,    /* the line has the text, in any case */
	CLUE_PATTERN, /* the line matches the expression */
	CLUE_WORD,   /* a pattern after it needs one of the words of its list */
	CLUE_IGNORE, /* a line with the text is no transient failure */
	CLUE_MENDED  /* nor a permanent one, if there is --before-retry */
};

struct clue {
	enum clue_kind kind;
	enum failure_class class; /* of TEXT and PATTERN */
	const char *text;
	size_t length;
	const char *preset; /* its name */
	unsigned int words; /* the list of words before it, or 0 */
	bool from_user;	    /* it is from a file of the user's */
};

/*
 * The patterns that are looked for in each line of an attempt's output: POSIX
 * extended expressions, each NULL if it was not given.  "(?i)" before one
 * ignores case.
 */
struct patterns {
	const char *match[MATCHES];
	const char *hint; /* --delay-match: its first group is the hint */
	struct clue *clues;
	size_t clue_count;
	unsigned int word_lists; /* that the clues have */
	bool mends;		 /* --before-retry was given */
};

/*
 * Checks the text as the pattern of a match or, which needs a group, of a hint.
 * If it is wrong, *where points to what is.
 */
const char *search_check(const char *text, bool is_hint, const char **where);

/* Whether a pattern that is right has "\|", which matches a | and no more. */
bool search_has_pipe(const char *text);

/* What is wrong with a text to look for of so many bytes, or NULL. */
const char *search_check_text(size_t length);

/* Whether there is a pattern. */
bool search_is_needed(const struct patterns *patterns);

/* A bit for each match that has a pattern. */
unsigned int search_matches(const struct patterns *patterns);

/* What was found in an attempt's output. */
struct found {
	unsigned int matched;		    /* a bit for each match */
	char lines[MATCHES][DECIDING_LINE]; /* the first of each that was */

	/* A transient line counts more than a permanent one. */
	struct class_known class; /* NONE: no line shows it */
	bool not_transient; /* built-in presets know no transient failure */
	bool not_permanent; /* nor a permanent one: a test failed */
	char class_line[DECIDING_LINE];
	bool hinted;
	char hint[HINT_TEXT]; /* the text of the last hint, cut to its room */
};

/*
 * A line of a stream, as far as the stream was read.  '\n', '\r' or both end a
 * line.  A NUL reads as '\1', a control character like any other, since it
 * would end the text.
 */
struct stream_line {
	char text[LINE_MOST + 1]; /* without its end */
	size_t length;
	bool cut;      /* the line is longer than the text */
	bool begun;    /* its first byte, which may be its end, was read */
	bool returned; /* the line before it ended in '\r' */
};

/* A search through the streams of one attempt. */
struct search {
	const struct patterns *patterns;
	struct found *found;
	struct sieve *sieve;	  /* NULL before the first line */
	struct sieve_text *texts; /* of clues, then those of expressions */
	size_t text_count, room, clue_texts;
	struct expression *expressions; /* options', core's, presets' */
	size_t count;
	uint64_t lines;		 /* so many were looked through */
	bool always;		 /* an expression is tried on each line */
	size_t tried;		 /* bytes of lines on which one was, just now */
	const struct clue *told; /* by which a line showed a class, or NULL */
};

/* What a rule or a preset decided by, or NULL if that was no line. */
const char *search_line(const struct found *found, enum rule rule,
    bool from_line);

/* Begins a search, which adds to *found. */
void search_begin(struct search *search, const struct patterns *patterns,
    struct found *found);

/*
 * Takes the next bytes of a stream, and looks through each line that ends: all
 * of them, or up to the end of a line once expressions were tried, which may
 * take long.  Returns how many bytes it took, or -1 if there is not enough
 * memory for the patterns.
 */
ssize_t search_some(struct search *search, struct stream_line *line,
    const char *bytes, size_t size);

/*
 * The last call of search_some() took long: glibc finds a state of an
 * expression the slower, the more there are.  They are all thrown away.
 */
void search_was_slow(struct search *search);

/* Begins a search for the same in the output of another attempt. */
void search_again(struct search *search);

/* The stream has ended: looks through a last line without an end, alike. */
int search_end(struct search *search, struct stream_line *line);

/* Releases what the search has allocated. */
void search_close(struct search *search);

#endif
