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

#include "sys/sink.h"

/*
 * Writes as many of the bytes as there is room for.  Returns how many, or -1
 * with errno set: nobody waits for the reader of a log.
 */
static ssize_t
write_some(const struct sink *sink, const char *bytes, size_t size)
{
	struct pollfd poll_fd = { .fd = sink->descriptor, .events = POLLOUT };

	if (sink->is_socket)
		return send(sink->descriptor, bytes, size,
		    MSG_DONTWAIT | MSG_NOSIGNAL);
	if (sink->in_pieces && poll(&poll_fd, 1, 0) == 0) {
		errno = EAGAIN;
		return -1;
	}
	if (sink->in_pieces && size > PIPE_BUF)
		size = PIPE_BUF;
	return write(sink->descriptor, bytes, size);
}

void
sink_begin(struct sink *sink)
{
	struct stat status;

	if (fstat(sink->descriptor, &status) == -1)
		return;
	sink->is_socket = S_ISSOCK(status.st_mode);
	sink->in_pieces = !S_ISREG(status.st_mode) &&
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
