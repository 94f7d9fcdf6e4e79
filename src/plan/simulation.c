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
world_of(const struct policy *policy, uint64_t seed, const char *script)
{
	struct world world = {
		.policy = *policy,
		.random.seed = seed,
		.failure = find_failure(&policy->rules),
		.success = find_success(&policy->rules),
		.bucket = budget_full(&policy->budget_rules),
	};
	const char *where;

	/*
	 * The script says what becomes of attempts.  They have no input and no
	 * output, and no earlier run has left a state.
	 */
	world.policy.health.used = false;
	world.policy.input = world.policy.remember = false;
	world.policy.delivery = DELIVERY_NONE;
	if (script_parse(script, &world.script, &where) != NULL)
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

/* The item for the next attempt: the last item is repeated. */
static const struct script_item *
next_item(struct host *host)
{
	const struct script *script = &host->world->script;

	if (host->left == 0 && host->reached < script->count) {
		const struct script_item *item =
		    &script->items[host->reached++];

		host->left = item->count;
		if (item->count == 0 && host->reached < script->count)
			host->left = 1;
	}
	if (host->left > 0)
		host->left--;
	else
		host->repeated++;
	return &script->items[host->reached - 1];
}

bool
simulation_is_endless(const struct host *host)
{
	const struct world *world = host->world;
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
	if (!world->worst && policy->max_time > 0 && host->now > 0)
		return false;
	if (script->down_until < INFINITY && host->now < script->down_until)
		return false;
	return host->repeated >= ENDLESS &&
	    host->repeated >= policy->limits.attempts;
}

/* An attempt begins: how will it end, and when? */
static void
begin_attempt(struct host *host, const struct record *record)
{
	const struct world *world = host->world;
	const struct script *script = &world->script;
	const double start = host->now;
	const bool down =
	    start >= script->down_from && start < script->down_until;

	host->attempt = record->attempt.number;
	const struct script_item *item = down ? &script->down : next_item(host);

	const double draw =
	    random_uniform(&host->random, 2 * host->attempt + 1, DRAW_DELAY);
	host->outcome = world->success;
	if (item->chance > 0 && (world->worst || draw < item->chance))
		host->outcome = item->outcome.kind != OUTCOME_NONE
		    ? item->outcome
		    : world->failure;
	double end = start + item->duration;
	/* The service goes down while it is used. */
	if (start < script->down_from && end > script->down_from) {
		host->outcome = script->down.outcome;
		end = script->down_from;
	}
	host->ends = end;
	host->is_silent = host->outcome.kind == OUTCOME_TIMEOUT;
	host->returned = host->outcome;
}

/* --- what the run asks for --- */

/* Only an attempt that times out is silent, and never ends by itself. */
static struct event
next(struct host *host, double until)
{
	const bool silent = host->is_silent && until < INFINITY;
	struct event event = { .kind = EVENT_TIMER };

	host->steps++;
	if (!host->runs) {
		const struct script *script = &host->world->script;
		const bool script_ended = host->reached == script->count &&
		    host->left == 0 &&
		    script->items[script->count - 1].count > 0;

		/* A wait is the last thing that a plan shows. */
		if (host->attempt >= host->most || script_ended ||
		    simulation_is_endless(host))
			event.kind = EVENT_PLANNED;
		else
			host->now = fmax(host->now, until);
	} else if (!silent && host->ends < until) {
		host->runs = false;
		host->now = host->ends;
		event.kind = EVENT_EXITED;
	} else
		host->now = until;
	event.now = host->now;
	event.active = host->is_silent ? 0 : INFINITY;
	return event;
}

static double
now(struct host *host)
{
	return host->now;
}

static void
tell(struct host *host, struct record *record)
{
	struct world *world = host->world;

	if (record->kind == RECORD_END)
		host->end = *record;
	if (world->count >= WORLD_RECORDS)
		abort();
	world->records[world->count++] = *record;
}

/* Only attempts take their time. */
static struct started
start(struct host *host, enum task task, struct record *record)
{
	host->runs = true;
	host->task = task;
	if (task == TASK_ATTEMPT)
		begin_attempt(host, record);
	else {
		host->ends = host->now;
		host->is_silent = false;
	}
	return (struct started){ .runs = true };
}

/* It has timed out, and ends at once. */
static void
end_process(struct host *host, int signal)
{
	host->is_silent = false;
	host->ends = host->now;
	host->outcome = (struct outcome){ .kind = OUTCOME_TIMEOUT };
	host->returned =
	    (struct outcome){ .kind = OUTCOME_SIGNAL, .code = signal };
}

static bool
yes(struct host *host)
{
	(void)host;
	return true;
}

static void
nothing(struct host *host)
{
	(void)host;
}

static void
note_attempt(struct host *host, struct ended *ended)
{
	const struct rules *rules = &host->world->policy.rules;

	ended->returned = host->returned;
	ended->matched = set_has(&rules->success, host->outcome)
	    ? MATCH_BIT(MATCH_SUCCESS)
	    : MATCH_BIT(MATCH_RETRY);
}

/* A check agrees with the status; a gate and a hook have no objection. */
static enum answer
answer(struct host *host)
{
	const struct outcome outcome = host->outcome;

	return host->task == TASK_CHECK &&
		(outcome.kind != OUTCOME_EXIT || outcome.code != 0)
	    ? ANSWER_AGAIN
	    : ANSWER_YES;
}

static enum answer
pay(struct host *host, bool throttled, int64_t *paid)
{
	struct world *world = host->world;
	const struct budget_rules *rules = &world->policy.budget_rules;

	budget_refill(&world->bucket, rules,
	    (int64_t)fmin(host->now * 1e9, 9e18), world->bucket.boot);
	return budget_take(&world->bucket, rules, throttled, paid) ? ANSWER_YES
								   : ANSWER_NO;
}

static void
give(struct host *host, int64_t paid)
{
	struct world *world = host->world;

	budget_give(&world->bucket, &world->policy.budget_rules, paid);
}

static void
begin_wait(struct host *host, bool hint_decides, double seconds)
{
	(void)host, (void)hint_decides, (void)seconds;
}

/* The policy of a world asks for nothing else. */
static const struct driver driver = {
	.next = next,
	.now = now,
	.tell = tell,
	.start = start,
	.signal = end_process,
	.is_gone = yes,
	.abandon = nothing,
	.collect = yes,
	.note_attempt = note_attempt,
	.answer = answer,
	.pay = pay,
	.give = give,
	.begin_wait = begin_wait,
};

void
simulation_open(struct host *host, struct world *world, uint64_t number)
{
	struct random random = world->random;

	if (number > 0)
		random.seed = random_seed(&world->random, number);
	*host = (struct host){
		.world = world,
		.run = run_open(&world->policy, random, &driver, host),
		.random.seed = random_seed(&random, 1),
		.most = UINT64_MAX,
	};
	if (host->run == NULL)
		err(STATUS_OWN_FAILURE, NULL);
}

void
simulation_close(struct host *host)
{
	run_close(host->run);
}

void
simulation_step(struct host *host)
{
	host->world->count = 0;
	host->steps++;
	host->over = !run_step(host->run);
}
