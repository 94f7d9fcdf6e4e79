#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include <stddef.h>
#include <sys/types.h>

#include "core/record.h"

/* How many variables `retry` sets, and room for one of them. */
#define ENVIRONMENT_OWN 9
#define ENVIRONMENT_TEXT 64

/* What children find in their environment: `retry`'s own, and RETRY_*. */
struct environment {
	char **list;	     /* ends with NULL */
	const char *control; /* an attempt's $RETRY_CONTROL, or NULL */
	size_t inherited;    /* entries before RETRY_* */
	char own[ENVIRONMENT_OWN][ENVIRONMENT_TEXT];
	char listen[ENVIRONMENT_TEXT]; /* by environment_set_pid() */
	char watchdog[ENVIRONMENT_TEXT];
};

/*
 * Copies environ; `pid` is `retry`'s own.  Returns 0, or -1 with errno set.
 */
int environment_init(struct environment *environment, pid_t pid);

void environment_free(struct environment *environment);

/*
 * Sets RETRY_* for what is started next: an attempt, a check or a hook.
 */
void environment_set(struct environment *environment,
    const struct record *record);

/*
 * Names the process that is about to be executed wherever systemd named
 * `retry`.  The child calls this, in its own memory.
 */
void environment_set_pid(struct environment *environment, pid_t pid);

#endif
