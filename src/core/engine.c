/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "delay.h"
#include "engine.h"
#include "health.h"
#include "process.h"

/*
 * Seconds that a reader has to take some of the output, after a signal or
 * --max-time has ended the run.
 */
#define READER_GRACE 1.0

/* Another run that holds the state for longer than this is reported. */
#define LOCK_PATIENCE 1.0

enum engine_state {
	STATE_IDLE,
	STATE_RUNNING, /* an attempt */
	STATE_ASKING,  /* the question */
	STATE_WAITING,
	STATE_DELIVERING,
	STATE_FINISHED
};

/*
 * What go_to_wait(), or at the end of the run go_to_end(), does next, in this
 * order.  FINISH: the hook has begun, and only the end is left.
 */
enum stage { STAGE_DELIVER, STAGE_SAVE, STAGE_WAIT_OR_HOOK, STAGE_FINISH };

/* How the run ends, as end_*() say; finish() alone acts on it. */
struct end {
	enum reason reason;
	int status;
	int death;    /* the signal that retry dies of, or 0 */
	int ended_by; /* the signal that ended the run, or 0 */
};

struct engine {
	const struct policy *policy;
	void (*tell)(void *context, struct record *record);
	void *context;
	struct random random;
	struct record run; /* the facts that records tell */

	enum engine_state state;
	enum question question; /* ASKING */
	enum stage stage;
	bool outcome_pending; /* the outcome has not been told yet */
	int signal;	 /* received while a process runs, and ends the run */
	int error_death; /* of an error: the signal to die of, or 0 */
	struct process process;		/* RUNNING, ASKING */
	struct health probes;		/* of the attempt that was begun last */
	enum health_status health_told; /* last */
	bool healthy_told;		/* once of this attempt */
	double delivered_by; /* DELIVERING: the end of the wait for a reader */

	double begun;
	double attempt_begun;
	double paced_from;  /* --pace=start: the next delay counts from this */
	double delay_begun; /* when the last delay was found */
	double wait_begun;
	bool lock_told; /* that another run has the state */
	double splayed; /* seconds of --splay; --max-time does not count them */

	struct evidence evidence;
	struct outcome returned; /* by the process, even after a timeout */
	double hint;

	uint64_t n;	    /* the number of the last retry's delay */
	uint64_t successes; /* in a row */
	struct level level;
	struct delay paced;    /* --pace=start: drawn when the attempt began */
	struct state restored; /* from the last run; its counts go on */

	struct tally tally; /* last: only limits that there are have times */
};

static uint64_t
next_number(uint64_t number)
{
	return number < UINT64_MAX ? number + 1 : number;
}

/* When the run must be over. */
static double
run_end(const struct engine *engine)
{
	const double limit = engine->policy->max_time;

	return limit > 0 ? engine->begun + engine->splayed + limit : INFINITY;
}

static bool
in_time(const struct engine *engine, double when)
{
	return when < run_end(engine);
}

/* A question without a row has no process, and --max-time does not cut it. */
static const struct {
	bool has_process; /* or else the driver answers by itself */
	enum cut cut;	  /* how a record names it, if --max-time cuts it */
} question_rows[] = {
	[ASK_NOTHING] = { .cut = CUT_ATTEMPT },
	[ASK_STATE] = { .has_process = true },
	[ASK_INPUT] = { .cut = CUT_INPUT },
	[ASK_CHECK] = { .has_process = true, .cut = CUT_CHECK },
	[ASK_GATE] = { .has_process = true, .cut = CUT_GATE },
	[ASK_HOOK] = { .has_process = true },
};

bool
question_has_process(enum question question)
{
	return question_rows[question].has_process;
}

/* Whether --on-success or --on-give-up runs, which no time limit ends. */
static bool
hook_runs(const struct engine *engine)
{
	return engine->state == STATE_ASKING && engine->question == ASK_HOOK;
}

/* Whether a process runs that must end before the run does; not a hook. */
static bool
process_runs(const struct engine *engine)
{
	return engine->state == STATE_RUNNING ||
	    (engine->state == STATE_ASKING && !hook_runs(engine) &&
		question_rows[engine->question].has_process);
}

/* --- records --- */

static void
tell_record(const struct engine *engine, enum record_kind kind, double now)
{
	struct record record = engine_record(engine, now);

	record.kind = kind;
	engine->tell(engine->context, &record);
}

/* A verdict is told with the wait or end that follows. */
static void
tell_outcome(struct engine *engine, double now)
{
	const bool success = engine->run.judgement.verdict == VERDICT_SUCCESS;

	if (!engine->outcome_pending)
		return;
	engine->outcome_pending = false;
	if (!success)
		engine->run.failures = next_number(engine->run.failures);
	tell_record(engine, RECORD_OUTCOME, now);
	if (success)
		engine->run.paid = 0;
}

/* Tells once that another run has had the state for too long. */
static void
tell_lock(struct engine *engine, double now)
{
	if (engine->question != ASK_STATE || engine->lock_told ||
	    now < engine->begun + LOCK_PATIENCE)
		return;
	engine->lock_told = true;
	tell_record(engine, RECORD_LOCK, now);
}

/* Tells the health of the attempt if a probe has changed it. */
static void
tell_health(struct engine *engine, double now)
{
	const enum health_status health =
	    health_status(&engine->probes, &engine->policy->health);

	if (health == engine->health_told)
		return;
	engine->run.first_healthy =
	    health == HEALTH_HEALTHY && !engine->healthy_told;
	engine->health_told = health;
	engine->healthy_told |= engine->run.first_healthy;
	tell_record(engine, RECORD_HEALTH, now);
}

