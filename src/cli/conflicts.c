#include <math.h>
#include <string.h>

#include "cli/options.h"
#include "cli/plan.h"
#include "core/duration.h"
#include "core/number.h"

/* The cap if none is given, or this many times the longest delay given. */
#define DEFAULT_CAP 60.0
#define DEFAULT_CAP_FACTOR 16.0

/* The longest hint that is waited for if no cap is given. */
#define DEFAULT_HINT_LIMIT 3600.0

/* How far chance spreads a hint where the jitter has no ratio. */
#define DEFAULT_HINT_SPREAD 0.2

static bool
given(const struct options *options, enum option_id id)
{
	return options->origin[id] != ORIGIN_DEFAULT;
}

void
conflicts_settle(struct options *options)
{
	struct policy *policy = &options->policy;
	struct backoff *backoff = &policy->backoff;
	struct jitter *jitter = &policy->jitter;
	struct rules *rules = &policy->rules;
	const bool random = backoff->strategy->random;
	const char *command = *options->command;

	/* A run is named after the command's first word, without its folder. */
	if (options->name == NULL && command != NULL) {
		const char *slash = strrchr(command, '/');

		options->name =
		    slash == NULL || slash[1] == '\0' ? command : slash + 1;
	}

	policy->pace_start = options->pace == PACE_START;
	policy->repeat = given(options, OPTION_REPEAT);
	policy->gate = options->before_retry != NULL;
	policy->remember = options->state != NULL;
	policy->early_skip = options->early == EARLY_SKIP;
	policy->budget = options->budget != NULL;
	policy->input = options->input == INPUT_REPLAY;
	policy->on_success = options->on_success != NULL;
	policy->on_give_up = options->on_give_up != NULL;

	policy->hint_limit = DEFAULT_HINT_LIMIT;
	if (given(options, OPTION_MAX_DELAY)) {
		backoff->cap_given = backoff->cap > 0;
		if (!backoff->cap_given)
			backoff->cap = DURATION_MAX;
		policy->hint_limit = backoff->cap;
	} else {
		double longest = backoff_longest(backoff);

		longest = number_max(longest, backoff->base);
		longest = number_max(longest, backoff->min);
		longest = number_max(longest, policy->throttle_delay);
		longest = number_max(longest, policy->success_delay);
		backoff->cap = number_max(DEFAULT_CAP,
		    number_min(DEFAULT_CAP_FACTOR * longest, DURATION_MAX));
	}

	if (!given(options, OPTION_JITTER) ||
	    (random && options->origin[OPTION_JITTER] == ORIGIN_PRESET))
		jitter_parse(random ? "none" : "20%", jitter);
	policy->hint_spread = DEFAULT_HINT_SPREAD;
	if (jitter->kind->fixed && given(options, OPTION_JITTER))
		policy->hint_spread = 0;
	else if (jitter->kind->relative)
		policy->hint_spread = jitter->amount;

	/* A preset's floor goes with the preset's pace. */
	if (!policy->pace_start && policy->timeout_share == 0)
		policy->min_timeout = 0;

	rules->check = options->check != NULL;
	rules->retry_listed = given(options, OPTION_RETRY_ON);
	rules->matches = search_matches(&options->patterns);
	set_parse(&rules->stop, OPTIONS_STOP_ON, NULL);
	set_remove(&rules->stop, &rules->success);
	set_remove(&rules->stop, &rules->retry);
	set_keep(&rules->stop, &options->stop_most);
	set_add(&rules->stop, &options->stop_least);
	if (options->output != OUTPUT_STREAM || rules->matches != 0 ||
	    policy->idle_timeout > 0 || options->patterns.hint != NULL)
		policy->delivery = options->output == OUTPUT_HOLD
		    ? DELIVERY_EACH
		    : DELIVERY_LAST;

	if (backoff->base == 0 && backoff->min == 0 &&
	    backoff->strategy->keeps_level &&
	    backoff_nominal(backoff, &(struct level){ .begun = true }, 2, 0) ==
		0)
		options->warning = "the delay starts at 0 and stays 0";
	/* Some scripts, such as timeout, are commands too; none has a digit. */
	if (options->plan && options->plan_script == NULL && command != NULL &&
	    strpbrk(command, "0123456789") != NULL &&
	    plan_check(command) == NULL)
		options->warning =
		    "the command looks like a script: use --plan=SCRIPT";
}

