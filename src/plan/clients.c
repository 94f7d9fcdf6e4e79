/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/clients.h"
#include "plan/table.h"
#include "core/duration.h"

/* How many crowds are simulated; fewer if a crowd has many clients. */
#define CROWDS 100
#define SAMPLES 100000

/* The most rows of the chart; and the columns before its bars. */
#define ROWS 20
#define TEXTS 19

/* A second is so many parts, of which the last ones are remembered. */
#define PARTS 1000

/* The clock is looked at after so many steps. */
#define STEPS 256

/* What the attempts of a crowd come to, or of several, added up. */
struct load {
	double crowds;
	double attempts;
	double peak; /* retries in one second */
	double last; /* when the last client was through, or so far */
	double firsts[ROWS], others[ROWS]; /* attempts in each row */
};

/* All clients. */
struct crowd {
	struct service service;
	struct simulation *clients;
	size_t *queue; /* a heap of those that go on: the next one is first */
	size_t waiting;
	struct load load;

	uint64_t parts[PARTS];
	uint64_t part;	  /* the last part of a second that had a retry */
	uint64_t retries; /* in the second that ends with it */

	double width; /* of a row of the chart, in seconds; 0: there is none */
};

/* --- the queue --- */

static bool
is_before(const struct crowd *crowd, size_t a, size_t b)
{
	const double x = crowd->clients[a].event.now;
	const double y = crowd->clients[b].event.now;

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

/* Moves the second that is looked at to the part with this number. */
static void
count_retry(struct crowd *crowd, double now)
{
	const uint64_t part = (uint64_t)fmin(now * PARTS + 1e-6, 1e18);

	while (crowd->part < part) {
		if (crowd->retries == 0)
			crowd->part = part - 1;
		uint64_t *oldest = &crowd->parts[++crowd->part % PARTS];

		crowd->retries -= *oldest;
		*oldest = 0;
	}
	crowd->parts[part % PARTS]++;
	crowd->load.peak = fmax(crowd->load.peak, (double)++crowd->retries);
}

static void
count_attempt(struct crowd *crowd, const struct simulation *client)
{
	const bool first = client->attempt == 1;

	crowd->load.attempts++;
	if (!first)
		count_retry(crowd, client->now);
	if (crowd->width == 0)
		return;
	const int row = (int)fmin(client->now / crowd->width + 1e-9, ROWS - 1);
	if (first)
		crowd->load.firsts[row]++;
	else
		crowd->load.others[row]++;
}

/*
 * Simulates the crowd of this number until then, or as long as the watch runs,
 * if there is one.  Adds how each client went, if all of them came to their
 * end, which is returned.
 */
static bool
run_crowd(struct crowd *crowd, const struct plan_options *options,
    uint64_t number, double until, const struct stopwatch *watch,
    struct samples *samples)
{
	const struct bucket full = budget_full(&options->budget_rules);
	const struct service *service = &crowd->service;
	const size_t count = options->clients;
	uint64_t steps = 0;

	crowd->service.bucket = full;
	crowd->waiting = count;
	crowd->load = (struct load){ .crowds = 1 };
	crowd->part = crowd->retries = 0;
	memset(crowd->parts, 0, sizeof(crowd->parts));
	for (size_t i = 0; i < count; i++) {
		simulation_open(&crowd->clients[i], &crowd->service,
		    (struct random){ .seed = random_seed(&options->random,
					 number * count + i + 1) });
		crowd->queue[i] = i;
	}
	while (crowd->waiting > 0) {
		struct simulation *client = &crowd->clients[crowd->queue[0]];

		if (client->event.now > until ||
		    (watch != NULL && ++steps % STEPS == 0 &&
			!stopwatch_runs(watch)))
			break;
		simulation_step(client);
		crowd->load.last = fmax(crowd->load.last, client->now);
		if (service->count > 0 &&
		    service->records[service->count - 1].kind == RECORD_ATTEMPT)
			count_attempt(crowd, client);
		if (client->over)
			crowd->queue[0] = crowd->queue[--crowd->waiting];
		sift(crowd);
	}
	for (size_t i = 0; i < count; i++) {
		if (samples != NULL && crowd->waiting == 0)
			samples_add(samples, sample_of(&crowd->clients[i]));
		simulation_close(&crowd->clients[i]);
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

static void
print_chart(const struct load *load, double width, const struct screen *screen)
{
	const int room = screen->width - 1 - TEXTS;
	const char *bold = screen->colour ? "\033[1m" : "";
	const char *end = screen->colour ? "\033[m" : "";
	char text[DURATION_TEXT];
	double most = 0;
	int rows = 0;

	for (int i = 0; i < ROWS; i++) {
		most = fmax(most, load->firsts[i] + load->others[i]);
		if (load->firsts[i] + load->others[i] > 0)
			rows = i + 1;
	}
	printf("%s%7s  %8s%s  %s first attempts, %s retries\n", bold, "from",
	    "attempts", end, plan_bar_cell(screen, BAR_RANGE),
	    plan_bar_cell(screen, BAR_CERTAIN));
	for (int i = 0; i < rows; i++) {
		const double others = load->others[i];
		const double all = others + load->firsts[i];
		const double scale = room / most;

		printf("%7s  %8.0f", duration_text(i * width, text),
		    ceil(all / load->crowds));
		if (all > 0 && room > 0) {
			printf("  ");
			plan_bar(screen, (int)ceil(others * scale),
			    (int)ceil(all * scale), -1);
		}
		putchar('\n');
	}
	putchar('\n');
}

/* --- all crowds --- */

/* Nothing is drawn, so that each crowd does the same. */
static size_t
crowds_needed(const struct plan_options *options, bool random)
{
	const size_t clients = options->clients;

	if (!random)
		return 1;
	return clients * CROWDS <= SAMPLES ? CROWDS : 1 + SAMPLES / clients;
}

static void
add_load(struct load *sum, const struct load *load)
{
	sum->crowds += load->crowds;
	sum->attempts += load->attempts;
	sum->peak += load->peak;
	sum->last += load->last;
	for (int i = 0; i < ROWS; i++) {
		sum->firsts[i] += load->firsts[i];
		sum->others[i] += load->others[i];
	}
}

struct plan_figures
clients_simulate(const struct plan_options *options,
    const struct screen *screen, const struct stopwatch *watch)
{
	struct crowd *crowd = calloc(1, sizeof(*crowd));
	struct samples samples = { 0 };
	const struct stopwatch *first = watch;
	double until = INFINITY;

	if (crowd == NULL)
		abort();
	crowd->service = service_of(options);
	crowd->clients =
	    reallocarray(NULL, options->clients, sizeof(*crowd->clients));
	crowd->queue =
	    reallocarray(NULL, options->clients, sizeof(*crowd->queue));
	if (crowd->clients == NULL || crowd->queue == NULL)
		abort();
	const double needed =
	    (double)crowds_needed(options, service_is_random(&crowd->service));
	/*
	 * The first crowd tells how much time the chart has to show, and then
	 * goes the same way once more.
	 */
	if (screen != NULL) {
		const struct stopwatch half = { .now = watch->now,
			.end = (watch->now() + watch->end) / 2 };

		if (!run_crowd(crowd, options, 0, until, &half, NULL))
			until = crowd->load.last;
		crowd->width = row_width(crowd->load.last);
		first = NULL;
	}
	bool whole = run_crowd(crowd, options, 0, until, first, &samples);
	const size_t through = options->clients - crowd->waiting;
	struct load sum = crowd->load;
	while (whole && sum.crowds < needed && stopwatch_runs(watch)) {
		whole = run_crowd(crowd, options, (uint64_t)sum.crowds,
		    INFINITY, watch, &samples);
		if (whole)
			add_load(&sum, &crowd->load);
	}
	struct plan_figures figures =
	    figures_of(&samples, crowd->service.script.down_from < INFINITY);
	figures.clients = options->clients;
	figures.through = through;
	figures.total = sum.attempts / sum.crowds;
	figures.peak = sum.peak / sum.crowds;
	figures.last = sum.last / sum.crowds;
	if (screen != NULL)
		print_chart(&sum, crowd->width, screen);
	service_free(&crowd->service);
	free(crowd->clients);
	free(crowd->queue);
	free(crowd);
	free(samples.rows);
	return figures;
}

void
clients_print(const struct plan_figures *figures)
{
	const double peak = ceil(figures->peak);
	const double total = round(figures->total);
	char text[MESSAGE_PART];

	duration_text(figures->last, text);
	printf("peak      %.0f %s in one second\n", peak,
	    peak == 1 ? "retry" : "retries");
	printf("total     %.0f attempt%s", total, total == 1 ? "" : "s");
	if (figures->runs > 0) {
		printf("; the last client is through after %s\n\n", text);
		figures_print(figures);
	} else
		printf(" in %s\n\nThere was no time to simulate more: %zu of "
		       "%" PRIu64 " clients are through.\n",
		    text, figures->through, figures->clients);
}
