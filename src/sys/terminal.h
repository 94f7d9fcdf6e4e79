/* SPDX-License-Identifier: MIT */

#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <termios.h>

#include "report/report.h"

/* How the controlling terminal was before a process that uses it began. */
struct terminal {
	bool known; /* `retry` was in its foreground then */
	struct termios modes;
};

/* A process begins. */
void terminal_begin(struct terminal *terminal);

/*
 * The process has ended.  Takes the foreground back from a group that has
 * ended, too.  If the process was killed, it could tidy nothing up: then the
 * terminal gets the modes back that it had, if `retry` is in the foreground.
 */
void terminal_restore(const struct terminal *terminal, bool killed);

/*
 * What this descriptor can show, in colour or not; 80 columns if its width is
 * unknown.
 */
struct screen screen_of(int descriptor, enum color color);

#endif
