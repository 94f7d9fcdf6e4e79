/* SPDX-License-Identifier: MIT */

/*
 * The figures of plans: over 200 seeds about 95 of 100 intervals hold the true
 * share, and what half or 95 of 100 runs do not exceed is safe to rely on.
 */

#include <math.h>
#include <string.h>

#include "plan/clients.h"
#include "plan/plan.h"
#include "plans.h"

#define SEEDS 200

/* Fewer than PLAN_STEPS, for a plan that takes them all. */
#define STEPS 200000

/* Of 200 intervals of 95 %; discrete numbers have more. */
#define HELD_LEAST 181

static struct plan_figures
figures_with(struct planned *planned, uint64_t seed, uint64_t runs)
{
	struct world world = planned_world(planned);

	world.random.seed = seed;
	const struct plan_figures figures = world.script.clients > 0
	    ? clients_simulate(&world, NULL, runs, UINT64_MAX)
	    : clients_simulate(&world, NULL, STEPS, runs);
	world_free(&world);
	return figures;
}

TEST(about_95_of_100_intervals_hold_the_true_share)
{
	const struct {
		const char *name, *line;
		uint64_t runs; /* of clients the steps */
		double want;   /* NAN: that of all seeds' runs */
	} rows[] = {
		{ "near 0", "--plan=p=0.07 -a 2 -d 0", 500, 0.0049 },
		{ "one half", "--plan=p=0.5 -a 1", 400, 0.5 },
		{ "near 1", "--plan=p=0.9985 -a 2 -d 0", 500, 0.9985 * 0.9985 },
		{ "of few runs", "--plan=p=0.3 -a 2 -d 0", 60, 0.09 },
		{ "rare", "--plan=p=0.0001 -a 1", 10000, 0.0001 },
		{ "of clients without a budget",
		    "--plan=p=0.3,clients=2 -a 2 -d 0", STEPS, 0.09 },
		{ "of clients that share a budget",
		    "--plan=p=0.5,clients=10 -a 10 -b constant "
		    "--budget=F:tokens=10,success=0,rate=0",
		    STEPS, NAN },
		{ "of few simulations of them",
		    "--plan=p=0.5,clients=50 -a 10 -b constant "
		    "--budget=F:tokens=45,success=0,rate=0",
		    5000, NAN },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct plan_figures figures[SEEDS];
		struct planned planned;
		double sum = 0;
		int held = 0;

		ROW("%s", rows[i].name);
		planned_open(&planned, rows[i].line);
		if (!CHECK(planned.valid))
			continue;
		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			figures[seed] =
			    figures_with(&planned, 1000 + seed, rows[i].runs);
			sum += figures[seed].gives_up / SEEDS;
		}
		planned_close(&planned);
		const double want = isnan(rows[i].want) ? sum : rows[i].want;
		for (int j = 0; j < SEEDS; j++)
			held +=
			    figures[j].low <= want && want <= figures[j].high;
		printf("# %s: %d of %d hold %g\n", rows[i].name, held, SEEDS,
		    want);
		CHECK(held >= HELD_LEAST);
	}
}

/* Of uniform draws the quantiles are known. */
TEST(nearly_all_quantiles_are_safe_and_none_is_far)
{
	static const struct {
		uint64_t runs;
		double far; /* of 1 */
	} rows[] = { { 100, 0.3 }, { 1000, 0.09 }, { 10000, 0.02 } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct planned planned;
		int safe = 0;

		ROW("%ju runs", (uintmax_t)rows[i].runs);
		planned_open(&planned, "--plan=0 --splay=1s");
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			const struct quantiles time =
			    figures_with(&planned, seed, rows[i].runs).elapsed;
			const double reach =
			    1.96 * sqrt(0.25 / (double)rows[i].runs);

			CHECK(fabs(time.p50 - 0.5) < rows[i].far);
			CHECK(fabs(time.p95 - 0.95) < rows[i].far);
			safe += time.p50 > 0.5 - reach;
		}
		planned_close(&planned);
		CHECK(safe >= HELD_LEAST);
	}
}

static struct plan_figures
figures_of_runs(size_t gave_up, size_t count, size_t each, bool drawn)
{
	struct samples samples = {
		.rows = reallocarray(NULL, count, sizeof(struct sample)),
		.count = count,
		.each = each,
		.drawn = drawn,
	};

	for (size_t i = 0; i < count; i++)
		samples.rows[i] = (struct sample){ i < gave_up ? REASON_ATTEMPTS
							       : REASON_SUCCESS,
			(double)i };
	const struct plan_figures figures = figures_of(&samples, false);
	free(samples.rows);
	return figures;
}

