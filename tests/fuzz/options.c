/* Lines: the words behind the program's name. */

#include <math.h>

#include "cli/options.h"
#include "core/duration.h"
#include "core/signals.h"
#include "fuzz.h"

static void
is_duration(double seconds)
{
	MUST(seconds >= 0 && seconds <= DURATION_MAX);
}

/* What the engine relies on. */
static void
check_policy(const struct policy *policy)
{
	const struct backoff *backoff = &policy->backoff;

	is_duration(policy->max_time);
	is_duration(policy->timeout);
	is_duration(policy->min_timeout);
	is_duration(policy->kill_after);
	is_duration(policy->reset_after);
	is_duration(policy->splay);
	is_duration(policy->throttle_delay);
	is_duration(policy->success_delay);
	MUST(policy->timeout_share >= 0 && policy->timeout_share <= 1);
	MUST(signal_is_deadly(policy->signal));
	is_duration(backoff->base);
	is_duration(backoff->min);
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
	char *words[FUZZ_WORDS], problem[OPTIONS_PROBLEM] = "";
	const int count = fuzz_words(&rest, words);
	struct options options;

	if (options_parse(count, words, &options, problem) == -1)
		fuzz_problem(problem);
	else {
		MUST(*problem == '\0');
		if (!options.help && !options.version) {
			check_policy(&options.policy);
			MUST(options.plan || *options.command != NULL);
		}
	}
	options_free(&options);
	free(text);
	return 0;
}
