/* SPDX-License-Identifier: MIT */

#include <stdlib.h>

#include "options/options.h"

struct report_style
options_style(const struct options *options)
{
	const struct output_row *output = &output_rows[options->output];
	static const char *const whose[] = { [ORIGIN_DEFAULT] = "default",
		[ORIGIN_PRESET] = "the preset" };

	return (struct report_style){
		.name = options->name,
		.name_given = options_given(options, OPTION_NAME),
		.command = options->command,
		.policy = &options->policy,
		.hint_limit_by =
		    options->origin[OPTION_MAX_DELAY] == ORIGIN_USER
		    ? NULL
		    : whose[options->origin[OPTION_MAX_DELAY]],
		.seed = options->random.seed,
		.draws = options->draws,
		.state = options->state,
		.holds_stderr = output->holds_stderr,
		.forgets = output->forgets,
		.quiet = options->quiet,
		.verbose = options->verbose,
		.color = options->color,
	};
}

struct plan_options
options_plan(const struct options *options)
{
	return (struct plan_options){
		.policy = options->policy,
		.random = options->random,
		.budget_rules = options->budget_rules,
		.backoff = options->text[OPTION_BACKOFF],
		.jitter = options->text[OPTION_JITTER],
		.script = options->plan_script,
		.clients = options->clients,
	};
}

bool
options_searches(const struct options *options)
{
	return search_matches(&options->patterns) != 0 ||
	    options->patterns.hint != NULL;
}

bool
options_collects(const struct options *options)
{
	return options->output != OUTPUT_STREAM || options_searches(options) ||
	    options->policy.idle_timeout > 0;
}

void
options_free(struct options *options)
{
	free(options->logs);
	free(options->budget);
	free(options->state);
	free(options->policy.backoff.values);
}
