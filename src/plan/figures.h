/* SPDX-License-Identifier: MIT */

#ifndef PLAN_FIGURES_H
#define PLAN_FIGURES_H

#include "plan/simulation.h"
#include "core/record.h"

/* How one simulated run went; times are in seconds. */
struct sample {
	enum reason reason; /* NONE: it was not simulated to its end */
	double elapsed;
	double attempts;
	double down;	/* attempts that met a service that was down; NAN: the
			   run was over by then, or began later */
	double noticed; /* after the outage; NAN: never */
	bool early;	/* it gave up before the service was back */
};

/* All runs: `each` of them make a crowd, and one tells nothing of the next. */
struct samples {
	struct sample *rows;
	size_t count, room, each;
	bool drawn; /* else each run would go as these did */
};

struct sample sample_of(const struct simulation *simulation);

void samples_add(struct samples *samples, struct sample sample);

/* What the values come to, of which each is a run or a crowd. */
struct spread spread_of(double *values, size_t count, bool drawn);

struct plan_figures figures_of(const struct samples *samples, bool outage);

/*
 * Prints the lines below the table, for people; with `time_alone` only that of
 * the time, as all else stands in the table.
 */
void figures_print(const struct plan_figures *figures, bool time_alone);

/* Prints the lines that are about an outage alone. */
void figures_print_outage(const struct plan_figures *figures);

/* The lines below a chart, which are about all clients of a crowd. */
void figures_print_crowds(const struct plan_figures *figures);

#endif
