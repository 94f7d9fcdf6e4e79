/* SPDX-License-Identifier: MIT */

#include <math.h>

#include "core/duration.h"
#include "core/jitter.h"
#include "fuzz.h"

/* For delays of all lengths the range is one, and stays in its room. */
static void
check_range(struct jitter jitter, double cap)
{
	const struct backoff backoff = { .cap = cap, .most = cap };

	jitter.order = JITTER_INSIDE;
	const double room = jitter_room(&jitter, &backoff);
	/* Here nothing is cut. */
	jitter.order = JITTER_AFTER_CAP;

	MUST(room <= cap);
	for (double x = room; x > 1e-9; x /= 10) {
		const double low = jitter_delay(&jitter, &backoff, x, 0);
		const double high = jitter_delay(&jitter, &backoff, x, 1);

		MUST(low >= 0 && low <= high);
		MUST(high <= cap * (1 + 1e-15));
		MUST(!jitter.kind->fixed || low == high);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct jitter jitter = { .amount = -1 };
	const char *const problem = jitter_parse(text, &jitter);

	if (problem == NULL) {
		MUST(jitter.amount >= 0);
		MUST(jitter.amount <=
		    (jitter.kind->relative ? 1 : DURATION_MAX));
		for (double cap = DURATION_MAX; cap > 1e-6; cap /= 7)
			check_range(jitter, cap);
	} else
		fuzz_problem(problem);
	free(text);
	return 0;
}
