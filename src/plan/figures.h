/* SPDX-License-Identifier: MIT */

#ifndef PLAN_FIGURES_H
#define PLAN_FIGURES_H

#include <stdio.h>

#include "plan/simulation.h"
#include "core/record.h"

/* How one simulated run went. */
struct sample {
	enum reason reason; /* NONE: it was not simulated to its end */
	double elapsed;	    /* seconds */
};

/* All runs: `each` of them are a simulation, and depend on each other. */
struct samples {
	struct sample *rows;
	size_t count, each;
	bool drawn; /* else each run would go as these did */
};

/*
 * What half and 95 of 100 of the values do not exceed, with no more digits than
 * are known, and rather too large than too small; NAN: the values are too few.
 */
struct quantiles {
	double p50, p95;
};

/* Sorts the values, `each` of which depend on each other. */
struct quantiles quantiles_of(double *values, size_t count, size_t each,
    bool drawn);

/* What a plan says of its simulated runs. */
struct plan_figures {
	size_t runs;	      /* that came to their end */
	double ends[REASONS]; /* runs that ended so; NONE: had too many steps */
	double gives_up;      /* the share that did, or NAN */
	double low, high;     /* its 95 % interval */
	struct quantiles elapsed;
	bool outage;

	/* Of many clients, each of which is a run. */
	uint64_t clients;      /* 0: there is one */
	size_t simulations;    /* of them, to the end of each client */
	struct quantiles peak; /* retries in the second that has most of them */
	struct quantiles then; /* the same, once an outage is over */
	struct quantiles last; /* seconds until the last client is done */
	double total;	       /* attempts of a simulation, on average */
};

struct plan_figures figures_of(const struct samples *samples, bool outage);

/* The same as rows for reports; the last one has no name. */
#define FIGURES_ROWS 16
void figures_rows(const struct plan_figures *figures,
    struct figure rows[FIGURES_ROWS]);

/*
 * Prints the lines below the table or chart, for people; if all runs end as the
 * table does, only that of the time.
 */
void figures_print(FILE *file, const struct plan_figures *figures,
    bool time_alone);

#endif
