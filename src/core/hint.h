#ifndef HINT_H
#define HINT_H

/*
 * Reads how long a server asks to wait: a duration, of which a bare number is
 * seconds, or an HTTP-date, in any of its three forms.  `now` is the time of
 * day, in seconds since 1970.  Blanks around the text do not count.  Returns
 * NULL and sets *seconds, at least 0 and at most DURATION_MAX, or returns what
 * is wrong with the text.
 */
const char *hint_parse(const char *text, double now, double *seconds);

#endif
