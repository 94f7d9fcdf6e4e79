/* SPDX-License-Identifier: MIT */

#ifndef SPOOL_H
#define SPOOL_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * A temporary file without a name, so that nothing of it survives `retry`
 * whatever ends it: bytes are added at its end and taken off its front.  It
 * lies in $TMPDIR, or in /tmp; if no file can be made there, in memory.
 */
struct spool {
	int fd;	     /* NO_DESCRIPTOR: not open, and empty */
	off_t start; /* of the bytes that are left */
	off_t end;   /* where the next byte will be added */
};

/* Says that a temporary file failed, why (errno) and where. */
void spool_complain(void);

/*
 * Opens the file unless it is open.  Returns 0, or -1 with the errno that the
 * folder gave.
 */
int spool_open(struct spool *spool);

void spool_close(struct spool *spool);

/* Whether bytes are left. */
bool spool_has_bytes(const struct spool *spool);

/* Takes everything off; the file stays open. */
void spool_empty(struct spool *spool);

/*
 * A descriptor to read from the offset `from` on.  Without /proc its offset is
 * that of all readers, and it can be written to.  Returns it, or -1 with errno
 * set.
 */
int spool_reader(const struct spool *spool, off_t from);

/* Adds bytes.  Returns how many; errno says why these are not all. */
size_t spool_write(struct spool *spool, const char *bytes, size_t size);

/*
 * Takes everything off one file and adds it to another.  Returns 0, or -1 with
 * errno set: what was not moved is left.
 */
int spool_move(struct spool *from, struct spool *to);

/* Whether the last byte is there and is not a newline. */
bool spool_ends_mid_line(const struct spool *spool);

/*
 * Adds what a descriptor gives, `most` bytes of it: of a pipe without waiting,
 * of anything else as read(2) does.  Returns how many, 0 at its end, or -1 with
 * errno set: EAGAIN if a pipe is empty.
 */
ssize_t spool_take(struct spool *spool, int descriptor, size_t most);

#endif
