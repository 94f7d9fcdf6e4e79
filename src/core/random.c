#include <stdlib.h>

#include "random.h"

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
 * SplitMix64 counts before it mixes, so its k-th number needs no others.  The
 * seed is mixed too: neighbouring seeds would share a sequence, shifted.
 */
static uint64_t
seeded_bits(uint64_t seed, uint64_t k)
{
	const uint64_t gamma = UINT64_C(0x9e3779b97f4a7c15);

	return mix(mix(seed + gamma) + (k + 1) * gamma);
}

double
random_uniform(struct random *random, uint64_t attempt, enum draw purpose)
{
	uint64_t bits;

	if (random->script_length > 0)
		return random
		    ->script[random->script_position++ % random->script_length];
	if (random->seeded)
		bits = seeded_bits(random->seed,
		    attempt * DRAW_PURPOSES + purpose);
	else
		arc4random_buf(&bits, sizeof(bits));
	return (double)(bits >> 11) * 0x1p-53;
}
