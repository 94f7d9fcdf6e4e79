#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "delay.h"
#include "engine.h"
#include "number.h"

/*
 * Seconds for SIGKILL to take effect, and, after a signal or --max-time has
 * ended the run, for a reader to take some of the output.
 */
#define LAST_GRACE 1.0

/* Another run that holds the state for longer than this is reported. */
#define LOCK_PATIENCE 1.0

enum state {
	STATE_IDLE,
	STATE_RUNNING, /* an attempt */
	STATE_ASKING,  /* the question */
	STATE_WAITING,
	STATE_DELIVERING,
	STATE_FINISHED
};

/* How far the end of a process is. */
enum phase {
	PHASE_RUNS,
	PHASE_ENDING, /* the first signal was sent */
	PHASE_KILLED  /* SIGKILL was sent */
};

/* What is done, in this order, after a verdict and at the end of a run. */
enum stage { STAGE_DELIVER, STAGE_SAVE, STAGE_LAST, STAGE_DONE };

struct engine {
	const struct policy *policy;
	struct random random;
	struct record run; /* the facts that records tell */

	enum state state;
	enum question question; /* ASKING */
	enum stage stage;
	bool untold; /* the judgement has not been told yet */
	bool failed; /* retry itself has, and therefore ends the process */
	int signal;  /* received while a process runs, and ends the run */

	/* The process that runs. */
	enum phase phase;
	bool exited;	 /* it has exited, but maybe not all that it started */
	bool collecting; /* its outcome has been asked for */
	bool abandoned;	 /* it could not be ended */
	double deadline; /* when it must end */
	double active;	 /* when an attempt last wrote */
	bool idle;	 /* it is ended because it wrote nothing since */
	double kill_at;	 /* ENDING: when SIGKILL is due */
	double leave_at; /* when it is abandoned */
	int send;	 /* KILL, CLEAN: the signal */
	bool cut;	 /* --max-time ends it */

	double begun;
	double attempt_begun;
	double delay_begun; /* when the last delay was found */
	double wait_begun;
	double lock_begun; /* INFINITY: no other run has the state */
	bool lock_told;
	double splayed; /* seconds of --splay, which --max-time spares */

	struct evidence evidence;
	struct outcome returned; /* by the process, even after a timeout */
	double hint;
	bool healthy;

