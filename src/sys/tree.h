#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Processes, as /proc shows them. */
struct processes {
	struct process *items;
	size_t count;
	size_t room;
	const char *problem; /* why /proc could not be read, or NULL */
};

/*
 * All that an attempt has started, however far it went: `retry` is a
 * subreaper, to which orphans come back, and finds them in /proc.
 */
struct tree {
	pid_t self;  /* `retry`; 0: no timeout is in use, nothing is done */
	bool adopts; /* `retry` is a subreaper */
	bool told;   /* that /proc cannot be used */
	pid_t session;
	pid_t helper; /* a child of `retry` that is not the attempt's, or 0 */
	pid_t group;  /* the attempt's own, once it was signalled */
	struct processes before; /* descendants when the attempt began */
};

/*
 * Makes `retry` a subreaper.  If that is impossible, it says so, and only the
 * attempt's group and its descendants are found.
 */
void tree_watch(struct tree *tree, pid_t self);

/* An attempt begins: processes that descend from `retry` now are not its own. */
void tree_begin(struct tree *tree);

/*
 * Signals all that the attempt has started, but for the child itself, and its
 * own group if it has one: they have had the signal.  SIGCONT follows.
 */
void tree_signal(struct tree *tree, pid_t child, bool own_group, int signal);

/*
 * Returns how many processes of the attempt are left and are to be waited for:
 * they live, or have died as children of `retry`.  If `name`, each that lives is
 * named on stderr.  If /proc cannot be used but there are children, says so
 * once, and counts the attempt's group as one.
 */
size_t tree_left(struct tree *tree, bool name);

/* Frees the list that tree_begin() has made. */
void tree_free(struct tree *tree);

#endif
