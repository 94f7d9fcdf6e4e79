/* SPDX-License-Identifier: MIT */

#ifndef STATE_FILE_H
#define STATE_FILE_H

#include "options/options.h"
#include "core/state.h"
#include "sys/messages.h"

/* --state: the file that keeps the state, which one run at a time has. */
struct state_file {
	const char *name; /* NULL: there is none */
	const struct backoff *backoff;
	int lock;	       /* NO_DESCRIPTOR while another run holds it */
	struct state state;    /* as it was when the lock was taken */
	char text[STATE_TEXT]; /* of the file */
};

/*
 * Whether a file that an option names is the state's, or one of those that are
 * kept next to it.
 */
bool state_file_uses(const char *state, const char *file);

/*
 * Finds the file that --state names, if it does, and tries to lock and read it.
 * Returns 0, or -1 after a message.
 */
int state_file_open(struct state_file *file, const struct options *options);

/*
 * Takes the lock, which the processes that are started inherit, and reads the
 * state; a damaged file is put aside, with a warning.  Returns 1, 0 if another
 * run holds the lock, or -1 after a message.
 */
int state_file_lock(struct state_file *file);

/* The run is over: gives the lock back, whatever attempts have left. */
void state_file_close(const struct state_file *file);

/*
 * Writes what the run leaves at this time, in seconds since 1970; at any moment
 * the file has the old or the new state.  Returns 0, or -1 after a message.
 */
int state_file_save(struct state_file *file, const struct state *state,
    double time);

#endif