/* --- the process that runs --- */

/* When the next TIMER is due. */
static double
next_timer(const struct engine *engine)
{
	const double wake = process_wake(&engine->process);

	switch (engine->state) {
	case STATE_WAITING:
		return engine->wait_begun + engine->run.delay.seconds;
	case STATE_RUNNING:
		return fmin(wake, health_wake(&engine->probes));
	case STATE_ASKING:
		return engine->question == ASK_STATE && !engine->lock_told
		    ? fmin(wake, engine->begun + LOCK_PATIENCE)
		    : wake;
	case STATE_DELIVERING:
		return engine->delivered_by;
	case STATE_IDLE:
	case STATE_FINISHED:
		break;
	}
	return INFINITY;
}

static void
begin_process(struct engine *engine, double now, double deadline)
{
	const struct policy *policy = engine->policy;

	engine->process = (struct process){
		.ends_left = engine->state == STATE_RUNNING &&
		    policy->leftovers == LEFTOVERS_END,
		.limit = deadline,
		.deadline = deadline,
		.run_end = run_end(engine),
		.kill_after = policy->kill_after,
		.idle_limit =
		    engine->state == STATE_RUNNING ? policy->idle_timeout : 0,
		.active = now,
	};
}

/*
 * Asks for the outcome of the process.  The search of its output must end by
 * the deadline of the process; if that deadline or the end of the run has
 * passed, the search has READER_GRACE more.  A search that ends later signals
 * nothing: the process has exited, and may leave others behind.
 */
static enum action_kind
collect(struct engine *engine, double now)
{
	struct process *process = &engine->process;
	double deadline = now + READER_GRACE;

	if (in_time(engine, now) && engine->signal == 0) {
		if (process->phase == PROCESS_RUNS)
			deadline = process->limit;
		else if (process->why == PROCESS_ENDS_ITSELF)
			deadline = fmax(process->limit, deadline);
		deadline = fmin(deadline, run_end(engine));
	}
	process_collect(process, deadline);
	return ACTION_COLLECT;
}

static enum action_kind
follow(struct engine *engine, enum process_step step, double now)
{
	if (step != PROCESS_WAIT)
		health_stop(&engine->probes);
	switch (step) {
	case PROCESS_WAIT:
		break;
	case PROCESS_SIGNAL:
		return engine->process.exited ? ACTION_LOOK : ACTION_KILL;
	case PROCESS_LOOK:
		return ACTION_LOOK;
	case PROCESS_COLLECT:
		return collect(engine, now);
	case PROCESS_ABANDON:
		return ACTION_ABANDON;
	}
	return ACTION_NONE;
}

static enum action_kind
watch_process(struct engine *engine, double now)
{
	return follow(engine, process_tick(&engine->process, now), now);
}

/* Ends an unhealthy attempt as after a timeout; else does `otherwise`. */
static enum action_kind
check_health(struct engine *engine, enum action_kind otherwise, double now)
{
	const struct health_rules *rules = &engine->policy->health;

	/* While an attempt shuts down, it may be unable to answer a probe. */
	if (engine->process.phase != PROCESS_RUNS ||
	    health_status(&engine->probes, rules) != HEALTH_UNHEALTHY)
		return otherwise;
	return follow(engine,
	    process_end(&engine->process, PROCESS_UNHEALTHY, now), now);
}

static enum action_kind
watch_attempt(struct engine *engine, double now)
{
	const enum action_kind kind = watch_process(engine, now);

	if (kind != ACTION_NONE)
		return kind;
	switch (health_tick(&engine->probes, &engine->policy->health, now)) {
	case HEALTH_WAIT:
		break;
	case HEALTH_START:
		return ACTION_PROBE;
	case HEALTH_END:
		tell_health(engine, now);
		return check_health(engine, ACTION_END_PROBE, now);
	}
	return ACTION_NONE;
}

static enum action_kind
on_probed(struct engine *engine, const struct event *event)
{
	/* A probe may die of the signal that ends the run. */
	if (engine->signal != 0)
		health_stop(&engine->probes);
	health_probed(&engine->probes, &engine->policy->health, event->probe,
	    event->now);
	tell_health(engine, event->now);
	return check_health(engine, ACTION_NONE, event->now);
}

/* --- questions --- */

static enum action_kind
ask(struct engine *engine, enum question question, double deadline, double now)
{
	engine->state = STATE_ASKING;
	engine->question = question;
	begin_process(engine, now, deadline);
	return ACTION_ASK;
}

/* When a process that begins now must end by --timeout or --max-time. */
static double
process_deadline(const struct engine *engine, double now, double least)
{
	const struct policy *policy = engine->policy;
	const double end = run_end(engine);
	const double share = policy->timeout_share;
	double deadline = end;

	if (policy->timeout > 0)
		deadline = fmin(deadline, now + policy->timeout);
	if (share > 0)
		deadline =
		    fmin(deadline, now + fmax(share * (end - now), least));
	return deadline;
}

/* --- the end --- */

/* Whether a run that ends so may be tolerated. */
static bool
gives_up(enum reason reason)
{
	return reasons[reason].saves && reason != REASON_SUCCESS;
}

/* Runs in a row that gave up, with this one if it did. */
static uint64_t
count_given_up(const struct engine *engine)
{
	return gives_up(engine->run.reason) && engine->run.attempt > 0
	    ? next_number(engine->restored.given_up)
	    : engine->restored.given_up;
}

