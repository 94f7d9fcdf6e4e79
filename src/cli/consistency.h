#ifndef CONSISTENCY_H
#define CONSISTENCY_H

#include "cli/options.h"

/* Settles what follows from the options together, as the cap. */
void consistency_settle(struct options *options);

/* Options that contradict each other: the one to blame, and why. */
struct conflict {
	enum option_id id;
	const char *what; /* NULL: none */
};

/* The first contradiction in options that are settled. */
struct conflict consistency_conflict(const struct options *options);

/* What deserves a warning in options that are right, or NULL. */
const char *consistency_warning(const struct options *options);

#endif