	struct tally tally; /* the failures that limits count */
	uint64_t n;	    /* the number of the last retry's delay */
	uint64_t successes; /* in a row */
	struct level level;
	struct delay paced; /* --pace=start: drawn when the attempt began */
	struct progress earlier; /* from the last run; its counts go on */
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

static bool
process_runs(const struct engine *engine)
{
	if (engine->state == STATE_RUNNING)
		return true;
	return engine->state == STATE_ASKING &&
	    (engine->question == ASK_LOCK || engine->question == ASK_CHECK ||
		engine->question == ASK_GATE);
}

/* --- the process that runs --- */

/* When the process must end if it writes nothing. */
static double
patience(const struct engine *engine)
{
	const double limit = engine->policy->idle_timeout;

	return limit > 0 && engine->state == STATE_RUNNING &&
		!engine->collecting
	    ? number_min(engine->deadline, engine->active + limit)
	    : engine->deadline;
}

/* When the next TIMER is due. */
static double
next_timer(const struct engine *engine)
{
	switch (engine->state) {
	case STATE_WAITING:
		return engine->wait_begun + engine->run.delay.seconds;
	case STATE_RUNNING:
	case STATE_ASKING:
		if (engine->phase != PHASE_RUNS && !engine->collecting)
			return number_min(engine->kill_at, engine->leave_at);
		if (engine->lock_begun < INFINITY && !engine->lock_told)
			return number_min(engine->deadline,
			    engine->lock_begun + LOCK_PATIENCE);
		return patience(engine);
	case STATE_DELIVERING:
		return engine->deadline;
	case STATE_IDLE:
	case STATE_FINISHED:
		break;
	}
	return INFINITY;
}

static void
begin_process(struct engine *engine, double deadline)
{
	engine->phase = PHASE_RUNS;
	engine->exited = engine->collecting = engine->abandoned = false;
	engine->cut = engine->idle = false;
	engine->deadline = deadline;
	engine->kill_at = engine->leave_at = INFINITY;
}

static enum action_kind
abandon(struct engine *engine)
{
	engine->abandoned = !engine->exited || engine->collecting;
	engine->deadline = engine->kill_at = engine->leave_at = INFINITY;
	return ACTION_ABANDON;
}

/*
 * Sends the first signal.  SIGKILL follows after --kill-after; without that
 * only --max-time limits the wait.
 */
static enum action_kind
end_process(struct engine *engine, double now)
{
	const struct policy *policy = engine->policy;

	engine->cut = !in_time(engine, now);
	engine->phase = PHASE_ENDING;
	engine->kill_at =
	    policy->kill_after > 0 ? now + policy->kill_after : INFINITY;
	engine->leave_at =
	    number_max(run_end(engine), now) + policy->kill_after + LAST_GRACE;
	engine->send = policy->signal;
	return ACTION_KILL;
}

static enum action_kind
watch_process(struct engine *engine, double now)
{
	const bool ending = engine->phase != PHASE_RUNS;

	if (engine->collecting && now >= engine->deadline) {
		engine->cut = !in_time(engine, now);
		return abandon(engine);
	}
	if (!ending && now >= patience(engine)) {
		engine->idle = now < engine->deadline;
		return end_process(engine, now);
	}
	if (ending && now >= engine->kill_at) {
		engine->phase = PHASE_KILLED;
		engine->kill_at = INFINITY;
		engine->leave_at = engine->exited
		    ? now + LAST_GRACE
		    : number_max(engine->leave_at, now + LAST_GRACE);
		engine->send = SIGKILL;
		return ACTION_KILL;
	}
	if (ending && now >= engine->leave_at)
		return abandon(engine);
	return ACTION_NONE;
}

/* Asks for the outcome of the process, which may have to wait for a reader. */
static enum action_kind
collect(struct engine *engine, double now)
{
	engine->collecting = true;
	engine->kill_at = engine->leave_at = INFINITY;
	engine->deadline =
	    in_time(engine, now) ? run_end(engine) : now + LAST_GRACE;
	if (engine->signal != 0)
		engine->deadline = now + LAST_GRACE;
	return ACTION_COLLECT;
}

/* After a timeout nothing may be left, or two attempts would overlap. */
static enum action_kind
on_exited(struct engine *engine, double now)
{
	engine->exited = true;
	if (engine->phase == PHASE_RUNS)
		return collect(engine, now);
	if (engine->policy->kill_after == 0)
		return abandon(engine);
	if (engine->phase == PHASE_ENDING)
		engine->leave_at = INFINITY;
	else
		engine->leave_at =
		    number_min(engine->leave_at, now + LAST_GRACE);
	engine->send = 0;
	return ACTION_CLEAN;
}

/* --- questions --- */

static enum action_kind
ask(struct engine *engine, enum question question, double deadline)
{
	engine->state = STATE_ASKING;
	engine->question = question;
	begin_process(engine, deadline);
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
		deadline = number_min(deadline, now + policy->timeout);
	if (share > 0)
		deadline = number_min(deadline,
		    now + number_max(share * (end - now), least));
	return deadline;
}

/* --- the end --- */

/* The action after the end of a run, by its reason. */
static const struct {
	bool saves; /* the state */
	bool hooks; /* --on-success or --on-give-up */
} ends[] = {
	[REASON_NONE] = { false, false },
	[REASON_SUCCESS] = { true, true },
	[REASON_ATTEMPTS] = { true, true },
	[REASON_MAX_TIME] = { true, true },
	[REASON_STOP] = { false, true },
	[REASON_SIGNAL] = { false, false },
	[REASON_BUDGET] = { true, true },
	[REASON_GATE] = { true, true },
	[REASON_HINT] = { true, true },
	[REASON_EARLY] = { false, false },
	[REASON_PLAN] = { false, false },
	[REASON_ERROR] = { false, true },
};

/* Whether a run that ends so may be tolerated. */
static bool
gives_up(enum reason reason)
{
	return ends[reason].saves && reason != REASON_SUCCESS;
}

/* Runs in a row that gave up, with this one if it did. */
static uint64_t
count_given_up(const struct engine *engine)
{
	return gives_up(engine->run.reason) && engine->run.attempt > 0
	    ? next_number(engine->earlier.given_up)
	    : engine->earlier.given_up;
}

/* The state for the next run: the delay, or a fresh start after a success. */
static struct progress
progress(const struct engine *engine, double now)
{
	const bool level = engine->policy->backoff.strategy->keeps_level;
	const bool success = engine->run.judgement.verdict == VERDICT_SUCCESS;

	if (success)
		return (struct progress){
			.level = level ? engine->level
				       : (struct level){ .begun = false },
			/* With --repeat the run may still give up. */
			.given_up = engine->run.reason == REASON_NONE
			    ? engine->earlier.given_up
			    : 0,
		};
	return (struct progress){
		.level = engine->level,
		.n = engine->n,
		.failures = engine->earlier.failures,
		.given_up = count_given_up(engine),
		.delay = engine->run.delay.seconds,
		.age = now - engine->delay_begun,
	};
}

static enum action_kind out_of_time(struct engine *engine, double now);

/*
 * Between a verdict and the wait or end that it leads to, held output goes
 * out and the state is saved.
 */
static enum action_kind
settle(struct engine *engine, double now)
{
	const struct policy *policy = engine->policy;
	const enum reason reason = engine->run.reason;
	const bool over = reason != REASON_NONE;

	switch (engine->stage) {
	case STAGE_DELIVER:
		engine->stage = STAGE_SAVE;
		if (over
			? policy->delivery != DELIVERY_NONE
			: policy->delivery == DELIVERY_EACH && engine->untold) {
			engine->state = STATE_DELIVERING;
			engine->deadline = reason == REASON_SUCCESS
			    ? INFINITY
			    : number_max(run_end(engine), now + LAST_GRACE);
			/* A reader that takes nothing is not waited for. */
			if (reason == REASON_SIGNAL ||
			    reason == REASON_MAX_TIME)
				engine->deadline = now + LAST_GRACE;
			return ACTION_DELIVER;
		}
		/* FALLTHROUGH */
	case STAGE_SAVE:
		engine->stage = STAGE_LAST;
		if (policy->remember &&
		    (over ? ends[reason].saves && engine->run.attempt > 0
			  : engine->untold &&
				engine->run.judgement.verdict ==
				    VERDICT_SUCCESS))
			return ask(engine, ASK_SAVE, INFINITY);
		/* FALLTHROUGH */
	case STAGE_LAST:
		if (!over && !in_time(engine, now))
			return out_of_time(engine, now);
		engine->stage = STAGE_DONE;
		if (!over) {
			engine->state = STATE_WAITING;
			return ACTION_WAIT;
		}
		if (ends[reason].hooks &&
		    (reason == REASON_SUCCESS ? policy->on_success
					      : policy->on_give_up))
			return ask(engine, ASK_HOOK, INFINITY);
		/* FALLTHROUGH */
	case STAGE_DONE:
		break;
	}
	engine->state = STATE_FINISHED;
	return ACTION_FINISH;
}

/* The run is over, for this reason. */
static void
end_run(struct engine *engine, enum reason reason, int status)
{
	/* An error or signal on the way to the end only changes its reason. */
	if (engine->run.reason == REASON_NONE)
		engine->stage = engine->state == STATE_DELIVERING
		    ? STAGE_SAVE
		    : STAGE_DELIVER;
	engine->lock_begun = INFINITY;
	engine->run.reason = reason;
	engine->run.status = status;
	engine->run.given_up = count_given_up(engine);
	engine->run.tolerated =
	    gives_up(reason) && engine->run.given_up < engine->policy->tolerate;
	if (engine->run.tolerated)
		engine->run.status = engine->run.death = 0;
}

static enum action_kind
finish(struct engine *engine, enum reason reason, int status, double now)
{
	end_run(engine, reason, status);
	return settle(engine, now);
}

/* The status of an attempt with which the run ends. */
static int
last_status(const struct engine *engine)
{
	const struct outcome returned = engine->returned;

	if (!engine->policy->preserve_status)
		return outcome_status(engine->evidence.outcome);
	return returned.kind == OUTCOME_EXIT ? returned.code
					     : outcome_status(returned);
}

/* Ends without success, as the last attempt did. */
static enum action_kind
give_up(struct engine *engine, enum reason reason, double now)
{
	const struct outcome outcome = engine->evidence.outcome;

	if (outcome.kind == OUTCOME_SIGNAL)
		engine->run.death = outcome.code;
	return finish(engine, reason, last_status(engine), now);
}

static enum action_kind
succeed(struct engine *engine, double now)
{
	return finish(engine, REASON_SUCCESS,
	    engine->policy->preserve_status ? last_status(engine) : 0, now);
}

static enum action_kind
die(struct engine *engine, int signal, double now)
{
	/* A second signal does not wait for what the first one left. */
	const bool goes_out = engine->state == STATE_DELIVERING &&
	    engine->run.reason != REASON_SIGNAL;

	engine->run.death = signal;
	engine->run.ended_by = signal;
	end_run(engine, REASON_SIGNAL, 128 + signal);
	if (!goes_out)
		return settle(engine, now);
	engine->deadline = now + LAST_GRACE;
	return ACTION_NONE;
}

/* No time is left for another attempt. */
static enum action_kind
out_of_time(struct engine *engine, double now)
{
	if (engine->run.attempt == 0)
		return finish(engine, REASON_MAX_TIME, STATUS_TIMEOUT, now);
	if (engine->run.judgement.verdict == VERDICT_SUCCESS)
		return succeed(engine, now);
	return give_up(engine, REASON_MAX_TIME, now);
}

/* retry itself failed, and nothing runs any more. */
static enum action_kind
own_failure(struct engine *engine, double now)
{
	const int death = engine->run.death;

	if (engine->untold && engine->run.judgement.verdict == VERDICT_NONE)
		engine->run.judgement =
		    (struct judgement){ VERDICT_STOP, RULE_ERROR, false };
	return finish(engine, REASON_ERROR,
	    death != 0 ? 128 + death : STATUS_OWN_FAILURE, now);
}

/* --- attempts and waits --- */

static enum action_kind
begin_attempt(struct engine *engine, double now)
{
	const struct policy *policy = engine->policy;
	struct record *run = &engine->run;

	run->attempt = next_number(run->attempt);
	run->used = next_number(run->used);
	engine->state = STATE_RUNNING;
	engine->attempt_begun = engine->active = now;
	if (policy->pace_start) {
		struct level level = engine->level;

		engine->paced = delay_draw(policy, &engine->random, &level,
		    (struct delay_request){ .n = next_number(engine->n),
			.attempt = next_number(run->attempt) });
	}
	double deadline = process_deadline(engine, now, policy->min_timeout);
	if (policy->timeout_share == 0 && policy->min_timeout > 0)
		deadline = number_min(deadline,
		    now +
			number_max(engine->paced.seconds, policy->min_timeout));
	begin_process(engine, deadline);
	run->started = now - engine->begun;
	run->timeout = deadline - now;
	return ACTION_RUN;
}

/* No wait is begun that ends with no time left. */
static enum action_kind
begin_wait(struct engine *engine, double now)
{
	if (!in_time(engine, now + engine->run.delay.seconds))
		return out_of_time(engine, now);
	engine->wait_begun = now;
	engine->run.due = now - engine->begun + engine->run.delay.seconds;
	engine->stage = STAGE_DELIVER;
	return settle(engine, now);
}

/* --splay, --wait-first, and a delay that an earlier run left. */
static enum action_kind
wait_first(struct engine *engine, bool first, double now)
{
	const struct policy *policy = engine->policy;
	struct delay *delay = &engine->run.delay;

	*delay = (struct delay){ .hint = -1 };
	if (engine->earlier.delay > 0) {
		engine->run.kept = true;
		delay->nominal = delay->low = delay->high = delay->seconds =
		    engine->earlier.delay;
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

	if (!in_time(engine, now))
		return out_of_time(engine, now);
	if (first || engine->policy->splay > 0 || engine->earlier.delay > 0)
		return wait_first(engine, first, now);
	return begin_attempt(engine, now);
}

/* Standard input is taken only once it is sure that attempts are made. */
static enum action_kind
prepare(struct engine *engine, double now)
{
	if (engine->policy->input && in_time(engine, now))
		return ask(engine, ASK_INPUT, run_end(engine));
	return begin(engine, now);
}

static enum action_kind
leave_wait(struct engine *engine, double now)
{
	const double waited = now - engine->wait_begun;

	/* SIGURG may have ended it before all of --splay was over. */
	if (engine->run.attempt == 0)
		engine->splayed = number_min(engine->splayed, waited);
	engine->run.just_waited = waited;
	engine->run.waited += waited;
	if (!in_time(engine, now))
		return out_of_time(engine, now);
	if (engine->run.attempt > 0 && engine->policy->gate)
		return ask(engine, ASK_GATE,
		    process_deadline(engine, now, engine->policy->min_timeout));
	return begin_attempt(engine, now);
}

/* The wait after an attempt that failed, or, with --repeat, succeeded. */
static void
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
		delay = delay_left(delay, now - engine->attempt_begun);
	if (engine->hint >= 0)
		delay = delay_hinted(policy, &engine->random, delay,
		    engine->hint, attempt);
	engine->run.delay = delay;
	engine->delay_begun = now;
}

/* --- verdicts --- */

static enum action_kind
after_success(struct engine *engine, double now)
{
	const struct policy *policy = engine->policy;

	engine->earlier.failures = 0;
	engine->successes = next_number(engine->successes);
	if (!policy->repeat ||
	    (policy->repeats > 0 && engine->successes >= policy->repeats)) {
		if (policy->remember)
			backoff_success(&policy->backoff, &engine->level, 0);
		return succeed(engine, now);
	}
	engine->run.used = 0;
	/* Windows outlast a success. */
	memset(engine->tally.counts, 0, sizeof(engine->tally.counts));
	engine->n = 0;
	find_delay(engine, true, now);
	if (engine->hint > policy->hint_limit)
		return succeed(engine, now);
	return begin_wait(engine, now);
}

static void
count_failure(struct engine *engine, double now)
{
	const double threshold = engine->policy->reset_after;
	/* The attempt ran long enough before it failed. */
	const bool lasted = threshold > 0 &&
	    engine->evidence.outcome.kind != OUTCOME_TIMEOUT &&
	    engine->run.duration >= threshold;

	engine->successes = 0;
	engine->earlier.failures = next_number(engine->earlier.failures);
	if (engine->healthy || lasted) {
		engine->n = 0;
		engine->run.used = 1;
		engine->level = (struct level){ .begun = false };
		memset(&engine->tally, 0, sizeof(engine->tally));
	}
	const bool free =
	    set_has(&engine->policy->free, engine->evidence.outcome);
	if (free)
		engine->run.used--;
	engine->run.reached = limits_failure(&engine->policy->limits,
	    &engine->tally, engine->evidence.outcome, free, now);
	engine->n = next_number(engine->n);
}

/* --attempts allows no other. */
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
	const enum reason reason =
	    engine->cut ? REASON_MAX_TIME : REASON_ATTEMPTS;
	if (is_final(engine) && !policy->remember)
		return give_up(engine, reason, now);
	find_delay(engine, false, now);
	if (is_final(engine))
		return give_up(engine, reason, now);
	if (engine->hint > policy->hint_limit ||
	    (in_time(engine, now) && !in_time(engine, now + engine->hint))) {
		engine->run.too_long = engine->hint;
		engine->run.too_late = engine->hint <= policy->hint_limit;
		return give_up(engine, REASON_HINT, now);
	}
	if (policy->budget && in_time(engine, now + engine->run.delay.seconds))
		return ask(engine, ASK_BUDGET, INFINITY);
	return begin_wait(engine, now);
}

