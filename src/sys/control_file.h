/* SPDX-License-Identifier: MIT */

#ifndef CONTROL_FILE_H
#define CONTROL_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/control.h"

/*
 * --control: a file in memory to which an attempt writes lines.  Its only name
 * is the one that /proc gives to a descriptor of `retry`'s.
 */
struct control_file {
	int fd;	       /* or NO_DESCRIPTOR */
	char pid[32];  /* the name of `retry` in /proc */
	char name[64]; /* for $RETRY_CONTROL */
	bool complained;
};

/* Makes ready, if the option is used.  Without /proc `retry` ends. */
void control_file_open(struct control_file *file, bool used);

/* An attempt begins.  Returns 0, or -1 after a message. */
int control_file_begin(struct control_file *file);

/*
 * The attempt has ended: returns what it wrote, if anything.  An error of the
 * file ends `retry` after a message.
 */
struct control control_file_ended(struct control_file *file);

#endif
