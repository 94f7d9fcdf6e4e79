/* SPDX-License-Identifier: MIT */

#include <math.h>

#include "interval.h"

/* The chance that the true number lies outside of an interval. */
#define OUTSIDE 0.05

/* From here on a series is as exact as double is. */
#define FREEDOM_MANY 1000

/*
 * The chance that |t| is smaller, with a whole number of degrees of freedom:
 * M. Abramowitz and I. Stegun, "Handbook of mathematical functions", 26.7.3
 * and 26.7.4.
 */
static double
student_within(double t, int freedom)
{
	const double angle = atan(t / sqrt(freedom));
	const double cosine = cos(angle);
	const bool odd = freedom % 2 == 1;
	double term = odd ? cosine : 1, sum = 0;

	for (int i = odd ? 3 : 2; i <= freedom; i += 2) {
		sum += term;
		term *= cosine * cosine * (i - 1) / i;
	}
	return odd ? 2 / M_PI * (angle + sin(angle) * sum) : sin(angle) * sum;
}

double
interval_student(double freedom)
{
	const double z = INTERVAL_NORMAL;
	double low = 0, high = 13; /* 12.7 with one degree */

	/* The same book, 26.7.5. */
	if (freedom > FREEDOM_MANY)
		return z + (z * z * z + z) / (4 * freedom);
	for (int i = 0; i < 60; i++) {
		const double middle = (low + high) / 2;

		if (student_within(middle, (int)freedom) < 1 - OUTSIDE)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/*
 * The score interval of E. B. Wilson, "Probable inference, the law of
 * succession, and statistical inference", JASA 22 (1927), which keeps its 95 %
 * also for few members and small shares (R. G. Newcombe, Statistics in Medicine
 * 17 (1998), method 3).
 */
static struct interval
wilson(double share, double n, double z)
{
	const double middle = share + z * z / (2 * n);
	const double half =
	    z * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
	const double scale = 1 + z * z / n;

	return (struct interval){ (middle - half) / scale,
		(middle + half) / scale };
}

/* If none of n, or all of them, were seen, one bound is exact. */
struct interval
interval_share(double share, double n, double quantile)
{
	const double rest = -expm1(log(OUTSIDE) / n);

	if (share <= 0)
		return (struct interval){ 0, rest };
	if (share >= 1)
		return (struct interval){ 1 - rest, 1 };
	return wilson(share, n, quantile);
}

/* The logarithm of the binomial coefficient. */
static double
log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* The chance that k of n are below the quantile. */
static double
binomial(size_t n, size_t k, double quantile)
{
	return exp(log_choose((double)n, (double)k) +
	    (double)k * log(quantile) + (double)(n - k) * log1p(-quantile));
}

bool
interval_ranks(size_t n, double quantile, size_t *low, size_t *high)
{
	double above = 0, below = 0;
	size_t upper = n, lower = 0;

	/* The highest member is the bound if no other can be. */
	above = binomial(n, n, quantile);
	while (upper > 1) {
		const double next = binomial(n, upper - 1, quantile);

		if (above + next > OUTSIDE / 2)
			break;
		above += next;
		upper--;
	}
	for (; lower < n; lower++) {
		const double next = binomial(n, lower, quantile);

		if (below + next > fmin(OUTSIDE / 2, OUTSIDE - above))
			break;
		below += next;
	}
	*low = lower == 0 ? 0 : lower - 1;
	*high = upper - 1;
	return lower > 0 && above <= OUTSIDE;
}
