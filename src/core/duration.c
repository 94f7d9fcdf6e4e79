#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "number.h"

/*
 * The smallest positive number that is told from 0, which often means "none";
 * so small that no clock can, so large that microseconds of it stay positive.
 */
#define SMALLEST 1e-301

static const struct unit {
	const char *name;
	double seconds;
	double least; /* seconds that are told in this unit */
	bool pairs;   /* they are told with the next unit: "2m05s" */
} units[] = {
	{ "d", 86400, 86400 - 30, true },
	{ "h", 3600, 3600 - 0.5, true },
	{ "m", 60, 99.95, true },
	{ "s", 1, 0.09995, false },
	{ "ms", 1e-3, 0.9995e-3, false },
	{ "us", 1e-6, 0, false },
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
		return "is empty";
	if (*text == '-')
		return "is negative";
	if (*digits == '.')
		digits++;
	if (!isdigit((unsigned char)*digits))
		return "is not a number";
	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		return "is hexadecimal";
	*number = strtod(text, &stop);
	*end = stop;
	/* The first digit other than 0 tells that the number is positive. */
	if (*number < SMALLEST &&
	    isdigit((unsigned char)text[strspn(text, "0.")]))
		*number = SMALLEST;
	return NULL;
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
				return "ends without a unit";
			sum = number;
			break;
		}
		while (isalpha((unsigned char)end[length]))
			length++;
		while (unit < units + UNITS &&
		    (strlen(unit->name) != length ||
			strncmp(unit->name, end, length) != 0))
			unit++;
		if (unit == units + UNITS)
			return "has an unknown unit (us ms s m h d)";
		if (last != NULL && unit <= last)
			return "must have its units in order, largest first";
		sum += number * unit->seconds;
		last = unit;
		text = end + length;
	} while (*text != '\0');
	if (!(sum <= DURATION_MAX))
		return "is longer than 10000 days";
	*seconds = sum;
	return NULL;
}

const char *
duration_text(double seconds, char text[DURATION_TEXT])
{
	/* What the last digit that is shown of so many seconds stands for. */
	static const struct {
		double from, digit;
	} rows[] = {
		{ 86400, 3600 },
		{ 3600, 60 },
		{ 100, 1 },
		{ 10, 0.1 },
		{ 0.1, 0.01 },
		{ 0.01, 1e-4 },
		{ 1e-3, 1e-5 },
		{ 1e-4, 1e-6 },
		{ 1e-5, 1e-7 },
		{ 0, 1e-8 },
	};
	size_t i = 0;

	if (!(seconds > 0)) {
		strlcpy(text, "0s", DURATION_TEXT);
		return text;
	}
	/* A factor makes up for what binary fractions lack, as 4.1 does. */
	while (seconds < rows[i].from)
		i++;
	seconds =
	    number_floor(seconds / rows[i].digit * (1 + 1e-12)) * rows[i].digit;

	/* The largest unit; the margins are for what a sum of digits lacks. */
	i = 0;
	while (i < UNITS - 1 && seconds < units[i].least)
		i++;
	const struct unit *unit = &units[i];
	if (!unit->pairs) {
		snprintf(text, DURATION_TEXT, "%.3g%s", seconds / unit->seconds,
		    unit->name);
		return text;
	}
	const struct unit *next = unit + 1;
	const double parts = number_floor(seconds / next->seconds + 0.5);
	const double each = unit->seconds / next->seconds;
	const double whole = number_floor(parts / each);
	snprintf(text, DURATION_TEXT, "%.0f%s%02.0f%s", whole, unit->name,
	    parts - whole * each, next->name);
	return text;
}
