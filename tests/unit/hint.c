#include <time.h>

#include "core/duration.h"
#include "core/hint.h"
#include "tap.h"

/* Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110. */
#define THEN 784111777.0

/* A number of 64 digits. */
#define ZEROS "0000000000000000"
#define TOO_LONG ZEROS ZEROS ZEROS ZEROS

static void
a_hint_is_a_duration_or_a_date(void)
{
	static const struct {
		const char *text;
		double seconds;
	} rows[] = {
		{ "120", 120 },
		{ "0", 0 },
		{ "1.5", 1.5 },
		{ "0000000000000000000000000000000000000000"
		  "00000000000000000000000",
		    0 },
		{ "2m", 120 },
		{ "1m30s", 90 },
		{ "500ms", 0.5 },
		{ " 7\t\r", 7 },
		{ "99999999999999999999", DURATION_MAX },
		{ "Sun, 06 Nov 1994 08:49:37 GMT", 100 },
		{ "Sunday, 06-Nov-94 08:49:37 GMT", 100 },
		{ "Sun Nov  6 08:49:37 1994", 100 },
		{ "Sun, 06 Nov 1994 08:49:37 GMT\r", 100 },
		{ "Tue, 29 Feb 2028 23:59:60 GMT", DURATION_MAX },
		{ "Sat, 05 Nov 1994 08:49:37 GMT", 0 },
		{ "Mon, 07 Nov 1994 08:49:37 GMT", 86500 },
		{ "Fri, 01 Jan 2900 00:00:00 GMT", DURATION_MAX },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double seconds = -1;

		ROW("%s", rows[i].text);
		CHECK_STR(hint_parse(rows[i].text, THEN - 100, &seconds), NULL);
		CHECK_DBL(seconds, rows[i].seconds, 1e-9);
	}
}

static void
anything_else_is_no_hint(void)
{
	static const char *const rows[] = { "", " \r", "soon", "-5", "+5", "1x",
		"nan", "0x10", "1 2", "Sun, 06 Nov 1994 08:49:37 CET",
		"Sun, 06 Nov 1994 08:49:37 GMT or so", "Sun, 06 Nov 1994",
		"Sun, 41 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
		"Mon, 31 Nov 2026 08:49:37 GMT",
		"Tuesday, 29-Feb-94 08:49:37 GMT", "Thu Feb 30 08:49:37 2028",
		"a text that is longer than any date could ever be, and no hint",
		TOO_LONG };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double seconds = -1;

		ROW("%s", rows[i]);
		CHECK(hint_parse(rows[i], THEN, &seconds) != NULL);
		CHECK_DBL(seconds, -1, 0);
	}
}

static void
a_date_is_gmt_in_every_zone(void)
{
	double seconds;

	setenv("TZ", "EAST-5", 1);
	tzset();
	CHECK_STR(hint_parse("Sun, 06 Nov 1994 08:49:37 GMT", THEN - 100,
		      &seconds),
	    NULL);
	CHECK_DBL(seconds, 100, 1e-9);
}

int
main(void)
{
	RUN(a_hint_is_a_duration_or_a_date);
	RUN(anything_else_is_no_hint);
	RUN(a_date_is_gmt_in_every_zone);
	return DONE();
}
