/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "duration.h"
#include "text.h"

/* The most thousandths: times SECOND they still fit into 64 bits. */
#define TOKENS_MOST INT64_C(1000000000)

#define SECOND INT64_C(1000000000)

/* How the text of this version begins. */
#define BEGINNING "retry-budget 1 tokens "

#define AT(member) offsetof(struct budget_rules, member)

const struct budget_param budget_params[] = {
	{ "tokens", 100000, AT(tokens) },
	{ "success", 100, AT(success) },
	{ "rate", 0, AT(rate) },
	{ "cost", 1000, AT(cost) },
	{ "throttled", BUDGET_IS_COST, AT(throttled) },
	{ "refund", 0, AT(refund) },
	{ .name = NULL },
};

static int64_t *
member(struct budget_rules *rules, const struct budget_param *row)
{
	return (int64_t *)((char *)rules + row->offset);
}

/* "1.25": a number with up to three decimals, as thousandths. */
static const char *
parse_thousandths(const char *text, int64_t *value)
{
	double number;
	const char *problem = duration_number(text, &number, &text);

	if (problem != NULL)
		return problem;
	if (*text != '\0')
		return "not a number";
	number *= 1000;
	if (number >= TOKENS_MOST + 1)
		return "more than a million";
	/* Binary holds most decimals only nearly. */
	const double whole = rint(number);
	if (fabs(number - whole) > whole * 1e-12)
		return "more than three decimals";
	*value = (int64_t)whole;
	return NULL;
}

const char *
budget_rules_parse(const char *text, struct budget_rules *rules,
    const char **where)
{
	unsigned int given = 0; /* a bit for each parameter */

	for (const struct budget_param *row = budget_params; row->name != NULL;
	     row++)
		*member(rules, row) = row->initial;
	while (text != NULL) {
		const struct budget_param *row = budget_params;
		char item[TEXT_ITEM];

		*where = text;
		const char *problem = text_item(&text, item);
		if (problem != NULL)
			return problem;
		char *value = strchr(item, '=');
		if (value == NULL)
			return "not NAME=VALUE";
		*value++ = '\0';
		while (row->name != NULL && strcmp(row->name, item) != 0)
			row++;
		if (row->name == NULL)
			return "unknown parameter";
		const unsigned int bit = 1u << (row - budget_params);
		if ((given & bit) != 0)
			return "given twice";
		given |= bit;
		problem = parse_thousandths(value, member(rules, row));
		if (problem != NULL)
			return problem;
	}
	if (rules->cost == 0)
		return "not more than 0";
	/* Without any token there is no retry, which may be meant. */
	if (rules->tokens > 0 && rules->tokens < rules->cost)
		return "fewer tokens than a retry costs";
	if (rules->refund > 1000)
		return "more is given back than was paid";
	if (rules->throttled == BUDGET_IS_COST)
		rules->throttled = rules->cost;
	return NULL;
}

struct bucket
budget_full(const struct budget_rules *rules)
{
	return (
	    struct bucket){ .tokens = rules->tokens, .boot = BUDGET_NO_BOOT };
}

static int64_t
divide_up(int64_t dividend, int64_t divisor)
{
	return (dividend + divisor - 1) / divisor;
}

/*
 * The time advances by exactly the nanoseconds that the new tokens took, so
 * that fractions of a thousandth are not lost however often the bucket is read.
 */
void
budget_refill(struct bucket *bucket, const struct budget_rules *rules,
    int64_t time, const char *boot)
{
	if (bucket->tokens > rules->tokens)
		bucket->tokens = rules->tokens;
	/* Tokens that are spent now were not missing before. */
	if (rules->rate == 0) {
		bucket->time = time;
		return;
	}
	if (strcmp(bucket->boot, boot) != 0 || bucket->time > time) {
		snprintf(bucket->boot, sizeof(bucket->boot), "%s", boot);
		bucket->time = time;
		return;
	}
	const int64_t lacks = rules->tokens - bucket->tokens;
	const int64_t elapsed = time - bucket->time;
	if (elapsed >= divide_up(lacks * SECOND, rules->rate)) {
		bucket->tokens = rules->tokens;
		bucket->time = time;
		return;
	}
	const int64_t came = elapsed * rules->rate / SECOND;
	bucket->tokens += came;
	bucket->time += divide_up(came * SECOND, rules->rate);
}

bool
budget_take(struct bucket *bucket, const struct budget_rules *rules,
    bool throttled, int64_t *paid)
{
	const int64_t price = throttled ? rules->throttled : rules->cost;
	const bool allowed = bucket->tokens >= price;

	*paid = allowed ? price : 0;
	bucket->tokens -= *paid;
	return allowed;
}

void
budget_give(struct bucket *bucket, const struct budget_rules *rules,
    int64_t paid)
{
	const int64_t refund = paid * rules->refund / 1000;

	bucket->tokens += refund > rules->success ? refund : rules->success;
	if (bucket->tokens > rules->tokens)
		bucket->tokens = rules->tokens;
}

void
budget_format(const struct bucket *bucket, char text[BUDGET_TEXT])
{
	const int length = snprintf(text, BUDGET_TEXT,
	    BEGINNING "%07" PRId64 ".%03" PRId64 " time %019" PRId64
		      " boot %-36s sum ",
	    bucket->tokens / 1000, bucket->tokens % 1000, bucket->time,
	    bucket->boot);

	snprintf(text + length, BUDGET_TEXT - (size_t)length,
	    "%016" PRIx64 "\n", text_checksum(text, (size_t)length));
}

/*
 * The bucket is written again and compared with the text, which finds a wrong
 * sum and anything else that budget_format() would not write.
 */
const char *
budget_parse(const char *text, struct bucket *bucket)
{
	int64_t whole, part;
	char again[BUDGET_TEXT];

	if (!budget_was(text))
		return "is not a retry budget of this version";
	if (sscanf(text,
		BEGINNING "%7" SCNd64 ".%3" SCNd64 " time %19" SCNd64
			  " boot %36[-0-9a-f]",
		&whole, &part, &bucket->time, bucket->boot) != 4)
		return "is damaged";
	bucket->tokens = whole * 1000 + part;
	if (bucket->tokens < 0 || bucket->tokens > TOKENS_MOST ||
	    bucket->time < 0)
		return "is out of range";
	budget_format(bucket, again);
	return strcmp(text, again) == 0 ? NULL : "is damaged";
}

bool
budget_was(const char *text)
{
	return strncmp(text, BEGINNING, strlen(BEGINNING)) == 0;
}
