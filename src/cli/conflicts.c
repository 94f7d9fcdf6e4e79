#include "cli/options.h"
#include "core/duration.h"
#include "core/number.h"

/* Where no cap is given: this, or so many times the longest delay named. */
#define DEFAULT_CAP 60.0
#define DEFAULT_CAP_FACTOR 16.0

/* A hint beyond this gives up where no cap is given. */
#define DEFAULT_HINT_LIMIT 3600.0

/* How far chance spreads a hint where the jitter has no ratio. */
#define DEFAULT_HINT_SPREAD 0.2

static bool
given(const struct options *options, enum option_id id)
{
	return options->origin[id] != ORIGIN_DEFAULT;
}

static void
settle_cap(struct options *options)
{
	const struct policy *policy = &options->policy;
	struct backoff *backoff = &options->policy.backoff;
	double longest = backoff_longest(backoff);

	backoff->cap_given =
	    given(options, OPTION_MAX_DELAY) && backoff->cap > 0;
	if (given(options, OPTION_MAX_DELAY)) {
		if (backoff->cap == 0)
			backoff->cap = DURATION_MAX;
		return;
	}
	longest = number_max(longest, backoff->base);
	longest = number_max(longest, backoff->min);
	longest = number_max(longest, policy->throttle_delay);
	longest = number_max(longest, policy->success_delay);
	backoff->cap =
	    number_min(number_max(DEFAULT_CAP, DEFAULT_CAP_FACTOR * longest),
		DURATION_MAX);
}

static void
settle_jitter(struct options *options)
{
	struct policy *policy = &options->policy;
	const bool random = policy->backoff.strategy->random;

	if (!given(options, OPTION_JITTER) ||
	    (random && options->origin[OPTION_JITTER] == ORIGIN_PRESET))
		jitter_parse(random ? "none" : "20%", &policy->jitter);
	policy->hint_spread = DEFAULT_HINT_SPREAD;
	if (policy->jitter.kind->fixed && given(options, OPTION_JITTER))
		policy->hint_spread = 0;
	else if (policy->jitter.kind->relative)
		policy->hint_spread = policy->jitter.amount;
}

void
conflicts_settle(struct options *options)
{
	struct policy *policy = &options->policy;
	struct rules *rules = &policy->rules;

	policy->pace_start = options->pace == PACE_START;
	policy->repeat = given(options, OPTION_REPEAT);
	policy->gate = options->before_retry != NULL;
	policy->remember = options->state != NULL;
	policy->early_skip = options->early == EARLY_SKIP;
	policy->budget = options->budget != NULL;
	rules->check = options->check != NULL;
	rules->retry_listed = given(options, OPTION_RETRY_ON);
	settle_cap(options);
	settle_jitter(options);
	/* A preset's floor goes with the preset's pace. */
	if (!policy->pace_start && policy->timeout_share == 0)
		policy->min_timeout = 0;
	policy->hint_limit = given(options, OPTION_MAX_DELAY)
	    ? policy->backoff.cap
	    : DEFAULT_HINT_LIMIT;
	policy->input = options->input == INPUT_REPLAY;
	policy->on_success = options->on_success != NULL;
	policy->on_give_up = options->on_give_up != NULL;
	rules->matches = search_matches(&options->patterns);
	if (options->output != OUTPUT_STREAM || rules->matches != 0 ||
	    options->patterns.hint != NULL)
		policy->delivery = options->output == OUTPUT_HOLD
		    ? DELIVERY_EACH
		    : DELIVERY_LAST;
	set_parse(&rules->stop, OPTIONS_STOP_ON, NULL);
	set_remove(&rules->stop, &options->named);
	set_keep(&rules->stop, &options->stop_most);
	set_add(&rules->stop, &options->stop_least);
}