struct conflict
conflicts_find(const struct options *options)
{
	const struct policy *policy = &options->policy;
	const struct backoff *backoff = &policy->backoff;
	const struct strategy *strategy = backoff->strategy;
	const double room = jitter_room(&policy->jitter, backoff);
	const double most = backoff->cap_given ? backoff->cap : INFINITY;
	const bool throttled = given(options, OPTION_THROTTLE_ON) ||
	    given(options, OPTION_THROTTLE_MATCH);
	const bool throttles = given(options, OPTION_THROTTLE_DELAY);
	size_t plain_logs = 0;

	for (size_t i = 0; i < options->log_count; i++)
		plain_logs += options->logs[i].file == NULL;

	const struct {
		bool found;
		struct conflict conflict;
	} rows[] = {
		{ policy->timeout_share > 0 && policy->max_time == 0,
		    { OPTION_TIMEOUT,
			"is a share of --max-time, which is not given" } },
		{ options->origin[OPTION_MIN_TIMEOUT] == ORIGIN_USER &&
			!policy->pace_start && policy->timeout_share == 0,
		    { OPTION_MIN_TIMEOUT,
			"needs --pace=start or --timeout=P%" } },
		{ options->text[OPTION_REPEAT] != NULL && policy->repeats == 0,
		    { OPTION_REPEAT, "is too small" } },
		{ given(options, OPTION_SUCCESS_DELAY) && !policy->repeat,
		    { OPTION_SUCCESS_DELAY, "needs --repeat" } },
		{ policy->repeat && plan_has_chances(options->plan_script),
		    { OPTION_PLAN,
			"has a chance, which cannot be combined with "
			"--repeat" } },
		{ options->plan && plain_logs > 1,
		    { OPTION_LOG,
			"is a second log on a plan's standard output" } },
		{ policy->early_skip && options->state == NULL,
		    { OPTION_EARLY, "needs --state" } },
		{ given(options, OPTION_TOLERATE) && options->state == NULL,
		    { OPTION_TOLERATE, "needs --state" } },
		{ given(options, OPTION_TOLERATE) && policy->tolerate == 0,
		    { OPTION_TOLERATE, "is too small" } },

		{ given(options, OPTION_THROTTLE_ON) && !throttles,
		    { OPTION_THROTTLE_ON, "needs --throttle-delay" } },
		{ given(options, OPTION_THROTTLE_MATCH) && !throttles,
		    { OPTION_THROTTLE_MATCH, "needs --throttle-delay" } },
		{ throttles && !throttled,
		    { OPTION_THROTTLE_DELAY,
			"needs --throttle-on or --throttle-match" } },

		{ strategy->listed &&
			options->origin[OPTION_DELAY] == ORIGIN_USER,
		    { OPTION_DELAY,
			"cannot be combined with a list of delays" } },
		{ strategy->needs_ends &&
			(backoff->base == 0 ||
			    (given(options, OPTION_MAX_DELAY) &&
				!backoff->cap_given)),
		    { OPTION_BACKOFF, "needs a base delay and a cap" } },
		{ strategy->random && !policy->jitter.kind->fixed,
		    { OPTION_JITTER,
			"cannot be combined with a random strategy" } },
		{ backoff->min > backoff->cap,
		    { OPTION_MIN_DELAY, "is above --max-delay" } },
		{ !strategy->listed && backoff->base > most,
		    { OPTION_DELAY, "is above --max-delay" } },
		{ backoff_longest(backoff) > most,
		    { OPTION_BACKOFF, "has a delay above --max-delay" } },
		{ policy->throttle_delay > most,
		    { OPTION_THROTTLE_DELAY, "is above --max-delay" } },
		{ policy->success_delay > most,
		    { OPTION_SUCCESS_DELAY, "is above --max-delay" } },
		{ room < 0,
		    { OPTION_JITTER,
			"is more than --max-delay leaves room for" } },
		{ room < backoff->min,
		    { OPTION_MIN_DELAY,
			"leaves the jitter no room below --max-delay" } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].found)
			return rows[i].conflict;
	return (struct conflict){ .what = NULL };
}
