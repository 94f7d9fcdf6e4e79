/* SPDX-License-Identifier: MIT */

#include <time.h>

#include "sys/events.h"
#include "sys/hinted.h"

double
hinted_find(struct hinted *hinted, const struct found *found)
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
		say("--delay-match: %s: %s", found->hint, problem);
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

bool
hinted_over(struct hinted *hinted)
{
	const bool over =
	    hinted->until > 0 && events_time(CLOCK_REALTIME) >= hinted->until;

	if (over)
		hinted->until = 0;
	return over;
}