static struct conflict
find_wait_conflict(const struct options *options)
{
	const struct policy *policy = &options->policy;
	const struct backoff *backoff = &policy->backoff;

	if (backoff->strategy->listed && given(options, OPTION_DELAY) &&
	    options->origin[OPTION_DELAY] == ORIGIN_USER)
		return (struct conflict){ OPTION_DELAY,
			"has no place beside a list of delays" };
	if (backoff->strategy->needs_ends &&
	    (backoff->base == 0 || backoff->cap == DURATION_MAX))
		return (struct conflict){ OPTION_BACKOFF,
			"needs a base delay and a cap" };
	if (backoff->strategy->random && !policy->jitter.kind->fixed)
		return (struct conflict){ OPTION_JITTER,
			"has no place beside a strategy that is random" };
	if (backoff->min > backoff->cap)
		return (struct conflict){ OPTION_MIN_DELAY,
			"is above --max-delay" };
	if (!backoff->cap_given)
		return (struct conflict){ .what = NULL };
	if (!backoff->strategy->listed && backoff->base > backoff->cap)
		return (
		    struct conflict){ OPTION_DELAY, "is above --max-delay" };
	if (backoff_longest(backoff) > backoff->cap)
		return (struct conflict){ OPTION_BACKOFF,
			"names a delay above --max-delay" };
	if (policy->throttle_delay > backoff->cap)
		return (struct conflict){ OPTION_THROTTLE_DELAY,
			"is above --max-delay" };
	if (policy->success_delay > backoff->cap)
		return (struct conflict){ OPTION_SUCCESS_DELAY,
			"is above --max-delay" };
	if (jitter_room(&policy->jitter, backoff) < 0)
		return (struct conflict){ OPTION_JITTER,
			"is more than --max-delay leaves room for" };
	if (jitter_room(&policy->jitter, backoff) < backoff->min)
		return (struct conflict){ OPTION_MIN_DELAY,
			"leaves the jitter no room below --max-delay" };
	return (struct conflict){ .what = NULL };
}

/* A plan is one text: its table, or a log. */
static bool
logs_collide(const struct options *options)
{
	size_t count = 0;

	for (size_t i = 0; i < options->log_count; i++)
		count += options->logs[i].file == NULL;
	return options->plan && count > 1;
}

static struct conflict
find_throttle_conflict(const struct options *options)
{
	const bool delay = given(options, OPTION_THROTTLE_DELAY);
	const bool on = given(options, OPTION_THROTTLE_ON);
	const bool match = given(options, OPTION_THROTTLE_MATCH);

	if (on && !delay)
		return (struct conflict){ OPTION_THROTTLE_ON,
			"needs --throttle-delay" };
	if (match && !delay)
		return (struct conflict){ OPTION_THROTTLE_MATCH,
			"needs --throttle-delay" };
	if (delay && !on && !match)
		return (struct conflict){ OPTION_THROTTLE_DELAY,
			"needs --throttle-on or --throttle-match" };
	return (struct conflict){ .what = NULL };
}

struct conflict
conflicts_find(const struct options *options)
{
	const struct policy *policy = &options->policy;
	struct conflict conflict;

	if (policy->timeout_share > 0 && policy->max_time == 0)
		return (struct conflict){ OPTION_TIMEOUT,
			"is a share of --max-time, which is not given" };
	if (options->origin[OPTION_MIN_TIMEOUT] == ORIGIN_USER &&
	    !policy->pace_start && policy->timeout_share == 0)
		return (struct conflict){ OPTION_MIN_TIMEOUT,
			"needs --pace=start or --timeout=P%" };
	if (options->text[OPTION_REPEAT] != NULL && policy->repeats == 0)
		return (struct conflict){ OPTION_REPEAT, "is too small" };
	if (given(options, OPTION_SUCCESS_DELAY) && !policy->repeat)
		return (
		    struct conflict){ OPTION_SUCCESS_DELAY, "needs --repeat" };
	if (logs_collide(options))
		return (struct conflict){ OPTION_LOG,
			"is a second log on a plan's standard output" };
	if (policy->early_skip && options->state == NULL)
		return (struct conflict){ OPTION_EARLY, "needs --state" };
	conflict = find_throttle_conflict(options);
	return conflict.what != NULL ? conflict : find_wait_conflict(options);
}

const char *
conflicts_warning(const struct options *options)
{
	const struct backoff *backoff = &options->policy.backoff;

	if (backoff->base == 0 && backoff->min == 0 &&
	    backoff->strategy->keeps_level &&
	    backoff_nominal(backoff, &(struct level){ .begun = true }, 2, 0) ==
		0)
		return "the delay starts at 0 and never leaves it";
	return NULL;
}
