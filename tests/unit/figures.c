/* SPDX-License-Identifier: MIT */

/*
 * The figures of plans: over 200 seeds about 95 of 100 intervals hold the true
 * number, from a closed form or from a million runs.
 */

#include <math.h>

#include "plan/clients.h"
#include "plan/plan.h"
#include "report/figure.h"
#include "plans.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

#define SEEDS 200

/* Fewer than PLAN_STEPS, for a plan that takes them all. */
#define STEPS 200000

/* Of 200 intervals of 95 %; discrete numbers have more. */
#define HELD_LEAST 181

static struct plan_figures
figures_with(struct planned *planned, uint64_t seed, uint64_t runs)
{
	planned->plan.random.seed = seed;
	return planned->plan.clients > 0
	    ? clients_simulate(&planned->plan, NULL, STEPS)
	    : plan_simulate(&planned->plan, STEPS, runs);
}

static struct estimated
gives_up(const struct plan_figures *figures)
{
	return figures->gives_up;
}

static struct estimated
early(const struct plan_figures *figures)
{
	return figures->early;
}

static struct estimated
attempts(const struct plan_figures *figures)
{
	return figures->attempts.mean;
}

static struct estimated
time_mean(const struct plan_figures *figures)
{
	return figures->elapsed.mean;
}

static struct estimated
time_p50(const struct plan_figures *figures)
{
	return figures->elapsed.p50;
}

static struct estimated
time_p95(const struct plan_figures *figures)
{
	return figures->elapsed.p95;
}

static struct estimated
time_p99(const struct plan_figures *figures)
{
	return figures->elapsed.p99;
}

/* How many of the seeds' intervals hold `want`; NAN: the mean over all. */
static int
count_held(const struct plan_figures *figures,
    struct estimated (*get)(const struct plan_figures *figures), double *want)
{
	double sum = 0;
	int held = 0;

	for (int i = 0; i < SEEDS; i++)
		sum += get(&figures[i]).value / SEEDS;
	if (isnan(*want))
		*want = sum;
	for (int i = 0; i < SEEDS; i++) {
		const struct interval within = get(&figures[i]).within;

		held += within.low <= *want && *want <= within.high;
	}
	return held;
}

static void
about_95_of_100_intervals_hold_the_true_number(void)
{
	const struct {
		const char *name;
		const char *line; /* NULL: the same figures as above */
		uint64_t runs;
		struct estimated (*get)(const struct plan_figures *figures);
		double want; /* NAN: that of all seeds' runs */
	} rows[] = {
		{ "a share near 0", "--plan=p=0.07 -a 2 -d 0", 500, gives_up,
		    0.0049 },
		{ "a share of one half", "--plan=p=0.5 -a 1", 400, gives_up,
		    0.5 },
		{ "a share near 1", "--plan=p=0.9985 -a 2 -d 0", 500, gives_up,
		    0.9985 * 0.9985 },
		{ "a share of few runs", "--plan=p=0.3 -a 2 -d 0", 60, gives_up,
		    0.09 },
		{ "a share of runs that an outage meets",
		    "--plan=down=2s@1s --splay=3 -a 2 -b constant -d 1 -j none",
		    400, early, NAN },
		{ "a mean of attempts", "--plan=p=0.5 -a 0 -d 0", 400, attempts,
		    2 },
		{ "a mean of few attempts", "--plan=p=0.9 -a 3 -d 0", 60,
		    attempts, 1 + 0.9 + 0.81 },
		{ "a mean time", "--plan=p=0.8 -a 3 -b constant -d 1 -j none",
		    400, time_mean, 1.44 },
		{ "a median", "--plan=0 --splay=100", 400, time_p50, 50 },
		{ "95 %", NULL, 0, time_p95, 95 },
		{ "99 %", NULL, 0, time_p99, 99 },
		{ "95 % of few runs", "--plan=0 --splay=100", 60, time_p95,
		    95 },
		{ "clients without a budget: a share",
		    "--plan=p=0.3 --clients=2 -a 2 -d 0", 0, gives_up, 0.09 },
		{ "clients that share a budget: a share",
		    "--plan=p=0.5 --clients=10 -a 10 -b constant "
		    "--budget=F:tokens=10,success=0,rate=0",
		    0, gives_up, NAN },
		{ "the same: attempts", NULL, 0, attempts, NAN },
		{ "the same: 95 % of the time", NULL, 0, time_p95, NAN },
	};
	struct plan_figures *figures =
	    reallocarray(NULL, SEEDS, sizeof(*figures));

	for (size_t i = 0; i < COUNT(rows); i++) {
		double want = rows[i].want;

		ROW("%s", rows[i].name);
		if (rows[i].line != NULL) {
			struct planned planned;

			planned_open(&planned, rows[i].line);
			if (!CHECK(planned.valid))
				continue;
			for (uint64_t seed = 0; seed < SEEDS; seed++)
				figures[seed] = figures_with(&planned,
				    1000 + seed, rows[i].runs);
			planned_close(&planned);
		}
		const int held = count_held(figures, rows[i].get, &want);
		printf("# %s: %d of %d hold %g\n", rows[i].name, held, SEEDS,
		    want);
		CHECK(held >= HELD_LEAST);
	}
	free(figures);
}

