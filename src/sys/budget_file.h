#ifndef BUDGET_FILE_H
#define BUDGET_FILE_H

#include <stdbool.h>

#include "core/budget.h"

/*
 * A bucket of tokens in a file, shared by all processes that name it.  An empty
 * file is a full bucket.
 */
struct budget_file {
	const char *file;
	struct budget_rules rules;
};

/*
 * Makes the file, if it is missing, so that another option that names it too is
 * found out.  If that fails, those below say so.
 */
void budget_file_make(const struct budget_file *budget);

/*
 * Takes the cost of a retry.  False if too few tokens are left.  A bucket that
 * cannot be asked lets the retry through; *problem is then why, else NULL.
 */
bool budget_file_take(const struct budget_file *budget, const char **problem);

/* Gives back what a success does.  Returns NULL, or why that failed. */
const char *budget_file_give(const struct budget_file *budget);

#endif
