/* SPDX-License-Identifier: MIT */

#include <inttypes.h>

#include "core/budget.h"
#include "tap.h"

#define BOOT "6a8f1f5e-0d5c-4c52-9a55-0f3f0c0ffee0"
#define OTHER_BOOT "11111111-2222-3333-4444-555555555555"
#define SECOND INT64_C(1000000000)

static const struct {
	const char *text;
	const char *problem;
	const char *where;
	struct budget_rules rules;
} parameters[] = {
	{ NULL, NULL, NULL, { 100000, 100, 0, 1000, 1000, 0 } },
	{ "tokens=10", NULL, NULL, { 10000, 100, 0, 1000, 1000, 0 } },
	{ "tokens=10,success=0.25,rate=1.5,cost=2", NULL, NULL,
	    { 10000, 250, 1500, 2000, 2000, 0 } },
	{ "cost=.5,tokens=0", NULL, NULL, { 0, 100, 0, 500, 500, 0 } },
	{ "cost=3,throttled=2.5,refund=1", NULL, NULL,
	    { 100000, 100, 0, 3000, 2500, 1000 } },
	{ "throttled=0", NULL, NULL, { 100000, 100, 0, 1000, 0, 0 } },
	{ "tokens=1.", NULL, NULL, { 1000, 100, 0, 1000, 1000, 0 } },
	{ "tokens=1000000,rate=0.001", NULL, NULL,
	    { 1000000000, 100, 1, 1000, 1000, 0 } },

	{ "tokens=1e3,rate=.5E-1", NULL, NULL,
	    { 1000000, 100, 50, 1000, 1000, 0 } },

	{ "", "empty item", "", { 0, 0, 0, 0, 0, 0 } },
	{ "tokens", "not NAME=VALUE", "tokens", { 0, 0, 0, 0, 0, 0 } },
	{ "tokens=1,", "empty item", "", { 0, 0, 0, 0, 0, 0 } },
	{ "=1", "unknown parameter", "=1", { 0, 0, 0, 0, 0, 0 } },
	{ "token=1", "unknown parameter", "token=1", { 0, 0, 0, 0, 0, 0 } },
	{ "Tokens=1", "unknown parameter", "Tokens=1", { 0, 0, 0, 0, 0, 0 } },
	{ "cost=1,cost=1", "given twice", "cost=1", { 0, 0, 0, 0, 0, 0 } },
	{ "tokens=", "empty", "tokens=", { 0, 0, 0, 0, 0, 0 } },
	{ "tokens=,cost=1", "empty", "tokens=,cost=1", { 0, 0, 0, 0, 0, 0 } },
	{ "tokens=.", "not a number", "tokens=.", { 0, 0, 0, 0, 0, 0 } },
	{ "tokens=1.2.3", "not a number", "tokens=1.2.3",
	    { 0, 0, 0, 0, 0, 0 } },
	{ "tokens=-1", "negative", "tokens=-1", { 0, 0, 0, 0, 0, 0 } },
	{ "tokens=+1", "not a number", "tokens=+1", { 0, 0, 0, 0, 0, 0 } },
	{ "tokens= 1", "not a number", "tokens= 1", { 0, 0, 0, 0, 0, 0 } },
	{ "tokens=1e9", "more than a million", "tokens=1e9",
	    { 0, 0, 0, 0, 0, 0 } },
	{ "tokens=1e", "not a number", "tokens=1e", { 0, 0, 0, 0, 0, 0 } },
	{ "tokens=1s", "not a number", "tokens=1s", { 0, 0, 0, 0, 0, 0 } },
	{ "tokens=nan", "not a number", "tokens=nan", { 0, 0, 0, 0, 0, 0 } },
	{ "tokens=0x1", "hexadecimal", "tokens=0x1", { 0, 0, 0, 0, 0, 0 } },
	{ "rate=0.0001", "more than three decimals", "rate=0.0001",
	    { 0, 0, 0, 0, 0, 0 } },
	{ "rate=0.00000000000000000000000001", "more than three decimals",
	    "rate=0.00000000000000000000000001", { 0, 0, 0, 0, 0, 0 } },
	{ "cost=0", "not more than 0", "cost=0", { 0, 0, 0, 0, 0, 0 } },
	{ "tokens=5,cost=5.001", "fewer tokens than a retry costs",
	    "cost=5.001", { 0, 0, 0, 0, 0, 0 } },
	{ "refund=1.001", "more is given back than was paid", "refund=1.001",
	    { 0, 0, 0, 0, 0, 0 } },
	{ "tokens=1000000.001", "more than a million", "tokens=1000000.001",
	    { 0, 0, 0, 0, 0, 0 } },
	{ "tokens=99999999999999999999", "more than a million",
	    "tokens=99999999999999999999", { 0, 0, 0, 0, 0, 0 } },
};

