/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "duration.h"
#include "hint.h"
#include "text.h"

#define BLANKS " \t\r\f\v"
#define LETTERS \
	"abcdefghijklmnopqrstuvwxyz" \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define ZONE_CHARACTERS LETTERS "0123456789/_+-:"

/* Room for the longest date, and more. */
#define TEXT_MOST 64

/* Larger numbers since 1970 are milliseconds: as seconds, of the year 5138. */
#define EPOCH_SECONDS_MOST 1e11

static bool
is_word(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && strncasecmp(word, name, length) == 0;
}

static bool
is_filling(const char *word, size_t length)
{
	static const char *const fillings[] = { "in", "about", "approximately",
		"around", "after", "another", "and", "at", "on" };

	for (size_t i = 0; i < sizeof(fillings) / sizeof(fillings[0]); i++)
		if (is_word(word, length, fillings[i]))
			return true;
	return false;
}

/* How many characters of a word count: of "5th" the number, of "Sept" Sep. */
static size_t
stem(const char *word, size_t length)
{
	static const char *const endings[] = { "st", "nd", "rd", "th" };

	if (is_word(word, length, "sept"))
		return 3;
	for (size_t i = 0;
	     length > 2 && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (isdigit((unsigned char)word[length - 3]) &&
		    strncasecmp(word + length - 2, endings[i], 2) == 0)
			return length - 2;
	return length;
}

/*
 * Copies the words that matter, with a blank between them: without commas,
 * without the dots of "p.m." and "Nov.", and "2026-11-24T17:00" as two.
 */
static void
copy_words(const char *text, char plain[TEXT_MOST])
{
	char *to = plain;

	for (text += strspn(text, BLANKS ","); *text != '\0';
	     text += strspn(text, BLANKS ",")) {
		char *const begin = to;

		for (; *text != '\0' && strchr(BLANKS ",", *text) == NULL;
		     text++) {
			const unsigned char before =
			    to > begin ? (unsigned char)to[-1] : ' ';

			if (*text == '.' && isalpha(before))
				continue;
			*to++ = *text;
			/* RFC 3339 has a T between date and time. */
			if (isdigit(before) &&
			    isdigit((unsigned char)text[1]) &&
			    strchr("Tt", *text) != NULL)
				to[-1] = ' ';
		}
		to = begin + stem(begin, (size_t)(to - begin));
		if (is_filling(begin, (size_t)(to - begin)))
			to = begin;
		else
			*to++ = ' ';
	}
	to -= to > plain;
	*to = '\0';
}

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
 * "an hour".
 */
static bool
is_duration(const char *text, double *seconds)
{
	double last = INFINITY;

	*seconds = 0;
	do {
		size_t length = strspn(text, LETTERS);
		double number = 1;

		if (is_word(text, length, "a") || is_word(text, length, "an"))
			text += length;
		else if (duration_number(text, &number, &text) != NULL)
			return false;
		text += strspn(text, " ");
		length = strspn(text, LETTERS);
		const double unit = unit_seconds(text, length);
		if (unit == 0 || unit >= last)
			return false;
		last = unit;
		*seconds += number * unit;
		text += length + strspn(text + length, " ");
	} while (*text != '\0');
	*seconds = fmin(*seconds, DURATION_MAX);
	return true;
}

/* The parts of a point in time. */
enum {
	TIME = 1,
	DAY = 2,
	YEAR = 4,
	WEEKDAY = 8,
	DIGITS_ALONE = 16, /* the date is YYYY-MM-DD: in which zone? */
	YEAR_LAST = 32,
	AMBIGUOUS = 64
};

/*
 * A point in time is a list of these, in any order and none twice, and of a
 * zone; the first form that fits is taken.
 */
static const struct form {
	const char *format; /* for strptime(3) */
	int parts;
	int after; /* the parts that must have been read before */
} forms[] = {
	{ "%d/%m/%Y", AMBIGUOUS, 0 },
	{ "%m/%d/%Y", AMBIGUOUS, 0 },
	{ "%Y-%m-%d", DAY | YEAR | DIGITS_ALONE, 0 },
	{ "%d-%b-%y", DAY | YEAR, 0 },
	{ "%b %d %Y", DAY | YEAR, 0 },
	{ "%b %d", DAY, 0 },
	{ "%d %b %Y", DAY | YEAR, 0 },
	{ "%d %b", DAY, 0 },
	{ "%Y", YEAR | YEAR_LAST, DAY | TIME },
	{ "%a", WEEKDAY, 0 },
	{ "%I:%M:%S %p", TIME, 0 },
	{ "%I:%M %p", TIME, 0 },
	{ "%I %p", TIME, 0 },
	{ "%H:%M:%S", TIME, 0 },
	{ "%H:%M", TIME, 0 },
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

/* What was read of a point in time. */
struct moment {
	int parts;
	struct hint hint;
};

/* Returns the end of what has this form, or NULL if the text has not. */
static const char *
read_form(const struct form *form, const char *text, struct moment *moment)
{
	struct hint *hint = &moment->hint;
	struct tm tm = { .tm_year = 70 };
	const char *end = strptime(text, form->format, &tm);
	const char *const colon = strchr(text, ':');
	double fraction = 0;

	if (end == NULL || (moment->parts & form->parts) != 0 ||
	    (form->after & ~moment->parts) != 0)
		return NULL;
	/* strptime(3) takes 7:5 for 7:05, and glibc's knows a second 61. */
	if (tm.tm_sec > 60)
		return NULL;
	if (form->parts == TIME && colon != NULL && colon < end &&
	    !isdigit((unsigned char)colon[2]))
		return NULL;
	if (form->parts == TIME && *end == '.' &&
	    isdigit((unsigned char)end[1])) {
		double unit = 1;

		while (isdigit((unsigned char)*++end))
			fraction += (unit /= 10) * (*end - '0');
	}
	/* "08:49:37Z", "08:49:37+01:00" */
	if (*end != '\0' && *end != ' ' &&
	    (form->parts != TIME || strchr("+-Zz", *end) == NULL))
		return NULL;
	if ((form->parts & YEAR) != 0) {
		if (tm.tm_year < 0)
			return NULL;
		hint->year = tm.tm_year + 1900;
	}
	if ((form->parts & DAY) != 0) {
		hint->day = tm.tm_mday;
		hint->month = tm.tm_mon + 1;
	}
	if (form->parts == TIME)
		hint->seconds =
		    tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec + fraction;
	moment->parts |= form->parts;
	return end;
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
	    isdigit((unsigned char)*text) || (moment->parts & TIME) == 0)
		return NULL;
	strlcpy(zone, text, length + 1);
	text += length;
	if (bracket && *text++ != ')')
		return NULL;
	return *text == '\0' || *text == ' ' ? text : NULL;
}

/* Whether the calendar has this day; 29 February is one if no year is named. */
static bool
is_day(const struct hint *hint)
{
	struct tm tm = {
		.tm_year = hint->year == 0 ? 100 : hint->year - 1900,
		.tm_mon = hint->month - 1,
		.tm_mday = hint->day,
	};

	timegm(&tm);
	return tm.tm_mday == hint->day;
}

/* The whole text is a point in time; NULL, or what is wrong with it. */
static const char *
read_moment(const char *text, struct hint *hint)
{
	static const char neither[] = "is neither a duration nor a time";
	struct moment moment = { .hint = { .kind = HINT_CLOCK } };
	struct hint *read = &moment.hint;

	while (*text != '\0') {
		const char *end = NULL;

		for (size_t i = 0;
		     isalnum((unsigned char)*text) && end == NULL && i < FORMS;
		     i++)
			end = read_form(&forms[i], text, &moment);
		if ((moment.parts & AMBIGUOUS) != 0)
			return "ambiguous date";
		if (end == NULL)
			end = read_zone(text, &moment);
		if (end == NULL)
			return neither;
		text = end + strspn(end, " ");
	}
	const bool dated = (moment.parts & DAY) != 0;
	if ((moment.parts & TIME) == 0 || (dated && !is_day(read)) ||
	    ((moment.parts & WEEKDAY) != 0 && !dated))
		return neither;
	if (*read->zone == '\0' && (moment.parts & DIGITS_ALONE) != 0)
		return "no time zone";
	/* The third form of an HTTP-date: "Sun Nov  6 08:49:37 1994". */
	if (*read->zone == '\0' && (moment.parts & WEEKDAY) != 0 &&
	    (moment.parts & YEAR_LAST) != 0)
		strlcpy(read->zone, "GMT", sizeof(read->zone));
	*hint = *read;
	return NULL;
}

const char *
hint_parse(const char *text, struct hint *hint)
{
	char trimmed[TEXT_MOST], plain[TEXT_MOST];
	const char *end;
	double number;

	if (!text_trim(text, BLANKS, trimmed, sizeof(trimmed)))
		return "too long";
	/* A sentence may end with the hint: "try again in 120." */
	const size_t length = strlen(trimmed);
	if (length > 1 && trimmed[length - 1] == '.')
		trimmed[length - 1] = '\0';
	if (*trimmed == '\0')
		return "empty";
	if (duration_number(trimmed, &number, &end) == NULL && *end == '\0') {
		*hint = (struct hint){ .kind = HINT_WAIT, .seconds = number };
		if (number > DURATION_MAX)
			hint->kind = HINT_UNTIL;
		if (number > EPOCH_SECONDS_MOST)
			hint->seconds /= 1000;
		return NULL;
	}
	copy_words(trimmed, plain);
	if (is_duration(plain, &number)) {
		*hint = (struct hint){ .kind = HINT_WAIT, .seconds = number };
		return NULL;
	}
	return read_moment(plain, hint);
}
