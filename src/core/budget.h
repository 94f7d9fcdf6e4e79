/* SPDX-License-Identifier: MIT */

#ifndef BUDGET_H
#define BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A bucket of tokens that retries are paid from.  Tokens are counted in
 * thousandths, in integers, so that any number of processes agree on what is
 * left; time is in nanoseconds since the machine was started.
 */

/* How one process uses the bucket; thousandths of a token, 0 to 10^9. */
struct budget_rules {
	int64_t tokens;	   /* the most it holds */
	int64_t success;   /* given back by a success */
	int64_t rate;	   /* that come back each second */
	int64_t cost;	   /* of a retry */
	int64_t throttled; /* of a retry after a throttled attempt */
	int64_t refund;	   /* share of a retry's tokens that its success gives
			    back, if that is more than `success` */
};

/* Room for a boot's name, and a name that no boot has. */
#define BUDGET_BOOT 37
#define BUDGET_NO_BOOT "00000000-0000-0000-0000-000000000000"

struct bucket {
	int64_t tokens;
	int64_t time; /* up to which `rate` has been paid */
	char boot[BUDGET_BOOT];
};

/* One row a parameter of --budget. */
struct budget_param {
	const char *name;
	int64_t initial; /* or BUDGET_IS_COST */
	size_t offset;	 /* in struct budget_rules */
};

/* The initial value is the cost. */
#define BUDGET_IS_COST (-1)

/* Ends with a NULL name. */
extern const struct budget_param budget_params[];

/*
 * Reads "NAME=VALUE,...", or nothing from NULL; parameters that are not named
 * have their initial values.  If an item is wrong, *where points to it; it ends
 * before the next comma.
 */
const char *budget_rules_parse(const char *text, struct budget_rules *rules,
    const char **where);

struct bucket budget_full(const struct budget_rules *rules);

/*
 * Holds the bucket to the rules' most tokens, and adds the tokens that came
 * back since its time, unless that is of another boot or in the future.
 */
void budget_refill(struct bucket *bucket, const struct budget_rules *rules,
    int64_t time, const char *boot);

/*
 * Takes the price of a retry, which *paid tells; false, and nothing taken, if
 * too few are left.
 */
bool budget_take(struct bucket *bucket, const struct budget_rules *rules,
    bool throttled, int64_t *paid);

/* Gives tokens back for a success; `paid` is the price of its retry, or 0. */
void budget_give(struct bucket *bucket, const struct budget_rules *rules,
    int64_t paid);

/* The length of a bucket's text, always the same, and room for it. */
#define BUDGET_LENGTH 122
#define BUDGET_TEXT (BUDGET_LENGTH + 1)

/* Writes the bucket as a line of text. */
void budget_format(const struct bucket *bucket, char text[BUDGET_TEXT]);

/* Reads it again.  Returns NULL, or what is wrong with the text. */
const char *budget_parse(const char *text, struct bucket *bucket);

/*
 * Whether a text with something wrong begins as a bucket of this version does.
 */
bool budget_was(const char *text);

#endif
