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

/*
 * Writes the variable that makes localtime(3) use the zone.  A zone without a
 * file would silently be UTC there.
 */
static bool
find_zone(const char *zone, char variable[VARIABLE_ROOM])
{
	char file[sizeof(ZONES) + HINT_ZONE];
	double offset;

	if (*zone == '+' || *zone == '-') {
		const char *end = hint_offset(zone, &offset);
		if (end == NULL || *end != '\0')
			return false;
		/* In POSIX's form the sign says how far UTC is ahead. */
		snprintf(variable, VARIABLE_ROOM, VARIABLE "<hint>%c%.2s:%s",
		    *zone == '+' ? '-' : '+', zone + 1, end - 2);
		return true;
	}
	if (strcasecmp(zone, "UTC") == 0 || strcasecmp(zone, "GMT") == 0 ||
	    strcasecmp(zone, "Z") == 0) {
		snprintf(variable, VARIABLE_ROOM, VARIABLE "UTC0");
		return true;
	}
	snprintf(variable, VARIABLE_ROOM, VARIABLE "%s", zone);
	snprintf(file, sizeof(file), ZONES "%s", zone);
	return isupper((unsigned char)*zone) && strchr(zone, '.') == NULL &&
	    is_zone_file(file);
}

/* What clocks show on a day that counts from `day`, which `tm` has. */
static struct tm
civil(const struct hint *hint, struct tm day)
{
	const int seconds = (int)hint->seconds;

	return (struct tm){
		.tm_year = day.tm_year,
		.tm_mon = day.tm_mon,
		.tm_mday = day.tm_mday,
		.tm_hour = seconds / 3600,
		.tm_min = seconds / 60 % 60,
		.tm_sec = seconds % 60,
		.tm_isdst = -1,
	};
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

/* The point in time that the hint means, in the zone that is set. */
static double
find_clock(const struct hint *hint, double now)
{
	/* The nearest 29 February is at most four years away. */
	const int years = 4;
	const int turns = hint->day == HINT_ANNIVERSARY ? 2 * years + 1 : 3;
	const time_t second = (time_t)now;
	double then = NAN;
	struct tm today;

	if (localtime_r(&second, &today) == NULL)
		return now;
	/* Today may be over, and so may the next such day. */
	for (int turn = 0; turn < turns; turn++) {
		struct tm day = today;

		switch (hint->day) {
		case HINT_NEXT:
			day.tm_mday += turn;
			break;
		case HINT_AHEAD:
			day.tm_mday += hint->number;
			break;
		case HINT_WEEKDAY:
			day.tm_mday +=
			    (hint->number - today.tm_wday + 7) % 7 + 7 * turn;
			break;
		case HINT_DATE:
			day.tm_year = hint->year - 1900;
			day.tm_mon = hint->month;
			day.tm_mday = hint->number;
			break;
		case HINT_ANNIVERSARY:
			day.tm_year += turn - years;
			day.tm_mon = hint->month;
			day.tm_mday = hint->number;
			break;
		}
		struct tm shown = civil(hint, day), noon = shown;
		/* The day that the 32nd of a month, or 29 February, is. */
		noon.tm_hour = 12;
		mktime(&noon);
		if (hint->day == HINT_ANNIVERSARY &&
		    noon.tm_mday != hint->number)
			continue;
		shown.tm_year = noon.tm_year;
		shown.tm_mon = noon.tm_mon;
		shown.tm_mday = noon.tm_mday;
		const double moment = find_moment(shown, now);
		if (hint->day != HINT_ANNIVERSARY) {
			then = moment;
			if (then >= now)
				break;
		} else if (isnan(then) || fabs(moment - now) < fabs(then - now))
			then = moment;
	}
	return then;
}

const char *
zone_wait(const struct hint *hint, double now, double *seconds)
{
	char variable[VARIABLE_ROOM], *before = getenv("TZ");

	*seconds = hint->kind == HINT_NONE ? -1 : hint->seconds;
	if (hint->kind != HINT_CLOCK)
		return NULL;
	*seconds = -1;
	if (*hint->zone != '\0') {
		if (!find_zone(hint->zone, variable))
			return "is in an unknown time zone";
		putenv(variable);
		tzset();
	}
	const double then = find_clock(hint, now);
	if (*hint->zone != '\0') {
		/* The entry of the environment itself, not a copy. */
		if (before == NULL)
			unsetenv("TZ");
		else
			putenv(before - strlen(VARIABLE));
		tzset();
	}
	*seconds = fmin(fmax(then - now, 0), DURATION_MAX);
	return NULL;
}
