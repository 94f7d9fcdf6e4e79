/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "limits.h"
#include "text.h"

/*
 * Seconds. A failure that in a plan is as old as the window is older in the
 * run, which takes time for itself, but sums of delays are seldom exact.
 */
#define TINY 1e-9

/* Reads the number of attempts, "10", or a limit: "timeout:2", "5/10m". */
static enum problem
read_item(struct limits *limits, char *text)
{
	char *colon = strchr(text, ':');
	struct limit limit = { .window = INFINITY, .named = colon != NULL };
	enum problem problem = PROBLEM_NONE;

	if (colon != NULL) {
		*colon = '\0';
		problem = set_item(&limit.set, text);
		text = colon + 1;
	}
	char *slash = strchr(text, '/');
	if (slash != NULL)
		*slash = '\0';
	if (problem == PROBLEM_NONE)
		problem = text_count(text, &limit.count);
	if (problem != PROBLEM_NONE)
		return problem;
	if (slash == NULL && colon == NULL) {
		limits->attempts = limit.count;
		return PROBLEM_NONE;
	}
	if (limit.count == 0)
		return PROBLEM_COUNT_0;
	if (slash != NULL) {
		problem = duration_parse(slash + 1, &limit.window);
		if (problem == PROBLEM_NONE && limit.window == 0)
			problem = PROBLEM_WINDOW_0;
		if (problem == PROBLEM_NONE && limit.count > LIMITS_WINDOW_MOST)
			problem = PROBLEM_WINDOW_COUNT;
		if (problem != PROBLEM_NONE)
			return problem;
	}
	if (limits->count == LIMITS_MOST)
		return PROBLEM_TOO_MANY_LIMITS;
	limits->rows[limits->count++] = limit;
	return PROBLEM_NONE;
}

enum problem
limits_parse(struct limits *limits, const char *list, const char **where)
{
	struct limits result = { 0 };
	bool numbered = false;

	while (list != NULL) {
		const size_t before = result.count;
		const char *start = list;
		char text[TEXT_ITEM];

		*where = list;
		enum problem problem = text_item(&list, text);
		if (problem != PROBLEM_NONE)
			return problem;
		const int length = (int)strlen(text);
		problem = read_item(&result, text);
		if (problem != PROBLEM_NONE)
			return problem;
		if (result.count > before) {
			result.rows[before].text = start;
			result.rows[before].length = length;
		} else if (numbered) {
			return PROBLEM_ATTEMPTS_TWICE;
		} else {
			numbered = true;
		}
	}
	*limits = result;
	return PROBLEM_NONE;
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
