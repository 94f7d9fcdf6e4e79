/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

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

/* Numbers of seconds since 1970 end here, in the year 5138. */
#define EPOCH_SECONDS_MOST 1e11
#define EPOCH_MILLISECONDS_MOST 1e14

const char *
hint_offset(const char *text, double *offset)
{
	int hours, minutes;

	*offset = 0;
	if (*text == 'Z' || *text == 'z')
		return text + 1;
	if (*text != '+' && *text != '-')
		return NULL;
	const size_t digits = strspn(text + 1, DIGITS);
	const bool colon = digits == 2 && text[3] == ':';
	const char *last = text + (colon ? 4 : 3);
	if ((!colon && digits != 4) || strspn(last, DIGITS) < 2 ||
	    sscanf(text + 1, "%2d", &hours) != 1 ||
	    sscanf(last, "%2d", &minutes) != 1 || hours > 23 || minutes > 59)
		return NULL;
	*offset = (*text == '-' ? -1 : 1) * (hours * 3600 + minutes * 60.0);
	return last + 2;
}

/* Reads a fraction of a second and an offset, as RFC 3339 has them. */
static const char *
read_rest(const char *text, double *seconds)
{
	double offset, unit = 1;

	if (*text == '.' && isdigit((unsigned char)text[1]))
		for (text++; isdigit((unsigned char)*text); text++)
			*seconds += (unit /= 10) * (*text - '0');
	text = hint_offset(text, &offset);
	*seconds -= offset;
	return text;
}

