/* SPDX-License-Identifier: MIT */

#ifndef SCREEN_H
#define SCREEN_H

#include "report/report.h"

/*
 * What this descriptor can show, in colour or not; 80 columns if its width is
 * unknown.
 */
struct screen screen_of(int descriptor, enum color color);

#endif
