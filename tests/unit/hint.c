/* SPDX-License-Identifier: MIT */

#include "core/duration.h"
#include "core/hint.h"
#include "tap.h"

/* A number of 64 digits. */
#define ZEROS "0000000000000000"
#define TOO_LONG ZEROS ZEROS ZEROS ZEROS

TEST(a_number_is_seconds_or_since_1970)
{
	static const struct {
		const char *text;
		double seconds;
		enum hint_kind kind;
	} rows[] = {
		{ "120", 120, HINT_WAIT },
		{ "0", 0, HINT_WAIT },
		{ "1.5", 1.5, HINT_WAIT },
		{ "0000000000000000000000000000000000000000"
		  "00000000000000000000000",
		    0, HINT_WAIT },
		{ " 7\t\r", 7, HINT_WAIT },
		{ "864000000", DURATION_MAX, HINT_WAIT },
		{ "864000001", 864000001, HINT_UNTIL },
		{ "1372700873", 1372700873, HINT_UNTIL },
		{ "1372700873.25", 1372700873.25, HINT_UNTIL },
		{ "1372700873250", 1372700873.25, HINT_UNTIL },
		{ "100000000000", 1e11, HINT_UNTIL },
		{ "100000000001", 100000000.001, HINT_UNTIL },
		{ "99999999999999999999", 1e17, HINT_UNTIL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hint hint = { .kind = HINT_NONE };

		ROW("%s", rows[i].text);
		CHECK_STR(hint_parse(rows[i].text, &hint), NULL);
		CHECK_INT(hint.kind, rows[i].kind);
		CHECK_DBL(hint.seconds, rows[i].seconds, 1e-6);
	}
}

TEST(a_duration_has_units_or_words)
{
	static const struct {
		const char *text;
		double seconds;
	} rows[] = {
		{ "2m", 120 },
		{ "1m30s", 90 },
		{ "500ms", 0.5 },
		{ "20us", 2e-5 },
		{ "20 seconds", 20 },
		{ "1.2s.", 1.2 },
		{ "1m26.4s.", 86.4 },
		{ "6ms", 0.006 },
		{ "2 hours", 7200 },
		{ "1.5 hours", 5400 },
		{ "5 days 22 hours 11 minutes", 511860 },
		{ "5 days 22 hours 11 minutes.", 511860 },
		{ "5 days, 22 hours, and 11 minutes", 511860 },
		{ "1 Day 1 Hour", 90000 },
		{ "in about 3 min", 180 },
		{ "in 3 mins", 180 },
		{ "about 2 hrs", 7200 },
		{ "in 45 sec", 45 },
		{ "an hour", 3600 },
		{ "in a minute", 60 },
		{ "1 week 2 days", 777600 },
		{ "250 milliseconds", 0.25 },
		{ "3 h 20 m", 12000 },
		{ "100000 weeks", DURATION_MAX },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hint hint = { .kind = HINT_NONE };

		ROW("%s", rows[i].text);
		CHECK_STR(hint_parse(rows[i].text, &hint), NULL);
		CHECK_INT(hint.kind, HINT_WAIT);
		CHECK_DBL(hint.seconds, rows[i].seconds, 1e-6);
	}
}

TEST(anything_else_is_no_hint)
{
	static const char *const rows[] = { "", " \r", "soon", "-5", "+5", "1x",
		"nan", "0x10", "1 2", "11/24/2026", "3/4 5pm",
		"Sun, 06 Nov 1994 08:49:37 GMT or so", "Sun, 06 Nov 1994",
		"Sun, 41 Nov 1994 08:49:37 GMT", "1994-11-06",
		"1994-11-06T08:49:37", "1994-11-06T08:49:37+ 2: 3",
		"1994-11-31T08:49:37Z", "1994-11-06T08:49:37.Z", "13pm",
		"24:00", "7:60", "9:49:37.09e99", "19:00:00.5e4", "19:00 (UTC",
		"19:00 (UTC]", "Nov 24, 1899, 5pm", "19:00 UTC)", "pm",
		"Mon, 31 Nov 2026 08:49:37 GMT",
		"Tuesday, 29-Feb-94 08:49:37 GMT", "Thu Feb 30 08:49:37 2028",
		"a text that is longer than any date could ever be, and no hint",
		"5 days 22", "2 hours 30", "11 minutes 5 days",
		"2 hours 2 hours", "a few minutes", "5 M", "in 5", "2 months",
		"1,000 seconds", "in", "2 hours or so", "half an hour", "0am",
		"7.30pm", "1pm 2pm", "tomorrow", "tomorrow 9",
		"tomorrow at 9:00", "today at 5 PM UTC", "Nov 24",
		"Nov 24 2026", "Nov 24, 5", "24 5pm", "Nov 5pm", "2026 5pm",
		"Nov 31, 5pm", "Feb 29, 2027, 5pm", "tomorrow, Nov 24, 5pm",
		"Friday", "Friday 12:30 AM", "7pm on Mon",
		"Fri Sat Nov 24, 5pm", "0000-11-22 23:59 UTC",
		"Nov 24, 0000, 5pm", "No 24, 5pm", "10 de jul. de 2026, 11:52",
		"2026-11-22 23:59", "2026-11-22 23:59:00",
		"2026-13-22 23:59 UTC", "2026-02-30 23:59 UTC", "7pm UTC CET",
		"7pm (UTC) or so", "7:5", TOO_LONG };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hint hint = { .kind = HINT_NONE };

		ROW("%s", rows[i]);
		CHECK(hint_parse(rows[i], &hint) != NULL);
		CHECK_INT(hint.kind, HINT_NONE);
	}
}

