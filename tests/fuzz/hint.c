/* SPDX-License-Identifier: MIT */

#include <string.h>

#include "core/duration.h"
#include "core/hint.h"
#include "fuzz.h"

/* A time that clocks can show, on a day that a calendar can have. */
static void
must_be_a_time(const struct hint *hint)
{
	MUST(hint->seconds < 86401);
	MUST(strlen(hint->zone) < HINT_ZONE);
	MUST(hint->day >= 0 && hint->day <= 31);
	MUST(hint->month >= (hint->day != 0) && hint->month <= 12);
	MUST(hint->year >= 0 && hint->year <= 9999);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct hint hint = { .kind = HINT_NONE };
	const char *problem = hint_parse(text, &hint);

	if (problem != NULL) {
		fuzz_problem(problem);
		MUST(hint.kind == HINT_NONE);
	} else {
		MUST(hint.kind != HINT_NONE);
		MUST(hint.seconds >= 0);
	}
	if (hint.kind == HINT_WAIT)
		MUST(hint.seconds <= DURATION_MAX);
	if (hint.kind == HINT_CLOCK)
		must_be_a_time(&hint);
	free(text);
	return 0;
}
