/* SPDX-License-Identifier: MIT */

/* Plans from lines of options, for tests. */

#ifndef PLANS_H
#define PLANS_H

#include "options/argv.h"
#include "options/options.h"
#include "plan/simulation.h"
#include "tap.h"

#define PLANS_WORDS 64

struct planned {
	char text[1024], *words[PLANS_WORDS];
	struct options options;
	bool valid;
};

/* Reads "--plan=0 -a 3"; a line may be one that `retry` refuses. */
static inline void
planned_open(struct planned *planned, const char *line)
{
	char problem[ARGV_PROBLEM];
	int count = 0;

	*planned = (struct planned){ .valid = false };
	char *rest = planned->text;
	snprintf(planned->text, sizeof planned->text, "retry %s", line);
	for (char *word; (word = strsep(&rest, " ")) != NULL;)
		if (*word != '\0' && count < PLANS_WORDS - 1)
			planned->words[count++] = word;
	planned->words[count] = NULL;
	planned->valid =
	    argv_parse(count, planned->words, &planned->options, problem) == 0;
}

static inline struct world
planned_world(const struct planned *planned)
{
	return world_of(&planned->options.policy, planned->options.style.seed,
	    planned->options.text[OPTION_PLAN]);
}

static inline void
planned_close(struct planned *planned)
{
	options_free(&planned->options);
}

#endif
