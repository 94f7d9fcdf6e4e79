/* SPDX-License-Identifier: MIT */

#ifndef OUTCOME_H
#define OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

/* How an attempt ended, and the number that goes with it. */
enum outcome_kind {
	OUTCOME_NONE,
	OUTCOME_EXIT,	     /* its exit status */
	OUTCOME_SIGNAL,	     /* the signal it died of */
	OUTCOME_TIMEOUT,     /* even if its process then exited 0 */
	OUTCOME_UNHEALTHY,   /* the same; its health probe failed */
	OUTCOME_UNSTARTABLE, /* execve(2)'s errno */
	OUTCOME_UNFORKED     /* fork(2)'s errno */
};

/* Why `retry` asks a process to end. */
enum process_why {
	WHY_ENDS_ITSELF,
	WHY_TIMEOUT,
	WHY_IDLE, /* it wrote nothing for too long */
	WHY_UNHEALTHY,
	WHY_MAX_TIME,
	WHY_ERROR /* `retry` itself has failed */
};

/*
 * How much of an attempt's output is known, or was passed on.  Only the whole
 * of it makes a success of an exit status of 0.
 */
enum extent {
	EXTENT_UNKNOWN,
	EXTENT_WHOLE,
	EXTENT_UNTAKEN,	  /* cut: nobody took the rest in time */
	EXTENT_UNSEARCHED /* cut: the rest was not searched in time */
};

/* Whether retrying may help after a failure. */
enum failure_class {
	CLASS_NONE, /* not asked yet */
	CLASS_UNKNOWN,
	CLASS_TRANSIENT,
	CLASS_PERMANENT
};

struct outcome {
	enum outcome_kind kind;
	int code;
	enum failure_class class; /* of a failure */
	bool oom; /* EXIT 137 or SIGKILL: the kernel had no memory left */
	const char *reason; /* UNSTARTABLE: more than errno says, or NULL */
};

/* `retry`'s own exit statuses; the others are the command's. */
enum {
	STATUS_TOO_EARLY = 75,
	STATUS_TIMEOUT = 124,
	STATUS_OWN_FAILURE = 125,
	STATUS_NOT_EXECUTABLE = 126,
	STATUS_NOT_FOUND = 127
};

/* Whether a process that was killed for its memory may have this outcome. */
bool outcome_may_be_oom(struct outcome outcome);

/* Whether the command was executed. */
bool outcome_ran(struct outcome outcome);

/* Whether `retry` ended it, so that its status is not the command's own. */
bool outcome_was_ended(struct outcome outcome);

/* "unknown", "transient", "permanent"; "none". */
extern const char *const class_names[];

/* "exit", "signal", "timeout", "unhealthy" and so on; "none". */
extern const char *const outcome_names[];

/*
 * "ENOENT" and the like, for errors that a process may fail to start with; NULL
 * for others.
 */
const char *outcome_error(int error);

/*
 * The exit status of a run that fails with this outcome; never 0.  For a death
 * by signal n it is 128+n, if the caller cannot die of that signal itself.
 */
int outcome_status(struct outcome outcome);

/*
 * A set of outcomes: for each class from CLASS_UNKNOWN on, one bit per exit
 * status, then one per signal (1 to 64), then one per other kind, whose code
 * does not matter.
 */
#define OUTCOME_WORDS 6
#define SET_WORDS (CLASS_PERMANENT * OUTCOME_WORDS)

struct set {
	uint64_t bits[SET_WORDS];
};

/* An outcome without a class is in the set if it is there with every class. */
bool set_has(const struct set *set, struct outcome outcome);

/* Whether the set holds an outcome in one class and not in another. */
bool set_has_class(const struct set *set);

/* Adds to `set` all that is in `other`. */
void set_add(struct set *set, const struct set *other);

/* Takes out of `set` all that is in `other`. */
void set_remove(struct set *set, const struct set *other);

/* Takes out of `set` all that is not in `other`. */
void set_keep(struct set *set, const struct set *other);

/*
 * Applies a comma list to the set, from left to right; "!" or "^" before an
 * item takes it out, and "none" takes out all.  If an item is wrong, *where
 * points to it, and the set is as it was.  `where` may be NULL.
 */
const char *set_parse(struct set *set, const char *list, const char **where);

/*
 * Reads one item, without "!", into an empty set; the text may be changed.
 */
const char *set_item(struct set *item, char *text);

/* A word that a SET may hold. */
struct set_word {
	const char *name;
	const char *doc;
	uint64_t bits[OUTCOME_WORDS];
	enum failure_class class; /* NONE: of any class */
};

/* The classes, then the sysexits(3) names; a NULL name ends each table. */
extern const struct set_word set_classes[];
extern const struct set_word set_sysexits[];

#endif
