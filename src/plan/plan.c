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

/* The run on which each attempt that may fail does. */
struct schedule {
	struct world world;
	struct simulation run;
};

static void
schedule_open(struct schedule *schedule, const struct plan_options *options)
{
	schedule->world = world_of(options);
	schedule->world.worst = true;
	simulation_open(&schedule->run, &schedule->world, options->random);
	schedule->run.most = SHOWN;
}

/* Goes on; false after the last step of which there is something to tell. */
static bool
schedule_step(struct schedule *schedule)
{
	struct simulation *run = &schedule->run;

	if (run->over || ferror(stdout))
		return false;
	simulation_step(run);
	return true;
}

static void
schedule_close(struct schedule *schedule)
{
	simulation_close(&schedule->run);
	world_free(&schedule->world);
}

/* A row for each attempt, and for a wait before the first one. */
static bool
has_row(const struct record *record)
{
	return record->kind == RECORD_OUTCOME ||
	    (record->kind == RECORD_WAIT && record->attempt == 0);
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
	printf("\n\n");
}

/*
 * What is known of the run in which each attempt fails that may.  If that run
 * is always the same, but for the length of its waits, the share of runs that
 * go this way is the product of the chances, and no simulation is needed to
 * know it.
 */
struct way {
	bool endless;
	bool is_one;	 /* but for the length of its waits */
	double share;	 /* of runs that go this way to the end */
	double attempts; /* of a run, on average */

	/* What the looks of its table depend on. */
	uint64_t last;	/* the number of the last attempt */
	int outcome;	/* the width of the longest outcome */
	double longest; /* wait */
};

/* Whether the length of waits may decide how a simulated run ends. */
static bool
depends_on_waits(const struct world *world)
{
	const struct policy *policy = &world->policy;
	const struct script *script = &world->script;
	struct world other = *world;
	bool hangs = policy->timeout_share > 0;

	if (!policy_draws(policy))
		return false;
	if (script->down_from < INFINITY || policy->pace_start ||
	    (policy->budget && world->budget->rate > 0))
		return true;
	for (size_t i = 0; i < policy->limits.count; i++)
		if (policy->limits.rows[i].window < INFINITY)
			return true;
	for (size_t i = 0; i < script->count; i++)
		hangs |= script->items[i].outcome.kind == OUTCOME_TIMEOUT;
	if (policy->max_time == 0 || hangs)
		return policy->max_time > 0;
	/* Attempts last as long as in the script, and print nothing. */
	other.policy.max_time = other.policy.timeout = 0;
	other.policy.hints = false;
	return bound_of(&other.policy).waits >=
	    policy->max_time + policy->splay;
}

static struct way
find_way(const struct plan_options *options)
{
	struct schedule schedule;
	struct way way = { .outcome = 0 };
	char text[MESSAGE_PART];

	schedule_open(&schedule, options);
	while (schedule_step(&schedule))
		for (int i = 0; i < schedule.world.count; i++) {
			const struct record *record =
			    &schedule.world.records[i];

			if (!has_row(record))
				continue;
			const int width =
			    text_width(plan_table_outcome(record, text));
			if (width > way.outcome)
				way.outcome = width;
			if (record->waits)
				way.longest =
				    fmax(way.longest, record->delay.high);
		}
	const struct simulation *run = &schedule.run;
	const enum reason reason = run->end.reason;
	/* A simulated run need not fail, and goes on until --max-time. */
	schedule.world.worst = false;
	way.endless = reason == REASON_PLAN && simulation_is_endless(run);
	way.is_one = reason != REASON_PLAN && !options->policy.repeat &&
	    !depends_on_waits(&schedule.world);
	way.share = reasons[reason].gave_up != NULL ? run->share : 0;
	way.attempts = run->expected;
	way.last = run->attempt;
	schedule_close(&schedule);
	return way;
}

/*
 * Goes through one run, and tells its records, apart from the end, which is
 * returned, and prints its table, unless that is NULL.
 */
static struct record
show_schedule(const struct plan_options *options, struct report *report,
    struct plan_table *table)
{
	struct schedule schedule;

