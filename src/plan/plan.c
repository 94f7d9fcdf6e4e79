/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "plan/plan.h"
#include "plan/bound.h"
#include "plan/clients.h"
#include "plan/table.h"
#include "core/duration.h"
#include "core/text.h"

/* How many runs are simulated, if there is time. */
#define RUNS 10000

/* The most attempts that a table shows. */
#define SHOWN 10000

/* A row for each attempt, and for a wait before the first one. */
static bool
has_row(const struct record *record)
{
	return record->kind == RECORD_OUTCOME ||
	    (record->kind == RECORD_WAIT && record->attempt.number == 0);
}

/* The plan's heading, in the words of the options. */
static void
print_heading(const struct plan_options *options,
    const struct report_style *style)
{
	const struct policy *policy = &options->policy;
	const char *jitter = options->jitter;
	char text[MESSAGE_PART];

	if (options->clients > 0)
		printf("%" PRIu64 " client%s", options->clients,
		    options->clients == 1 ? "" : "s");
	else
		printf("Plan");
	if (*style->command != NULL)
		printf(" %s %s", options->clients > 0 ? "of" : "for",
		    message_name(style, text));
	if (policy->limits.attempts > 0)
		printf(": at most %ju attempt%s",
		    (uintmax_t)policy->limits.attempts,
		    policy->limits.attempts == 1 ? "" : "s");
	else
		printf(": unlimited attempts");
	for (size_t i = 0; i < policy->limits.count; i++)
		printf(", %.*s", policy->limits.rows[i].length,
		    policy->limits.rows[i].text);
	if (policy->max_time > 0)
		printf(" within %s", duration_text(policy->max_time, text));
	printf(", %s", text_safe(options->backoff, text, sizeof(text)));
	if (!policy->backoff.strategy->listed)
		printf(" from %s", duration_text(policy->backoff.base, text));
	if (policy->jitter.kind->fixed)
		printf(", no jitter");
	else
		printf(", jitter %s",
		    jitter == NULL ? JITTER_DEFAULT
				   : text_safe(jitter, text, sizeof(text)));
	if (policy->remember)
		printf(", without its state");
	printf("\n\n");
}

/* What is known after a look at the run that the table will show. */
struct outlook {
	struct plan_looks looks;
	bool endless; /* another run need not end either */
	bool is_random;
	bool may_succeed; /* an attempt that fails in the table */
};

/*
 * Goes through the run in which each attempt fails that may.  Fills in the
 * outlook, tells the records apart from the end, which is returned, unless
 * `report` is NULL, and prints the rows of the table, unless that is NULL.
 */
static struct record
walk(const struct plan_options *options, struct outlook *outlook,
    struct report *report, struct plan_table *table)
{
	struct world world = world_of(options);
	struct plan_looks *looks = &outlook->looks;
	struct simulation run;
	char text[MESSAGE_PART];

	world.worst = true;
	simulation_open(&run, &world, options->random);
	run.most = SHOWN;
	while (!run.over && !ferror(stdout)) {
		simulation_step(&run);
		for (int i = 0; i < world.count; i++) {
			struct record *record = &world.records[i];

			record->seen.time = record->elapsed;
			if (report != NULL && record->kind != RECORD_END)
				report_tell(report, record);
			if (!has_row(record))
				continue;
			if (table != NULL)
				plan_table_row(table, record);
			const int width =
			    text_width(plan_table_outcome(record, text));
			if (width > looks->outcome)
				looks->outcome = width;
			if (record->wait.lasts)
				looks->longest = fmax(looks->longest,
				    record->wait.delay.high);
		}
	}
	struct record last = run.end;
	last.seen.time = last.elapsed;
	/* This copy of the policy ends here. */
	if (last.end.reached != NULL)
		last.end.reached = options->policy.limits.rows +
		    (last.end.reached - world.policy.limits.rows);
	/* A simulated run need not fail, and goes on until --max-time. */
	world.worst = false;
	outlook->endless =
	    last.end.reason == REASON_PLAN && simulation_is_endless(&run);
	outlook->is_random = world_is_random(&world);
	outlook->may_succeed = script_is_random(&world.script);
	looks->last = run.attempt;
	looks->down_from = world.script.down_from;
	looks->down_until = world.script.down_until;
	simulation_close(&run);
	world_free(&world);
	return last;
}

