#include <math.h>
#include <signal.h>

#include "engine.h"
#include "number.h"

/*
 * What SIGKILL gets to take effect, beyond --max-time; and a reader to take
 * something, when a signal has ended the run.
 */
#define LAST_GRACE 1.0

/* When the run must be over. */
static double
run_end(const struct engine *engine)
{
	const double limit = engine->policy->max_time;

	return limit > 0 ? engine->begun + limit : INFINITY;
}

/* Whether an attempt could begin at this time. */
static bool
in_time(const struct engine *engine, double when)
{
	return when < run_end(engine);
}

static uint64_t
next_number(uint64_t number)
{
	return number < UINT64_MAX ? number + 1 : number;
}

/* The end can be told only when it is known that what is held got out. */
static struct action
finish(struct engine *engine, enum reason reason, int status)
{
	const bool deliver = engine->policy->holds &&
	    engine->state != STATE_DELIVERING &&
	    engine->state != STATE_FINISHED;

	engine->state = deliver ? STATE_DELIVERING : STATE_FINISHED;
	engine->reason = reason;
	engine->status = status;
	if (deliver)
		return (
		    struct action){ .kind = ACTION_DELIVER, .wake = INFINITY };
	return (struct action){ .kind = ACTION_FINISH, .wake = INFINITY };
}

/* Ends without success, as the last attempt did. */
static struct action
give_up(struct engine *engine, enum reason reason)
{
	const struct outcome outcome = engine->evidence.outcome;

	if (outcome.kind == OUTCOME_SIGNAL)
		engine->death = outcome.code;
	return finish(engine, reason, outcome_status(outcome));
}

static struct action
die(struct engine *engine, int signal)
{
	engine->death = signal;
	return finish(engine, REASON_SIGNAL, 128 + signal);
}

/* There is no time for another attempt. */
static struct action
out_of_time(struct engine *engine)
{
	if (engine->attempt == 0)
		return finish(engine, REASON_MAX_TIME, STATUS_TIMEOUT);
	if (engine->judgement.verdict == VERDICT_SUCCESS)
		return finish(engine, REASON_SUCCESS, 0);
	return give_up(engine, REASON_MAX_TIME);
}

/* `retry` itself failed, and nothing runs any more. */
static struct action
own_failure(struct engine *engine)
{
	const int death = engine->death;

	if (engine->unreported && engine->judgement.verdict == VERDICT_NONE)
		engine->judgement = (struct judgement){ .verdict = VERDICT_STOP,
			.rule = RULE_ERROR };
	return finish(engine, REASON_ERROR,
	    death != 0 ? 128 + death : STATUS_OWN_FAILURE);
}

/* What a delay is computed from, but for chance. */
struct request {
	const struct policy *policy;
	struct backoff backoff;
	uint64_t n;
	bool throttled;
	bool success;
};

static double
request_nominal(const struct request *request, struct level *level, double u)
{
	const struct backoff *backoff = &request->backoff;
	const struct strategy *strategy = backoff->strategy;
	double nominal;

	if (request->success)
		return backoff_success(backoff, level,
		    request->policy->success_delay);
	nominal = backoff_nominal(backoff, level, request->n, u);
	if (request->throttled && (strategy->listed || strategy->keeps_level))
		nominal = number_max(nominal, request->policy->throttle_delay);
	return nominal;
}

/* One draw for each attempt, however often it is looked at. */
static double
chance(struct engine *engine)
{
	const uint64_t attempt = next_number(engine->attempt);

	if (engine->drawn_for != attempt)
		engine->chance =
		    random_uniform(&engine->random, attempt, DRAW_DELAY);
	engine->drawn_for = attempt;
	return engine->chance;
}

/*
 * The delay before the next attempt; moves the level.  One draw serves the
 * strategy or the jitter, of which only one is random; the ends of the range
 * are what the draws 0 and 1 would have given.
 */
static struct delay
draw(struct engine *engine, struct level *level, struct request request)
{
	const struct policy *policy = request.policy = engine->policy;
	const struct jitter *jitter = &policy->jitter;
	struct backoff *backoff = &request.backoff;
	struct level low_level = *level, high_level = *level;

	*backoff = policy->backoff;
	if (request.throttled && !backoff->strategy->keeps_level)
		backoff->base = policy->throttle_delay;
	const double low = jitter_delay(jitter, backoff,
	    request_nominal(&request, &low_level, 0), 0);
	const double high = jitter_delay(jitter, backoff,
	    request_nominal(&request, &high_level, 1), 1);
	const double u = low < high ? chance(engine) : 0;
	const double nominal = request_nominal(&request, level, u);
	return (struct delay){
		.nominal = backoff_hold(backoff, nominal),
		.low = low,
		.high = high,
		.seconds = jitter_delay(jitter, backoff, nominal, u),
		.hint = -1,
	};
}