/* The state for the next run: the delay, or a fresh start after a success. */
static struct state
state_left(const struct engine *engine, double now)
{
	const bool level = engine->policy->backoff.strategy->keeps_level;
	const bool success = engine->run.judgement.verdict == VERDICT_SUCCESS;

	if (success)
		return (struct state){
			.level = level ? engine->level : (struct level){ 0 },
			/* With --repeat the run may still give up. */
			.given_up = engine->run.reason == REASON_NONE
			    ? engine->restored.given_up
			    : 0,
		};
	return (struct state){
		.level = engine->level,
		.n = engine->n,
		.given_up = count_given_up(engine),
		.delay = engine->run.delay.seconds,
		.age = now - engine->delay_begun,
	};
}

/* The exit status of a run that ends as its last attempt did. */
static int
last_status(const struct engine *engine)
{
	const struct outcome returned = engine->returned;

	if (!engine->policy->preserve_status)
		return outcome_status(engine->evidence.outcome);
	return returned.kind == OUTCOME_EXIT ? returned.code
					     : outcome_status(returned);
}

/* As the last attempt ended, without success. */
static struct end
end_giving_up(const struct engine *engine, enum reason reason)
{
	const struct outcome outcome = engine->evidence.outcome;
	struct end end = { .reason = reason, .status = last_status(engine) };

	if (engine->policy->transient_status > 0 && reason != REASON_SIGNAL &&
	    outcome.class == CLASS_TRANSIENT)
		end.status = engine->policy->transient_status;
	else if (outcome.kind == OUTCOME_SIGNAL)
		end.death = outcome.code;
	return end;
}

static struct end
end_success(const struct engine *engine)
{
	struct end end = { .reason = REASON_SUCCESS };

	if (engine->policy->flaky_status > 0 && engine->run.failures > 0)
		end.status = engine->policy->flaky_status;
	else if (engine->policy->preserve_status)
		end.status = last_status(engine);
	return end;
}

/* No time is left for another attempt. */
static struct end
end_out_of_time(const struct engine *engine)
{
	if (engine->run.attempt == 0)
		return (struct end){ .reason = REASON_MAX_TIME,
			.status = STATUS_TIMEOUT };
	if (engine->run.judgement.verdict == VERDICT_SUCCESS)
		return end_success(engine);
	return end_giving_up(engine, REASON_MAX_TIME);
}

static struct end
end_by_signal(int signal)
{
	return (struct end){ .reason = REASON_SIGNAL,
		.status = 128 + signal,
		.death = signal,
		.ended_by = signal };
}

/* `retry` itself failed. */
static struct end
end_by_error(const struct engine *engine)
{
	const int death = engine->error_death;

	return (struct end){ .reason = REASON_ERROR,
		.status = death != 0 ? 128 + death : STATUS_OWN_FAILURE,
		.death = death };
}

/* Lets held output out, and says how long its reader has. */
static enum action_kind
deliver(struct engine *engine, double now)
{
	const enum reason reason = engine->run.reason;

	engine->state = STATE_DELIVERING;
	engine->delivered_by = reason == REASON_SUCCESS
	    ? INFINITY
	    : fmax(run_end(engine), now + READER_GRACE);
	/* Do not wait for a reader that takes nothing. */
	if (reason == REASON_SIGNAL || reason == REASON_MAX_TIME)
		engine->delivered_by = now + READER_GRACE;
	return ACTION_DELIVER;
}

/* Goes through the stages that are left of a run that is over, to FINISH. */
static enum action_kind
go_to_end(struct engine *engine, double now)
{
	const struct policy *policy = engine->policy;
	const enum reason reason = engine->run.reason;
	const bool saves = reasons[reason].saves && engine->run.attempt > 0;

	if (engine->stage == STAGE_DELIVER) {
		engine->stage = STAGE_SAVE;
		if (policy->delivery != DELIVERY_NONE)
			return deliver(engine, now);
	}
	if (engine->stage == STAGE_SAVE) {
		engine->stage = STAGE_WAIT_OR_HOOK;
		tell_outcome(engine, now);
		if (policy->remember && saves)
			return ask(engine, ASK_SAVE, INFINITY, now);
	}
	engine->state = STATE_FINISHED;
	if (engine->stage == STAGE_WAIT_OR_HOOK) {
		engine->stage = STAGE_FINISH;
		/* END is told before the hook runs. */
		tell_record(engine, RECORD_END, now);
		if (reasons[reason].hooks &&
		    (reason == REASON_SUCCESS ? policy->on_success
					      : policy->on_give_up))
			return ask(engine, ASK_HOOK, INFINITY, now);
	}
	return ACTION_FINISH;
}

/*
 * The run is over.  `end` says how, and --tolerate has the last word.  Until
 * FINISH a signal or an error may replace that end.
 */
