#include <ctype.h>
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
} units[] = {
	{ "d", 86400 },
	{ "h", 3600 },
	{ "m", 60 },
	{ "s", 1 },
	{ "ms", 1e-3 },
	{ "us", 1e-6 },
};

#define UNITS (sizeof(units) / sizeof(units[0]))

/* The length of the unit's name that begins the text; letters end it. */
static size_t
unit_length(const char *text)
{
	size_t length = 0;

	while (isalpha((unsigned char)text[length]))
		length++;
	return length;
}

static const struct unit *
unit_find(const char *text, size_t length)
{
	for (const struct unit *unit = units; unit < units + UNITS; unit++)
		if (strlen(unit->name) == length &&
		    strncmp(unit->name, text, length) == 0)
			return unit;
	return NULL;
}

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

		if (problem != NULL)
			return problem;
		const size_t length = unit_length(end);
		if (length == 0) {
			if (*end != '\0')
				return "has an unknown unit (us ms s m h d)";
			if (last != NULL)
				return "ends without a unit";
			sum = number;
			break;
		}
		const struct unit *unit = unit_find(end, length);
		if (unit == NULL)
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

/* "2m05s": whole counts of two neighbouring units. */
static void
text_pair(double seconds, const struct unit *big, char text[DURATION_TEXT])
{
	const struct unit *small = big + 1;
	const double parts = number_floor(seconds / small->seconds + 0.5);
	const double each = big->seconds / small->seconds;
	const double whole = number_floor(parts / each);

	snprintf(text, DURATION_TEXT, "%.0f%s%02.0f%s", whole, big->name,
	    parts - whole * each, small->name);
}

/* Three digits that count, without zeros at the end: "1.25s", "90ms". */
static void
text_single(double seconds, const struct unit *unit, char text[DURATION_TEXT])
{
	const double number = seconds / unit->seconds;
	char digits[DURATION_TEXT];
	const int places = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;

	snprintf(digits, sizeof(digits), "%.*f", places, number);
	if (places > 0) {
		char *end = digits + strlen(digits) - 1;

		while (*end == '0')
			*end-- = '\0';
		if (*end == '.')
			*end = '\0';
	}
	snprintf(text, DURATION_TEXT, "%.20s%s", digits, unit->name);
}

const char *
duration_text(double seconds, char text[DURATION_TEXT])
{
	if (!(seconds > 0))
		snprintf(text, DURATION_TEXT, "0s");
	else if (seconds >= 86400 - 30)
		text_pair(seconds, &units[0], text);
	else if (seconds >= 3600 - 0.5)
		text_pair(seconds, &units[1], text);
	else if (seconds >= 99.95)
		text_pair(seconds, &units[2], text);
	else if (seconds >= 0.9995)
		text_single(seconds, &units[3], text);
	else if (seconds >= 0.9995e-3)
		text_single(seconds, &units[4], text);
	else
		text_single(seconds, &units[5], text);
	return text;
}
