#ifndef STATE_H
#define STATE_H

#include <stdbool.h>

#include "core/memory.h"

/* What runs remember in a file, of which one has it at a time. */
struct state {
	const char *file;
	const struct backoff *backoff;
	char *lock_file;
	char *new_file;	    /* until it is whole */
	char *damaged_file; /* where a damaged one is kept */
	int lock;	    /* -1 while another run holds it */
	struct memory memory;
	char text[MEMORY_TEXT]; /* the memory, as the file has it */
	char problem[128];
};

/*
 * Whether a file that an option named is the state's, or one of those that are
 * kept beside it.
 */
bool state_uses(const char *state, const char *file);

/*
 * Makes ready for state_lock().  Returns NULL, or what is wrong with the file
 * or with the folder that it is in.
 */
const char *state_init(struct state *state, const char *file,
    const struct backoff *backoff);

/*
 * Takes the lock, for as long as the process lives, and reads what is
 * remembered; keeps a damaged file aside, with a warning.  Returns NULL, with
 * `lock` still -1 if another run holds it, or what is wrong.
 */
const char *state_lock(struct state *state);

/*
 * Waits until the lock can be taken, which it is not.  For a process of its
 * own, as it hears nothing meanwhile; the argument is the struct state.
 * Returns its exit status.
 */
int state_wait(const void *argument);

/*
 * Puts the memory into the file, which at any moment has the old or the new.
 * Returns NULL, or why that failed.
 */
const char *state_save(struct state *state);

void state_free(struct state *state);

#endif