/* --pace=start: what is left of a delay that began with the attempt. */
static struct delay
still_waited(const struct engine *engine, struct delay delay, double now)
{
	const double elapsed = now - engine->attempt_begun;

	delay.low = number_max(delay.low - elapsed, 0);
	delay.high = number_max(delay.high - elapsed, 0);
	delay.seconds = number_max(delay.seconds - elapsed, 0);
	return delay;
}

/* A hint is a minimum, spread upward so that a fleet does not come at once. */
static struct delay
hinted(struct engine *engine, struct delay delay)
{
	const struct policy *policy = engine->policy;
	const double hint = engine->hint;
	const double most = number_min(hint * (1 + policy->hint_spread),
	    number_max(policy->hint_limit, hint));
	double spread = hint;

	if (policy->hint_spread > 0)
		spread += (most - hint) *
		    random_uniform(&engine->random,
			next_number(engine->attempt), DRAW_HINT);
	delay.hint = hint;
	delay.low = number_max(delay.low, hint);
	delay.high = number_max(delay.high, most);
	delay.seconds = number_max(delay.seconds, spread);
	return delay;
}

/* The wait after an attempt that failed, or, with --repeat, succeeded. */
static struct delay
next_delay(struct engine *engine, bool success, double now)
{
	const struct policy *policy = engine->policy;
	const bool throttled = engine->judgement.throttled;
	struct delay delay = draw(engine, &engine->level,
	    (struct request){ .n = engine->n,
		.throttled = throttled,
		.success = success });

	if (policy->pace_start) {
		if (throttled && delay.seconds < engine->paced.seconds)
			delay = engine->paced;
		delay = still_waited(engine, delay, now);
	}
	return engine->hint >= 0 ? hinted(engine, delay) : delay;
}

/* --splay, --wait-first, and what an earlier run left to wait. */
static struct delay
first_delay(struct engine *engine)
{
	const struct policy *policy = engine->policy;
	struct delay delay = { .hint = -1 };

	if (engine->first_wait > 0)
		delay.nominal = delay.low = delay.high = delay.seconds =
		    engine->first_wait;
	else if (policy->wait_first && engine->n == 0)
		delay = draw(engine, &engine->level,
		    (struct request){
			.n = engine->n = next_number(engine->n) });
	if (policy->splay > 0) {
		delay.high += policy->splay;
		delay.seconds += policy->splay *
		    random_uniform(&engine->random, 1, DRAW_SPLAY);
	}
	return delay;
}

/* No wait is begun that ends with no time left. */
static struct action
wait(struct engine *engine, double now)
{
	if (!in_time(engine, now + engine->delay.seconds))
		return out_of_time(engine);
	engine->state = STATE_WAITING;
	engine->wait_begun = now;
	return (struct action){ .kind = ACTION_WAIT,
		.wake = now + engine->delay.seconds };
}

static struct action
ask(struct engine *engine, enum question question)
{
	engine->state = STATE_ASKING;
	engine->question = question;
	engine->ending = false;
	engine->deadline = run_end(engine);
	return (struct action){
		.kind = ACTION_ASK,
		.question = question,
		.wake = engine->deadline,
	};
}

/* When the attempt that begins now must end. */
static double
attempt_deadline(const struct engine *engine, double now)
{
	const struct policy *policy = engine->policy;
	const double end = run_end(engine);
	double deadline = end;

	if (policy->timeout > 0)
		deadline = number_min(deadline, now + policy->timeout);
	if (policy->timeout_share > 0)
		deadline = number_min(deadline,
		    now +
			number_max(policy->timeout_share * (end - now),
			    policy->min_timeout));
	else if (policy->min_timeout > 0)
		deadline = number_min(deadline,
		    now +
			number_max(engine->paced.seconds, policy->min_timeout));
	return deadline;
}

static struct action
run(struct engine *engine, double now)
{
	engine->attempt = next_number(engine->attempt);
	engine->used = next_number(engine->used);
	engine->state = STATE_RUNNING;
	engine->attempt_begun = now;
	engine->ending = false;
	if (engine->policy->pace_start) {
		struct level level = engine->level;

		engine->paced = draw(engine, &level,
		    (struct request){ .n = next_number(engine->n) });
	}
	engine->deadline = attempt_deadline(engine, now);
	return (struct action){ .kind = ACTION_RUN, .wake = engine->deadline };
}

