#include <math.h>

#include "number.h"

/* Up to this exponent powers are products, exact as long as they can be. */
#define FACTORS 64

/* So many terms of a series; the others are below the last bit. */
#define TERMS 16

double
number_min(double a, double b)
{
	return a < b || isnan(b) ? a : b;
}

double
number_max(double a, double b)
{
	return a > b || isnan(b) ? a : b;
}

double
number_floor(double x)
{
	double whole;

	return modf(x, &whole) < 0 ? whole - 1 : whole;
}

double
number_ceil(double x)
{
	return -number_floor(-x);
}

/*
 * 2 to the power of x, by the exponential series for what is left of x beside a
 * whole number; 0 or INFINITY for what no double holds.
 */
static double
exp_2(double x)
{
	double term = 1, sum = 1;

	if (isnan(x) || x >= 1024)
		return isnan(x) ? x : INFINITY;
	if (x < -1100)
		return 0;
	const double whole = number_floor(x + 0.5);
	for (int i = 1; i <= TERMS; i++) {
		term *= (x - whole) * M_LN2 / i;
		sum += term;
	}
	return ldexp(sum, (int)whole);
}

/*
 * The logarithm to base 2, by ln m = 2 artanh((m - 1) / (m + 1)) for m between
 * sqrt(1/2) and sqrt(2).
 */
static double
log_2(double x)
{
	int exponent;
	double sum = 0;

	if (x == 0)
		return -INFINITY;
	if (!(x > 0) || isinf(x))
		return x < 0 ? NAN : x;
	double m = frexp(x, &exponent);
	if (m < M_SQRT1_2) {
		m *= 2;
		exponent--;
	}
	const double s = (m - 1) / (m + 1);
	for (int i = TERMS; i >= 0; i--)
		sum = sum * s * s + 1. / (2 * i + 1);
	return exponent + 2 * s * sum * M_LOG2E;
}

double
number_power(double x, double y)
{
	double product = 1;

	if (y < 0 || y > FACTORS || y != number_floor(y))
		return exp_2(y * log_2(x));
	for (int left = (int)y; left > 0; left--)
		product *= x;
	return product;
}
