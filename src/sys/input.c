#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "sys/input.h"

/* How much is spooled before signals and timers have their turn. */
#define SPOOL_MOST (1 << 20)

/* Where stdin stands, if it can be put back there; or -1. */
static off_t
find_start(void)
{
	struct stat status;

	if (fstat(STDIN_FILENO, &status) == -1 ||
	    (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)) ||
	    (fcntl(STDIN_FILENO, F_GETFL) & O_ACCMODE) != O_RDONLY)
		return -1;
	return lseek(STDIN_FILENO, 0, SEEK_CUR);
}

static void
complain(void)
{
	const bool full = errno == ENOSPC || errno == EFBIG || errno == EDQUOT;

	if (full)
		spool_warn();
	else
		warn("standard input");
}

static void
stdin_ready(struct ev_loop *events, ev_io *watcher, int flags)
{
	struct input *input = watcher->data;
	const ssize_t length =
	    spool_take(&input->spool, STDIN_FILENO, SPOOL_MOST);

	(void)events, (void)flags;
	if (length > 0 || (length == -1 && errno == EAGAIN))
		return;
	if (length == -1)
		complain();
	input_stop(input);
	input->done(input->data, length == 0);
}

void
input_open(struct input *input, enum input_mode mode, struct ev_loop *events,
    void (*done)(void *data, bool success), void *data)
{
	*input = (struct input){ .mode = mode,
		.start = mode == INPUT_AUTO ? find_start() : -1,
		.spool = SPOOL_CLOSED,
		.given = -1,
		.events = events,
		.done = done,
		.data = data };
	ev_io_init(&input->watcher, stdin_ready, STDIN_FILENO, EV_READ);
	input->watcher.data = input;
}

void
input_close(struct input *input)
{
	input_stop(input);
	spool_close(&input->spool);
}

int
input_spool(struct input *input)
{
	if (fcntl(STDIN_FILENO, F_GETFL) == -1)
		return 0;
	if (spool_open(&input->spool) == -1) {
		spool_warn();
		return -1;
	}
	ev_io_start(input->events, &input->watcher);
	return 1;
}

void
input_stop(struct input *input)
{
	ev_io_stop(input->events, &input->watcher);
}

static int
give(struct input *input, int given, const char *what, int *descriptor)
{
	const int error = errno;

	if (given == -1) {
		warn("%s", what);
		errno = error;
		return -1;
	}
	*descriptor = input->given = given;
	return 0;
}

int
input_begin(struct input *input, bool is_retry, int *descriptor)
{
	switch (input->mode) {
	case INPUT_AUTO:
		if (is_retry && input->start != -1)
			lseek(STDIN_FILENO, input->start, SEEK_SET);
		break;
	case INPUT_REPLAY:
		if (input->spool.fd == -1)
			break;
		return give(input, spool_reader(&input->spool, 0),
		    "/proc/self/fd", descriptor);
	case INPUT_INHERIT:
		break;
	case INPUT_NULL:
		return give(input,
		    descriptor_raise(open(_PATH_DEVNULL, O_RDONLY | O_CLOEXEC)),
		    _PATH_DEVNULL, descriptor);
	}
	return 0;
}

void
input_started(struct input *input)
{
	if (input->given != -1)
		close(input->given);
	input->given = -1;
}
