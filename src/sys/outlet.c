#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "sys/file.h"
#include "sys/events.h"
#include "sys/outlet.h"

/* How much is moved at a time, within the kernel and through memory. */
#define MOVE_MOST (1 << 20)
#define COPY_MOST (1 << 16)

/* A terminal that has room has it for so much. */
#define TERMINAL_ROOM 256

static enum outlet_kind
kind_of(int fd)
{
	struct stat status;

	if (fstat(fd, &status) == -1) {
		if (errno != EBADF)
			events_fail(fd == STDOUT_FILENO ? "standard output"
							: "standard error");
		return OUTLET_CLOSED;
	}
	if (S_ISFIFO(status.st_mode))
		return OUTLET_PIPE;
	if (S_ISSOCK(status.st_mode))
		return OUTLET_SOCKET;
	return isatty(fd) ? OUTLET_TERMINAL : OUTLET_FILE;
}

/*
 * A description of its own may be non-blocking.  It cannot be had of a socket,
 * nor of what belongs to another user.
 */
static int
open_private(int fd)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	const int private = descriptor_raise(
	    open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
	return private == -1 ? fd : private;
}

void
outlet_open(struct outlet *outlet, int fd)
{
	*outlet = (struct outlet){
		.fd = fd,
		.private = fd,
		.kind = kind_of(fd),
		.queue = SPOOL_CLOSED,
	};
	if (outlet->kind == OUTLET_PIPE || outlet->kind == OUTLET_TERMINAL)
		outlet->private = open_private(fd);
}

void
outlet_close(struct outlet *outlet)
{
	if (outlet->private != outlet->fd)
		close(outlet->private);
	outlet->private = outlet->fd;
	spool_close(&outlet->queue);
	outlet->kind = OUTLET_CLOSED;
}

bool
outlet_same(const struct outlet *one, const struct outlet *other)
{
	struct stat first, second;

	return fstat(one->fd, &first) == 0 && fstat(other->fd, &second) == 0 &&
	    file_is_same(&first, &second);
}

bool
outlet_waits(const struct outlet *outlet)
{
	return outlet->queue.start < outlet->queue.end;
}

static bool
has_room(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };

	return poll(&poll_fd, 1, 0) == 1;
}

ssize_t
outlet_write(const struct outlet *outlet, const void *data, size_t size)
{
	const size_t room =
	    outlet->kind == OUTLET_PIPE ? PIPE_BUF : TERMINAL_ROOM;

	switch (outlet->kind) {
	case OUTLET_UNOPENED:
	case OUTLET_CLOSED:
		errno = EBADF;
		return -1;
	case OUTLET_FILE:
		break;
	case OUTLET_SOCKET:
		return send(outlet->fd, data, size,
		    MSG_DONTWAIT | MSG_NOSIGNAL);
	case OUTLET_PIPE:
	case OUTLET_TERMINAL:
		if (outlet->private != outlet->fd)
			break;
		if (!has_room(outlet->fd)) {
			errno = EAGAIN;
			return -1;
		}
		if (size > room)
			size = room;
		break;
	}
	return write(outlet->private, data, size);
}

/* Within the kernel; EINVAL where that cannot be. */
static ssize_t
move(struct outlet *outlet, size_t size)
{
	struct spool *queue = &outlet->queue;

	switch (outlet->kind) {
	case OUTLET_PIPE:
		return splice(queue->fd, &queue->start, outlet->fd, NULL, size,
		    SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
	case OUTLET_FILE:
		return sendfile(outlet->fd, queue->fd, &queue->start, size);
	case OUTLET_UNOPENED:
	case OUTLET_CLOSED:
	case OUTLET_SOCKET:
	case OUTLET_TERMINAL:
		break;
	}
	errno = EINVAL;
	return -1;
}

static ssize_t
copy(struct outlet *outlet, size_t size)
{
	struct spool *queue = &outlet->queue;
	char buffer[COPY_MOST];
	ssize_t length = pread(queue->fd, buffer,
	    size < sizeof(buffer) ? size : sizeof(buffer), queue->start);

	if (length > 0)
		length = outlet_write(outlet, buffer, (size_t)length);
	if (length > 0)
		queue->start += length;
	return length;
}

ssize_t
outlet_flush(struct outlet *outlet)
{
	const off_t left = outlet->queue.end - outlet->queue.start;
	const size_t size = left < MOVE_MOST ? (size_t)left : MOVE_MOST;
	ssize_t length = -1;

	if (!outlet->refuses) {
		length = move(outlet, size);
		outlet->refuses = length == -1 && spool_must_copy(errno);
	}
	if (outlet->refuses)
		length = copy(outlet, size);
	if (length == 0) {
		errno = EIO;
		return -1;
	}
	if (!outlet_waits(outlet))
		outlet_drop(outlet);
	return length;
}

void
outlet_drop(struct outlet *outlet)
{
	spool_empty(&outlet->queue);
	outlet->precious = false;
}
