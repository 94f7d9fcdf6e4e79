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
 * Moves the bytes from a pipe of our own to a pipe of somebody else, which
 * blocks, and whose room others may take between a look and a write.
 */
static ssize_t
write_to_pipe(struct sink *sink, const char *bytes, size_t size)
{
	int *ends = sink->ends;

	if (!sink->has_ends && file_pipe(ends) == -1)
		return -1;
	sink->has_ends = true;
	/* The kernel may give a user who has many pipes little room in one. */
	const int room = fcntl(ends[1], F_GETPIPE_SZ);
	const size_t most = room < PIPE_BUF ? PIPE_BUF : (size_t)room;
	const ssize_t written =
	    write(ends[1], bytes, size < most ? size : most);
	const ssize_t moved = written <= 0
	    ? written
	    : splice(ends[0], NULL, sink->descriptor, NULL, (size_t)written,
		  SPLICE_F_NONBLOCK);
	/* What is left in it is still the caller's. */
	if (moved == written && written > 0)
		return moved;
	sink->has_ends = false;
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
write_some(struct sink *sink, const char *bytes, size_t size)
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
	sink->reader = NO_DESCRIPTOR;
	sink->descriptor = own == -1 ? descriptor : own;
	sink_begin(sink);
}

void
sink_close(struct sink *sink)
{
	if (sink->descriptor > STDERR_FILENO)
		close(sink->descriptor);
	if (sink->has_ends) {
		file_close(&sink->ends[0]);
		file_close(&sink->ends[1]);
	}
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
	sink->is_file = S_ISREG(status.st_mode);
	/* Neither does /dev/null, and what else is memory. */
	sink->blocks = !sink->is_file &&
	    !(S_ISCHR(status.st_mode) && major(status.st_rdev) == 1) &&
	    (fcntl(sink->descriptor, F_GETFL) & O_NONBLOCK) == 0;
}

/*
 * Writes as many of the bytes as the reader takes in so many seconds.  Returns
 * how many are left, with errno set.
 */
static size_t
write_in_time(struct sink *sink, const char *bytes, size_t size,
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

/* Returns false with errno set if some of the rest is left. */
static bool
write_rest(struct sink *sink, double patience)
{
	const size_t left =
	    write_in_time(sink, sink->rest, sink->rest_size, patience);

	if (left > 0)
		memmove(sink->rest, sink->rest + sink->rest_size - left, left);
	sink->rest_size = left;
	return left == 0;
}

bool
sink_write(struct sink *sink, const char *bytes, size_t size, double patience)
{
	if (!write_rest(sink, patience) && errno == EAGAIN)
		return false;
	sink->rest_size = 0;
	const size_t left = write_in_time(sink, bytes, size, patience);
	if (left == 0 || left == size || errno != EAGAIN)
		return left == 0;
	char *rest = realloc(sink->rest, left);
	if (rest != NULL) {
		memcpy(rest, bytes + size - left, left);
		sink->rest = rest;
		sink->rest_size = left;
	}
	return true;
}

ssize_t
sink_pass(struct sink *sink, const char *bytes, size_t size)
{
	if (!write_rest(sink, 0))
		return -1;
	const ssize_t written = write_some(sink, bytes, size);
	if (written > 0)
		sink->mid_line = bytes[written - 1] != '\n';
	return written;
}