/* The first attempt, or the wait before it. */
static struct action
begin(struct engine *engine, double now)
{
	const struct policy *policy = engine->policy;

	if (!in_time(engine, now))
		return out_of_time(engine);
	if (!(policy->wait_first && engine->n == 0) && !(policy->splay > 0) &&
	    !(engine->first_wait > 0))
		return run(engine, now);
	engine->delay = first_delay(engine);
	return wait(engine, now);
}

/* What attempts read is taken only once it is sure that they are made. */
static struct action
prepare(struct engine *engine, double now)
{
	return engine->policy->input && in_time(engine, now)
	    ? ask(engine, ASK_INPUT)
	    : begin(engine, now);
}

static struct action
start(struct engine *engine, double now)
{
	engine->begun = now;
	return engine->policy->remember ? ask(engine, ASK_STATE)
					: prepare(engine, now);
}

static struct action
leave_wait(struct engine *engine, double now)
{
	engine->just_waited = now - engine->wait_begun;
	engine->waited += engine->just_waited;
	if (!in_time(engine, now))
		return out_of_time(engine);
	if (engine->attempt > 0 && engine->policy->gate)
		return ask(engine, ASK_GATE);
	return run(engine, now);
}

static struct action
succeeded(struct engine *engine, double now)
{
	const struct policy *policy = engine->policy;

	engine->successes = next_number(engine->successes);
	if (!policy->repeat ||
	    (policy->repeats > 0 && engine->successes >= policy->repeats)) {
		if (policy->remember)
			backoff_success(&policy->backoff, &engine->level, 0);
		return finish(engine, REASON_SUCCESS, 0);
	}
	engine->used = 0;
	engine->n = 0;
	engine->delay = next_delay(engine, true, now);
	if (engine->hint > policy->hint_limit)
		return give_up(engine, REASON_HINT);
	return wait(engine, now);
}

/* The attempt ran long enough to have been healthy before it failed. */
static bool
was_healthy(const struct engine *engine)
{
	const double threshold = engine->policy->reset_after;

	if (engine->healthy)
		return true;
	return threshold > 0 &&
	    engine->evidence.outcome.kind != OUTCOME_TIMEOUT &&
	    engine->attempt_ended - engine->attempt_begun >= threshold;
}

static void
count_failure(struct engine *engine)
{
	engine->successes = 0;
	if (was_healthy(engine)) {
		engine->n = 0;
		engine->used = 1;
		engine->level = (struct level){ .begun = false };
	}
	if (set_has(&engine->policy->free, engine->evidence.outcome))
		engine->used--;
	engine->n = next_number(engine->n);
}

static struct action
failed(struct engine *engine, double now)
{
	const struct policy *policy = engine->policy;

	count_failure(engine);
	const bool final = engine_is_final(engine);
	if (final && !policy->remember)
		return give_up(engine, REASON_ATTEMPTS);
	engine->delay = next_delay(engine, false, now);
	if (final)
		return give_up(engine, REASON_ATTEMPTS);
	if (engine->hint > policy->hint_limit ||
	    (in_time(engine, now) && !in_time(engine, now + engine->hint)))
		return give_up(engine, REASON_HINT);
	if (policy->budget && in_time(engine, now + engine->delay.seconds))
		return ask(engine, ASK_BUDGET);
	return wait(engine, now);
}

/*
 * --max-time ended what ran, or will not let it run.  An attempt whose verdict
 * is not known by then has failed.
 */
static struct action
cut_short(struct engine *engine, double now)
{
	const bool counted =
	    engine->state == STATE_ASKING && engine->question != ASK_CHECK;

	engine->judgement = (struct judgement){ .verdict = VERDICT_STOP,
		.rule = RULE_MAX_TIME };
	if (!counted) {
		count_failure(engine);
		if (engine->policy->remember)
			engine->delay = next_delay(engine, false, now);
	}
	return finish(engine, REASON_MAX_TIME, STATUS_TIMEOUT);
}

static struct action
judge(struct engine *engine, double now)
{
	engine->judgement =
	    verdict_judge(&engine->policy->rules, &engine->evidence);
	switch (engine->judgement.verdict) {
	case VERDICT_NONE:
		return in_time(engine, now) ? ask(engine, ASK_CHECK)
					    : cut_short(engine, now);
	case VERDICT_SUCCESS:
		return succeeded(engine, now);
	case VERDICT_RETRY:
		return failed(engine, now);
	case VERDICT_STOP:
		break;
	}
	count_failure(engine);
	return give_up(engine, REASON_STOP);
}

