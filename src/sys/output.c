#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sys/child.h"
#include "sys/descriptor.h"
#include "sys/output.h"

/*
 * How much is read at a time: to be held, and to be looked through, which
 * takes longer.
 */
#define HOLD_MOST (1 << 20)
#define SEARCH_MOST LINE_MOST

/*
 * Nobody waits for what is held: where little was read, much is awaited, since
 * a reader that is awake all the time is in the way of the writer.
 */
#define LITTLE (1 << 18)
#define REST 200e-6

/* How many parts of a queue are written in one go: 8 MB, some milliseconds. */
#define FLUSHES 8

/* What fails where held output has no room; told with its folder. */
static const char temporary_file[] = "temporary file";

/* Noted for output_failed(): a message may be on its way just now. */
static void
fail(struct output *output, const char *what)
{
	if (output->failed != NULL)
		return;
	output->failed = what;
	output->error = errno;
}

static bool
sigpipe_kills(void)
{
	struct sigaction action;

	return sigaction(SIGPIPE, NULL, &action) == 0 &&
	    action.sa_handler != SIG_IGN;
}

bool
output_failed(struct output *output, int *death)
{
	if (output->error == 0)
		return false;
	*death = output->error == EPIPE && sigpipe_kills() ? SIGPIPE : 0;
	errno = output->error;
	output->error = 0;
	if (*death == 0 && output->failed == temporary_file)
		spool_warn();
	else if (*death == 0)
		warn("%s", output->failed);
	return true;
}

static ev_io *
writer_of(struct output *output, const struct outlet *outlet)
{
	return &output->writers[outlet == &output->outlets[OUT] ? OUT : ERR];
}

static void
close_outlet(struct output *output, struct outlet *outlet)
{
	ev_io_stop(output->events, writer_of(output, outlet));
	outlet_close(outlet);
}

/* Of messages nothing depends; of the command's output all does. */
static void
outlet_failed(struct output *output, struct outlet *outlet)
{
	if (outlet->precious)
		fail(output,
		    outlet->fd == STDOUT_FILENO ? "standard output"
						: "standard error");
	close_outlet(output, outlet);
}

/* Adds to the queue, which is written when the reader is ready. */
static int
enqueue(struct output *output, struct outlet *outlet, const char *data,
    size_t size)
{
	if (spool_open(&outlet->queue) == -1 ||
	    spool_write(&outlet->queue, data, size) == -1)
		return -1;
	ev_io_start(output->events, writer_of(output, outlet));
	return 0;
}

/* Writes what can be at once.  Returns how much is left, or -1. */
static ssize_t
write_now(const struct outlet *outlet, const char *data, size_t size)
{
	size_t written = 0;

	while (written < size && !outlet_waits(outlet)) {
		const ssize_t length =
		    outlet_write(outlet, data + written, size - written);

		if (length == -1 && errno == EAGAIN)
			break;
		if (length == -1)
			return -1;
		written += (size_t)length;
	}
	return (ssize_t)(size - written);
}

/* Passes the command's output on. */
static void
pass(struct output *output, struct outlet *outlet, const char *data,
    size_t size)
{
	if (outlet->kind == OUTLET_CLOSED)
		return;
	const ssize_t left = write_now(outlet, data, size);
	if (left == 0)
		return;
	outlet->precious = true;
	if (left == -1)
		outlet_failed(output, outlet);
	else if (enqueue(output, outlet, data + size - left, (size_t)left) ==
	    -1)
		fail(output, temporary_file);
}

static void
search(struct stream *stream, const char *data, size_t size)
{
	while (lines_take(&stream->lines, &data, &size))
		search_line(&stream->output->search, &stream->lines);
}

static void
close_stream(struct stream *stream)
{
	if (stream->pipe == -1)
		return;
	ev_io_stop(stream->output->events, &stream->watcher);
	ev_timer_stop(stream->output->events, &stream->rest);
	close(stream->pipe);
	stream->pipe = -1;
	if (stream->searched && lines_end(&stream->lines))
		search_line(&stream->output->search, &stream->lines);
}

