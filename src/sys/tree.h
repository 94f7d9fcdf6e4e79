/* SPDX-License-Identifier: MIT */

#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "sys/child.h"
#include "sys/messages.h"

/* Processes, as /proc shows them; struct process is core's. */
struct procs {
	struct proc *items;
	size_t count;
	size_t room;
	size_t most;	     /* no more are looked for */
	const char *problem; /* why /proc could not be read, or NULL */
};

/*
 * The processes that an attempt has started, in whatever group or session.  In
 * this file a check or a gate is an attempt, too.  `retry` is a subreaper, so
 * that orphans become its children, and finds all of them in /proc.
 */
struct tree {
	pid_t self;  /* `retry` */
	bool adopts; /* `retry` is a subreaper */
	bool warned; /* that /proc cannot be used */
	bool named;  /* tree_name_left() has named what does not end */
	pid_t session;
	pid_t group;	     /* that the attempt was given, or 0 */
	struct procs before; /* descendants when it began */
	/* What it starts is not the attempt's; NULL: it never ran. */
	const struct child *probe;
};

/*
 * Makes `retry` a subreaper.  If that is impossible, only the attempt's group
 * and its descendants are found; it says so if `ends` processes are to be.
 */
void tree_watch(struct tree *tree, pid_t self, bool ends);

/* An attempt begins: descendants that `retry` has now are not the attempt's. */
void tree_begin(struct tree *tree);

/*
 * Signals the child, or the group that it leads, and the attempt's other
 * processes, and continues them.  All are stopped before any gets the signal,
 * so that what they start because of it does not.  A child that has ended is 0.
 * Returns 0, or -1 with errno set if the child could not be signalled.
 */
int tree_signal(const struct tree *tree, pid_t child, int signal);

/*
 * Whether no process of the attempt is to be waited for: none lives, and none
 * has died as a child of `retry`.  If /proc cannot be used but there are
 * children, says so once, and looks for the attempt's group alone.
 */
bool tree_is_gone(struct tree *tree);

/*
 * Names on stderr the processes of the attempt that live.  Returns how many are
 * waited for.
 */
size_t tree_name_left(struct tree *tree);

/*
 * Kills a child of `retry` that leads a group, with its group and all of its
 * descendants.  A child that is a subreaper has lost none of them.
 */
void tree_kill(pid_t child);

/* The processes of an attempt that live after its end. */
struct survivors {
	size_t count;
	/* Each once: "nginx, sh"; "" if tree_name_left() has named them. */
	char names[64];
};

/*
 * Without a group that is about to end (0: none is), and without what ends
 * within 10 ms, as a filter of the output does.
 */
struct survivors tree_survivors(const struct tree *tree, pid_t group);

/* Frees the list that tree_begin() has made. */
void tree_free(struct tree *tree);

#endif