/*
 * --max-time ended the process, or will not let it run.  An attempt whose
 * verdict is not known by then has failed.
 */
static enum action_kind
cut_short(struct engine *engine, double now)
{
	const bool asked = engine->state == STATE_ASKING;
	const bool is_attempt = !asked || engine->question == ASK_CHECK;

	engine->run.judgement =
	    (struct judgement){ VERDICT_STOP, RULE_MAX_TIME, false };
	if (!asked)
		engine->run.cut = CUT_ATTEMPT;
	else if (engine->question == ASK_CHECK)
		engine->run.cut = CUT_CHECK;
	else if (engine->question == ASK_GATE)
		engine->run.cut = CUT_GATE;
	if (is_attempt) {
		count_failure(engine, now);
		if (engine->policy->remember)
			find_delay(engine, false, now);
	}
	return finish(engine, REASON_MAX_TIME,
	    engine->policy->preserve_status && engine->run.attempt > 0
		? last_status(engine)
		: STATUS_TIMEOUT,
	    now);
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
			    process_deadline(engine, now, 0));
		return cut_short(engine, now);
	case VERDICT_SUCCESS:
		return after_success(engine, now);
	case VERDICT_RETRY:
		return after_failure(engine, now);
	case VERDICT_STOP:
		break;
	}
	count_failure(engine, now);
	return give_up(engine, REASON_STOP, now);
}

