#ifndef NUMBER_H
#define NUMBER_H

/*
 * These do without the mathematical library: loading it would take a sixth of
 * the time in which a dynamic `retry` starts, runs a command and ends.
 */

/* The lesser and the greater of two numbers; if one is a NaN, the other. */
double number_min(double a, double b);
double number_max(double a, double b);

/* The next whole number down and up from x, or x if it is whole. */
double number_floor(double x);
double number_ceil(double x);

/*
 * x to the power of y, for x from 0, with a relative error below 2.5e-13, and
 * below 1e-15 for x = 2; exact if x, y and the result are whole and y is at
 * most 64.  1 for y = 0; NaN if there is no value, as for x below 0.
 */
double number_power(double x, double y);

#endif
