/* SPDX-License-Identifier: MIT */

#ifndef EXECUTE_H
#define EXECUTE_H

#include <stdbool.h>

/* Whether these leave errno alone, as on processors that they have code for. */
extern const bool execute_is_quiet;

/* Does what dup2(2) does with two different descriptors.  Returns 0, or an
 * error number. */
int execute_dup(int from, int to);

/*
 * Executes the command words[1], which is searched for in `path` unless its
 * name has a slash, with this environment; a text without #! as a script of the
 * shell words[0].  Returns only if that failed: an error number.  Touches no
 * memory but its own stack and words[1].
 *
 * execvpe(3) does the same, but takes any file without a format for a script,
 * copies the words of a script to the stack, which may be too small for them,
 * and sets errno.
 */
int execute(char **words, char *const *environment, const char *path);

#endif
