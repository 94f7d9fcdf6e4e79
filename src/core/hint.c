#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "duration.h"
#include "hint.h"
#include "number.h"
#include "text.h"

#define BLANKS " \t\r\f\v"
#define DIGITS "0123456789"

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
	if ((*text != '+' && *text != '-') || strspn(text + 1, DIGITS) != 2 ||
	    text[3] != ':' || strspn(text + 4, DIGITS) < 2 ||
	    sscanf(text + 1, "%2d:%2d", &hours, &minutes) != 2 || hours > 23 ||
	    minutes > 59)
		return NULL;
	*offset = (*text == '-' ? -1 : 1) * (hours * 3600 + minutes * 60.0);
	return text + 6;
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
		struct tm tm = { .tm_isdst = 0 };
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

/* The whole text is a time of day, with or without a zone. */
static bool
is_time_of_day(const char *text, struct hint *hint)
{
	static const char *const forms[] = { "%I:%M:%S %p", "%I:%M %p", "%I %p",
		"%H:%M:%S", "%H:%M" };
	const char *end = NULL;
	struct tm tm;

	for (size_t i = 0; end == NULL && i < sizeof(forms) / sizeof(forms[0]);
	     i++) {
		tm = (struct tm){ .tm_sec = 0 };
		end = strptime(text, forms[i], &tm);
	}
	if (end == NULL || isdigit((unsigned char)*end))
		return false;
	end += strspn(end, BLANKS);
	const bool bracket = *end == '(';
	const size_t length = strcspn(end + bracket, ")");
	if (bracket ? strcmp(end + 1 + length, ")") != 0 : end[length] == ')')
		return false;
	if (length >= HINT_ZONE)
		return false;
	hint->kind = HINT_DAILY;
	hint->seconds = tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec;
	strlcpy(hint->zone, end + bracket, length + 1);
	return true;
}

static double
until(double date, double now)
{
	return number_min(number_max(date - now, 0), DURATION_MAX);
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
	if (*trimmed == '\0')
		return "is empty";
	if (duration_parse(trimmed, &result.seconds) == NULL)
		;
	else if (duration_number(trimmed, &number, &end) == NULL &&
	    *end == '\0')
		result.seconds = number > EPOCH_MILLISECONDS_MOST ? DURATION_MAX
		    : number > EPOCH_SECONDS_MOST ? until(number / 1000, now)
						  : until(number, now);
	else if (is_date(trimmed, &number))
		result.seconds = until(number, now);
	else if (!is_time_of_day(trimmed, &result))
		return "is neither a duration nor a time";
	*hint = result;
	return NULL;
}
