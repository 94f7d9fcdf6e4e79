/* SPDX-License-Identifier: MIT */

#include <string.h>

#include "core/duration.h"
#include "core/hint.h"
#include "fuzz.h"

/* A time that clocks can show, on a day that a calendar can have. */
static void
must_be_a_time(const struct hint *hint)
{
	MUST(hint->seconds <= 86400);
	MUST(strlen(hint->zone) < HINT_ZONE);
	switch (hint->day) {
	case HINT_NEXT:
		break;
	case HINT_AHEAD:
		MUST(hint->number >= 0 && hint->number <= 1);
		break;
	case HINT_WEEKDAY:
		MUST(hint->number >= 0 && hint->number <= 6);
		break;
	case HINT_DATE:
		MUST(hint->year > 0 && hint->year <= 9999);
		/* Fall through. */
	case HINT_ANNIVERSARY:
		MUST(hint->number >= 1 && hint->number <= 31);
		MUST(hint->month >= 0 && hint->month <= 11);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const double times[] = { 0, 784111777, 1.7e9, 4e9, 1e15 };
	char *text = fuzz_text(data, size);
	double before = DURATION_MAX;

	/* The later it is, the less is left until a date. */
	for (int i = 0; i < 5; i++) {
		struct hint hint = { .kind = HINT_NONE };
		const char *problem = hint_parse(text, times[i], &hint);

		if (problem != NULL) {
			fuzz_problem(problem);
			continue;
		}
		MUST(hint.seconds >= 0 && hint.seconds <= DURATION_MAX);
		if (hint.kind == HINT_CLOCK) {
			must_be_a_time(&hint);
			continue;
		}
		MUST(hint.seconds <= before);
		before = hint.seconds;
	}
	free(text);
	return 0;
}
