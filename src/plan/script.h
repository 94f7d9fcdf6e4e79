/* SPDX-License-Identifier: MIT */

#ifndef PLAN_SCRIPT_H
#define PLAN_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "core/outcome.h"

/* The most clients of a script: each needs some kilobytes. */
#define CLIENTS_MOST 10000

/* How attempts end: an item of the list that --plan=SCRIPT is. */
struct script_item {
	struct outcome outcome; /* NONE: a failure that is retried */
	double chance;		/* of this outcome; else the attempt succeeds */
	double duration; /* seconds, at least: a timeout lasts to its limit */
	uint64_t count;	 /* of attempts that end so; 0: no count is given */
};

/*
 * A plan's script: how attempts end, one item after the other, while the
 * service is up.  The last item is repeated, unless it has a count.
 */
struct script {
	struct script_item *items; /* at least one */
	size_t count;

	/* down=: from then, until then, attempts fail in this way. */
	double down_from, down_until; /* seconds; INFINITY: it is never down */
	struct script_item down;

	uint64_t clients; /* that run at the same time; 0: a single run */
};

/*
 * Reads a script; NULL is the default.  If an item is wrong, *where points to
 * it.  script_free() releases the items in any case.
 */
const char *script_parse(const char *text, struct script *script,
    const char **where);

void script_free(struct script *script);

/* Whether chance decides how an attempt ends. */
bool script_is_random(const struct script *script);

/* What is wrong with the text of --plan=SCRIPT, and where. */
const char *script_check(const char *text, const char **where);

/* Any outcome that is in the set; its kind is NONE if there is none. */
struct outcome script_example(const struct set *set);

#endif
