/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/file.h"
#include "sys/sink.h"

/* Milliseconds that the end of a run waits for a reader of half a line. */
#define REST_PATIENCE 1000

/*
 * A file grows bit by bit while another process writes a line to it.  The last
 * line has no end only if the file keeps its size for LOOKS looks, with pauses
 * of so many nanoseconds.  After LOOKS_MOST looks it has none in any case.
 */
#define LOOKS 20
#define LOOKS_MOST 100
#define LOOK_PAUSE 1000000

void
sink_complain(struct sink *sink, int error)
{
	char safe[128];

	if (!sink->failed && sink->name != NULL)
		warnx("%s: %s: %s", sink->option,
		    text_safe(sink->name, safe, sizeof(safe)),
		    error == EAGAIN ? "lines are left out: nobody reads them"
				    : strerror(error));
	sink->failed = true;
}

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

/* Writes bytes until there is no room.  Returns how many are left. */
static size_t
write_all(struct sink *sink, const char *bytes, size_t size)
{
	while (size > 0) {
		const ssize_t written = write_some(sink, bytes, size);

		if (written == -1) {
			if (errno != EAGAIN)
				sink_complain(sink, errno);
			return size;
		}
		bytes += written;
		size -= (size_t)written;
	}
	return 0;
}

/* Writes the rest of a line.  Returns whether nothing of it is left. */
static bool
write_rest(struct sink *sink)
{
	const size_t left = write_all(sink, sink->rest, sink->rest_size);

	if (left > 0) {
		memmove(sink->rest, sink->rest + sink->rest_size - left, left);
		sink->rest_size = left;
		return false;
	}
	free(sink->rest);
	sink->rest = NULL;
	return true;
}

/* Whether the file that the log goes to ends in the middle of a line. */
static bool
file_ends_mid_line(const struct sink *sink)
{
	const struct timespec pause = { .tv_nsec = LOOK_PAUSE };
	struct stat status;
	off_t size = 0;
	int same = 0;
	char last;

	for (int look = 0; look < LOOKS_MOST && same < LOOKS; look++) {
		if (look > 0)
			nanosleep(&pause, NULL);
		if (fstat(sink->reader, &status) == -1 || status.st_size == 0 ||
		    pread(sink->reader, &last, 1, status.st_size - 1) != 1 ||
		    last == '\n')
			return false;
		same = status.st_size == size ? same + 1 : 0;
		size = status.st_size;
	}
	return true;
}

/* Whether the last line in the place that the log goes to has no end. */
static bool
ends_mid_line(const struct sink *sink, const struct output *output)
{
	if (sink->name == NULL || sink->has_output)
		return output_ends_mid_line(output,
		    sink->name == NULL ? ERR : OUT);
	return sink->reader != NO_DESCRIPTOR && file_ends_mid_line(sink);
}

/*
 * Writes to standard error, and waits for its reader, also if others have made
 * it non-blocking.
 */
static void
write_stderr(const char *bytes, size_t size)
{
	while (size > 0) {
		const ssize_t written = write(STDERR_FILENO, bytes, size);

		if (written >= 0) {
			bytes += written;
			size -= (size_t)written;
		} else if (errno == EAGAIN &&
		    fcntl(STDERR_FILENO, F_GETFL) & O_NONBLOCK)
			file_wait_for_room(STDERR_FILENO);
		else
			return;
	}
}

/* Writes what a format has written to memory. */
static void
write_text(struct sink *sink)
{
	const size_t size = sink->size;

	if (sink->name == NULL) {
		write_stderr(sink->text, size);
		return;
	}
	if (sink->rest != NULL && !write_rest(sink)) {
		sink_complain(sink, EAGAIN);
		return;
	}
	const size_t left = write_all(sink, sink->text, size);
	if (left == 0)
		return;
	if (left < size) {
		/* The end of this line comes before the next one. */
		sink->rest = strdup(sink->text + size - left);
		sink->rest_size = sink->rest == NULL ? 0 : left;
	} else
		sink_complain(sink, EAGAIN);
}

/* Ends the line that the attempts' output, or another program, has begun. */
static void
end_line(struct sink *sink, struct output *output)
{
	if (sink->name == NULL) {
		write_stderr("\n", 1);
		output_line_is(output, ERR, true);
	} else if (write_all(sink, "\n", 1) == 0)
		output_line_is(output, OUT, true);
}

void
sink_flush(struct sink *sink, struct output *output, bool begins_line)
{
	fflush(sink->file);
	if (sink->size == 0)
		return;
	if (begins_line && *sink->text != '\n' && ends_mid_line(sink, output))
		end_line(sink, output);
	write_text(sink);
	rewind(sink->file);
	sink->size = 0;
}

void
sink_finish(struct sink *sink)
{
	struct pollfd poll_fd = { .fd = sink->descriptor, .events = POLLOUT };

	while (sink->rest != NULL) {
		if (poll(&poll_fd, 1, REST_PATIENCE) != 1) {
			sink_complain(sink, EAGAIN);
			free(sink->rest);
			return;
		}
		if (!write_rest(sink) && sink->failed) {
			free(sink->rest);
			return;
		}
	}
}
