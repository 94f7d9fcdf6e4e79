/* SPDX-License-Identifier: MIT */

#include "core/outcome.h"
#include "fuzz.h"

/* Asks for all outcomes there are; says how many are in the set. */
static int
count(const struct set *set)
{
	int members = 0;

	for (int status = 0; status < 256; status++)
		members += set_has(set,
		    (struct outcome){ .kind = OUTCOME_EXIT, .code = status });
	for (int number = 1; number <= 64; number++)
		members += set_has(set,
		    (struct outcome){ .kind = OUTCOME_SIGNAL, .code = number });
	for (int kind = OUTCOME_TIMEOUT; kind <= OUTCOME_UNFORKED; kind++)
		members +=
		    set_has(set, (struct outcome){ .kind = kind, .code = 1 });
	return members;
}

static bool
same(const struct set *one, const struct set *other)
{
	struct set rest = *one;

	set_remove(&rest, other);
	return count(&rest) == 0 && count(one) == count(other);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct set set = { .bits = { 2 } };
	const struct set before = set;
	const char *const problem = set_parse(&set, text, NULL);
	struct set again = set;

	if (problem == NULL) {
		MUST(set_parse(&again, text, NULL) == NULL);
		MUST(same(&again, &set));
	} else {
		fuzz_problem(problem);
		MUST(same(&set, &before));
	}
	free(text);
	return 0;
}
