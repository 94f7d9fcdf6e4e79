/* SPDX-License-Identifier: MIT */

#ifndef PLAN_FIGURES_H
#define PLAN_FIGURES_H

#include <stdio.h>

#include "report/message.h"
#include "plan/simulation.h"

/* How one simulated run went; times are in seconds. */
struct sample {
	enum reason reason; /* NONE: it was not simulated to its end */
	double elapsed;
	double attempts;
	double down;	/* attempts that met a service that was down */
	double noticed; /* after the outage; NAN: never */
	bool early;	/* it gave up before the service was back */
};

/* All runs, and what becomes of them. */
struct samples {
	struct sample *rows;
	size_t count, room;
};

struct sample sample_of(const struct simulation *simulation);

void samples_add(struct samples *samples, struct sample sample);

/* What a number comes to over all runs, in its own unit. */
struct spread {
	size_t count;
	double mean;
	double error; /* of the mean: it is within this with 95 % */
	double p50, p95, p99;
	bool fixed; /* the number was always the same */
};

/* What a plan says of its simulated runs. */
struct plan_figures {
	size_t runs;		       /* that came to their end */
	double ends[REASON_ERROR + 1]; /* runs that ended so */
	double gives_up;	       /* their share */
	struct spread elapsed, attempts;
	bool outage;
	double early; /* the share that gave up before the service was back */
	struct spread noticed, down;

	/* Of many clients; each is a run. */
	uint64_t clients; /* 0: there is one */
	size_t through;	  /* of them; all, unless there was no time for it */
	double peak;	  /* retries in the second that has most of them */
	double total;	  /* attempts */
	double last;	  /* seconds until the last one is through */
};

struct plan_figures figures_of(const struct samples *samples, bool outage);

/* Prints the lines below the table, for people. */
void figures_print(const struct plan_figures *figures);

/* Prints the lines that are about an outage alone. */
void figures_print_outage(const struct plan_figures *figures);

/* "5.4 %", from the share. */
const char *figures_percent(double share, char text[MESSAGE_PART]);

#endif
