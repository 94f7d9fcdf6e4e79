/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <string.h>

#include "options/options.h"
#include "core/duration.h"

/* The cap if none is given, or this many times the longest delay given. */
#define DEFAULT_CAP 60.0
#define DEFAULT_CAP_FACTOR 16.0

/* The longest hint that is waited for if no cap is given. */
#define DEFAULT_HINT_LIMIT 3600.0

/* How far chance spreads a hint where the jitter has no ratio. */
#define DEFAULT_HINT_SPREAD 0.2

/* Whether a preset gave the option. */
static bool
set_by_preset(const struct options *options, enum option_id id)
{
	return options->origin[id] == ORIGIN_BUILT_IN ||
	    options->origin[id] == ORIGIN_FILE;
}

/* --max-delay: the longest delay, and the longest hint. */
static void
derive_cap(struct options *options)
{
	struct policy *policy = &options->policy;
	struct backoff *backoff = &policy->backoff;
	/* That the options name. */
	const double longest =
	    fmax(fmax(fmax(backoff_longest(backoff), backoff->base),
		     fmax(backoff->min, policy->throttle_delay)),
		policy->success_delay);

	backoff->most = backoff->cap;
	if (!options_given(options, OPTION_MAX_DELAY)) {
		backoff->cap = fmax(DEFAULT_CAP,
		    fmin(DEFAULT_CAP_FACTOR * longest, DURATION_MAX));
		policy->hint_limit = DEFAULT_HINT_LIMIT;
		return;
	}
	if (backoff->cap == 0)
		backoff->cap = DURATION_MAX;
	policy->hint_limit = backoff->cap;
	if (set_by_preset(options, OPTION_MAX_DELAY)) {
		/* It limits no hint, and leaves room for all delays. */
		policy->hint_limit = fmax(backoff->cap, DEFAULT_HINT_LIMIT);
		backoff->cap = fmax(backoff->cap, longest);
		if (backoff->most > 0)
			backoff->most = backoff->cap;
		return;
	}
	/* The delays of a preset stay within the user's cap. */
	if (set_by_preset(options, OPTION_DELAY))
		backoff->base = fmin(backoff->base, backoff->cap);
	if (set_by_preset(options, OPTION_THROTTLE_DELAY))
		policy->throttle_delay =
		    fmin(policy->throttle_delay, backoff->cap);
}

static void
derive_jitter(struct options *options)
{
	struct policy *policy = &options->policy;
	struct backoff *backoff = &policy->backoff;
	struct jitter *jitter = &policy->jitter;
	const bool given = options_given(options, OPTION_JITTER);
	const bool random = backoff->strategy->random;

	if (!given || (random && set_by_preset(options, OPTION_JITTER)))
		jitter_parse(random ? "none" : JITTER_DEFAULT, jitter);
	/*
	 * If a preset's cap leaves the user's jitter no room, the cap only
	 * limits the delay that is jittered.
	 */
	if (set_by_preset(options, OPTION_MAX_DELAY) &&
	    jitter_room(jitter, backoff) < backoff->min)
		backoff->most = 0;
	policy->hint_spread = DEFAULT_HINT_SPREAD;
	if (jitter->kind->fixed && given)
		policy->hint_spread = 0;
	else if (jitter->kind->relative)
		policy->hint_spread = jitter->amount;
}

static void
derive_rules(struct options *options)
{
	struct rules *rules = &options->policy.rules;
	struct set usual = { 0 }, named = rules->success;

	options->patterns.mends = options->policy.gate;
	rules->matches = search_matches(&options->patterns);
	/*
	 * These stop a run by default, unless --success-on or --retry-on names
	 * them.  The class "permanent" does, too, if there is a preset, and the
	 * user has given neither --retry-on nor --retry-match.
	 */
	set_parse(&usual, OPTIONS_STOP_ON, NULL);
	if (rules->preset_count == 0 ||
	    options->origin[OPTION_RETRY_ON] == ORIGIN_USER ||
	    options->origin[OPTION_RETRY_MATCH] == ORIGIN_USER)
		set_keep(&rules->hopeless, &usual);
	set_add(&named, &rules->retry);
	set_keep(&named, &usual);
	set_remove(&rules->hopeless, &named);
}

void
derive_policy(struct options *options)
{
	const struct output_row *output = &output_rows[options->output];
	struct policy *policy = &options->policy;
	struct report_style *style = &options->style;

	/* A run is named after the command's first word, without its folder. */
	const char *command = *options->command;
	const char *slash = command == NULL ? NULL : strrchr(command, '/');
	style->name = options->text[OPTION_NAME];
	if (style->name == NULL)
		style->name =
		    slash == NULL || slash[1] == '\0' ? command : slash + 1;
	/* What a dead attempt left might hold the port and answer the probe. */
	if (policy->health.used && !options_given(options, OPTION_LEFTOVERS))
		policy->leftovers = LEFTOVERS_END;
	policy->input = options->input == INPUT_REPLAY;
	policy->delivery = output->delivery;
	/* --max-time replaces a number that no user has given. */
	if (policy->max_time > 0 &&
	    options->origin[OPTION_ATTEMPTS] < ORIGIN_FILE)
		policy->limits.attempts = 0;
	derive_cap(options);
	derive_jitter(options);
	/* A preset's --min-timeout goes with the preset's --pace. */
	if (policy->pace == PACE_END && policy->timeout_share == 0)
		policy->min_timeout = 0;
	derive_rules(options);
	style->command = options->command;
	style->policy = policy;
	style->holds_stderr = output->holds_stderr;
	style->forgets = output->forgets;
}

bool
options_collects(const struct options *options)
{
	return options->output != OUTPUT_STREAM ||
	    search_is_needed(&options->patterns) ||
	    options->policy.idle_timeout > 0;
}