TEST(parameters_are_read_in_thousandths)
{
	for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
		struct budget_rules rules;
		const char *where = NULL;
		const char *problem =
		    budget_rules_parse(parameters[i].text, &rules, &where);

		ROW("%s",
		    parameters[i].text == NULL ? "NULL" : parameters[i].text);
		CHECK_STR(problem, parameters[i].problem);
		if (problem != NULL) {
			CHECK_STR(where, parameters[i].where);
			continue;
		}
		CHECK_INT(rules.tokens, parameters[i].rules.tokens);
		CHECK_INT(rules.success, parameters[i].rules.success);
		CHECK_INT(rules.rate, parameters[i].rules.rate);
		CHECK_INT(rules.cost, parameters[i].rules.cost);
		CHECK_INT(rules.throttled, parameters[i].rules.throttled);
		CHECK_INT(rules.refund, parameters[i].rules.refund);
	}
}

TEST(ten_tokens_pay_ten_retries)
{
	const struct budget_rules rules = { 10000, 0, 0, 1000, 1000, 0 };
	struct bucket bucket = budget_full(&rules);
	int64_t paid;

	for (int i = 0; i < 10; i++)
		CHECK(budget_take(&bucket, &rules, false, &paid));
	CHECK(!budget_take(&bucket, &rules, false, &paid));
	CHECK_INT(bucket.tokens, 0);
}

TEST(what_cannot_be_paid_takes_nothing)
{
	const struct budget_rules rules = { 10000, 0, 0, 4000, 4000, 0 };
	struct bucket bucket = budget_full(&rules);
	int64_t paid;

	CHECK(budget_take(&bucket, &rules, false, &paid));
	CHECK(budget_take(&bucket, &rules, false, &paid));
	CHECK(!budget_take(&bucket, &rules, false, &paid));
	CHECK_INT(bucket.tokens, 2000);
}

TEST(ten_successes_of_a_tenth_are_one_token)
{
	const struct budget_rules rules = { 2000, 100, 0, 1000, 1000, 0 };
	struct bucket bucket = { .tokens = 0, .boot = BUDGET_NO_BOOT };
	int64_t paid;

	for (int i = 0; i < 10; i++) {
		CHECK(!budget_take(&bucket, &rules, false, &paid));
		budget_give(&bucket, &rules, 0);
	}
	CHECK(budget_take(&bucket, &rules, false, &paid));
	CHECK_INT(bucket.tokens, 0);
}

TEST(a_throttled_retry_has_a_cost_of_its_own)
{
	const struct budget_rules rules = { 10000, 0, 0, 4000, 3000, 0 };
	struct bucket bucket = budget_full(&rules);
	int64_t paid;

	CHECK(budget_take(&bucket, &rules, true, &paid));
	CHECK_INT(paid, 3000);
	CHECK(budget_take(&bucket, &rules, false, &paid));
	CHECK_INT(paid, 4000);
	CHECK(!budget_take(&bucket, &rules, false, &paid));
	CHECK_INT(paid, 0);
	CHECK(budget_take(&bucket, &rules, true, &paid));
	CHECK_INT(bucket.tokens, 0);
}

static const struct {
	int64_t success, refund, paid, given;
} refunds[] = {
	{ 100, 0, 4000, 100 },
	{ 100, 1000, 4000, 4000 },
	{ 100, 1000, 0, 100 },
	{ 100, 500, 4000, 2000 },
	{ 3000, 500, 4000, 3000 },
	{ 0, 1, 999, 0 },
	{ 100, 1000000000, 1000000000, 1000000000 },
};

TEST(a_success_gives_back_the_share_of_its_retry_or_its_own)
{
	for (size_t i = 0; i < sizeof refunds / sizeof *refunds; i++) {
		const struct budget_rules rules = { .tokens = 1000000000,
			.success = refunds[i].success,
			.refund = refunds[i].refund };
		struct bucket bucket = { .tokens = 0, .boot = BUDGET_NO_BOOT };

		ROW("%zu", i);
		budget_give(&bucket, &rules, refunds[i].paid);
		CHECK_INT(bucket.tokens, refunds[i].given);
	}
}