/* A signal was passed on to the attempt: its outcome is the run's. */
static enum action_kind
ended_by_signal(struct engine *engine, double now)
{
	const struct outcome outcome = engine->evidence.outcome;

	engine->run.judgement =
	    (struct judgement){ VERDICT_STOP, RULE_SIGNAL, false };
	engine->run.ended_by = engine->signal;
	if (outcome.kind == OUTCOME_UNFORKED)
		return die(engine, engine->signal, now);
	if (outcome.kind == OUTCOME_EXIT && outcome.code == 0)
		return finish(engine, REASON_SIGNAL, 0, now);
	return give_up(engine, REASON_SIGNAL, now);
}

/* The attempt is over. */
static enum action_kind
on_ended(struct engine *engine, const struct event *event)
{
	const double now = event->now;
	struct outcome *outcome = &engine->evidence.outcome;

	engine->evidence = event->evidence;
	outcome->hinted = event->hint >= 0;
	engine->evidence.check = VERDICT_NONE;
	engine->evidence.idle = engine->idle;
	engine->returned = *outcome;
	if (engine->phase != PHASE_RUNS && !engine->failed &&
	    outcome_ran(*outcome))
		*outcome = (struct outcome){ OUTCOME_TIMEOUT,
			.hinted = outcome->hinted };
	engine->hint = event->hint;
	engine->healthy = event->healthy;
	engine->run.outcome = *outcome;
	engine->run.silent = engine->idle ? engine->policy->idle_timeout : 0;
	engine->run.duration = now - engine->attempt_begun;
	engine->run.judgement = (struct judgement){ .verdict = VERDICT_NONE };
	engine->run.command_timed_out = false;
	engine->untold = true;
	if (engine->cut)
		engine->run.cut = CUT_ATTEMPT;
	if (engine->failed)
		return own_failure(engine, now);
	if (engine->signal != 0)
		return ended_by_signal(engine, now);
	return engine->abandoned ? cut_short(engine, now) : judge(engine, now);
}

