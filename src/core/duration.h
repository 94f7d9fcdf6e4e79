/* SPDX-License-Identifier: MIT */

#ifndef DURATION_H
#define DURATION_H

/* The longest duration that is accepted and the longest delay: 10,000 days. */
#define DURATION_MAX (10000 * 86400.0)

/* The size of a buffer for duration_text(). */
#define DURATION_TEXT 32

/*
 * Reads a duration: decimal numbers with a unit (us ms s m h d), largest unit
 * first, as in "1m30s", or one number of seconds without a unit.  Sets
 * 0 <= *seconds <= DURATION_MAX.
 */
const char *duration_parse(const char *text, double *seconds);

/*
 * Reads a decimal number as durations and ratios have it: digits, a point, an
 * exponent; no sign, no blank, no hexadecimal.  Sets *end behind it.  A
 * positive number stays positive, however small it is.
 */
const char *duration_number(const char *text, double *number, const char **end);

/* Reads a ratio, from 0 to 1: "0.2" or "20%". */
const char *duration_ratio(const char *text, double *ratio);

/*
 * Writes `seconds` for people, rounded to three digits or two units: "0.25s",
 * "4.12s", "12.3ms", "2m05s", "3h20m", "4d01h".  Returns `text`.
 */
const char *duration_text(double seconds, char text[DURATION_TEXT]);

#endif
