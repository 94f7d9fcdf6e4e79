/* SPDX-License-Identifier: MIT */

#ifndef BUDGET_FILE_H
#define BUDGET_FILE_H

#include "core/run.h"
#include "options/options.h"
#include "sys/messages.h"

/*
 * --budget: a bucket of tokens in a file, shared by all processes that name it.
 * An empty file is a full bucket.
 */

struct budget_file {
	const char *name; /* NULL: there is none */
	struct budget_rules rules;
	double give_up_at; /* on a lock, on CLOCK_MONOTONIC; or 0 */
	bool owes;	   /* a success has not been given back */
	int64_t owed;	   /* what was paid for its retry */
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
 * tells it in *paid.  A bucket that cannot be used, or stays locked for 100 ms,
 * lets the retry through for nothing, with a warning.  Never waits itself.
 * The answer is YES; NO if too few tokens are left; or, while the bucket is
 * locked, AGAIN, which leaves *paid alone.
 */
enum answer budget_file_take(struct budget_file *budget, bool throttled,
    int64_t *paid);

/*
 * Gives back the tokens of a success, whose retry was paid for with so many, or
 * warns that this failed.  If the bucket is locked, they are given back with
 * the next change, or by budget_file_close().
 */
void budget_file_give(struct budget_file *budget, int64_t paid);

/* After the run: gives back what is owed; waits 100 ms at most for the lock. */
void budget_file_close(struct budget_file *budget);

#endif
