#ifndef DESCRIPTOR_H
#define DESCRIPTOR_H

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

/*
 * Lets a pipe hold a megabyte, if it may, where it holds less: who writes and
 * who reads then take turns less often.
 */
void descriptor_widen(int fd);

#endif