static enum action_kind
finish(struct engine *engine, struct end end, double now)
{
	const struct policy *policy = engine->policy;
	struct record *run = &engine->run;
	/*
	 * After a first signal the reader of held output has READER_GRACE; a
	 * second signal ends that.
	 */
	const bool goes_out = engine->state == STATE_DELIVERING &&
	    end.reason == REASON_SIGNAL && run->reason != REASON_SIGNAL;

	/*
	 * If the run is ending already, an error or a signal only changes the
	 * reason of its end: the stages that were done are not done again.
	 */
	if (run->reason == REASON_NONE)
		engine->stage = engine->state == STATE_DELIVERING
		    ? STAGE_SAVE
		    : STAGE_DELIVER;
	/* No rule judged the attempt. */
	if (engine->outcome_pending && run->judgement.verdict == VERDICT_NONE)
		run->judgement = (struct judgement){ .verdict = VERDICT_STOP,
			.rule = end.reason == REASON_SIGNAL ? RULE_SIGNAL
							    : RULE_ERROR };
	run->reason = end.reason;
	run->given_up = count_given_up(engine);
	run->tolerated =
	    gives_up(end.reason) && run->given_up < policy->tolerate;
	run->status = run->tolerated ? 0 : end.status;
	run->death = run->tolerated ? 0 : end.death;
	run->ended_by = end.ended_by;
	if (!goes_out)
		return go_to_end(engine, now);
	engine->delivered_by = now + READER_GRACE;
	return ACTION_NONE;
}

/* `retry` itself failed, which decides how the run ends. */
static void
note_error(struct engine *engine, const struct event *event)
{
	engine->process.why = PROCESS_ERROR;
	engine->error_death = event->signal;
}

/* --- attempts and waits --- */

/*
 * The time from which --pace=start counts is when the attempt was due: if each
 * attempt begins a little late, the rate stays the same.  An attempt that is
 * late by more than its delay, because retry was stopped, begins a new series.
 */
static double
pace_begin(const struct engine *engine, double now)
{
	const double due = engine->delay_begun + engine->run.delay.seconds;

	if (engine->run.attempt == 0 || now < due ||
	    now - due >= engine->paced.seconds)
		return now;
	return due;
}

/* Begins an attempt, unless no time is left. */
static enum action_kind
begin_attempt(struct engine *engine, double now)
{
	const struct policy *policy = engine->policy;
	struct record *run = &engine->run;

	if (!in_time(engine, now))
		return finish(engine, end_out_of_time(engine), now);
	engine->paced_from = pace_begin(engine, now);
	run->attempt = next_number(run->attempt);
	run->used = next_number(run->used);
	engine->state = STATE_RUNNING;
	engine->question = ASK_NOTHING;
	engine->attempt_begun = now;
	if (policy->pace_start) {
		struct level level = engine->level;

		engine->paced = delay_draw(policy, &engine->random, &level,
		    (struct delay_request){ .n = next_number(engine->n),
			.attempt = next_number(run->attempt) });
	}
	double deadline = process_deadline(engine, now, policy->min_timeout);
	if (policy->pace_start && policy->min_timeout > 0)
		deadline = fmin(deadline,
		    fmax(engine->paced_from + engine->paced.seconds,
			now + policy->min_timeout));
	begin_process(engine, now, deadline);
	engine->probes = health_begin(&policy->health, now);
	engine->health_told = HEALTH_STARTING;
	engine->healthy_told = false;
	run->started = now - engine->begun;
	run->timeout = deadline - now;
	return ACTION_RUN;
}

/* Goes through the stages that are left before a wait. */
static enum action_kind
go_to_wait(struct engine *engine, double now)
{
	const struct policy *policy = engine->policy;

	if (engine->stage == STAGE_DELIVER) {
		engine->stage = STAGE_SAVE;
		if (policy->delivery == DELIVERY_EACH &&
		    engine->outcome_pending)
			return deliver(engine, now);
	}
	if (engine->stage == STAGE_SAVE) {
		engine->stage = STAGE_WAIT_OR_HOOK;
		if (policy->remember && engine->outcome_pending &&
		    engine->run.judgement.verdict == VERDICT_SUCCESS)
			return ask(engine, ASK_SAVE, INFINITY, now);
	}
	/* Time may have run out meanwhile; the end tells the outcome then. */
	if (!in_time(engine, now))
		return finish(engine, end_out_of_time(engine), now);
	engine->state = STATE_WAITING;
	tell_outcome(engine, now);
	tell_record(engine, RECORD_WAIT, now);
	return ACTION_WAIT;
}

/* Begins the wait, unless it would end with no time left. */
static enum action_kind
begin_wait(struct engine *engine, double now)
{
	if (!in_time(engine, now + engine->run.delay.seconds))
		return finish(engine, end_out_of_time(engine), now);
	engine->wait_begun = now;
	engine->run.due = now - engine->begun + engine->run.delay.seconds;
	engine->stage = STAGE_DELIVER;
	return go_to_wait(engine, now);
}

/* --splay, --wait-first, and a delay that an earlier run left. */
static enum action_kind
wait_first(struct engine *engine, bool first, double now)
{
	const struct policy *policy = engine->policy;
	struct delay *delay = &engine->run.delay;

	*delay = (struct delay){ .hint = -1 };
	if (engine->restored.delay > 0) {
		engine->run.kept = true;
		delay->nominal = delay->low = delay->high = delay->seconds =
		    engine->restored.delay;
	} else if (first) {
		engine->n = next_number(engine->n);
		*delay = delay_draw(policy, &engine->random, &engine->level,
		    (struct delay_request){ .n = engine->n, .attempt = 1 });
	}
	if (policy->splay > 0) {
		engine->splayed = policy->splay *
		    random_uniform(&engine->random, 1, DRAW_SPLAY);
		delay->high += policy->splay;
		delay->seconds += engine->splayed;
	}
	return begin_wait(engine, now);
}