/* The whole text is a date, in one of these forms. */
static bool
is_date(const char *text, double *date)
{
	static const struct {
		const char *form;
		bool is_rfc_3339;
	} rows[] = {
		{ "%a, %d %b %Y %H:%M:%S GMT", false }, /* IMF-fixdate */
		{ "%A, %d-%b-%y %H:%M:%S GMT", false }, /* RFC 850 */
		{ "%a %b %e %H:%M:%S %Y", false },	/* asctime */
		{ "%Y-%m-%dT%H:%M:%S", true },
		{ "%Y-%m-%dt%H:%M:%S", true },
		{ "%Y-%m-%d %H:%M:%S", true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tm tm = { 0 };
		const char *end = strptime(text, rows[i].form, &tm);

		if (end == NULL)
			continue;
		/* strptime(3) takes 31 November, which timegm(3) moves on. */
		struct tm day = { .tm_year = tm.tm_year,
			.tm_mon = tm.tm_mon,
			.tm_mday = tm.tm_mday };
		timegm(&day);
		if (day.tm_mday != tm.tm_mday)
			continue;
		*date = (double)timegm(&tm);
		if (rows[i].is_rfc_3339)
			end = read_rest(end, date);
		if (end != NULL && *end == '\0')
			return true;
	}
	return false;
}

/* The number of the name that the word is, or its first letters; or -1. */
static int
find_name(const char *const names[], const char *word, size_t length)
{
	for (int i = 0; length >= 3 && names[i] != NULL; i++)
		if (length <= strlen(names[i]) &&
		    strncasecmp(names[i], word, length) == 0)
			return i;
	return -1;
}

static bool
is_word(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && strncasecmp(word, name, length) == 0;
}

/* Passes over words that say nothing, and what separates words. */
static const char *
skip_filling(const char *text, const char *const fillings[])
{
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

/* The seconds of a unit in words, or 0: "day", "Days", "min", "h". */
static double
unit_seconds(const char *word, size_t length)
{
	static const struct {
		const char *name;
		double seconds;
	} rows[] = {
		{ "week", 7 * 86400 },
		{ "day", 86400 },
		{ "hour", 3600 },
		{ "hr", 3600 },
		{ "minute", 60 },
		{ "min", 60 },
		{ "second", 1 },
		{ "sec", 1 },
		{ "millisecond", 1e-3 },
		{ "ms", 1e-3 },
	};

	if (length == 0)
		return 0;
	/* A capital letter alone may be a month, or nothing that is known. */
	if (length == 1)
		return *word == 'd' ? 86400
		    : *word == 'h'  ? 3600
		    : *word == 'm'  ? 60
		    : *word == 's'  ? 1
				    : 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (is_word(word, length, rows[i].name) ||
		    (tolower((unsigned char)word[length - 1]) == 's' &&
			is_word(word, length - 1, rows[i].name)))
			return rows[i].seconds;
	return 0;
}

/*
 * The whole text is a duration in words, largest unit first: "5 days 22 hours",
 * "in about 3 min".
 */
static bool
is_period(const char *text, double *seconds)
{
	static const char *const before[] = { "in", "about", "approximately",
		"around", "after", "another", NULL };
	static const char *const between[] = { "and", NULL };
	double last = INFINITY;

	*seconds = 0;
	text = skip_filling(text, before);
	do {
		size_t length = strspn(text, LETTERS);
		double number = 1;

		/* "an hour" */
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
		text = skip_filling(text + length, between);
	} while (*text != '\0');
	*seconds = fmin(*seconds, DURATION_MAX);
	return true;
}

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

/* Reads a time of day: "7pm", "7:30 p.m.", "19:00", "19:00:05". */
static const char *
read_time(const char *text, double *seconds)
{
	int parts[3] = { 0 }, count = 0, add;

	do {
		const size_t digits = strspn(text, DIGITS);

		if (digits == 0 || digits > 2 || (count > 0 && digits != 2))
			return NULL;
		parts[count++] = (int)strtol(text, NULL, 10);
		text += digits;
	} while (count < 3 && *text == ':' && *++text != '\0');
	const char *end = read_half(text + strspn(text, BLANKS), &add);
	if (end != NULL && (parts[0] < 1 || parts[0] > 12))
		return NULL;
	if (end != NULL)
		parts[0] = parts[0] % 12 + add;
	else if (count == 1 || *text == ':' ||
	    (*text == '.' && isdigit((unsigned char)text[1])))
		return NULL;
	if (parts[0] > 23 || parts[1] > 59 || parts[2] > 60)
		return NULL;
	*seconds = parts[0] * 3600 + parts[1] * 60 + parts[2];
	return end != NULL ? end : text;
}

/* A zone's name, an offset, or either in brackets. */
static const char *
read_zone(const char *text, char zone[HINT_ZONE])
{
	const bool bracket = *text == '(';
	const size_t length = strspn(text + bracket, ZONE_CHARACTERS);

	text += bracket;
	if (length == 0 || length >= HINT_ZONE || *zone != '\0')
		return NULL;
	strlcpy(zone, text, length + 1);
	text += length;
	if (bracket && *text++ != ')')
		return NULL;
	return *text == '\0' || strchr(BLANKS ",", *text) != NULL ? text : NULL;
}

/* What is known of a point in time while its words are read. */
struct moment {
	bool has_time;
	bool iso;	/* the date is YYYY-MM-DD */
	int weekday;	/* -1: none */
	int days_ahead; /* today, tomorrow; -1: neither */
	int month;	/* -1: none */
	int day, year;	/* 0: none */
};

/* A number that is not of a time: a day, a year, or a date. */
static const char *
read_number(const char *text, struct moment *moment)
{
	static const char *const ordinals[] = { "st", "nd", "rd", "th" };
	const size_t digits = strspn(text, DIGITS);

	if (digits == 4 && text[4] == '-') {
		if (strspn(text + 5, DIGITS) != 2 || text[7] != '-' ||
		    strspn(text + 8, DIGITS) != 2 || moment->month != -1 ||
		    moment->day != 0 || moment->year != 0)
			return NULL;
		moment->iso = true;
		moment->year = (int)strtol(text, NULL, 10);
		moment->month = (int)strtol(text + 5, NULL, 10) - 1;
		moment->day = (int)strtol(text + 8, NULL, 10);
		return text + 10;
	}
	if (digits == 4 && moment->year == 0) {
		moment->year = (int)strtol(text, NULL, 10);
		return text + digits;
	}
	if (digits > 2 || moment->day != 0)
		return NULL;
	moment->day = (int)strtol(text, NULL, 10);
	text += digits;
	for (size_t i = 0; i < sizeof(ordinals) / sizeof(ordinals[0]); i++)
		if (strncasecmp(text, ordinals[i], 2) == 0)
			return text + 2;
	return text;
}

/* A word: the name of a month or of a day.  Returns its end, or NULL. */
static const char *
read_name(const char *text, struct moment *moment)
{
	static const char *const months[] = { "January", "February", "March",
		"April", "May", "June", "July", "August", "September",
		"October", "November", "December", NULL };
	static const char *const weekdays[] = { "Sunday", "Monday", "Tuesday",
		"Wednesday", "Thursday", "Friday", "Saturday", NULL };
	static const char *const days[] = { "today", "tomorrow", NULL };
	const size_t length = strspn(text, LETTERS);
	const char *end = text + length;
	const int month = find_name(months, text, length);
	const int weekday = find_name(weekdays, text, length);

	if (*end == '.')
		end++;
	if (*end != '\0' && strchr(BLANKS ",", *end) == NULL)
		return NULL;
	for (int i = 0; days[i] != NULL; i++)
		if (is_word(text, length, days[i]) &&
		    moment->days_ahead == -1) {
			moment->days_ahead = i;
			return end;
		}
	if (month != -1 && moment->month == -1)
		moment->month = month;
	else if (weekday != -1 && moment->weekday == -1)
		moment->weekday = weekday;
	else
		return NULL;
	return end;
}

/* Whether the words name one day, or none; sets the day of the hint. */
static bool
settle_day(const struct moment *moment, struct hint *hint)
{
	static const int days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30,
		31 };
	const bool dated = moment->month != -1;
	const int year = moment->year;
	const bool leap = year == 0 ||
	    (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));

	if (moment->iso && *hint->zone == '\0')
		return false;
	if (dated != (moment->day != 0) || (year != 0 && !dated) ||
	    (moment->days_ahead != -1 && (dated || moment->weekday != -1)))
		return false;
	if (dated) {
		hint->day = year != 0 ? HINT_DATE : HINT_ANNIVERSARY;
		hint->number = moment->day;
		hint->month = moment->month;
		hint->year = year;
		return moment->month < 12 && moment->day > 0 &&
		    moment->day <= days[moment->month] &&
		    (leap || moment->month != 1 || moment->day < 29);
	}
	if (moment->weekday != -1) {
		hint->day = HINT_WEEKDAY;
		hint->number = moment->weekday;
	} else if (moment->days_ahead != -1) {
		hint->day = HINT_AHEAD;
		hint->number = moment->days_ahead;
	}
	return true;
}

