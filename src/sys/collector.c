/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sys/child.h"
#include "sys/collector.h"
#include "sys/events.h"
#include "sys/file.h"
#include "sys/tree.h"

/*
 * How much is moved at a time: within the kernel, from a pipe to be searched,
 * through memory, and to a terminal or a socket, which take all of it before
 * they say how far they are.  Memory is of the stack, which may be small.
 */
#define MOVE_MOST (1 << 20)
#define READ_MOST (1 << 16)
#define COPY_MOST (1 << 14)
#define SEND_MOST (1 << 12)

/*
 * Nobody waits for bytes that are only held.  If fewer than BATCH_MIN were
 * read, the collector lets more come in the next 200 microseconds: a reader
 * that is awake all the time is in the way of the writer.
 */
#define BATCH_MIN (1 << 18)
static const struct timespec rest = { .tv_nsec = 200000 };

/*
 * How long output waits for its turn, and `retry` for a process that cannot be
 * forked, or is to end but gets no further, in milliseconds.
 */
#define TURN_PATIENCE 10000
#define END_PATIENCE 1000
#define START_PAUSE 10

/* The process's own view of its work. */
struct work {
	const struct collector *collector;
	struct collection *shared;
	struct stream *streams;
	struct stream_line lines[STREAMS];
	struct search search;
	bool searches;
	int full; /* why no more can be held, or 0 */
};

/* Ends the process, which leaves a note of the failure. */
static _Noreturn void
die_of(struct collection *shared, enum failure failure)
{
	shared->error = errno;
	shared->failure = failure;
	_exit(EXIT_FAILURE);
}

/* Ends the process, whose work is done, with its descriptors closed. */
static _Noreturn void
end(void)
{
	closefrom(STDERR_FILENO + 1);
	_exit(EXIT_SUCCESS);
}

static enum failure
writer_failure(int writer)
{
	return writer == STDOUT_FILENO ? FAILURE_STDOUT : FAILURE_STDERR;
}

/*
 * Writes all of the bytes, however long the reader takes, and notes how far it
 * got.  Returns 0, or -1 with errno set.
 */
static int
pass(struct collection *shared, int writer, const char *bytes, size_t size)
{
	struct pollfd poll_fd = { .fd = writer, .events = POLLOUT };

	while (size > 0) {
		shared->waits = true;
		const ssize_t written = write(writer, bytes, size);
		/* Others may have made the descriptor non-blocking. */
		if (written == -1 && errno == EAGAIN) {
			poll(&poll_fd, 1, -1);
			continue;
		}
		shared->waits = false;
		if (written == -1)
			return -1;
		shared->passed += written;
		shared->ends_mid_line[writer - STDOUT_FILENO] =
		    bytes[written - 1] != '\n';
		bytes += written;
		size -= (size_t)written;
	}
	return 0;
}

/*
 * No more can be held.  If all may be seen, passes on what is held, which makes
 * room for others, and from now on whatever comes; else that is a failure.  A
 * hook goes on reading the attempt's standard output.
 */
static void
let_go(struct work *work)
{
	struct collection *shared = work->shared;
	const int error = errno;
	char buffer[COPY_MOST];

	if (!work->collector->lets_go ||
	    (error != ENOSPC && error != EDQUOT && error != EFBIG))
		die_of(shared, FAILURE_SPOOL);
	for (int i = 0; i < SPOOLS; i++) {
		struct spool *spool = &shared->spools[i];
		const int writer = work->streams[i == OUT ? OUT : ERR].writer;

		while (spool_has_bytes(spool)) {
			const ssize_t length = pread(spool->fd, buffer,
			    sizeof(buffer), spool->start);

			if (length <= 0)
				die_of(shared, FAILURE_SPOOL);
			if (pass(shared, writer, buffer, (size_t)length) == -1)
				die_of(shared, writer_failure(writer));
			spool->start += length;
		}
	}
	for (int i = 0; i < STREAMS; i++) {
		if (work->streams[i].spool != NULL)
			spool_empty(work->streams[i].spool);
		work->streams[i].spool = NULL;
	}
	work->full = error;
}

/* Adds bytes to what is held of a stream, or passes them on. */
static void
add_bytes(struct work *work, const struct stream *stream, const char *bytes,
    size_t size)
{
	struct collection *shared = work->shared;
	off_t held = 0;

	if (stream->spool != NULL) {
		const off_t begun = spool_end(stream->spool);

		if (spool_write(stream->spool, bytes, size) == 0)
			return;
		const int error = errno;
		held = spool_end(stream->spool) - begun;
		errno = error;
		let_go(work);
	}
	if (pass(shared, stream->writer, bytes + held, size - (size_t)held) ==
	    -1)
		die_of(shared, writer_failure(stream->writer));
}

