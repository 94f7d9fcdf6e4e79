#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "number.h"
#include "state.h"
#include "text.h"

/* The first line is this and the version, in all versions. */
#define MAGIC "retry-state "
#define VERSION_NOW 2

/* The last line is this and the sum of all lines before it. */
#define SUM "checksum "
#define SUM_LENGTH (sizeof(SUM) - 1 + 16 + 1)

/* It names the strategy and the parameters as -b takes them. */
struct state
state_none(const struct backoff *backoff)
{
	const struct strategy *strategy = backoff->strategy;
	const size_t count = strategy->listed ? backoff->count : 0;
	char separator = ':';
	struct state state = { .n = 0 };
	char *text = state.strategy;
	bool fits = true;

	strlcpy(text, strategy->name, STATE_STRATEGY);
	for (int i = 0; i < BACKOFF_PARAMS; i++) {
		if (!backoff->param_given[i])
			continue;
		text_append(text, STATE_STRATEGY, "%c%s=%.17g", separator,
		    strategy->params[i].name, backoff->params[i]);
		separator = ',';
	}
	for (size_t i = 0; fits && i < count; i++) {
		fits = text_append(text, STATE_STRATEGY, "%c%.17g", separator,
		    backoff->values[i]);
		separator = ',';
	}
	/* A long list is told from others by its sum. */
	if (!fits)
		snprintf(text, STATE_STRATEGY, "%s:%zu-values-%016" PRIx64,
		    strategy->name, count,
		    text_checksum(backoff->values,
			count * sizeof(*backoff->values)));
	return state;
}

bool
state_is_of(const struct state *state, const struct backoff *backoff)
{
	const struct state none = state_none(backoff);

	return strcmp(state->strategy, none.strategy) == 0;
}

struct progress
state_progress(const struct state *state, double time)
{
	return (struct progress){
		.level = state->level,
		.n = state->n,
		.failures = state->failures,
		.given_up = state->given_up,
		.delay =
		    number_max(number_min(state->next - time, state->delay), 0),
	};
}

struct state
state_after(const struct backoff *backoff, const struct progress *progress,
    double time)
{
	struct state state = state_none(backoff);

	state.level = progress->level;
	state.n = progress->n;
	state.failures = progress->failures;
	state.given_up = progress->given_up;
	state.delay = progress->delay;
	if (progress->failures > 0)
		state.next = time - progress->age + progress->delay;
	return state;
}

/* Version 1 did not count runs. */
static void
format(const struct state *state, int version, char text[STATE_TEXT])
{
	char level[32] = "none";

	if (state->level.begun)
		snprintf(level, sizeof(level), "%.17g", state->level.value);
	snprintf(text, STATE_TEXT,
	    MAGIC "%d\n"
		  "strategy %s\n"
		  "level %s\n"
		  "previous %.17g\n"
		  "n %" PRIu64 "\n"
		  "failures %" PRIu64 "\n"
		  "delay %.17g\n"
		  "next %.6f\n",
	    version, state->strategy, level, state->level.previous, state->n,
	    state->failures, state->delay, state->next);
	if (version > 1)
		text_append(text, STATE_TEXT, "given-up %" PRIu64 "\n",
		    state->given_up);
	text_append(text, STATE_TEXT, SUM "%016" PRIx64 "\n",
	    text_checksum(text, strlen(text)));
}

void
state_format(const struct state *state, char text[STATE_TEXT])
{
	format(state, VERSION_NOW, text);
}

static bool
is_amount(double number)
{
	return isfinite(number) && number >= 0;
}

/*
 * The state is written again and compared with the text, which finds a wrong
 * sum and anything else that state_format() would not write.
 */
const char *
state_parse(const char *text, struct state *state)
{
	char level[32], again[STATE_TEXT];
	int version = 0;

	*state = (struct state){ .n = 0 };
	const int count = sscanf(text,
	    MAGIC "%9d strategy %127s level %31s previous %lf"
		  " n %" SCNu64 " failures %" SCNu64 " delay %lf next %lf"
		  " given-up %" SCNu64,
	    &version, state->strategy, level, &state->level.previous, &state->n,
	    &state->failures, &state->delay, &state->next, &state->given_up);
	/* Later versions have more words than are read. */
	if (version < 1 || count != version + 7)
		return "is not what was written";
	state->level.begun = strcmp(level, "none") != 0;
	if (state->level.begun)
		state->level.value = strtod(level, NULL);
	if (!is_amount(state->level.value) ||
	    !is_amount(state->level.previous) ||
	    !(state->delay >= 0 && state->delay <= DURATION_MAX) ||
	    !(state->next >= 0 && state->next < 1e15))
		return "has a number that is out of range";
	format(state, version, again);
	return strcmp(text, again) == 0 ? NULL : "has a wrong checksum";
}

bool
state_is_newer(const char *text)
{
	const size_t length = strlen(text);
	char sum[SUM_LENGTH + 1];
	int version;

	if (length < SUM_LENGTH || sscanf(text, MAGIC "%9d", &version) != 1)
		return false;
	snprintf(sum, sizeof(sum), SUM "%016" PRIx64 "\n",
	    text_checksum(text, length - SUM_LENGTH));
	return version > VERSION_NOW &&
	    strcmp(text + length - SUM_LENGTH, sum) == 0;
}
