/* SPDX-License-Identifier: MIT */

#include <stdlib.h>
#include <unistd.h>

#include "core/duration.h"
#include "sys/hinted.h"
#include "tap.h"

#define HOUR 3600.0
#define DAY 86400.0

/* In UTC: 2026-11-22 18:00, a Sunday. */
#define SUNDAY 1795370400.0

/* Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110. */
#define THEN 784111777.0

/* Makes this the local zone; false if this machine has no such zone. */
static bool
lives_in(const char *zone)
{
	setenv("TZ", zone, 1);
	return access("/usr/share/zoneinfo/America/New_York", R_OK) == 0;
}

/* How long the text asks to wait from `now`; -1: it is refused. */
static double
asked(const char *text, double now)
{
	struct hint hint = { .kind = HINT_NONE };
	double seconds = -2;

	CHECK_STR(hint_parse(text, &hint), NULL);
	if (zone_wait(&hint, now, &seconds) != NULL)
		CHECK_DBL(seconds, -1, 0);
	return seconds;
}

struct row {
	const char *text;
	double now;
	double seconds;
};

static void
check_rows(const struct row rows[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		ROW("%s", rows[i].text);
		CHECK_DBL(asked(rows[i].text, rows[i].now), rows[i].seconds,
		    1e-6);
	}
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]))

TEST(an_hour_that_comes_twice_is_taken_when_it_comes_next)
{
	/* 2026-11-01 01:45 EDT; a quarter of an hour later it is 01:00 EST. */
	const double edt = 1793511900, est = edt + HOUR;
	const struct row rows[] = {
		{ "01:30 (America/New_York)", edt, HOUR * 3 / 4 },
		{ "01:50 (America/New_York)", edt, 300 },
		{ "01:45 (America/New_York)", edt, 0 },
		{ "01:50 (America/New_York)", est, 300 },
		{ "01:30 (America/New_York)", est, 0 },
		{ "02:30 (America/New_York)", edt, HOUR * 7 / 4 },
		{ "Nov 1, 01:30 (America/New_York)", edt, HOUR * 3 / 4 },
	};

	if (lives_in("America/New_York"))
		CHECK_ROWS(rows);
}

TEST(an_hour_that_is_skipped_is_as_if_it_were_not)
{
	/* 2026-03-08 01:45 EST; then it is 03:00 EDT. */
	if (lives_in("America/New_York"))
		CHECK_DBL(asked("02:30", 1772952300), HOUR * 3 / 4, 0);
}

TEST(a_zone_elsewhere_is_refused)
{
	static const char *const rows[] = { "23:00 (Europe)",
		"23:00 (Europe/Oslo)", "23:00 (Mars/Base)", "23:00 +24:00",
		"23:00 +2400", "23:00 +010", "23:00 +01", "23:00 ++2:00",
		"23:00 +02:60", "23:00 +02000", "23:00 +2", "7pm PT",
		"9:00 etc" };

	lives_in("America/New_York");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i]);
		CHECK_DBL(asked(rows[i], SUNDAY), -1, 0);
	}
}

TEST(a_day_is_found_in_the_calendar)
{
	const struct row rows[] = {
		{ "19:00 UTC", SUNDAY, HOUR },
		{ "5pm UTC", SUNDAY, 23 * HOUR },
		{ "Nov 24, 5pm (UTC)", SUNDAY, 47 * HOUR },
		{ "Nov 20, 5pm (UTC)", SUNDAY, 363 * DAY - HOUR },
		{ "Nov 22, 5pm (UTC)", SUNDAY, 365 * DAY - HOUR },
		{ "Jan 1, 00:00 UTC", SUNDAY, 39 * DAY + 6 * HOUR },
		{ "Nov 24, 2026, 5pm (UTC)", SUNDAY, 47 * HOUR },
		{ "Nov 24, 2025, 5pm (UTC)", SUNDAY, 0 },
		{ "2026-11-22 23:59:00 UTC", SUNDAY, 6 * HOUR - 60 },
		{ "Nov 22, 7pm +01:00", SUNDAY, 0 },
		{ "Nov 22, 7pm Z", SUNDAY, HOUR },
		{ "Nov 22, 7pm -01:00", SUNDAY, 2 * HOUR },
		{ "Tue, 24 Nov 2026 17:00:00 +0100", SUNDAY, 46 * HOUR },
		{ "Tue, 24 Nov 2026 17:00:00 -0330", SUNDAY, 50.5 * HOUR },
		/* In 2028. */
		{ "Feb 29, 5pm UTC", SUNDAY, 463 * DAY + 23 * HOUR },
		/* On 2100-06-01; 2096 and 2104 have one, 2100 has none. */
		{ "Feb 29, 5pm UTC", 4115491200, 1368 * DAY + 17 * HOUR },
	};

	CHECK_ROWS(rows);
}

