#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/outcome.h"
#include "sys/file.h"
#include "sys/output.h"
#include "sys/signal_queue.h"

/* How much of held output is told to logs. */
#define TAIL_MOST 65536

/* Room for all the warnings of one turn of the loop. */
#define WARNINGS_MOST 65536

/* Keeps the first failure, which output_failed() tells. */
static void
fail(struct output *output, const char *what)
{
	struct collection *shared = output->collector.shared;

	if (shared->failed != NULL)
		return;
	shared->error = errno;
	shared->failed = what;
}

bool
output_failed(struct output *output, int *death)
{
	struct collection *shared = output->collector.shared;

	if (shared == NULL || shared->failed == NULL)
		return false;
	const char *what = shared->failed;
	/* A collector that has failed takes no message any more. */
	collector_finish(&output->collector);
	errno = shared->error;
	shared->failed = NULL;
	*death = 0;
	if (errno == EPIPE && !signal_queue_ignores(SIGPIPE))
		*death = SIGPIPE;
	else if (shared->error == 0)
		warnx("%s", what);
	else if (strcmp(what, SPOOL_NAME) == 0)
		spool_warn();
	else
		warn("%s", what);
	return true;
}

/* Where messages are held. */
static int
message_index(const struct output *output)
{
	return output->joined ? OUT : ERR;
}

/*
 * A message takes its place in the held output, or goes to standard error.  It
 * begins a line: the output before it may have ended in the middle of one.
 */
static void
put_message(struct output *output, const char *data, size_t size)
{
	struct collection *shared = output->collector.shared;
	struct spool *spool = &shared->spools[message_index(output)];
	bool *ragged = &shared->ragged[output->merged ? OUT : ERR];

	if (!output->silent) {
		if (*ragged && *data != '\n')
			file_write(STDERR_FILENO, "\n", 1);
		*ragged = false;
		file_write(STDERR_FILENO, data, size);
	} else if (output->collector.leash != -1) {
		collector_tell(&output->collector, data, size);
	} else if (spool_open(spool) == -1 ||
	    spool_tell(spool, data, size) == -1) {
		fail(output, SPOOL_NAME);
	}
}

/* Adds to a message, which is put once its last line has its end. */
static void
add_message(struct output *output, const char *data, size_t size)
{
	char *message = realloc(output->message, output->length + size);

	if (message == NULL) {
		put_message(output, data, size);
		return;
	}
	memcpy(message + output->length, data, size);
	output->message = message;
	output->length += size;
	if (message[output->length - 1] != '\n')
		return;
	put_message(output, message, output->length);
	output->length = 0;
}

/*
 * There is no portable way to have warn(3) write elsewhere.  So its lines wait
 * in the buffer of stderr, which is let out into a pipe here.
 */
void
output_gather(struct output *output)
{
	char text[PIPE_BUF];
	int ends[2];
	ssize_t length;

	if (output->messages == NULL || __fpending(stderr) == 0)
		return;
	const int inherited =
	    fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (inherited == -1) {
		fflush(stderr);
		return;
	}
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == -1) {
		fflush(stderr);
		close(inherited);
		return;
	}
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	fflush(stderr);
	dup2(inherited, STDERR_FILENO);
	close(inherited);
	while ((length = read(ends[0], text, sizeof(text))) > 0)
		add_message(output, text, (size_t)length);
	close(ends[0]);
}

static ssize_t
write_message(void *cookie, const char *data, size_t size)
{
	output_gather(cookie);
	add_message(cookie, data, size);
	return (ssize_t)size;
}

/* Whether the descriptor is closed; any other error of its ends `retry`. */
static bool
is_closed(int descriptor, const char *name, struct stat *status)
{
	if (fstat(descriptor, status) == 0)
		return false;
	if (errno != EBADF)
		err(STATUS_OWN_FAILURE, "%s", name);
	return true;
}

int
output_open(struct output *output, const struct options *options)
{
	const cookie_io_functions_t functions = { .write = write_message };
	struct stat out, error;

	*output = (struct output){ .options = options,
		.ends = { NO_DESCRIPTOR, NO_DESCRIPTOR, NO_DESCRIPTOR } };
	/* stdio would lose what a reader has no room for at the moment. */
	if (options->policy.delivery == DELIVERY_NONE &&
	    (fcntl(STDERR_FILENO, F_GETFL) & O_NONBLOCK) == 0)
		return 0;
	if (collector_init(&output->collector) == -1)
		return -1;
	output->closed[OUT] = is_closed(STDOUT_FILENO, "standard output", &out);
	output->closed[ERR] =
	    is_closed(STDERR_FILENO, "standard error", &error);
	output->merged = !output->closed[OUT] && !output->closed[ERR] &&
	    file_is_same(&out, &error);
	output->joined = output->merged && options->output != OUTPUT_HOLD;
	output->messages = fopencookie(output, "w", functions);
	if (output->messages == NULL)
		return -1;
	setvbuf(output->messages, output->line, _IOLBF, sizeof(output->line));
	output->warnings = malloc(WARNINGS_MOST);
	setvbuf(stderr, output->warnings, _IOFBF, WARNINGS_MOST);
	output->silent = options->output == OUTPUT_CHRONIC;
	return 0;
}