TEST(a_refusal_says_why)
{
	static const char neither[] = "is neither a duration nor a time";
	static const char zone[] = "no time zone";
	static const char ambiguous[] = "ambiguous date";
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "2026-11-24 17:00:00", zone },
		{ "2026-11-24T17:00:00", zone },
		{ "2026-11-24T17:00:00.5", zone },
		{ "2026-11-24 17:00", zone },
		{ "2026-11-24 5pm", zone },
		{ "at 17:00 on 2026-11-24.", zone },
		{ "2026-11-31 17:00:00", neither },
		{ "2026-11-24", neither },
		{ "2026-11-24 17:00:00 or so", neither },
		{ "11/24/2026", ambiguous },
		{ "1/2/26", ambiguous },
		{ "11/24/2026, 5:00 PM", ambiguous },
		{ "5pm on 3/4/2026", ambiguous },
		{ "11/24/2026/1", neither },
		{ "1/2", neither },
		{ "11/24/", neither },
		{ "2026/11/24", neither },
		{ "soon", neither },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hint hint = { .kind = HINT_NONE };

		ROW("%s", rows[i].text);
		CHECK_STR(hint_parse(rows[i].text, &hint), rows[i].why);
		CHECK_INT(hint.kind, HINT_NONE);
	}
}

TEST(a_hint_may_be_a_time_of_day)
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
		{ "7:42 PM.", 19 * 3600 + 42 * 60, "" },
		{ "7:42 p.m.", 19 * 3600 + 42 * 60, "" },
		{ "7 a.m. (Europe/Oslo)", 7 * 3600, "Europe/Oslo" },
		{ "at 12:30 a.m.", 30 * 60, "" },
		{ "07:00 America/New_York", 7 * 3600, "America/New_York" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hint hint = { .kind = HINT_NONE };

		ROW("%s", rows[i].text);
		CHECK_STR(hint_parse(rows[i].text, &hint), NULL);
		CHECK_INT(hint.kind, HINT_CLOCK);
		CHECK_DBL(hint.seconds, rows[i].seconds, 0);
		CHECK_STR(hint.zone, rows[i].zone);
	}
}

TEST(a_time_of_day_may_have_a_day)
{
	static const struct {
		const char *text;
		double hour;
		int day, month, year;
		const char *zone;
	} rows[] = {
		{ "Nov 24, 5pm (UTC)", 17, 24, 11, 0, "UTC" },
		{ "24 November 17:00", 17, 24, 11 },
		{ "5pm on Nov. 24", 17, 24, 11 },
		{ "Feb 29, 5pm", 17, 29, 2 },
		{ "Aug 20, 2026, 7:30 AM", 7.5, 20, 8, 2026 },
		{ "Jul 5th, 2026 8:30 PM.", 20.5, 5, 7, 2026 },
		{ "September 6, 2026, 11:00", 11, 6, 9, 2026 },
		{ "Sept 6, 1900, 11:00", 11, 6, 9, 1900 },
		{ "Sun Nov 22 23:00:00 UTC 2026", 23, 22, 11, 2026, "UTC" },
		{ "Sun, 06 Nov 1994 08:30:00 CET", 8.5, 6, 11, 1994, "CET" },
		{ "Sun, 06 Nov 1994 08:30:00 +0100", 8.5, 6, 11, 1994,
		    "+0100" },
		{ "Sun, Nov 6 1994 8:30 am", 8.5, 6, 11, 1994 },
		{ "2026-11-22 23:00:00 UTC", 23, 22, 11, 2026, "UTC" },
		{ "2026-11-22 23:00 (Europe/Oslo)", 23, 22, 11, 2026,
		    "Europe/Oslo" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hint hint = { .kind = HINT_NONE };

		ROW("%s", rows[i].text);
		CHECK_STR(hint_parse(rows[i].text, &hint), NULL);
		CHECK_INT(hint.kind, HINT_CLOCK);
		CHECK_DBL(hint.seconds, rows[i].hour * 3600, 0);
		CHECK_INT(hint.day, rows[i].day);
		CHECK_INT(hint.month, rows[i].month);
		CHECK_INT(hint.year, rows[i].year);
		CHECK_STR(hint.zone, rows[i].zone == NULL ? "" : rows[i].zone);
	}
}

/* HTTP's three forms, and RFC 3339's. */
TEST(a_date_is_a_time_of_day_with_a_day)
{
	static const struct {
		const char *text, *zone;
		double fraction;
	} rows[] = {
		{ "Sun, 06 Nov 1994 08:49:37 GMT", "GMT" },
		{ "Sun, 06 Nov 1994 08:49:37 GMT\r", "GMT" },
		{ "Sunday, 06-Nov-94 08:49:37 GMT", "GMT" },
		{ "Sun Nov  6 08:49:37 1994", "GMT" },
		{ "1994-11-06T08:49:37Z", "Z" },
		{ "1994-11-06T08:49:37-23:59", "-23:59" },
		{ "1994-11-06T08:49:37.25Z", "Z", 0.25 },
		{ "1994-11-06t08:49:37.5+02:00", "+02:00", 0.5 },
		{ "1994-11-06 08:49:37-03:30", "-03:30" },
		{ "1994-11-06T08:49:37-0330", "-0330" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hint hint = { .kind = HINT_NONE };

		ROW("%s", rows[i].text);
		CHECK_STR(hint_parse(rows[i].text, &hint), NULL);
		CHECK_INT(hint.kind, HINT_CLOCK);
		CHECK_DBL(hint.seconds,
		    8 * 3600 + 49 * 60 + 37 + rows[i].fraction, 1e-9);
		CHECK_INT(hint.day, 6);
		CHECK_INT(hint.month, 11);
		CHECK_INT(hint.year, 1994);
		CHECK_STR(hint.zone, rows[i].zone);
	}
}

int
main(void)
{
	return RUN_ALL();
}
