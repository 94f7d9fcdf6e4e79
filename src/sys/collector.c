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

/*
 * How much is moved at a time: within the kernel, through memory, and to a
 * terminal or a socket, which take all of it before they say how far they are.
 */
#define MOVE_MOST (1 << 20)
#define COPY_MOST (1 << 16)
#define SEND_MOST (1 << 12)

/*
 * Nobody waits for bytes that are only held.  If fewer than LITTLE were read,
 * the collector lets more come in the next 200 microseconds: a reader that is
 * awake all the time is in the way of the writer.
 */
#define LITTLE (1 << 18)
static const struct timespec rest = { .tv_nsec = 200000 };

/* The process's own view of its work. */
struct work {
	struct collection *shared;
	struct stream *streams;
	struct stream_line lines[STREAMS];
	struct search search;
	bool searches;
};

/* Ends the process, which leaves a note of the failure. */
static _Noreturn void
fail(struct collection *shared, const char *what)
{
	shared->error = errno;
	shared->failed = what;
	_exit(EXIT_FAILURE);
}

/* Ends the process, whose work is done, with its descriptors closed. */
static _Noreturn void
end(void)
{
	closefrom(STDERR_FILENO + 1);
	_exit(EXIT_SUCCESS);
}

static const char *
writer_name(int writer)
{
	return writer == STDOUT_FILENO ? "standard output" : "standard error";
}

/*
 * Writes all of the bytes, however long the reader takes, and notes how far it
 * got.  Returns 0, or -1 with errno set.
 */
static int
pass(struct collection *shared, int writer, const char *bytes, size_t size)
{
	while (size > 0) {
		const ssize_t written = file_write_some(writer, bytes, size);

		if (written == -1)
			return -1;
		shared->passed += written;
		shared->ragged[writer - STDOUT_FILENO] =
		    bytes[written - 1] != '\n';
		bytes += written;
		size -= (size_t)written;
	}
	return 0;
}

/*
 * Reads once from a stream, `most` bytes of it.  Returns how many, or -1 if its
 * pipe is empty.  The pipe has no end, as this process can write to it, too.
 */
static ssize_t
take(struct work *work, int index, size_t most)
{
	struct collection *shared = work->shared;
	const struct stream *stream = &work->streams[index];
	char buffer[LINE_MOST];
	ssize_t length;

	if (stream->held && !work->searches) {
		length = spool_take(&shared->spools[index], stream->pipe, most);
		if (length == -1 && errno != EAGAIN)
			fail(shared, SPOOL_NAME);
		if (length > 0)
			shared->active = events_time(CLOCK_MONOTONIC);
		return length;
	}
	length = read(stream->pipe, buffer,
	    most < sizeof(buffer) ? most : sizeof(buffer));
	if (length == -1 && errno != EAGAIN)
		fail(shared, "pipe");
	if (length <= 0)
		return length;
	shared->active = events_time(CLOCK_MONOTONIC);
	if (stream->held &&
	    spool_write(&shared->spools[index], buffer, (size_t)length) == -1)
		fail(shared, SPOOL_NAME);
	if (!stream->held &&
	    pass(shared, stream->writer, buffer, (size_t)length) == -1)
		fail(shared, writer_name(stream->writer));
	if (work->searches)
		search_bytes(&work->search, &work->lines[index], buffer,
		    (size_t)length);
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
		fail(work->shared, "pipe");
	while (left > 0) {
		const ssize_t length = take(work, index, (size_t)left);

		if (length <= 0)
			return;
		left -= (int)length;
	}
}

/*
 * Takes a message through the leash, in as many pieces as it comes; false if a
 * NUL, or nothing, comes instead of one or behind it.
 */
static bool
take_message(struct collection *shared, int leash, struct spool *spool)
{
	char text[COPY_MOST];
	bool begun = false;
	ssize_t length;
	size_t size;

	do {
		length = read(leash, text, sizeof(text));
		if (length <= 0)
			return false;
		size = strnlen(text, (size_t)length);
		if (size > 0 &&
		    (begun ? spool_write(spool, text, size)
			   : spool_tell(spool, text, size)) == -1)
			fail(shared, SPOOL_NAME);
		begun = true;
	} while (size == (size_t)length && text[size - 1] != '\n');
	return size == (size_t)length;
}

/*
 * Collects until a NUL comes through the leash.  A message that comes through
 * it takes its place behind the bytes that were written before it.
 */
static _Noreturn void
collect(struct work *work, int leash, int messages)
{
	struct collection *shared = work->shared;
	struct pollfd polls[] = { { .fd = leash, .events = POLLIN },
		{ .fd = work->streams[OUT].pipe, .events = POLLIN },
		{ .fd = work->streams[ERR].pipe, .events = POLLIN } };
	bool told = true;

	while (told) {
		size_t taken = LITTLE;

		if (poll(polls, 3, -1) == -1 && errno != EINTR)
			fail(shared, "poll");
		for (int i = 0; i < STREAMS; i++) {
			if (polls[i + 1].revents == 0)
				continue;
			const ssize_t length = take(work, i, MOVE_MOST);
			if (work->streams[i].held && !work->searches)
				taken = length < 0 ? 0 : (size_t)length;
		}
		if (polls[0].revents == 0 &&
		    (taken >= LITTLE || ppoll(polls, 1, &rest, NULL) != 1))
			continue;
		for (int i = 0; i < STREAMS; i++)
			drain(work, i);
		told = take_message(shared, leash, &shared->spools[messages]);
	}
	for (int i = 0; work->searches && i < STREAMS; i++)
		search_end(&work->search, &work->lines[i]);
	end();
}

