/* SPDX-License-Identifier: MIT */

#ifndef PRESETS_H
#define PRESETS_H

#include "options/options.h"

/* Those of src/presets; a NULL name ends them. */
extern const struct preset presets[];

/* The built-in preset of this name, which `length` bytes have, or NULL. */
const struct preset *preset_find(const char *name, size_t length);

/* The line after this one, or the first one after NULL; NULL at the end. */
const char *preset_line(const struct preset *preset, const char *line);

/* Whether a built-in one is for tools, whose failures it classifies. */
bool preset_classifies(const struct preset *preset);

/*
 * Reads the file of a preset that has its name, whose text then is to be freed.
 * Returns NULL, or what is wrong in words; `line` is then the number of the
 * line at fault, or 0.
 */
const char *preset_read(struct preset *preset, int *line);

/*
 * Reads a list of names and files for --preset, which adds to earlier ones.
 * Returns NULL, or what is wrong with it in words.
 */
const char *presets_parse(struct options *options, const char *text);

/*
 * Applies the presets that were given, in order.  Returns 0, or -1 with one
 * line in `problem`.
 */
int presets_apply(struct options *options, char problem[ARGV_PROBLEM]);

#endif
