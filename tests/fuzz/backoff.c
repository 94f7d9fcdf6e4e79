/* SPDX-License-Identifier: MIT */

/*
 * Lines: STRATEGY, base, floor, cap ("" for none), jitter, order.
 */

#include <math.h>

#include "core/duration.h"
#include "core/jitter.h"
#include "fuzz.h"

static const uint64_t far[] = { 99, 100, 1024, 1600, 99999,
	(UINT64_C(1) << 53) - 1, UINT64_C(1) << 53, UINT64_MAX - 1,
	UINT64_MAX };

static const double draws[] = { 0, 0x1p-53, 0.25, 0.5, 1 - 0x1p-53, 1 };

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static void
check_nominal(const struct backoff *backoff, double nominal)
{
	const double held = backoff_clamp(backoff, nominal);

	MUST(isfinite(nominal) && nominal >= 0);
	MUST(held >= backoff->min && held <= backoff->cap);
}

static void
check_jitter(const struct jitter *jitter, const struct backoff *backoff,
    double nominal)
{
	double before = 0;

	for (size_t i = 0; i < COUNT(draws); i++) {
		const double delay =
		    jitter_delay(jitter, backoff, nominal, draws[i]);

		MUST(isfinite(delay) && delay >= backoff->min);
		MUST(delay >= before);
		if (jitter->order != JITTER_AFTER_CAP)
			MUST(delay <= backoff_most(backoff));
		before = delay;
	}
}

static void
check_delay(const struct backoff *backoff, const struct jitter *jitter,
    struct level *level, uint64_t n)
{
	struct level other;

	for (size_t i = 0; i < COUNT(draws); i++) {
		other = *level;
		check_nominal(backoff,
		    backoff_nominal(backoff, &other, n, draws[i]));
	}
	const double nominal =
	    backoff_nominal(backoff, level, n, draws[n % COUNT(draws)]);
	check_nominal(backoff, nominal);
	check_jitter(jitter, backoff, nominal);
	other = *level;
	check_nominal(backoff, backoff_success(backoff, &other, 1));
}

static void
check_delays(const struct backoff *backoff, const struct jitter *jitter)
{
	struct level level = { 0 };

	MUST(backoff_longest(backoff) >= 0);
	MUST(backoff_longest(backoff) <= DURATION_MAX);
	for (uint64_t n = 1; n < 70; n++)
		check_delay(backoff, jitter, &level, n);
	for (size_t i = 0; i < COUNT(far); i++)
		check_delay(backoff, jitter, &level, far[i]);
	for (int i = 0; i < 70; i++)
		check_nominal(backoff, backoff_success(backoff, &level, 0));
}

/* What the options promise to those who compute with them. */
static bool
is_usable(const struct backoff *backoff, const struct jitter *jitter)
{
	return backoff->min <= backoff->cap &&
	    backoff->base <= backoff_most(backoff) &&
	    backoff_longest(backoff) <= backoff->cap &&
	    jitter_room(jitter, backoff) >= backoff->min;
}

static bool
read_numbers(char **text, struct backoff *backoff, struct jitter *jitter)
{
	if (duration_parse(fuzz_line(text), &backoff->base) != NULL ||
	    duration_parse(fuzz_line(text), &backoff->min) != NULL)
		return false;
	if (duration_parse(fuzz_line(text), &backoff->cap) == NULL)
		backoff->most = backoff->cap;
	else
		backoff->cap = DURATION_MAX;
	if (jitter_parse(fuzz_line(text), jitter) != NULL)
		return false;
	jitter->order = strlen(fuzz_line(text)) % 3;
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text;
	struct backoff backoff = { .base = 1 };
	struct jitter jitter = { .amount = 0 };
	const char *name = fuzz_line(&rest), *where = NULL;
	const char *const problem = backoff_parse(name, &backoff, &where);

	if (problem != NULL) {
		fuzz_problem(problem);
		MUST(where >= name && where <= name + strlen(name));
	} else if (read_numbers(&rest, &backoff, &jitter) &&
	    is_usable(&backoff, &jitter))
		check_delays(&backoff, &jitter);
	free(backoff.values);
	free(text);
	return 0;
}
