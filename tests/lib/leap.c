/* SPDX-License-Identifier: MIT */

/*
 * To be preloaded: a wall clock that leaps by $LEAP seconds each time it is
 * read.
 */

#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* That of musl with 32 bits. */
#ifndef SYS_clock_gettime
#define SYS_clock_gettime SYS_clock_gettime64
#endif

int
clock_gettime(clockid_t clock, struct timespec *now)
{
	static time_t leaped;
	const char *leap = getenv("LEAP");

	if (syscall(SYS_clock_gettime, clock, now) == -1)
		return -1;
	if (clock != CLOCK_REALTIME || leap == NULL)
		return 0;
	leaped += strtol(leap, NULL, 10);
	now->tv_sec += leaped;
	return 0;
}

int
gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec exact;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &exact);
	now->tv_sec = exact.tv_sec;
	now->tv_usec = exact.tv_nsec / 1000;
	return 0;
}
