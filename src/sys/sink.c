/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "sys/events.h"
#include "sys/file.h"
#include "sys/messages.h"

/*
 * Moves the bytes, by way of a pipe of our own, to a pipe of somebody else,
 * which blocks, and whose room others may take between a look and a write.
 */
static ssize_t
write_to_pipe(const struct sink *sink, const char *bytes, size_t size)
{
	int ends[2];

	if (file_pipe(ends) == -1)
		return -1;
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	ssize_t moved = write(ends[1], bytes, size);
	if (moved > 0)
		moved = splice(ends[0], NULL, sink->descriptor, NULL,
		    (size_t)moved, SPLICE_F_NONBLOCK);
	file_close(&ends[0]);
	file_close(&ends[1]);
	return moved;
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
		written = write_to_pipe(sink, bytes, size);
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

/*
 * A descriptor of its own does not block, however others use the one that
 * `retry` was given.
 */
void
sink_open(struct sink *sink, int descriptor)
{
	if (sink->descriptor != 0)
		return;
	const int own = file_share(descriptor);
	sink->descriptor = own == -1 ? descriptor : own;
	sink_begin(sink);
}

void
sink_close(struct sink *sink)
{
	if (sink->descriptor > STDERR_FILENO)
		close(sink->descriptor);
	free(sink->rest);
}

void
sink_begin(struct sink *sink)
{
	struct stat status;

	if (fstat(sink->descriptor, &status) == -1)
		return;
	sink->is_socket = S_ISSOCK(status.st_mode);
	sink->is_pipe = S_ISFIFO(status.st_mode);
	/* Neither does /dev/null, and what else is memory. */
	sink->blocks = !S_ISREG(status.st_mode) &&
	    !(S_ISCHR(status.st_mode) && major(status.st_rdev) == 1) &&
	    (fcntl(sink->descriptor, F_GETFL) & O_NONBLOCK) == 0;
}

/*
 * Writes as many of the bytes as the reader takes in so many seconds.  Returns
 * how many are left, with errno set.
 */
static size_t
write_in_time(const struct sink *sink, const char *bytes, size_t size,
    double patience)
{
	struct pollfd poll_fd = { .fd = sink->descriptor, .events = POLLOUT };
	double end = 0;

	while (size > 0) {
		const ssize_t written = write_some(sink, bytes, size);

		if (written != -1) {
			bytes += written;
			size -= (size_t)written;
			continue;
		}
		if (errno != EAGAIN || patience == 0)
			break;
		const double time = events_time(CLOCK_MONOTONIC);
		if (end == 0)
			end = time + patience;
		if (time >= end)
			break;
		poll(&poll_fd, 1, (int)((end - time) * 1000) + 1);
	}
	return size;
}

/* The rest of what was written before and the bytes are written as one. */
bool
sink_write(struct sink *sink, const char *bytes, size_t size, double patience)
{
	const size_t whole = sink->rest_size + size;
	char *text = realloc(sink->rest, whole + 1);

	if (text == NULL)
		return false;
	memcpy(text + sink->rest_size, bytes, size);
	size_t left = write_in_time(sink, text, whole, patience);
	const size_t written = whole - left;
	const bool waits = left > 0 && errno == EAGAIN;
	const bool taken = left == 0 || (waits && left < size);
	if (!waits)
		left = 0;
	else if (!taken) /* none of the bytes is lost in part */
		left -= size;
	memmove(text, text + written, left);
	sink->rest = text;
	sink->rest_size = left;
	return taken;
}

ssize_t
sink_pass(struct sink *sink, const char *bytes, size_t size)
{
	if (sink->rest_size > 0 && !sink_write(sink, "", 0, 0))
		return -1;
	const ssize_t written = write_some(sink, bytes, size);
	if (written > 0)
		sink->mid_line = bytes[written - 1] != '\n';
	return written;
}
