#ifndef SETS_H
#define SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "outcome.h"

/*
 * A set of outcomes.  Bit `status % 64` of exits[status / 64] stands for an
 * exit status, bit `number - 1` of signals for a death by that signal.
 */
struct set {
	uint64_t exits[4];
	uint64_t signals;
	bool timeout;
	bool unstartable;
	bool unforked;
};

/* A word that a SET may hold. */
struct set_word {
	const char *name;
	const char *doc;
	struct set set;
};

/* The classes, then the sysexits(3) names; a NULL name ends each table. */
extern const struct set_word set_classes[];
extern const struct set_word set_sysexits[];

/*
 * Applies a comma list to the set, from left to right; "!" or "^" before an
 * item takes it out.  Returns NULL, or what is wrong with the list.
 */
const char *set_apply(struct set *set, const char *list);

/* The same; what is wrong is with the item that *where points to. */
const char *set_parse(struct set *set, const char *list, const char **where);

/*
 * Reads one item, without "!", into an empty set; the text may be changed.
 * Returns NULL, or what is wrong with it.
 */
const char *set_item(struct set *item, char *text);

bool set_has(const struct set *set, struct outcome outcome);

/* Adds to `set`, or takes out of it, all that is in `other`; or all else. */
void set_add(struct set *set, const struct set *other);
void set_remove(struct set *set, const struct set *other);
void set_keep(struct set *set, const struct set *other);

#endif
