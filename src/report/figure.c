/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/figure.h"

/* The last digit stands for at most this share of the interval. */
#define SHARE_OF_PLACE (1.0 / 6)

/* Two digits of a number as small as that are all that double has. */
#define DECIMALS_MOST 40

double
figure_place(struct interval interval)
{
	const double width = interval.high - interval.low;

	return width > 0 ? pow(10, floor(log10(width * SHARE_OF_PLACE))) : 0;
}

int
figure_decimals(double place)
{
	const double decimals = place > 0 ? -floor(log10(place) + 1e-6) : 0;

	return (int)fmax(0, fmin(decimals, DECIMALS_MOST));
}

/* The place of two digits of the distance from 0 or from 1. */
static double
place_of_two(double share)
{
	const double rest = fmin(share, 1 - share);

	return rest > 0 ? pow(10, floor(log10(rest)) - 1) : 0;
}

/* The percentage without its sign. */
static const char *
number(double share, double place, char text[FIGURE_TEXT])
{
	/* No percentage is rounded to tens. */
	const double digit = 100 * (place > 0 ? place : place_of_two(share));

	snprintf(text, FIGURE_TEXT, "%.*f", figure_decimals(digit),
	    100 * share);
	/* Zeros behind the point would claim to be known. */
	if (place == 0 && strchr(text, '.') != NULL) {
		size_t length = strlen(text);

		while (text[length - 1] == '0')
			length--;
		if (text[length - 1] == '.')
			length--;
		text[length] = '\0';
	}
	return text;
}

const char *
figure_percent(double share, double place, char text[FIGURE_TEXT])
{
	char digits[FIGURE_TEXT];

	snprintf(text, FIGURE_TEXT, "%.100s%%", number(share, place, digits));
	return text;
}

const char *
figure_shares(double low, double high, struct interval interval,
    char text[FIGURE_TEXT])
{
	const double place = figure_place(interval);
	char from[FIGURE_TEXT], to[FIGURE_TEXT], least[FIGURE_TEXT],
	    most[FIGURE_TEXT];
	char range[FIGURE_TEXT], bounds[FIGURE_TEXT];

	if (place == 0)
		return figure_percent(low, 0, text);
	number(low, low == 0 ? 1 : place, from);
	number(high, place, to);
	if (low == high)
		snprintf(range, sizeof(range), "%.40s%%",
		    low >= 1 ? "100" : from);
	else
		snprintf(range, sizeof(range), "%.40s-%.40s%%", from, to);
	number(interval.low, place, least);
	number(interval.high, place, most);
	if (interval.low <= 0)
		snprintf(bounds, sizeof(bounds), "at most %.40s%%", most);
	else if (interval.high >= 1)
		snprintf(bounds, sizeof(bounds), "at least %.40s%%", least);
	else
		snprintf(bounds, sizeof(bounds), "%.40s-%.40s%%", least, most);
	snprintf(text, FIGURE_TEXT, "%.50s (95%%: %.60s)", range, bounds);
	return text;
}

const char *
figure_share(double share, struct interval interval, char text[FIGURE_TEXT])
{
	return figure_shares(share, share, interval, text);
}

const char *
figure_rough(double number, char text[FIGURE_TEXT])
{
	const double place = pow(10, fmax(floor(log10(number)) - 1, 0));
	char digits[FIGURE_TEXT];
	size_t length = 0;

	/* A number that is whole but for its rounding error stays. */
	const int count = snprintf(digits, sizeof(digits), "%.0f",
	    floor(number / place * (1 + 1e-12)) * place);
	for (int i = 0; i < count && length < FIGURE_TEXT - 3; i++) {
		text[length++] = digits[i];
		if ((count - 1 - i) % 3 == 0 && i < count - 1)
			text[length++] = ',';
	}
	text[length] = '\0';
	return text;
}
