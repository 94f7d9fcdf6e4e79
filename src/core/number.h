#ifndef NUMBER_H
#define NUMBER_H

/*
 * What the mathematical library has too: to load that one would take a sixth
 * of the time in which a dynamic `retry` starts, runs a command and ends.
 */

/* The lesser and the greater of two, or the one that is no NaN. */
double number_min(double a, double b);
double number_max(double a, double b);

/* The next whole number down and up from x, or x where it is whole. */
double number_floor(double x);
double number_ceil(double x);

/*
 * x to the power of y, x at least 0, within 2.5e-13 of it; exact where x and
 * the result are whole and y is whole and at most 64.  1 for y = 0; NaN for
 * what has no value, as for x below 0.
 */
double number_power(double x, double y);

#endif