/* The intervals of clients as if each were a run would hold far fewer. */
static void
clients_that_share_a_budget_are_no_independent_runs(void)
{
	struct planned planned;

	planned_open(&planned,
	    "--plan=p=0.5 --clients=100 -a 10 -b constant "
	    "--budget=F:tokens=100,success=0,rate=0");
	const struct plan_figures figures = figures_with(&planned, 1, 0);
	const struct interval got = figures.gives_up.within;
	const struct interval naive = interval_share(figures.gives_up.value,
	    (double)figures.runs, INTERVAL_NORMAL);
	CHECK_INT(figures.crowds, 100);
	ROW("%g to %g, not %g to %g", got.low, got.high, naive.low, naive.high);
	CHECK(got.high - got.low > 2 * (naive.high - naive.low));
	planned_close(&planned);
}

static void
the_same_seed_gives_the_same_figures(void)
{
	static const char *const lines[] = { "--plan=p=0.5 -a 5",
		"--plan=p=0.999 -a 0 -d 1", "--plan=p=0.5 --clients=200 -a 3" };

	for (size_t i = 0; i < COUNT(lines); i++) {
		struct planned planned;

		planned_open(&planned, lines[i]);
		const struct plan_figures one =
		    figures_with(&planned, 7, 10000);
		const struct plan_figures two =
		    figures_with(&planned, 7, 10000);
		ROW("%s", lines[i]);
		CHECK_INT(one.runs, two.runs);
		CHECK_DBL(one.elapsed.mean.value, two.elapsed.mean.value, 0);
		CHECK_DBL(one.elapsed.p95.value, two.elapsed.p95.value, 0);
		planned_close(&planned);
	}
}

static void
percentiles_need_enough_runs(void)
{
	static const struct {
		uint64_t runs;
		bool p95, p99;
	} rows[] = { { 59, false, false }, { 60, true, false },
		{ 299, true, false }, { 300, true, true } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct planned planned;

		planned_open(&planned, "--plan=0 --splay=9");
		const struct spread time =
		    figures_with(&planned, 3, rows[i].runs).elapsed;
		ROW("%ju runs", (uintmax_t)rows[i].runs);
		CHECK(isnan(time.p95.value) != rows[i].p95);
		CHECK(isnan(time.p99.value) != rows[i].p99);
		planned_close(&planned);
	}
}

/* One run of a mean of 10^4 attempts takes all steps, and is not over. */
static void
a_run_that_is_cut_short_leaves_no_mean(void)
{
	struct planned planned;

	planned_open(&planned, "--plan=p=0.9999 -a 0 -d 1");
	planned.plan.random.seed = 5;
	const struct plan_figures figures =
	    plan_simulate(&planned.plan, 5000, 10);
	CHECK_INT(figures.unfinished, 1);
	CHECK(isnan(figures.attempts.mean.value));
	planned_close(&planned);
}

static void
a_number_has_as_many_digits_as_are_known(void)
{
	static const struct {
		double share, low, high;
		const char *text;
	} rows[] = {
		{ 0.0019, 0.0012, 0.0030, "0.19% (95%: 0.12-0.30%)" },
		{ 0.035, 0.017132, 0.070531, "3.5% (95%: 1.7-7.1%)" },
		{ 0.5, 0.3, 0.7, "50% (95%: 30-70%)" },
		{ 0.5, 0.001, 0.999, "50% (95%: 0-100%)" },
		{ 0, 0, 0.0149, "0% (95%: at most 1.5%)" },
		{ 1, 0.37, 1, "100% (95%: at least 37%)" },
		{ 0.0016, 0.0016, 0.0016, "0.16%" },
		{ 0.25, 0.25, 0.25, "25%" },
		{ 0.99991, 0.99991, 0.99991, "99.991%" },
		{ 0, 0, 0, "0%" },
		{ 1, 1, 1, "100%" },
		{ 0.12345678, 0.1234564, 0.1234572,
		    "12.34568% (95%: 12.34564-12.34572%)" },
	};
	char text[MESSAGE_PART];

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_STR(figure_share(rows[i].share,
			      (struct interval){ rows[i].low, rows[i].high },
			      text),
		    rows[i].text);
	CHECK_STR(figure_rough(1, text), "1");
	CHECK_STR(figure_rough(10, text), "10");
	CHECK_STR(figure_rough(2999, text), "2,900");
	CHECK_STR(figure_rough(2000, text), "2,000");
	CHECK_STR(figure_rough(1e6, text), "1,000,000");
}

int
main(void)
{
	RUN(about_95_of_100_intervals_hold_the_true_number);
	RUN(clients_that_share_a_budget_are_no_independent_runs);
	RUN(the_same_seed_gives_the_same_figures);
	RUN(percentiles_need_enough_runs);
	RUN(a_run_that_is_cut_short_leaves_no_mean);
	RUN(a_number_has_as_many_digits_as_are_known);
	return DONE();
}