/* A signal was passed on to the attempt: its outcome is the run's. */
static struct action
ended_by_signal(struct engine *engine)
{
	const struct outcome outcome = engine->evidence.outcome;

	engine->judgement =
	    (struct judgement){ .verdict = VERDICT_STOP, .rule = RULE_SIGNAL };
	if (outcome.kind == OUTCOME_UNFORKED)
		return die(engine, engine->signal);
	if (outcome.kind == OUTCOME_EXIT && outcome.code == 0)
		return finish(engine, REASON_SIGNAL, 0);
	return give_up(engine, REASON_SIGNAL);
}

static struct action
ended(struct engine *engine, const struct event *event)
{
	engine->attempt_ended = event->now;
	engine->evidence = event->evidence;
	engine->evidence.check = VERDICT_NONE;
	engine->hint = event->hint;
	engine->healthy = event->healthy;
	engine->unreported = true;
	engine->judgement = (struct judgement){ .verdict = VERDICT_NONE };
	if (engine->failed)
		return own_failure(engine);
	if (engine->signal != 0)
		return ended_by_signal(engine);
	return judge(engine, event->now);
}

static struct action
answered(struct engine *engine, const struct event *event)
{
	const bool yes = event->answer == VERDICT_SUCCESS;

	if (engine->failed)
		return own_failure(engine);
	if (engine->signal != 0) {
		if (engine->question == ASK_CHECK)
			engine->judgement =
			    (struct judgement){ .verdict = VERDICT_STOP,
				    .rule = RULE_SIGNAL };
		return die(engine, engine->signal);
	}
	if (engine->ending)
		return cut_short(engine, event->now);
	switch (engine->question) {
	case ASK_STATE:
		if (event->answer == VERDICT_NONE)
			return own_failure(engine);
		return yes ? prepare(engine, event->now)
			   : finish(engine, REASON_EARLY, STATUS_TOO_EARLY);
	case ASK_CHECK:
		engine->evidence.check = event->answer;
		return judge(engine, event->now);
	case ASK_BUDGET:
		return yes ? wait(engine, event->now)
			   : give_up(engine, REASON_BUDGET);
	case ASK_INPUT:
		return begin(engine, event->now);
	case ASK_GATE:
		break;
	}
	if (!yes)
		return give_up(engine, REASON_GATE);
	return in_time(engine, event->now) ? run(engine, event->now)
					   : out_of_time(engine);
}

/* A process: input is read by `retry` itself. */
static bool
something_runs(const struct engine *engine)
{
	return engine->state == STATE_RUNNING ||
	    (engine->state == STATE_ASKING && engine->question != ASK_INPUT);
}

/* When what runs must be looked at again. */
static double
next_alarm(const struct engine *engine)
{
	return engine->ending ? number_min(engine->kill_at, engine->leave_at)
			      : engine->deadline;
}

static struct action
send(const struct engine *engine, int signal)
{
	return (struct action){
		.kind = ACTION_KILL,
		.signal = signal,
		.wake = next_alarm(engine),
	};
}

/* The first signal; only --max-time ends the patience with what ignores it. */
static struct action
end_it(struct engine *engine, double now)
{
	const struct policy *policy = engine->policy;

	engine->ending = true;
	engine->kill_at =
	    policy->kill_after > 0 ? now + policy->kill_after : INFINITY;
	engine->leave_at =
	    number_max(run_end(engine), now) + policy->kill_after + LAST_GRACE;
	return send(engine, policy->signal);
}

static struct action
kill_it(struct engine *engine, double now)
{
	engine->kill_at = INFINITY;
	engine->leave_at = number_max(engine->leave_at, now + LAST_GRACE);
	return send(engine, SIGKILL);
}

static struct action
leave_it(struct engine *engine, double now)
{
	if (engine->state == STATE_RUNNING) {
		engine->attempt_ended = now;
		engine->unreported = true;
		engine->evidence =
		    (struct evidence){ .outcome = { .kind = OUTCOME_TIMEOUT } };
		engine->judgement =
		    (struct judgement){ .verdict = VERDICT_NONE };
	}
	return engine->failed ? own_failure(engine) : cut_short(engine, now);
}

static struct action
overdue(struct engine *engine, double now)
{
	if (!engine->ending && now >= engine->deadline)
		return something_runs(engine) ? end_it(engine, now)
					      : out_of_time(engine);
	if (engine->ending && now >= engine->kill_at)
		return kill_it(engine, now);
	if (engine->ending && now >= engine->leave_at)
		return leave_it(engine, now);
	return (
	    struct action){ .kind = ACTION_NONE, .wake = next_alarm(engine) };
}