void
output_close(struct output *output)
{
	if (output->messages != NULL) {
		fclose(output->messages);
		output_gather(output);
		setvbuf(stderr, NULL, _IONBF, 0);
		free(output->warnings);
		free(output->message);
	}
	if (output->collector.shared == NULL)
		return;
	collector_drop(&output->collector);
	for (int i = 0; i < STREAMS; i++)
		spool_close(&output->collector.shared->spools[i]);
}

/* Opens the pipe that a stream comes through. */
static int
open_stream(struct output *output, struct stream *stream, int index)
{
	int ends[2];

	if (stream->held &&
	    spool_open(&output->collector.shared->spools[index]) == -1) {
		fail(output, SPOOL_NAME);
		return -1;
	}
	if (pipe2(ends, O_CLOEXEC) == -1) {
		fail(output, "pipe");
		return -1;
	}
	stream->pipe = file_raise(ends[0]);
	output->ends[index + 1] = file_raise(ends[1]);
	if (stream->pipe == -1 || output->ends[index + 1] == -1 ||
	    fcntl(stream->pipe, F_SETFL, O_NONBLOCK) == -1) {
		fail(output, "pipe");
		return -1;
	}
	if (stream->held)
		file_widen_pipe(stream->pipe);
	return 0;
}

static int
start_collector(struct output *output, struct stream streams[STREAMS],
    const struct patterns *patterns)
{
	const int messages = message_index(output);

	if (streams[OUT].pipe == NO_DESCRIPTOR &&
	    streams[ERR].pipe == NO_DESCRIPTOR)
		return 0;
	if (output->silent &&
	    spool_open(&output->collector.shared->spools[messages]) == -1) {
		fail(output, SPOOL_NAME);
		return -1;
	}
	if (collector_start(&output->collector, streams, patterns, messages) ==
	    -1) {
		fail(output, "cannot start a process for the output");
		return -1;
	}
	return 0;
}

int
output_begin(struct output *output, int descriptors[3])
{
	const struct options *options = output->options;
	const struct patterns *patterns = &options->patterns;
	const bool searches =
	    search_matches(patterns) != 0 || patterns->hint != NULL;
	const bool watches = searches || options->policy.idle_timeout > 0;
	struct collection *shared = output->collector.shared;
	struct stream streams[STREAMS] = {
		{ .pipe = NO_DESCRIPTOR, .writer = STDOUT_FILENO },
		{ .pipe = NO_DESCRIPTOR,
		    .writer = output->merged ? STDOUT_FILENO : STDERR_FILENO },
	};

	if (shared == NULL)
		return 0;
	output_gather(output);
	shared->found = (struct found){ .matched = 0 };
	for (int i = 0; i < STREAMS; i++) {
		struct stream *stream = &streams[i];
		struct spool *spool = &shared->spools[i];

		if (spool->start == spool->end ||
		    options->output == OUTPUT_LAST)
			spool_empty(spool);
		switch (options->output) {
		case OUTPUT_STREAM:
			break;
		case OUTPUT_HOLD:
			stream->held = i == OUT;
			break;
		case OUTPUT_LAST:
		case OUTPUT_CHRONIC:
			stream->held = true;
			break;
		}
		if ((!stream->held && !watches) || output->closed[i] ||
		    (i == ERR && output->joined))
			continue;
		if (open_stream(output, stream, i) == -1)
			return -1;
		descriptors[i + 1] = output->ends[i + 1];
	}
	if (output->joined && output->ends[1] != NO_DESCRIPTOR)
		descriptors[2] = output->ends[1];
	output->begun = shared->spools[OUT].end;
	return start_collector(output, streams, searches ? patterns : NULL);
}

/* The output of a check is not held: the check reads the held output. */
int
output_begin_shell(struct output *output, int descriptors[3])
{
	struct collection *shared = output->collector.shared;
	struct stream streams[STREAMS] = {
		{ .pipe = NO_DESCRIPTOR },
		{ .pipe = NO_DESCRIPTOR, .held = true },
	};

	if (shared == NULL)
		return 0;
	output_gather(output);
	if (shared->spools[OUT].fd != -1) {
		output->ends[0] =
		    spool_reader(&shared->spools[OUT], output->begun);
		if (output->ends[0] == -1)
			return -1;
		descriptors[0] = output->ends[0];
	}
	if (!output->silent)
		return 0;
	if (open_stream(output, &streams[ERR], ERR) == -1)
		return -1;
	descriptors[1] = descriptors[2] = output->ends[2];
	return start_collector(output, streams, NULL);
}

