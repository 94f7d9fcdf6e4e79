/* SPDX-License-Identifier: MIT */

#ifndef INTERVAL_H
#define INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How exactly a number is known that was estimated from a sample.  Each
 * interval holds the true number in 95 of 100 samples.
 */
struct interval {
	double low, high;
};

/* The 0.975 quantile of the normal distribution. */
#define INTERVAL_NORMAL 1.959963984540054

/* The 0.975 quantile of Student's t with so many degrees of freedom, from 1. */
double interval_student(double freedom);

/*
 * A share that was seen in a sample of n, which need not be whole; `quantile`
 * is INTERVAL_NORMAL, or Student's if n itself is an estimate.
 */
struct interval interval_share(double share, double n, double quantile);

/*
 * The members, from 0, of a sorted sample of n that the quantile lies between:
 * by order statistics.  False: the sample is too small.
 */
bool interval_ranks(size_t n, double quantile, size_t *low, size_t *high);

#endif
