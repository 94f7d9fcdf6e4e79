/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "sys/collector.h"
#include "sys/events.h"
#include "sys/file.h"

/* The longest time of a step, in seconds; then signals are handled. */
#define STEP_MOST 0.005

/* Seconds that output waits for a lock, and between two tries to get it. */
#define TURN_PATIENCE 10.0
#define TURN_PAUSE 0.01

/*
 * Nobody waits for bytes that are only held.  If few were read, more may come
 * for so many seconds: a reader that is awake all the time is in the way of the
 * writer.
 */
#define BATCH_MIN (1 << 16)
#define BATCH_PAUSE 0.0002

struct sink *
collector_sink(struct collector *collector, int stream)
{
	struct sink *sink = collector->sinks[stream];

	sink_open(sink,
	    sink == &collector->own ? STDOUT_FILENO : STDERR_FILENO);
	return sink;
}

static void
close_pipe(struct collector *collector, struct stream *stream)
{
	ev_io_stop(collector->events, &stream->watcher);
	file_close(&stream->pipe);
}

/* Ends all work, and forgets what is not held. */
static void
stop(struct collector *collector)
{
	for (int i = 0; i < STREAMS; i++) {
		struct stream *stream = &collector->streams[i];

		close_pipe(collector, stream);
		stream->size = stream->passed = stream->searched = 0;
		ev_io_stop(collector->events, &collector->writers[i]);
	}
	ev_timer_stop(collector->events, &collector->again);
	memset(collector->outlets, 0, sizeof(collector->outlets));
	if (collector->delivers && collector->takes_turns)
		fcntl(STDOUT_FILENO, F_SETLK,
		    &(struct flock){ .l_type = F_UNLCK });
	collector->collects = collector->delivers = false;
	collector->outs_messages = false;
}

void
collector_fail(struct collector *collector, enum failure failure)
{
	if (collector->failure == FAILURE_NONE) {
		collector->error = errno;
		collector->failure = failure;
	}
	stop(collector);
}

/* --- what goes out --- */

/* Whether something held goes out to the sink, before all else. */
static bool
lets_out(const struct collector *collector, const struct sink *sink)
{
	for (int i = 0; i < SPOOLS; i++)
		if (collector->outlets[i] == sink)
			return true;
	return collector->outs_messages && sink == collector->sinks[ERR];
}

/* Writes as many of the bytes as the sink takes: false if that is not all. */
static bool
pass(struct collector *collector, struct sink *sink, const char *bytes,
    size_t size, size_t *done)
{
	while (*done < size) {
		const ssize_t length =
		    sink_pass(sink, bytes + *done, size - *done);

		if (length > 0) {
			collector->took = events_time(CLOCK_MONOTONIC);
			*done += (size_t)length;
			continue;
		}
		if (length == 0 || errno != EAGAIN)
			collector_fail(collector,
			    sink == collector->sinks[OUT] ? FAILURE_STDOUT
							  : FAILURE_STDERR);
		return false;
	}
	return true;
}

/* Whether it is this run's turn to let out. */
static bool
has_turn(struct collector *collector)
{
	struct flock lock = { .l_type = F_WRLCK };

	if (collector->turn_by > 0 &&
	    fcntl(STDOUT_FILENO, F_SETLK, &lock) == -1 &&
	    (errno == EAGAIN || errno == EACCES) &&
	    events_time(CLOCK_MONOTONIC) < collector->turn_by)
		return false;
	collector->turn_by = 0;
	return true;
}

/* Lets out the spool: false if some of it is left. */
static bool
let_out_spool(struct collector *collector, struct spool *spool,
    struct sink *sink, double until)
{
	while (spool_has_bytes(spool)) {
		char *bytes = collector->work->moved;
		const ssize_t length =
		    pread(spool->fd, bytes, STREAM_MOST, spool->start);
		size_t done = 0;

		if (length <= 0) {
			collector_fail(collector, FAILURE_SPOOL);
			return false;
		}
		const bool all =
		    pass(collector, sink, bytes, (size_t)length, &done);
		spool->start += (off_t)done;
		if (!all || collector->took >= until)
			return false;
	}
	return true;
}

/*
 * Lets out some of what the sink is to get first, until it has no room, another
 * run has its turn, or the step has taken its time.
 */
