/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "plan/plan.h"
#include "plan/bound.h"
#include "plan/clients.h"
#include "plan/table.h"
#include "report/page.h"
#include "core/duration.h"
#include "core/text.h"

/* The most attempts that a table shows. */
#define SHOWN 10000

/* The plan's heading, in the words of the options. */
static void
print_heading(FILE *file, const struct report_style *style, uint64_t clients)
{
	const struct policy *policy = style->policy;
	char text[MESSAGE_PART];

	if (clients > 0)
		fprintf(file, "%" PRIu64 " client%s", clients,
		    clients == 1 ? "" : "s");
	else
		fprintf(file, "Plan");
	if (*style->command != NULL)
		fprintf(file, " %s %s", clients > 0 ? "of" : "for",
		    message_name(style, text));
	if (policy->limits.attempts > 0)
		fprintf(file, ": at most %ju attempt%s",
		    (uintmax_t)policy->limits.attempts,
		    policy->limits.attempts == 1 ? "" : "s");
	else
		fprintf(file, ": unlimited attempts");
	for (size_t i = 0; i < policy->limits.count; i++)
		fprintf(file, ", %.*s", policy->limits.rows[i].length,
		    policy->limits.rows[i].text);
	if (policy->max_time > 0)
		fprintf(file, " within %s",
		    duration_text(policy->max_time, text));
	fprintf(file, ", %s",
	    text_safe(policy->backoff.text, text, sizeof(text)));
	if (!policy->backoff.strategy->listed)
		fprintf(file, " from %s",
		    duration_text(policy->backoff.base, text));
	if (policy->jitter.kind->fixed)
		fprintf(file, ", no jitter");
	else
		fprintf(file, ", jitter %s",
		    text_safe(policy->jitter.text, text, sizeof(text)));
	if (policy->remember)
		fprintf(file, ", without its state");
	fprintf(file, "\n\n");
}

/*
 * Goes through the run in which each attempt fails that may, and tells its
 * records apart from the end.  Keeps those that have a row in the table, and
 * returns their number.
 */
static size_t
walk(struct host *run, struct report *report, struct record rows[SHOWN + 1])
{
	const struct world *world = run->world;
	size_t count = 0;

	run->most = SHOWN;
	while (!run->over) {
		simulation_step(run);
		for (int i = 0; i < world->count; i++) {
			struct record record = world->records[i];

			record.seen.time = record.elapsed;
			if (record.kind != RECORD_END)
				report_tell(report, &record);
			/* An attempt has a row, and a wait before the first. */
			if (record.kind == RECORD_OUTCOME ||
			    (record.kind == RECORD_WAIT &&
				record.attempt.number == 0))
				rows[count++] = record;
		}
	}
	return count;
}

/* Tells the end of a plan, with the figures of its simulated runs. */
static void
tell_end(struct report *report, struct record *last,
    const struct plan_figures *figures)
{
	struct figure rows[FIGURES_ROWS];

	figures_rows(figures, rows);
	last->figures = rows;
	report_tell(report, last);
	last->figures = NULL;
}

/* A plan of many clients: their chart, and one record of how they end. */
static void
plan_clients(struct world *world, struct report *report,
    const struct screen *screen, FILE *output, uint64_t steps)
{
	const uint64_t clients = world->script.clients;
	const struct record start = { .kind = RECORD_START,
		.policy = &world->policy };
	struct page page;

	report_tell(report, &start);
	page_open(&page, screen);
	print_heading(page.file, &report->style, clients);
	const struct plan_figures figures =
	    clients_simulate(world, &page, steps, UINT64_MAX);
	figures_print(page.file, &figures, false);
	page_print(&page, output, 0);
	struct record last = {
		.kind = RECORD_END,
		.policy = &world->policy,
		.elapsed = figures.last.p50,
		.attempt.number = (uint64_t)round(figures.total),
		.end.reason = REASON_PLAN,
		.seen.time = figures.last.p50,
		.clients = clients,
	};
	tell_end(report, &last, &figures);
}

/* A plan of one run: its table, and what others come to. */
static void
plan_one(struct world *world, struct report *report,
    const struct screen *screen, FILE *output, uint64_t steps)
{
	const struct policy *policy = report->style.policy;
	const struct script *script = &world->script;
	const struct bound bound = bound_of(policy);
	const bool may_succeed = script_is_random(script);
	struct record *rows = reallocarray(NULL, SHOWN + 1, sizeof(*rows));
	struct host run;
	struct page page;

	if (rows == NULL)
		err(STATUS_OWN_FAILURE, NULL);
	world->worst = true;
	simulation_open(&run, world, 0);
	const size_t count = walk(&run, report, rows);
	struct record last = run.end;
	last.seen.time = last.elapsed;
	/* A simulated run need not fail, and goes on until --max-time. */
	world->worst = false;
	const bool endless =
	    last.end.reason == REASON_PLAN && simulation_is_endless(&run);
	page_open(&page, screen);
	print_heading(page.file, &report->style, 0);
	plan_table_print(&page, script, rows, count);
	fprintf(page.file, "\nresult    %s%s\n",
	    may_succeed ? "if each fails, " : "",
	    message_part(&last, "last").text);
	bound_print(page.file, &bound);
	page_print(&page, output, 0);
	/* The simulations may take a second. */
	if (fflush(stdout) == EOF)
		err(STATUS_OWN_FAILURE, "standard output");
	/* A run that never ends has no figures. */
	const struct plan_figures figures =
	    clients_simulate(world, NULL, steps, endless ? 0 : UINT64_MAX);
	tell_end(report, &last, &figures);
	/* Without chance each run is the one of the table. */
	if (!endless && world_is_random(world)) {
		page_open(&page, screen);
		fprintf(page.file, "\n");
		figures_print(page.file, &figures,
		    !may_succeed && !figures.outage &&
			figures.ends[last.end.reason] == (double)figures.runs);
		page_print(&page, output, 0);
	}
	free(rows);
	simulation_close(&run);
}

/* Inlined, its variables would be on the stack of each run. */
__attribute__((noinline)) void
plan_run(const char *script, struct report *report, const struct screen *screen,
    uint64_t steps)
{
	const struct report_style *style = &report->style;
	struct world world = world_of(style->policy, style->seed, script);
	FILE *output = stdout;

	for (size_t i = 0; i < report->count; i++)
		if (report->sinks[i].file == stdout)
			output = NULL;
	if (world.script.clients > 0)
		plan_clients(&world, report, screen, output, steps);
	else
		plan_one(&world, report, screen, output, steps);
	world_free(&world);
}
