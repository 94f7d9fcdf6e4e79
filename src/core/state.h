/* SPDX-License-Identifier: MIT */

#ifndef STATE_H
#define STATE_H

#include "backoff.h"

/* Room for a state as text. */
#define STATE_TEXT 1024

/* --state: the backoff, as one run leaves it to the next; all zero at first. */
struct state {
	struct level level;
	uint64_t n;	   /* the number of the last retry's delay */
	uint64_t given_up; /* runs in a row that gave up */
	double delay;	   /* seconds that the next attempt is put off */
	double age;	   /* seconds since that delay began */
};

/*
 * Writes the state that a run with this backoff leaves at this time, in seconds
 * since 1970, as a few lines.
 */
void state_format(const struct state *state, const struct backoff *backoff,
    double time, char text[STATE_TEXT]);

/*
 * Reads the state that a run with this backoff takes up at this time.  It is
 * all zero if it was written with another strategy or other parameters.  Its
 * delay is the rest, and never longer than the delay that was written, even if
 * the clock was set.  Returns NULL, or what is wrong with the text.
 */
const char *state_parse(const char *text, const struct backoff *backoff,
    double time, struct state *state);

/*
 * Whether a text of this length, which may be damaged, begins as a state does;
 * a shorter one is compared as far as it goes.
 */
bool state_was(const char *text, size_t length);

/* Whether a later version of retry has written the text. */
bool state_is_newer(const char *text);

#endif
