#include <string.h>
#include <time.h>

#include "duration.h"
#include "hint.h"
#include "number.h"
#include "text.h"

#define BLANKS " \t\r\f\v"

/* Room for the longest date, and more. */
#define TEXT_MOST 64

/* The whole text is a date of this form. */
static const char *
parse_date(const char *text, double *date)
{
	static const char *const forms[] = {
		"%a, %d %b %Y %H:%M:%S GMT", /* IMF-fixdate */
		"%A, %d-%b-%y %H:%M:%S GMT", /* RFC 850 */
		"%a %b %e %H:%M:%S %Y",	     /* asctime */
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tm tm = { .tm_isdst = 0 };
		const char *end = strptime(text, forms[i], &tm);

		if (end == NULL || *end != '\0')
			continue;
		/* strptime(3) takes 31 November, which timegm(3) moves on. */
		struct tm day = { .tm_year = tm.tm_year,
			.tm_mon = tm.tm_mon,
			.tm_mday = tm.tm_mday };
		timegm(&day);
		if (day.tm_mday != tm.tm_mday)
			continue;
		*date = (double)timegm(&tm);
		return NULL;
	}
	return "is neither a duration nor a date";
}

const char *
hint_parse(const char *text, double now, double *seconds)
{
	char trimmed[TEXT_MOST];
	const char *problem;
	double date;

	if (!text_trim(text, BLANKS, trimmed, sizeof(trimmed)))
		return "is too long";
	if (*trimmed == '\0')
		return "is empty";
	if (duration_parse(trimmed, seconds) == NULL)
		return NULL;
	if (trimmed[strspn(trimmed, "0123456789")] == '\0') {
		*seconds = DURATION_MAX;
		return NULL;
	}
	problem = parse_date(trimmed, &date);
	if (problem == NULL)
		*seconds = number_min(number_max(date - now, 0), DURATION_MAX);
	return problem;
}
