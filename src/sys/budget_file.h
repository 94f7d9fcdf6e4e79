#ifndef BUDGET_FILE_H
#define BUDGET_FILE_H

#include "cli/options.h"

/*
 * --budget: a bucket of tokens in a file, shared by all processes that name it.
 * An empty file is a full bucket.
 */

/*
 * Makes the file, if it is missing, so that another option that names it too is
 * found out.  If that fails, those below say so.
 */
void budget_file_make(const struct options *options);

/*
 * Takes the cost of a retry.  Returns false if too few tokens are left.  A
 * bucket that cannot be used lets the retry through, with a warning.
 */
bool budget_file_take(const struct options *options);

/* Gives back the tokens of a success, or warns that this failed. */
void budget_file_give(const struct options *options);

#endif
