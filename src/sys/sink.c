/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/sink.h"

/*
 * Moves the bytes from a pipe of our own to a pipe of somebody else, which
 * blocks, and whose room others may take between a look and a write.
 */
static ssize_t
write_to_pipe(int descriptor, const char *bytes, size_t size)
{
	int ends[2];

	if (file_pipe(ends) == -1)
		return -1;
	ssize_t written =
	    write(ends[1], bytes, size < PIPE_BUF ? size : PIPE_BUF);
	if (written > 0)
		written = splice(ends[0], NULL, descriptor, NULL,
		    (size_t)written, SPLICE_F_NONBLOCK);
	const int error = errno;
	close(ends[0]);
	close(ends[1]);
	errno = error;
	return written;
}

/*
 * Writes as many of the bytes as there is room for.  Returns how many, or -1
 * with errno set: nothing waits for the reader of a log.  Another user's
 * terminal can only be looked at before, so others may take the room.
 */
static ssize_t
write_some(const struct sink *sink, const char *bytes, size_t size)
{
	struct pollfd poll_fd = { .fd = sink->descriptor, .events = POLLOUT };
	ssize_t written;

	if (sink->is_socket)
		return send(sink->descriptor, bytes, size,
		    MSG_DONTWAIT | MSG_NOSIGNAL);
	if (!sink->blocks)
		return write(sink->descriptor, bytes, size);
	if (sink->is_pipe) {
		written = write_to_pipe(sink->descriptor, bytes, size);
		if (written != -1 || !file_must_copy(errno))
			return written;
	}
	if (poll(&poll_fd, 1, 0) == 0) {
		errno = EAGAIN;
		return -1;
	}
	return write(sink->descriptor, bytes,
	    size < PIPE_BUF ? size : PIPE_BUF);
}

void
sink_begin(struct sink *sink)
{
	struct stat status;

	if (fstat(sink->descriptor, &status) == -1)
		return;
	sink->is_socket = S_ISSOCK(status.st_mode);
	sink->is_pipe = S_ISFIFO(status.st_mode);
	sink->blocks = !S_ISREG(status.st_mode) &&
	    (fcntl(sink->descriptor, F_GETFL) & O_NONBLOCK) == 0;
}

size_t
sink_write(const struct sink *sink, const char *bytes, size_t size)
{
	while (size > 0) {
		const ssize_t written = write_some(sink, bytes, size);

		if (written == -1)
			return size;
		bytes += written;
		size -= (size_t)written;
	}
	return 0;
}

void
sink_keep(struct sink *sink, const char *bytes, size_t size)
{
	char *rest = size == 0 ? NULL : malloc(size);

	if (rest != NULL)
		memcpy(rest, bytes, size);
	free(sink->rest);
	sink->rest = rest;
	sink->rest_size = rest == NULL ? 0 : size;
}