TEST(a_time_that_passed_within_the_hour_has_come)
{
	const double new_year = SUNDAY + 39 * DAY + 6 * HOUR;
	const struct row rows[] = {
		{ "5:58pm UTC", SUNDAY, 0 },
		{ "17:00:01 UTC", SUNDAY, 0 },
		{ "17:00:00 UTC", SUNDAY, 23 * HOUR },
		{ "11:58pm UTC", SUNDAY + 6 * HOUR + 600, 0 },
		{ "Nov 22, 5:30pm UTC", SUNDAY, 0 },
		{ "Dec 31, 11:30pm UTC", new_year, 0 },
		{ "Dec 31, 10:30pm UTC", new_year, 364 * DAY + 22.5 * HOUR },
	};
	const struct row oslo[] = {
		{ "18:40 (Europe/Oslo)", SUNDAY, 0 },
		{ "19:05 (Europe/Oslo)", SUNDAY, 300 },
		{ "19:05 (CET)", SUNDAY, 300 },
		{ "5:59pm", SUNDAY, 23 * HOUR - 60 },
	};

	CHECK_ROWS(rows);
	if (lives_in(":Europe/Oslo"))
		CHECK_ROWS(oslo);
}

TEST(a_date_is_waited_for)
{
	const struct row rows[] = {
		{ "Sun, 06 Nov 1994 08:49:37 GMT", THEN - 100, 100 },
		{ "Sunday, 06-Nov-94 08:49:37 GMT", THEN - 100, 100 },
		{ "Sun Nov  6 08:49:37 1994", THEN - 100, 100 },
		{ "Sat, 05 Nov 1994 08:49:37 GMT", THEN, 0 },
		{ "Mon, 07 Nov 1994 08:49:37 GMT", THEN - 100, 86500 },
		{ "Tue, 29 Feb 2028 23:59:60 GMT", 1835481500, 100 },
		{ "Fri, 01 Jan 2900 00:00:00 GMT", THEN, DURATION_MAX },
		{ "1994-11-06T08:49:37Z", THEN - 100, 100 },
		{ "1994-11-06T08:49:37.25Z", THEN - 100, 100.25 },
		{ "1994-11-06t10:49:37+02:00", THEN - 100, 100 },
		{ "1994-11-06T08:49:37-23:59", THEN - 100, 86440 },
		{ "1994-11-06T05:19:37-0330", THEN - 100, 100 },
		{ "864000001", 864000000, 1 },
		{ "1372700873250", 1372700873, 0.25 },
		{ "99999999999999999999", THEN, DURATION_MAX },
	};

	CHECK_ROWS(rows);
}

TEST(a_zone_of_posix_is_the_local_one)
{
	const struct row rows[] = {
		{ "19:00 UTC", SUNDAY, HOUR },
		{ "23:30", SUNDAY, 0 },
		{ "23:30 (EAST)", SUNDAY, 0 },
		{ "19:00 -03:30", SUNDAY, 4.5 * HOUR },
		{ "00:30", SUNDAY, HOUR },
		{ "Sun, 06 Nov 1994 08:49:37 GMT", THEN - 100, 100 },
	};

	setenv("TZ", "EAST-5:30", 1);
	CHECK_ROWS(rows);
}

int
main(void)
{
	return RUN_ALL();
}
