/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/clients.h"
#include "plan/table.h"
#include "core/duration.h"

/* How many runs are simulated, or crowds; fewer if they have many clients. */
#define RUNS 10000
#define CROWDS 100
#define SAMPLES 100000

/* The most rows of the chart; the columns before its bars, and its legend's. */
#define ROWS 20
#define TEXTS 19
#define LEGEND 27

/* A rounding error less, so that no retry counts that begins a second later. */
#define SECOND (1 - 1e-6)

/* An attempt in the chart. */
struct mark {
	double time;
	bool first;
};

/* All clients; a plan without clients= is a crowd of one. */
struct crowd {
	struct world *world;
	struct host *clients;
	size_t size;
	size_t *queue; /* a heap of those that go on: the next one is first */
	size_t waiting;

	double peak,
	    then;    /* most retries in a second; then: after the outage */
	double last; /* when the last client was done, or so far */

	/* Of all crowds: their steps, their runs, and their attempts. */
	uint64_t steps;
	struct samples samples;
	struct mark *marks;
	size_t marked, room;
};

/* --- the queue --- */

static bool
is_before(const struct crowd *crowd, size_t a, size_t b)
{
	const double x = crowd->clients[a].now;
	const double y = crowd->clients[b].now;

	return x < y || (x == y && a < b);
}

/* Moves the first of the queue to its place. */
static void
sift(struct crowd *crowd)
{
	size_t *queue = crowd->queue, i = 0;

	for (;;) {
		size_t least = i;

		for (size_t child = 2 * i + 1; child <= 2 * i + 2; child++)
			if (child < crowd->waiting &&
			    is_before(crowd, queue[child], queue[least]))
				least = child;
		if (least == i)
			return;
		const size_t client = queue[i];
		queue[i] = queue[least];
		queue[least] = client;
		i = least;
	}
}

/* --- one crowd --- */

/* Notes an attempt that has begun. */
static void
note_attempt(struct crowd *crowd, const struct record *record)
{
	if (crowd->marked == crowd->room) {
		crowd->room = 2 * crowd->room + 1000;
		crowd->marks = reallocarray(crowd->marks, crowd->room,
		    sizeof(*crowd->marks));
		if (crowd->marks == NULL)
			err(STATUS_OWN_FAILURE, NULL);
	}
	crowd->marks[crowd->marked++] =
	    (struct mark){ record->attempt.begun, record->attempt.number == 1 };
}

