/* SPDX-License-Identifier: MIT */

#include <float.h>

#include "core/duration.h"
#include "core/jitter.h"
#include "core/random.h"
#include "distribution.h"
#include "tap.h"

#define SAMPLE 10000

static struct jitter
jitter_of(const char *text, enum jitter_order order)
{
	struct jitter jitter = { .order = order };

	CHECK(jitter_parse(text, &jitter) == NULL);
	return jitter;
}

TEST(a_kind_is_read_or_refused_in_words)
{
	static const struct {
		const char *text, *problem, *kind;
		double amount;
	} rows[] = {
		{ "none", NULL, "none", 0 },
		{ "full", NULL, "full", 0 },
		{ "equal", NULL, "equal", 0 },
		{ "half", NULL, "equal", 0 },
		{ "0", NULL, "RATIO", 0 },
		{ "0.2", NULL, "RATIO", 0.2 },
		{ ".5", NULL, "RATIO", 0.5 },
		{ "1", NULL, "RATIO", 1 },
		{ "20%", NULL, "RATIO", 0.2 },
		{ "100%", NULL, "RATIO", 1 },
		{ "+0", NULL, "+DUR", 0 },
		{ "+5", NULL, "+DUR", 5 },
		{ "+1m30s", NULL, "+DUR", 90 },

		{ "", "unknown jitter", NULL, 0 },
		{ "Full", "unknown jitter", NULL, 0 },
		{ "fully", "unknown jitter", NULL, 0 },
		{ "RATIO", "unknown jitter", NULL, 0 },
		{ "nan", "unknown jitter", NULL, 0 },
		{ "%", "unknown jitter", NULL, 0 },
		{ "1.01", "more than 1", NULL, 0 },
		{ "101%", "more than 1", NULL, 0 },
		{ "1e400", "more than 1", NULL, 0 },
		{ "-0.1", "negative", NULL, 0 },
		{ ".", "not a number", NULL, 0 },
		{ "20%%", "not a ratio", NULL, 0 },
		{ "0.2s", "not a ratio", NULL, 0 },
		{ "0x1", "hexadecimal", NULL, 0 },
		{ "+", "empty", NULL, 0 },
		{ "+-1", "negative", NULL, 0 },
		{ "+10001d", "longer than 10000 days", NULL, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct jitter jitter = { .order = JITTER_AFTER_CAP };

		ROW("%s", rows[i].text);
		CHECK_STR(jitter_parse(rows[i].text, &jitter), rows[i].problem);
		CHECK(jitter.order == JITTER_AFTER_CAP);
		if (rows[i].problem != NULL)
			continue;
		CHECK_STR(jitter.kind->name, rows[i].kind);
		CHECK_DBL(jitter.amount, rows[i].amount, 1e-15);
	}
}

/* The formulas of each kind at both ends of chance and in its middle. */
TEST(a_kind_spreads_the_delay_by_its_formula)
{
	static const struct {
		const char *jitter;
		enum jitter_order order;
		double min, cap, nominal;
		double delay[3]; /* for u = 0, 0.5 and 1 */
	} rows[] = {
		{ "none", JITTER_INSIDE, 0, 60, 8, { 8, 8, 8 } },
		{ "none", JITTER_INSIDE, 0, 60, 80, { 60, 60, 60 } },
		{ "none", JITTER_INSIDE, 2, 60, 1, { 2, 2, 2 } },
		{ "full", JITTER_INSIDE, 0, 60, 8, { 0, 4, 8 } },
		{ "full", JITTER_INSIDE, 0, 60, 1e300, { 0, 30, 60 } },
		{ "full", JITTER_INSIDE, 5, 60, 1, { 5, 7.5, 10 } },
		{ "full", JITTER_INSIDE, 5, 60, 8, { 5, 7.5, 10 } },
		{ "full", JITTER_INSIDE, 5, 60, 25, { 5, 15, 25 } },
		{ "full", JITTER_INSIDE, 5, 8, 1, { 5, 6.5, 8 } },
		{ "full", JITTER_INSIDE, 5, 5, 1, { 5, 5, 5 } },
		{ "equal", JITTER_INSIDE, 5, 60, 1, { 5, 6.25, 7.5 } },
		{ "equal", JITTER_INSIDE, 5, 60, 9, { 5, 7, 9 } },
		{ "1", JITTER_INSIDE, 5, 60, 1, { 5, 10, 15 } },
		{ "equal", JITTER_INSIDE, 0, 60, 8, { 4, 6, 8 } },
		{ "equal", JITTER_INSIDE, 0, 60, 90, { 30, 45, 60 } },
		{ "0.25", JITTER_INSIDE, 0, 60, 8, { 6, 8, 10 } },
		{ "0.25", JITTER_INSIDE, 0, 60, 90, { 36, 48, 60 } },
		{ "1", JITTER_INSIDE, 0, 60, 90, { 0, 30, 60 } },
		{ "0.25", JITTER_INSIDE, 7, 60, 8, { 7, 8.75, 10.5 } },
		{ "+5", JITTER_INSIDE, 0, 60, 8, { 8, 10.5, 13 } },
		{ "+5", JITTER_INSIDE, 0, 60, 90, { 55, 57.5, 60 } },

		{ "0.25", JITTER_BEFORE_CAP, 0, 60, 90, { 45, 60, 60 } },
		{ "0.25", JITTER_BEFORE_CAP, 0, 60, 56, { 42, 56, 60 } },
		{ "0.25", JITTER_BEFORE_CAP, 7, 60, 4, { 7, 8.75, 10.5 } },
		{ "+5", JITTER_BEFORE_CAP, 0, 60, 58, { 58, 60, 60 } },
		{ "+5", JITTER_BEFORE_CAP, 3, 60, 1, { 3, 5.5, 8 } },

		{ "0.25", JITTER_AFTER_CAP, 0, 60, 90, { 45, 60, 75 } },
		{ "0.25", JITTER_AFTER_CAP, 50, 60, 90, { 50, 62.5, 75 } },
		{ "+5", JITTER_AFTER_CAP, 0, 60, 90, { 60, 62.5, 65 } },

		/* The order is of no account to the others. */
		{ "none", JITTER_BEFORE_CAP, 0, 60, 90, { 60, 60, 60 } },
		{ "full", JITTER_BEFORE_CAP, 0, 60, 1e300, { 0, 30, 60 } },
		{ "full", JITTER_AFTER_CAP, 0, 60, 90, { 0, 30, 60 } },
		{ "equal", JITTER_BEFORE_CAP, 0, 60, 90, { 30, 45, 60 } },
		{ "equal", JITTER_AFTER_CAP, 0, 60, 90, { 30, 45, 60 } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct jitter jitter =
		    jitter_of(rows[i].jitter, rows[i].order);
		const struct backoff backoff = { .min = rows[i].min,
			.cap = rows[i].cap,
			.most = rows[i].cap };

		ROW("%s order %d of %g", rows[i].jitter, rows[i].order,
		    rows[i].nominal);
		for (int j = 0; j < 3; j++)
			CHECK_DBL(jitter_delay(&jitter, &backoff,
				      rows[i].nominal, j / 2.0),
			    rows[i].delay[j], 1e-15);
	}
}

TEST(a_cap_that_was_not_given_bounds_the_nominal_delay_alone)
{
	const struct backoff backoff = { .cap = 60 };
	struct jitter jitter = jitter_of("20%", JITTER_INSIDE);

	CHECK_DBL(jitter_delay(&jitter, &backoff, 1e300, 0), 48, 1e-15);
	CHECK_DBL(jitter_delay(&jitter, &backoff, 1e300, 1), 72, 1e-15);
	CHECK_DBL(jitter_room(&jitter, &backoff), 60, 0);
	jitter = jitter_of("+30", JITTER_INSIDE);
	CHECK_DBL(jitter_delay(&jitter, &backoff, 1e300, 1), 90, 1e-15);
}

TEST(room_is_left_below_a_cap_that_was_given)
{
	const struct backoff backoff = { .cap = 60, .most = 60 };
	struct jitter jitter = jitter_of("20%", JITTER_INSIDE);

	CHECK_DBL(jitter_room(&jitter, &backoff), 50, 1e-15);
	jitter = jitter_of("+61", JITTER_INSIDE);
	CHECK_DBL(jitter_room(&jitter, &backoff), -1, 1e-15);
	jitter = jitter_of("20%", JITTER_AFTER_CAP);
	CHECK_DBL(jitter_room(&jitter, &backoff), 60, 0);
	jitter = jitter_of("full", JITTER_INSIDE);
	CHECK_DBL(jitter_room(&jitter, &backoff), 60, 0);
}

/* One delay in all that may go wrong. */
static void
check_sound(const struct jitter *jitter, const struct backoff *backoff,
    double nominal)
{
	const bool capped =
	    backoff->most > 0 && jitter->order != JITTER_AFTER_CAP;
	const double chances[] = { 0, DBL_TRUE_MIN, 0.5, 1 - 0x1p-53, 1 };
	double before = 0;

	for (size_t i = 0; i < COUNT(chances); i++) {
		const double delay =
		    jitter_delay(jitter, backoff, nominal, chances[i]);

		ROW("%s order %d of %g in [%g, %g] at %g", jitter->kind->name,
		    jitter->order, nominal, backoff->min, backoff->cap,
		    chances[i]);
		CHECK(isfinite(delay) && delay >= backoff->min);
		CHECK(!capped || delay <= backoff->cap);
		CHECK(delay >= before);
		before = delay;
	}
}

TEST(every_delay_is_finite_within_its_bounds_and_rises_with_chance)
{
	const char *const kinds[] = { "none", "full", "equal", "0", "0.2",
		"0.333333", "1", "+0", "+0.1", "+1d" };
	const double nominals[] = { 0, DBL_TRUE_MIN, DBL_MIN, 1e-6, 0.1, 1, 3,
		86400, DURATION_MAX, 1e18, 1e300 };
	const double caps[] = { 86400, 86400.1, 1e5 / 3, 1e5, DURATION_MAX };
	const double floors[] = { 0, 1e-6, 1. / 3 };

	for (size_t k = 0; k < COUNT(kinds); k++)
		for (int order = 0; order < 3; order++)
			for (size_t c = 0; c < COUNT(caps) * 2; c++) {
				const struct jitter jitter = jitter_of(kinds[k],
				    (enum jitter_order)order);
				struct backoff backoff = { .cap = caps[c / 2],
					.most = c % 2 * caps[c / 2] };

				backoff.min = floors[(k + c) % COUNT(floors)];
				if (jitter_room(&jitter, &backoff) <
				    backoff.min)
					continue;
				for (size_t n = 0; n < COUNT(nominals); n++)
					check_sound(&jitter, &backoff,
					    nominals[n]);
			}
}

TEST(draws_are_uniform_over_the_range_that_is_told)
{
	static const struct {
		const char *jitter;
		enum jitter_order order;
		double low,
		    high; /* of a nominal delay of 80 under a cap of 60 */
	} rows[] = {
		{ "full", JITTER_INSIDE, 0, 60 },
		{ "equal", JITTER_INSIDE, 30, 60 },
		{ "20%", JITTER_INSIDE, 40, 60 },
		{ "20%", JITTER_AFTER_CAP, 48, 72 },
		{ "100%", JITTER_INSIDE, 0, 60 },
		{ "+10", JITTER_INSIDE, 50, 60 },
		{ "+10", JITTER_AFTER_CAP, 60, 70 },
	};
	const struct backoff backoff = { .cap = 60, .most = 60 };
	static double sample[SAMPLE];

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct jitter jitter =
		    jitter_of(rows[i].jitter, rows[i].order);
		struct random random = { .seed = 1 + i };

		ROW("%s order %d", rows[i].jitter, rows[i].order);
		for (size_t k = 0; k < SAMPLE; k++)
			sample[k] = jitter_delay(&jitter, &backoff, 80,
			    random_uniform(&random, k + 1, DRAW_DELAY));
		CHECK(distribution_ks(sample, SAMPLE, rows[i].low,
			  rows[i].high) < KS_LIMIT);
	}
}

int
main(void)
{
	return RUN_ALL();
}
