#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include <sys/types.h>

#include "core/record.h"

/*
 * Sets RETRY_* in environ, for the attempt, check or hook that is started next.
 * `control` is the value of $RETRY_CONTROL, or NULL.  Returns 0, or -1 with
 * errno set.
 */
int environment_set(const struct record *record, const char *control);

/*
 * Names the calling process, which is about to execute a command, wherever
 * systemd named `retry`, whose pid is given.  Returns 0, or -1 with errno set.
 */
int environment_set_pid(pid_t retry);

#endif
