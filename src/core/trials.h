/* SPDX-License-Identifier: MIT */

#ifndef TRIALS_H
#define TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "outcome.h"

/*
 * --trials: how often a command fails, from trials of which each succeeds or
 * fails.
 */

/* The outcomes of failed trials that are told apart. */
#define TRIALS_ROWS 8

/* Room for trials as text. */
#define TRIALS_TEXT 512

struct trials {
	uint64_t count, failed;
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
	double share;	  /* the point estimate: failed trials among all */
	double low, high; /* the 95 % interval */
};

/*
 * There must be a trial.  Without a failure `high` is the 95 % bound by the
 * rule of three.
 */
struct estimate trials_estimate(const struct trials *trials);

/* How often all attempts of a run would fail, with --attempts. */
struct forecast {
	uint64_t attempts; /* 0: there is no forecast */
	double chance;	   /* that all of them fail */
};

/*
 * The least number of attempts, but at least 2, of which fewer than one run in
 * a thousand would fail if the share of attempts that fail, each for itself, is
 * the point estimate.  None if no trial failed, or more than half did.
 */
struct forecast trials_forecast(const struct trials *trials);

/* Writes the trials as one line, without its end. */
void trials_format(const struct trials *trials, char text[TRIALS_TEXT]);

/* Reads such a line.  Returns false, and no trials, if it is none. */
bool trials_parse(const char *line, struct trials *trials);

#endif
