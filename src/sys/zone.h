/* SPDX-License-Identifier: MIT */

#ifndef ZONE_H
#define ZONE_H

#include "core/hint.h"

/*
 * How long a hint asks to wait from `now`, in seconds since 1970; in a time
 * zone the next moment is looked up at which clocks show the time of day.  Sets
 * *seconds, negative for no hint, and returns NULL; or returns what is wrong
 * with the zone.
 */
const char *zone_wait(const struct hint *hint, double now, double *seconds);

#endif