TEST(each_process_holds_the_bucket_to_its_own_size)
{
	const struct budget_rules large = { 100000, 5000, 0, 1000, 1000, 0 };
	const struct budget_rules small = { 10000, 5000, 0, 1000, 1000, 0 };
	struct bucket bucket = budget_full(&large);

	budget_refill(&bucket, &small, 0, BOOT);
	CHECK_INT(bucket.tokens, 10000);
	budget_give(&bucket, &large, 0);
	CHECK_INT(bucket.tokens, 15000);
	budget_give(&bucket, &small, 0);
	CHECK_INT(bucket.tokens, 10000);
}

static const struct {
	const char *name;
	struct budget_rules rules;
	struct bucket before;
	int64_t time;
	struct bucket after;
} refills[] = {
	{ "one a second", { 9000, 0, 1000, 0, 0, 0 }, { 0, 5 * SECOND, BOOT },
	    8 * SECOND, { 3000, 8 * SECOND, BOOT } },
	{ "half a second", { 9000, 0, 1000, 0, 0, 0 }, { 0, 0, BOOT },
	    SECOND / 2, { 500, SECOND / 2, BOOT } },
	{ "no more than it holds", { 2000, 0, 1000, 0, 0, 0 }, { 0, 0, BOOT },
	    8 * SECOND, { 2000, 8 * SECOND, BOOT } },
	{ "exactly full", { 2000, 0, 1000, 0, 0, 0 }, { 0, 0, BOOT },
	    2 * SECOND, { 2000, 2 * SECOND, BOOT } },
	{ "full already", { 2000, 0, 1000, 0, 0, 0 }, { 2000, 0, BOOT },
	    2 * SECOND, { 2000, 2 * SECOND, BOOT } },
	{ "too little for a thousandth waits", { 9000, 0, 1000, 0, 0, 0 },
	    { 7, 0, BOOT }, 999999, { 7, 0, BOOT } },
	{ "a third of a thousandth is kept", { 9000, 0, 3000, 0, 0, 0 },
	    { 0, 0, BOOT }, 500000, { 1, 333334, BOOT } },
	{ "no rate", { 9000, 0, 0, 0, 0, 0 }, { 7, 1, BOOT }, 8 * SECOND,
	    { 7, 8 * SECOND, BOOT } },
	{ "another boot", { 9000, 0, 1000, 0, 0, 0 }, { 7, 1, OTHER_BOOT },
	    8 * SECOND, { 7, 8 * SECOND, BOOT } },
	{ "the future", { 9000, 0, 1000, 0, 0, 0 }, { 7, 9 * SECOND, BOOT },
	    8 * SECOND, { 7, 8 * SECOND, BOOT } },
	{ "the largest of everything", { 1000000000, 0, 1000000000, 0, 0, 0 },
	    { 0, 0, BOOT }, INT64_MAX, { 1000000000, INT64_MAX, BOOT } },
	{ "the largest and almost full", { 1000000000, 0, 1, 0, 0, 0 },
	    { 0, 0, BOOT }, INT64_C(999999999999999999),
	    { 999999999, 999999999 * SECOND, BOOT } },
};

TEST(time_brings_tokens_back)
{
	for (size_t i = 0; i < sizeof refills / sizeof *refills; i++) {
		struct bucket bucket = refills[i].before;

		ROW("%s", refills[i].name);
		budget_refill(&bucket, &refills[i].rules, refills[i].time,
		    BOOT);
		CHECK_INT(bucket.tokens, refills[i].after.tokens);
		CHECK_INT(bucket.time, refills[i].after.time);
		CHECK_STR(bucket.boot, refills[i].after.boot);
	}
}

TEST(time_before_tokens_were_spent_brings_none_back)
{
	const struct budget_rules with = { 2000, 0, 1000, 1000, 1000, 0 };
	const struct budget_rules without = { 2000, 0, 0, 1000, 1000, 0 };
	struct bucket bucket = budget_full(&with);
	int64_t paid;

	budget_refill(&bucket, &with, 0, BOOT);
	budget_refill(&bucket, &without, 9 * SECOND, BUDGET_NO_BOOT);
	CHECK(budget_take(&bucket, &without, false, &paid));
	CHECK(budget_take(&bucket, &without, false, &paid));
	budget_refill(&bucket, &with, 9 * SECOND, BOOT);
	CHECK_INT(bucket.tokens, 0);
	budget_refill(&bucket, &with, 10 * SECOND, BOOT);
	CHECK_INT(bucket.tokens, 1000);
}