/* The first attempt, or the wait before it. */
static enum action_kind
begin(struct engine *engine, double now)
{
	const bool first = engine->policy->wait_first && engine->n == 0;

	if (in_time(engine, now) &&
	    (first || engine->policy->splay > 0 || engine->restored.delay > 0))
		return wait_first(engine, first, now);
	return begin_attempt(engine, now);
}

/* Reads standard input, now that an attempt is sure to follow. */
static enum action_kind
prepare(struct engine *engine, double now)
{
	if (engine->policy->input && in_time(engine, now))
		return ask(engine, ASK_INPUT, run_end(engine), now);
	return begin(engine, now);
}

static enum action_kind
leave_wait(struct engine *engine, double now)
{
	const double waited = now - engine->wait_begun;

	/* SIGURG may have ended it before all of --splay was over. */
	if (engine->run.attempt == 0)
		engine->splayed = fmin(engine->splayed, waited);
	engine->run.just_waited = waited;
	engine->run.waited += waited;
	if (engine->run.attempt > 0 && engine->policy->gate &&
	    in_time(engine, now))
		return ask(engine, ASK_GATE,
		    process_deadline(engine, now, engine->policy->min_timeout),
		    now);
	return begin_attempt(engine, now);
}

/*
 * Finds the wait after an attempt that failed, or, with --repeat, succeeded.
 * Returns whether its hint is longer than the strategy's delay may be.
 */
static bool
find_delay(struct engine *engine, bool success, double now)
{
	const struct policy *policy = engine->policy;
	const uint64_t attempt = next_number(engine->run.attempt);
	const bool throttled = engine->run.judgement.throttled;
	struct delay delay = delay_draw(policy, &engine->random, &engine->level,
	    (struct delay_request){ .n = engine->n,
		.attempt = attempt,
		.throttled = throttled,
		.success = success });

	if (policy->pace_start && throttled &&
	    delay.seconds < engine->paced.seconds)
		delay = engine->paced;
	if (policy->pace_start)
		delay = delay_left(delay, now - engine->paced_from);
	const bool hint_is_longer = engine->hint > delay.high;
	if (engine->hint >= 0)
		delay = delay_hinted(policy, &engine->random, delay,
		    engine->hint, attempt);
	engine->run.delay = delay;
	engine->delay_begun = now;
	return hint_is_longer;
}

/* Goes on, once held output got out or the state was saved. */
static enum action_kind
settle(struct engine *engine, double now)
{
	return engine->run.reason == REASON_NONE ? go_to_wait(engine, now)
						 : go_to_end(engine, now);
}

/* --- verdicts --- */

static enum action_kind
after_success(struct engine *engine, double now)
{
	const struct policy *policy = engine->policy;

	engine->successes = next_number(engine->successes);
	if (!policy->repeat ||
	    (policy->repeats > 0 && engine->successes >= policy->repeats)) {
		if (policy->remember)
			backoff_success(&policy->backoff, &engine->level, 0);
		return finish(engine, end_success(engine), now);
	}
	engine->run.used = 0;
	/* A success does not clear time windows. */
	memset(engine->tally.counts, 0, sizeof(engine->tally.counts));
	engine->n = 0;
	if (find_delay(engine, true, now) &&
	    engine->hint > policy->hint_limit) {
		engine->run.too_long = engine->hint;
		return finish(engine, end_success(engine), now);
	}
	return begin_wait(engine, now);
}

static void
count_failure(struct engine *engine, double now)
{
	const double threshold = engine->policy->reset_after;
	const enum outcome_kind kind = engine->evidence.outcome.kind;
	/* --reset-after: the attempt ran long enough, and was healthy. */
	const bool lasted = threshold > 0 && kind != OUTCOME_TIMEOUT &&
	    (!engine->policy->health.used || engine->probes.was_healthy) &&
	    engine->run.duration >= threshold;

	engine->successes = 0;
	if (lasted) {
		engine->n = 0;
		engine->run.used = 1;
		engine->level = (struct level){ 0 };
		memset(&engine->tally, 0, offsetof(struct tally, times));
	}
	const bool is_free =
	    set_has(&engine->policy->free, engine->evidence.outcome);
	if (is_free)
		engine->run.used--;
	engine->run.reached = limits_failure(&engine->policy->limits,
	    &engine->tally, engine->evidence.outcome, is_free, now);
	engine->n = next_number(engine->n);
}

/* Whether --attempts allows no further attempt. */
static bool
is_final(const struct engine *engine)
{
	const uint64_t limit = engine->policy->limits.attempts;

	return (limit > 0 && engine->run.used >= limit) ||
	    engine->run.reached != NULL;
}

static enum action_kind
after_failure(struct engine *engine, double now)
{
	const struct policy *policy = engine->policy;

	count_failure(engine, now);
	const enum reason reason = engine->process.why == PROCESS_MAX_TIME
	    ? REASON_MAX_TIME
	    : REASON_ATTEMPTS;
	/* After the last attempt only a later run may wait. */
	const bool hint_is_longer = (!is_final(engine) || policy->remember) &&
	    find_delay(engine, false, now);
	const bool too_long =
	    hint_is_longer && engine->hint > policy->hint_limit;
	if (is_final(engine))
		return finish(engine, end_giving_up(engine, reason), now);
	if (too_long ||
	    (hint_is_longer && in_time(engine, now) &&
		!in_time(engine, now + engine->hint))) {
		engine->run.too_long = engine->hint;
		engine->run.too_late = !too_long;
		return finish(engine, end_giving_up(engine, REASON_HINT), now);
	}
	if (policy->budget && in_time(engine, now + engine->run.delay.seconds))
		return ask(engine, ASK_BUDGET, INFINITY, now);
	return begin_wait(engine, now);
}

