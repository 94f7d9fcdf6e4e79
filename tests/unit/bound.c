/* SPDX-License-Identifier: MIT */

/*
 * No run of a plan lasts longer than its bound: over random plans, and by hand.
 */

#include <math.h>

#include "core/random.h"
#include "plan/bound.h"
#include "plans.h"

#define PLANS 1000
#define RUNS 12

/* A run without a bound need not end. */
#define STEPS 1000

static struct {
	struct random random;
	uint64_t draws;
} test = { .random.seed = 35 };

static double
draw(void)
{
	return random_uniform(&test.random, ++test.draws, DRAW_DELAY);
}

/* One of the words that are separated by bars, which may be empty. */
static void
append_one(char *line, size_t size, const char *words)
{
	size_t count = 1;

	for (const char *c = words; *c != '\0'; c++)
		count += *c == '|';
	for (size_t skip = (size_t)(draw() * (double)count); skip > 0; skip--)
		words = strchr(words, '|') + 1;
	const size_t length = strlen(line);
	snprintf(line + length, size - length, "%.*s ",
	    (int)strcspn(words, "|"), words);
}

static const char *const choices[] = {
	"--plan|--plan=p=0.5|--plan=p=0.9|--plan=p=0.3:2s|--plan=0|--plan=1:3s"
	"|--plan=timeout:5|--plan=1*3,0*2,p=0.7|--plan=0:4s*2,p=0.8:1s"
	"|--plan=75,p=0.6,KILL|--plan=p=0.8:20s|--plan=7:2.5s*2,p=0.5",
	"|||-a 1|-a 2|-a 3|-a 10|-a 0|-a 40|-a 3/1m|-a 4/10s|-a 0,4/20s"
	"|-a 0,any:3|-a 5,75:2|-a 0,75:2|-a 0,1/5s",
	"|||--free-on=75|--free-on=75,7",
	"|||--repeat|--repeat=2|--repeat=5|--repeat=1",
	"|-b constant|-b linear|-b polynomial|-b fibonacci|-b decorrelated"
	"|-b decorrelated:clamp=1|-b smooth|-b slots|-b list:3s,1s,7s,2s"
	"|-b lild:up=2,down=-1|-b lild:up=-1,down=3|-b mimd:up=2,down=0.5"
	"|-b mimd:up=0.5,down=3|-b steps:steps=3|-b exponential:factor=0.5",
	"||-d 1|-d 3|-d 0.2|-d 0",
	"||-m 5|-m 20|-m 100",
	"|||--min-delay=0.5|--min-delay=3",
	"||-j none|-j full|-j equal|-j 50%",
	"|||--jitter-order=after-cap|--jitter-order=before-cap",
	"|||-t 1|-t 5|-t 30|-t 50% -T 60",
	"||-k 0|-k 2|-k 0.5",
	"|||||-T 30|-T 5|-T 200",
	"||||--pace=start|--pace=start --min-timeout=2",
	"|||--wait-first",
	"|||--splay=4",
	"|||--throttle-on=75 --throttle-delay=6|--throttle-on=1 "
	"--throttle-delay=9",
	"||||--reset-after=1|--reset-after=10",
	"|||--check=true",
	"|||--before-retry=true",
	"|||--idle-timeout=7",
	"|||--success-delay=4",
};

/* A random line of options, and an outage in some. */
static void
make_line(char *line, size_t size)
{
	char first[256] = "";

	*line = '\0';
	append_one(first, sizeof(first), choices[0]);
	snprintf(line, size, "%s", first);
	if (strchr(first, '=') != NULL && draw() < 0.3)
		snprintf(line, size, "%.*s,down=%.0fs:%.0fs@%.0fs ",
		    (int)strcspn(first, " "), first, 1 + 20 * draw(),
		    6 * draw(), 9 * draw());
	for (size_t i = 1; i < COUNT(choices); i++)
		append_one(line, size, choices[i]);
}

/* How long the run of this number lasts, or has lasted until the step. */
static double
last(struct world *world, uint64_t number)
{
	struct host run;

	world->bucket = (struct bucket){ 0 };
	world->random.seed = number;
	simulation_open(&run, world, 0);
	for (int step = 0; !run.over && step < STEPS; step++)
		simulation_step(&run);
	const double elapsed = run.over ? run.end.elapsed : run.now;
	simulation_close(&run);
	return elapsed;
}