struct plan_figures
plan_simulate(const struct plan_options *options, uint64_t most, uint64_t runs)
{
	struct world world = world_of(options);
	const struct bucket full = world.bucket;
	const bool drawn = world_is_random(&world);
	struct samples samples = { .each = 1, .drawn = drawn };
	uint64_t steps = 0;

	if (runs > 1 && !drawn)
		runs = 1;
	for (uint64_t i = 0; i < runs && steps < most; i++) {
		const uint64_t end = steps + most;
		struct random random = options->random;
		struct simulation run;

		/* The first run is the one that the table shows. */
		if (i > 0)
			random.seed = random_seed(&options->random, i);
		world.bucket = full;
		simulation_open(&run, &world, random);
		/* A run that has begun may take as many steps as all before. */
		while (!run.over && steps + run.steps < end)
			simulation_step(&run);
		steps += run.steps;
		samples_add(&samples, sample_of(&run));
		simulation_close(&run);
	}
	const struct plan_figures figures =
	    figures_of(&samples, world.script.down_from < INFINITY);
	world_free(&world);
	free(samples.rows);
	return figures;
}

/* A plan of many clients: their chart, and one record of how they end. */
static void
plan_clients(const struct plan_options *options, struct report *report,
    const struct screen *screen, uint64_t steps)
{
	struct record start = { .kind = RECORD_START,
		.limit = options->policy.limits.attempts,
		.max_time = options->policy.max_time };
	struct figure rows[FIGURES_ROWS];

	report_tell(report, &start);
	if (screen != NULL)
		print_heading(options, &report->style);
	fflush(stdout);
	const struct plan_figures figures =
	    clients_simulate(options, screen, steps);
	figures_rows(&figures, rows);
	const struct record last = {
		.kind = RECORD_END,
		.elapsed = figures.last.p50,
		.attempt.number = (uint64_t)round(figures.total),
		.end.reason = REASON_PLAN,
		.seen.time = figures.last.p50,
		.figures = rows,
		.clients = options->clients,
	};
	report_tell(report, &last);
	if (screen != NULL)
		figures_print(&figures, false);
}

/* Inlined, its variables would be on the stack of each run. */
__attribute__((noinline)) void
plan_run(const struct plan_options *options, struct report *report,
    const struct screen *screen, uint64_t steps)
{
	const struct bound bound = bound_of(&options->policy);
	bool log_on_stdout = false;
	struct figure rows[FIGURES_ROWS];

	for (size_t i = 0; i < report->count; i++)
		if (report->sinks[i].file == stdout)
			log_on_stdout = true;
	if (options->clients > 0) {
		plan_clients(options, report, log_on_stdout ? NULL : screen,
		    steps);
		return;
	}
	struct outlook outlook = { .endless = false };
	struct plan_table table;
	walk(options, &outlook, NULL, NULL);
	if (!log_on_stdout) {
		print_heading(options, &report->style);
		table = plan_table_open(screen, outlook.looks);
	}
	struct record last =
	    walk(options, &outlook, report, log_on_stdout ? NULL : &table);
	if (!log_on_stdout) {
		plan_table_end(&table);
		printf("\nresult    %s%s\n",
		    outlook.may_succeed ? "if each fails, " : "",
		    message_end(&last).text);
		bound_print(&bound);
	}
	fflush(stdout);
	if (ferror(stdout))
		return;
	/* A run that never ends has no figures. */
	const struct plan_figures figures =
	    plan_simulate(options, steps, outlook.endless ? 0 : RUNS);
	figures_rows(&figures, rows);
	last.figures = rows;
	report_tell(report, &last);
	/* Without chance each run is the one of the table. */
	if (log_on_stdout || outlook.endless || !outlook.is_random)
		return;
	printf("\n");
	figures_print(&figures,
	    !outlook.may_succeed && !figures.outage &&
		figures.ends[last.end.reason] == (double)figures.runs);
}
