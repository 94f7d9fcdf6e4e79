#ifndef WORD_H
#define WORD_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/control.h"

/* Room for the name of the file. */
#define WORD_NAME 64

/*
 * --control: a file in memory in which an attempt has its word.  It has no
 * name but the one that /proc gives to a descriptor of `retry`'s.
 */
struct word {
	pid_t pid;	      /* `retry`'s own */
	int fd;		      /* -1: none */
	char name[WORD_NAME]; /* for $RETRY_CONTROL */
	bool complained;
};

/* An attempt begins.  Returns 0, or -1 after a message, with errno set. */
int word_begin(struct word *word);

/* It has ended: what it said, or nothing. */
struct control word_ended(struct word *word);

#endif
