/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include "core/duration.h"
#include "sys/hinted.h"

/* Where time zones are kept. */
#define ZONES "/usr/share/zoneinfo/"

#define VARIABLE "TZ="
#define VARIABLE_ROOM (sizeof(VARIABLE ":" ZONES) + HINT_ZONE)

/* For how many seconds a server may still name a time that has passed. */
#define JUST_PASSED 3600.0

/*
 * Writes the variable that makes libc use the zone; false if there is no such
 * zone, for which libc would take UTC.
 */
static bool
find_zone(const char *zone, char variable[VARIABLE_ROOM])
{
	static const char *const utc[] = { "UTC", "GMT", "Z" };
	const bool has_colon = strchr(zone, ':') != NULL;
	struct tm tm = { .tm_hour = 0 };
	struct stat file;

	for (size_t i = 0; i < sizeof(utc) / sizeof(utc[0]); i++)
		if (strcasecmp(zone, utc[i]) == 0) {
			snprintf(variable, VARIABLE_ROOM, VARIABLE "UTC0");
			return true;
		}
	/* "+02:00", "-0330"; POSIX has the sign say how far UTC is ahead. */
	if (*zone == '+' || *zone == '-') {
		const char *end =
		    strptime(zone + 1, has_colon ? "%H:%M" : "%H%M", &tm);

		snprintf(variable, VARIABLE_ROOM, VARIABLE "<hint>%c%d:%d",
		    *zone == '+' ? '-' : '+', tm.tm_hour, tm.tm_min);
		return end == zone + (has_colon ? 6 : 5) && *end == '\0';
	}
	snprintf(variable, VARIABLE_ROOM, VARIABLE ":" ZONES "%s", zone);
	return isupper((unsigned char)*zone) &&
	    stat(variable + strlen(VARIABLE ":"), &file) == 0 &&
	    S_ISREG(file.st_mode);
}

/*
 * The point in time at which clocks show this, in seconds since 1970.  Clocks
 * that are set back show a time twice: the first that is still to come counts,
 * or else the last.  A time that they skip is what a clock would show that was
 * not set forward.
 */
static double
find_moment(struct tm shown, double now)
{
	struct tm summer = shown, winter = shown;

	summer.tm_isdst = 1;
	winter.tm_isdst = 0;
	const double first = (double)mktime(&summer),
		     second = (double)mktime(&winter);
	const bool in_summer =
	    summer.tm_hour == shown.tm_hour && summer.tm_min == shown.tm_min;
	const bool in_winter =
	    winter.tm_hour == shown.tm_hour && winter.tm_min == shown.tm_min;
	if (in_summer != in_winter)
		return in_summer ? first : second;
	return in_summer && fmin(first, second) >= now ? fmin(first, second)
						       : fmax(first, second);
}

/*
 * The point in time that the hint means, in the zone that is set: without a day
 * the next one, from yesterday on, and without a year the next one, from last
 * year on.  Eight years later at the latest there is a 29 February.
 */
static double
find_clock(const struct hint *hint, double now)
{
	const int seconds = (int)hint->seconds;
	const time_t second = (time_t)now;
	double then = now;
	struct tm today;

	if (localtime_r(&second, &today) == NULL)
		return now;
	for (int turn = -1; turn <= 8; turn++) {
		struct tm day = {
			.tm_year = today.tm_year,
			.tm_mon = today.tm_mon,
			.tm_mday = today.tm_mday + turn,
			.tm_hour = 12,
			.tm_isdst = -1,
		};
		if (hint->day != 0) {
			day.tm_year = hint->year != 0 ? hint->year - 1900
						      : today.tm_year + turn;
			day.tm_mon = hint->month - 1;
			day.tm_mday = hint->day;
		}
		/* Which day is the 32nd of a month, or 29 February? */
		mktime(&day);
		if (hint->day != 0 && day.tm_mday != hint->day)
			continue;
		day.tm_hour = seconds / 3600;
		day.tm_min = seconds / 60 % 60;
		then = find_moment(day, now) + fmod(hint->seconds, 60);
		if (then > now - JUST_PASSED || hint->year != 0)
			break;
	}
	return then;
}

/* The same in the zone of the hint, which is set for as long. */
static const char *
find_in_zone(const struct hint *hint, double now, double *then)
{
	char variable[VARIABLE_ROOM], *before = getenv("TZ");

	if (*hint->zone == '\0') {
		*then = find_clock(hint, now);
		return NULL;
	}
	if (!find_zone(hint->zone, variable))
		return "is in an unknown time zone";
	putenv(variable);
	tzset();
	*then = find_clock(hint, now);
	/* The entry of the environment itself, not a copy. */
	if (before == NULL)
		unsetenv("TZ");
	else
		putenv(before - strlen(VARIABLE));
	tzset();
	return NULL;
}

const char *
zone_wait(const struct hint *hint, double now, double *seconds)
{
	const char *problem = NULL;
	double then = hint->seconds;

	*seconds = -1;
	switch (hint->kind) {
	case HINT_NONE:
		return NULL;
	case HINT_WAIT:
		*seconds = hint->seconds;
		return NULL;
	case HINT_UNTIL:
		break;
	case HINT_CLOCK:
		problem = find_in_zone(hint, now, &then);
		break;
	}
	if (problem == NULL)
		*seconds = fmin(fmax(then - now, 0), DURATION_MAX);
	return problem;
}