static enum action_kind
on_answer(struct engine *engine, const struct event *event)
{
	const double now = event->now;
	const bool yes = event->answer == VERDICT_SUCCESS;
	const bool timed_out = engine->phase != PHASE_RUNS;

	if (engine->question == ASK_SAVE || engine->question == ASK_HOOK) {
		if (yes || engine->question == ASK_HOOK)
			return settle(engine, now);
		engine->run.death = 0;
		return own_failure(engine, now);
	}
	if (engine->failed)
		return own_failure(engine, now);
	if (engine->signal != 0) {
		if (engine->question == ASK_CHECK)
			engine->run.judgement =
			    (struct judgement){ VERDICT_STOP, RULE_SIGNAL,
				    false };
		return die(engine, engine->signal, now);
	}
	if (engine->abandoned || engine->cut)
		return cut_short(engine, now);
	engine->run.command_timed_out = timed_out;
	switch (engine->question) {
	case ASK_STATE:
		if (event->answer == VERDICT_NONE)
			return own_failure(engine, now);
		if (!in_time(engine, now))
			return out_of_time(engine, now);
		if (!yes && !engine->policy->early_skip) {
			if (engine->lock_begun == INFINITY)
				engine->lock_begun = now;
			return ask(engine, ASK_LOCK, run_end(engine));
		}
		engine->run.too_early = yes ? event->progress.delay : 0;
		if (!yes ||
		    (event->progress.delay > 0 && engine->policy->early_skip))
			return finish(engine, REASON_EARLY, STATUS_TOO_EARLY,
			    now);
		engine->lock_begun = INFINITY;
		engine->earlier = event->progress;
		engine->level = engine->earlier.level;
		engine->n = engine->earlier.n;
		return prepare(engine, now);
	case ASK_LOCK:
		if (!yes)
			return own_failure(engine, now);
		if (!in_time(engine, now))
			return out_of_time(engine, now);
		return ask(engine, ASK_STATE, run_end(engine));
	case ASK_INPUT:
		return begin(engine, now);
	case ASK_CHECK:
		engine->evidence.check =
		    timed_out ? VERDICT_RETRY : event->answer;
		return judge(engine, now);
	case ASK_BUDGET:
		return yes ? begin_wait(engine, now)
			   : give_up(engine, REASON_BUDGET, now);
	case ASK_GATE:
		if (!yes || timed_out)
			return give_up(engine, REASON_GATE, now);
		return in_time(engine, now) ? begin_attempt(engine, now)
					    : out_of_time(engine, now);
	case ASK_SAVE:
	case ASK_HOOK:
		break;
	}
	return own_failure(engine, now);
}