	schedule_open(&schedule, options);
	while (schedule_step(&schedule))
		for (int i = 0; i < schedule.world.count; i++) {
			struct record *record = &schedule.world.records[i];

			record->time = record->elapsed;
			if (record->kind == RECORD_END)
				schedule.run.end.time = record->time;
			else
				report_tell(report, record);
			if (table != NULL && has_row(record))
				plan_table_row(table, record);
		}
	if (table != NULL)
		plan_table_end(table);
	struct record end = schedule.run.end;
	/* The schedule's copy of the policy ends here. */
	if (end.reached != NULL)
		end.reached = options->policy.limits.rows +
		    (end.reached - schedule.world.policy.limits.rows);
	schedule_close(&schedule);
	return end;
}

/* Puts what is known for certain in the place of what was simulated. */
static void
set_exactly(struct plan_figures *figures, const struct way *way)
{
	const double share = way->share, attempts = way->attempts;

	if (!way->is_one || figures->runs <= 1)
		return;
	figures->gives_up = (struct estimated){ share, { share, share } };
	figures->attempts.mean =
	    (struct estimated){ attempts, { attempts, attempts } };
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

/* How the run ends that the table shows, and how long others can last. */
static void
print_result(const struct plan_options *options, const struct record *end)
{
	const struct bound bound = bound_of(&options->policy);
	struct world world = world_of(options);

	printf("\n%s  %s\n",
	    script_is_random(&world.script) ? "at worst" : "result  ",
	    message_end(end).text);
	bound_print(&bound);
	world_free(&world);
}

/* What the simulated runs come to, unless the table says it. */
static void
print_figures(const struct plan_options *options, const struct record *end,
    const struct plan_figures *figures)
{
	const bool same = figures->attempts.fixed &&
	    (double)figures->runs == figures->ends[end->reason];
	const bool shown = same && figures->elapsed.fixed;

	if (shown && figures->outage)
		figures_print_outage(figures);
	else if (!shown) {
		printf("\n");
		figures_print(figures, same && !figures->outage);
	}
	if (options->policy.remember)
		printf("state     is not read: each run begins anew\n");
}

/* A plan of many clients: their chart, and one record of how they end. */
static void
plan_clients(const struct plan_options *options, struct report *report,
    const struct screen *screen, uint64_t steps)
{
	struct record start = { .kind = RECORD_START,
		.limit = options->policy.limits.attempts,
		.max_time = options->policy.max_time };

	report_tell(report, &start);
	if (screen != NULL)
		print_heading(options, &report->style);
	fflush(stdout);
	struct plan_figures figures = clients_simulate(options, screen, steps);
	/* With a budget of all, clients depend on each other. */
	if (!options->policy.budget) {
		const struct way way = find_way(options);

		set_exactly(&figures, &way);
	}
	const struct record end = {
		.kind = RECORD_END,
		.time = figures.last.p50.value,
		.elapsed = figures.last.p50.value,
		.attempt = (uint64_t)round(figures.total),
		.reason = REASON_PLAN,
		.figures = &figures,
	};
	report_tell(report, &end);
	if (screen == NULL)
		return;
	figures_print_crowds(&figures);
	if (options->policy.remember)
		printf("state     is not read: each client begins anew\n");
}

void
plan_run(const struct plan_options *options, struct report *report,
    const struct screen *screen, uint64_t steps)
{
	bool log_on_stdout = false;

	for (size_t i = 0; i < report->count; i++)
		if (report->sinks[i].file == stdout)
			log_on_stdout = true;
	if (options->clients > 0) {
		plan_clients(options, report, log_on_stdout ? NULL : screen,
		    steps);
		return;
	}
	const struct way way = find_way(options);
	struct plan_table table = { .screen = screen };
	if (!log_on_stdout) {
		print_heading(options, &report->style);
		table =
		    plan_table_open(screen, way.last, way.outcome, way.longest);
	}
	struct record end =
	    show_schedule(options, report, log_on_stdout ? NULL : &table);
	fflush(stdout);
	if (ferror(stdout))
		return;
	if (!log_on_stdout) {
		print_result(options, &end);
		fflush(stdout);
	}
	/* A run that never ends has no figures. */
	struct plan_figures figures =
	    plan_simulate(options, steps, way.endless ? 0 : RUNS);
	set_exactly(&figures, &way);
	end.figures = &figures;
	report_tell(report, &end);
	if (!log_on_stdout && !way.endless)
		print_figures(options, &end, &figures);
}
