/* SPDX-License-Identifier: MIT */

#include "random.h"

#define GAMMA UINT64_C(0x9e3779b97f4a7c15)

/*
 * SplitMix64's finalizer (Steele, Lea, Flood: "Fast splittable pseudorandom
 * number generators", 2014; David Stafford's variant 13).
 */
static uint64_t
mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/*
 * SplitMix64 counts up by GAMMA before it mixes, so its k-th number needs none
 * of those before it.  The seed is mixed too: neighbouring seeds would share a
 * sequence, shifted.
 */
double
random_uniform(const struct random *random, uint64_t attempt, enum draw purpose)
{
	const size_t length = random->script_length;
	const uint64_t k = attempt * DRAW_PURPOSES + purpose;

	/* The first number is for the first retry. */
	if (length > 0)
		return random->script[(attempt + length - 2) % length];
	const uint64_t bits = mix(mix(random->seed + GAMMA) + (k + 1) * GAMMA);
	return (double)(bits >> 11) * 0x1p-53;
}

uint64_t
random_seed(const struct random *random, uint64_t n)
{
	return (uint64_t)(random_uniform(random, n, DRAW_SEED) * 0x1p53);
}
