#ifndef TITLE_H
#define TITLE_H

#include <stdbool.h>

#include "sys/environment.h"

/* What ps(1) shows of `retry`; it stands where its words and environ stood. */
struct title {
	char **argv; /* main's own */
	bool begun;
};

/*
 * Copies main's words, with a NULL behind them, to be used in their stead.
 * One free(3) releases all.  NULL with errno set where there is no memory.
 */
char **title_words(int argc, char **argv);

/*
 * Shows the text.  The first time what children shall find is moved away from
 * environ; where there is no memory for that, nothing is ever shown.
 */
void title_set(struct title *title, struct environment *environment,
    const char *text);

#endif
