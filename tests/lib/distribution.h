/* SPDX-License-Identifier: MIT */

/*
 * How far a sample is from the distribution that it should have.  Samples are
 * drawn with a fixed seed, so a test on these figures passes always or never.
 */

#ifndef DISTRIBUTION_H
#define DISTRIBUTION_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Both exceed these in one of a thousand samples that have the distribution:
 * Kolmogorov and Smirnov's, and Pearson's in standard deviations.
 */
#define KS_LIMIT 1.95
#define CHI_SQUARE_LIMIT 3.1

static inline int
distribution_compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Kolmogorov and Smirnov's statistic, times the root of the count, against a
 * uniform distribution between `low` and `high`.  Sorts the sample.
 */
static inline double
distribution_ks(double *sample, size_t count, double low, double high)
{
	double worst = 0;

	qsort(sample, count, sizeof(*sample), distribution_compare);
	for (size_t i = 0; i < count; i++) {
		const double want = (sample[i] - low) / (high - low);

		worst = fmax(worst, fabs(want - (double)i / (double)count));
		worst =
		    fmax(worst, fabs(want - (double)(i + 1) / (double)count));
	}
	return worst * sqrt((double)count);
}

/*
 * Pearson's chi-square for cells that should be equally full, in standard
 * deviations from its mean (Wilson and Hilferty's approximation).
 */
static inline double
distribution_chi_square(const unsigned int *cells, size_t count)
{
	const double freedom = (double)count - 1;
	double total = 0, sum = 0;

	for (size_t i = 0; i < count; i++)
		total += cells[i];
	for (size_t i = 0; i < count; i++) {
		const double want = total / (double)count;

		sum += (cells[i] - want) * (cells[i] - want) / want;
	}
	return (cbrt(sum / freedom) - (1 - 2 / (9 * freedom))) /
	    sqrt(2 / (9 * freedom));
}

#endif
