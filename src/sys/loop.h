/* SPDX-License-Identifier: MIT */

#ifndef LOOP_H
#define LOOP_H

#include "options/options.h"

/*
 * Runs the command as the options say, on libev, and closes the report.
 * Returns the exit status; or does not return, but dies of the signal that
 * ended the run.
 */
int loop_run(const struct options *options, struct report *report);

#endif