/* --- time and signals --- */

static enum action_kind
on_timer(struct engine *engine, double now)
{
	switch (engine->state) {
	case STATE_RUNNING:
		return watch_process(engine, now);
	case STATE_ASKING:
		if (process_runs(engine))
			return watch_process(engine, now);
		if (now >= engine->deadline)
			return engine->question == ASK_HOOK
			    ? settle(engine, now)
			    : out_of_time(engine, now);
		break;
	case STATE_WAITING:
		if (now >= engine->wait_begun + engine->run.delay.seconds)
			return leave_wait(engine, now);
		break;
	case STATE_DELIVERING:
		if (now < engine->deadline)
			break;
		if (engine->run.reason == REASON_NONE)
			return out_of_time(engine, now);
		if (engine->run.reason == REASON_SIGNAL &&
		    engine->run.status == 0)
			return die(engine, engine->signal, now);
		return settle(engine, now);
	case STATE_IDLE:
	case STATE_FINISHED:
		break;
	}
	return ACTION_NONE;
}

/* An orphan has ended: maybe it was the last that was left. */
static enum action_kind
on_reaped(struct engine *engine, double now)
{
	if (engine->state == STATE_DELIVERING)
		return ACTION_NONE;
	if (!process_runs(engine) || !engine->exited || engine->collecting ||
	    now >= next_timer(engine))
		return on_timer(engine, now);
	engine->send = engine->phase == PHASE_KILLED ? SIGKILL : 0;
	return ACTION_CLEAN;
}

