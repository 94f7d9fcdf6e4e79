/* SPDX-License-Identifier: MIT */

#ifndef HINTED_H
#define HINTED_H

#include <stdbool.h>

#include "core/hint.h"
#include "core/search.h"
#include "sys/messages.h"

/*
 * The wait that the output of an attempt asks for.  If it asks for a point in
 * time, the wait ends when the wall clock shows that, even if the clock is set
 * or was suspended.
 */
struct hinted {
	bool refused; /* a warning said that a hint cannot be read */
	bool dated;   /* the last attempt's hint is a point in time */
	double until; /* when the wait ends, on CLOCK_REALTIME; 0: no date */
};

/*
 * How long the attempt's output asks to wait, in seconds; negative: it does not
 * ask.  The first text that cannot be understood is reported.
 */
double hinted_find(struct hinted *hinted, const struct found *found);

/*
 * A wait of so many seconds begins; `decides` says whether the hint made it so
 * long.  Without that, the last date is forgotten.
 */
void hinted_begin(struct hinted *hinted, bool decides, double seconds);

/* Whether the wall clock shows the end of the wait, which it then forgets. */
bool hinted_over(struct hinted *hinted);

/*
 * How long a hint asks to wait from `now`, in seconds since 1970; for a time of
 * day, until clocks in its time zone show that.  Sets *seconds, negative for no
 * hint, and returns NULL; or returns what is wrong with the zone.
 */
const char *zone_wait(const struct hint *hint, double now, double *seconds);

#endif
