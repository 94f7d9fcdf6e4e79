/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <time.h>

#include "sys/events.h"
#include "sys/hinted.h"

/* How often the wall clock is looked at while a wait depends on it. */
#define LOOK_AGAIN 10.0

double
hinted_find(struct hinted *hinted, const struct found *found,
    struct messages *messages)
{
	struct hint hint = { .kind = HINT_NONE };
	double seconds = -1;

	if (!found->hinted)
		return -1;
	const char *problem = hint_parse(found->hint, &hint);
	if (problem == NULL)
		problem =
		    zone_wait(&hint, events_time(CLOCK_REALTIME), &seconds);
	if (problem != NULL && !hinted->refused)
		say(messages, "--delay-match: %s: %s", found->hint, problem);
	hinted->refused |= problem != NULL;
	hinted->dated = hint.kind == HINT_UNTIL || hint.kind == HINT_CLOCK;
	return seconds;
}

void
hinted_begin(struct hinted *hinted, bool decides, double seconds)
{
	hinted->until = hinted->dated && decides
	    ? events_time(CLOCK_REALTIME) + seconds
	    : 0;
}

double
hinted_look(const struct hinted *hinted)
{
	if (hinted->until == 0)
		return INFINITY;
	return events_time(CLOCK_REALTIME) >= hinted->until ? 0 : LOOK_AGAIN;
}

bool
hinted_over(struct hinted *hinted)
{
	const bool over = hinted_look(hinted) == 0;

	if (over)
		hinted->until = 0;
	return over;
}
