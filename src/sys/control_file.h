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
	int fd;	       /* -1: no file is open */
	char name[64]; /* for $RETRY_CONTROL */
	bool complained;
};

/* An attempt begins.  Returns 0, or -1 after a message, with errno set. */
int control_file_begin(struct control_file *file);

/*
 * The attempt has ended: returns what it wrote, if anything.  An error of the
 * file ends `retry` after a message.
 */
struct control control_file_ended(struct control_file *file);

#endif
