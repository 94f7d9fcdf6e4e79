/* SPDX-License-Identifier: MIT */

#ifndef OPTIONS_FILE_H
#define OPTIONS_FILE_H

#include <sys/types.h>

/* A text file, whose lines begin and end without blanks. */
struct option_file {
	char *text;
	const char **lines; /* ends with NULL */
	dev_t device;
	ino_t inode;
};

/*
 * Reads a file of options.  Returns NULL, or what is wrong with the file in
 * words; `line` is then the number of the line at fault, or 0.
 */
const char *option_file_read(const char *name, struct option_file *file,
    int *line);

void option_file_free(struct option_file *file);

#endif
