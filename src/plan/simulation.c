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
	/* Presets know the failures of an outage. */
	world.script.down.outcome = world.failure;
	if (policy->rules.classifies)
		world.script.down.outcome.class = CLASS_TRANSIENT;
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

/* The draw that says whether the attempt fails. */
static double
draw_failure(const struct simulation *simulation)
{
	return random_uniform(&simulation->random, 2 * simulation->attempt + 1,
	    DRAW_DELAY);
}

/* The item for the next attempt: the last item is repeated. */
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

/* An attempt begins: how will it end, and when? */
static void
begin_attempt(struct simulation *simulation, const struct record *record)
{
	const struct world *world = simulation->world;
	const struct script *script = &world->script;
	const double start = simulation->now;
	const bool down =
	    start >= script->down_from && start < script->down_until;

	simulation->attempt = record->attempt.number;
	const struct script_item *item =
	    down ? &script->down : next_item(simulation);

	simulation->outcome = world->success;
	if (item->chance == 1 || (item->chance > 0 && world->worst) ||
	    (item->chance > 0 && draw_failure(simulation) < item->chance))
		simulation->outcome = item->outcome.kind != OUTCOME_NONE
		    ? item->outcome
		    : world->failure;
	double end = start + item->duration;
	/* The service goes down while it is used. */
	if (start < script->down_from && end > script->down_from) {
		simulation->outcome = script->down.outcome;
		end = script->down_from;
	}
	simulation->ends = end;
	simulation->is_silent = simulation->outcome.kind == OUTCOME_TIMEOUT;
	simulation->returned = simulation->outcome;
}

/* --- what the run asks for --- */

/* Only an attempt that times out is silent, and never ends by itself. */
static struct event
next(void *context, double until)
{
	struct simulation *simulation = context;
	const bool silent = simulation->is_silent && until < INFINITY;
	struct event event = { .kind = EVENT_TIMER };

	simulation->steps++;
	if (!simulation->runs) {
		/* A wait is the last thing that a plan shows. */
		if (simulation->attempt >= simulation->most ||
		    script_ended(simulation) ||
		    simulation_is_endless(simulation))
			event.kind = EVENT_PLANNED;
		else
			simulation->now = fmax(simulation->now, until);
	} else if (!silent && simulation->ends < until) {
		simulation->runs = false;
		simulation->now = simulation->ends;
		event.kind = EVENT_EXITED;
	} else
		simulation->now = until;
	event.now = simulation->now;
	event.active = simulation->is_silent ? 0 : INFINITY;
	return event;
}

static double
now(void *context)
{
	const struct simulation *simulation = context;

	return simulation->now;
}

static void
tell(void *context, struct record *record)
{
	struct simulation *simulation = context;
	struct world *world = simulation->world;

	if (record->kind == RECORD_END)
		simulation->end = *record;
	if (world->count >= WORLD_RECORDS)
		abort();
	world->records[world->count++] = *record;
}

/* Only attempts take their time. */
static struct started
start(void *context, enum task task, struct record *record)
{
	struct simulation *simulation = context;

	simulation->runs = true;
	simulation->task = task;
	if (task == TASK_ATTEMPT)
		begin_attempt(simulation, record);
	else {
		simulation->ends = simulation->now;
		simulation->is_silent = false;
	}
	return (struct started){ .runs = true };
}

/* It has timed out, and ends at once. */
static void
end_process(void *context, int signal)
{
	struct simulation *simulation = context;

	simulation->is_silent = false;
	simulation->ends = simulation->now;
	simulation->outcome = (struct outcome){ .kind = OUTCOME_TIMEOUT };
	simulation->returned =
	    (struct outcome){ .kind = OUTCOME_SIGNAL, .code = signal };
}

static bool
yes(void *context)
{
	(void)context;
	return true;
}

static double
unread_since(void *context)
{
	(void)context;
	return INFINITY;
}

static void
nothing(void *context)
{
	(void)context;
}

static void
end_probe(void *context, bool waits)
{
	(void)context, (void)waits;
}

static void
end_attempt(void *context, struct ended *ended)
{
	const struct simulation *simulation = context;
	const struct rules *rules = &simulation->world->policy.rules;

	ended->returned = simulation->returned;
	ended->matched = set_has(&rules->success, simulation->outcome)
	    ? MATCH_BIT(MATCH_SUCCESS)
	    : MATCH_BIT(MATCH_RETRY);
}

/* A check agrees with the status; a gate and a hook have no objection. */
static enum answer
answer(void *context)
{
	const struct simulation *simulation = context;
	const struct outcome outcome = simulation->outcome;

	return simulation->task == TASK_CHECK &&
		(outcome.kind != OUTCOME_EXIT || outcome.code != 0)
	    ? ANSWER_AGAIN
	    : ANSWER_YES;
}

/* Nobody else has the state, and no earlier run has left one. */
static enum answer
lock(void *context, struct state *state)
{
	(void)context, (void)state;
	return ANSWER_YES;
}

static bool
save(void *context, const struct state *state)
{
	(void)context, (void)state;
	return true;
}

static enum answer
pay(void *context, bool throttled, int64_t *paid)
{
	struct simulation *simulation = context;
	struct world *world = simulation->world;
	const struct budget_rules *rules = world->budget;

	budget_refill(&world->bucket, rules,
	    (int64_t)fmin(simulation->now * 1e9, 9e18), world->bucket.boot);
	const bool allowed = budget_take(&world->bucket, rules, throttled);

	*paid = allowed ? budget_price(rules, throttled) : 0;
	return allowed ? ANSWER_YES : ANSWER_NO;
}

static void
give(void *context, int64_t paid)
{
	const struct simulation *simulation = context;
	struct world *world = simulation->world;

	budget_give(&world->bucket, world->budget, paid);
}

static bool
deliver(void *context, struct record *record)
{
	(void)context, (void)record;
	return true;
}

static void
begin_wait(void *context, bool hint_decides, double seconds)
{
	(void)context, (void)hint_decides, (void)seconds;
}

static const struct driver driver = {
	.next = next,
	.now = now,
	.tell = tell,
	.start = start,
	.signal = end_process,
	.is_gone = yes,
	.abandon = nothing,
	.collect = yes,
	.end_attempt = end_attempt,
	.answer = answer,
	.end_probe = end_probe,
	.lock = lock,
	.save = save,
	.read_input = yes,
	.pay = pay,
	.give = give,
	.deliver = deliver,
	.unread_since = unread_since,
	.begin_wait = begin_wait,
};

void
simulation_open(struct simulation *simulation, struct world *world,
    struct random random)
{
	*simulation = (struct simulation){
		.world = world,
		.run = run_open(&world->policy, random, &driver, simulation),
		.random.seed = random_seed(&random, 1),
		.most = UINT64_MAX,
	};
	if (simulation->run == NULL)
		err(STATUS_OWN_FAILURE, NULL);
}

void
simulation_close(struct simulation *simulation)
{
	run_close(simulation->run);
}

void
simulation_step(struct simulation *simulation)
{
	simulation->world->count = 0;
	simulation->steps++;
	simulation->over = !run_step(simulation->run);
}