static enum action_kind
on_signal(struct engine *engine, const struct event *event)
{
	const double now = event->now;

	if (engine->state == STATE_WAITING && event->signal == SIGURG)
		return leave_wait(engine, now);
	/*
	 * The timer is left alone, even if it is due: the next signal may end
	 * the run, and a reader may have taken some of the output.
	 */
	if (!event->ends_run &&
	    (engine->state == STATE_WAITING ||
		engine->state == STATE_DELIVERING))
		return ACTION_NONE;
	if (!event->ends_run || engine->state == STATE_FINISHED ||
	    (engine->state == STATE_ASKING && engine->question == ASK_HOOK))
		return on_timer(engine, now);
	if (!process_runs(engine)) {
		engine->run.in_a_wait = true;
		if (engine->state == STATE_WAITING)
			engine->run.waited += now - engine->wait_begun;
		return die(engine, event->signal, now);
	}
	if (engine->signal == 0)
		engine->signal = event->signal;
	if (engine->collecting)
		engine->deadline =
		    number_min(engine->deadline, now + LAST_GRACE);
	return on_timer(engine, now);
}

/* The process that runs is ended as if its time were over. */
static enum action_kind
on_error(struct engine *engine, const struct event *event)
{
	const bool instead_of_answer = event->answer != VERDICT_NONE;

	/* The end was told, and its hook goes on. */
	if (engine->state == STATE_ASKING && engine->question == ASK_HOOK)
		return engine->collecting || instead_of_answer
		    ? settle(engine, event->now)
		    : ACTION_NONE;
	engine->run.death = event->signal;
	if (!process_runs(engine) || instead_of_answer)
		return own_failure(engine, event->now);
	engine->failed = true;
	if (engine->collecting)
		return engine->state == STATE_RUNNING
		    ? on_ended(engine, event)
		    : own_failure(engine, event->now);
	engine->deadline = event->now;
	return watch_process(engine, event->now);
}

