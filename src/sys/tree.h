#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A process, as /proc shows it. */
struct process {
	pid_t pid;
	pid_t parent;
	pid_t group;
	pid_t session;
	unsigned long long start; /* clock ticks: tells a pid used again */
	bool dead;		  /* a zombie */
	bool descends;		  /* from `retry` */
	bool spared; /* it was there before the attempt, or belongs to that */
	char name[16];
};

/*
 * All that an attempt has started, however far it went: `retry` is a
 * subreaper, to which orphans come back.
 */
struct tree {
	bool watched; /* timeouts are in use; else nothing is done here */
	pid_t self;
	pid_t session;
	struct process *before; /* descendants when the attempt began */
	size_t count;
};

/* Makes `retry` a subreaper.  Returns 0, or -1 with errno set. */
int tree_watch(struct tree *tree, pid_t self);

/* An attempt begins: what descends from `retry` now is none of its. */
void tree_begin(struct tree *tree);

/*
 * Signals what the attempt has started, but for the child itself, and its own
 * group where it has one: they have had the signal.  SIGCONT follows.
 */
void tree_signal(const struct tree *tree, pid_t child, bool own_group,
    int signal);

/*
 * How many processes of the attempt are left: they live, or have died as
 * children of `retry` and are still to be waited for.  Where `name` says so,
 * each that lives is named on stderr.
 */
size_t tree_left(const struct tree *tree, bool name);

/* Gives back what tree_begin() has noted. */
void tree_free(struct tree *tree);

#endif
