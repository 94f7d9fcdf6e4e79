/* SPDX-License-Identifier: MIT */

#ifndef ZONE_H
#define ZONE_H

#include "core/hint.h"

/*
 * How long a hint asks to wait from `now`, in seconds since 1970; for a time of
 * day, until clocks in its time zone show that.  Sets *seconds, negative for no
 * hint, and returns NULL; or returns what is wrong
 * with the zone.
 */
const char *zone_wait(const struct hint *hint, double now, double *seconds);

#endif
