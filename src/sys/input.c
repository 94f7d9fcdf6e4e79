/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/outcome.h"
#include "sys/events.h"
#include "sys/file.h"
#include "sys/input.h"

/* How much is spooled before signals and timers have their turn. */
#define SPOOL_MOST (1 << 20)

/*
 * Ends `retry` after an error, as an attempt might read the wrong bytes.  A
 * closed stdin counts as an empty one.
 */
static void
require_unless_closed(bool works)
{
	if (!works && errno != EBADF)
		err(STATUS_OWN_FAILURE, "standard input");
}

/*
 * Whether nothing is left in stdin, which is a pipe or a socket, and nothing
 * can follow.
 */
static bool
is_used_up(void)
{
	struct pollfd poll_fd = { .fd = STDIN_FILENO, .events = POLLIN };
	char byte;

	if (poll(&poll_fd, 1, 0) != 1)
		return false;
	if (poll_fd.revents & POLLIN)
		return recv(STDIN_FILENO, &byte, 1, MSG_PEEK | MSG_DONTWAIT) ==
		    0;
	return poll_fd.revents & POLLHUP;
}

/* Whether there are bytes in stdin. */
static bool
has_bytes(void)
{
	int bytes = 0;

	return ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes > 0;
}

/*
 * Whether it is certain that bytes came through stdin.  Some pipes know when
 * they were last written to.
 */
static bool
had_bytes(const struct input *input)
{
	struct stat status;

	return input->had_bytes ||
	    (fstat(STDIN_FILENO, &status) == 0 && S_ISFIFO(status.st_mode) &&
		(status.st_mtim.tv_sec != input->written.tv_sec ||
		    status.st_mtim.tv_nsec != input->written.tv_nsec));
}

/* How a stdin that the first attempt reads can be given to the next one. */
static void
look_at_input(struct input *input, bool quiet)
{
	struct stat status;
	const bool given = fstat(STDIN_FILENO, &status) == 0;

	require_unless_closed(given);
	if (!given)
		return;
	if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) {
		input->warns = !quiet && !is_used_up();
		input->written = status.st_mtim;
	}
	if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
		return;
	const int flags = fcntl(STDIN_FILENO, F_GETFL);
	require_unless_closed(flags != -1);
	if ((flags & O_ACCMODE) != O_RDONLY)
		return;
	input->start = lseek(STDIN_FILENO, 0, SEEK_CUR);
	require_unless_closed(input->start != -1);
}

/*
 * A terminal gives nothing to a background job.  Reading no byte with SIGTTIN
 * unblocked stops the job, as reading would stop any program, and returns when
 * the shell continues it; it fails if nobody could continue it, or if the
 * signal is ignored.
 */
static int
wait_for_foreground(struct input *input)
{
	const double begun = events_time(CLOCK_MONOTONIC);
	sigset_t set;
	char byte;

	sigemptyset(&set);
	sigaddset(&set, SIGTTIN);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	const ssize_t result = read(STDIN_FILENO, &byte, 0);
	const int error = errno;
	sigprocmask(SIG_BLOCK, &set, NULL);
	errno = error;
	clock_resume(input->clock, begun);
	return (int)result;
}

static void
input_complain(const struct input *input, int error)
{
	errno = error;
	if (error == ENOSPC || error == EFBIG || error == EDQUOT)
		spool_complain(input->messages);
	else
		say_error(input->messages, "standard input");
}

static void
stdin_ready(struct ev_loop *events, ev_io *watcher, int flags)
{
	struct input *input = watcher->data;
	const ssize_t length =
	    spool_take(&input->spool, STDIN_FILENO, SPOOL_MOST);
	const int error = errno;

	(void)events, (void)flags;
	if (length > 0 || (length == -1 && error == EAGAIN) ||
	    (length == -1 && error == EIO && isatty(STDIN_FILENO) &&
		wait_for_foreground(input) == 0))
		return;
	if (length == -1)
		input_complain(input, error);
	input_stop(input);
	input->done(input->data, length == 0);
}

void
input_open(struct input *input, const struct options *options,
    struct messages *messages, struct ev_loop *events, struct clock *clock,
    void (*done)(void *data, bool success), void *data)
{
	*input = (struct input){ .mode = options->input,
		.messages = messages,
		.start = -1,
		.given = NO_DESCRIPTOR,
		.events = events,
		.clock = clock,
		.done = done,
		.data = data };
	spool_init(&input->spool);
	ev_io_init(&input->watcher, stdin_ready, STDIN_FILENO, EV_READ);
	input->watcher.data = input;
	if (input->mode == INPUT_AUTO)
		look_at_input(input, options->quiet);
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
	if (fcntl(STDIN_FILENO, F_GETFL) == -1) {
		require_unless_closed(false);
		return 0;
	}
	/* A terminal without input would not stop a background job yet. */
	if (isatty(STDIN_FILENO) && wait_for_foreground(input) == -1) {
		input_complain(input, errno);
		return -1;
	}
	if (spool_open(&input->spool) == -1) {
		spool_complain(input->messages);
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
	if (given == -1) {
		say_error(input->messages, "%s", what);
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
		input->had_bytes |= input->warns && has_bytes();
		if (is_retry && input->start != -1 &&
		    lseek(STDIN_FILENO, input->start, SEEK_SET) == -1) {
			say_error(input->messages, "standard input");
			return -1;
		}
		if (is_retry && input->warns && is_used_up() &&
		    had_bytes(input)) {
			input->warns = false;
			say(input->messages,
			    "standard input is used up; "
			    "--stdin=replay gives it to each attempt");
		}
		break;
	case INPUT_REPLAY:
		if (input->spool.fd == NO_DESCRIPTOR)
			break;
		return give(input, spool_reader(&input->spool, 0),
		    "/proc/self/fd", descriptor);
	case INPUT_INHERIT:
		break;
	case INPUT_NULL:
		return give(input, file_null(), _PATH_DEVNULL, descriptor);
	}
	return 0;
}

void
input_started(struct input *input)
{
	if (input->given != NO_DESCRIPTOR)
		close(input->given);
	input->given = NO_DESCRIPTOR;
}
