/* SPDX-License-Identifier: MIT */

/*
 * --trials: the interval and the forecast, against published values and
 * against series of trials that are drawn.
 */

#include <math.h>
#include <string.h>

#include "core/random.h"
#include "core/trials.h"
#include "tap.h"

static const struct outcome exit_1 = { .kind = OUTCOME_EXIT, .code = 1 };
static const struct outcome timed_out = { .kind = OUTCOME_TIMEOUT, .code = 0 };

static struct trials
trials_of(uint64_t count, uint64_t failed)
{
	struct trials trials = { 0 };

	for (uint64_t i = 0; i < count; i++)
		trials_add(&trials, exit_1, i < failed);
	return trials;
}

static bool
is_near(double number, double other, double distance)
{
	return fabs(number - other) <= distance;
}

/*
 * R. G. Newcombe, "Two-sided confidence intervals for the single proportion",
 * Statistics in Medicine 17 (1998), table I, method 3; and the example of the
 * manual.
 */
static const struct {
	uint64_t failed, count;
	double low, high;
} intervals[] = {
	{ 81, 263, 0.2553, 0.3662 },
	{ 15, 148, 0.0624, 0.1605 },
	{ 1, 29, 0.0061, 0.1718 },
	{ 7, 200, 0.0171, 0.0705 },
	{ 20, 20, 0.8389, 1 },
};

static void
the_interval_is_that_of_Wilson(void)
{
	for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
		const struct trials trials =
		    trials_of(intervals[i].count, intervals[i].failed);
		const struct estimate got = trials_estimate(&trials);

		ROW("%ju of %ju: %.6f to %.6f", (uintmax_t)intervals[i].failed,
		    (uintmax_t)intervals[i].count, got.low, got.high);
		CHECK(is_near(got.low, intervals[i].low, 0.00005001));
		CHECK(is_near(got.high, intervals[i].high, 0.00005001));
		CHECK(is_near(got.share,
		    (double)intervals[i].failed / (double)intervals[i].count,
		    1e-15));
	}
}

static void
no_failure_gives_a_bound_by_the_rule_of_three(void)
{
	struct trials trials = trials_of(200, 0);
	struct estimate got = trials_estimate(&trials);

	CHECK(got.share == 0 && got.low == 0 && got.high == 3.0 / 200);
	trials = trials_of(2, 0);
	got = trials_estimate(&trials);
	CHECK(got.low == 0 && got.high == 1);
	CHECK_INT(trials_forecast(&trials).attempts, 0);
}

static const struct {
	uint64_t failed, count, attempts;
	double chance;
} forecasts[] = {
	{ 7, 200, 3, 0.035 * 0.035 * 0.035 },
	{ 1, 100, 2, 0.01 * 0.01 },
	{ 1, 10, 4, 1e-4 },
	{ 1, 2, 10, 1.0 / 1024 },
	{ 51, 100, 0, 0 },
	{ 3, 3, 0, 0 },
};

static void
the_forecast_is_the_least_number_of_attempts_that_do(void)
{
	for (size_t i = 0; i < sizeof forecasts / sizeof *forecasts; i++) {
		const struct trials trials =
		    trials_of(forecasts[i].count, forecasts[i].failed);
		const struct forecast got = trials_forecast(&trials);

		ROW("%ju of %ju", (uintmax_t)forecasts[i].failed,
		    (uintmax_t)forecasts[i].count);
		CHECK_INT(got.attempts, forecasts[i].attempts);
		CHECK(is_near(got.chance, forecasts[i].chance, 1e-12));
	}
}

/* The n-th draw of a series; each has a seed of its own. */
static bool
fails(uint64_t series, uint64_t n, double share)
{
	const struct random random = { .seed = series };

	return random_uniform(&random, n, DRAW_DELAY) < share;
}

#define SERIES 10000

/*
 * An interval of 95 % holds the true share in about 95 of 100 series; it is the
 * average of the coverage that is 95 %, so that a single share may have less.
 */
static void
of_10000_series_95_percent_have_the_share_in_their_interval(void)
{
	static const double shares[] = { 0.035, 0.1, 0.3, 0.5 };

	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
		uint64_t held = 0;

		for (uint64_t series = 1; series <= SERIES; series++) {
			struct trials trials = { 0 };

			for (uint64_t n = 1; n <= 200; n++)
				trials_add(&trials, exit_1,
				    fails(series, n, shares[i]));
			const struct estimate got = trials_estimate(&trials);
			held += got.low <= shares[i] && shares[i] <= got.high;
		}
		ROW("%g: %ju of %d", shares[i], (uintmax_t)held, SERIES);
		CHECK(held > 0.935 * SERIES && held < 0.97 * SERIES);
	}
}

