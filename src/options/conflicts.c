/* SPDX-License-Identifier: MIT */

#include <string.h>

#include "options/options.h"
#include "plan/script.h"
#include "core/text.h"

#define ZERO \
	"names 0: 0 is a success and is never retried; did you mean " \
	"--success-on='!0'?"

/* What the rows say of one option, which is given, and the others. */
static struct conflict
find_in_row(const struct options *options, enum option_id id)
{
	const struct option_row *row = &option_rows[id];
	const enum option_id needed = row->needs[0], or = row->needs[1];
	struct conflict conflict = { .id = id };

	if (row->not_with != 0 && options_given(options, row->not_with))
		snprintf(conflict.what, sizeof(conflict.what),
		    "cannot be combined with --%s",
		    option_rows[row->not_with].name);
	else if (needed != 0 && !options_given(options, needed) &&
	    (or == 0 || !options_given(options, or)))
		snprintf(conflict.what, sizeof(conflict.what), "needs --%s%s%s",
		    option_rows[needed].name, or == 0 ? "" : " or --",
		    or == 0 ? "" : option_rows[or].name);
	return conflict;
}

/*
 * Whether the user's list names 0 although no option can make exit status 0 a
 * failure: such a list would never apply.
 */
static bool
lists_success(const struct options *options, enum option_id id)
{
	const char *list = options->text[id];
	char item[TEXT_ITEM];

	if (options->origin[id] != ORIGIN_USER)
		return false;
	for (int other = 0; other < OPTIONS; other++)
		if (option_rows[other].fails_zero &&
		    options_given(options, (enum option_id)other))
			return false;
	while (list != NULL && text_item(&list, item) == NULL)
		if (strcmp(item, "0") == 0)
			return true;
	return false;
}

