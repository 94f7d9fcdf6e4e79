/* SPDX-License-Identifier: MIT */

#include <float.h>
#include <math.h>

#include "core/backoff.h"
#include "core/duration.h"
#include "core/jitter.h"
#include "core/random.h"
#include "tap.h"

/* The strategy as a user writes it, with a base and a cap, and no floor. */
static struct backoff
backoff_of(const char *text, double base, double cap)
{
	struct backoff backoff = { .base = base, .cap = cap };
	const char *where;

	CHECK(backoff_parse(text, &backoff, &where) == NULL);
	return backoff;
}

/* The text that the example in help and manual is of. */
static const char *
sample_of(const struct strategy *row)
{
	return row->sample == NULL ? row->name : row->sample;
}

static double
nominal(const struct backoff *backoff, uint64_t n)
{
	struct level level = { 0 };

	return backoff_nominal(backoff, &level, n, 0.5);
}

/* What help and manual show is what the strategy does. */
TEST(every_example_is_what_its_sample_computes)
{
	for (const struct strategy *row = strategies; row->name != NULL;
	     row++) {
		struct backoff backoff =
		    backoff_of(sample_of(row), 1, row->needs_ends ? 16 : 1e6);
		struct level level = { 0 };
		char text[256] = "";
		size_t length = 0, items = 1;

		for (const char *c = row->example; *c != '\0'; c++)
			items += *c == ' ';
		for (uint64_t n = 1; n <= items; n++)
			length += (size_t)snprintf(text + length,
			    sizeof(text) - length, "%s%.3g", n > 1 ? " " : "",
			    backoff_nominal(&backoff, &level, n, 0.5));
		ROW("%s", row->name);
		CHECK_STR(text, row->example);
		CHECK(backoff.strategy == row);
		CHECK(row->formula != NULL && row->doc != NULL);
		free(backoff.values);
	}
}

