/* SPDX-License-Identifier: MIT */

#include <math.h>

#include "health.h"

/* A killed probe has at least this many seconds to disappear. */
#define PROBE_GRACE 1.0

struct health
health_begin(const struct health_rules *rules, double now)
{
	return (struct health){
		.phase = rules->used ? HEALTH_WAITING : HEALTH_OFF,
		.due = now + rules->interval,
		.begun = now,
	};
}

double
health_wake(const struct health *health)
{
	return health->phase == HEALTH_OFF ? INFINITY : health->due;
}

static void
count(struct health *health, const struct health_rules *rules,
    struct outcome outcome, double now)
{
	const struct outcome before = health->last;

	health->last = outcome;
	if (outcome.kind == OUTCOME_EXIT && outcome.code == 0) {
		health->was_healthy = true;
		health->failures = 0;
		return;
	}
	if (!health->was_healthy && now < health->begun + rules->start_period)
		return;
	if (health->failures == 0)
		health->differ = false;
	else if (before.kind != outcome.kind || before.code != outcome.code)
		health->differ = true;
	health->failures++;
}

enum health_step
health_tick(struct health *health, const struct health_rules *rules, double now)
{
	if (now < health_wake(health))
		return PROBE_WAIT;
	if (health->phase == HEALTH_WAITING) {
		health->phase = HEALTH_PROBING;
		health->due = now + rules->timeout;
		return PROBE_START;
	}
	count(health, rules, (struct outcome){ .kind = OUTCOME_TIMEOUT }, now);
	health->phase = HEALTH_ENDING;
	health->due = now + fmax(rules->interval, PROBE_GRACE);
	return PROBE_END;
}

void
health_probed(struct health *health, const struct health_rules *rules,
    struct outcome outcome, double now)
{
	if (outcome.kind == OUTCOME_UNHEALTHY)
		health->last = outcome;
	if (health->phase == HEALTH_OFF)
		return;
	if (health->phase == HEALTH_PROBING && outcome_ran(outcome))
		count(health, rules, outcome, now);
	health->phase = HEALTH_WAITING;
	health->due = now + rules->interval;
}

void
health_stop(struct health *health)
{
	health->phase = HEALTH_OFF;
}

enum health_status
health_status(const struct health *health, const struct health_rules *rules)
{
	if (health->last.kind == OUTCOME_UNHEALTHY ||
	    (rules->used && health->failures >= rules->retries))
		return HEALTH_UNHEALTHY;
	if (health->failures > 0)
		return HEALTH_FAILING;
	return health->was_healthy ? HEALTH_HEALTHY : HEALTH_STARTING;
}

const char *const health_names[] = {
	[HEALTH_STARTING] = "starting",
	[HEALTH_HEALTHY] = "healthy",
	[HEALTH_FAILING] = "failing",
	[HEALTH_UNHEALTHY] = "unhealthy",
};
