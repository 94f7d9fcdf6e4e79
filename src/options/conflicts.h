/* SPDX-License-Identifier: MIT */

#ifndef CONFLICTS_H
#define CONFLICTS_H

#include "options/options.h"

/* Options that contradict each other: the one to blame, and why. */
struct conflict {
	enum option_id id;
	char what[128]; /* "": there are none */
};

/* The first contradiction, once the policy is derived. */
struct conflict conflicts_find(const struct options *options);

/* A warning about what is probably a mistake, or NULL. */
const char *conflicts_warning(const struct options *options);

#endif
