#ifndef PLAN_H
#define PLAN_H

#include "cli/report.h"

/* Returns NULL, or what is wrong with the text of --plan=SCRIPT. */
const char *plan_check(const char *script);

/* Whether an item of the script, which may be NULL, is a chance. */
bool plan_has_chances(const char *script);

/*
 * Goes through the run on an imaginary clock, and tells its report.  Prints
 * a table on stdout, whose looks are `screen`, unless a log is there.
 */
void plan_run(const struct options *options, struct report *report,
    const struct screen *screen);

#endif
