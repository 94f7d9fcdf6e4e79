/* SPDX-License-Identifier: MIT */

#ifndef BUDGET_FILE_H
#define BUDGET_FILE_H

#include "options/options.h"

/*
 * --budget: a bucket of tokens in a file, shared by all processes that name it.
 * An empty file is a full bucket.
 */

struct budget_file {
	const char *name; /* NULL: there is none */
	struct budget_rules rules;
};

/*
 * Takes the file and the rules from --budget, if it is given.  Makes the file,
 * if it is missing, so that another option that names it too is found out.  If
 * that fails, those below say so.
 */
void budget_file_open(struct budget_file *budget,
    const struct options *options);

/*
 * Takes the price of a retry, which follows a throttled attempt or not, and
 * tells it in *paid.  Returns false if too few tokens are left.  A bucket that
 * cannot be used lets the retry through for nothing, with a warning.
 */
bool budget_file_take(const struct budget_file *budget, bool throttled,
    int64_t *paid);

/*
 * Gives back the tokens of a success, whose retry was paid for with so many, or
 * warns that this failed.
 */
void budget_file_give(const struct budget_file *budget, int64_t paid);

#endif