/*
 * What came since the last attempt is added to the output of that attempt when
 * the next one begins.  Until then it is aside, so that hooks do not read it.
 */
static void
add_messages(struct work *work)
{
	struct collection *shared = work->shared;
	const struct messages *messages = work->collector->messages;
	struct spool *aside = &shared->spools[ASIDE];
	const int last = work->collector->joined ? OUT : ERR;
	const bool is_hook = work->streams[ERR].spool == aside;
	const struct stream *stream = &work->streams[is_hook ? ERR : last];

	if (!is_hook && spool_has_bytes(aside) &&
	    spool_move(aside, stream->spool) == -1)
		let_go(work);
	if (messages->size > 0) {
		const bool mid_line = stream->spool == NULL
		    ? shared->ends_mid_line[stream->writer - STDOUT_FILENO]
		    : spool_ends_mid_line(spool_has_bytes(aside)
			      ? aside
			      : &shared->spools[last]);

		if (mid_line)
			add_bytes(work, stream, "\n", 1);
		add_bytes(work, stream, messages->text, messages->size);
	}
	if (!is_hook)
		shared->begun = spool_end(&shared->spools[OUT]);
}

/*
 * Reads once from a stream, `most` bytes of it.  Returns how many, 0 at its
 * end, or -1 if its pipe is empty.
 */
