/* SPDX-License-Identifier: MIT */

#ifndef ESCAPE_H
#define ESCAPE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* How a language writes text in which some characters have a meaning. */
struct escape {
	const char *special;		/* ASCII characters that have one */
	bool (*is_special)(uint32_t c); /* whether another one has; or NULL */
	bool commands; /* text_is_ci_command() tells special ones, too */
	void (*put)(FILE *file, uint32_t c); /* writes a special one */
};

void escape_put(FILE *file, const char *text, const struct escape *escape);

#endif
