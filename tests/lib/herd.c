/* SPDX-License-Identifier: MIT */

/*
 * herd [RUNS]: which backoff and jitter calm a herd.
 *
 * So many clients want to change one row at once, each by reading it and then
 * writing it back, which succeeds where nobody else has written meanwhile; one
 * that failed backs off and begins again.  This is the model of "Exponential
 * Backoff And Jitter" (M. Brooker, 2015): each hop between client and server
 * takes |N(10, 2)| ms, delays begin at a base of 5 ms, doubled, and are capped
 * at 2 s.  Prints the mean of so many runs (100) in columns: clients, strategy,
 * calls (writes that were tried) and the time until all have written.
 */

#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/jitter.h"
#include "core/random.h"

#define MOST_CLIENTS 100

struct client {
	double when; /* what it sent arrives at the server */
	bool writes; /* it is a write, else a read */
	bool done;
	uint64_t seen; /* the version of the row when it was read */
	uint64_t n;
	struct level level;
};

/* The delays of all clients, in milliseconds. */
struct way {
	const char *name, *strategy, *jitter;
	double base;
};

static const struct way ways[] = {
	{ "none", "constant", "none", 0 },
	{ "exponential", "exponential", "none", 10 },
	{ "20%", "exponential", "20%", 10 },
	{ "full", "exponential", "full", 10 },
	{ "equal", "exponential", "equal", 10 },
	{ "decorrelated", "decorrelated", "none", 5 },
	{ "decorrelated:clamp=1", "decorrelated:clamp=1", "none", 5 },
};

struct world {
	struct backoff backoff;
	struct jitter jitter;
	struct random random;
	uint64_t drawn;
	uint64_t version; /* of the row */
	uint64_t calls;
	double end;
	struct client clients[MOST_CLIENTS];
};

static double
uniform(struct world *world)
{
	return random_uniform(&world->random, ++world->drawn, DRAW_DELAY);
}

/* Box and Muller's transform. */
static double
hop(struct world *world)
{
	const double radius = sqrt(-2 * log(1 - uniform(world)));
	const double angle = 2 * acos(-1) * uniform(world);

	return fabs(10 + 2 * radius * cos(angle));
}

static double
delay(struct world *world, struct client *client)
{
	const double u = uniform(world);
	const double nominal =
	    backoff_nominal(&world->backoff, &client->level, ++client->n, u);

	return jitter_delay(&world->jitter, &world->backoff, nominal, u);
}

/* What the client sent arrives; it sends the next when the answer is back. */
static void
arrive(struct world *world, struct client *client)
{
	const double answered = client->when + hop(world);

	if (!client->writes) {
		client->seen = world->version;
		client->writes = true;
		client->when = answered + hop(world);
		return;
	}
	world->calls++;
	if (client->seen == world->version) {
		world->version++;
		client->done = true;
		world->end = fmax(world->end, answered);
		return;
	}
	client->writes = false;
	client->when = answered + delay(world, client) + hop(world);
}

static struct client *
next_client(struct world *world, int count)
{
	struct client *next = NULL;

	for (struct client *client = world->clients;
	     client < world->clients + count; client++)
		if (!client->done &&
		    (next == NULL || client->when < next->when))
			next = client;
	return next;
}

static void
run(struct world *world, int count)
{
	struct client *client;

	for (int i = 0; i < count; i++)
		world->clients[i] = (struct client){ .when = hop(world) };
	while ((client = next_client(world, count)) != NULL)
		arrive(world, client);
}

static void
report(const struct way *way, int count, int runs)
{
	double calls = 0, time = 0;

	for (int i = 0; i < runs; i++) {
		struct world world = {
			.random = { .seed = (uint64_t)i },
			.backoff = { .base = way->base,
			    .cap = 2000,
			    .cap_given = true },
		};
		const char *where;

		if (backoff_parse(way->strategy, &world.backoff, &where) !=
			NULL ||
		    jitter_parse(way->jitter, &world.jitter) != NULL)
			errx(1, "%s: cannot be read", way->name);
		run(&world, count);
		calls += (double)world.calls;
		time += world.end;
	}
	printf("%d\t%s\t%.1f\t%.1f\n", count, way->name, calls / runs,
	    time / runs);
}

int
main(int argc, char **argv)
{
	const char *problem = NULL;
	const int runs =
	    argc < 2 ? 100 : (int)strtonum(argv[1], 1, 1000000, &problem);

	if (problem != NULL)
		errx(1, "%s: %s", argv[1], problem);
	printf("clients\tstrategy\tcalls\ttime_ms\n");
	for (int count = 10; count <= MOST_CLIENTS; count += 10)
		for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
			report(&ways[i], count, runs);
	return 0;
}
