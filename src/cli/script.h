#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/outcome.h"

/* What a plan imagines of an attempt. */
struct scene {
	struct outcome outcome;
	double duration; /* seconds, at least: a timeout lasts to its limit */
};

/* A comma list of OUTCOME[:DURATION][*COUNT]; the last item is repeated. */
struct script {
	const char *rest; /* the items that were not read; NULL: none is left */
	struct scene scene;
	uint64_t left; /* of the scene's count, where it has one */
	bool counted;
	uint64_t repeated; /* how often the last item was, without a count */
};

/*
 * Begins with the text, which must last as long as the script.  Returns NULL,
 * or what is wrong with it.
 */
const char *script_open(struct script *script, const char *text);

/* Moves to the next scene; false where the last item's count is used up. */
bool script_next(struct script *script);

/* The scene was the last one. */
bool script_ended(const struct script *script);

#endif
