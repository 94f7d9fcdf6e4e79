/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <math.h>
#include <stdlib.h>

#include "plan/simulation.h"

/* A plan without an end stops after the last item came this many times. */
#define ENDLESS 100

/*
 * An outcome that is retried, if there is one, or else any failure; exit
 * status 1, if it is one of these.
 */
static struct outcome
find_failure(const struct rules *rules)
{
	struct set any = { 0 };
	struct outcome outcome;

	set_parse(&any, "any", NULL);
	set_remove(&any, &rules->success);
	struct set set = rules->retry_listed ? rules->retry : any;
	set_remove(&set, &rules->success);
	set_remove(&set, &rules->stop);
	outcome = script_example(&set);
	if (outcome.kind == OUTCOME_NONE)
		outcome = script_example(&any);
	return outcome.kind != OUTCOME_NONE
	    ? outcome
	    : (struct outcome){ .kind = OUTCOME_EXIT, .code = 1 };
}

/* Status 0, unless it is not a success and something else is. */
static struct outcome
find_success(const struct rules *rules)
{
	const struct outcome zero = { .kind = OUTCOME_EXIT };
	const struct outcome other = script_example(&rules->success);

	return rules->check || set_has(&rules->success, zero) ||
		other.kind == OUTCOME_NONE
	    ? zero
	    : other;
}

struct world
world_of(const struct plan_options *options)
{
	const struct policy *policy = &options->policy;
	struct world world = {
		.policy = *policy,
		.failure = find_failure(&policy->rules),
		.success = find_success(&policy->rules),
		.budget = policy->budget ? &options->budget_rules : NULL,
		.bucket = budget_full(&options->budget_rules),
	};

	const char *where;

	/* The script says what becomes of attempts. */
	world.policy.health.used = false;
	if (script_parse(options->script, &world.script, &where) != NULL)
		err(STATUS_OWN_FAILURE, NULL);
	return world;
}

bool
world_is_random(const struct world *world)
{
	return policy_draws(&world->policy) || script_is_random(&world->script);
}

void
world_free(struct world *world)
{
	script_free(&world->script);
}

/* Hears what the engine tells. */
static void
hear(void *context, struct record *record)
{
	struct simulation *simulation = context;
	struct world *world = simulation->world;
	const double back = world->script.down_until;
	const bool success = record->kind == RECORD_OUTCOME &&
	    record->judgement.verdict == VERDICT_SUCCESS;

	if (success && world->policy.budget)
		budget_give(&world->bucket, world->budget, record->paid);
	if (success && isnan(simulation->noticed) && simulation->early &&
	    simulation->now >= back)
		simulation->noticed = simulation->now - back;
	if (record->kind == RECORD_END)
		simulation->end = *record;
	if (world->count >= WORLD_RECORDS)
		abort();
	world->records[world->count++] = *record;
}

void
simulation_open(struct simulation *simulation, struct world *world,
    struct random random)
{
	*simulation = (struct simulation){
		.world = world,
		.engine = engine_open(&world->policy, random, hear, simulation),
		.random.seed = random_seed(&random, 1),
		.event.kind = EVENT_START,
		.share = 1,
		.noticed = NAN,
	};
	if (simulation->engine == NULL)
		err(STATUS_OWN_FAILURE, NULL);
}

void
simulation_close(struct simulation *simulation)
{
	engine_close(simulation->engine);
}

/* The draw that says whether the attempt fails. */
static double
draw_failure(const struct simulation *simulation)
{
	return random_uniform(&simulation->random, 2 * simulation->attempt + 1,
	    DRAW_DELAY);
}

/* The item for the next attempt: the last one, if none follows. */
static const struct script_item *
next_item(struct simulation *simulation)
{
	const struct script *script = &simulation->world->script;

	if (simulation->left == 0 && simulation->item < script->count) {
		const struct script_item *item =
		    &script->items[simulation->item++];

		simulation->left = item->count;
		if (item->count == 0 && simulation->item < script->count)
			simulation->left = 1;
	}
	if (simulation->left > 0)
		simulation->left--;
	else
		simulation->repeated++;
	return &script->items[simulation->item - 1];
}

static bool
script_ended(const struct simulation *simulation)
{
	const struct script *script = &simulation->world->script;

	return simulation->item == script->count && simulation->left == 0 &&
	    script->items[script->count - 1].count > 0;
}

bool
simulation_is_endless(const struct simulation *simulation)
{
	const struct world *world = simulation->world;
	const struct script *script = &world->script;
	const struct policy *policy = &world->policy;
	const double chance = script->items[script->count - 1].chance;
	const bool random = chance > 0 && chance < 1 && !world->worst;
	const bool only_repeats = policy->repeat && policy->repeats == 0 &&
	    policy->limits.attempts == 0 && policy->limits.count == 0;

	/* A row of successes or failures comes some day. */
	if (random && !only_repeats)
		return false;
	/* A table need not show how --max-time is reached. */
	if (!world->worst && policy->max_time > 0 && simulation->now > 0)
		return false;
	if (script->down_until < INFINITY &&
	    simulation->now < script->down_until)
		return false;
	return simulation->repeated >= ENDLESS &&
	    simulation->repeated >= policy->limits.attempts;
}

/*
 * The attempt ends by itself at this time, or before at its deadline.  Only
 * an attempt that times out is silent.
 */
