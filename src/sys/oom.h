/* SPDX-License-Identifier: MIT */

#ifndef OOM_H
#define OOM_H

#include <stdbool.h>

/*
 * The kernel's count of the processes that it killed because memory ran out, in
 * the cgroup of `retry`, which the attempts are in as well.
 */
struct oom {
	int fd; /* the file that has the count; 0: it was not looked for yet;
		   NO_DESCRIPTOR: there is none */
	long long count; /* as the attempt was started; -1: unknown */
};

/*
 * An attempt was just started.  The first one finds the count; without one, no
 * attempt ever ran out of memory.
 */
void oom_begin(struct oom *oom);

/* Whether the count has grown since. */
bool oom_grew(const struct oom *oom);

void oom_close(struct oom *oom);

#endif
