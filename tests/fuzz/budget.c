/* SPDX-License-Identifier: MIT */

/*
 * Lines: the parameters, then a bucket as its file has it, which gets the sum
 * that it should have.
 */

#include <inttypes.h>

#include "core/budget.h"
#include "core/text.h"
#include "fuzz.h"

/* Enough tokens at most for any process; see bucket.h. */
#define MOST 1000000000

/* Puts the right sum at the end, where there is room for one. */
static void
mend(char *text)
{
	char *sum = strstr(text, " sum ");
	char digits[18];

	if (sum == NULL || strlen(sum) != strlen(" sum ") + 17)
		return;
	sum += strlen(" sum ");
	snprintf(digits, sizeof(digits), "%016" PRIx64 "\n",
	    text_checksum(text, (size_t)(sum - text)));
	memcpy(sum, digits, 17);
}

static void
check_text(const char *text, struct bucket *bucket)
{
	char again[BUDGET_TEXT];
	const char *problem = budget_parse(text, bucket);

	if (problem == NULL) {
		budget_format(bucket, again);
		MUST(strcmp(text, again) == 0);
		MUST(budget_was(text));
		return;
	}
	fuzz_problem(problem);
	*bucket = (struct bucket){
		.tokens = (int64_t)(strlen(text) * 997),
		.boot = "11111111-1111-1111-1111-111111111111",
	};
}

static void
check_tokens(const struct bucket *bucket, const struct budget_rules *rules)
{
	MUST(bucket->tokens >= 0 && bucket->tokens <= rules->tokens);
}

static void
check_use(struct bucket bucket, const struct budget_rules *rules)
{
	const int64_t times[] = { 0, 1, 999999999, bucket.time, bucket.time / 2,
		bucket.time / 3 * 2, INT64_MAX };
	char boot[BUDGET_BOOT];

	memcpy(boot, bucket.boot, sizeof(boot));
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		budget_refill(&bucket, rules, times[i], boot);
		check_tokens(&bucket, rules);
		const int64_t before = bucket.tokens;
		const int64_t cost =
		    i % 2 == 0 ? rules->cost : rules->throttled;
		int64_t paid;
		MUST(budget_take(&bucket, rules, i % 2 != 0, &paid) ==
		    (before >= cost));
		MUST(paid == (before >= cost ? cost : 0));
		MUST(bucket.tokens == before - paid);
		budget_give(&bucket, rules, paid);
		check_tokens(&bucket, rules);
	}
	budget_refill(&bucket, rules, 5, BUDGET_NO_BOOT);
	check_tokens(&bucket, rules);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text;
	const char *line = fuzz_line(&rest), *where = line;
	struct budget_rules rules;
	struct bucket bucket;
	const char *const problem = budget_rules_parse(line, &rules, &where);

	if (problem == NULL) {
		MUST(rules.tokens >= 0 && rules.tokens <= MOST);
		MUST(rules.success >= 0 && rules.success <= MOST);
		MUST(rules.rate >= 0 && rules.rate <= MOST);
		MUST(rules.cost >= 0 && rules.cost <= MOST);
		MUST(rules.throttled >= 0 && rules.throttled <= MOST);
		MUST(rules.refund >= 0 && rules.refund <= MOST);
		check_text(rest, &bucket);
		mend(rest);
		check_text(rest, &bucket);
		check_use(bucket, &rules);
	} else {
		fuzz_problem(problem);
		MUST(where >= line && where <= line + strlen(line));
	}
	free(text);
	return 0;
}