static ssize_t
take_bytes(struct work *work, int index, size_t most)
{
	struct collection *shared = work->shared;
	const struct stream *stream = &work->streams[index];
	char buffer[READ_MOST];
	ssize_t length;

	if (stream->spool != NULL && !work->searches) {
		off_t end = spool_end(stream->spool);

		length = splice(stream->pipe, NULL, stream->spool->fd, &end,
		    most, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		if (length > 0)
			shared->active = events_time(CLOCK_MONOTONIC);
		if (length >= 0 || errno == EAGAIN)
			return length;
		if (!file_must_copy(errno))
			let_go(work);
	}
	length = read(stream->pipe, buffer,
	    most < sizeof(buffer) ? most : sizeof(buffer));
	if (length == -1 && errno != EAGAIN)
		die_of(shared, FAILURE_PIPE);
	if (length <= 0)
		return length;
	shared->active = events_time(CLOCK_MONOTONIC);
	add_bytes(work, stream, buffer, (size_t)length);
	if (work->searches &&
	    search_bytes(&work->search, &work->lines[index], buffer,
		(size_t)length) == -1)
		die_of(shared, FAILURE_SEARCH);
	return length;
}

/* Reads all that is in the stream's pipe now. */
static void
drain(struct work *work, int index)
{
	const struct stream *stream = &work->streams[index];
	int left;

	if (stream->pipe == NO_DESCRIPTOR)
		return;
	if (ioctl(stream->pipe, FIONREAD, &left) == -1)
		die_of(work->shared, FAILURE_PIPE);
	while (left > 0) {
		const ssize_t length = take_bytes(work, index, (size_t)left);

		if (length <= 0)
			return;
		left -= (int)length;
	}
}

/*
 * Collects until a byte comes through the control pipe; then takes all that
 * was written before.
 */
static _Noreturn void
collect_streams(struct work *work, int control_fd)
{
	struct collection *shared = work->shared;
	struct pollfd polls[] = { { .fd = control_fd, .events = POLLIN },
		{ .fd = work->streams[OUT].pipe, .events = POLLIN },
		{ .fd = work->streams[ERR].pipe, .events = POLLIN } };
	bool over = false;

	while (!over) {
		size_t taken = BATCH_MIN;

		/* `retry` says so behind what could not be held. */
		shared->full = work->full;
		if (poll(polls, 3, -1) == -1 && errno != EINTR)
			die_of(shared, FAILURE_POLL);
		over = polls[0].revents != 0;
		for (int i = 0; i < STREAMS; i++) {
			if (polls[i + 1].revents == 0)
				continue;
			const ssize_t length = take_bytes(work, i, MOVE_MOST);
			if (length == 0)
				polls[i + 1].fd = NO_DESCRIPTOR;
			if (work->streams[i].spool != NULL && !work->searches)
				taken = length < 0 ? 0 : (size_t)length;
		}
		if (!over && taken < BATCH_MIN)
			over = ppoll(polls, 1, &rest, NULL) == 1;
	}
	for (int i = 0; i < STREAMS; i++)
		drain(work, i);
	shared->full = work->full;
	for (int i = 0; work->searches && i < STREAMS; i++)
		if (search_end(&work->search, &work->lines[i]) == -1)
			die_of(shared, FAILURE_SEARCH);
	end();
}

/*
 * Waits for room at the writer, or until a byte comes through the control pipe:
 * then, and if there is none, only a writer that has room now has room.
 */
static bool
has_room(int writer, int control_fd)
{
	struct pollfd polls[] = { { .fd = writer, .events = POLLOUT },
		{ .fd = control_fd, .events = POLLIN } };

	return poll(polls, 2, control_fd == NO_DESCRIPTOR ? 0 : -1) == -1 ||
	    polls[0].revents != 0;
}

/*
 * Takes turns with other runs, but not for ever: anybody may lock the file.  It
 * is unlocked when this process ends.
 */
static void
take_turn(int writer, int control_fd)
{
	struct pollfd poll_fd = { .fd = control_fd, .events = POLLIN };
	const double end =
	    events_time(CLOCK_MONOTONIC) + TURN_PATIENCE / 1000.0;

	while (fcntl(writer, F_SETLK, &(struct flock){ .l_type = F_WRLCK }) ==
		-1 &&
	    (errno == EAGAIN || errno == EACCES) &&
	    control_fd != NO_DESCRIPTOR && poll(&poll_fd, 1, 10) == 0 &&
	    events_time(CLOCK_MONOTONIC) < end)
		continue;
}

/*
 * Lets the spool out: within the kernel, or through memory if the kernel
 * cannot.  Lets only that out for which there is room if it may not wait.
 * Returns 0, or -1 with errno set.
 */
static int
let_out(struct collector *collector, int index, int writer, int control_fd)
{
	struct collection *shared = collector->shared;
	struct spool *spool = &shared->spools[index];
	char buffer[COPY_MOST];
	struct stat status;
	const off_t end = spool_end(spool);

	if (fstat(writer, &status) == -1)
		return -1;
	const bool is_pipe = S_ISFIFO(status.st_mode);
	const bool is_file = S_ISREG(status.st_mode);
	off_t most = is_pipe || is_file ? MOVE_MOST : SEND_MOST;

	/*
	 * sendfile(2) reads the offset of a file, writes and sets it, and would
	 * overwrite what others, who share it, have written in between.
	 */
	bool copies = is_file;

	if (collector->takes_turns && (is_pipe || is_file))
		take_turn(writer, control_fd);
	if (is_pipe && end - spool->start > BATCH_MIN)
		file_widen_pipe(writer);
	while (
	    spool->start < end && (is_file || has_room(writer, control_fd))) {
		const off_t left = end - spool->start;
		size_t size = (size_t)(left < most ? left : most);
		ssize_t length;

		if (copies) {
			if (size > sizeof(buffer))
				size = sizeof(buffer);
			length = pread(spool->fd, buffer, size, spool->start);
			if (length > 0 &&
			    pass(shared, writer, buffer, (size_t)length) == -1)
				return -1;
			if (length > 0)
				spool->start += length;
		} else if (is_pipe)
			length = splice(spool->fd, &spool->start, writer, NULL,
			    size, SPLICE_F_NONBLOCK);
		else
			length =
			    sendfile(writer, spool->fd, &spool->start, size);
		if (length == 0)
			errno = EIO;
		if (length > 0 || (length == -1 && errno == EAGAIN))
			continue;
		if (length == 0 || copies || !file_must_copy(errno))
			return -1;
		copies = true;
		/* A pipe that has room has room for so much. */
		most = SEND_MOST;
	}
	shared->ends_mid_line[writer - STDOUT_FILENO] =
	    spool_ends_mid_line(spool);
	return 0;
}

/* Lets held messages out, likewise. */
static int
let_messages_out(struct collector *collector, int writer, int control_fd)
{
	struct collection *shared = collector->shared;
	struct messages *messages = collector->messages;
	size_t done = 0;

	if (messages->size > 0 &&
	    shared->ends_mid_line[writer - STDOUT_FILENO] &&
	    has_room(writer, control_fd) && pass(shared, writer, "\n", 1) == -1)
		return -1;
	while (done < messages->size && has_room(writer, control_fd)) {
		const size_t left = messages->size - done;
		const size_t size = left < SEND_MOST ? left : SEND_MOST;

		if (pass(shared, writer, messages->text + done, size) == -1)
			return -1;
		done += size;
	}
	return 0;
}

/* Lets some of the spools out, and notes the first failure. */
static void
let_all_out(struct collector *collector, const int writers[SPOOLS], int first,
    int last, int control_fd)
{
	struct collection *shared = collector->shared;

	for (int i = first; i <= last; i++)
		if (writers[i] != NO_DESCRIPTOR &&
		    ((spool_has_bytes(&shared->spools[i]) &&
			 let_out(collector, i, writers[i], control_fd) == -1) ||
			(i == ASIDE &&
			    let_messages_out(collector, writers[i],
				control_fd) == -1))) {
			shared->error = errno;
			shared->failure = writer_failure(writers[i]);
			return;
		}
}

/*
 * Returns what fork(2) does.  All signals stay blocked in the child, which ends
 * with its parent even so.
 */
static pid_t
fork_helper(void)
{
	const pid_t parent = getpid();
	const pid_t pid = fork();

	if (pid == 0)
		child_follow(parent);
	return pid;
}

/*
 * With two writers there are two processes, if they can be had: a reader may
 * want either first.
 */
static _Noreturn void
deliver(struct collector *collector, const int writers[SPOOLS], int control_fd)
{
	const int error =
	    writers[ERR] == NO_DESCRIPTOR ? writers[ASIDE] : writers[ERR];
	const bool two = writers[OUT] != NO_DESCRIPTOR &&
	    error != NO_DESCRIPTOR && error != writers[OUT];
	const pid_t other = two ? fork_helper() : -1;
	int status = 0;

	let_all_out(collector, writers, other > 0 ? ERR : OUT,
	    other == 0 ? OUT : ASIDE, control_fd);
	if (other > 0)
		waitpid(other, &status, 0);
	if (WIFSIGNALED(status))
		kill(getpid(), SIGKILL);
	end();
}

/*
 * Forks a collector, in a process group of its own, so that it can be stopped
 * with what it forks, and a pipe through which it is told to end.  Returns what
 * fork(2) does; in the child *control_fd is the end of the pipe to read.
 */
static pid_t
start(struct collector *collector, int *control_fd)
{
	int control[2];

	collector_moved(collector);
	const pid_t pid = file_pipe(control) == -1 ? -1 : fork_helper();
	if (pid >= 0)
		setpgid(pid, pid);
	if (pid == 0) {
		close(control[1]);
		*control_fd = control[0];
		return 0;
	}
	file_close(&control[0]);
	if (pid == -1) {
		file_close(&control[1]);
		return -1;
	}
	tree_spare(collector->tree, pid);
	collector->pid = pid;
	collector->control_fd = control[1];
	collector->messages->size = 0;
	return pid;
}

/* Does without the output that has not come. */
static void
leave_streams(struct collector *collector)
{
	for (int i = 0; i < STREAMS; i++) {
		struct stream *stream = &collector->streams[i];

		ev_io_stop(collector->events, &collector->watchers[i]);
		file_close(&stream->pipe);
	}
	collector->expects = false;
}

/* Output has come.  If no process can be forked, the next turn tries again. */
static void
begin(struct collector *collector)
{
	const struct timespec pause = { .tv_nsec = START_PAUSE * 1000000 };
	struct collection *shared = collector->shared;
	int control_fd;

	const pid_t pid = start(collector, &control_fd);
	if (pid == 0) {
		struct work work = { .collector = collector,
			.shared = shared,
			.streams = collector->streams,
			.searches = collector->patterns != NULL };

		if (work.searches)
			search_begin(&work.search, collector->patterns,
			    &shared->found);
		add_messages(&work);
		collect_streams(&work, control_fd);
	}
	if (pid == -1 && collector->tries++ < END_PATIENCE / START_PAUSE) {
		nanosleep(&pause, NULL);
		return;
	}
	if (pid == -1) {
		shared->error = errno;
		shared->failure = FAILURE_START;
	}
	leave_streams(collector);
	if (collector->finishes)
		collector_finish(collector);
}

/* If that is not known, the collector says why. */
static bool
has_bytes(const struct stream *stream)
{
	int left = 0;

	return stream->pipe != NO_DESCRIPTOR &&
	    (ioctl(stream->pipe, FIONREAD, &left) == -1 || left > 0);
}

static void
output_comes(struct ev_loop *events, ev_io *watcher, int flags)
{
	struct collector *collector = watcher->data;

	(void)flags;
	if (has_bytes(&collector->streams[watcher - collector->watchers]))
		begin(collector);
	else
		ev_io_stop(events, watcher);
}

int
collector_init(struct collector *collector, bool is_used)
{
	collector->control_fd = NO_DESCRIPTOR;
	collector->shared = &collector->unused;
	if (is_used)
		collector->shared = mmap(NULL, sizeof(*collector->shared),
		    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (collector->shared == MAP_FAILED)
		return -1;
	for (int i = 0; i < SPOOLS; i++)
		spool_init(&collector->shared->spools[i]);
	for (int i = 0; i < STREAMS; i++) {
		collector->streams[i].pipe = NO_DESCRIPTOR;
		ev_io_init(&collector->watchers[i], output_comes, NO_DESCRIPTOR,
		    EV_READ);
		collector->watchers[i].data = collector;
	}
	return 0;
}

void
collector_start(struct collector *collector, const struct patterns *patterns)
{
	collector->patterns = patterns;
	collector->delivers = collector->finishes = false;
	collector->expects = true;
	collector->tries = 0;
	for (int i = 0; i < STREAMS; i++)
		if (collector->streams[i].pipe != NO_DESCRIPTOR) {
			ev_io_set(&collector->watchers[i],
			    collector->streams[i].pipe, EV_READ);
			ev_io_start(collector->events, &collector->watchers[i]);
		}
}

void
collector_finish(struct collector *collector)
{
	collector->finishes = true;
	if (collector->expects && !has_bytes(&collector->streams[OUT]) &&
	    !has_bytes(&collector->streams[ERR]))
		leave_streams(collector);
	else if (collector->expects)
		begin(collector);
	if (collector->control_fd == NO_DESCRIPTOR)
		return;
	/* An attempt whose exec hangs keeps the pipe open, too. */
	while (write(collector->control_fd, "", 1) == -1 && errno == EINTR)
		continue;
	file_close(&collector->control_fd);
}

bool
collector_works(const struct collector *collector)
{
	return collector->expects || collector->pid != 0;
}

/*
 * If no process can be forked, `retry` itself lets out what needs no waiting,
 * which is all of it if it goes to files.
 */
int
collector_deliver(struct collector *collector, const int writers[SPOOLS])
{
	const struct spool *spools = collector->shared->spools;
	int control_fd;

	collector->delivers = true;
	const pid_t pid = start(collector, &control_fd);
	if (pid == 0)
		deliver(collector, writers, control_fd);
	if (pid != -1)
		return 0;
	const int error = errno;
	let_all_out(collector, writers, OUT, ASIDE, NO_DESCRIPTOR);
	collector->messages->size = 0;
	for (int i = 0; i < SPOOLS; i++)
		if (writers[i] != NO_DESCRIPTOR &&
		    spool_has_bytes(&spools[i])) {
			errno = error;
			return -1;
		}
	return 0;
}

void
collector_signal(const struct collector *collector, int signal)
{
	if (collector->pid != 0)
		kill(-collector->pid, signal);
}

bool
collector_moved(struct collector *collector)
{
	const struct collection *shared = collector->shared;
	off_t now = shared->passed;

	for (int i = 0; i < SPOOLS; i++)
		now += shared->spools[i].start;
	const bool moved = now != collector->moved;

	collector->moved = now;
	return moved;
}

bool
collector_reaped(struct collector *collector, pid_t pid, int status)
{
	struct collection *shared = collector->shared;

	if (pid != collector->pid || pid == 0)
		return false;
	collector->pid = 0;
	collector_finish(collector);
	if (WIFSIGNALED(status) && shared->failure == FAILURE_NONE) {
		shared->failure = FAILURE_KILLED;
		shared->error = 0;
	}
	return true;
}

/*
 * Waits for the end of the collector as long as it gets on.  One that hangs in
 * the kernel, since its disk does, would keep `retry` from all else.  Returns
 * whether it has ended.
 */
static bool
has_ended(struct collector *collector)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	for (int left = END_PATIENCE; left >= 0; left--) {
		if (waitpid(collector->pid, NULL, WNOHANG) != 0)
			return true;
		nanosleep(&pause, NULL);
		if (collector_moved(collector))
			left = END_PATIENCE;
	}
	return false;
}

void
collector_drop(struct collector *collector)
{
	leave_streams(collector);
	if (collector->pid == 0)
		return;
	collector_finish(collector);
	if (!collector->delivers || !has_ended(collector)) {
		kill(-collector->pid, SIGKILL);
		has_ended(collector);
	}
	collector->pid = 0;
}
