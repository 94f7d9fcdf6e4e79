/* SPDX-License-Identifier: MIT */

/* Lines: the words behind the program's name. */

#include <math.h>

#include "options/argv.h"
#include "core/duration.h"
#include "core/signals.h"
#include "fuzz.h"

static void
is_duration(double seconds)
{
	MUST(seconds >= 0 && seconds <= DURATION_MAX);
}

/* What a run relies on. */
static void
check_policy(const struct options *options)
{
	const struct policy *policy = &options->policy;
	const struct backoff *backoff = &policy->backoff;

	for (int id = 0; id < OPTIONS; id++) {
		const struct option_row *row = &option_rows[id];
		const void *member = (const char *)options + row->offset;

		if (row->type == TYPE_DURATION)
			is_duration(*(const double *)member);
	}
	is_duration(policy->timeout);
	MUST(policy->timeout_share >= 0 && policy->timeout_share <= 1);
	MUST(signal_may_ask(policy->signal));
	MUST(backoff->cap > 0 && isfinite(backoff->cap));
	MUST(backoff->min <= backoff->cap);
	MUST(jitter_room(&policy->jitter, backoff) >= backoff->min);
	MUST(backoff->strategy->listed == (backoff->count > 0) ||
	    backoff->values != NULL);
	MUST(policy->hint_spread >= 0 && policy->hint_spread <= 1);
	MUST(policy->hint_limit > 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text;
	char *words[FUZZ_WORDS], problem[ARGV_PROBLEM] = "";
	const int count = fuzz_words(&rest, words);
	struct options options;

	if (argv_parse(count, words, &options, problem) == -1)
		fuzz_problem(problem);
	else {
		MUST(*problem == '\0');
		if (!options.help && !options.version) {
			check_policy(&options);
			MUST(options.plan || *options.command != NULL);
		}
	}
	options_free(&options);
	free(text);
	return 0;
}
