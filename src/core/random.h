/* SPDX-License-Identifier: MIT */

#ifndef RANDOM_H
#define RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The purpose of a draw; each has draws of its own. */
enum draw {
	DRAW_DELAY, /* for the strategy or the jitter */
	DRAW_SPLAY,
	DRAW_HINT,
	DRAW_SEED, /* for the draws of something else: see random_seed() */
	DRAW_PURPOSES = 8 /* with room, so that no new one moves old draws */
};

/*
 * The source of all draws.  A draw depends only on the seed, the attempt's
 * number and the purpose, so that a plan and a run draw the same numbers.  A
 * script (for the bounds of plans and for tests) has the draws of
 * the retries instead, in turn, over and over.
 */
struct random {
	uint64_t seed;
	const double *script;
	size_t script_length;
};

/*
 * A uniform number in [0, 1) with 53 random bits, for what happens before the
 * attempt of this number (1 is the first).
 */
double random_uniform(const struct random *random, uint64_t attempt,
    enum draw purpose);

/* The n-th seed that is drawn from this one. */
uint64_t random_seed(const struct random *random, uint64_t n);

#endif