/* Through memory, to be looked through or passed on. */
static ssize_t
take(struct stream *stream, size_t most)
{
	char buffer[SEARCH_MOST];
	const ssize_t length = read(stream->pipe, buffer,
	    most < sizeof(buffer) ? most : sizeof(buffer));

	if (length <= 0)
		return length;
	if (stream->searched)
		search(stream, buffer, (size_t)length);
	if (!stream->held)
		pass(stream->output, stream->outlet, buffer, (size_t)length);
	else if (spool_write(&stream->spool, buffer, (size_t)length) == -1)
		return -1;
	return length;
}

/* What it brings is put by, and not looked at. */
static bool
is_unread(const struct stream *stream)
{
	return stream->held && !stream->searched;
}

/* Reads once.  Returns how much, or 0 where no more will come. */
static ssize_t
read_stream(struct stream *stream, size_t most)
{
	const ssize_t length = is_unread(stream)
	    ? spool_take(&stream->spool, stream->pipe, most)
	    : take(stream, most);

	if (length == -1 && errno != EAGAIN)
		fail(stream->output, temporary_file);
	if (length == 0 || stream->output->failed != NULL)
		close_stream(stream);
	return length;
}

/* Reads what stands in the pipe now, were it written to for ever. */
static void
drain(struct stream *stream)
{
	int left;

	if (stream->pipe == -1)
		return;
	if (ioctl(stream->pipe, FIONREAD, &left) == -1) {
		fail(stream->output, "pipe");
		return;
	}
	while (left > 0 && stream->pipe != -1) {
		const ssize_t length = read_stream(stream, (size_t)left);

		if (length == -1)
			return;
		left -= (int)length;
	}
}

static void
rest(struct stream *stream)
{
	struct ev_loop *events = stream->output->events;

	if (stream->pipe == -1 || !is_unread(stream))
		return;
	ev_io_stop(events, &stream->watcher);
	ev_timer_set(&stream->rest, REST, 0);
	ev_timer_start(events, &stream->rest);
}

static void
rested(struct ev_loop *events, ev_timer *timer, int flags)
{
	struct stream *stream = timer->data;

	(void)flags;
	ev_io_start(events, &stream->watcher);
}

/* An attempt has to wait for the reader of its output, as ever. */
static void
stream_ready(struct ev_loop *events, ev_io *watcher, int flags)
{
	struct stream *stream = watcher->data;
	struct output *output = stream->output;

	(void)flags;
	if (!stream->held && outlet_waits(stream->outlet))
		ev_io_stop(events, watcher);
	else if (read_stream(stream, HOLD_MOST) < LITTLE)
		rest(stream);
	if (output->failed != NULL)
		output->changed(output->data);
}

static void
outlet_ready(struct ev_loop *events, ev_io *watcher, int flags)
{
	struct output *output = watcher->data;
	struct outlet *outlet =
	    &output->outlets[watcher == &output->writers[OUT] ? OUT : ERR];

	(void)flags;
	if (outlet_flush(outlet) == -1) {
		if (errno == EAGAIN)
			return;
		outlet_failed(output, outlet);
	}
	if (!outlet_waits(outlet)) {
		ev_io_stop(events, watcher);
		for (int i = 0; i < STREAMS; i++)
			if (output->streams[i].pipe != -1)
				ev_io_start(events,
				    &output->streams[i].watcher);
	}
	output->changed(output->data);
}

static void
open_outlet(struct output *output, struct outlet *outlet, int fd)
{
	ev_io *writer = writer_of(output, outlet);

	outlet_open(outlet, fd);
	ev_io_init(writer, outlet_ready, outlet->private, EV_WRITE);
	writer->data = output;
}

/*
 * Messages take their place in what is held, or go out.  Nothing may be said
 * here of what fails; where there is no room for a queue, it is waited.
 */
static ssize_t
write_message(void *cookie, const char *data, size_t size)
{
	struct output *output = cookie;
	struct stream *stream = &output->streams[output->joined ? OUT : ERR];
	struct outlet *outlet = &output->outlets[output->merged ? OUT : ERR];

	if (output->silent) {
		drain(stream);
		if (spool_open(&stream->spool) == 0 &&
		    spool_write(&stream->spool, data, size) == 0)
			return (ssize_t)size;
		fail(output, temporary_file);
	}
	if (outlet->kind == OUTLET_UNOPENED)
		open_outlet(output, outlet, STDERR_FILENO);
	const ssize_t left = write_now(outlet, data, size);
	data += (ssize_t)size - left;
	if (left > 0 && enqueue(output, outlet, data, (size_t)left) == -1 &&
	    write(outlet->fd, data, (size_t)left) == -1)
		return 0;
	return (ssize_t)size;
}

