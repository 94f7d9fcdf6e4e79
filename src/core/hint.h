/* SPDX-License-Identifier: MIT */

#ifndef HINT_H
#define HINT_H

/* Room for the name of a time zone. */
#define HINT_ZONE 48

enum hint_kind {
	HINT_NONE,
	HINT_WAIT,  /* a duration: `seconds` */
	HINT_UNTIL, /* a point in time: `seconds` since 1970 */
	HINT_CLOCK  /* when clocks in `zone` show this time of day */
};

/* When a server asks to come back. */
struct hint {
	enum hint_kind kind;
	double seconds; /* CLOCK: since midnight */
	/* CLOCK: the day, 1 to 31; 0: the next one with that time. */
	int day;
	int month;	      /* with a day: 1 to 12 */
	int year;	      /* 0: the next one with that day and time */
	char zone[HINT_ZONE]; /* "Europe/Oslo", "UTC", "+02:00"; "": the local
				 time zone */
};

/*
 * Reads one of these, in English if it has words:
 *
 * - a number of seconds; if it is larger than 10,000 days, since 1970, in
 *   seconds or milliseconds
 * - a duration: "1m30s", "5 days 22 hours", "in about 3 min", "1.2s."
 * - a point in time: a time of day, with or without a month and a day, a year
 *   and a zone.  These are "7pm", "19:00 (Europe/Oslo)", "7:30 p.m. UTC", "Nov
 *   24, 5pm (UTC)", "Jul 5th, 2026 8:19 PM", and so are an HTTP-date in any of
 *   its three forms and RFC 3339's dates
 *
 * Blanks around the text do not count, nor does a full stop behind it.  Returns
 * NULL, and the seconds of a HINT_WAIT are at most DURATION_MAX; or returns
 * what is wrong with the text, and the hint is as it was.
 */
const char *hint_parse(const char *text, struct hint *hint);

#endif
