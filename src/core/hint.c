/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "duration.h"
#include "hint.h"
#include "text.h"

#define BLANKS " \t\r\f\v"
#define DIGITS "0123456789"
#define LETTERS \
	"abcdefghijklmnopqrstuvwxyz" \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define ZONE_CHARACTERS LETTERS DIGITS "/_+-:"

/* Room for the longest date, and more. */
#define TEXT_MOST 64

/* Larger numbers since 1970 are milliseconds: as seconds, of the year 5138. */
#define EPOCH_SECONDS_MOST 1e11

static bool
is_word(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && strncasecmp(word, name, length) == 0;
}

/* Whether the text ends here, or a blank or a comma follows. */
static bool
ends_word(const char *text)
{
	return *text == '\0' || strchr(BLANKS ",", *text) != NULL;
}

/* Passes over words that say nothing, and what separates words. */
static const char *
skip_filling(const char *text)
{
	static const char *const fillings[] = { "in", "about", "approximately",
		"around", "after", "another", "and", "at", "on", NULL };

	for (;;) {
		text += strspn(text, BLANKS ",");
		const size_t length = strcspn(text, BLANKS ",");
		int i = 0;

		while (
		    fillings[i] != NULL && !is_word(text, length, fillings[i]))
			i++;
		if (length == 0 || fillings[i] == NULL)
			return text;
		text += length;
	}
}

/* --- durations --- */

/* The seconds of a unit, or 0: "day", "Days", "min", "h". */
static double
unit_seconds(const char *word, size_t length)
{
	static const struct {
		const char *name;
		double seconds;
	} rows[] = {
		{ "week", 7 * 86400 },
		{ "day", 86400 },
		{ "d", 86400 },
		{ "hour", 3600 },
		{ "hr", 3600 },
		{ "h", 3600 },
		{ "minute", 60 },
		{ "min", 60 },
		{ "m", 60 },
		{ "second", 1 },
		{ "sec", 1 },
		{ "s", 1 },
		{ "millisecond", 1e-3 },
		{ "ms", 1e-3 },
		{ "us", 1e-6 },
	};

	/* A capital letter alone may be a month, or nothing that is known. */
	if (length == 0 || (length == 1 && isupper((unsigned char)*word)))
		return 0;
	const bool plural =
	    length > 2 && tolower((unsigned char)word[length - 1]) == 's';
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (is_word(word, length, rows[i].name) ||
		    (plural && is_word(word, length - 1, rows[i].name)))
			return rows[i].seconds;
	return 0;
}

/*
 * The whole text is a duration, largest unit first: "1m30s", "5 days 22 hours",
 * "in about 3 min", "an hour".
 */
static bool
is_duration(const char *text, double *seconds)
{
	double last = INFINITY;

	*seconds = 0;
	text = skip_filling(text);
	do {
		size_t length = strspn(text, LETTERS);
		double number = 1;

		if (is_word(text, length, "a") || is_word(text, length, "an"))
			text += length;
		else if (duration_number(text, &number, &text) != NULL)
			return false;
		text += strspn(text, BLANKS);
		length = strspn(text, LETTERS);
		const double unit = unit_seconds(text, length);
		if (unit == 0 || unit >= last)
			return false;
		last = unit;
		*seconds += number * unit;
		text = skip_filling(text + length);
	} while (*text != '\0');
	*seconds = fmin(*seconds, DURATION_MAX);
	return true;
}

/* --- points in time --- */

/*
 * A point in time is a list of these, each at most once and in any order: a
 * time of day, a day of the month, a month, a year, a weekday, a zone.  This
 * is what was read of it.
 */
struct moment {
	struct hint hint; /* `seconds` is negative: no time of day */
	bool has_weekday;
	bool needs_zone; /* the date is YYYY-MM-DD */
	bool ends_in_year;
};

/* "am", "PM", "p.m.": sets *add to the hours that it adds to 12. */
static const char *
read_half(const char *text, int *add)
{
	const char *end = text + 1;

	*add = tolower((unsigned char)*text) == 'p' ? 12 : 0;
	if (*add == 0 && tolower((unsigned char)*text) != 'a')
		return NULL;
	end += *end == '.';
	if (tolower((unsigned char)*end) != 'm')
		return NULL;
	end++;
	end += *end == '.';
	return isalnum((unsigned char)*end) || *end == '/' ? NULL : end;
}

