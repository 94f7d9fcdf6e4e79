#ifndef MATCH_H
#define MATCH_H

#include <regex.h>
#include <stdbool.h>

#include "lines.h"
#include "verdict.h"

/* Room for the text of a hint, with its NUL. */
#define HINT_TEXT 128

/* What is looked for in each line: POSIX extended expressions. */
struct patterns {
	unsigned int given; /* a bit for each match */
	regex_t found[MATCHES];
	bool hints;	    /* --delay-match is given */
	regex_t hint_found; /* it is in a line */
	regex_t hint;	    /* and where */
};

/* What was found in an attempt's output. */
struct search {
	const struct patterns *patterns;
	unsigned int matched; /* a bit for each match */
	bool hinted;
	char hint[HINT_TEXT]; /* the first group of the last match, cut */
};

/* Something is looked for. */
bool patterns_any(const struct patterns *patterns);

/*
 * Compiles the expression of a match, or of the hint, over one given before.
 * Returns NULL, or what is wrong with the text.
 */
const char *patterns_match(struct patterns *patterns, enum match match,
    const char *text);
const char *patterns_hint(struct patterns *patterns, const char *text);

void patterns_free(struct patterns *patterns);

/* Looks through the line that is complete. */
void search_line(struct search *search, const struct lines *lines);

#endif
