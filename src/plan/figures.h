/* SPDX-License-Identifier: MIT */

#ifndef PLAN_FIGURES_H
#define PLAN_FIGURES_H

#include <stdio.h>

#include "plan/simulation.h"
#include "report/message.h"
#include "core/record.h"

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

struct plan_figures figures_of(const struct samples *samples, bool outage);

/* Prints the lines below the table, for people. */
void figures_print(const struct plan_figures *figures);

/* Prints the lines that are about an outage alone. */
void figures_print_outage(const struct plan_figures *figures);

/* "5.4 %", from the share. */
const char *figures_percent(double share, char text[MESSAGE_PART]);

#endif
