/* SPDX-License-Identifier: MIT */

#ifndef HELP_H
#define HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

/* The manual in pieces: scripts/manual makes them, and says of what form. */
extern const char manual_text[];

/* One row per topic of --help=TOPIC; a NULL name ends them. */
struct help_topic {
	const char *name;
	const char *doc;
	/* Of a section of the manual, printed first; NULL.  scripts/manual
	   keeps the sections that are named here. */
	const char *heading;
	void (*print)(FILE *file); /* prints a table; NULL */
	const char *words; /* that people look for, between blanks; NULL */
};

/* Prints how retry is called, in two lines. */
void help_usage(FILE *file);

/* Whether this names a topic or an option, as below. */
bool help_has(const char *typed);

/*
 * Prints what --help=TYPED says on stdout, in 80 columns at most.  An option is
 * "-a", "--attempts", "attempts" or the beginning of a name; a topic goes
 * before an option or a preset of its name, but not if the word begins with a
 * dash; "--preset=docker" is the preset.  NULL means --help alone.
 */
void help_print(const char *typed, const struct screen *screen);

/* Ends with a NULL name. */
extern const struct help_topic help_topics[];

#endif