/* Looked at every 700 us for ten minutes, at 0.7 tokens a second. */
TEST(looking_often_loses_less_than_a_thousandth)
{
	const struct budget_rules rules = { 1000000, 0, 700, 0, 0, 0 };
	struct bucket bucket = { .tokens = 0, .time = 0, .boot = BOOT };
	const int64_t end = 600 * SECOND;

	for (int64_t time = 0; time <= end; time += 700000)
		budget_refill(&bucket, &rules, time, BOOT);
	budget_refill(&bucket, &rules, end, BOOT);
	CHECK(bucket.tokens >= 419999 && bucket.tokens <= 420000);
}

TEST(a_bucket_is_read_as_it_was_written)
{
	static const struct bucket rows[] = {
		{ 0, 0, BUDGET_NO_BOOT },
		{ 1, 1, BOOT },
		{ 99500, 12345678901234, BOOT },
		{ 1000000000, INT64_MAX, OTHER_BOOT },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[BUDGET_TEXT];
		struct bucket bucket;

		ROW("%" PRId64, rows[i].tokens);
		budget_format(&rows[i], text);
		CHECK_INT(strlen(text), BUDGET_LENGTH);
		CHECK(budget_was(text));
		if (!CHECK_STR(budget_parse(text, &bucket), NULL))
			continue;
		CHECK_INT(bucket.tokens, rows[i].tokens);
		CHECK_INT(bucket.time, rows[i].time);
		CHECK_STR(bucket.boot, rows[i].boot);
	}
}

TEST(more_than_any_bucket_holds_is_refused)
{
	const struct bucket bucket = { 1000000001, 1, BOOT };
	char text[BUDGET_TEXT];
	struct bucket again;

	budget_format(&bucket, text);
	CHECK_STR(budget_parse(text, &again), "is out of range");
}

TEST(any_byte_that_changed_is_found)
{
	const struct bucket bucket = { 99500, 12345678901234, BOOT };
	char text[BUDGET_TEXT];
	struct bucket again;

	budget_format(&bucket, text);
	for (int i = 0; i < BUDGET_LENGTH; i++)
		for (int bit = 0; bit < 8; bit++) {
			ROW("bit %d of byte %d", bit, i);
			text[i] ^= (char)(1 << bit);
			CHECK(budget_parse(text, &again) != NULL);
			text[i] ^= (char)(1 << bit);
		}
	CHECK_STR(budget_parse(text, &again), NULL);
}

TEST(a_bucket_that_was_cut_or_goes_on_is_found)
{
	const struct bucket bucket = { 99500, 12345678901234, BOOT };
	char text[BUDGET_TEXT + 1], cut[BUDGET_TEXT];
	struct bucket again;

	budget_format(&bucket, text);
	for (size_t length = 0; length < BUDGET_LENGTH; length++) {
		ROW("%zu bytes", length);
		memcpy(cut, text, length);
		cut[length] = '\0';
		CHECK(budget_parse(cut, &again) != NULL);
	}
	strcat(text, "x");
	CHECK_STR(budget_parse(text, &again), "is damaged");
}

TEST(what_never_was_a_bucket_is_told_apart)
{
	CHECK(!budget_was(""));
	CHECK(!budget_was("root:x:0:0:root:/root:/bin/bash\n"));
	CHECK(!budget_was("retry-budget 2 whatever comes\n"));
	CHECK(!budget_was("retry-budget 10 whatever comes\n"));
	CHECK(!budget_was("r"));
	CHECK(!budget_was("retry-b"));
	CHECK(!budget_was("retry-budget 1 was a good year"));
	CHECK(budget_was("retry-budget 1 tokens "));
	CHECK(budget_was("retry-budget 1 tokens and no more than that"));
	CHECK_STR(budget_parse("retry-budget 2 whatever comes\n",
		      &(struct bucket){ .tokens = 0 }),
	    "is not a retry budget of this version");
}

/*
 * Figures computed by other budgets.  Of a row that this bucket cannot give,
 * the reason.
 */