TEST(no_run_of_a_thousand_plans_is_longer_than_its_bound)
{
	size_t checked = 0, bounded = 0, longer = 0;

	while (checked < PLANS) {
		struct planned planned;
		char line[1024];
		double longest = 0;

		make_line(line, sizeof(line));
		planned_open(&planned, line);
		if (!planned.valid) {
			planned_close(&planned);
			continue;
		}
		struct world world = planned_world(&planned);
		const struct bound bound = bound_of(&planned.options.policy);
		checked++;
		bounded += bound.seconds < INFINITY;
		for (uint64_t i = 0; i < RUNS && bound.seconds < INFINITY; i++)
			longest = fmax(longest, last(&world, i));
		ROW("retry %s: %g, bound %g", line, longest, bound.seconds);
		longer += !CHECK(longest <= bound.seconds * (1 + 1e-9));
		world_free(&world);
		planned_close(&planned);
	}
	printf("# %zu plans, %zu with a bound, %zu runs longer\n", checked,
	    bounded, longer);
	CHECK(bounded > PLANS / 3 && bounded < PLANS);
}

TEST(the_bound_is_the_one_by_hand_or_none)
{
	static const struct {
		const char *line;
		double bound, waits;
	} rows[] = {
		/* Attempts, checks and gates of a second, and one to SIGKILL */
		{ "-t 1 -k 1 -a 2 -d 1 -j none", 5, 1 },
		{ "-t 1 -k 1 -a 2 -d 1 -j none --check=x", 9, 1 },
		{ "-t 1 -k 1 -a 2 -d 1 -j none --before-retry=x", 7, 1 },
		{ "-t 1 -k 1 -a 2 -d 1 -j none --check=x --before-retry=x", 11,
		    1 },
		{ "-t 1 -k 1 -a 2 -d 1 -j none --wait-first --splay=9", 16,
		    12 },
		/* The longest draws; of smooth, after the shortest */
		{ "-t 1 -k 1 -a 4 -d 1 -j 50%", 8 + 1.5 + 3 + 6, 10.5 },
		{ "-t 1 -k 1 -a 3 -b decorrelated", 6 + 3 + 9, 12 },
		{ "-t 1 -k 1 -a 3 -b decorrelated -m 5", 6 + 3 + 5, 8 },
		{ "-t 1 -k 1 -a 3 -b slots", 6 + 1 + 3, 4 },
		{ "-t 1 -k 1 -a 2 -d 1 --throttle-on=75 --throttle-delay=6 "
		  "-j none",
		    4 + 6, 6 },
		{ "-t 1 -k 1 -a 3 -b mimd:up=2,down=1 -d 3 -j none", 6 + 3 + 6,
		    9 },
		{ "-t 1 -k 1 -a 2 -d 1 -j none --delay-match=(.*)", 3604,
		    3600 },
		{ "-t 1 -k 1 -a 1 --repeat=3 --success-delay=4 -j none", 6 + 8,
		    8 },
		/* --pace=start: the longer of the two, again and again */
		{ "-t 9 -k 1 -a 3 -d 4 -b constant -j none --pace=start", 30,
		    8 },
		{ "-t 9 -k 1 -a 3 -d 44 -b constant -j none --pace=start", 98,
		    88 },
		{ "-t 1 -k 1 -a 1000000000 -d 1 -b constant -j none",
		    2999999999, 999999999 },
		{ "--reset-after=1 -t 1 -k 1 -a 2 -d 1 -j none", 5, 1 },
		{ "--reset-after=1 -t 2 -k 1 -a 1", 3, 0 },
		/* --max-time, if it is shorter */
		{ "-T 60 -k 5 -t 1 -a 2 -d 1 -j none", 13, 1 },
		{ "-T 60 -k 5 -t 100 -a 2 -d 1 -j none", 65, 1 },
		{ "-a 0 -T 60 -k 5", 65, INFINITY },
		{ "-a 0 -T 60 -k 0 --splay=3", 64, INFINITY },
		/* Nothing ends an attempt, or the run */
		{ "-a 2 -d 1 -j none", INFINITY, 1 },
		{ "-a 2 -d 1 -j none -t 1 -k 0", INFINITY, 1 },
		{ "-t 1 -a 0", INFINITY, INFINITY },
		{ "-t 1 -a 0,75:3", INFINITY, INFINITY },
		{ "-t 1 -a 3/1m", INFINITY, INFINITY },
		{ "-t 1 --free-on=1", INFINITY, INFINITY },
		{ "-t 2 --reset-after=1", INFINITY, INFINITY },
		{ "-t 1 --repeat=3", INFINITY, INFINITY },
		{ "-t 1 --repeat -a 1", INFINITY, INFINITY },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct planned planned;
		char line[256];

		ROW("retry %s", rows[i].line);
		snprintf(line, sizeof(line), "--plan %s", rows[i].line);
		planned_open(&planned, line);
		if (!CHECK(planned.valid))
			continue;
		const struct bound bound = bound_of(&planned.options.policy);
		const double got[] = { bound.seconds, bound.waits };
		const double want[] = { rows[i].bound, rows[i].waits };
		for (int j = 0; j < 2; j++)
			if (isinf(want[j]))
				CHECK(isinf(got[j]));
			else
				CHECK_DBL(got[j], want[j], 1e-9);
		planned_close(&planned);
	}
}

int
main(void)
{
	return RUN_ALL();
}
