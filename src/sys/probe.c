/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <paths.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/file.h"
#include "sys/probe.h"
#include "sys/tree.h"

/* How much of its output is read after a probe has ended. */
#define READS_MOST 16

static void
keep_line(struct probe *probe)
{
	if (probe->length == 0)
		return;
	memcpy(probe->last_line, probe->line, probe->length);
	probe->last_line[probe->length] = '\0';
	probe->length = 0;
	if (probe->show != NULL)
		probe->show(probe->data, probe->last_line);
}

/* Reads once.  Returns false if there is nothing to read now. */
static bool
take_output(struct probe *probe)
{
	char bytes[1 << 14];
	errno = 0;
	const ssize_t length = read(probe->watcher.fd, bytes, sizeof(bytes));

	if (length <= 0)
		return length == -1 && errno == EINTR;
	text_mask_nul(bytes, (size_t)length, ' ');
	for (ssize_t i = 0; i < length; i++) {
		if (bytes[i] == '\n')
			keep_line(probe);
		else if (probe->length < sizeof(probe->line) - 1)
			probe->line[probe->length++] = bytes[i];
	}
	return true;
}

static void
close_output(struct probe *probe)
{
	ev_io_stop(probe->events, &probe->watcher);
	file_close(&probe->watcher.fd);
}

static void
output_ready(struct ev_loop *events, ev_io *watcher, int flags)
{
	struct probe *probe = watcher->data;

	(void)events, (void)flags;
	/* Only at the end of the file is it ready and has nothing. */
	if (!take_output(probe) && errno != EAGAIN)
		ev_io_stop(probe->events, &probe->watcher);
}

void
probe_open(struct probe *probe, const struct child *child,
    struct ev_loop *events, probe_show *show, void *data)
{
	*probe = (struct probe){
		.child = *child,
		.events = events,
		.show = show,
		.data = data,
	};
	probe->child.own_group = probe->child.own_session = true;
	ev_io_init(&probe->watcher, output_ready, NO_DESCRIPTOR, EV_READ);
	probe->watcher.data = probe;
}

/* Says once that a probe could not be started. */
static void
probe_complain(struct probe *probe, int error, const char *what)
{
	errno = error;
	if (!probe->warned)
		say_error("cannot start --health%s", what);
	probe->warned = true;
}

int
probe_start(struct probe *probe, const char *command,
    const struct record *record, pid_t attempt)
{
	const char *const argv[] = { _PATH_BSHELL, "-c", command, NULL };
	int ends[2], result = -1;

	probe->length = 0;
	probe->last_line[0] = '\0';
	int null = file_null();
	if (null != -1 && file_pipe(ends) == 0) {
		ev_io_set(&probe->watcher, ends[0], EV_READ);
		ev_io_start(probe->events, &probe->watcher);
		result = child_start(&probe->child,
		    &(struct start){ .argv = argv,
			.record = record,
			.probed = attempt,
			.descriptors = { null, ends[1], ends[1] } });
		file_close(&ends[1]);
	}
	file_close(&null);
	if (result == 0)
		return 0;
	const int error = errno;
	close_output(probe);
	probe_complain(probe, error, "");
	return -1;
}

void
probe_kill(struct probe *probe)
{
	if (probe->child.pid != 0)
		tree_kill(probe->child.pid);
}

void
probe_drop(struct probe *probe)
{
	probe_kill(probe);
	probe->child.pid = 0;
	close_output(probe);
}

struct outcome
probe_ended(struct probe *probe, int status)
{
	const int error = *probe->child.exec_errno;

	for (int i = 0; i < READS_MOST && probe->watcher.fd != NO_DESCRIPTOR;
	     i++)
		if (!take_output(probe))
			break;
	keep_line(probe);
	close_output(probe);
	probe->child.pid = 0;
	if (error != 0)
		probe_complain(probe, error, ": " _PATH_BSHELL);
	const bool missing = error == 0 && WIFEXITED(status) &&
	    (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126);
	if (missing && !probe->warned)
		say("--health exited %d, so that it says nothing: %s",
		    WEXITSTATUS(status), probe->last_line);
	probe->warned |= missing;
	if (error != 0 || missing)
		return (struct outcome){ OUTCOME_UNSTARTABLE, .code = error };
	if (WIFSIGNALED(status))
		return (
		    struct outcome){ OUTCOME_SIGNAL, .code = WTERMSIG(status) };
	return (struct outcome){ OUTCOME_EXIT, .code = WEXITSTATUS(status) };
}