/* "7pm", "7:30 p.m.", "19:00", "19:00:05.25" */
static const char *
read_time_of_day(const char *text, struct moment *moment)
{
	int parts[3] = { 0 }, count = 0, add;
	double fraction = 0;
	char *end;

	if (moment->hint.seconds >= 0)
		return NULL;
	do {
		const size_t digits = strspn(text, DIGITS);

		if (digits == 0 || digits > 2 || (count > 0 && digits != 2))
			return NULL;
		parts[count++] = (int)strtol(text, NULL, 10);
		text += digits;
	} while (count < 3 && *text == ':' && *++text != '\0');
	if (*text == '.' && isdigit((unsigned char)text[1])) {
		fraction = strtod(text, &end);
		/* strtod(3) reads an exponent, too. */
		if (count < 3 || end != text + 1 + strspn(text + 1, DIGITS))
			return NULL;
		text = end;
	}
	const char *half = read_half(text + strspn(text, BLANKS), &add);
	if (half != NULL && (parts[0] < 1 || parts[0] > 12))
		return NULL;
	if (half != NULL)
		parts[0] = parts[0] % 12 + add;
	else if (count == 1 || *text == ':')
		return NULL;
	if (parts[0] > 23 || parts[1] > 59 || parts[2] > 60)
		return NULL;
	moment->hint.seconds =
	    parts[0] * 3600 + parts[1] * 60 + parts[2] + fraction;
	return half != NULL ? half : text;
}

/* The number of the month that has this name, or these first letters; or 0. */
static int
find_month(const char *word, size_t length)
{
	static const char *const months[] = { "January", "February", "March",
		"April", "May", "June", "July", "August", "September",
		"October", "November", "December" };

	for (int i = 0; length >= 3 && i < 12; i++)
		if (length <= strlen(months[i]) &&
		    strncasecmp(months[i], word, length) == 0)
			return i + 1;
	return 0;
}

/* A date in one word: "2026-11-24", "06-Nov-94". */
static const char *
read_date(const char *text, struct moment *moment)
{
	char day[3], month[4], year[5];
	struct hint *hint = &moment->hint;
	int end = 0;

	if (hint->day != 0 || hint->month != 0 || hint->year != 0)
		return NULL;
	if (sscanf(text, "%4[0-9]-%2[0-9]-%2[0-9]%n", year, month, day, &end) ==
		3 &&
	    end == 10) {
		moment->needs_zone = true;
		hint->month = (int)strtol(month, NULL, 10);
		hint->year = (int)strtol(year, NULL, 10);
		/* RFC 3339 has a T between date and time. */
		end += tolower((unsigned char)text[end]) == 't';
	} else if (sscanf(text, "%2[0-9]-%3[A-Za-z]-%2[0-9]%n", day, month,
		       year, &end) == 3 &&
	    end == 9) {
		hint->month = find_month(month, 3);
		hint->year = (int)strtol(year, NULL, 10);
		hint->year += hint->year < 70 ? 2000 : 1900;
	} else
		return NULL;
	hint->day = (int)strtol(day, NULL, 10);
	return hint->year != 0 ? text + end : NULL;
}

/* A day of the month, or a year: "24", "5th", "2026". */
static const char *
read_number(const char *text, struct moment *moment)
{
	static const char *const ordinals[] = { "st", "nd", "rd", "th" };
	struct hint *hint = &moment->hint;
	const size_t digits = strspn(text, DIGITS);
	const int number = (int)strtol(text, NULL, 10);

	if (digits == 4 && number != 0 && hint->year == 0) {
		hint->year = number;
		moment->ends_in_year = hint->seconds >= 0;
		return text + digits;
	}
	if (digits > 2 || hint->day != 0)
		return NULL;
	hint->day = number;
	text += digits;
	for (size_t i = 0; i < sizeof(ordinals) / sizeof(ordinals[0]); i++)
		if (strncasecmp(text, ordinals[i], 2) == 0)
			return text + 2;
	return text;
}

/* A month or a weekday: "Nov", "Nov.", "November". */
static const char *
read_name(const char *text, struct moment *moment)
{
	static const char *const weekdays[] = { "Sunday", "Monday", "Tuesday",
		"Wednesday", "Thursday", "Friday", "Saturday" };
	const size_t length = strspn(text, LETTERS);
	const int month = find_month(text, length);
	const char *end = text + length + (text[length] == '.');

	if (length < 3 || !ends_word(end))
		return NULL;
	if (month != 0 && moment->hint.month == 0) {
		moment->hint.month = month;
		return end;
	}
	for (size_t i = 0; i < sizeof(weekdays) / sizeof(weekdays[0]); i++)
		if (!moment->has_weekday &&
		    strncasecmp(weekdays[i], text, length) == 0) {
			moment->has_weekday = true;
			return end;
		}
	return NULL;
}

