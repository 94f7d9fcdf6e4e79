/* SPDX-License-Identifier: MIT */

#ifndef FILE_H
#define FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct stat;

/* Stands for a descriptor that is closed. */
#define NO_DESCRIPTOR (-1)

/*
 * Descriptors of `retry`'s own are closed on exec, and above 2, since a child
 * must find 0, 1 or 2 closed if `retry` was started so.  Opening a file that
 * the user named follows no symbolic link, does not wait for the reader of a
 * pipe or for a modem, and makes no terminal the controlling one.
 */

/*
 * Moves a descriptor above 2.  Passes -1 through, with errno.  Returns the new
 * descriptor, or -1 with errno set.
 */
int file_above_2(int descriptor);

/* Closes a descriptor, if it is one, and forgets it; errno stays. */
void file_close(int *descriptor);

/*
 * Opens /dev/null; if there is none, as in a chroot, an empty file in memory.
 * Returns its descriptor, or -1 with errno set by /dev/null.
 */
int file_null(void);

/*
 * Makes a pipe, at whose first end reads do not block.  Returns 0, or -1 with
 * errno set and no end open: both are NO_DESCRIPTOR.
 */
int file_pipe(int ends[2]);

/*
 * Reads the beginning of a file as text, up to size - 1 bytes.  Returns how
 * many, or -1 with errno set and an empty text.
 */
ssize_t file_read(const char *name, char *text, size_t size);

/*
 * The offset of a file, as lseek(2) tells it, which waits for whoever reads or
 * writes the file, and for ever if that hangs.  Returns -1 if /proc does not
 * tell it.
 */
off_t file_offset(int descriptor);

/*
 * Makes a file in memory, after another could not be opened, whose error stays
 * in errno; `name` shows in /proc alone.  Returns its descriptor, or -1.
 */
int file_in_memory(const char *name);

/*
 * Whether splice(2) that failed with this error cannot serve a descriptor at
 * all, so that read(2) and write(2) must: the descriptor is of the wrong kind,
 * or a sandbox forbids the call.
 */
bool file_must_copy(int error);

/*
 * Lets a pipe that holds less hold a megabyte, if that is allowed, so that its
 * writer and its reader take turns less often.
 */
void file_widen_pipe(int descriptor);

/*
 * open(2) with these flags; a file that is created is for its owner alone.
 * Returns the descriptor, or -1 with errno set.
 */
int file_open(const char *name, int flags);

/*
 * Opens the file for reading and writing and takes its lock, which the kernel
 * takes back from a process that dies.  With O_CREAT in `flags` creates the
 * file if it is missing.  Returns the descriptor, or -1 with errno set:
 * EWOULDBLOCK if another process has the lock.
 */
int file_lock(const char *name, int flags);

/*
 * Finds the number of the descriptor that a name stands for: "-", "fd:7",
 * "/dev/stdout"; -1 if the name is a file's.  Returns NULL, or what is wrong
 * with the name.
 */
const char *file_descriptor(const char *name, int *descriptor);

/*
 * Opens an inherited descriptor once more, for writing alone: a pipe or a
 * terminal so that nobody waits for its reader, anything else so that both
 * share their place in it.  The processes that are started do not get a
 * descriptor above 2.  Returns the new descriptor, or -1 with errno set.
 */
int file_share(int descriptor);

/* Says why one of these failed with this errno. */
const char *file_problem(int error);

/* Whether it is the socket of systemd's journal. */
bool file_is_journal(int descriptor);

/* Returns NULL, or why nothing can be kept in a file that is open. */
const char *file_check(int descriptor);

/* Whether both are of the same file. */
bool file_is_same(const struct stat *one, const struct stat *other);

/*
 * Writes the text to a new file, which then takes the place of the old one, so
 * that a crash or a full disk leaves the one or the other.  Fails with EEXIST
 * if there is a file at `new_name`.  Returns 0, or -1 with errno set.
 */
int file_replace(const char *name, const char *new_name, const char *text);

#endif
