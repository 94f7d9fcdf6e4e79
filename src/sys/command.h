/* SPDX-License-Identifier: MIT */

#ifndef COMMAND_H
#define COMMAND_H

#include <limits.h>
#include <stdbool.h>

/*
 * The folders in which commands are searched for, separated by colons: $PATH,
 * or a default if it is not set.
 */
const char *command_path(void);

/*
 * Writes the command's file name in the first folder of *path, and moves *path
 * to the next folder.  Like execvp(3), skips a folder that makes the name too
 * long.  Returns false after the last folder.
 */
bool command_next(const char **path, const char *name, char file[PATH_MAX]);

/* Room for command_reason(). */
#define COMMAND_REASON 256

/*
 * Looks for the reason why this command could not be executed with this errno:
 * "it is a directory", "its interpreter '/bin/none' does not exist".  Returns
 * the reason, or NULL if the errno says all that there is to say.
 */
const char *command_reason(const char *name, int error,
    char text[COMMAND_REASON]);

#endif