/*
 * R. G. Newcombe, "Two-sided confidence intervals for the single proportion",
 * Statistics in Medicine 17 (1998), table I, method 3.
 */
TEST(the_interval_of_a_share_is_that_of_Wilson)
{
	static const struct {
		size_t gave_up, count;
		double low, high;
	} rows[] = {
		{ 81, 263, 0.2553, 0.3662 },
		{ 15, 148, 0.0624, 0.1605 },
		{ 1, 29, 0.0061, 0.1718 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct plan_figures got =
		    figures_of_runs(rows[i].gave_up, rows[i].count, 1, true);

		ROW("%zu of %zu: %.6f to %.6f", rows[i].gave_up, rows[i].count,
		    got.low, got.high);
		CHECK(fabs(got.low - rows[i].low) <= 0.00005001);
		CHECK(fabs(got.high - rows[i].high) <= 0.00005001);
	}
}

/* With that share none of n give up in 5 of 100 simulations. */
TEST(the_bound_of_none_and_of_all_is_exact)
{
	for (size_t n = 1; n <= 10000; n *= 10) {
		const struct plan_figures none = figures_of_runs(0, n, 1, true);
		const struct plan_figures all = figures_of_runs(n, n, 1, true);

		ROW("%zu", n);
		CHECK(none.low == 0 && all.high == 1);
		CHECK_DBL(pow(1 - none.high, (double)n), 0.05, 1e-9);
		CHECK_DBL(pow(all.low, (double)n), 0.05, 1e-9);
	}
}

TEST(without_chance_all_is_known)
{
	const struct plan_figures figures = figures_of_runs(3, 4, 4, false);

	CHECK(figures.low == 0.75 && figures.high == 0.75);
	CHECK_DBL(figures.elapsed.p50, 1, 0);
	CHECK_DBL(figures.elapsed.p95, 3, 0);
}

/* The intervals of clients as if each were a run would hold far fewer. */
TEST(clients_that_share_a_budget_are_no_independent_runs)
{
	struct planned planned;

	planned_open(&planned,
	    "--plan=p=0.5,clients=100 -a 10 -b constant "
	    "--budget=F:tokens=100,success=0,rate=0");
	const struct plan_figures got = figures_with(&planned, 1, STEPS);
	const struct plan_figures naive =
	    figures_of_runs((size_t)(got.gives_up * (double)got.runs), got.runs,
		1, true);
	CHECK_INT(got.simulations, 100);
	ROW("%g to %g, not %g to %g", got.low, got.high, naive.low, naive.high);
	CHECK(got.high - got.low > 2 * (naive.high - naive.low));
	planned_close(&planned);
}

TEST(the_same_seed_gives_the_same_figures)
{
	static const char *const lines[] = { "--plan=p=0.5 -a 5",
		"--plan=p=0.999 -a 0 -d 1", "--plan=p=0.5,clients=200 -a 3" };

	for (size_t i = 0; i < COUNT(lines); i++) {
		struct planned planned;

		planned_open(&planned, lines[i]);
		const struct plan_figures one =
		    figures_with(&planned, 7, 10000);
		const struct plan_figures two =
		    figures_with(&planned, 7, 10000);
		ROW("%s", lines[i]);
		CHECK_INT(one.runs, two.runs);
		CHECK_DBL(one.gives_up, two.gives_up, 0);
		CHECK_DBL(one.elapsed.p50, two.elapsed.p50, 0);
		planned_close(&planned);
	}
}

TEST(quantiles_need_enough_runs)
{
	static const struct {
		uint64_t runs;
		bool p50, p95;
	} rows[] = { { 3, false, false }, { 4, true, false },
		{ 72, true, false }, { 73, true, true } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct planned planned;

		planned_open(&planned, "--plan=0 --splay=9");
		const struct quantiles time =
		    figures_with(&planned, 3, rows[i].runs).elapsed;
		ROW("%ju runs", (uintmax_t)rows[i].runs);
		CHECK(isnan(time.p50) != rows[i].p50);
		CHECK(isnan(time.p95) != rows[i].p95);
		planned_close(&planned);
	}
}

/* One run of a mean of 10^4 attempts takes all steps, and is not over. */
TEST(a_run_that_is_cut_short_counts_as_the_longest)
{
	struct planned planned;

	planned_open(&planned, "--plan=p=0.9999 -a 0 -d 1");
	struct world world = planned_world(&planned);
	world.random.seed = 5;
	const struct plan_figures figures =
	    clients_simulate(&world, NULL, 5000, 10);
	world_free(&world);
	CHECK(figures.ends[REASON_NONE] == 1);
	CHECK(isnan(figures.elapsed.p50));
	planned_close(&planned);
}

int
main(void)
{
	return RUN_ALL();
}
