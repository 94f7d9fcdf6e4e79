/* SPDX-License-Identifier: MIT */

/*
 * Linked into the program if it counts which lines are tried: the counts are
 * written as main returns, but not at an end by _exit(2) or by a signal.
 */

#include <gcov.h>
#include <signal.h>
#include <unistd.h>

_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
int __real_raise(int signal);
int __wrap_raise(int signal);

void
__wrap__exit(int status)
{
	__gcov_dump();
	__real__exit(status);
}

int
__wrap_raise(int signal)
{
	__gcov_dump();
	/* Some signals only stop it. */
	__gcov_reset();
	return __real_raise(signal);
}