int
output_open(struct output *output, const struct options *options,
    struct ev_loop *events, void (*changed)(void *data), void *data)
{
	const cookie_io_functions_t functions = { .write = write_message };
	FILE *messages = fopencookie(output, "w", functions);

	if (messages == NULL)
		return -1;
	setvbuf(messages, NULL, _IOLBF, 0);
	*output = (struct output){ .options = options,
		.events = events,
		.changed = changed,
		.data = data,
		.inherited = stderr,
		.silent = options->output == OUTPUT_CHRONIC,
		.ends = { -1, -1, -1 } };
	for (int i = 0; i < STREAMS; i++) {
		output->outlets[i].queue = (struct spool)SPOOL_CLOSED;
		output->streams[i] = (struct stream){ .output = output,
			.pipe = -1,
			.spool = SPOOL_CLOSED };
	}
	stderr = messages;
	if (options->policy.delivery == DELIVERY_NONE)
		return 0;
	open_outlet(output, &output->outlets[OUT], STDOUT_FILENO);
	open_outlet(output, &output->outlets[ERR], STDERR_FILENO);
	output->merged =
	    outlet_same(&output->outlets[OUT], &output->outlets[ERR]);
	output->joined = output->merged && options->output != OUTPUT_HOLD;
	for (int i = 0; i < STREAMS; i++)
		output->streams[i].outlet =
		    &output->outlets[output->merged ? OUT : i];
	return 0;
}

void
output_close(struct output *output)
{
	FILE *messages = stderr;

	stderr = output->inherited;
	fclose(messages);
	for (int i = 0; i < STREAMS; i++) {
		close_stream(&output->streams[i]);
		spool_close(&output->streams[i].spool);
		close_outlet(output, &output->outlets[i]);
	}
}

/* Opens the pipe that a stream comes through. */
static int
open_stream(struct output *output, int index)
{
	struct stream *stream = &output->streams[index];
	int ends[2];

	if (stream->held && spool_open(&stream->spool) == -1) {
		fail(output, temporary_file);
		return -1;
	}
	if (pipe2(ends, O_CLOEXEC) == -1) {
		fail(output, "pipe");
		return -1;
	}
	stream->pipe = descriptor_raise(ends[0]);
	output->ends[index + 1] = descriptor_raise(ends[1]);
	if (stream->pipe == -1 || output->ends[index + 1] == -1 ||
	    fcntl(stream->pipe, F_SETFL, O_NONBLOCK) == -1) {
		fail(output, "pipe");
		return -1;
	}
	if (stream->held)
		descriptor_widen(stream->pipe);
	stream->begun = stream->spool.end;
	stream->lines.ended = true;
	ev_io_init(&stream->watcher, stream_ready, stream->pipe, EV_READ);
	ev_timer_init(&stream->rest, rested, 0, 0);
	stream->watcher.data = stream->rest.data = stream;
	ev_io_start(output->events, &stream->watcher);
	return 0;
}

/* Whether an attempt's stream is held; else it is searched, or inherited. */
static bool
holds(const struct output *output, int index)
{
	switch (output->options->output) {
	case OUTPUT_STREAM:
		return false;
	case OUTPUT_HOLD:
		return index == OUT;
	case OUTPUT_LAST:
	case OUTPUT_CHRONIC:
		break;
	}
	return true;
}

int
output_begin(struct output *output, int descriptors[3])
{
	const struct patterns *patterns = &output->options->patterns;
	const bool searched = patterns_any(patterns);

	output->search = (struct search){ .patterns = patterns };
	for (int i = 0; i < STREAMS; i++) {
		struct stream *stream = &output->streams[i];

		if (output->options->output == OUTPUT_LAST)
			spool_empty(&stream->spool);
		stream->searched = searched;
		stream->held = holds(output, i);
		if ((!stream->held && !searched) ||
		    output->outlets[i].kind == OUTLET_CLOSED ||
		    (i == ERR && output->joined))
			continue;
		if (open_stream(output, i) == -1)
			return -1;
		descriptors[i + 1] = output->ends[i + 1];
	}
	if (output->joined && output->ends[1] != -1)
		descriptors[2] = output->ends[1];
	return 0;
}