TEST(a_strategy_is_read_or_refused_in_words)
{
	static const char *const unknown = "unknown strategy";
	static const char *const needed = "needs its parameters up and down";
	static const struct {
		const char *text, *problem, *where;
		double params[BACKOFF_PARAMS];
	} rows[] = {
		{ "constant", NULL, NULL, { 0 } },
		{ "linear:step=500ms", NULL, NULL, { 0.5 } },
		{ "polynomial:power=1.5", NULL, NULL, { 1.5 } },
		{ "polynomial:power=0", NULL, NULL, { 0 } },
		{ "exponential:factor=1.6", NULL, NULL, { 1.6 } },
		{ "exponential:factor=1e-300", NULL, NULL, { 1e-300 } },
		{ "fibonacci:second=2s", NULL, NULL, { 2 } },
		{ "steps:steps=1", NULL, NULL, { 1 } },
		{ "decorrelated:factor=2.5,clamp=1", NULL, NULL, { 2.5, 1 } },
		{ "decorrelated:clamp=0,factor=4", NULL, NULL, { 4, 0 } },
		{ "slots:ceiling=52", NULL, NULL, { 52 } },
		{ "lild:up=2,down=-1s", NULL, NULL, { 2, -1 } },
		{ "lild:up=-250ms,down=+1m", NULL, NULL, { -0.25, 60 } },
		{ "limd:down=0.5,up=4", NULL, NULL, { 4, 0.5 } },
		{ "mild:up=1.5,down=-2", NULL, NULL, { 1.5, -2 } },
		{ "mimd:up=2,down=0.5", NULL, NULL, { 2, 0.5 } },

		{ "limd:up=1,down=0", NULL, NULL, { 1, 0 } },
		{ "mild:up=0,down=1", NULL, NULL, { 0, 1 } },
		{ "mimd:up=0,down=0", NULL, NULL, { 0, 0 } },

		{ "", unknown, "", { 0 } },
		{ "exp", unknown, "exp", { 0 } },
		{ "exponentially", unknown, "exponentially", { 0 } },
		{ "Constant", unknown, "Constant", { 0 } },
		{ ":factor=2", unknown, ":factor=2", { 0 } },
		{ "constant:", "empty item", "", { 0 } },
		{ "constant:step=1", "unknown parameter", "step=1", { 0 } },
		{ "exponential:factor", "not NAME=VALUE", "factor", { 0 } },
		{ "exponential:factor=", "empty", "factor=", { 0 } },
		{ "exponential:=2", "unknown parameter", "=2", { 0 } },
		{ "exponential:factor=2,", "empty item", "", { 0 } },
		{ "exponential:factor=2,factor=3", "given twice", "factor=3",
		    { 0 } },
		{ "exponential:fact=2", "unknown parameter", "fact=2", { 0 } },
		{ "exponential:factor=0", "not more than 0", "factor=0",
		    { 0 } },
		{ "decorrelated:factor=0", "not more than 0", "factor=0",
		    { 0 } },
		{ "exponential:factor=-1", "negative", "factor=-1", { 0 } },
		{ "exponential:factor=nan", "not a number", "factor=nan",
		    { 0 } },
		{ "exponential:factor=1e400", "too large", "factor=1e400",
		    { 0 } },
		{ "exponential:factor=2s", "not a number", "factor=2s", { 0 } },
		{ "polynomial:power=-1", "negative", "power=-1", { 0 } },
		{ "linear:step=-1", "negative", "step=-1", { 0 } },
		{ "linear:step=1x", "unknown unit (use us, ms, s, m, h, d)",
		    "step=1x", { 0 } },
		{ "steps:steps=0", "too small", "steps=0", { 0 } },
		{ "steps:steps=1.5", "not a whole number", "steps=1.5", { 0 } },
		{ "slots:ceiling=0", "too small", "ceiling=0", { 0 } },
		{ "slots:ceiling=53", "too large", "ceiling=53", { 0 } },
		{ "decorrelated:clamp=2", "too large", "clamp=2", { 0 } },
		{ "decorrelated:factor=3,clamp=x", "not a number", "clamp=x",
		    { 0 } },
		{ "mimd", needed, "mimd", { 0 } },
		{ "mimd:up=2", needed, "mimd:up=2", { 0 } },
		{ "mild:down=-2s", needed, "mild:down=-2s", { 0 } },
		{ "mimd:up=2,down=-1", "negative", "down=-1", { 0 } },
		{ "lild:up=--1,down=1", "negative", "up=--1,down=1", { 0 } },
		{ "list", "its values are missing, as in list:1s,5s,30s",
		    "list", { 0 } },
		{ "list:", "empty item", "", { 0 } },
		{ "list:1,,2", "empty item", ",2", { 0 } },
		{ "list:1,2,", "empty item", "", { 0 } },
		{ "list:1,x", "not a number", "x", { 0 } },
		{ "exponential:a-name-and-a-value-that-are-longer-than-any-"
		  "parameter-has-them=1",
		    "too long",
		    "a-name-and-a-value-that-are-longer-than-any-"
		    "parameter-has-them=1",
		    { 0 } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct backoff backoff = { .base = 1 };
		const char *where;

		ROW("%s", rows[i].text);
		CHECK_STR(backoff_parse(rows[i].text, &backoff, &where),
		    rows[i].problem);
		if (rows[i].problem != NULL)
			CHECK_STR(where, rows[i].where);
		for (int k = 0; rows[i].problem == NULL && k < BACKOFF_PARAMS;
		     k++)
			CHECK_DBL(backoff.params[k], rows[i].params[k], 1e-15);
		free(backoff.values);
	}
}

TEST(the_later_strategy_forgets_the_earlier)
{
	struct backoff backoff = backoff_of("exponential:factor=3", 1, 100);
	const char *where;

	CHECK(backoff_parse("exponential", &backoff, &where) == NULL);
	CHECK_DBL(nominal(&backoff, 2), 2, 0);
	CHECK(backoff_parse("list:7,8", &backoff, &where) == NULL);
	CHECK(backoff_parse("list:9", &backoff, &where) == NULL);
	CHECK_DBL(nominal(&backoff, 2), 9, 0);
	CHECK_INT((intmax_t)backoff.count, 1);
	free(backoff.values);
}

TEST(the_longest_time_that_is_named_is_known)
{
	static const struct {
		const char *text;
		double longest;
	} rows[] = {
		{ "exponential:factor=1000", 0 },
		{ "polynomial:power=7", 0 },
		{ "linear", 0 },
		{ "linear:step=90s", 90 },
		{ "fibonacci:second=3", 3 },
		{ "list:1,1h,5", 3600 },
		{ "lild:up=2m,down=-1s", 120 },
		{ "lild:up=2s,down=-1h", 2 },
		{ "mimd:up=99,down=0.5", 0 },
		{ "slots:ceiling=52", 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct backoff backoff = backoff_of(rows[i].text, 1, 1e6);

		ROW("%s", rows[i].text);
		CHECK_DBL(backoff_longest(&backoff), rows[i].longest, 0);
		free(backoff.values);
	}
}

/* Whether a delay is a multiple of the base: its text has no time, nor a cap. */
static bool
scales(const struct backoff *backoff)
{
	return backoff_longest(backoff) == 0 && !backoff->strategy->needs_ends;
}

TEST(delays_grow_with_the_base)
{
	for (const struct strategy *row = strategies; row->name != NULL;
	     row++) {
		struct backoff one = backoff_of(sample_of(row), 1, 1e6);
		struct backoff three = one;
		struct level level = { 0 }, other = level;

		three.base = 3;
		ROW("%s", row->name);
		for (uint64_t n = 1; n < 9 && scales(&one); n++)
			CHECK_DBL(backoff_nominal(&three, &level, n, 0.7),
			    3 * backoff_nominal(&one, &other, n, 0.7), 1e-12);
		free(one.values);
	}
}

/* Also where 0 is multiplied by infinity. */
TEST(a_base_of_nothing_stays_nothing)
{
	const uint64_t ns[] = { 1, 2, 1100, 1700, UINT64_MAX };

	for (const struct strategy *row = strategies; row->name != NULL;
	     row++) {
		struct backoff backoff = backoff_of(sample_of(row), 0, 60);
		struct level level = { 0 };

		ROW("%s", row->name);
		for (size_t k = 0; k < COUNT(ns) && scales(&backoff); k++)
			CHECK(
			    backoff_nominal(&backoff, &level, ns[k], 0.7) == 0);
		free(backoff.values);
	}
}

/* Where a double has no room for its curve any more, only the cap is left. */
TEST(smooth_never_comes_back_from_the_cap)
{
	const struct backoff backoff = backoff_of("smooth", 1, 60);
	struct level level = { 0 };

	for (uint64_t n = 1; n < 3000; n++) {
		const double delay = backoff_nominal(&backoff, &level, n, 0.5);

		ROW("n = %ju", (uintmax_t)n);
		CHECK(n < 8 || delay > 60);
	}
}

TEST(a_list_goes_on_with_its_last_value)
{
	struct backoff backoff = backoff_of("list:1s,5s,250ms", 1, 1e6);

	CHECK_DBL(nominal(&backoff, 2), 5, 0);
	CHECK_DBL(nominal(&backoff, 3), 0.25, 0);
	CHECK_DBL(nominal(&backoff, 4), 0.25, 0);
	CHECK_DBL(nominal(&backoff, UINT64_MAX), 0.25, 0);
	free(backoff.values);
}

/* Up to UINT64_MAX, where every double is far beyond counting. */
static const uint64_t numbers[] = { 1, 2, 3, 10, 15, 31, 32, 33, 52, 53, 63, 64,
	65, 72, 78, 93, 1000, 1023, 1024, 1025, 1026, 1075, 1476, 1477, 1599,
	1600, 1601, 100000, UINT32_MAX, UINT64_C(1) << 53,
	(UINT64_C(1) << 53) + 1, INT64_MAX, (uint64_t)INT64_MAX + 1,
	UINT64_MAX - 1, UINT64_MAX };

static void
check_sound(const struct backoff *backoff, struct level *level, uint64_t n)
{
	static const char *const kinds[] = { "none", "full", "equal", "20%",
		"100%", "+1s" };
	const double chances[] = { 0, DBL_TRUE_MIN, 0.3, 1 - 0x1p-53, 1 };
	const double u = chances[n % COUNT(chances)];
	const double delay = backoff_nominal(backoff, level, n, u);
	const double held = backoff_clamp(backoff, delay);

	CHECK(isfinite(delay) && delay >= 0);
	CHECK(held >= backoff->min && held <= backoff->cap);
	for (size_t i = 0; i < COUNT(kinds) * 3; i++) {
		struct jitter jitter = { .order = (enum jitter_order)(i % 3) };

		jitter_parse(kinds[i / 3], &jitter);
		if (jitter_room(&jitter, backoff) < backoff->min)
			continue;
		const double drawn = jitter_delay(&jitter, backoff, delay, u);
		CHECK(isfinite(drawn) && drawn >= backoff->min);
		CHECK(jitter.order == JITTER_AFTER_CAP || backoff->most == 0 ||
		    drawn <= backoff->cap);
	}
}

static void
check_strategy_sound(const char *text)
{
	const double bases[] = { 0, DBL_TRUE_MIN, 1e-6, 0.1, 1, 100 / 3., 86400,
		DURATION_MAX };
	const double ends[][2] = { { 0, 60 }, { 0, DURATION_MAX },
		{ 1e-6, 1. / 3 }, { 7, 7 }, { 0, DBL_TRUE_MIN } };

	for (size_t b = 0; b < COUNT(bases); b++)
		for (size_t e = 0; e < COUNT(ends); e++) {
			struct backoff backoff =
			    backoff_of(text, bases[b], ends[e][1]);
			struct level level = { 0 };

			backoff.min = ends[e][0];
			backoff.most = (b + e) % 2 == 0 ? backoff.cap : 0;
			for (size_t i = 0; i < COUNT(numbers); i++) {
				ROW("%s base %g cap %g n %ju", text, bases[b],
				    ends[e][1], (uintmax_t)numbers[i]);
				check_sound(&backoff, &level, numbers[i]);
			}
			free(backoff.values);
		}
}

/* Tries the extremes of parameter `i` and of those after it, or none of them. */
static void
check_extremes(const struct strategy *strategy, const char *text, int i)
{
	static const double extremes[][4] = {
		[PARAM_TIME] = { 0, 1e-6, 1, DURATION_MAX },
		[PARAM_CHANGE] = { -DURATION_MAX, -1, 1e-6, DURATION_MAX },
		[PARAM_FACTOR] = { 1e-300, 0.5, 1, 1e308 },
		[PARAM_NUMBER] = { 0, 0.001, 1, 1e308 },
	};
	char longer[128];

	if (i == BACKOFF_PARAMS || strategy->params[i].name == NULL) {
		check_strategy_sound(text);
		return;
	}
	const struct param *row = &strategy->params[i];
	const double range[] = { row->low, row->high };
	const bool count = row->kind == PARAM_COUNT;
	const double *values = count ? range : extremes[row->kind];

	if (row->initial != PARAM_REQUIRED)
		check_extremes(strategy, text, i + 1);
	for (int k = 0; k < (count ? 2 : 4); k++) {
		snprintf(longer, sizeof(longer), "%s%c%s=%.17g", text,
		    strchr(text, ':') == NULL ? ':' : ',', row->name,
		    values[k]);
		check_extremes(strategy, longer, i + 1);
	}
}

TEST(no_number_and_no_parameter_makes_a_delay_unsound)
{
	for (const struct strategy *row = strategies; row->name != NULL; row++)
		check_extremes(row,
		    row->listed ? "list:0,10000d,1us" : row->name, 0);
}

/* A level that chance moves up and down a long time. */
TEST(a_level_stays_within_its_bounds)
{
	static const char *const texts[] = { "lild:up=7,down=-11",
		"lild:up=-3,down=5", "limd:up=4,down=0.2", "mild:up=3,down=-9",
		"mimd:up=1e300,down=1e-300", "mimd:up=2,down=0.5" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct random random = { .seed = i };
		struct backoff backoff = backoff_of(texts[i], 3, 1000);
		struct level level = { 0 };

		backoff.min = i % 2 == 0 ? 0 : 2;
		ROW("%s", texts[i]);
		for (uint64_t n = 1; n < 5000; n++) {
			const bool failed =
			    random_uniform(&random, n, DRAW_DELAY) < 0.5;
			const double delay = failed
			    ? backoff_nominal(&backoff, &level, n, 0)
			    : backoff_success(&backoff, &level, 99);

			CHECK(delay >= backoff.min && delay <= backoff.cap);
			CHECK(delay == level.value);
		}
	}
}

TEST(only_a_strategy_with_a_level_says_what_follows_a_success)
{
	for (const struct strategy *row = strategies; row->name != NULL;
	     row++) {
		struct backoff backoff = backoff_of(sample_of(row), 3, 1000);
		struct level level = { .begun = true, .value = 12 };

		ROW("%s", row->name);
		if (row->keeps_level)
			CHECK(backoff_success(&backoff, &level, 99) < 12);
		else
			CHECK_DBL(backoff_success(&backoff, &level, 99), 99, 0);
		free(backoff.values);
	}
}

TEST(a_delay_is_held_and_a_nan_is_no_way_round_the_cap)
{
	const struct backoff backoff = { .min = 2, .cap = 60 };

	CHECK_DBL(backoff_clamp(&backoff, 1), 2, 0);
	CHECK_DBL(backoff_clamp(&backoff, 3), 3, 0);
	CHECK_DBL(backoff_clamp(&backoff, 61), 60, 0);
	CHECK_DBL(backoff_clamp(&backoff, INFINITY), 60, 0);
	CHECK_DBL(backoff_clamp(&backoff, NAN), 60, 0);
}

/*
 * With any C library, for any processor: powers are rounded to bits in which
 * all of them agree.  The wanted value sums up the bits of 3000 delays.
 */
TEST(a_seed_means_the_same_delays_everywhere)
{
	static const struct {
		const char *text;
		intmax_t want;
	} rows[] = {
		{ "constant", 8883195483674686784 },
		{ "linear:step=0.1", 9162057771684680680 },
		{ "fibonacci:second=0.7", 5505160213473418994 },
		{ "list:0.1,0.7,0.3", 802623370099406888 },
		{ "lild:up=0.1,down=-0.1", 824498271058128669 },
		{ "limd:up=0.1,down=0.7", 824498271058128669 },
		{ "mild:up=1.1,down=-0.1", 1805592960860500355 },
		{ "mimd:up=1.1,down=0.7", 1805592960860500355 },
		{ "polynomial:power=1.7", 4815047792471956406 },
		{ "exponential:factor=1.6", 6797731812803996274 },
		{ "exponential:factor=0.93", 4845619836817184330 },
		{ "steps:steps=7", 5432161497362379756 },
		{ "smooth", 84927388184705323 },
		{ "slots", 371334741881405857 },
		{ "decorrelated", 2549095297467099107 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct backoff backoff = backoff_of(rows[i].text, 0.3, 1e9);
		struct level level = { 0 };
		uint64_t sum = 0;

		for (uint64_t n = 1; n <= 3000; n++) {
			const struct random random = { .seed = n / 30 };
			const double u = random_uniform(&random, n, DRAW_DELAY);
			const double delay =
			    backoff_nominal(&backoff, &level, n % 30 + 1, u);
			uint64_t bits;

			memcpy(&bits, &delay, sizeof(bits));
			sum = sum * 31 + bits;
		}
		ROW("%s", rows[i].text);
		CHECK_INT((intmax_t)(sum >> 1), rows[i].want);
		free(backoff.values);
	}
	for (const struct strategy *row = strategies; row->name != NULL;
	     row++) {
		size_t i = 0;

		while (i < COUNT(rows) &&
		    strncmp(rows[i].text, row->name, strlen(row->name)) != 0)
			i++;
		ROW("no sum for %s", row->name);
		CHECK(i < COUNT(rows));
	}
}

int
main(void)
{
	return RUN_ALL();
}