static struct action
timer(struct engine *engine, double now)
{
	const double due = engine->wait_begun + engine->delay.seconds;

	if (engine->state != STATE_WAITING)
		return overdue(engine, now);
	if (now >= due)
		return leave_wait(engine, now);
	return (struct action){ .kind = ACTION_NONE, .wake = due };
}

static struct action
signalled(struct engine *engine, int signal, double now)
{
	if (engine->state == STATE_WAITING) {
		if (signal == SIGURG)
			return leave_wait(engine, now);
		engine->waited += now - engine->wait_begun;
		return die(engine, signal);
	}
	if (signal != SIGURG && !something_runs(engine))
		return die(engine, signal);
	if (signal != SIGURG && engine->signal == 0)
		engine->signal = signal;
	return timer(engine, now);
}

/* What runs is ended as if its time were over. */
static struct action
failed_itself(struct engine *engine, const struct event *event)
{
	engine->death = event->signal;
	if (!something_runs(engine))
		return own_failure(engine);
	engine->failed = true;
	engine->deadline = event->now;
	return overdue(engine, event->now);
}

/* The run is over, but for what was held of its output. */
static struct action
delivering(struct engine *engine, const struct event *event)
{
	if (event->kind == EVENT_DELIVERED)
		return finish(engine, engine->reason, engine->status);
	if (event->kind == EVENT_SIGNAL && event->signal != SIGURG)
		return die(engine, event->signal);
	if (event->kind == EVENT_TIMER && engine->reason == REASON_SIGNAL)
		return engine->status == 0
		    ? die(engine, engine->signal)
		    : finish(engine, engine->reason, engine->status);
	return (struct action){ .kind = ACTION_NONE, .wake = INFINITY };
}

static struct action
step(struct engine *engine, const struct event *event)
{
	if (engine->state == STATE_DELIVERING && event->kind != EVENT_ERROR)
		return delivering(engine, event);
	switch (event->kind) {
	case EVENT_START:
		return start(engine, event->now);
	case EVENT_ENDED:
		return ended(engine, event);
	case EVENT_ANSWER:
		return answered(engine, event);
	case EVENT_TIMER:
		return timer(engine, event->now);
	case EVENT_SIGNAL:
		return signalled(engine, event->signal, event->now);
	case EVENT_ERROR:
		return failed_itself(engine, event);
	case EVENT_DELIVERED:
		break;
	}
	return own_failure(engine);
}

struct action
engine_step(struct engine *engine, struct event event)
{
	struct action action = step(engine, &event);

	if (action.kind == ACTION_DELIVER && engine->reason == REASON_SIGNAL)
		action.wake = event.now + LAST_GRACE;

	/* A verdict is told together with what follows from it. */
	if (engine->unreported &&
	    (action.kind == ACTION_WAIT || action.kind == ACTION_DELIVER ||
		action.kind == ACTION_FINISH)) {
		action.judged = true;
		engine->unreported = false;
		if (engine->judgement.verdict != VERDICT_SUCCESS)
			engine->failures = next_number(engine->failures);
	}
	return action;
}

void
engine_init(struct engine *engine, const struct policy *policy,
    struct random random)
{
	*engine = (struct engine){ .policy = policy,
		.random = random,
		.just_waited = -1 };
}

void
engine_resume(struct engine *engine, struct level level, uint64_t n,
    double wait)
{
	engine->level = level;
	engine->n = n;
	engine->first_wait = wait;
}

bool
engine_is_final(const struct engine *engine)
{
	const uint64_t attempts = engine->policy->attempts;

	return attempts > 0 && engine->used >= attempts;
}

double
engine_timeout(const struct engine *engine)
{
	return engine->deadline - engine->attempt_begun;
}

const char *
reason_name(enum reason reason)
{
	static const char *const names[] = {
		[REASON_NONE] = "none",
		[REASON_SUCCESS] = "success",
		[REASON_ATTEMPTS] = "attempts",
		[REASON_MAX_TIME] = "max-time",
		[REASON_STOP] = "stop",
		[REASON_SIGNAL] = "signal",
		[REASON_BUDGET] = "budget",
		[REASON_GATE] = "gate",
		[REASON_HINT] = "hint",
		[REASON_EARLY] = "early",
		[REASON_PLAN] = "plan",
		[REASON_ERROR] = "error",
	};

	return names[reason];
}
