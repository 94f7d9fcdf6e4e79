#ifndef DESCRIPTOR_H
#define DESCRIPTOR_H

#include <stdbool.h>

struct stat;

/*
 * Moves a descriptor of `retry`'s own above 2, closed on exec: a child may
 * have 0, 1 or 2 closed, and must not find it there.  Passes -1 through, with
 * errno.  Returns the new descriptor, or -1 with errno set.
 */
int descriptor_raise(int descriptor);

/*
 * A file in memory, which has no name in any folder; `name` shows in /proc
 * alone.  Returns its descriptor, above 2, or -1 with errno set.
 */
int descriptor_in_memory(const char *name);

/* Why open(2) with O_NOFOLLOW and O_NONBLOCK failed with this errno. */
const char *descriptor_problem(int error);

/* NULL, or why what this tells of is no file to keep anything in. */
const char *descriptor_check_kind(const struct stat *status);

/* NULL, or why what is open there is no file to keep anything in. */
const char *descriptor_check_file(int descriptor);

/* Whether both tell of one file. */
bool descriptor_is_same(const struct stat *one, const struct stat *other);

/*
 * Lets a pipe hold a megabyte, if it may, where it holds less: who writes and
 * who reads then take turns less often.
 */
void descriptor_widen(int fd);

#endif