/* What a check says is never joined: it would be what the check reads. */
int
output_begin_shell(struct output *output, bool is_check, int descriptors[3])
{
	const struct stream *read = &output->streams[OUT];
	struct stream *said = &output->streams[ERR];

	if (is_check && read->held && read->spool.fd != -1) {
		output->ends[0] = spool_reader(&read->spool, read->begun);
		if (output->ends[0] == -1)
			return -1;
		descriptors[0] = output->ends[0];
	}
	if (!output->silent)
		return 0;
	said->held = true;
	said->searched = false;
	if (open_stream(output, ERR) == -1)
		return -1;
	descriptors[1] = descriptors[2] = output->ends[2];
	return 0;
}

void
output_started(struct output *output)
{
	for (int i = 0; i < 3; i++) {
		if (output->ends[i] != -1)
			close(output->ends[i]);
		output->ends[i] = -1;
	}
}

/* Adds what is held of one stream to another. */
static void
join(struct output *output, struct spool *to, struct spool *from)
{
	if (spool_append(to, from) == -1)
		fail(output, temporary_file);
	spool_empty(from);
}

void
output_ended(struct output *output)
{
	struct stream *streams = output->streams;

	for (int i = 0; i < STREAMS; i++) {
		drain(&streams[i]);
		close_stream(&streams[i]);
	}
	if (output->joined && streams[ERR].spool.end > 0)
		join(output, &streams[OUT].spool, &streams[ERR].spool);
}

/* What does not wait is written before anything else is done. */
static void
flush_now(struct output *output, struct outlet *outlet)
{
	ssize_t length = 0;

	for (int i = 0; i < FLUSHES && length != -1 && outlet_waits(outlet);
	     i++)
		length = outlet_flush(outlet);
	if (length == -1 && errno != EAGAIN)
		outlet_failed(output, outlet);
	else if (outlet_waits(outlet))
		ev_io_start(output->events, writer_of(output, outlet));
}

/* What is held goes out: the file itself, where nothing is before it. */
static void
release(struct output *output, struct stream *stream, struct outlet *outlet)
{
	struct spool *spool = &stream->spool;

	if (spool->end == 0)
		return;
	if (outlet->kind == OUTLET_CLOSED) {
		spool_empty(spool);
		return;
	}
	outlet->precious = true;
	if (outlet->kind == OUTLET_PIPE && spool->end > LITTLE)
		descriptor_widen(outlet->fd);
	if (outlet_waits(outlet)) {
		join(output, &outlet->queue, spool);
	} else {
		const struct spool queue = outlet->queue;

		outlet->queue = *spool;
		*spool = queue;
	}
	flush_now(output, outlet);
}

static void
release_all(struct output *output)
{
	for (int i = 0; i < STREAMS; i++)
		release(output, &output->streams[i], output->streams[i].outlet);
}

/* What a failed attempt said on its standard output is not the run's. */
static void
release_attempt(struct output *output, bool succeeded)
{
	const int to = succeeded || output->merged ? OUT : ERR;

	release(output, &output->streams[OUT], &output->outlets[to]);
}

void
output_settle(struct output *output, const struct record *run)
{
	const bool over = run->reason != REASON_NONE;

	if (over)
		output_ended(output);
	switch (output->options->output) {
	case OUTPUT_STREAM:
		break;
	case OUTPUT_HOLD:
		if (run->reason == REASON_ERROR)
			break;
		release_attempt(output,
		    over ? run->status == 0
			 : run->judgement.verdict == VERDICT_SUCCESS);
		break;
	case OUTPUT_LAST:
		if (over)
			release_all(output);
		break;
	case OUTPUT_CHRONIC:
		if (over && run->reason != REASON_SUCCESS &&
		    run->reason != REASON_EARLY) {
			output_speak(output);
			release_all(output);
		}
		break;
	}
}

void
output_speak(struct output *output)
{
	output->silent = false;
}

bool
output_waits(const struct output *output)
{
	return outlet_waits(&output->outlets[OUT]) ||
	    outlet_waits(&output->outlets[ERR]);
}
