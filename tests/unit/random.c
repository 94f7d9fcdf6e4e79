/* SPDX-License-Identifier: MIT */

#include "core/random.h"
#include "distribution.h"
#include "tap.h"

#define SAMPLE 10000

static double
seeded(uint64_t seed, uint64_t attempt, enum draw purpose)
{
	struct random random = { .seed = seed };

	return random_uniform(&random, attempt, purpose);
}

/*
 * Computed apart from this source, from the definition of SplitMix64.  What a
 * seed gives is a promise: these figures change with the major version only.
 */
TEST(a_seed_gives_these_draws_in_every_release)
{
	static const struct {
		uint64_t seed, attempt;
		double draws[3]; /* delay, splay, hint */
	} rows[] = {
		{ 0, 1,
		    { 0x1.803ee354a3494p-2, 0x1.2329ab7fe0772p-1,
			0x1.9b23fcd76ad50p-2 } },
		{ 0, 2,
		    { 0x1.64c3da3c96225p-1, 0x1.8d363854b9568p-1,
			0x1.ad7823b1cac38p-1 } },
		{ 1, 1,
		    { 0x1.6a4f2033b0b88p-3, 0x1.f3851768413e8p-3,
			0x1.3ac0144a1ccdbp-1 } },
		{ 1, 3,
		    { 0x1.bf5356fffb284p-3, 0x1.db2fec88e99e8p-4,
			0x1.0011d34cc644ap-1 } },
		{ 42, 2,
		    { 0x1.159ee8ebbe2f9p-1, 0x1.c9e22b14fc012p-2,
			0x1.506f99afa7be8p-1 } },
		{ 42, UINT64_MAX,
		    { 0x1.06069570c2694p-1, 0x1.785e088abdc98p-4,
			0x1.96960619a94a7p-1 } },
		{ INT64_MAX, 1,
		    { 0x1.d64f3e53daaa2p-2, 0x1.c2431f2267df4p-3,
			0x1.1c2497703f7e0p-2 } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		ROW("seed %ju attempt %ju", (uintmax_t)rows[i].seed,
		    (uintmax_t)rows[i].attempt);
		CHECK(seeded(rows[i].seed, rows[i].attempt, DRAW_DELAY) ==
		    rows[i].draws[0]);
		CHECK(seeded(rows[i].seed, rows[i].attempt, DRAW_SPLAY) ==
		    rows[i].draws[1]);
		CHECK(seeded(rows[i].seed, rows[i].attempt, DRAW_HINT) ==
		    rows[i].draws[2]);
	}
}

TEST(a_draw_does_not_depend_on_those_before_it)
{
	struct random random = { .seed = 7 };
	const double third = random_uniform(&random, 3, DRAW_DELAY);

	random_uniform(&random, 1, DRAW_DELAY);
	random_uniform(&random, 3, DRAW_HINT);
	CHECK(random_uniform(&random, 3, DRAW_DELAY) == third);
}

TEST(draws_of_successive_attempts_are_uniform)
{
	static double sample[SAMPLE];

	for (int seed = 0; seed < 3; seed++)
		for (int purpose = DRAW_DELAY; purpose <= DRAW_HINT;
		     purpose++) {
			ROW("seed %d purpose %d", seed, purpose);
			for (unsigned int i = 0; i < SAMPLE; i++)
				sample[i] = seeded((uint64_t)seed, i + 1,
				    (enum draw)purpose);
			CHECK(distribution_ks(sample, SAMPLE, 0, 1) < KS_LIMIT);
		}
}

/* Hosts that count up their seeds must not wait alike. */
TEST(draws_of_neighbouring_seeds_are_uniform_and_apart)
{
	static double sample[SAMPLE];
	double product = 0;

	for (unsigned int i = 0; i < SAMPLE; i++) {
		sample[i] = seeded(i, 1, DRAW_DELAY);
		product +=
		    (sample[i] - 0.5) * (seeded(i + 1, 1, DRAW_DELAY) - 0.5);
	}
	/* Five standard deviations of a sum of products. */
	CHECK(fabs(product) < 5 * sqrt(SAMPLE) / 12);
	CHECK(distribution_ks(sample, SAMPLE, 0, 1) < KS_LIMIT);
}

TEST(a_script_gives_its_numbers_over_and_over)
{
	static const double script[] = { 0, 0.25, 0.75 };
	struct random random = { .script = script,
		.script_length = COUNT(script) };

	for (size_t i = 0; i < 7; i++)
		CHECK(random_uniform(&random, i + 2, DRAW_DELAY) ==
		    script[i % 3]);
}

int
main(void)
{
	return RUN_ALL();
}
