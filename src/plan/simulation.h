/* SPDX-License-Identifier: MIT */

#ifndef SIMULATION_H
#define SIMULATION_H

#include "plan/script.h"
#include "core/run.h"

/*
 * A step of a plan writes at most a start or an outcome, a wait, and an attempt
 * or the end.
 */
#define WORLD_RECORDS 3

/* All that the attempts of a simulation meet; its runs may share it. */
struct world {
	struct policy policy;
	struct random random; /* that the runs draw their seeds from */
	struct script script;
	struct outcome failure; /* that is retried */
	struct outcome success;
	struct bucket bucket; /* of the budget, if there is one */
	bool worst;	      /* attempts fail if they may */

	/* What happened in the last step, of whichever run, in order. */
	struct record records[WORLD_RECORDS];
	int count;
};

/*
 * The simulated host of one run, on an imaginary clock: the script says how the
 * run goes.
 */
struct host {
	struct world *world;
	struct run *run;
	struct random random; /* for the script */
	double now;
	struct record end;
	bool over;
	uint64_t most;	/* the run is left in a wait after so many attempts */
	uint64_t steps; /* of its work, so far */

	/* The place in the script. */
	size_t reached;	   /* items; the last of them applies */
	uint64_t left;	   /* attempts to which it still applies */
	uint64_t repeated; /* how often the last one, without a count, came */

	/* The attempt. */
	uint64_t attempt;
	bool runs;	/* or the process of a question does */
	enum task task; /* for which it does */
	double ends;	/* by itself; INFINITY: never */
	bool is_silent; /* it writes nothing */
	struct outcome outcome;
	struct outcome returned; /* by the process, even after a timeout */
};

/*
 * What a plan of this policy and seed is made for, with a full budget; the
 * script is that of --plan, or NULL.  world_free() releases it.
 */
struct world world_of(const struct policy *policy, uint64_t seed,
    const char *script);

/* Whether two runs may differ, since something is drawn. */
bool world_is_random(const struct world *world);

void world_free(struct world *world);

/*
 * Begins the run of this number, which has draws of its own; those of run 0 are
 * the seed's.  simulation_close() releases it.
 */
void simulation_open(struct host *host, struct world *world, uint64_t number);

void simulation_close(struct host *host);

/* Goes on to the end of the next attempt, or of the run. */
void simulation_step(struct host *host);

/* Whether the run would never end. */
bool simulation_is_endless(const struct host *host);

#endif
