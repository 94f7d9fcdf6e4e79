/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "text.h"

/*
 * Smaller positive numbers are refused, so that none is rounded to 0, which
 * often means "none".  A microsecond of this number is still positive.
 */
#define SMALLEST 1e-301

static const struct unit {
	const char *name;
	double seconds;
} units[] = {
	{ "d", 86400 },
	{ "h", 3600 },
	{ "m", 60 },
	{ "s", 1 },
	{ "ms", 1e-3 },
	{ "us", 1e-6 },
};

#define UNITS (sizeof(units) / sizeof(units[0]))

/*
 * strtod(3) alone would take a sign, blanks, hexadecimal, "inf" and "nan", so
 * what it may see is checked first.
 */
const char *
duration_number(const char *text, double *number, const char **end)
{
	const char *digits = text;
	char *stop;

	if (*text == '\0')
		return "empty";
	if (*text == '-')
		return "negative";
	if (*digits == '.')
		digits++;
	if (!isdigit((unsigned char)*digits))
		return "not a number";
	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		return "hexadecimal";
	*number = strtod(text, &stop);
	*end = stop;
	/* A digit other than 0 shows that the number is positive. */
	if (*number < SMALLEST &&
	    isdigit((unsigned char)text[strspn(text, "0.")]))
		return "too small";
	return NULL;
}

const char *
duration_ratio(const char *text, double *ratio)
{
	const char *end;
	const char *problem = duration_number(text, ratio, &end);

	if (problem != NULL)
		return problem;
	if (*end == '%') {
		*ratio /= 100;
		end++;
	}
	if (*end != '\0')
		return "not a ratio";
	return *ratio > 1 ? "more than 1" : NULL;
}

const char *
duration_parse(const char *text, double *seconds)
{
	const struct unit *last = NULL;
	double sum = 0;

	do {
		const char *end;
		double number;
		const char *problem = duration_number(text, &number, &end);
		const struct unit *unit = units;
		size_t length = 0;

		if (problem != NULL)
			return problem;
		/* Without a unit a number is seconds, if it stands alone. */
		if (*end == '\0') {
			if (last != NULL)
				return "the last number has no unit";
			sum = number;
			break;
		}
		while (isalpha((unsigned char)end[length]))
			length++;
		while (
		    unit < units + UNITS && !text_is(end, length, unit->name))
			unit++;
		if (unit == units + UNITS)
			return "unknown unit (use us, ms, s, m, h, d)";
		if (last != NULL && unit <= last)
			return "units out of order (largest first)";
		sum += number * unit->seconds;
		last = unit;
		text = end + length;
	} while (*text != '\0');
	if (!(sum <= DURATION_MAX))
		return "longer than 10000 days";
	*seconds = sum;
	return NULL;
}

/* The factor allows for decimals that binary cannot hold. */
static double
round_half_up(double number)
{
	return floor(number * (1 + 1e-12) + 0.5);
}

const char *
duration_text(double seconds, char text[DURATION_TEXT])
{
	static const struct {
		double from;  /* for durations of at least this many seconds */
		double digit; /* seconds that the last digit stands for */
		double each;  /* this many of these are a unit */
		const char *unit;
		const char *next; /* the last digit's own unit, or NULL */
	} rows[] = {
		{ 86400, 3600, 24, "d", "h" },
		{ 3600, 60, 60, "h", "m" },
		{ 60, 1, 60, "m", "s" },
		{ 10, 0.1, 10, "s", NULL },
		{ 0.1, 0.01, 100, "s", NULL },
		{ 0.01, 1e-4, 10, "ms", NULL },
		{ 1e-3, 1e-5, 100, "ms", NULL },
		{ 1e-4, 1e-6, 1, "us", NULL },
		{ 1e-5, 1e-7, 10, "us", NULL },
		{ 0, 1e-8, 100, "us", NULL },
	};
	size_t i = 0;

	if (!(seconds > 0)) {
		strlcpy(text, "0s", DURATION_TEXT);
		return text;
	}
	while (seconds < rows[i].from)
		i++;
	/* 59.97s becomes 60s, which is written as 1m. */
	double count = round_half_up(seconds / rows[i].digit);
	if (i > 0 && count * rows[i].digit >= rows[i - 1].from) {
		i--;
		count = round_half_up(seconds / rows[i].digit);
	}
	if (rows[i].next == NULL) {
		snprintf(text, DURATION_TEXT, "%.3g%s", count / rows[i].each,
		    rows[i].unit);
		return text;
	}
	const double whole = floor(count / rows[i].each);
	const double rest = count - whole * rows[i].each;
	const int length =
	    snprintf(text, DURATION_TEXT, "%.0f%s", whole, rows[i].unit);
	if (rest > 0)
		snprintf(text + length, DURATION_TEXT - (size_t)length,
		    "%02.0f%s", rest, rows[i].next);
	return text;
}