static void
of_10000_runs_as_many_fail_as_is_forecast(void)
{
	const struct trials trials = trials_of(10, 1);
	const struct forecast forecast = trials_forecast(&trials);
	uint64_t failed = 0;

	/* A hundred times as many, since the forecast is of a rare event. */
	for (uint64_t run = 1; run <= 100 * SERIES; run++) {
		uint64_t n = 1;

		while (n <= forecast.attempts && fails(run, n, 0.1))
			n++;
		failed += n > forecast.attempts;
	}
	ROW("%ju failed", (uintmax_t)failed);
	/* 100 are expected, with a standard deviation of 10. */
	CHECK(failed >= 60 && failed <= 140);
}

static void
outcomes_are_counted_by_kind_the_most_frequent_first(void)
{
	struct trials trials = { 0 };

	trials_add(&trials, exit_1, true);
	trials_add(&trials, timed_out, true);
	trials_add(&trials, timed_out, true);
	trials_add(&trials, (struct outcome){ .kind = OUTCOME_EXIT, .code = 0 },
	    false);
	CHECK_INT(trials.count, 4);
	CHECK_INT(trials.failed, 3);
	CHECK_INT(trials.rows[0].outcome.kind, OUTCOME_TIMEOUT);
	CHECK_INT(trials.rows[0].count, 2);
	CHECK_INT(trials.rows[1].outcome.code, 1);
	CHECK_INT(trials.rows[1].count, 1);
	CHECK_INT(trials.rows[2].count, 0);
	for (int i = 0; i < TRIALS_ROWS; i++)
		trials_add(&trials,
		    (struct outcome){ .kind = OUTCOME_EXIT, .code = 100 + i },
		    true);
	CHECK_INT(trials_others(&trials), 2);
	trials_add(&trials,
	    (struct outcome){ .kind = OUTCOME_EXIT, .code = 1, .hinted = true },
	    true);
	CHECK_INT(trials.rows[1].count, 2);
}

static void
of_equal_counts_the_one_that_was_seen_first_comes_first(void)
{
	struct trials trials = { .count = 0 };

	trials_add(&trials, timed_out, true);
	trials_add(&trials, exit_1, true);
	CHECK_INT(trials.rows[0].outcome.kind, OUTCOME_TIMEOUT);
	CHECK_INT(trials.rows[1].outcome.kind, OUTCOME_EXIT);
}

static void
trials_are_written_and_read_back(void)
{
	static const char too_many[] = "trials 9 failed 9"
				       " exit:1=1 exit:2=1 exit:3=1 exit:4=1"
				       " exit:5=1 exit:6=1 exit:7=1 exit:8=1"
				       " exit:9=1";
	static const char *const damaged[] = { "", "trials 5",
		"trials 5 failed 6", "trials 5 failed 2 exit:1=3",
		"trials 5 failed 2 exit:1=1 exit:2=2", "trials 5 failed 2 exit",
		"trials 5 failed 2 nosuch:1=2", "trials 5 failed 2 exit:1=2 x",
		"trials 5 failed 2 exit:1=0", "trials 5 failed 1\nx",
		"trials -1 failed 0", "trials -18446744073709551614 failed 1",
		"trials 5 failed 2 exit:-1=2",
		"trials 9223372036854775808 failed 1", too_many };
	struct trials trials = trials_of(200, 5), got;
	char text[TRIALS_TEXT], again[TRIALS_TEXT];

	trials_add(&trials, timed_out, true);
	trials_format(&trials, text);
	CHECK_STR(text, "trials 201 failed 6 exit:1=5 timeout:0=1");
	CHECK(trials_parse(text, &got));
	trials_format(&got, again);
	CHECK_STR(again, text);
	for (int i = 0; i < TRIALS_ROWS; i++)
		trials_add(&trials,
		    (struct outcome){ .kind = OUTCOME_EXIT, .code = 2 + i },
		    true);
	trials_format(&trials, text);
	CHECK(trials_parse(text, &got));
	CHECK_INT(trials_others(&got), 2);
	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
		ROW("%s", damaged[i]);
		CHECK(!trials_parse(damaged[i], &got));
		CHECK_INT(got.count, 0);
	}
}

int
main(void)
{
	RUN(the_interval_is_that_of_Wilson);
	RUN(no_failure_gives_a_bound_by_the_rule_of_three);
	RUN(the_forecast_is_the_least_number_of_attempts_that_do);
	RUN(of_10000_series_95_percent_have_the_share_in_their_interval);
	RUN(of_10000_runs_as_many_fail_as_is_forecast);
	RUN(outcomes_are_counted_by_kind_the_most_frequent_first);
	RUN(of_equal_counts_the_one_that_was_seen_first_comes_first);
	RUN(trials_are_written_and_read_back);
	return DONE();
}
