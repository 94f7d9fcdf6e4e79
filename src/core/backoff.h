/* SPDX-License-Identifier: MIT */

#ifndef BACKOFF_H
#define BACKOFF_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BACKOFF_PARAMS 2

/* The state of a strategy between delays; all zero at first. */
struct level {
	double value;	 /* lild, limd, mild, mimd: the level */
	double previous; /* decorrelated: seconds; smooth: t */
	bool begun;	 /* `value` is set */
};

/* The kinds of numbers that parameters take. */
enum param_kind {
	PARAM_TIME,   /* a duration */
	PARAM_CHANGE, /* a duration with a sign */
	PARAM_FACTOR, /* a number above 0 */
	PARAM_NUMBER, /* a number from 0 */
	PARAM_COUNT   /* a whole number, in a range */
};

struct param {
	const char *name;
	const char *doc;
	enum param_kind kind;
	double initial;	  /* or one of the two below */
	double low, high; /* the range of a count */
};

/* Initial values that are not numbers: the base delay; none, so required. */
#define PARAM_IS_BASE (-1)
#define PARAM_REQUIRED (-2)

struct retry; /* see backoff.c */

/* One row a strategy: to add one, add a row. */
struct strategy {
	const char *name;
	const char *formula; /* the nominal delay before retry n */
	const char *doc;
	struct param params[BACKOFF_PARAMS + 1]; /* a NULL name ends them */
	const char *sample;  /* -b's text for the example; NULL for the name */
	const char *example; /* first nominal delays for base 1 and u = 1/2 */
	bool listed;	     /* its delays are listed; it takes no base */
	bool keeps_level;    /* failures raise a level, successes lower it */
	bool needs_ends;     /* cannot do without a base and a cap */
	bool random;	     /* brings its own randomness */

	/* Seconds, of any size, or NaN for 0 * infinity. */
	double (*nominal)(const struct retry *retry);
};

/* Ends with a NULL name. */
extern const struct strategy strategies[];

/*
 * A strategy with its numbers, in seconds: 0 <= min <= cap, 0 <= base.  The cap
 * limits the nominal delay.  One that the user or a preset gave is `most`, too.
 */
struct backoff {
	const struct strategy *strategy;
	double base;
	double min;
	double cap;
	double most; /* jitter included; 0: it may pass the cap */
	double params[BACKOFF_PARAMS];
	bool param_given[BACKOFF_PARAMS];
	double *values; /* of a list, in order */
	size_t count;
	const char *text; /* as it was typed */
};

/*
 * Reads STRATEGY[:NAME=VALUE,...], which is kept, into strategy, params and
 * values; the rest of *backoff is left alone.  If an item is wrong, *where
 * points to it; it ends before the next comma.
 */
const char *backoff_parse(const char *text, struct backoff *backoff,
    const char **where);

/* The strategy's parameter of this number: as given, or its initial value. */
double backoff_param(const struct backoff *backoff, int i);

/* The longest duration in the strategy's text, or 0 if it has none. */
double backoff_longest(const struct backoff *backoff);

/*
 * The nominal delay before retry number `n` (1 is the first), in seconds: 0 or
 * more and finite, not yet clamped.  A strategy that is random itself takes its
 * draw from `u`, in [0, 1]; the others ignore it.
 */
double backoff_nominal(const struct backoff *backoff, struct level *level,
    uint64_t n, double u);

/* The nominal delay after a success; `otherwise` if there is no level. */
double backoff_success(const struct backoff *backoff, struct level *level,
    double otherwise);

/* The delay, brought into [min, cap]. */
double backoff_clamp(const struct backoff *backoff, double delay);

/* The longest delay with its jitter, or INFINITY. */
static inline double
backoff_most(const struct backoff *backoff)
{
	return backoff->most > 0 ? backoff->most : INFINITY;
}

#endif
