/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/outcome.h"
#include "core/text.h"
#include "sys/control_file.h"
#include "sys/events.h"
#include "sys/file.h"

/* How much of the file is read. */
#define CONTROL_MOST 65536

void
control_file_open(struct control_file *file, bool used)
{
	file->fd = NO_DESCRIPTOR;
	if (!used)
		return;
	/* In a /proc of another pid name space, getpid(2) names another. */
	const ssize_t length =
	    readlink("/proc/self", file->pid, sizeof(file->pid) - 1);
	if (length == -1)
		err(STATUS_OWN_FAILURE, "--control needs /proc");
	file->pid[length] = '\0';
}

int
control_file_begin(struct control_file *file)
{
	file->fd = file_in_memory("retry-control");
	if (file->fd == -1) {
		warn("--control");
		return -1;
	}
	snprintf(file->name, sizeof(file->name), "/proc/%s/fd/%d", file->pid,
	    file->fd);
	return 0;
}

/* Reads the beginning of the file.  Returns its text, to be freed. */
static char *
read_text(const struct control_file *file)
{
	char *text = malloc(CONTROL_MOST + 1);

	if (text == NULL)
		events_fail("--control");
	const ssize_t length = pread(file->fd, text, CONTROL_MOST + 1, 0);
	if (length == -1)
		events_fail("--control");
	size_t size = (size_t)length;
	if (size > CONTROL_MOST) {
		warnx("--control: only the first 64 KiB are read");
		size = CONTROL_MOST;
	}
	for (size_t i = 0; i < size; i++)
		if (text[i] == '\0')
			text[i] = '\1';
	text[size] = '\0';

	/* The last line may be cut. */
	char *end = strrchr(text, '\n');
	if (size < (size_t)length)
		*(end == NULL ? text : end) = '\0';
	return text;
}

struct control
control_file_ended(struct control_file *file)
{
	struct control control = { .verdict = VERDICT_NONE };
	const double now = events_time(CLOCK_REALTIME);
	char safe[64];

	if (file->fd == -1)
		return control;
	char *text = read_text(file);
	char *rest = text;
	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		const char *problem = control_read(&control, line, now);

		if (problem == NULL || file->complained)
			continue;
		file->complained = true;
		warnx("--control: %s: %s", text_safe(line, safe, sizeof(safe)),
		    problem);
	}
	free(text);
	close(file->fd);
	file->fd = NO_DESCRIPTOR;
	return control;
}
