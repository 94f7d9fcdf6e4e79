/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <string.h>

#include "options/conflicts.h"
#include "plan/clients.h"
#include "core/duration.h"

/* An option that concerns retries, of which --trials makes none. */
static struct conflict
find_beside_trials(const struct options *options)
{
	static const enum option_id ids[] = { OPTION_MAX_DELAY,
		OPTION_MIN_DELAY, OPTION_BACKOFF, OPTION_PACE,
		OPTION_RESET_AFTER, OPTION_WAIT_FIRST, OPTION_DELAY_MATCH,
		OPTION_FREE_ON, OPTION_THROTTLE_ON, OPTION_THROTTLE_DELAY,
		OPTION_THROTTLE_MATCH, OPTION_REPEAT, OPTION_TOLERATE,
		OPTION_BUDGET, OPTION_PLAN };
	struct limits limits = { .attempts = 1 };
	const char *where;
	static const char what[] = "cannot be combined with --trials";

	if (options->trials == 0)
		return (struct conflict){ OPTION_TRIALS, "is too small" };
	if (options->origin[OPTION_ATTEMPTS] == ORIGIN_USER)
		limits_parse(&limits, options->text[OPTION_ATTEMPTS], &where);
	if (limits.attempts != 1 || limits.count > 0)
		return (struct conflict){ OPTION_ATTEMPTS, what };
	if (options->policy.early_skip)
		return (struct conflict){ OPTION_STATE, what };
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (options->origin[ids[i]] == ORIGIN_USER)
			return (struct conflict){ ids[i], what };
	return (struct conflict){ .what = NULL };
}

static struct conflict
find_in_health(const struct options *options)
{
	static const enum option_id ids[] = { OPTION_HEALTH_INTERVAL,
		OPTION_HEALTH_TIMEOUT, OPTION_HEALTH_RETRIES,
		OPTION_HEALTH_START_PERIOD };
	const struct health_rules *rules = &options->policy.health;

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (options_given(options, ids[i]) && !rules->used)
			return (struct conflict){ ids[i], "needs --health" };
	if (rules->interval == 0)
		return (
		    struct conflict){ OPTION_HEALTH_INTERVAL, "is too small" };
	if (rules->timeout == 0)
		return (
		    struct conflict){ OPTION_HEALTH_TIMEOUT, "is too small" };
	if (rules->retries == 0)
		return (
		    struct conflict){ OPTION_HEALTH_RETRIES, "is too small" };
	return (struct conflict){ .what = NULL };
}

/* How many logs have no file of their own. */
static size_t
plain_logs(const struct options *options)
{
	size_t count = 0;

	for (size_t i = 0; i < options->log_count; i++)
		count += options->logs[i].file == NULL;
	return count;
}

/* A conflict, and whether there is one. */
struct row {
	bool found;
	struct conflict conflict;
};

static struct conflict
first_found(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].found)
			return rows[i].conflict;
	return (struct conflict){ .what = NULL };
}

