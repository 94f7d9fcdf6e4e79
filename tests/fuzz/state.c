/* SPDX-License-Identifier: MIT */

/* A state file. */

#include <math.h>

#include "core/duration.h"
#include "core/state.h"
#include "fuzz.h"

/* Whatever a file says, the delays that follow are sound. */
static void
check_strategies(const struct state *state)
{
	static const double draws[] = { 0, 0.5, 1 };
	struct backoff backoff = { .base = 1, .cap = DURATION_MAX, .min = 0 };

	backoff.values = &backoff.base;
	backoff.count = 1;
	backoff.params[0] = backoff.params[1] = 1.5;
	for (backoff.strategy = strategies; backoff.strategy->name != NULL;
	     backoff.strategy++) {
		backoff.param_given[0] = backoff.param_given[1] =
		    backoff.strategy->keeps_level;
		for (int i = 0; i < 3; i++) {
			struct level level = state->level;
			const uint64_t n =
			    state->n < UINT64_MAX ? state->n + 1 : state->n;
			const double delay =
			    backoff_nominal(&backoff, &level, n, draws[i]);

			MUST(isfinite(delay) && delay >= 0);
			MUST(backoff_clamp(&backoff, delay) <= backoff.cap);
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const double times[] = { 0, 1e9, 1.7e9, 1e15, 1e300 };
	struct backoff backoff = { .cap = DURATION_MAX };
	const char *where;
	char *text = fuzz_text(data, size);
	char again[STATE_TEXT];
	struct state state;

	MUST(backoff_parse("exponential", &backoff, &where) == NULL);
	for (int i = 0; i < 5; i++) {
		const char *problem =
		    state_parse(text, &backoff, times[i], &state);

		if (problem != NULL)
			fuzz_problem(problem);
		else
			MUST(!state_is_newer(text));
		MUST(state.delay >= 0 && state.delay <= DURATION_MAX);
		check_strategies(&state);
		state_format(&state, &backoff, times[i], again);
		MUST(state_parse(again, &backoff, 0, &state) == NULL ||
		    times[i] >= 1e15);
	}
	free(text);
	return 0;
}
