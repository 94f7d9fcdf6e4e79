/* SPDX-License-Identifier: MIT */

#ifndef HINT_H
#define HINT_H

/* Room for the name of a time zone. */
#define HINT_ZONE 48

enum hint_kind {
	HINT_NONE,
	HINT_WAIT,  /* a duration: `seconds` from now on */
	HINT_UNTIL, /* a point in time, which is `seconds` away */
	HINT_CLOCK  /* a time of day in a zone, on the day that `day` tells */
};

/* The day of a HINT_CLOCK. */
enum hint_day {
	HINT_NEXT,	 /* the first on which that time is still to come */
	HINT_AHEAD,	 /* `number` days from today */
	HINT_WEEKDAY,	 /* the next such day, `number` days after Sunday */
	HINT_DATE,	 /* `year`, `month` and `number` */
	HINT_ANNIVERSARY /* `month` and `number`, of the year that is nearest */
};

/* When a server asks to come back. */
struct hint {
	enum hint_kind kind;
	double seconds; /* CLOCK: after midnight */
	enum hint_day day;
	int number;
	int month; /* 0 to 11 */
	int year;
	char zone[HINT_ZONE]; /* CLOCK: "Europe/Oslo", "UTC", "+02:00"; "":
				 the local time zone */
};

/*
 * Reads one of these, in English if it has words:
 *
 * - a duration: "1m30s"; a bare number is in seconds; "5 days 22 hours", "in
 *   about 3 min", "1.2s."
 * - a point in time: seconds or milliseconds since 1970 (a number of more than
 *   10,000 days), an HTTP-date in any of its three forms, or RFC 3339's
 * - a time of day, with or without a zone: "7pm", "19:00 (Europe/Oslo)", "7:30
 *   p.m. UTC"
 * - a day and such a time: "tomorrow at 9:00", "Nov 24, 5pm (UTC)", "Aug 20th,
 *   2026 7:38 AM", "Friday 12:30 AM"
 *
 * `now` is the time in seconds since 1970.  Blanks around the text do not
 * count, nor does a full stop behind it.  Returns NULL, and `seconds` of a
 * HINT_WAIT and a HINT_UNTIL is at least 0 and at most DURATION_MAX; or returns
 * what is wrong with the text, and the hint is as it was.
 */
const char *hint_parse(const char *text, double now, struct hint *hint);

/*
 * Reads how far a time zone is ahead of UTC, in seconds: "Z", "+02:00",
 * "+0200".
 * Returns the end of that, or NULL.
 */
const char *hint_offset(const char *text, double *offset);

#endif
