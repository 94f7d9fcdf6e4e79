/* SPDX-License-Identifier: MIT */

#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>

#include "hint.h"
#include "verdict.h"

/* The verdict and the hint that an attempt gave itself; later lines win. */
struct control {
	enum verdict verdict; /* NONE: nothing */
	struct hint hint;
	bool healthy;
};

/*
 * Takes in a line: "success", "retry", "stop", "delay HINT" or "reset"; an
 * empty one says nothing.  `now` is the time in seconds since 1970.  Returns
 * NULL, or what is wrong with it.
 */
const char *control_read(struct control *control, const char *line, double now);

#endif
