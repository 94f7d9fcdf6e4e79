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
print_heading(const struct report_style *style, uint64_t clients,
    const struct screen *screen)
{
	const struct policy *policy = style->policy;
	char text[MESSAGE_PART];
	struct page page;

	page_open(&page);
	if (clients > 0)
		fprintf(page.file, "%" PRIu64 " client%s", clients,
		    clients == 1 ? "" : "s");
	else
		fprintf(page.file, "Plan");
	if (*style->command != NULL)
		fprintf(page.file, " %s %s", clients > 0 ? "of" : "for",
		    message_name(style, text));
	if (policy->limits.attempts > 0)
		fprintf(page.file, ": at most %ju attempt%s",
		    (uintmax_t)policy->limits.attempts,
		    policy->limits.attempts == 1 ? "" : "s");
	else
		fprintf(page.file, ": unlimited attempts");
	for (size_t i = 0; i < policy->limits.count; i++)
		fprintf(page.file, ", %.*s", policy->limits.rows[i].length,
		    policy->limits.rows[i].text);
	if (policy->max_time > 0)
		fprintf(page.file, " within %s",
		    duration_text(policy->max_time, text));
	fprintf(page.file, ", %s",
	    text_safe(policy->backoff.text, text, sizeof(text)));
	if (!policy->backoff.strategy->listed)
		fprintf(page.file, " from %s",
		    duration_text(policy->backoff.base, text));
	if (policy->jitter.kind->fixed)
		fprintf(page.file, ", no jitter");
	else
		fprintf(page.file, ", jitter %s",
		    text_safe(policy->jitter.text, text, sizeof(text)));
	if (policy->remember)
		fprintf(page.file, ", without its state");
	fprintf(page.file, "\n\n");
	page_print(&page, screen, 0);
}

/* The records that have a row in the table. */
struct rows {
	struct record *all;
	size_t count;
};

/*
 * Goes through the run in which each attempt fails that may, and tells its
 * records apart from the end, which is returned.
 */
static struct record
walk(struct host *run, struct report *report, struct rows *rows)
{
	const struct world *world = run->world;

	run->most = SHOWN;
	while (!run->over && !ferror(stdout)) {
		simulation_step(run);
		for (int i = 0; i < world->count; i++) {
			struct record record = world->records[i];
			const size_t count = rows->count;

			record.seen.time = record.elapsed;
			if (record.kind != RECORD_END)
				report_tell(report, &record);
			/* An attempt has a row, and a wait before the first. */
			if (record.kind != RECORD_OUTCOME &&
			    (record.kind != RECORD_WAIT ||
				record.attempt.number > 0))
				continue;
			/* The room doubles. */
			if ((count & (count - 1)) == 0)
				rows->all = reallocarray(rows->all,
				    count == 0 ? 1 : 2 * count,
				    sizeof(*rows->all));
			if (rows->all == NULL)
				err(STATUS_OWN_FAILURE, NULL);
			rows->all[rows->count++] = record;
		}
	}
	struct record last = run->end;
	last.seen.time = last.elapsed;
	return last;
}

static void
print_figures(const struct plan_figures *figures, bool time_alone,
    const struct screen *screen)
{
	struct page page;

	page_open(&page);
	figures_print(page.file, figures, time_alone);
	page_print(&page, screen, 0);
}

/* A plan of many clients: their chart, and one record of how they end. */
static void
plan_clients(struct world *world, struct report *report,
    const struct screen *screen, uint64_t steps)
{
	const uint64_t clients = world->script.clients;
	struct record start = { .kind = RECORD_START,
		.limit = world->policy.limits.attempts,
		.max_time = world->policy.max_time };
	struct figure rows[FIGURES_ROWS];

	report_tell(report, &start);
	if (screen != NULL)
		print_heading(&report->style, clients, screen);
	fflush(stdout);
	const struct plan_figures figures =
	    clients_simulate(world, screen, steps, UINT64_MAX);
	figures_rows(&figures, rows);
	const struct record last = {
		.kind = RECORD_END,
		.elapsed = figures.last.p50,
		.attempt.number = (uint64_t)round(figures.total),
		.end.reason = REASON_PLAN,
		.seen.time = figures.last.p50,
		.figures = rows,
		.clients = clients,
	};
	report_tell(report, &last);
	if (screen != NULL)
		print_figures(&figures, false, screen);
}

/* Inlined, its variables would be on the stack of each run. */
__attribute__((noinline)) void
plan_run(const char *text, struct report *report, const struct screen *screen,
    uint64_t steps)
{
	const struct policy *policy = report->style.policy;
	const struct bound bound = bound_of(policy);
	struct world world = world_of(policy, report->style.seed, text);
	const struct script *script = &world.script;
	const bool may_succeed = script_is_random(script);
	bool log_on_stdout = false;
	struct figure figures_of_plan[FIGURES_ROWS];
	struct rows rows = { .count = 0 };
	struct host run;
	struct page page;

	for (size_t i = 0; i < report->count; i++)
		if (report->sinks[i].file == stdout)
			log_on_stdout = true;
	if (script->clients > 0) {
		plan_clients(&world, report, log_on_stdout ? NULL : screen,
		    steps);
		goto free_world;
	}
	world.worst = true;
	simulation_open(&run, &world, 0);
	struct record last = walk(&run, report, &rows);
	/* A simulated run need not fail, and goes on until --max-time. */
	world.worst = false;
	const bool endless =
	    last.end.reason == REASON_PLAN && simulation_is_endless(&run);
	if (!log_on_stdout) {
		print_heading(&report->style, 0, screen);
		plan_table_print(screen, rows.all, rows.count,
		    script->down_from, script->down_until);
		page_open(&page);
		fprintf(page.file, "\nresult    %s%s\n",
		    may_succeed ? "if each fails, " : "",
		    message_part(&last, "last").text);
		bound_print(page.file, &bound);
		page_print(&page, screen, 0);
	}
	fflush(stdout);
	if (ferror(stdout))
		goto close_run;
	/* A run that never ends has no figures. */
	const struct plan_figures figures =
	    clients_simulate(&world, NULL, steps, endless ? 0 : UINT64_MAX);
	figures_rows(&figures, figures_of_plan);
	last.figures = figures_of_plan;
	report_tell(report, &last);
	/* Without chance each run is the one of the table. */
	if (!log_on_stdout && !endless && world_is_random(&world)) {
		printf("\n");
		print_figures(&figures,
		    !may_succeed && !figures.outage &&
			figures.ends[last.end.reason] == (double)figures.runs,
		    screen);
	}
close_run:
	free(rows.all);
	simulation_close(&run);
free_world:
	world_free(&world);
}
