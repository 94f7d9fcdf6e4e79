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
		{ "864000000", DURATION_MAX },
		{ "1372700873", 588589196 },
		{ "1372700873.25", 588589196.25 },
		{ "1372700873250", 588589196.25 },
		{ "864000001", 864000001 - (THEN - 100) },
		{ "1994-11-06T08:49:37Z", 100 },
		{ "1994-11-06T08:49:37-23:59", 86440 },
		{ "1994-11-06T08:49:37.25Z", 100.25 },
		{ "1994-11-06t10:49:37+02:00", 100 },
		{ "1994-11-06 05:19:37-03:30", 100 },
		{ "1994-11-06T08:00:00Z", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hint hint = { .kind = HINT_NONE };

		ROW("%s", rows[i].text);
		CHECK_STR(hint_parse(rows[i].text, THEN - 100, &hint), NULL);
		CHECK_INT(hint.kind, HINT_WAIT);
		CHECK_DBL(hint.seconds, rows[i].seconds, 1e-6);
	}
}

static void
anything_else_is_no_hint(void)
{
	static const char *const rows[] = { "", " \r", "soon", "-5", "+5", "1x",
		"nan", "0x10", "1 2", "Sun, 06 Nov 1994 08:49:37 CET",
		"Sun, 06 Nov 1994 08:49:37 GMT or so", "Sun, 06 Nov 1994",
		"Sun, 41 Nov 1994 08:49:37 GMT", "1994-11-06",
		"1994-11-06T08:49:37", "1994-11-06T08:49:37+2",
		"1994-11-06T08:49:37+24:00", "1994-11-06T08:49:37+ 2: 3",
		"1994-11-06T08:49:37+02:60", "1994-11-06T08:49:37++2:00",
		"1994-11-31T08:49:37Z", "1994-11-06T08:49:37.Z", "13pm",
		"24:00", "7:60", "19:00 (UTC", "19:00 UTC)", "pm",
		"Mon, 31 Nov 2026 08:49:37 GMT",
		"Tuesday, 29-Feb-94 08:49:37 GMT", "Thu Feb 30 08:49:37 2028",
		"a text that is longer than any date could ever be, and no hint",
		TOO_LONG };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hint hint = { .kind = HINT_NONE };

		ROW("%s", rows[i]);
		CHECK(hint_parse(rows[i], THEN, &hint) != NULL);
		CHECK_INT(hint.kind, HINT_NONE);
	}
}

static void
a_hint_may_be_a_time_of_day(void)
{
	static const struct {
		const char *text;
		double seconds;
		const char *zone;
	} rows[] = {
		{ "7pm", 19 * 3600, "" },
		{ "7 PM", 19 * 3600, "" },
		{ "12am", 0, "" },
		{ "12 pm", 12 * 3600, "" },
		{ "7:30 PM UTC", 19.5 * 3600, "UTC" },
		{ "3:20am (Europe/Brussels)", 3 * 3600 + 20 * 60,
		    "Europe/Brussels" },
		{ "19:00", 19 * 3600, "" },
		{ " 19:00:05 (Europe/Oslo)\r", 19 * 3600 + 5, "Europe/Oslo" },
		{ "00:00 +02:00", 0, "+02:00" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hint hint = { .kind = HINT_NONE };

		ROW("%s", rows[i].text);
		CHECK_STR(hint_parse(rows[i].text, THEN, &hint), NULL);
		CHECK_INT(hint.kind, HINT_DAILY);
		CHECK_DBL(hint.seconds, rows[i].seconds, 0);
		CHECK_STR(hint.zone, rows[i].zone);
	}
}

static void
a_date_is_gmt_in_every_zone(void)
{
	struct hint hint;

	setenv("TZ", "EAST-5", 1);
	tzset();
	CHECK_STR(hint_parse("Sun, 06 Nov 1994 08:49:37 GMT", THEN - 100,
		      &hint),
	    NULL);
	CHECK_DBL(hint.seconds, 100, 1e-9);
}

int
main(void)
{
	RUN(a_hint_is_a_duration_or_a_date);
	RUN(anything_else_is_no_hint);
	RUN(a_hint_may_be_a_time_of_day);
	RUN(a_date_is_gmt_in_every_zone);
	return DONE();
}
