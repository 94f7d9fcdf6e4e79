/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "core/duration.h"
#include "sys/zone.h"

/* Where time zones are kept. */
#define ZONES "/usr/share/zoneinfo/"

/* Their first bytes. */
#define SIGNATURE "TZif"

#define VARIABLE "TZ="
#define VARIABLE_ROOM (sizeof(VARIABLE) + HINT_ZONE + 8)

/* Whether the file has the signature of a time zone; a folder has none. */
static bool
is_zone_file(const char *file)
{
	char signature[sizeof(SIGNATURE) - 1];
	const int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd == -1)
		return false;
	const ssize_t size = read(fd, signature, sizeof(signature));
	close(fd);
	return size == (ssize_t)sizeof(signature) &&
	    memcmp(signature, SIGNATURE, sizeof(signature)) == 0;
}

/* "+02:00", "-0330": in POSIX's form the sign says how far UTC is ahead. */
static bool
find_offset(const char *zone, char variable[VARIABLE_ROOM])
{
	static const char *const forms[] = { "%1[+-]%2[0-9]:%2[0-9]%n",
		"%1[+-]%2[0-9]%2[0-9]%n" };
	char sign[2], hours[3], minutes[3];

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		int end = 0;

		if (sscanf(zone, forms[i], sign, hours, minutes, &end) != 3 ||
		    zone[end] != '\0' || strlen(hours) + strlen(minutes) != 4 ||
		    strcmp(hours, "23") > 0 || strcmp(minutes, "59") > 0)
			continue;
		snprintf(variable, VARIABLE_ROOM, VARIABLE "<hint>%c%s:%s",
		    *sign == '+' ? '-' : '+', hours, minutes);
		return true;
	}
	return false;
}

/*
 * Writes the variable that makes localtime(3) use the zone.  A zone without a
 * file would silently be UTC there.
 */
static bool
find_zone(const char *zone, char variable[VARIABLE_ROOM])
{
	static const char *const utc[] = { "UTC", "GMT", "Z" };
	char file[sizeof(ZONES) + HINT_ZONE];

	if (find_offset(zone, variable))
		return true;
	for (size_t i = 0; i < sizeof(utc) / sizeof(utc[0]); i++)
		if (strcasecmp(zone, utc[i]) == 0) {
			snprintf(variable, VARIABLE_ROOM, VARIABLE "UTC0");
			return true;
		}
	snprintf(variable, VARIABLE_ROOM, VARIABLE "%s", zone);
	snprintf(file, sizeof(file), ZONES "%s", zone);
	return isupper((unsigned char)*zone) && is_zone_file(file);
}

/*
 * The point in time at which clocks show this, in seconds since 1970.  Clocks
 * that are set back show a time twice: the first that is still to come counts,
 * or else the last.  A time that they skip is what a clock would show that was
 * not set forward: mktime(3) has a different one in each libc.
 */
static double
find_moment(struct tm shown, double now)
{
	/* As far as clocks are set forward or back, in seconds. */
	static const int shifts[] = { -7200, -3600, -1800, 0, 1800, 3600,
		7200 };
	struct tm asked = shown;
	const time_t near = mktime(&asked), day_before = near - 24 * 60 * 60;
	double found = (double)near;
	bool skipped = true;

	for (size_t i = 0; i < sizeof(shifts) / sizeof(shifts[0]); i++) {
		const time_t moment = near + shifts[i];
		struct tm tm;

		if (localtime_r(&moment, &tm) == NULL ||
		    tm.tm_mday != shown.tm_mday ||
		    tm.tm_hour != shown.tm_hour || tm.tm_min != shown.tm_min ||
		    tm.tm_sec != shown.tm_sec)
			continue;
		skipped = false;
		found = (double)moment;
		if (found >= now)
			break;
	}
	if (skipped && localtime_r(&day_before, &asked) != NULL)
		found = (double)(timegm(&shown) - asked.tm_gmtoff);
	return found;
}

/*
 * The point in time that the hint means, in the zone that is set: without a day
 * the next one, from today on, and without a year the next one, from this year
 * on.  Eight years later at the latest there is a 29 February.
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
	for (int turn = 0; turn <= 8; turn++) {
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
		then = find_moment(
			   (struct tm){
			       .tm_year = day.tm_year,
			       .tm_mon = day.tm_mon,
			       .tm_mday = day.tm_mday,
			       .tm_hour = seconds / 3600,
			       .tm_min = seconds / 60 % 60,
			       .tm_sec = seconds % 60,
			       .tm_isdst = -1,
			   },
			   now) +
		    (hint->seconds - seconds);
		if (then >= now || hint->year != 0)
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
