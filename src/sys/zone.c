#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "core/number.h"
#include "sys/zone.h"

/* Where time zones are kept. */
#define ZONES "/usr/share/zoneinfo/"

#define VARIABLE "TZ="
#define VARIABLE_ROOM (sizeof(VARIABLE) + HINT_ZONE + 8)

/*
 * Writes the variable that makes localtime(3) use the zone.  A zone without a
 * file would silently be UTC there.
 */
static bool
find_zone(const char *zone, char variable[VARIABLE_ROOM])
{
	char file[sizeof(ZONES) + HINT_ZONE];
	double offset;

	/* In POSIX's form the sign says how far UTC is ahead. */
	if (*zone == '+' || *zone == '-') {
		snprintf(variable, VARIABLE_ROOM, VARIABLE "<hint>%c%s",
		    *zone == '+' ? '-' : '+', zone + 1);
		const char *end = hint_offset(zone, &offset);
		return end != NULL && *end == '\0';
	}
	if (strcasecmp(zone, "UTC") == 0 || strcasecmp(zone, "GMT") == 0 ||
	    strcasecmp(zone, "Z") == 0) {
		snprintf(variable, VARIABLE_ROOM, VARIABLE "UTC0");
		return true;
	}
	snprintf(variable, VARIABLE_ROOM, VARIABLE "%s", zone);
	snprintf(file, sizeof(file), ZONES "%s", zone);
	return isupper((unsigned char)*zone) && strchr(zone, '.') == NULL &&
	    access(file, R_OK) == 0;
}

const char *
zone_wait(const struct hint *hint, double now, double *seconds)
{
	char variable[VARIABLE_ROOM], *before = getenv("TZ");
	const time_t today = (time_t)now;
	double then = now;
	struct tm tm;

	*seconds = hint->kind == HINT_WAIT ? hint->seconds : -1;
	if (hint->kind != HINT_DAILY)
		return NULL;
	if (*hint->zone != '\0') {
		if (!find_zone(hint->zone, variable))
			return "is in an unknown time zone";
		putenv(variable);
		tzset();
	}
	if (localtime_r(&today, &tm) != NULL)
		for (int day = 0; day < 3; day++) {
			struct tm moment = { .tm_year = tm.tm_year,
				.tm_mon = tm.tm_mon,
				.tm_mday = tm.tm_mday + day,
				.tm_sec = (int)hint->seconds,
				.tm_isdst = -1 };

			moment.tm_hour = moment.tm_sec / 3600;
			moment.tm_min = moment.tm_sec / 60 % 60;
			moment.tm_sec %= 60;
			then = (double)mktime(&moment);
			if (then >= now)
				break;
		}
	if (*hint->zone != '\0') {
		/* The entry of the environment itself, not a copy. */
		if (before == NULL)
			unsetenv("TZ");
		else
			putenv(before - strlen(VARIABLE));
		tzset();
	}
	*seconds = number_max(then - now, 0);
	return NULL;
}