/* Delays and their jitter, which must have room below a cap that is given. */
static struct conflict
find_in_delays(const struct options *options)
{
	const struct policy *policy = &options->policy;
	const struct backoff *backoff = &policy->backoff;
	const struct strategy *strategy = backoff->strategy;
	const double room = jitter_room(&policy->jitter, backoff);
	const double most = backoff->cap_given ? backoff->cap : INFINITY;
	const struct row rows[] = {
		{ strategy->listed &&
			options->origin[OPTION_DELAY] == ORIGIN_USER,
		    { OPTION_DELAY,
			"cannot be combined with a list of delays" } },
		{ strategy->needs_ends &&
			(backoff->base == 0 ||
			    (options_given(options, OPTION_MAX_DELAY) &&
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

	return first_found(rows, sizeof(rows) / sizeof(rows[0]));
}

struct conflict
conflicts_find(const struct options *options)
{
	const struct policy *policy = &options->policy;
	const bool throttled = options_given(options, OPTION_THROTTLE_ON) ||
	    options_given(options, OPTION_THROTTLE_MATCH);
	const bool throttles = options_given(options, OPTION_THROTTLE_DELAY);
	if (policy->trials) {
		const struct conflict conflict = find_beside_trials(options);

		if (conflict.what != NULL)
			return conflict;
	}
	const struct conflict in_health = find_in_health(options);
	if (in_health.what != NULL)
		return in_health;
	const struct row rows[] = {
		{ policy->timeout_share > 0 && policy->max_time == 0,
		    { OPTION_TIMEOUT,
			"is a share of --max-time, which is not given" } },
		{ options->origin[OPTION_MIN_TIMEOUT] == ORIGIN_USER &&
			!policy->pace_start && policy->timeout_share == 0,
		    { OPTION_MIN_TIMEOUT,
			"needs --pace=start or --timeout=P%" } },
		{ options->text[OPTION_REPEAT] != NULL && policy->repeats == 0,
		    { OPTION_REPEAT, "is too small" } },
		{ options_given(options, OPTION_SUCCESS_DELAY) &&
			!policy->repeat,
		    { OPTION_SUCCESS_DELAY, "needs --repeat" } },
		{ options_given(options, OPTION_CLIENTS) && !options->plan,
		    { OPTION_CLIENTS, "needs --plan" } },
		{ options_given(options, OPTION_CLIENTS) &&
			options->clients == 0,
		    { OPTION_CLIENTS, "is too small" } },
		{ options->clients > CLIENTS_MOST,
		    { OPTION_CLIENTS, "is more than 10000" } },
		{ options->plan && plain_logs(options) > 1,
		    { OPTION_LOG,
			"is a second log on a plan's standard output" } },
		{ options_given(options, OPTION_TOLERATE) &&
			options->state == NULL,
		    { OPTION_TOLERATE, "needs --state" } },
		{ options_given(options, OPTION_TOLERATE) &&
			policy->tolerate == 0,
		    { OPTION_TOLERATE, "is too small" } },

		{ options_given(options, OPTION_THROTTLE_ON) && !throttles,
		    { OPTION_THROTTLE_ON, "needs --throttle-delay" } },
		{ options_given(options, OPTION_THROTTLE_MATCH) && !throttles,
		    { OPTION_THROTTLE_MATCH, "needs --throttle-delay" } },
		{ throttles && !throttled,
		    { OPTION_THROTTLE_DELAY,
			"needs --throttle-on or --throttle-match" } },

		{ options_given(options, OPTION_BUDGET) && !throttled &&
			options->budget_rules.throttled !=
			    options->budget_rules.cost,
		    { OPTION_BUDGET,
			"has a cost after throttled attempts, which needs "
			"--throttle-on or --throttle-match" } },
	};

	const struct conflict found =
	    first_found(rows, sizeof(rows) / sizeof(rows[0]));
	return found.what != NULL ? found : find_in_delays(options);
}

/* Whether a pattern is written as other languages do: "/x/i". */
static bool
has_slashes(const char *pattern)
{
	const char *end = strrchr(pattern, '/');

	return *pattern == '/' && end != pattern && end[1] != '\0' &&
	    end[1 + strspn(end + 1, "gimsu")] == '\0';
}

const char *
conflicts_warning(const struct options *options)
{
	const struct backoff *backoff = &options->policy.backoff;
	const char *command = *options->command, *where;

	for (int match = 0; match <= MATCHES; match++) {
		const char *pattern = match == MATCHES
		    ? options->patterns.hint
		    : options->patterns.match[match];

		if (pattern != NULL && search_has_pipe(pattern))
			return "\\| in a pattern matches the character |; a "
			       "plain | separates alternatives, and [|] "
			       "matches the character without this warning";
		if (pattern != NULL && has_slashes(pattern))
			return "the slashes of /x/i are part of the pattern; "
			       "(?i)x ignores case";
	}
	if (backoff->base == 0 && backoff->min == 0 &&
	    backoff->strategy->keeps_level &&
	    backoff_nominal(backoff, &(struct level){ .begun = true }, 2, 0) ==
		0)
		return "the delay starts at 0 and stays 0";
	/* Some scripts, such as timeout, are commands too; none has a digit. */
	if (options->plan && options->plan_script == NULL && command != NULL &&
	    strpbrk(command, "0123456789") != NULL &&
	    script_check(command, &where) == NULL)
		return "the command looks like a script: use --plan=SCRIPT";
	return NULL;
}