/*
 * --max-time ended the process, or will not let it run.  An attempt whose
 * verdict is not known by then has failed.
 */
static enum action_kind
cut_short(struct engine *engine, double now)
{
	const enum cut cut = question_rows[engine->question].cut;
	const bool is_attempt = cut == CUT_ATTEMPT || cut == CUT_CHECK;

	engine->run.judgement = (struct judgement){ .verdict = VERDICT_STOP,
		.rule = RULE_MAX_TIME };
	engine->run.cut = cut;
	if (is_attempt) {
		count_failure(engine, now);
		if (engine->policy->remember)
			find_delay(engine, false, now);
	}
	struct end end = { .reason = REASON_MAX_TIME,
		.status = STATUS_TIMEOUT };
	if (engine->policy->preserve_status && engine->run.attempt > 0)
		end.status = last_status(engine);
	return finish(engine, end, now);
}

static enum action_kind
judge(struct engine *engine, double now)
{
	engine->run.judgement =
	    verdict_judge(&engine->policy->rules, &engine->evidence);
	switch (engine->run.judgement.verdict) {
	case VERDICT_NONE:
		if (in_time(engine, now))
			return ask(engine, ASK_CHECK,
			    process_deadline(engine, now, 0), now);
		return cut_short(engine, now);
	case VERDICT_SUCCESS:
		return after_success(engine, now);
	case VERDICT_RETRY:
		return after_failure(engine, now);
	case VERDICT_STOP:
		break;
	}
	count_failure(engine, now);
	return finish(engine, end_giving_up(engine, REASON_STOP), now);
}

/* A signal was passed on to the attempt: its outcome is the run's. */
static struct end
end_passed_on(const struct engine *engine)
{
	const struct outcome outcome = engine->evidence.outcome;
	struct end end = end_giving_up(engine, REASON_SIGNAL);

	if (outcome.kind == OUTCOME_UNFORKED)
		return end_by_signal(engine->signal);
	if (outcome.kind == OUTCOME_EXIT && outcome.code == 0)
		end.status = 0;
	end.ended_by = engine->signal;
	return end;
}

/* Why the process that is over ended. */
static enum process_why
why_ended(const struct engine *engine, double now)
{
	return process_why(&engine->process,
	    engine->signal != 0 || !in_time(engine, now));
}

/* The attempt is over. */
static enum action_kind
on_ended(struct engine *engine, const struct event *event)
{
	const double now = event->now;
	struct outcome *outcome = &engine->evidence.outcome;

	if (event->failed)
		note_error(engine, event);
	const enum process_why why = why_ended(engine, now);
	engine->evidence = event->evidence;
	engine->evidence.hinted = event->hint >= 0;
	engine->evidence.check = VERDICT_NONE;
	engine->evidence.idle = why == PROCESS_IDLE;
	*outcome = process_outcome(&engine->process, why,
	    event->evidence.outcome, engine->signal);
	engine->returned = process_is_stuck(&engine->process)
	    ? *outcome
	    : event->evidence.outcome;
	engine->evidence.known =
	    verdict_classify(&engine->policy->rules, &engine->evidence);
	outcome->class = engine->evidence.known.class;
	engine->hint = event->hint;
	engine->run.outcome = *outcome;
	engine->run.known = engine->evidence.known;
	engine->run.preset = engine->run.known.source < SOURCE_STATUS
	    ? NULL
	    : engine->policy->rules.presets[engine->run.known.preset].name;
	engine->run.silent =
	    why == PROCESS_IDLE ? engine->policy->idle_timeout : 0;
	engine->run.duration = now - engine->attempt_begun;
	engine->run.judgement = (struct judgement){ .verdict = VERDICT_NONE };
	engine->run.check_timed_out = false;
	/* An attempt that `retry` could not prepare has no outcome. */
	engine->outcome_pending = outcome->kind != OUTCOME_NONE;
	if (why == PROCESS_MAX_TIME)
		engine->run.cut = CUT_ATTEMPT;
	if (why == PROCESS_ERROR)
		return finish(engine, end_by_error(engine), now);
	if (engine->signal != 0)
		return finish(engine, end_passed_on(engine), now);
	/*
	 * An attempt that --max-time ended has an outcome, a timeout, which the
	 * rules judge.  A check or a gate that --max-time ended has no answer:
	 * on_answer() cuts those short.
	 */
	return engine->process.abandoned && !in_time(engine, now)
	    ? cut_short(engine, now)
	    : judge(engine, now);
}

