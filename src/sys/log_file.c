/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/file.h"
#include "sys/logs.h"
#include "sys/messages.h"
#include "sys/output.h"

/*
 * A file grows bit by bit while another process writes a line to it.  Its last
 * line counts as unfinished if the file keeps its size for LOOKS looks, with
 * pauses of this many nanoseconds, or after LOOKS_MOST looks.
 */
#define LOOKS 20
#define LOOKS_MOST 100
#define LOOK_PAUSE 1000000

void
log_file_complain(struct sink *sink, struct messages *messages, int error)
{
	char safe[128];

	if (!sink->failed)
		say(messages, "%s: %s: %s", sink->option,
		    text_safe(sink->name, safe, sizeof(safe)),
		    error == EAGAIN ? "lines are left out: nobody reads them"
				    : strerror(error));
	sink->failed = true;
}

/*
 * Whether the file that the log goes to, if it is one, ends in the middle of a
 * line.
 */
static bool
file_ends_mid_line(const struct sink *sink)
{
	const struct timespec pause = { .tv_nsec = LOOK_PAUSE };
	struct stat status;
	off_t size = 0;
	int same = 0;
	char last;

	if (sink->reader == NO_DESCRIPTOR)
		return false;
	for (int look = 0; look < LOOKS_MOST && same < LOOKS; look++) {
		if (look > 0)
			nanosleep(&pause, NULL);
		if (fstat(sink->reader, &status) == -1 || status.st_size == 0 ||
		    pread(sink->reader, &last, 1, status.st_size - 1) != 1 ||
		    last == '\n')
			return false;
		same = status.st_size == size ? same + 1 : 0;
		size = status.st_size;
	}
	return true;
}

/*
 * If logrotate(8) has moved the file, or it was removed, the log goes on in a
 * new one of that name.
 */
static void
follow_name(const struct sink *sink)
{
	struct stat own, named;

	if (sink->reader == NO_DESCRIPTOR ||
	    fstat(sink->descriptor, &own) == -1)
		return;
	if (stat(sink->name, &named) == 0 ? file_is_same(&own, &named)
					  : errno != ENOENT)
		return;
	const int file = file_open(sink->name, O_WRONLY | O_APPEND | O_CREAT);
	const int reader = file_open(sink->name, O_RDONLY);
	if (file != -1 && reader != -1) {
		dup3(file, sink->descriptor, O_CLOEXEC);
		dup3(reader, sink->reader, O_CLOEXEC);
	}
	if (file != -1)
		close(file);
	if (reader != -1)
		close(reader);
}

void
log_file_flush(struct sink *sink, struct output *output, bool is_drawing)
{
	struct messages *messages = output->messages;

	fflush(sink->file);
	if (sink->size == 0)
		return;
	if (sink->name == NULL && !is_drawing)
		messages_write(messages, sink->text, sink->size);
	else if (sink->name == NULL)
		messages_draw(messages, sink->text, sink->size);
	else {
		follow_name(sink);
		if (sink->replaced && ftruncate(sink->descriptor, 0) == -1 &&
		    errno != EINVAL)
			log_file_complain(sink, messages, errno);
		/* The attempts, or another program, may have begun a line. */
		if (!is_drawing && *sink->text != '\n' &&
		    (sink->has_output ? output_ends_mid_line(output, OUT)
				      : file_ends_mid_line(sink)) &&
		    sink_write(sink, "\n", 1, 0))
			output_line_is_ended(output, OUT);
		if (!sink_write(sink, sink->text, sink->size, 0))
			log_file_complain(sink, messages, errno);
	}
	rewind(sink->file);
	sink->size = 0;
}