static void
let_out(struct collector *collector, struct sink *sink, double until)
{
	size_t newline = 0;

	for (int i = 0; i < SPOOLS; i++) {
		struct spool *spool = &collector->spools[i];

		if (collector->outlets[i] != sink)
			continue;
		if (sink == collector->sinks[OUT] && !has_turn(collector))
			return;
		if (!let_out_spool(collector, spool, sink, until))
			return;
		sink->mid_line = spool_ends_mid_line(spool);
		collector->outlets[i] = NULL;
	}
	if (!collector->outs_messages || sink != collector->sinks[ERR])
		return;
	if (sink->mid_line && collector->messages_out == 0 &&
	    messages.size > 0 && !pass(collector, sink, "\n", 1, &newline))
		return;
	if (!pass(collector, sink, messages.text, messages.size,
		&collector->messages_out))
		return;
	messages.size = 0;
	collector->outs_messages = false;
}

/*
 * No more can be held.  If all may be seen, says so, lets out what is held,
 * which makes room for others, and passes on whatever comes from now on; else
 * that is a failure.  A hook goes on reading the attempt's standard output.
 */
static void
let_go(struct collector *collector)
{
	if (!collector->lets_go ||
	    (errno != ENOSPC && errno != EDQUOT && errno != EFBIG)) {
		collector_fail(collector, FAILURE_SPOOL);
		return;
	}
	messages.held = false;
	say_error("output is shown at once from here on, as it cannot be held");
	for (int i = 0; i < SPOOLS; i++)
		if (spool_has_bytes(&collector->spools[i]))
			collector->outlets[i] =
			    collector_sink(collector, i == OUT ? OUT : ERR);
	for (int i = 0; i < STREAMS; i++) {
		collector->streams[i].spool = NULL;
		collector_sink(collector, i);
	}
	collector->outs_messages = messages.size > 0;
	collector->messages_out = 0;
	collector->full = true;
}

/* --- what comes in --- */

/* Adds bytes to what is held of a stream.  Those without room are left. */
static void
hold(struct collector *collector, struct stream *stream, const char *bytes,
    size_t size, size_t *done)
{
	*done += spool_write(stream->spool, bytes + *done, size - *done);
	if (*done < size)
		let_go(collector);
}

/*
 * What came since the last attempt is added to the output of that attempt when
 * the next one writes something.  Until then it is aside, so that hooks do not
 * read it.
 */
static void
add_messages(struct collector *collector)
{
	struct spool *aside = &collector->spools[ASIDE];
	const int last = collector->joined ? OUT : ERR;
	const bool is_hook = collector->streams[ERR].spool == aside;
	struct stream *stream = &collector->streams[is_hook ? ERR : last];
	size_t done = 0, newline = 0;

	if (!is_hook && spool_has_bytes(aside) && stream->spool != NULL &&
	    spool_move(aside, stream->spool) == -1)
		let_go(collector);
	if (messages.size > 0 && stream->spool != NULL) {
		if (spool_ends_mid_line(spool_has_bytes(aside)
			    ? aside
			    : &collector->spools[last]))
			hold(collector, stream, "\n", 1, &newline);
		if (stream->spool != NULL)
			hold(collector, stream, messages.text, messages.size,
			    &done);
		messages.size -= done;
		memmove(messages.text, messages.text + done, messages.size);
	}
	if (!is_hook)
		collector->begun = collector->spools[OUT].end;
}

/*
 * The first output has come: many processes print nothing.  The patterns are
 * compiled once, for all attempts.
 */
static void
begin(struct collector *collector)
{
	struct work *work = collector->work;

	collector->expects = false;
	memset(work->lines, 0, sizeof(work->lines));
	if (work->search.patterns != NULL)
		search_again(&work->search);
	else
		search_begin(&work->search, collector->patterns, &work->found);
	add_messages(collector);
}

static char *
bytes_of(const struct collector *collector, const struct stream *stream)
{
	return collector->work->bytes[stream - collector->streams];
}

/* How many of the bytes that were read are done with. */
static size_t
done_of(const struct stream *stream)
{
	return stream->passed < stream->searched ? stream->passed
						 : stream->searched;
}

/* Whether all that was read of the stream went on. */
static bool
is_done(const struct stream *stream)
{
	return done_of(stream) == stream->size;
}

/* Whether nothing of the stream can be read before what was read goes on. */
static bool
is_full(const struct stream *stream)
{
	return stream->size - done_of(stream) == STREAM_MOST;
}

/* Makes room behind the bytes that have not gone on. */
static void
make_room(const struct collector *collector, struct stream *stream)
{
	const size_t done = done_of(stream);

	if (done == 0)
		return;
	char *bytes = bytes_of(collector, stream);
	memmove(bytes, bytes + done, stream->size - done);
	stream->size -= done;
	stream->passed -= done;
	stream->searched -= done;
}