/*
 * Lets all of the spool out: within the kernel, or through memory if the kernel
 * cannot.  Returns 0, or -1 with errno set.
 */
static int
let_out(struct collection *shared, struct spool *spool, int writer)
{
	char buffer[COPY_MOST];
	struct stat status;
	bool copies = false;

	if (fstat(writer, &status) == -1)
		return -1;
	const bool is_pipe = S_ISFIFO(status.st_mode);
	const off_t most =
	    is_pipe || S_ISREG(status.st_mode) ? MOVE_MOST : SEND_MOST;
	if (is_pipe && spool->end - spool->start > LITTLE)
		file_widen_pipe(writer);
	while (spool->start < spool->end) {
		const off_t left = spool->end - spool->start;
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
		} else
			length =
			    sendfile(writer, spool->fd, &spool->start, size);
		if (length == 0)
			errno = EIO;
		if (length > 0)
			continue;
		if (length == -1 && errno == EAGAIN)
			file_wait_for_room(writer);
		else if (length == -1 && !copies && spool_must_copy(errno))
			copies = true;
		else
			return -1;
	}
	shared->ragged[writer - STDOUT_FILENO] = spool_is_ragged(spool);
	return 0;
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

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		child_end_orphan(parent);
	}
	return pid;
}

/* With two spools there are two processes: a reader may want either first. */
static _Noreturn void
deliver(struct collection *shared, const int writers[STREAMS])
{
	int index = writers[OUT] == NO_DESCRIPTOR ? ERR : OUT;
	int status = 0;
	pid_t other = -1;

	if (writers[OUT] != NO_DESCRIPTOR && writers[ERR] != NO_DESCRIPTOR) {
		other = fork_helper();
		if (other == -1)
			fail(shared, "fork");
		if (other == 0)
			index = ERR;
	}
	if (let_out(shared, &shared->spools[index], writers[index]) == -1) {
		shared->error = errno;
		shared->failed = writer_name(writers[index]);
	}
	if (other > 0)
		waitpid(other, &status, 0);
	if (WIFSIGNALED(status))
		kill(getpid(), SIGKILL);
	end();
}

int
collector_init(struct collector *collector)
{
	*collector = (struct collector){ .leash = -1 };
	collector->shared = mmap(NULL, sizeof(*collector->shared),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (collector->shared == MAP_FAILED)
		return -1;
	for (int i = 0; i < STREAMS; i++)
		collector->shared->spools[i] = (struct spool)SPOOL_CLOSED;
	return 0;
}

/*
 * Forks a collector, in a process group of its own, so that it can be stopped
 * with what it forks; returns what fork(2) does.
 */
static pid_t
start(struct collector *collector)
{
	collector_moved(collector);
	const pid_t pid = fork_helper();
	if (pid >= 0)
		setpgid(pid, pid);
	if (pid > 0)
		collector->pid = pid;
	return pid;
}

int
collector_start(struct collector *collector, struct stream streams[STREAMS],
    const struct patterns *patterns, int messages)
{
	struct collection *shared = collector->shared;
	int leash[2];

	if (pipe2(leash, O_CLOEXEC) == -1)
		return -1;
	leash[0] = file_raise(leash[0]);
	collector->leash = file_raise(leash[1]);
	shared->found = (struct found){ .matched = 0 };
	const pid_t pid =
	    leash[0] == -1 || collector->leash == -1 ? -1 : start(collector);
	if (pid == 0) {
		struct work work = { .shared = shared,
			.streams = streams,
			.searches = patterns != NULL };

		close(collector->leash);
		if (patterns != NULL &&
		    search_begin(&work.search, patterns, &shared->found) == -1)
			fail(shared, "search");
		collect(&work, leash[0], messages);
	}
	const int error = errno;
	close(leash[0]);
	/* What is told from now on is not for a process that is not there. */
	if (pid == -1)
		collector_finish(collector);
	for (int i = 0; i < STREAMS; i++)
		if (streams[i].pipe != NO_DESCRIPTOR)
			close(streams[i].pipe);
	errno = error;
	return pid == -1 ? -1 : 0;
}

void
collector_tell(const struct collector *collector, const char *message,
    size_t size)
{
	while (size > 0) {
		const ssize_t written = write(collector->leash, message, size);

		if (written == -1)
			return;
		message += written;
		size -= (size_t)written;
	}
}

void
collector_finish(struct collector *collector)
{
	if (collector->leash == -1)
		return;
	collector_tell(collector, "", 1);
	close(collector->leash);
	collector->leash = -1;
}

int
collector_deliver(struct collector *collector, const int writers[STREAMS])
{
	const pid_t pid = start(collector);

	if (pid == 0)
		deliver(collector->shared, writers);
	return pid == -1 ? -1 : 0;
}

bool
collector_moved(struct collector *collector)
{
	const struct collection *shared = collector->shared;
	const off_t now = shared->passed + shared->spools[OUT].start +
	    shared->spools[ERR].start;
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
	if (WIFSIGNALED(status) && shared->failed == NULL) {
		shared->failed = "the process that has the output was killed";
		shared->error = 0;
	}
	return true;
}

void
collector_drop(struct collector *collector)
{
	if (collector->pid == 0)
		return;
	kill(collector->pid, SIGKILL);
	while (waitpid(collector->pid, NULL, 0) == -1 && errno == EINTR)
		continue;
	collector->pid = 0;
	collector_finish(collector);
}
