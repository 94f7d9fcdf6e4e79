/* SPDX-License-Identifier: MIT */

/*
 * moment: prints the monotonic clock, in nanoseconds.
 */

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

int
main(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%" PRId64 "\n",
	    (int64_t)now.tv_sec * 1000000000 + (int64_t)now.tv_nsec);
	return 0;
}
