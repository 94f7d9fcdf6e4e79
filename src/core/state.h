#ifndef STATE_H
#define STATE_H

#include "engine.h"

/* Room for the text of a strategy and its parameters. */
#define STATE_STRATEGY 128

/* Room for a state as text. */
#define STATE_TEXT 512

/* --state: the backoff, as one run leaves it to the next. */
struct state {
	char strategy[STATE_STRATEGY]; /* the numbers belong to this one */
	struct level level;
	uint64_t n;	   /* the number of the last retry's delay */
	uint64_t failures; /* in a row, over all runs */
	uint64_t given_up; /* runs in a row that gave up */
	double delay;	   /* seconds that the next attempt was put off by */
	double next;	   /* the earliest time for it, seconds since 1970 */
};

/* The state before any run. */
struct state state_none(const struct backoff *backoff);

/* Whether the state belongs to this strategy, with these parameters. */
bool state_is_of(const struct state *state, const struct backoff *backoff);

/*
 * The progress that a run takes up at this time, in seconds since 1970.  It
 * never waits longer than the delay that was written, even if the clock was
 * set.
 */
struct progress state_progress(const struct state *state, double time);

/* The state that a run leaves at this time, in seconds since 1970. */
struct state state_after(const struct backoff *backoff,
    const struct progress *progress, double time);

/* Writes the state as a few lines with a version and a checksum. */
void state_format(const struct state *state, char text[STATE_TEXT]);

/* Reads it again.  Returns NULL, or what is wrong with the text. */
const char *state_parse(const char *text, struct state *state);

/* Whether a text with something wrong is whole, but of a later version. */
bool state_is_newer(const char *text);

#endif
