/* SPDX-License-Identifier: MIT */

#ifndef MANUAL_TEXT_H
#define MANUAL_TEXT_H

#include <stddef.h>

/*
 * The manual, packed by scripts/manual, which says how.  A byte whose pair
 * begins with 0 stands for itself, any other for the two bytes of its pair.
 */
extern const unsigned char manual_pairs[256][2];
extern const unsigned char manual_packed[];
extern const size_t manual_packed_size;

#endif