char *
output_tail(const struct output *output)
{
	const struct collection *shared = output->collector.shared;

	if (shared == NULL || shared->spools[OUT].fd == -1)
		return NULL;
	const struct spool *spool = &shared->spools[OUT];
	const bool is_cut = spool->end - output->begun > TAIL_MOST;
	const off_t from = is_cut ? spool->end - TAIL_MOST : output->begun;
	char *buffer = malloc(TAIL_MOST + 1);

	if (buffer == NULL)
		return NULL;
	const ssize_t length =
	    pread(spool->fd, buffer, (size_t)(spool->end - from), from);
	if (length <= 0) {
		free(buffer);
		return NULL;
	}
	for (ssize_t i = 0; i < length; i++)
		if (buffer[i] == '\0')
			buffer[i] = '\1';
	buffer[length] = '\0';
	const char *line = is_cut ? strchr(buffer, '\n') : NULL;
	if (line != NULL)
		memmove(buffer, line + 1, strlen(line));
	return buffer;
}

void
output_started(struct output *output)
{
	for (int i = 0; i < 3; i++) {
		if (output->ends[i] != NO_DESCRIPTOR)
			close(output->ends[i]);
		output->ends[i] = NO_DESCRIPTOR;
	}
}

bool
output_finish(struct output *output)
{
	struct collection *shared = output->collector.shared;

	if (shared == NULL)
		return true;
	collector_finish(&output->collector);
	if (output->collector.pid != 0)
		return false;
	if (output->joined && shared->spools[ERR].end > 0) {
		if (spool_append(&shared->spools[OUT], &shared->spools[ERR]) ==
		    -1)
			fail(output, SPOOL_NAME);
		spool_empty(&shared->spools[ERR]);
	}
	return true;
}

pid_t
output_worker(const struct output *output)
{
	return output->collector.pid;
}

void
output_signal(const struct output *output, int signal)
{
	if (output->collector.pid != 0)
		kill(-output->collector.pid, signal);
}

bool *
output_ragged(const struct output *output)
{
	struct collection *shared = output->collector.shared;

	return shared == NULL ? NULL : &shared->ragged[OUT];
}

bool
output_reaped(struct output *output, pid_t pid, int status)
{
	return output->collector.shared != NULL &&
	    collector_reaped(&output->collector, pid, status);
}

bool
output_moved(struct output *output)
{
	return output->collector.pid != 0 &&
	    collector_moved(&output->collector);
}

void
output_drop(struct output *output)
{
	if (output->collector.shared != NULL)
		collector_drop(&output->collector);
}

double
output_active(const struct output *output)
{
	return output->collector.shared == NULL
	    ? 0
	    : output->collector.shared->active;
}

const struct found *
output_found(const struct output *output)
{
	static const struct found nothing;

	return output->collector.shared == NULL
	    ? &nothing
	    : &output->collector.shared->found;
}

/* Lets held output out, or forgets it if both outlets are closed. */
static bool
release(struct output *output, int out_writer)
{
	int writers[STREAMS] = { out_writer,
		output->merged ? STDOUT_FILENO : STDERR_FILENO };

	if (output->collector.shared == NULL)
		return false;
	struct spool *spools = output->collector.shared->spools;
	for (int i = 0; i < STREAMS; i++)
		if (spools[i].start == spools[i].end ||
		    output->closed[writers[i] == STDOUT_FILENO ? OUT : ERR]) {
			/* It can still be read: output_begin_shell(). */
			spools[i].start = spools[i].end;
			writers[i] = NO_DESCRIPTOR;
		}
	if (writers[OUT] == NO_DESCRIPTOR && writers[ERR] == NO_DESCRIPTOR)
		return false;
	if (collector_deliver(&output->collector, writers) == 0)
		return true;
	fail(output, "cannot start a process for the output");
	return false;
}

bool
output_deliver(struct output *output, const struct record *run)
{
	const bool over = run->reason != REASON_NONE;
	bool succeeded = run->judgement.verdict == VERDICT_SUCCESS;

	if (over)
		succeeded = run->reason == REASON_SUCCESS ||
		    (run->reason == REASON_SIGNAL && run->status == 0);

	/* A collector that has failed may not have been waited for yet. */
	output_drop(output);
	output_gather(output);
	switch (output->options->output) {
	case OUTPUT_STREAM:
		break;
	case OUTPUT_HOLD:
		/* The output of a failed attempt is not the run's output. */
		if (run->reason != REASON_ERROR)
			return release(output,
			    succeeded || output->merged ? STDOUT_FILENO
							: STDERR_FILENO);
		break;
	case OUTPUT_LAST:
		if (over)
			return release(output, STDOUT_FILENO);
		break;
	case OUTPUT_CHRONIC:
		if (over && run->reason != REASON_SUCCESS &&
		    run->reason != REASON_EARLY && !run->tolerated) {
			output_show_messages(output);
			return release(output, STDOUT_FILENO);
		}
		break;
	}
	return false;
}

bool
output_is_unread(void)
{
	struct pollfd poll_fd = { .fd = STDOUT_FILENO };

	return poll(&poll_fd, 1, 0) == 1 &&
	    (poll_fd.revents & (POLLERR | POLLHUP)) != 0;
}

void
output_show_messages(struct output *output)
{
	output->silent = false;
}
