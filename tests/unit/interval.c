/* SPDX-License-Identifier: MIT */

/* Intervals against published tables, exact sums and draws. */

#include <math.h>

#include "core/interval.h"
#include "core/random.h"
#include "tap.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* The 0.975 column of the tables of Student's t. */
static void
the_quantiles_of_student_are_those_of_the_tables(void)
{
	static const struct {
		double freedom, quantile;
	} rows[] = { { 1, 12.706 }, { 2, 4.303 }, { 3, 3.182 }, { 4, 2.776 },
		{ 5, 2.571 }, { 10, 2.228 }, { 11, 2.201 }, { 30, 2.042 },
		{ 60, 2.000 }, { 99, 1.984 }, { 120, 1.980 }, { 1000, 1.962 },
		{ 1001, 1.962 }, { 1e9, 1.960 } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		ROW("%g", rows[i].freedom);
		CHECK(fabs(interval_student(rows[i].freedom) -
			  rows[i].quantile) <= 0.0005001);
	}
}

/*
 * R. G. Newcombe, "Two-sided confidence intervals for the single proportion",
 * Statistics in Medicine 17 (1998), table I, method 3; and the example of the
 * manual.
 */
static void
the_interval_of_a_share_is_that_of_Wilson(void)
{
	static const struct {
		double failed, count, low, high;
	} rows[] = {
		{ 81, 263, 0.2553, 0.3662 },
		{ 15, 148, 0.0624, 0.1605 },
		{ 1, 29, 0.0061, 0.1718 },
		{ 7, 200, 0.0171, 0.0705 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct interval got =
		    interval_share(rows[i].failed / rows[i].count,
			rows[i].count, INTERVAL_NORMAL);

		ROW("%g of %g: %.6f to %.6f", rows[i].failed, rows[i].count,
		    got.low, got.high);
		CHECK(fabs(got.low - rows[i].low) <= 0.00005001);
		CHECK(fabs(got.high - rows[i].high) <= 0.00005001);
	}
}

/* With that share none of n fail in 5 of 100 samples. */
static void
the_bound_of_none_and_of_all_is_exact(void)
{
	for (double n = 1; n <= 1e6; n *= 10) {
		const struct interval none = interval_share(0, n, 2);
		const struct interval all = interval_share(1, n, 2);

		ROW("%g", n);
		CHECK(none.low == 0 && all.high == 1);
		CHECK_DBL(pow(1 - none.high, n), 0.05, 1e-9);
		CHECK_DBL(pow(all.low, n), 0.05, 1e-9);
	}
}

/*
 * H. A. David and H. N. Nagaraja, "Order statistics": of 100 members, the
 * median is between the 40th and the 61st.  The others are sums of binomial
 * coefficients.
 */
static void
a_quantile_lies_between_two_order_statistics(void)
{
	static const struct {
		size_t n;
		double quantile;
		bool known;
		size_t low, high; /* from 1 */
	} rows[] = {
		{ 5, 0.5, false, 0, 0 },
		{ 6, 0.5, true, 1, 6 },
		{ 100, 0.5, true, 40, 61 },
		{ 58, 0.95, false, 0, 0 },
		{ 59, 0.95, true, 50, 59 },
		{ 298, 0.99, false, 0, 0 },
		{ 299, 0.99, true, 289, 299 },
	};
	size_t low, high;

	for (size_t i = 0; i < COUNT(rows); i++) {
		const bool known =
		    interval_ranks(rows[i].n, rows[i].quantile, &low, &high);

		ROW("%zu, %g: %zu to %zu", rows[i].n, rows[i].quantile, low + 1,
		    high + 1);
		CHECK(known == rows[i].known);
		CHECK(!known ||
		    (low + 1 == rows[i].low && high + 1 == rows[i].high));
	}
}

/* Of uniform draws the quantile is known. */
static void
of_2000_samples_95_percent_have_the_quantile_between_the_two(void)
{
	static const struct {
		size_t n;
		double quantile;
	} rows[] = { { 20, 0.5 }, { 100, 0.95 }, { 400, 0.99 },
		{ 1000, 0.95 } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		int held = 0;
		size_t low, high;

		CHECK(interval_ranks(rows[i].n, rows[i].quantile, &low, &high));
		for (uint64_t series = 1; series <= 2000; series++) {
			const struct random random = { .seed = series };
			size_t below = 0;

			for (uint64_t n = 1; n <= rows[i].n; n++)
				below += random_uniform(&random, n,
					     DRAW_DELAY) < rows[i].quantile;
			/* The member at `low` is below, that at `high` not. */
			held += below > low && below <= high;
		}
		ROW("%zu, %g: %d", rows[i].n, rows[i].quantile, held);
		CHECK(held >= 1880 && held <= 1990);
	}
}

int
main(void)
{
	RUN(the_quantiles_of_student_are_those_of_the_tables);
	RUN(the_interval_of_a_share_is_that_of_Wilson);
	RUN(the_bound_of_none_and_of_all_is_exact);
	RUN(a_quantile_lies_between_two_order_statistics);
	RUN(of_2000_samples_95_percent_have_the_quantile_between_the_two);
	return DONE();
}