static const struct {
	const char *model;
	const char *part; /* of the parameters or events, or "" */
	const char *reason;
} unlike[] = {
	{ "grpc-A6", "",
	    "retries end at half a bucket, and one that is denied costs too" },
	{ "finagle", "minRetriesPerSec=0;",
	    "it starts empty, and is not held to what it started with" },
	{ "sre-adaptive", "", "a chance, not a bucket" },
};

static const char *
reason_unlike(const struct tsv *row)
{
	for (size_t i = 0; i < sizeof unlike / sizeof *unlike; i++)
		if (strncmp(row->fields[0], unlike[i].model,
			strlen(unlike[i].model)) == 0 &&
		    (strstr(row->fields[1], unlike[i].part) != NULL ||
			strstr(row->fields[2], unlike[i].part) != NULL))
			return unlike[i].reason;
	return NULL;
}

/* Of "a=1;b=0.2", in thousandths. */
static int64_t
figure(const char *list, const char *name)
{
	const char *found = strstr(list, name);

	if (!CHECK(found != NULL))
		return 0;
	return (int64_t)(strtod(found + strlen(name) + 1, NULL) * 1000 + 0.5);
}

/* The costlier kind of event counts as throttled, whatever it was. */
static void
play_aws(const struct tsv *row)
{
	const char *params = row->fields[1];
	const struct budget_rules rules = {
		.tokens = figure(params, "capacity"),
		.success = figure(params, "no_retry_increment"),
		.cost = figure(params, "retry_cost"),
		.throttled = figure(params, "special_cost"),
		.refund = 1000,
	};
	struct bucket bucket = budget_full(&rules);
	char *wants = row->fields[3], *rest_of_wants, *rest;
	int64_t paid = 0;

	wants = strtok_r(wants, " ", &rest_of_wants);
	for (char *event = strtok_r(row->fields[2], " ", &rest); event != NULL;
	     event = strtok_r(NULL, " ", &rest)) {
		const bool special = strcmp(event, "special") == 0;
		char got[32] = "";

		if (special || strcmp(event, "retry") == 0) {
			int64_t price;
			const bool taken =
			    budget_take(&bucket, &rules, special, &price);

			if (taken)
				paid = price;
			strcpy(got, taken ? "allow:" : "deny:");
		} else if (strcmp(event, "fail_final") != 0) {
			CHECK(strncmp(event, "ok_", 3) == 0);
			budget_give(&bucket, &rules,
			    strcmp(event, "ok_first") == 0 ? 0 : paid);
		}
		sprintf(got + strlen(got), "%" PRId64, bucket.tokens / 1000);
		CHECK_STR(got, wants);
		wants = strtok_r(NULL, " ", &rest_of_wants);
	}
	CHECK(wants == NULL);
}

/*
 * Every request brings its part of a token and tries to take one; its first
 * part is in the bucket from the start, as that is full.
 */
static void
play_finagle(const struct tsv *row)
{
	const int64_t part = figure(row->fields[1], "percentCanRetry");
	const int64_t reserve = figure(row->fields[1], "ttl") *
	    figure(row->fields[1], "minRetriesPerSec") / 1000;
	const struct budget_rules rules = { reserve + part, part, 0, 1000, 1000,
		0 };
	struct bucket bucket = budget_full(&rules);
	int64_t paid;
	const long requests = atol(strchr(row->fields[2], 'x') + 1);
	char got[64];
	int retries = 0;

	for (long i = 0; i < requests; i++) {
		budget_give(&bucket, &rules, 0);
		retries += budget_take(&bucket, &rules, false, &paid);
	}
	sprintf(got, "retries=%d;left_balance=%" PRId64, retries,
	    bucket.tokens / 1000);
	CHECK_STR(got, row->fields[3]);
}

TEST(figures_of_other_budgets_come_out)
{
	struct tsv tsv = tsv_open("retry-budgets.tsv");
	int played = 0, passed = 0;

	while (tsv_next(&tsv)) {
		const char *reason = reason_unlike(&tsv);

		if (reason != NULL) {
			printf("# %s (%s): not played: %s\n", tsv.fields[0],
			    tsv.fields[1], reason);
			passed++;
			continue;
		}
		if (strncmp(tsv.fields[0], "aws-", 4) == 0)
			play_aws(&tsv);
		else if (strncmp(tsv.fields[0], "finagle", 7) == 0)
			play_finagle(&tsv);
		else
			CHECK(!"a model that nobody knows");
		played++;
	}
	CHECK_INT(played, 7);
	CHECK_INT(passed, 18);
}

int
main(void)
{
	return RUN_ALL();
}