static enum action_kind
handle(struct engine *engine, const struct event *event)
{
	switch (event->kind) {
	case EVENT_START:
		engine->begun = event->now;
		if (!engine->policy->remember)
			return prepare(engine, event->now);
		/* Nothing is tolerated before the state tells the number. */
		engine->earlier.given_up = UINT64_MAX;
		return ask(engine, ASK_STATE, run_end(engine));
	case EVENT_EXITED:
		return on_exited(engine, event->now);
	case EVENT_REAPED:
		return on_reaped(engine, event->now);
	case EVENT_CLEAN:
		return collect(engine, event->now);
	case EVENT_ENDED:
		return on_ended(engine, event);
	case EVENT_ANSWER:
		return on_answer(engine, event);
	case EVENT_TIMER:
		return on_timer(engine, event->now);
	case EVENT_SIGNAL:
		return on_signal(engine, event);
	case EVENT_PROGRESS:
		if (engine->deadline < INFINITY)
			engine->deadline = number_max(engine->deadline,
			    event->now + LAST_GRACE);
		return ACTION_NONE;
	case EVENT_DELIVERED:
		if (engine->state == STATE_DELIVERING)
			return settle(engine, event->now);
		break;
	case EVENT_PLANNED:
		engine->run.reason = REASON_PLAN;
		engine->state = STATE_FINISHED;
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
	if (engine->state == STATE_ASKING && engine->question == ASK_LOCK)
		record.locked = now - engine->lock_begun;
	return record;
}

static void
tell(struct step *step, const struct engine *engine, enum record_kind kind,
    double now)
{
	struct record *record = &step->records[step->count++];

	*record = engine_record(engine, now);
	record->kind = kind;
}

struct step
engine_step(struct engine *engine, struct event event)
{
	engine->active = number_max(engine->active, event.active);
	const enum action_kind kind = handle(engine, &event);
	const double now = event.now;
	/* The end is told before the hook runs, or else at FINISH. */
	const bool hook = kind == ACTION_ASK && engine->question == ASK_HOOK;
	const bool over =
	    hook || (kind == ACTION_FINISH && engine->question != ASK_HOOK);
	struct step step = { .count = 0 };

	if (event.kind == EVENT_START)
		tell(&step, engine, RECORD_START, now);
	if (event.kind == EVENT_SIGNAL) {
		engine->run.signal = event.signal;
		engine->run.forwarded = event.forwarded;
		tell(&step, engine, RECORD_SIGNAL, now);
	}
	if (engine->state == STATE_ASKING && !engine->lock_told &&
	    now >= engine->lock_begun + LOCK_PATIENCE) {
		engine->lock_told = true;
		tell(&step, engine, RECORD_LOCK, now);
	}
	/* A verdict is recorded with the wait or end that follows. */
	if (engine->untold && (kind == ACTION_WAIT || over)) {
		engine->untold = false;
		if (engine->run.judgement.verdict != VERDICT_SUCCESS)
			engine->run.failures =
			    next_number(engine->run.failures);
		tell(&step, engine, RECORD_OUTCOME, now);
	}
	if (kind == ACTION_WAIT)
		tell(&step, engine, RECORD_WAIT, now);
	if (over)
		tell(&step, engine, RECORD_END, now);
	step.action = (struct action){
		.kind = kind,
		.wake = number_max(next_timer(engine), now),
		.question = engine->question,
		.signal = engine->send,
		.progress = progress(engine, now),
	};
	return step;
}

struct engine *
engine_open(const struct policy *policy, struct random random)
{
	struct engine *engine = calloc(1, sizeof(*engine));

	if (engine == NULL)
		return NULL;
	engine->policy = policy;
	engine->random = random;
	engine->deadline = engine->kill_at = engine->leave_at = INFINITY;
	engine->lock_begun = INFINITY;
	engine->run.limit = policy->limits.attempts;
	engine->run.max_time = policy->max_time;
	engine->run.delay.hint = -1;
	engine->run.just_waited = -1;
	engine->run.user = engine->run.system = NAN;
	engine->run.chance = NAN;
	return engine;
}

void
engine_close(struct engine *engine)
{
	free(engine);
}
