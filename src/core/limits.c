/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "limits.h"
#include "text.h"

/* Sums are inexact: exactly at the window's edge counts as outside. */
#define TINY 1e-9

/*
 * Reads the number of attempts, "10", or a limit: "timeout:2", "5/10m".  The
 * text is a copy of what begins at `start`.
 */
static const char *
read_item(struct limits *limits, bool *numbered, const char *start, char *text)
{
	char *colon = strchr(text, ':');
	struct limit limit = {
		.window = INFINITY,
		.named = colon != NULL,
		.text = start,
		.length = (int)strlen(text),
	};
	const char *problem = NULL;

	if (colon != NULL) {
		*colon = '\0';
		problem = set_item(&limit.set, text);
		text = colon + 1;
	}
	char *slash = strchr(text, '/');
	if (slash != NULL)
		*slash = '\0';
	if (problem == NULL)
		problem = text_count(text, &limit.count);
	if (problem != NULL)
		return problem;
	if (slash == NULL && colon == NULL) {
		if (*numbered)
			return "the number of attempts is given twice";
		*numbered = true;
		limits->attempts = limit.count;
		return NULL;
	}
	if (limit.count == 0)
		return "the number must be more than 0";
	if (slash != NULL) {
		problem = duration_parse(slash + 1, &limit.window);
		if (problem == NULL && limit.window == 0)
			problem = "the time after / must be more than 0";
		if (problem == NULL && limit.count > LIMITS_WINDOW_MOST)
			problem = "the number before / must be at most 100";
		if (problem != NULL)
			return problem;
	}
	if (limits->count == LIMITS_MOST)
		return "too many limits";
	limits->rows[limits->count++] = limit;
	return NULL;
}

const char *
limits_parse(struct limits *limits, const char *list, const char **where)
{
	struct limits result = { 0 };
	bool numbered = false;

	while (list != NULL) {
		const char *start = list;
		char text[TEXT_ITEM];

		*where = list;
		const char *problem = text_item(&list, text);
		if (problem == NULL)
			problem = read_item(&result, &numbered, start, text);
		if (problem != NULL)
			return problem;
	}
	*limits = result;
	return NULL;
}

const struct limit *
limits_failure(const struct limits *limits, struct tally *tally,
    struct outcome outcome, bool free, double time)
{
	const struct limit *reached = NULL;

	for (size_t i = 0; i < limits->count; i++) {
		const struct limit *limit = &limits->rows[i];
		const uint64_t most = limit->count;
		double *times = tally->times[i];
		bool full;

		if (limit->named ? !set_has(&limit->set, outcome) : free)
			continue;
		if (limit->window == INFINITY) {
			full = ++tally->counts[i] >= most;
		} else {
			times[tally->totals[i]++ % most] = time;
			/* The next time to be replaced is the oldest. */
			full = tally->totals[i] >= most &&
			    time - times[tally->totals[i] % most] <
				limit->window - TINY;
		}
		if (full && reached == NULL)
			reached = limit;
	}
	return reached;
}