/* The whole text is a time of day, maybe with a day and a zone. */
static bool
is_clock(const char *text, struct hint *hint)
{
	static const char *const fillings[] = { "at", "on", "after", NULL };
	struct moment moment = { .weekday = -1, .days_ahead = -1, .month = -1 };
	struct hint result = { .kind = HINT_CLOCK };

	while (*(text = skip_filling(text, fillings)) != '\0') {
		const char *end = NULL;

		if (isdigit((unsigned char)*text)) {
			if (!moment.has_time)
				end = read_time(text, &result.seconds);
			moment.has_time |= end != NULL;
			if (end == NULL)
				end = read_number(text, &moment);
		} else if (isalpha((unsigned char)*text))
			end = read_name(text, &moment);
		if (end == NULL && moment.has_time)
			end = read_zone(text, result.zone);
		if (end == NULL)
			return false;
		text = end;
	}
	if (!moment.has_time || !settle_day(&moment, &result))
		return false;
	*hint = result;
	return true;
}

/* Whether a zone behind the text would make a point in time of it. */
static bool
lacks_zone(const char *text)
{
	char zoned[TEXT_MOST + sizeof(" UTC")];
	struct hint hint;
	double date;

	snprintf(zoned, sizeof(zoned), "%sZ", text);
	if (is_date(zoned, &date))
		return true;
	snprintf(zoned, sizeof(zoned), "%s UTC", text);
	return is_clock(zoned, &hint);
}

/* Whether one of the words is a date such as 11/24/2026. */
static bool
has_ambiguous_date(const char *text)
{
	char first[3], second[3], year[5];

	while (*(text += strspn(text, BLANKS ",")) != '\0') {
		const int length = (int)strcspn(text, BLANKS ",");
		int end;

		if (sscanf(text, "%2[0-9]/%2[0-9]/%4[0-9]%n", first, second,
			year, &end) == 3 &&
		    strlen(year) % 2 == 0 && end == length)
			return true;
		text += length;
	}
	return false;
}

static double
until(double date, double now)
{
	return fmin(fmax(date - now, 0), DURATION_MAX);
}

const char *
hint_parse(const char *text, double now, struct hint *hint)
{
	struct hint result = { .kind = HINT_WAIT };
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
	if (duration_parse(trimmed, &result.seconds) == NULL)
		;
	else if (duration_number(trimmed, &number, &end) == NULL &&
	    *end == '\0') {
		result.kind = HINT_UNTIL;
		result.seconds = number > EPOCH_MILLISECONDS_MOST ? DURATION_MAX
		    : number > EPOCH_SECONDS_MOST ? until(number / 1000, now)
						  : until(number, now);
	} else if (is_date(trimmed, &number)) {
		result.kind = HINT_UNTIL;
		result.seconds = until(number, now);
	} else if (!is_period(trimmed, &result.seconds) &&
	    !is_clock(trimmed, &result)) {
		if (lacks_zone(trimmed))
			return "has no time zone";
		return has_ambiguous_date(trimmed)
		    ? "is an ambiguous date"
		    : "is neither a duration nor a time";
	}
	*hint = result;
	return NULL;
}
