/* SPDX-License-Identifier: MIT */

#ifndef MANUAL_H
#define MANUAL_H

#include <stdbool.h>

#include "report/report.h"

/* What a name in the manual is a name of. */
enum manual_kind { MANUAL_HEADING, MANUAL_OPTION };

/*
 * Prints the section or subsection with this heading, or the
 * paragraph of this option, on standard output: in the screen's width, but at
 * most 80 columns, with bold and underlined words if it can show them.  False
 * if the manual has none of this name.
 */
bool manual_print(enum manual_kind kind, const char *name,
    const struct screen *screen);

#endif
