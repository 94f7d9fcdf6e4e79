#ifndef PLAN_H
#define PLAN_H

#include "cli/options.h"

/*
 * Goes through the run on an imaginary clock and prints it on stdout.  Returns
 * 0, or STATUS_OWN_FAILURE where the script cannot be read.
 */
int plan_run(const struct options *options);

#endif