/* A zone's name, an offset, or either in brackets. */
static const char *
read_zone(const char *text, struct moment *moment)
{
	char *zone = moment->hint.zone;
	const bool bracket = *text == '(';
	const size_t length = strspn(text + bracket, ZONE_CHARACTERS);

	text += bracket;
	if (length == 0 || length >= HINT_ZONE || *zone != '\0' ||
	    moment->hint.seconds < 0)
		return NULL;
	strlcpy(zone, text, length + 1);
	text += length;
	if (bracket && *text++ != ')')
		return NULL;
	return ends_word(text) ? text : NULL;
}

/* Whether the word is a date such as 11/24/2026 or 24/11/26. */
static bool
is_ambiguous(const char *text)
{
	char first[3], second[3], year[5];
	int end = 0;

	return sscanf(text, "%2[0-9]/%2[0-9]/%4[0-9]%n", first, second, year,
		   &end) == 3 &&
	    strlen(year) % 2 == 0 && ends_word(text + end);
}

/* Whether the calendar has this day; 29 February is one if no year is named. */
static bool
is_day(const struct hint *hint)
{
	static const int days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30,
		31 };
	const int year = hint->year;
	const bool leap = year == 0 ||
	    (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));

	return hint->month >= 1 && hint->month <= 12 && hint->day >= 1 &&
	    hint->day <= days[hint->month - 1] &&
	    (leap || hint->month != 2 || hint->day < 29);
}

/* The whole text is a point in time; NULL, or what is wrong with it. */
static const char *
read_moment(const char *text, struct hint *hint)
{
	static const char neither[] = "is neither a duration nor a time";
	struct moment moment = { .hint = { .kind = HINT_CLOCK,
				     .seconds = -1 } };
	struct hint *read = &moment.hint;

	while (*(text = skip_filling(text)) != '\0') {
		const char *end = NULL;

		if (isdigit((unsigned char)*text)) {
			if (is_ambiguous(text))
				return "is an ambiguous date";
			end = read_date(text, &moment);
			if (end == NULL)
				end = read_time_of_day(text, &moment);
			if (end == NULL)
				end = read_number(text, &moment);
		} else if (isalpha((unsigned char)*text))
			end = read_name(text, &moment);
		if (end == NULL)
			end = read_zone(text, &moment);
		if (end == NULL)
			return neither;
		text = end;
	}
	const bool dated =
	    read->day != 0 || read->month != 0 || read->year != 0;
	if (read->seconds < 0 || (dated && !is_day(read)) ||
	    (moment.has_weekday && !dated))
		return neither;
	if (moment.needs_zone && *read->zone == '\0')
		return "has no time zone";
	/* The third form of an HTTP-date: "Sun Nov  6 08:49:37 1994". */
	if (moment.has_weekday && moment.ends_in_year && *read->zone == '\0')
		strlcpy(read->zone, "GMT", sizeof(read->zone));
	*hint = *read;
	return NULL;
}

const char *
hint_parse(const char *text, struct hint *hint)
{
	char trimmed[TEXT_MOST];
	const char *end;
	double number;

	if (!text_trim(text, BLANKS, trimmed, sizeof(trimmed)))
		return "is too long";
	/* A sentence may end with the hint: "try again in 1.2s." */
	const size_t length = strlen(trimmed);
	if (length > 1 && trimmed[length - 1] == '.')
		trimmed[length - 1] = '\0';
	if (*trimmed == '\0')
		return "is empty";
	if (duration_number(trimmed, &number, &end) == NULL && *end == '\0') {
		*hint = (struct hint){ .kind = HINT_WAIT, .seconds = number };
		if (number > DURATION_MAX)
			hint->kind = HINT_UNTIL;
		if (number > EPOCH_SECONDS_MOST)
			hint->seconds /= 1000;
		return NULL;
	}
	if (is_duration(trimmed, &number)) {
		*hint = (struct hint){ .kind = HINT_WAIT, .seconds = number };
		return NULL;
	}
	return read_moment(trimmed, hint);
}
