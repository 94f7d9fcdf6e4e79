/* SPDX-License-Identifier: MIT */

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "core/duration.h"
#include "sys/hinted.h"

/* Links to the file of the local time zone, which has the zone's name. */
#define LOCAL "/etc/localtime"
#define ZONES "zoneinfo/"

/* For how many seconds a server may still name a time that has passed. */
#define JUST_PASSED 3600.0

/* Seconds that clocks in the zone are ahead of UTC; false: unknown. */
static bool
find_offset(const char *zone, double *offset)
{
	static const char *const utc[] = { "UTC", "GMT", "Z" };
	const char *format = strchr(zone, ':') != NULL ? "%H:%M" : "%H%M";
	struct tm tm = { .tm_hour = 0 };

	*offset = 0;
	for (size_t i = 0; i < sizeof(utc) / sizeof(utc[0]); i++)
		if (strcasecmp(zone, utc[i]) == 0)
			return true;
	/* "+02:00", "-0330": of two digits each, so as long as their format. */
	if (*zone != '+' && *zone != '-')
		return false;
	const char *end = strptime(zone + 1, format, &tm);
	*offset = (tm.tm_hour * 60 + tm.tm_min) * (*zone == '-' ? -60 : 60);
	return end == zone + strlen("+") + strlen(format) && *end == '\0';
}

/* Whether programs on this machine call the local time zone so. */
static bool
is_local(const char *zone)
{
	const char *name = getenv("TZ");
	char file[PATH_MAX] = "";

	tzset();
	if (*zone == '\0' || strcmp(zone, tzname[0]) == 0 ||
	    strcmp(zone, tzname[1]) == 0)
		return true;
	if (name != NULL)
		return strcmp(zone, name + (*name == ':')) == 0;
	if (readlink(LOCAL, file, sizeof(file) - 1) == -1)
		return false;
	name = strstr(file, ZONES);
	return name != NULL && strcmp(zone, name + strlen(ZONES)) == 0;
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
 * The point in time that the hint means, in the local zone or so many seconds
 * ahead of UTC: without a day the next one, from yesterday on, and without a
 * year the next one, from last year on.  Eight years later at the latest there
 * is a 29 February.
 */
static double
find_clock(const struct hint *hint, double now, bool local, double offset)
{
	const int seconds = (int)hint->seconds;
	const time_t second = (time_t)(now + offset);
	double then = now;
	struct tm today;

	if ((local ? localtime_r(&second, &today)
		   : gmtime_r(&second, &today)) == NULL)
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
		timegm(&day);
		if (hint->day != 0 && day.tm_mday != hint->day)
			continue;
		day.tm_hour = seconds / 3600;
		day.tm_min = seconds / 60 % 60;
		then = fmod(hint->seconds, 60) +
		    (local ? find_moment(day, now)
			   : (double)timegm(&day) - offset);
		if (then > now - JUST_PASSED || hint->year != 0)
			break;
	}
	return then;
}

const char *
zone_wait(const struct hint *hint, double now, double *seconds)
{
	const bool local = is_local(hint->zone);
	double then = hint->seconds, offset = 0;

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
		if (!local && !find_offset(hint->zone, &offset))
			return "neither UTC, an offset nor the local time zone";
		then = find_clock(hint, now, local, offset);
		break;
	}
	*seconds = fmin(fmax(then - now, 0), DURATION_MAX);
	return NULL;
}
