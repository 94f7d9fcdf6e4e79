/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <paths.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/outcome.h"
#include "sys/events.h"
#include "sys/file.h"
#include "sys/input.h"

/*
 * Milliseconds that a run waits for the end of its pipe: of "echo x | retry" it
 * may begin before echo has written.
 */
#define END_PATIENCE 25

/* The bytes spooled in one step; then signals and timers are handled. */
#define SPOOL_MOST (1 << 20)

/*
 * Whether a call for stdin worked.  A closed stdin counts as an empty one; any
 * other error ends `retry`, as an attempt might read the wrong bytes.
 */
static bool
check_stdin(bool works)
{
	if (!works && errno != EBADF)
		err(STATUS_OWN_FAILURE, "standard input");
	return works;
}

/*
 * Whether a process has read from stdin since the last call.  Without inotify,
 * only a smaller number of waiting bytes shows that.
 */
static bool
was_read(struct input *input)
{
	const int before = input->bytes;
	char events[4096];

	if (ioctl(STDIN_FILENO, FIONREAD, &input->bytes) == -1)
		input->bytes = 0;
	return read(input->reads, events, sizeof(events)) > 0 ||
	    input->bytes < before;
}

/*
 * Makes a pipe that holds all that another holds, to which nobody writes any
 * more; nothing is taken out of that.  Returns the end to read, or -1 with
 * errno set.
 */
static int
copy_pipe(int from, int *size)
{
	int ends[2];

	if (ioctl(from, FIONREAD, size) == -1 || file_pipe(ends) == -1)
		return -1;
	/* Each piece of the other takes a place in this one, however small. */
	fcntl(ends[1], F_SETPIPE_SZ, fcntl(from, F_GETPIPE_SZ));
	const ssize_t copied = tee(from, ends[1], INT_MAX, SPLICE_F_NONBLOCK);
	if (copied != -1)
		errno = EIO;
	file_close(&ends[1]);
	if (copied != *size || fcntl(ends[0], F_SETFL, 0) == -1)
		file_close(&ends[0]);
	return ends[0];
}

/* How a stdin that the first attempt reads can be given to the next one. */
static void
look_at_input(struct input *input)
{
	struct pollfd poll_fd = { .fd = STDIN_FILENO };
	struct stat status;

	if (!check_stdin(fstat(STDIN_FILENO, &status) == 0))
		return;
	if (S_ISFIFO(status.st_mode) && poll(&poll_fd, 1, END_PATIENCE) == 1 &&
	    (poll_fd.revents & POLLHUP) != 0)
		input->copy = copy_pipe(STDIN_FILENO, &input->copied);
	input->is_stream = input->copy == NO_DESCRIPTOR &&
	    (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
	if (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode)) {
		const int flags = fcntl(STDIN_FILENO, F_GETFL);

		if (!check_stdin(flags != -1) ||
		    (flags & O_ACCMODE) != O_RDONLY)
			return;
		input->start = lseek(STDIN_FILENO, 0, SEEK_CUR);
		input->is_stream = input->start == -1 && errno == ESPIPE;
		check_stdin(input->start != -1 || input->is_stream);
	}
	if (!input->is_stream)
		return;
	input->reads = file_above_2(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
	inotify_add_watch(input->reads, "/proc/self/fd/0", IN_ACCESS);
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
	input_stop(input);
	if (length == 0)
		return;
	*input->failed = true;
	errno = error;
	if (error == ENOSPC || error == EFBIG || error == EDQUOT)
		spool_complain();
	else
		say_error("standard input");
}

void
input_open(struct input *input, const struct options *options,
    /* NOLINTNEXTLINE(readability-non-const-parameter) it is kept */
    struct ev_loop *events, struct clock *clock, bool *failed)
{
	*input = (struct input){ .mode = options->input,
		.start = -1,
		.copy = NO_DESCRIPTOR,
		.reads = NO_DESCRIPTOR,
		.spool = { .fd = NO_DESCRIPTOR },
		.events = events,
		.clock = clock,
		.failed = failed };
	ev_io_init(&input->watcher, stdin_ready, STDIN_FILENO, EV_READ);
	input->watcher.data = input;
	if (input->mode == INPUT_AUTO)
		look_at_input(input);
}

void
input_close(struct input *input)
{
	input_stop(input);
	spool_close(&input->spool);
	file_close(&input->copy);
	file_close(&input->reads);
}

void
input_spool(struct input *input)
{
	if (!check_stdin(fcntl(STDIN_FILENO, F_GETFL) != -1))
		return;
	*input->failed = true;
	/* A terminal without input would not stop a background job yet. */
	if (isatty(STDIN_FILENO) && wait_for_foreground(input) == -1)
		say_error("standard input");
	else if (spool_open(&input->spool) == -1)
		spool_complain();
	else {
		*input->failed = false;
		ev_io_start(input->events, &input->watcher);
	}
}

void
input_stop(struct input *input)
{
	ev_io_stop(input->events, &input->watcher);
}

static int
give(int given, const char *what, int *descriptor)
{
	if (given == -1) {
		say_error("%s", what);
		return -1;
	}
	*descriptor = given;
	return 0;
}

/*
 * Puts a file back to where it stood.  If an earlier attempt has left
 * processes, the attempt gets an offset of its own: a process that reads the
 * file moves the shared offset, and keeps others from it while it hangs.
 */
static int
rewind_file(struct input *input, bool left, int *descriptor)
{
	if (!left && file_offset(STDIN_FILENO) == input->start)
		return 0;
	if (left)
		*descriptor = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
	const int own =
	    *descriptor == NO_DESCRIPTOR ? STDIN_FILENO : *descriptor;
	if (lseek(own, input->start, SEEK_SET) == -1)
		return give(-1, "standard input", descriptor);
	return 0;
}

int
input_begin(struct input *input, uint64_t attempt, bool left, int *descriptor)
{
	const bool held = messages.held;
	int bytes = 0;

	switch (input->mode) {
	case INPUT_AUTO:
		if (attempt > 1 && input->start != -1)
			return rewind_file(input, left, descriptor);
		/* If this fails, the attempt gets a copy, which is safe. */
		if (input->copy != NO_DESCRIPTOR)
			ioctl(STDIN_FILENO, FIONREAD, &bytes);
		if (bytes < input->copied || (left && input->copied > 0))
			return give(copy_pipe(input->copy, &bytes),
			    "standard input", descriptor);
		if (input->is_stream && was_read(input) && attempt > 1 &&
		    input->lost == 0) {
			input->lost = attempt - 1;
			/* Even if messages are held. */
			messages.held = false;
			say("attempt %" PRIu64 " does not get the input that "
			    "attempt %" PRIu64 " read; "
			    "--stdin=replay gives it to each",
			    attempt, attempt - 1);
			messages.held = held;
		}
		break;
	case INPUT_REPLAY:
		if (input->spool.fd == NO_DESCRIPTOR)
			break;
		return give(spool_reader(&input->spool, 0), "/proc/self/fd",
		    descriptor);
	case INPUT_INHERIT:
		break;
	case INPUT_NULL:
		return give(file_null(), _PATH_DEVNULL, descriptor);
	}
	return 0;
}
