/* SPDX-License-Identifier: MIT */

#include <stdlib.h>

#include "options/options.h"

struct plan_options
options_plan(const struct options *options)
{
	return (struct plan_options){
		.policy = options->policy,
		.random = options->random,
		.budget_rules = options->budget_rules,
		.backoff = options->text[OPTION_BACKOFF],
		.jitter = options->text[OPTION_JITTER],
		.script = options->text[OPTION_PLAN],
	};
}

bool
options_collects(const struct options *options)
{
	return options->output != OUTPUT_STREAM ||
	    search_is_needed(&options->patterns) ||
	    options->policy.idle_timeout > 0;
}

void
options_free(struct options *options)
{
	free(options->logs);
	free(options->budget);
	free(options->style.state);
	free(options->policy.backoff.values);
	for (size_t i = 0; i < options->preset_count; i++) {
		free((char *)options->presets[i].name);
		free((char *)options->presets[i].text);
	}
	free(options->presets);
	free(options->policy.rules.presets);
	free(options->patterns.clues);
}
