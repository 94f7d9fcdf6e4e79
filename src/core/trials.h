/* SPDX-License-Identifier: MIT */

#ifndef TRIALS_H
#define TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "interval.h"
#include "outcome.h"

/*
 * --trials: how often a command fails, from trials of which each succeeds or
 * fails.
 */

/* How many kinds of failure are counted apart. */
#define TRIALS_ROWS 8

/* Room for trials as text. */
#define TRIALS_TEXT 512

struct trials {
	uint64_t count, failed;
	uint64_t cut;  /* others, which --max-time ended before a verdict */
	uint64_t runs; /* of failures, one after the other */
	bool failed_last;
	/* How they failed, the most frequent first; a count of 0 ends them. */
	struct {
		struct outcome outcome;
		uint64_t count;
	} rows[TRIALS_ROWS];
};

void trials_add(struct trials *trials, struct outcome outcome, bool failed);

/* How many failed trials have no row. */
uint64_t trials_others(const struct trials *trials);

/* What the trials tell of the share of all runs of the command that fail. */
struct estimate {
	double share; /* of the trials, without those that were cut off */
	double most;  /* of all trials, if those had failed */
	struct interval interval; /* 95 %, whatever they had done */
};

/* There must be a trial that was not cut off. */
struct estimate trials_estimate(const struct trials *trials);

/* The failures right after another failure. */
struct again {
	uint64_t followed; /* failures that another trial followed */
	uint64_t failed;   /* of these trials */
	bool clustered;	   /* more than by chance: interval_clustered() */
};

struct again trials_again(const struct trials *trials);

/* How often all attempts of a run would fail, with --attempts. */
struct forecast {
	uint64_t attempts; /* 0: there is no forecast */
	double chance;	   /* that all of them fail, at most */
	double share;	   /* of attempts that may fail */
};

/*
 * The least number of attempts, but at least 2, of which fewer than one run in
 * a thousand would fail, if the share that fails is the upper end of its
 * interval.  From N trials nothing rarer than one run in 10 N is forecast; and
 * nothing at all if no trial failed or was cut off, if more than half may fail,
 * or if failures are clustered, so that an attempt does not fail for itself.
 */
struct forecast trials_forecast(const struct trials *trials);

/* Writes the trials as one line, without its end. */
void trials_format(const struct trials *trials, char text[TRIALS_TEXT]);

/* Reads such a line.  Returns false, and no trials, if it is none. */
bool trials_parse(const char *line, struct trials *trials);

#endif
