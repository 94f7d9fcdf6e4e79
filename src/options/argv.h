/* SPDX-License-Identifier: MIT */

#ifndef ARGV_H
#define ARGV_H

#include "options/options.h"

/*
 * Reads the command line, and derives the policy.  Returns 0, or -1 with one
 * line in `problem` that names the option, its text and what is wrong with it,
 * safe to print.
 */
int argv_parse(int argc, char **argv, struct options *options,
    char problem[ARGV_PROBLEM]);

#endif
