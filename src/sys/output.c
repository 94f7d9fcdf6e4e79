/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/outcome.h"
#include "core/text.h"
#include "sys/file.h"
#include "sys/output.h"
#include "sys/receiver.h"

/* How much of held output is told to logs. */
#define TAIL_MOST 65536

bool
output_take_failure(struct output *output, int *death)
{
	static const char *const names[] = {
		[FAILURE_PIPE] = "cannot pass the output on",
		[FAILURE_SEARCH] = "cannot search the output",
		[FAILURE_STDOUT] = "standard output",
		[FAILURE_STDERR] = "standard error",
	};
	struct collector *collector = &output->collector;
	const enum failure failure = collector->failure;

	if (failure == FAILURE_NONE)
		return false;
	messages.held = false;
	errno = collector->error;
	collector->failure = FAILURE_NONE;
	*death = 0;
	if (errno == EPIPE && !receiver_ignores(SIGPIPE))
		*death = SIGPIPE;
	else if (failure == FAILURE_SPOOL)
		spool_complain();
	else
		say_error("%s", names[failure]);
	return true;
}

bool *
output_mid_line(const struct output *output, int stream)
{
	return &output->collector.sinks[stream]->mid_line;
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

void
output_open(struct output *output, const struct options *options,
    struct ev_loop *events)
{
	const struct output_row *mode = &output_rows[options->output];
	struct stat out, error;

	*output = (struct output){ .options = options,
		.collector = { .events = events,
		    .patterns = &options->patterns,
		    .lets_go = mode->lets_go,
		    .takes_turns = mode->takes_turns },
		.ends = { NO_DESCRIPTOR, NO_DESCRIPTOR, NO_DESCRIPTOR } };
	if (options_collects(options)) {
		output->closed[OUT] =
		    is_closed(STDOUT_FILENO, "standard output", &out);
		output->closed[ERR] =
		    is_closed(STDERR_FILENO, "standard error", &error);
		output->merged = !output->closed[OUT] && !output->closed[ERR] &&
		    file_is_same(&out, &error);
		messages.held = mode->holds_messages && !output->closed[ERR];
	}
	output->collector.joined =
	    output->merged && mode->holds_stdout == mode->holds_stderr;
	collector_init(&output->collector, output->merged);
}

/* Opens the pipe that a stream comes through. */
static int
open_stream(struct output *output, struct stream *stream, int index)
{
	int ends[2];

	const bool can_hold =
	    stream->spool == NULL || spool_open(stream->spool) == 0;
	if (!can_hold || file_pipe(ends) == -1) {
		collector_fail(&output->collector,
		    can_hold ? FAILURE_PIPE : FAILURE_SPOOL);
		return -1;
	}
	stream->pipe = ends[0];
	stream->left = SIZE_MAX;
	output->ends[index + 1] = ends[1];
	if (stream->spool != NULL)
		file_widen_pipe(stream->pipe);
	return 0;
}

int
output_begin(struct output *output, int descriptors[3])
{
	const struct options *options = output->options;
	const struct output_row *mode = &output_rows[options->output];
	struct collector *collector = &output->collector;
	struct stream *streams = collector->streams;

	if (!options_collects(options))
		return 0;
	if (collector->work != NULL)
		collector->work->found = (struct found){ 0 };
	for (int i = 0; i < STREAMS; i++) {
		struct stream *stream = &streams[i];
		struct spool *spool = &collector->spools[i];

		if (!spool_has_bytes(spool) || mode->forgets)
			spool_empty(spool);
		const bool holds =
		    i == OUT ? mode->holds_stdout : mode->holds_stderr;
		stream->spool = holds && !collector->full ? spool : NULL;
		/* In one file for both, nobody can tell them apart. */
		stream->searches = search_is_needed(&options->patterns) &&
		    (output->merged || options->search == 0 ||
			options->search == i + 1);
		if ((stream->spool == NULL && !stream->searches &&
			options->policy.idle_timeout == 0) ||
		    output->closed[i] || (i == ERR && collector->joined))
			continue;
		if (stream->spool == NULL)
			collector_sink(collector, i);
		if (open_stream(output, stream, i) == -1)
			return -1;
		descriptors[i + 1] = output->ends[i + 1];
	}
	if (collector->joined && output->ends[1] != NO_DESCRIPTOR)
		descriptors[2] = output->ends[1];
	collector->begun = collector->spools[OUT].end;
	if (streams[OUT].pipe != NO_DESCRIPTOR ||
	    streams[ERR].pipe != NO_DESCRIPTOR)
		collector_start(collector);
	else /* nobody will know whether it ends in the middle of a line */
		collector->sinks[OUT]->mid_line =
		    collector->sinks[ERR]->mid_line = false;
	return 0;
}

int
output_begin_shell(struct output *output, int descriptors[3])
{
	struct collector *collector = &output->collector;
	struct stream *stream = &collector->streams[ERR];

	stream->spool = &collector->spools[ASIDE];
	stream->searches = false;
	if (collector->spools[OUT].fd != NO_DESCRIPTOR) {
		output->ends[0] =
		    spool_reader(&collector->spools[OUT], collector->begun);
		if (output->ends[0] == -1)
			return -1;
		descriptors[0] = output->ends[0];
	}
	if (!messages.held)
		return 0;
	if (open_stream(output, stream, ERR) == -1)
		return -1;
	descriptors[1] = descriptors[2] = output->ends[ERR + 1];
	collector_start(collector);
	return 0;
}

char *
output_tail(const struct output *output)
{
	const struct collector *collector = &output->collector;
	const struct spool *spool = &collector->spools[OUT];

	if (spool->fd == NO_DESCRIPTOR)
		return NULL;
	const bool is_cut = spool->end - collector->begun > TAIL_MOST;
	const off_t from = is_cut ? spool->end - TAIL_MOST : collector->begun;
	char *buffer = malloc(TAIL_MOST + 1);

	if (buffer == NULL)
		return NULL;
	const ssize_t length =
	    pread(spool->fd, buffer, (size_t)(spool->end - from), from);
	if (length <= 0) {
		free(buffer);
		return NULL;
	}
	buffer[length] = '\0';
	text_mask_nul(buffer, (size_t)length, '\1');
	const char *line = is_cut ? strchr(buffer, '\n') : NULL;
	if (line != NULL)
		memmove(buffer, line + 1, strlen(line));
	return buffer;
}

void
output_started(struct output *output)
{
	for (int i = 0; i < 3; i++)
		file_close(&output->ends[i]);
}

/* Lets held output out, or forgets it if both outlets are closed. */
static void
release(struct output *output, int out)
{
	struct collector *collector = &output->collector;
	const int streams[SPOOLS] = { out, ERR, ERR };

	for (int i = 0; i < SPOOLS; i++) {
		struct spool *spool = &collector->spools[i];
		const int stream = output->merged ? OUT : streams[i];

		if ((spool_has_bytes(spool) ||
			(i == ASIDE && messages.size > 0)) &&
		    !output->closed[stream])
			collector->outlets[i] =
			    collector_sink(collector, stream);
		else /* a hook can still read it: output_begin_shell() */
			spool->start = spool->end;
	}
	collector_deliver(collector);
}

void
output_deliver(struct output *output, const struct record *run)
{
	const bool over = run->end.reason != REASON_NONE;
	bool succeeded = run->last.judgement.verdict == VERDICT_SUCCESS;

	if (over)
		succeeded = run->end.reason == REASON_SUCCESS ||
		    (run->end.reason == REASON_SIGNAL && run->end.status == 0);

	/* A collector that has failed may not have been waited for yet. */
	collector_drop(&output->collector);
	switch (output->options->output) {
	case OUTPUT_STREAM:
		break;
	case OUTPUT_HOLD:
		/* The output of a failed attempt is not the run's output. */
		release(output, succeeded ? OUT : ERR);
		break;
	case OUTPUT_ALL:
		release(output, OUT);
		break;
	case OUTPUT_LAST:
		if (over)
			release(output, OUT);
		break;
	case OUTPUT_FAILED:
		if (run->last.judgement.verdict != VERDICT_SUCCESS)
			release(output, OUT);
		break;
	case OUTPUT_CHRONIC:
		if (over && run->end.reason != REASON_SUCCESS &&
		    run->end.reason != REASON_EARLY && !run->end.tolerated) {
			messages.held = false;
			release(output, OUT);
		}
		break;
	}
}

bool
output_is_unread(const struct output *output)
{
	struct pollfd poll_fd = { .fd = STDOUT_FILENO };

	/* The journal comes back. */
	return output->options->output == OUTPUT_STREAM &&
	    !file_is_journal(STDOUT_FILENO) && poll(&poll_fd, 1, 0) == 1 &&
	    (poll_fd.revents & (POLLERR | POLLHUP)) != 0;
}

void
duplicate_open(struct duplicate *duplicate, const struct options *options,
    bool logged)
{
	struct stat out, error;

	*duplicate = (struct duplicate){
		.warns = !logged && !options->style.quiet &&
		    options->output == OUTPUT_STREAM &&
		    options->origin[OPTION_OUTPUT] == ORIGIN_DEFAULT &&
		    fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode) &&
		    fstat(STDERR_FILENO, &error) == 0 &&
		    !file_is_same(&out, &error),
	};
}

void
duplicate_begin(struct duplicate *duplicate, bool failed)
{
	if (!duplicate->warns)
		return;
	if (failed && duplicate->grew) {
		duplicate->warns = false;
		say("the output file may now contain output of a failed "
		    "attempt; --output=hold keeps it out");
	}
	duplicate->grew = false;
	duplicate->end = file_offset(STDOUT_FILENO);
}

void
duplicate_end(struct duplicate *duplicate)
{
	duplicate->grew =
	    duplicate->warns && file_offset(STDOUT_FILENO) != duplicate->end;
}
