#ifndef SPOOL_H
#define SPOOL_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * A temporary file without a name, so that nothing of it survives `retry`
 * whatever ends it: bytes are added at its end and taken off its front.  It
 * lies in $TMPDIR, or in /tmp; if no file can be made there, in memory.
 *
 * Bytes are never written over: what was spliced out of the file may still be
 * its pages, in a pipe that nobody has read yet.
 */
struct spool {
	int fd;	     /* -1: not open, and empty */
	off_t start; /* of the bytes that are left */
	off_t end;
};

#define SPOOL_CLOSED \
	{ \
		.fd = -1 \
	}

/* Names the file in a message of an error. */
#define SPOOL_NAME "temporary file"

/* Tells on stderr that a temporary file failed, why (errno) and where. */
void spool_warn(void);

/*
 * Opens the file unless it is open.  Returns 0, or -1 with the errno that the
 * folder gave.
 */
int spool_open(struct spool *spool);

void spool_close(struct spool *spool);

/* Takes everything off; the file stays open. */
void spool_empty(struct spool *spool);

/*
 * A descriptor of its own offset, at `from`, for reading only.  Returns it, or
 * -1 with errno set.
 */
int spool_reader(const struct spool *spool, off_t from);

/*
 * Whether splice(2) or sendfile(2) that failed with this error cannot serve a
 * descriptor at all, so that read(2) and write(2) must: the descriptor is of
 * the wrong kind, or a sandbox forbids the call.
 */
bool spool_must_copy(int error);

/* Adds bytes.  Returns 0, or -1 with errno set. */
int spool_write(struct spool *spool, const void *data, size_t size);

/* Whether the last byte that was added is not a newline. */
bool spool_is_ragged(const struct spool *spool);

/* Adds a message, which begins a line.  Returns 0, or -1 with errno set. */
int spool_tell(struct spool *spool, const char *message, size_t size);

/*
 * Adds what a descriptor gives, `most` bytes of it: of a pipe without waiting,
 * of anything else as read(2) does.  Returns how many, 0 at its end, or -1 with
 * errno set: EAGAIN where a pipe is empty.
 */
ssize_t spool_take(struct spool *spool, int descriptor, size_t most);

/* Adds all that another spool holds.  Returns 0, or -1 with errno set. */
int spool_append(struct spool *spool, const struct spool *from);

#endif
