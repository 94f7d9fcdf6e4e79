/* SPDX-License-Identifier: MIT */

#ifndef PROBE_H
#define PROBE_H

#include <ev.h>

#include "core/outcome.h"
#include "core/record.h"
#include "sys/child.h"
#include "sys/messages.h"

/* The longest line that is kept. */
#define PROBE_LINE 256

/*
 * Takes a line that a probe has written, without its end and cut to
 * PROBE_LINE; data is the caller's.
 */
typedef void probe_show(void *data, const char *line);

/*
 * The process of --health, next to an attempt: a shell command that reads
 * nothing, and of whose output the last line is kept.
 */
struct probe {
	struct child child; /* its pid is 0 while no probe runs */
	struct ev_loop *events;
	ev_io watcher;
	probe_show *show; /* is given each line that is not empty, or NULL */
	void *data;
	bool warned;	       /* that a probe could not be started */
	char line[PROBE_LINE]; /* that is being written */
	size_t length;
	char last_line[PROBE_LINE]; /* the last line that is not empty */
};

/*
 * Makes ready; `child` is the one that attempts are started with, and has not
 * started any.  A probe runs next to it in a session of its own.
 */
void probe_open(struct probe *probe, const struct child *child,
    struct ev_loop *events, probe_show *show, void *data);

/*
 * Starts a probe of the attempt with this pid.  Returns 0, or -1 with errno
 * set after a message, which comes once.
 */
int probe_start(struct probe *probe, const char *command,
    const struct record *record, pid_t attempt);

/* Kills the probe that runs, if one does, with all that it has started. */
void probe_kill(struct probe *probe);

/* The same, and forgets it: nobody waits for its end. */
void probe_drop(struct probe *probe);

/* The probe has ended with this wait status: how? */
struct outcome probe_ended(struct probe *probe, int status);

#endif
