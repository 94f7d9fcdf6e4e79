/* SPDX-License-Identifier: MIT */

#ifndef HELP_H
#define HELP_H

#include <stdio.h>

/* One row per topic of --help=TOPIC; the first is printed by --help alone. */
struct help_topic {
	const char *name;
	const char *doc;
	void (*print)(void); /* on stdout */
};

/* Prints how retry is called, in three lines. */
void help_usage(FILE *file);

/* Ends with a NULL name. */
extern const struct help_topic help_topics[];

#endif