static enum action_kind
on_answer(struct engine *engine, const struct event *event)
{
	static const enum verdict verdicts[] = {
		[ANSWER_YES] = VERDICT_SUCCESS,
		[ANSWER_AGAIN] = VERDICT_RETRY,
		[ANSWER_NO] = VERDICT_STOP,
	};
	const double now = event->now;
	const bool yes = event->answer == ANSWER_YES;

	/* END was told before the hook ran. */
	if (engine->question == ASK_HOOK)
		return go_to_end(engine, now);
	if (event->failed || (engine->question == ASK_SAVE && !yes))
		note_error(engine, event);
	const enum process_why why = why_ended(engine, now);
	const bool timed_out = why != PROCESS_ENDS_ITSELF;

	if (why == PROCESS_ERROR)
		return finish(engine, end_by_error(engine), now);
	if (engine->question == ASK_SAVE)
		return settle(engine, now);
	if (engine->signal != 0)
		return finish(engine, end_by_signal(engine->signal), now);
	if (why == PROCESS_MAX_TIME ||
	    (engine->process.abandoned && !in_time(engine, now)))
		return cut_short(engine, now);
	/* What follows depends on the question. */
	switch (engine->question) {
	case ASK_STATE:
		if (event->answer == ANSWER_NONE)
			break;
		if (!in_time(engine, now))
			return finish(engine, end_out_of_time(engine), now);
		if (event->answer == ANSWER_AGAIN)
			return ask(engine, ASK_STATE, run_end(engine), now);
		engine->run.too_early = yes ? event->state.delay : 0;
		if (!yes ||
		    (event->state.delay > 0 && engine->policy->early_skip))
			return finish(engine,
			    (struct end){ .reason = REASON_EARLY,
				.status = STATUS_TOO_EARLY },
			    now);
		engine->restored = event->state;
		engine->level = engine->restored.level;
		engine->n = engine->restored.n;
		return prepare(engine, now);
	case ASK_INPUT:
		return begin(engine, now);
	case ASK_CHECK:
		engine->run.check_timed_out = timed_out;
		engine->evidence.check =
		    verdicts[timed_out ? ANSWER_AGAIN : event->answer];
		return judge(engine, now);
	case ASK_BUDGET:
		engine->run.paid = event->paid;
		return yes
		    ? begin_wait(engine, now)
		    : finish(engine, end_giving_up(engine, REASON_BUDGET), now);
	case ASK_GATE:
		if (event->answer == ANSWER_AGAIN && !timed_out)
			return finish(engine,
			    end_giving_up(engine, REASON_GATE), now);
		return begin_attempt(engine, now);
	case ASK_NOTHING:
	case ASK_SAVE:
	case ASK_HOOK:
		break;
	}
	return finish(engine, end_by_error(engine), now);
}

/* --- time and signals --- */

static enum action_kind
on_timer(struct engine *engine, double now)
{
	switch (engine->state) {
	case STATE_RUNNING:
		return watch_attempt(engine, now);
	case STATE_ASKING:
		tell_lock(engine, now);
		if (process_runs(engine) ||
		    (hook_runs(engine) &&
			engine->process.phase != PROCESS_COLLECTING))
			return watch_process(engine, now);
		if (now < engine->process.deadline)
			break;
		if (engine->question == ASK_HOOK)
			return go_to_end(engine, now);
		engine->run.cut = question_rows[engine->question].cut;
		return finish(engine, end_out_of_time(engine), now);
	case STATE_WAITING:
		if (now >= engine->wait_begun + engine->run.delay.seconds)
			return leave_wait(engine, now);
		break;
	case STATE_DELIVERING:
		if (now < engine->delivered_by)
			break;
		if (engine->run.reason == REASON_NONE)
			return finish(engine, end_out_of_time(engine), now);
		if (engine->run.reason == REASON_SIGNAL &&
		    engine->run.status == 0)
			return finish(engine, end_by_signal(engine->signal),
			    now);
		return go_to_end(engine, now);
	case STATE_IDLE:
	case STATE_FINISHED:
		break;
	}
	return ACTION_NONE;
}

/* A reader that takes some of the held output gets more time. */
static enum action_kind
on_progress(struct engine *engine, double now)
{
	if (engine->state == STATE_DELIVERING &&
	    engine->delivered_by < INFINITY)
		engine->delivered_by =
		    fmax(engine->delivered_by, now + READER_GRACE);
	return ACTION_NONE;
}

/* The reader of the output is slow, not the process: extend the deadline. */
static enum action_kind
on_blocked(struct engine *engine, double now)
{
	struct process *process = &engine->process;

	if (process->phase == PROCESS_COLLECTING && engine->signal == 0)
		process->deadline = fmax(process->deadline,
		    fmin(now + READER_GRACE, run_end(engine)));
	return on_timer(engine, now);
}

/* An orphan has ended, perhaps the last one of the process. */
static enum action_kind
on_reaped(struct engine *engine, double now)
{
	if (engine->state == STATE_DELIVERING)
		return ACTION_NONE;
	if (!(process_runs(engine) || hook_runs(engine)) ||
	    !engine->process.exited ||
	    engine->process.phase == PROCESS_COLLECTING ||
	    now >= next_timer(engine))
		return on_timer(engine, now);
	return ACTION_LOOK;
}

static enum action_kind
on_signal(struct engine *engine, const struct event *event)
{
	const double now = event->now, stop = engine->policy->stop_timeout;

	engine->run.signal = event->signal;
	engine->run.forwarded = event->forwarded;
	/* The end was told before its hook ran, and is the last record. */
	if (!hook_runs(engine))
		tell_record(engine, RECORD_SIGNAL, now);
	if (engine->state == STATE_WAITING && event->signal == SIGURG)
		return leave_wait(engine, now);
	/*
	 * A timer that is due comes as an event of its own: before that the
	 * next signal may end the run, the process may have ended, and a
	 * reader may have taken some of the output.
	 */
	if (!event->ends_run)
		return ACTION_NONE;
	if (stop > 0)
		process_stop(&engine->process, now + stop);
	if (engine->state == STATE_FINISHED || hook_runs(engine))
		return on_timer(engine, now);
	if (!process_runs(engine)) {
		engine->run.in_a_wait = true;
		if (engine->state == STATE_WAITING)
			engine->run.waited += now - engine->wait_begun;
		return finish(engine, end_by_signal(event->signal), now);
	}
	if (engine->signal == 0)
		engine->signal = event->signal;
	health_stop(&engine->probes);
	process_drain(&engine->process);
	process_shorten(&engine->process, now + READER_GRACE);
	return on_timer(engine, now);
}

