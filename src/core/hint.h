#ifndef HINT_H
#define HINT_H

/* Room for the name of a time zone. */
#define HINT_ZONE 48

enum hint_kind {
	HINT_NONE,
	HINT_WAIT, /* the time from now on is known */
	HINT_DAILY /* the next time that clocks in a zone show a time of day */
};

/* How long a server asks to wait. */
struct hint {
	enum hint_kind kind;
	double seconds;	      /* WAIT: from now on; DAILY: after midnight */
	char zone[HINT_ZONE]; /* DAILY: "Europe/Oslo", "UTC", "+02:00"; "":
				 the local time zone */
};

/*
 * Reads a duration, of which a bare number is seconds; a moment, as seconds or
 * milliseconds since 1970 (a number of more than 10,000 days), as an HTTP-date
 * in any of its three forms or as RFC 3339 has it; or a time of day: "7pm",
 * "19:00 (Europe/Oslo)", "7:30 PM UTC".  `now` is the time in seconds since
 * 1970.  Blanks around the text do not count.  Returns NULL, and `seconds` of a
 * HINT_WAIT is at least 0 and at most DURATION_MAX; or returns what is wrong
 * with the text, and the hint is as it was.
 */
const char *hint_parse(const char *text, double now, struct hint *hint);

/*
 * Reads how far a time zone is ahead of UTC, in seconds: "Z", "+02:00".
 * Returns the end of that, or NULL.
 */
const char *hint_offset(const char *text, double *offset);

#endif