static int
compare_marks(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/*
 * Counts the attempts of a crowd, the last marks, in the order of time, and the
 * retries of any second.  None is counted that is on both sides of the outage's
 * end.
 */
static void
count_attempts(struct crowd *crowd, size_t before)
{
	const double back = crowd->world->script.down_until;
	const struct mark *marks = crowd->marks;
	size_t oldest = before, retries = 0;

	if (marks == NULL)
		return;
	qsort(crowd->marks + before, crowd->marked - before, sizeof(*marks),
	    compare_marks);
	for (size_t i = before; i < crowd->marked; i++) {
		const double now = marks[i].time;
		double *most = now < back ? &crowd->peak : &crowd->then;

		retries += !marks[i].first;
		for (; marks[oldest].time <= now - SECOND ||
		     (now >= back && marks[oldest].time < back);
		     oldest++)
			retries -= !marks[oldest].first;
		*most = fmax(*most, (double)retries);
	}
}

/*
 * Simulates the crowd of this number, for so many steps at most.  Adds how each
 * client went, if all of them came to their end, which is returned, or if there
 * is but one.
 */
static bool
run_crowd(struct crowd *crowd, uint64_t number, uint64_t most)
{
	struct world *world = crowd->world;
	struct samples *samples = &crowd->samples;
	const uint64_t end = crowd->steps + most;
	const size_t before = crowd->marked;

	world->bucket = budget_full(&world->policy.budget_rules);
	crowd->waiting = crowd->size;
	crowd->peak = crowd->then = crowd->last = 0;
	for (size_t i = 0; i < crowd->size; i++) {
		/* Without clients= the first run is that of the table. */
		simulation_open(&crowd->clients[i], world,
		    number * crowd->size + i + (world->script.clients > 0));
		crowd->queue[i] = i;
	}
	while (crowd->waiting > 0 && crowd->steps < end) {
		struct host *client = &crowd->clients[crowd->queue[0]];

		crowd->steps -= client->steps;
		simulation_step(client);
		crowd->steps += client->steps;
		crowd->last = fmax(crowd->last, client->now);
		if (world->script.clients > 0 && world->count > 0 &&
		    world->records[world->count - 1].kind == RECORD_ATTEMPT)
			note_attempt(crowd, &world->records[world->count - 1]);
		if (client->over)
			crowd->queue[0] = crowd->queue[--crowd->waiting];
		sift(crowd);
	}
	count_attempts(crowd, before);
	for (size_t i = 0; i < crowd->size; i++) {
		struct host *client = &crowd->clients[i];
		struct sample sample = { REASON_NONE, INFINITY };

		if (client->over)
			sample = (struct sample){ client->end.end.reason,
				client->end.elapsed };
		if (crowd->waiting == 0 || crowd->size == 1)
			samples->rows[samples->count++] = sample;
		simulation_close(client);
	}
	return crowd->waiting == 0;
}

/* --- the chart --- */

/* The least width of a row, in seconds, that people like to count in. */
static double
row_width(double span)
{
	static const double widths[] = { 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05,
		0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900,
		1800, 3600, 7200, 10800, 21600, 43200, 86400 };
	size_t i = 0;

	while (i + 1 < sizeof(widths) / sizeof(widths[0]) &&
	    span / widths[i] >= ROWS)
		i++;
	return fmax(widths[i], span / (ROWS - 1));
}

/*
 * Attempts in rows of one width; the last row has all later ones, too.  Rows
 * are means over crowds, rounded so that they add up to the total.
 */
static void
print_chart(const struct page *page, const struct crowd *crowd, size_t crowds,
    double last)
{
	const struct screen *screen = page->screen;
	FILE *file = page->file;
	const int room = screen->width - 1 - TEXTS;
	const char *bold = screen->colour ? "\033[1m" : "";
	const char *end = screen->colour ? "\033[m" : "";
	const struct script *script = &crowd->world->script;
	const double width = row_width(last);
	double firsts[ROWS] = { 0 }, others[ROWS] = { 0 };
	double most = 0, sum = 0, told = 0;
	char text[DURATION_TEXT];
	int rows = 0;

	for (size_t i = 0; i < crowd->marked; i++) {
		const struct mark mark = crowd->marks[i];
		const int row = (int)fmin(mark.time / width + 1e-9, ROWS - 1);

		(mark.first ? firsts : others)[row] += 1 / (double)crowds;
		rows = row + 1 > rows ? row + 1 : rows;
	}
	for (int i = 0; i < rows; i++)
		most = fmax(most, firsts[i] + others[i]);
	fprintf(file, "%s%7s  %8s%s", bold, "from", "attempts", end);
	if (room >= LEGEND) {
		fprintf(file, "  ");
		plan_bar(page, BAR_FIRST, 1);
		fprintf(file, " first attempts, ");
		plan_bar(page, BAR_RETRY, 1);
		fprintf(file, " retries");
	}
	putc('\n', file);
	for (int i = 0; i < rows; i++) {
		const double all = firsts[i] + others[i];
		const double scale = room / most;

		plan_mark_outage(page, script, fmax(i - 1, 0) * width,
		    i * width);
		sum += all;
		const double count = round(sum) - told;
		told += count;
		fprintf(file, "%7s  %8.0f", duration_text(i * width, text),
		    count);
		if (count > 0 && room > 0) {
			const int retries = (int)ceil(others[i] * scale);

			fprintf(file, "  ");
			plan_bar(page, BAR_FIRST,
			    (int)fmax(ceil(all * scale), 1) - retries);
			plan_bar(page, BAR_RETRY, retries);
		}
		putc('\n', file);
	}
	plan_mark_outage(page, script, (rows - 1) * width, INFINITY);
	fprintf(file, "%7s  %8.0f\n\n", "total", told);
}

/* --- all crowds --- */

struct plan_figures
clients_simulate(struct world *world, const struct page *page, uint64_t most,
    uint64_t runs)
{
	const size_t clients = world->script.clients;
	const bool drawn = world_is_random(world);
	struct crowd crowd = { .world = world,
		.size = clients > 0 ? clients : 1 };
	double peaks[CROWDS], thens[CROWDS], lasts[CROWDS];
	size_t whole = 0, needed = clients == 0 ? RUNS : CROWDS, marks = 0;

	if (clients * CROWDS > SAMPLES)
		needed = 1 + SAMPLES / clients;
	if (!drawn)
		needed = 1;
	if (needed > runs)
		needed = runs;
	/* Clients that share no budget depend on each other in nothing. */
	crowd.samples = (struct samples){
		.rows = calloc(needed + 1, crowd.size * sizeof(struct sample)),
		.each = world->policy.budget ? crowd.size : 1,
		.drawn = drawn,
	};
	crowd.clients = calloc(crowd.size, sizeof(*crowd.clients));
	crowd.queue = calloc(crowd.size, sizeof(*crowd.queue));
	if (crowd.samples.rows == NULL || crowd.clients == NULL ||
	    crowd.queue == NULL)
		err(STATUS_OWN_FAILURE, NULL);
	/* A crowd that has begun may take as many steps as all before. */
	while (whole < needed && (whole == 0 || crowd.steps < most) &&
	    run_crowd(&crowd, whole, most)) {
		if (clients > 0) {
			peaks[whole] = crowd.peak;
			thens[whole] = crowd.then;
			lasts[whole] = crowd.last;
		}
		whole++;
		marks = crowd.marked;
	}
	/* The chart shows the first crowd as far as it came. */
	if (whole > 0)
		crowd.marked = marks;
	const size_t shown = whole > 0 ? whole : 1;
	struct plan_figures figures =
	    figures_of(&crowd.samples, world->script.down_from < INFINITY);
	if (clients > 0) {
		figures.clients = clients;
		figures.simulations = whole;
		figures.peak = quantiles_of(peaks, whole, 1, drawn);
		figures.then = quantiles_of(thens, whole, 1, drawn);
		figures.last = quantiles_of(lasts, whole, 1, drawn);
		figures.total = (double)crowd.marked / (double)shown;
	}
	if (page != NULL) {
		/* Sorted: the end of the chart, if 95 % are not known. */
		const double last =
		    clients > 0 && whole > 0 ? lasts[whole - 1] : crowd.last;

		print_chart(page, &crowd, shown,
		    isnan(figures.last.p95) ? last : figures.last.p95);
	}
	free(crowd.samples.rows);
	free(crowd.clients);
	free(crowd.queue);
	free(crowd.marks);
	return figures;
}