/* Reads once from a stream that is not full.  Returns how many bytes. */
static size_t
take_bytes(struct collector *collector, struct stream *stream)
{
	if (stream->pipe == NO_DESCRIPTOR || is_full(stream))
		return 0;
	make_room(collector, stream);
	size_t most = STREAM_MOST - stream->size;
	if (most > stream->left)
		most = stream->left;
	const ssize_t length = read(stream->pipe,
	    bytes_of(collector, stream) + stream->size, most);
	if (length == -1 && errno != EAGAIN) {
		collector_fail(collector, FAILURE_PIPE);
		return 0;
	}
	if (length > 0) {
		stream->size += (size_t)length;
		if (!stream->searches)
			stream->searched += (size_t)length;
		stream->left -= (size_t)length;
		collector->active = events_time(CLOCK_MONOTONIC);
		if (collector->expects)
			begin(collector);
	}
	if (length == 0 || stream->left == 0 ||
	    (length == -1 && collector->finishes))
		close_pipe(collector, stream);
	return length > 0 ? (size_t)length : 0;
}

/*
 * Searches the bytes that were read, until the step has to end.  A single line
 * may be searched for long, but then no other is.
 */
static void
search(struct collector *collector, struct stream *stream, double until)
{
	struct work *work = collector->work;
	const char *bytes = bytes_of(collector, stream);
	double now = events_time(CLOCK_MONOTONIC);

	while (stream->searched < stream->size && now < until) {
		const double began = now;
		const ssize_t length = search_some(&work->search,
		    &work->lines[stream - collector->streams],
		    bytes + stream->searched, stream->size - stream->searched);

		if (length == -1) {
			collector_fail(collector, FAILURE_SEARCH);
			return;
		}
		stream->searched += (size_t)length;
		now = events_time(CLOCK_MONOTONIC);
		if (now - began >= STEP_MOST)
			search_was_slow(&work->search);
	}
}

/* Holds what was read, or passes it on behind what is let out; searches it. */
static void
handle(struct collector *collector, struct stream *stream, double until)
{
	if (is_done(stream))
		return;
	const char *bytes = bytes_of(collector, stream);
	struct sink *sink = collector->sinks[stream - collector->streams];
	if (stream->spool != NULL)
		hold(collector, stream, bytes, stream->size, &stream->passed);
	if (stream->spool == NULL && !lets_out(collector, sink))
		pass(collector, sink, bytes, stream->size, &stream->passed);
	if (stream->searches)
		search(collector, stream, until);
}

/* --- steps --- */

/* Whether there is something to write to the sink. */
static bool
needs(const struct collector *collector, const struct sink *sink)
{
	for (int i = 0; i < STREAMS; i++) {
		const struct stream *stream = &collector->streams[i];

		if (collector->sinks[i] == sink &&
		    stream->passed < stream->size)
			return true;
	}
	return lets_out(collector, sink);
}

static void
set_watcher(struct ev_loop *events, ev_io *watcher, bool active, int descriptor,
    int flags)
{
	if (!active)
		ev_io_stop(events, watcher);
	else if (!ev_is_active(watcher)) {
		ev_io_set(watcher, descriptor, flags);
		ev_io_start(events, watcher);
	}
}

/*
 * Watches all that can go on: pipes with room for their bytes, sinks that bytes
 * wait for; or the time, if there is more to do, at once or after a pause.
 */
static void
watch(struct collector *collector, double pause)
{
	bool more = pause > 0;

	for (int i = 0; i < STREAMS; i++) {
		struct stream *stream = &collector->streams[i];
		const bool reads = stream->pipe != NO_DESCRIPTOR &&
		    !is_full(stream) && pause == 0;

		set_watcher(collector->events, &stream->watcher, reads,
		    stream->pipe, EV_READ);
		more |= stream->searched < stream->size ||
		    (reads && collector->finishes);
	}
	for (int i = 0; i < STREAMS; i++) {
		const struct sink *sink = collector->sinks[i];
		const bool waits = needs(collector, sink);
		const bool has_turn = collector->turn_by == 0;

		set_watcher(collector->events, &collector->writers[i],
		    waits && has_turn, sink->descriptor, EV_WRITE);
		if (waits && !has_turn) {
			more = true;
			pause = TURN_PAUSE;
		}
	}
	ev_timer_stop(collector->events, &collector->again);
	if (more) {
		ev_timer_set(&collector->again, pause, 0);
		ev_timer_start(collector->events, &collector->again);
	}
}

/* Whether all that has come went on, and nothing more will come. */
static bool
is_over(const struct collector *collector)
{
	if (collector->collects && !collector->finishes)
		return false;
	for (int i = 0; i < STREAMS; i++)
		if (collector->streams[i].pipe != NO_DESCRIPTOR ||
		    !is_done(&collector->streams[i]) ||
		    lets_out(collector, collector->sinks[i]))
			return false;
	return true;
}