/* What depends on values, which the rows of the options do not know. */
static struct conflict
find_in_values(const struct options *options)
{
	const struct policy *policy = &options->policy;
	const struct backoff *backoff = &policy->backoff;
	const struct strategy *strategy = backoff->strategy;
	const double room = jitter_room(&policy->jitter, backoff);
	const double most = backoff_most(backoff);
	const bool throttled = options_given(options, OPTION_THROTTLE_ON) ||
	    options_given(options, OPTION_THROTTLE_MATCH);
	size_t plain_logs = 0; /* that have no file of their own */

	for (size_t i = 0; i < options->log_count; i++)
		plain_logs += options->logs[i].file == NULL;
	const struct {
		bool found;
		struct conflict conflict;
	} rows[] = {
		{ lists_success(options, OPTION_RETRY_ON),
		    { OPTION_RETRY_ON, ZERO } },
		{ lists_success(options, OPTION_STOP_ON),
		    { OPTION_STOP_ON, ZERO } },
		{ policy->timeout_share > 0 && policy->max_time == 0,
		    { OPTION_TIMEOUT,
			"is a share of --max-time, which is not given" } },
		{ options->origin[OPTION_MIN_TIMEOUT] == ORIGIN_USER &&
			policy->pace == PACE_END && policy->timeout_share == 0,
		    { OPTION_MIN_TIMEOUT,
			"needs --pace=start or --timeout=P%" } },
		{ options->search != 0 && !search_is_needed(&options->patterns),
		    { OPTION_SEARCH,
			"needs a pattern, or a preset with one" } },
		{ options->plan && plain_logs > 1,
		    { OPTION_LOG,
			"is a second log on a plan's standard output" } },
		{ options_given(options, OPTION_BUDGET) && !throttled &&
			policy->budget_rules.throttled !=
			    policy->budget_rules.cost,
		    { OPTION_BUDGET,
			"has a cost after throttled attempts, which needs "
			"--throttle-on or --throttle-match" } },

		/* Delays and jitter have room below a cap that is given. */
		{ strategy->listed &&
			options->origin[OPTION_DELAY] == ORIGIN_USER,
		    { OPTION_DELAY,
			"cannot be combined with a list of delays" } },
		{ strategy->needs_ends &&
			(backoff->base == 0 ||
			    (options_given(options, OPTION_MAX_DELAY) &&
				backoff->most == 0)),
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
	return (struct conflict){ .what = "" };
}

struct conflict
conflicts_find(const struct options *options)
{
	for (int id = 0; id < OPTIONS; id++) {
		if (!options_given(options, id))
			continue;
		const struct conflict found = find_in_row(options, id);
		if (*found.what != '\0')
			return found;
	}
	return find_in_values(options);
}

/* Whether the command is given a word that `retry` alone is likely to know. */
static bool
has_our_option(const char *const *command)
{
	static const enum option_id ours[] = { OPTION_PLAN, OPTION_ATTEMPTS,
		OPTION_BACKOFF, OPTION_RETRY_ON, OPTION_STOP_ON,
		OPTION_SUCCESS_ON, OPTION_BEFORE_RETRY, OPTION_ON_GIVE_UP };

	for (; *command != NULL && strcmp(*command, "--") != 0; command++) {
		const char *slash = strrchr(*command, '/');

		/* retry sudo retry --plan */
		if (strcmp(slash == NULL ? *command : slash + 1, PROGRAM) == 0)
			return false;
		const size_t length = strcspn(*command, "=");
		for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
			if (strncmp(*command, "--", 2) == 0 &&
			    option_find(*command + 2, length - 2) == ours[i])
				return true;
	}
	return false;
}

/* Whether curl has an option, as a letter or by how its name begins. */
static bool
curl_has(const char *const *word, char letter, const char *name)
{
	while (*++word != NULL)
		if (strncmp(*word, name, strlen(name)) == 0 ||
		    (letter != 0 && **word == '-' && (*word)[1] != '-' &&
			strchr(*word, letter) != NULL))
			return true;
	return false;
}

/* What keeps a preset from knowing how curl failed, or makes it retry, too. */
static const char *
warn_of_curl(const struct options *options)
{
	const char *const *words = options->command;

	if (*words == NULL || strcmp(options->style.name, "curl") != 0)
		return NULL;
	if (curl_has(words, '\0', "--retry"))
		return "curl --retry retries, too: the attempts multiply";
	if (!options->policy.rules.classifies)
		return NULL;
	if (!curl_has(words, 'f', "--fail"))
		return "curl exits 0 at an HTTP error: give it -f";
	if (curl_has(words, 's', "--silent") &&
	    !curl_has(words, 'S', "--show-error"))
		return "give curl -S: without it, nobody sees the HTTP status";
	return NULL;
}

const char *
conflicts_warning(const struct options *options)
{
	const char *const *words = options->command;
	const char *command = *words, *where;

	if (has_our_option(words))
		return "the command gets an option of retry's: put it before "
		       "the command";
	for (const char *const *word = words;
	     *word != NULL && strstr(*word, "parallel") == NULL; word++)
		if (word > words && strncmp(*word, ":::", 3) == 0)
			return "use parallel " PROGRAM " COMMAND ::: ...";
	/* Before the command there is at least argv[0]. */
	if (command != NULL && words[1] != NULL &&
	    strcmp(words[-1], "-p") == 0 && strcmp(command, words[1]) == 0)
		return "-p is --preserve-status; did you mean --preset=NAME?";

	for (int id = 0; id < OPTIONS; id++)
		if (options->text[id] != NULL &&
		    option_rows[id].type == TYPE_ERE &&
		    search_has_pipe(options->text[id]))
			return "\\| in a pattern matches the character |; a "
			       "plain | separates alternatives, and [|] "
			       "matches the character without this warning";
	/* A word such as timeout may be a command, too; a digit says no. */
	if (options->plan && options->text[OPTION_PLAN] == NULL &&
	    command != NULL && strpbrk(command, "0123456789") != NULL &&
	    script_check(command, &where) == NULL)
		return "the command looks like a script: use --plan=SCRIPT";
	return warn_of_curl(options);
}
