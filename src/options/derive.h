/* SPDX-License-Identifier: MIT */

#ifndef DERIVE_H
#define DERIVE_H

#include "options/options.h"

/*
 * Derives the rest of the policy, and the run's name, from the options, and
 * whatever one option sets as the default of another.
 */
void derive_policy(struct options *options);

#endif
