/* A state file, as it is and with the checksum that it should have. */

#include <inttypes.h>
#include <math.h>

#include "core/duration.h"
#include "core/state.h"
#include "core/text.h"
#include "fuzz.h"

#define SUM "checksum "

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
		state_is_of(state, &backoff);
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

static void
check_state(const char *text)
{
	static const double times[] = { 0, 1e9, 1.7e9, 1e15, 1e300 };
	char again[STATE_TEXT];
	struct state state;
	const char *problem = state_parse(text, &state);

	if (problem != NULL) {
		fuzz_problem(problem);
		state_is_newer(text);
		return;
	}
	MUST(!state_is_newer(text));
	state_format(&state, again);
	MUST(strcmp(text, again) == 0 ||
	    strncmp(text, "retry-state 1\n", 14) == 0);
	MUST(state_parse(again, &state) == NULL);
	for (int i = 0; i < 5; i++) {
		const double wait = state_progress(&state, times[i]).delay;

		MUST(wait >= 0 && wait <= state.delay);
		MUST(wait <= DURATION_MAX);
	}
	check_strategies(&state);
}

/* Takes a checksum away, where there is one, and adds the right one. */
static char *
with_checksum(const char *text)
{
	const char *old = strstr(text, SUM);
	const size_t length = old == NULL ? strlen(text) : (size_t)(old - text);
	char *whole;

	MUST(asprintf(&whole, "%.*s" SUM "%016" PRIx64 "\n", (int)length, text,
		 text_checksum(text, length)) != -1);
	return whole;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	char *whole = with_checksum(text);

	check_state(text);
	check_state(whole);
	free(whole);
	free(text);
	return 0;
}