static void
end_attempt(struct simulation *simulation, double end)
{
	const struct policy *policy = &simulation->world->policy;
	const bool silent = simulation->outcome.kind == OUTCOME_TIMEOUT;
	const double deadline =
	    silent ? simulation->silence : simulation->deadline;
	const bool limited = deadline < INFINITY;

	if (silent && limited)
		end = fmax(end, deadline);
	simulation->returned = simulation->outcome;
	if (end >= deadline) {
		struct action action;

		end = deadline;
		simulation->outcome =
		    (struct outcome){ .kind = OUTCOME_TIMEOUT };
		simulation->returned = (struct outcome){ .kind = OUTCOME_SIGNAL,
			.code = policy->signal };
		/* The engine's own deadline may be a rounding error later. */
		while (action = engine_step(simulation->engine,
			   (struct event){ .kind = EVENT_TIMER,
			       .now = end,
			       .active = silent ? 0 : end }),
		    action.kind == ACTION_NONE)
			end = action.wake;
	}
	simulation->event = (struct event){ .kind = EVENT_EXITED, .now = end };
}

/* An attempt begins: how will it end? */
static void
begin_attempt_of(struct simulation *simulation, double timeout, double wake)
{
	const struct world *world = simulation->world;
	const struct script *script = &world->script;
	const double start = simulation->now;
	const bool down =
	    start >= script->down_from && start < script->down_until;
	const struct script_item *item =
	    down ? &script->down : next_item(simulation);

	simulation->deadline = start + timeout;
	simulation->silence = wake;
	simulation->down += down;
	simulation->early |= start < script->down_until;
	simulation->outcome = world->success;
	if (item->chance == 1 || (item->chance > 0 && world->worst) ||
	    (item->chance > 0 && draw_failure(simulation) < item->chance))
		simulation->outcome = item->outcome.kind != OUTCOME_NONE
		    ? item->outcome
		    : world->failure;
	double end = start + item->duration;
	const bool breaks =
	    start < script->down_from && end > script->down_from;
	simulation->expected += simulation->share;
	if (!breaks && end < simulation->deadline)
		simulation->share *= item->chance;
	/* The service goes down while it is used. */
	if (breaks) {
		simulation->outcome = world->failure;
		end = script->down_from;
	}
	end_attempt(simulation, end);
}

/* Does the budget allow a retry? */
static void
pay_from_bucket(struct simulation *simulation, struct event *event)
{
	struct world *world = simulation->world;
	const struct budget_rules *rules = world->budget;
	const double now = simulation->now;

	const bool throttled =
	    engine_record(simulation->engine, now).judgement.throttled;
	budget_refill(&world->bucket, rules, (int64_t)fmin(now * 1e9, 9e18),
	    world->bucket.boot);
	if (budget_take(&world->bucket, rules, throttled))
		event->paid = budget_price(rules, throttled);
	else
		event->answer = ANSWER_NO;
}

/* Finds the event that the action leads to. */
static void
follow_action(struct simulation *simulation, const struct action *action)
{
	struct world *world = simulation->world;
	const struct outcome outcome = simulation->outcome;
	struct event event = { .now = simulation->now };

	switch (action->kind) {
	case ACTION_RUN:
		return;
	case ACTION_ASK:
		/* A check agrees with the status; only a budget says no. */
		event.kind = EVENT_ANSWER;
		event.answer = ANSWER_YES;
		if (action->question == ASK_BUDGET)
			pay_from_bucket(simulation, &event);
		if (action->question == ASK_CHECK &&
		    (outcome.kind != OUTCOME_EXIT || outcome.code != 0))
			event.answer = ANSWER_AGAIN;
		break;
	case ACTION_LOOK:
	case ACTION_ABANDON:
		event.kind = EVENT_GONE;
		break;
	case ACTION_COLLECT:
		event.kind = EVENT_ENDED;
		event.hint = -1;
		event.evidence.outcome = simulation->returned;
		event.evidence.matched =
		    set_has(&world->policy.rules.success, outcome)
		    ? MATCH_BIT(MATCH_SUCCESS)
		    : MATCH_BIT(MATCH_RETRY);
		break;
	case ACTION_DELIVER:
		event.kind = EVENT_DELIVERED;
		break;
	case ACTION_WAIT:
		/* A wait is the last thing that a plan shows. */
		event.kind = EVENT_PLANNED;
		if (!script_ended(simulation) &&
		    !simulation_is_endless(simulation)) {
			event.kind = EVENT_TIMER;
			event.now = action->wake;
		}
		break;
	case ACTION_PROBE:
	case ACTION_END_PROBE:
	case ACTION_NONE:
	case ACTION_KILL:
	case ACTION_FINISH:
		return;
	}
	simulation->event = event;
}

void
simulation_step(struct simulation *simulation)
{
	simulation->now = simulation->event.now;
	simulation->world->count = 0;
	const struct action action =
	    engine_step(simulation->engine, simulation->event);
	/* No process is started: attempts are told as they begin. */
	if (action.kind == ACTION_RUN) {
		struct record record =
		    engine_record(simulation->engine, simulation->now);

		record.kind = RECORD_ATTEMPT;
		hear(simulation, &record);
		simulation->attempt = record.attempt;
		begin_attempt_of(simulation, record.timeout, action.wake);
	}
	simulation->over = action.kind == ACTION_FINISH;
	follow_action(simulation, &action);
}
