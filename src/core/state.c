/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "state.h"
#include "text.h"

/* The first line is this and the version, in all versions. */
#define MAGIC "retry-state "
#define VERSION_NOW 3

/* Room for the text of a strategy and its parameters. */
#define STRATEGY 128

/* The strategy's name, parameters that were given, and a sum of its list. */
static void
format_strategy(const struct backoff *backoff, char text[STRATEGY])
{
	const struct strategy *strategy = backoff->strategy;
	const size_t count = strategy->listed ? backoff->count : 0;
	char chained[64];
	uint64_t sum = 0;

	strlcpy(text, strategy->name, STRATEGY);
	for (int i = 0; i < BACKOFF_PARAMS; i++)
		if (backoff->param_given[i])
			text_append(text, STRATEGY, ":%s=%.17g",
			    strategy->params[i].name, backoff->params[i]);
	/* Of texts: the order of a number's bytes differs between machines. */
	for (size_t i = 0; i < count; i++) {
		const int length = snprintf(chained, sizeof(chained),
		    "%016" PRIx64 ",%.17g", sum, backoff->values[i]);

		sum = text_checksum(chained, (size_t)length);
	}
	if (count > 0)
		text_append(text, STRATEGY, ":%zu-values-%016" PRIx64, count,
		    sum);
}

void
state_format(const struct state *state, const struct backoff *backoff,
    double time, char text[STATE_TEXT])
{
	char strategy[STRATEGY], level[32] = "none";
	const double next =
	    state->delay > 0 ? time - state->age + state->delay : 0;

	format_strategy(backoff, strategy);
	if (state->level.begun)
		snprintf(level, sizeof(level), "%.17g", state->level.value);
	snprintf(text, STATE_TEXT,
	    MAGIC "%d\n"
		  "strategy %s\n"
		  "level %s\n"
		  "previous %.17g\n"
		  "n %" PRIu64 "\n"
		  "delay %.17g\n"
		  "next %.6f\n"
		  "given-up %" PRIu64 "\n",
	    VERSION_NOW, strategy, level, state->level.previous, state->n,
	    state->delay, next, state->given_up);
}

/* Zero with a sign is none, since state_format() would keep the sign. */
static bool
is_amount(double number)
{
	return isfinite(number) && !signbit(number);
}

const char *
state_parse(const char *text, const struct backoff *backoff, double time,
    struct state *state)
{
	char strategy[STRATEGY], own_strategy[STRATEGY], level[32], *level_end;
	char n[32], given_up[32];
	struct state read = { 0 };
	double delay, next;
	int version, end = 0;

	*state = read;
	/* SCNu64 would read a count of -1 as the largest that there is. */
	const int count = sscanf(text,
	    MAGIC "%9d strategy %127s level %31s previous %lf n %31[0-9]"
		  " delay %lf next %lf given-up %31[0-9]%n",
	    &version, strategy, level, &read.level.previous, n, &delay, &next,
	    given_up, &end);
	if (count != 8 || version != VERSION_NOW)
		return "is damaged";
	if (strcmp(text + end, "\n") != 0)
		return "does not end as a state does";
	read.level.begun = strcmp(level, "none") != 0;
	if (read.level.begun) {
		read.level.value = strtod(level, &level_end);
		if (*level_end != '\0')
			return "has a level that is not a number";
	}
	if (!is_amount(read.level.value) || !is_amount(read.level.previous) ||
	    !is_amount(delay) || delay > DURATION_MAX || !is_amount(next) ||
	    next >= 1e15)
		return "has a number that is out of range";
	read.n = strtoull(n, NULL, 10);
	read.given_up = strtoull(given_up, NULL, 10);
	format_strategy(backoff, own_strategy);
	if (strcmp(strategy, own_strategy) != 0)
		return NULL;
	read.delay = fmax(fmin(next - time, delay), 0);
	*state = read;
	return NULL;
}

bool
state_was(const char *text, size_t length)
{
	const size_t whole = strlen(MAGIC);

	return memcmp(text, MAGIC, length < whole ? length : whole) == 0;
}

bool
state_is_newer(const char *text)
{
	int version;

	return sscanf(text, MAGIC "%9d", &version) == 1 &&
	    version > VERSION_NOW;
}