/*
 * retry itself failed, though not while it collected an outcome.  A process
 * that runs is ended as after a timeout.
 */
static enum action_kind
on_error(struct engine *engine, const struct event *event)
{
	/* END was told, and the hook goes on. */
	if (hook_runs(engine))
		return ACTION_NONE;
	note_error(engine, event);
	if (!process_runs(engine))
		return finish(engine, end_by_error(engine), event->now);
	if (engine->process.phase != PROCESS_RUNS &&
	    engine->process.phase != PROCESS_DRAINS)
		return watch_process(engine, event->now);
	return follow(engine,
	    process_end(&engine->process, PROCESS_ERROR, event->now),
	    event->now);
}

static enum action_kind
handle(struct engine *engine, const struct event *event)
{
	switch (event->kind) {
	case EVENT_START:
		engine->begun = event->now;
		tell_record(engine, RECORD_START, event->now);
		if (!engine->policy->remember)
			return prepare(engine, event->now);
		/*
		 * Until the state is read, --tolerate tolerates no failure, as
		 * if countless runs in a row had given up.
		 */
		engine->restored.given_up = UINT64_MAX;
		return ask(engine, ASK_STATE, run_end(engine), event->now);
	case EVENT_EXITED:
		return follow(engine,
		    process_exited(&engine->process, event->now), event->now);
	case EVENT_REAPED:
		return on_reaped(engine, event->now);
	case EVENT_KILLED:
		process_killed(&engine->process, event->now);
		break;
	case EVENT_GONE:
		return collect(engine, event->now);
	case EVENT_ENDED:
		return on_ended(engine, event);
	case EVENT_ANSWER:
		return on_answer(engine, event);
	case EVENT_PROBED:
		return on_probed(engine, event);
	case EVENT_TIMER:
		return on_timer(engine, event->now);
	case EVENT_DATE:
		return engine->state == STATE_WAITING
		    ? leave_wait(engine, event->now)
		    : ACTION_NONE;
	case EVENT_SIGNAL:
		return on_signal(engine, event);
	case EVENT_PROGRESS:
		return on_progress(engine, event->now);
	case EVENT_BLOCKED:
		return on_blocked(engine, event->now);
	case EVENT_DELIVERED:
		if (engine->state == STATE_DELIVERING)
			return settle(engine, event->now);
		break;
	case EVENT_PLANNED:
		engine->run.reason = REASON_PLAN;
		engine->state = STATE_FINISHED;
		tell_record(engine, RECORD_END, event->now);
		return ACTION_FINISH;
	case EVENT_ERROR:
		return on_error(engine, event);
	case EVENT_NONE:
		break;
	}
	return ACTION_NONE;
}

struct record
engine_record(const struct engine *engine, double now)
{
	struct record record = engine->run;

	record.elapsed = now - engine->begun;
	record.final = is_final(engine);
	record.waits = engine->state == STATE_WAITING;
	record.runs = engine->state == STATE_RUNNING;
	record.probes = engine->probes;
	record.health = health_status(&engine->probes, &engine->policy->health);
	if (engine->state == STATE_ASKING && engine->question == ASK_STATE)
		record.locked = now - engine->begun;
	return record;
}

/*
 * The signal that a KILL or LOOK sends.  What is left by a process that ended
 * by itself has had none before.
 */
static int
process_signal(const struct engine *engine, enum action_kind kind,
    enum event_kind event)
{
	if (engine->process.phase == PROCESS_KILLED)
		return SIGKILL;
	const bool begins = kind == ACTION_KILL ||
	    (kind == ACTION_LOOK && event == EVENT_EXITED &&
		engine->process.why == PROCESS_ENDS_ITSELF);
	return begins ? engine->policy->signal : 0;
}

struct action
engine_step(struct engine *engine, struct event event)
{
	engine->process.active = fmax(engine->process.active, event.active);
	const enum action_kind kind = handle(engine, &event);

	return (struct action){
		.kind = kind,
		.wake = fmax(next_timer(engine), event.now),
		.question = engine->question,
		.reason = engine->run.reason,
		.signal = process_signal(engine, kind, event.kind),
		.state = state_left(engine, event.now),
	};
}

struct engine *
engine_open(const struct policy *policy, struct random random,
    void (*tell)(void *context, struct record *record), void *context)
{
	struct engine *engine = calloc(1,
	    offsetof(struct engine, tally.times) +
		policy->limits.count * sizeof(engine->tally.times[0]));

	if (engine == NULL)
		return NULL;
	engine->policy = policy;
	engine->tell = tell;
	engine->context = context;
	engine->random = random;
	engine->process.deadline = INFINITY;
	engine->run.limit = policy->limits.attempts;
	engine->run.max_time = policy->max_time;
	engine->run.has_presets = policy->rules.preset_count > 0;
	engine->run.hint_limit = policy->hint_limit;
	engine->run.tolerate = policy->tolerate;
	engine->run.delay.hint = -1;
	engine->run.just_waited = -1;
	engine->run.user = engine->run.system = NAN;
	return engine;
}

void
engine_close(struct engine *engine)
{
	free(engine);
}