/* Goes on as far as nothing has to be waited for, and for a short time. */
static void
step(struct collector *collector)
{
	const double until = events_time(CLOCK_MONOTONIC) + STEP_MOST;
	double pause = 0;
	size_t taken;

	do {
		taken = 0;
		for (int i = 0; i < STREAMS; i++) {
			struct stream *stream = &collector->streams[i];

			if (lets_out(collector, collector->sinks[i]))
				let_out(collector, collector->sinks[i], until);
			taken += take_bytes(collector, stream);
			handle(collector, stream, until);
			if (collector->failure != FAILURE_NONE)
				return;
			if (stream->spool != NULL && !stream->searches)
				pause = BATCH_PAUSE;
		}
	} while ((taken >= BATCH_MIN || (collector->finishes && taken > 0)) &&
	    events_time(CLOCK_MONOTONIC) < until);
	const bool rests =
	    taken > 0 && taken < BATCH_MIN && !collector->finishes;
	watch(collector, rests ? pause : 0);
	if (!is_over(collector))
		return;
	for (int i = 0;
	     i < STREAMS && collector->collects && !collector->expects; i++)
		if (search_end(&collector->work->search,
			&collector->work->lines[i]) == -1) {
			collector_fail(collector, FAILURE_SEARCH);
			return;
		}
	stop(collector);
}

static void
go_on(struct ev_loop *events, ev_io *watcher, int flags)
{
	(void)events, (void)flags;
	step(watcher->data);
}

static void
go_on_again(struct ev_loop *events, ev_timer *timer, int flags)
{
	(void)events, (void)flags;
	step(timer->data);
}

/* --- from outside --- */

void
collector_init(struct collector *collector, bool merged)
{
	for (int i = 0; i < SPOOLS; i++)
		collector->spools[i].fd = NO_DESCRIPTOR;
	for (int i = 0; i < STREAMS; i++) {
		struct stream *stream = &collector->streams[i];

		stream->pipe = NO_DESCRIPTOR;
		collector->sinks[i] =
		    i == OUT && !merged ? &collector->own : &messages.sink;
		ev_io_init(&stream->watcher, go_on, 0, EV_READ);
		ev_io_init(&collector->writers[i], go_on, 0, EV_WRITE);
		stream->watcher.data = collector->writers[i].data = collector;
	}
	ev_timer_init(&collector->again, go_on_again, 0, 0);
	collector->again.data = collector;
}

void
collector_close(struct collector *collector)
{
	struct work *work = collector->work;

	collector_drop(collector);
	for (int i = 0; i < SPOOLS; i++)
		spool_close(&collector->spools[i]);
	sink_close(&collector->own);
	if (work == NULL)
		return;
	if (work->search.patterns != NULL)
		search_close(&work->search);
	free(work);
}

void
collector_start(struct collector *collector)
{
	if (collector->work == NULL) /* most of it is never touched */
		collector->work = calloc(1, sizeof(*collector->work));
	if (collector->work == NULL) {
		collector_fail(collector, FAILURE_SEARCH);
		return;
	}
	collector->finishes = false;
	collector->collects = collector->expects = true;
	watch(collector, 0);
}

void
collector_finish(struct collector *collector)
{
	if (!collector->collects || collector->finishes)
		return;
	collector->finishes = true;
	for (int i = 0; i < STREAMS; i++) {
		struct stream *stream = &collector->streams[i];
		int left;

		if (ioctl(stream->pipe, FIONREAD, &left) == 0)
			stream->left = (size_t)left;
		if (stream->left == 0)
			close_pipe(collector, stream);
	}
	step(collector);
}

void
collector_deliver(struct collector *collector)
{
	collector->outs_messages = collector->outlets[ASIDE] != NULL;
	collector->messages_out = 0;
	collector->delivers = true;
	collector->turn_by = collector->takes_turns
	    ? events_time(CLOCK_MONOTONIC) + TURN_PATIENCE
	    : 0;
	step(collector);
}

double
collector_active(const struct collector *collector)
{
	for (int i = 0; i < STREAMS; i++)
		if (collector->streams[i].pipe != NO_DESCRIPTOR &&
		    is_full(&collector->streams[i]))
			return events_time(CLOCK_MONOTONIC);
	return collector->active;
}

double
collector_unread_since(const struct collector *collector)
{
	return needs(collector, collector->sinks[OUT]) ||
		needs(collector, collector->sinks[ERR])
	    ? collector->took
	    : INFINITY;
}

void
collector_drop(struct collector *collector)
{
	double took = -1;

	/* A file takes all without waiting. */
	collector->turn_by = 0;
	while (collector->delivers && took < collector->took) {
		took = collector->took;
		step(collector);
	}
	stop(collector);
}
