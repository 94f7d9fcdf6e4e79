/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <signal.h>
#include <stdlib.h>

#include "end.h"
#include "process.h"
#include "retries.h"
#include "run.h"

/* Another run that holds the state for longer than this is reported. */
#define LOCK_PATIENCE 1.0

/* Seconds that a hook at the end may take without --timeout. */
#define HOOK_TIME 60.0

/*
 * A function that may end the run returns true if the run goes on, and false if
 * it is over; the record says how.  The end of the struct is allocated as the
 * policy needs it, since a plan may have 10,000 runs at once: never copy one.
 */
struct run {
	const struct policy *policy;
	const struct driver *driver;
	struct host *host;
	struct record record;
	struct process process; /* that runs, for whichever task, or ran last */
	int signal; /* received while a process runs, and ends the run */
	int death;  /* of an error: the signal to die of, or 0 */

	double begun;
	double deadline; /* --max-time ends the run then; INFINITY: never */
	bool ended;	 /* END was told; a hook may run */

	struct retries retries; /* last: its end is as long as need be */
};

/* The time; each function of the driver may have taken some. */
static double
now(const struct run *run)
{
	return run->driver->now(run->host);
}

/* --- records --- */

struct record
run_record(const struct run *run, double time)
{
	struct record record = run->record;

	record.elapsed = time - run->begun;
	record.final = retries_are_used_up(&run->retries);
	return record;
}

static void
tell(const struct run *run, enum record_kind kind)
{
	struct record record = run_record(run, now(run));

	record.kind = kind;
	run->driver->tell(run->host, &record);
}

/*
 * Counts the outcome and tells it, once the wait or the end that follows is
 * known.  A success gives back to the budget what was paid.
 */
static void
settle_outcome(struct run *run)
{
	const bool success =
	    run->record.last.judgement.verdict == VERDICT_SUCCESS;

	if (!run->record.last.untold)
		return;
	run->record.last.untold = false;
	if (!success)
		run->record.failures++;
	tell(run, RECORD_OUTCOME);
	if (success && run->policy->budget)
		run->driver->give(run->host, run->record.paid);
	if (success)
		run->record.paid = 0;
}

/* --- the end --- */

/*
 * The run is over.  `end` says how, and --tolerate has the last word.  Until
 * END is told, a signal or an error may replace that end.  Returns false.
 */
static bool
set_end(struct run *run, struct end end)
{
	struct ended *last = &run->record.last;
	struct end *kept = &run->record.end;

	/* No rule judged the attempt. */
	if (last->untold && last->judgement.verdict == VERDICT_NONE)
		last->judgement = (struct judgement){ .verdict = VERDICT_STOP,
			.rule = end.reason == REASON_SIGNAL ? RULE_SIGNAL
							    : RULE_ERROR };
	kept->reason = end.reason;
	kept->given_up = retries_given_up(&run->retries, end.reason);
	kept->tolerated = reasons[end.reason].gives_up &&
	    kept->given_up < run->policy->tolerate;
	kept->status = kept->tolerated ? 0 : end.status;
	kept->death = kept->tolerated ? 0 : end.death;
	kept->ended_by = end.ended_by;
	return false;
}

/* The run ends as its last attempt did. */
static bool
end_with(struct run *run, enum reason reason)
{
	return set_end(run, end_as_last(&run->record, reason));
}

/* No time is left for another attempt. */
static bool
out_of_time(struct run *run)
{
	const struct record *record = &run->record;

	if (record->attempt.number == 0)
		return set_end(run, end_cut_short(record));
	return end_with(run,
	    record->last.judgement.verdict == VERDICT_SUCCESS
		? REASON_SUCCESS
		: REASON_MAX_TIME);
}

/*
 * An event while no process runs, which may end the run.  Returns whether it
 * goes on.
 */
static bool
take_event(struct run *run, const struct event *event)
{
	if (event->kind == EVENT_ERROR)
		return set_end(run, end_by_error(event->signal));
	if (event->kind == EVENT_PLANNED)
		return set_end(run, (struct end){ .reason = REASON_PLAN });
	if (!event->ends_run)
		return true;
	run->record.end.in_a_wait = true;
	return set_end(run, end_by_signal(event->signal));
}

/* --- what happens --- */

/* Waits for what happens next, and tells a signal. */
static struct event
next(struct run *run, double until)
{
	const struct event event = run->driver->next(run->host, until);

	if (event.kind != EVENT_SIGNAL)
		return event;
	run->record.signal = event.signal;
	run->record.forwarded = event.forwarded;
	/* END was told before its hook ran, and is the last record. */
	if (!run->ended)
		tell(run, RECORD_SIGNAL);
	return event;
}

/* --- the process that runs --- */

/* Starts a process that must end by the deadline; a probe has its own. */
static struct started
start_process(struct run *run, enum task task, double deadline)
{
	const double time = now(run);
	struct record record = run_record(run, time);

	if (task != TASK_PROBE)
		run->process = process_begin(run->policy, task == TASK_ATTEMPT,
		    time, deadline, run->deadline);
	/* cppcheck-suppress returnDanglingLifetime */
	return run->driver->start(run->host, task, &record);
}

/*
 * Takes the step, or collects the output if the process and all that it started
 * have ended.  Any step but WAIT ends the probes.  Returns whether the process
 * is over, and its output.
 */
static bool
take_step(struct run *run, enum process_step step)
{
	const struct driver *driver = run->driver;
	struct process *process = &run->process;

	if (step == PROCESS_WAIT)
		return false;
	health_stop(&run->record.attempt.probes);
	if (run->policy->health.used)
		driver->end_probe(run->host, false);
	if (step < PROCESS_COLLECT && process->exited &&
	    driver->is_gone(run->host))
		step = PROCESS_COLLECT;
	switch (step) {
	case PROCESS_WAIT:
	case PROCESS_LOOK:
		return false;
	case PROCESS_SIGNAL:
		driver->signal(run->host, run->policy->signal);
		return false;
	case PROCESS_KILL:
		driver->signal(run->host, SIGKILL);
		process_killed(process, now(run));
		return false;
	case PROCESS_ABANDON:
		driver->abandon(run->host);
		break;
	case PROCESS_DROP_OUTPUT:
		driver->drop_output(run->host);
		return true;
	case PROCESS_COLLECT:
		break;
	}
	process_collect(process, now(run));
	return driver->collect(run->host);
}

/* Tells the health of the attempt if it has changed; ends an unhealthy one. */
static enum process_step
check_health(struct run *run, double time)
{
	struct attempt *attempt = &run->record.attempt;
	const enum health_status health =
	    health_status(&attempt->probes, &run->policy->health);

	if (health != attempt->health) {
		attempt->health = health;
		tell(run, RECORD_HEALTH);
		attempt->healthy_told |= health == HEALTH_HEALTHY;
	}
	/* While an attempt shuts down, it may be unable to answer a probe. */
	return health == HEALTH_UNHEALTHY && run->process.phase == PHASE_RUNS
	    ? process_end(&run->process, WHY_UNHEALTHY, time)
	    : PROCESS_WAIT;
}

static enum process_step
probed(struct run *run, struct outcome outcome, double time)
{
	health_probed(&run->record.attempt.probes, &run->policy->health,
	    outcome, time);
	return check_health(run, time);
}

/* The time for a probe has come, or the end of its time. */
static enum process_step
watch_health(struct run *run, double time)
{
	struct started probe;

	switch (health_tick(&run->record.attempt.probes, &run->policy->health,
	    time)) {
	case PROBE_WAIT:
		break;
	case PROBE_START:
		probe = start_process(run, TASK_PROBE, INFINITY);
		if (probe.runs)
			break;
		return probed(run,
		    (struct outcome){ .kind = OUTCOME_UNFORKED,
			.code = probe.error },
		    now(run));
	case PROBE_END:
		run->driver->end_probe(run->host, true);
		return check_health(run, time);
	}
	return PROCESS_WAIT;
}

/* What is due. */
static enum process_step
find_step(struct run *run, double time)
{
	struct process *process = &run->process;

	if (process->phase == PHASE_COLLECTING)
		process_extend(process, time,
		    run->driver->unread_since(run->host));
	const enum process_step step = process_tick(process, time);

	return step == PROCESS_WAIT ? watch_health(run, time) : step;
}

/*
 * A signal ends the run once the process has ended.  A last hook goes on, but
 * has less time.
 */
static void
drain(struct run *run, const struct event *event)
{
	if (run->policy->stop_timeout > 0)
		process_stop(&run->process,
		    event->now + run->policy->stop_timeout);
	if (run->ended)
		return;
	if (run->signal == 0)
		run->signal = event->signal;
	/* A probe may die of the signal. */
	health_stop(&run->record.attempt.probes);
	process_drain(&run->process, event->now);
}

/*
 * The process was started: waits until it is over, and its output collected.
 * Returns why it ended.
 */
static enum process_why
run_process(struct run *run)
{
	struct process *process = &run->process;
	bool done = false;

	while (!done) {
		const double due = fmin(process_wake(process),
		    health_wake(&run->record.attempt.probes));
		const struct event event = next(run, due);
		enum process_step step = PROCESS_WAIT;

		process->active = fmax(process->active, event.active);
		switch (event.kind) {
		case EVENT_TIMER:
			step = find_step(run, event.now);
			break;
		case EVENT_EXITED:
			step = process_exited(process, event.now);
			break;
		case EVENT_REAPED:
			step = process_reaped(process);
			break;
		case EVENT_PROBED:
			step = probed(run, event.probe, event.now);
			break;
		case EVENT_SIGNAL:
			if (event.ends_run)
				drain(run, &event);
			break;
		case EVENT_ERROR:
			run->death = event.signal;
			/* The outcome is known, whatever its output is. */
			done = process->phase == PHASE_COLLECTING;
			if (done)
				process->why = WHY_ERROR;
			else if (!run->ended) /* a last hook goes on */
				step = process_fail(process, event.now);
			break;
		case EVENT_DONE:
			done = true;
			break;
		case EVENT_DATE:
		case EVENT_PLANNED:
			break;
		}
		done = done || take_step(run, step);
	}
	return process->why;
}

/* Waits while no process runs; a date or SIGURG ends the wait early. */
static bool
await(struct run *run, double until)
{
	for (;;) {
		const struct event event = next(run, until);

		if (!take_event(run, &event))
			return false;
		if (event.kind == EVENT_TIMER || event.kind == EVENT_DATE ||
		    event.signal == SIGURG)
			return true;
	}
}

/* --- counts, and the state --- */

static bool
save(struct run *run)
{
	const struct state state = retries_left(&run->retries, now(run));

	return run->driver->save(run->host, &state) ||
	    set_end(run, end_by_error(0));
}

/*
 * --max-time ended the process, or leaves it no time.  An attempt whose
 * verdict is not known by then has failed; a success before a gate stays one.
 */
static bool
cut_short(struct run *run, enum cut cut)
{
	if (run->record.last.judgement.verdict == VERDICT_SUCCESS)
		return out_of_time(run);
	run->record.last.judgement =
	    (struct judgement){ .verdict = VERDICT_STOP,
		    .rule = RULE_MAX_TIME };
	run->record.end.cut = cut;
	if (cut != CUT_GATE)
		retries_failure(&run->retries, now(run));
	return set_end(run, end_cut_short(&run->record));
}

/* --- questions --- */

/* Asks a check or a gate, which has as much time as an attempt. */
static bool
ask(struct run *run, enum task task, enum answer *answer)
{
	const struct started started = start_process(run, task,
	    process_deadline(run->policy, now(run), run->deadline));

	if (!started.runs)
		return set_end(run, end_by_error(started.death));
	const enum process_why why = run_process(run);
	*answer = run->driver->answer(run->host);
	if (why == WHY_ERROR)
		return set_end(run, end_by_error(run->death));
	if (*answer == ANSWER_NONE)
		return set_end(run, end_by_error(0));
	if (run->signal != 0)
		return set_end(run, end_by_signal(run->signal));
	/* Or --max-time came while its output was still being read. */
	if (why == WHY_MAX_TIME ||
	    (run->process.incomplete && now(run) >= run->deadline))
		return cut_short(run, task == TASK_GATE ? CUT_GATE : CUT_CHECK);
	if (why != WHY_ENDS_ITSELF)
		*answer = ANSWER_LATE;
	return true;
}

/* Pays for a retry; a budget that another process has is asked again. */
static bool
ask_budget(struct run *run)
{
	const bool throttled = run->record.last.judgement.throttled;
	enum answer answer;

	while ((answer = run->driver->pay(run->host, throttled,
		    &run->record.paid)) == ANSWER_AGAIN)
		if (!await(run, now(run) + RUN_BUDGET_PAUSE))
			return false;
	return answer == ANSWER_YES || end_with(run, REASON_BUDGET);
}

/* --- before the first attempt --- */

/*
 * Waits for the lock of the state, which it reports once, and takes the state
 * up.  Until then --tolerate tolerates no failure, as if countless runs in a
 * row had given up.
 */
static bool
restore(struct run *run)
{
	double due = run->begun + LOCK_PATIENCE;
	struct state state = { 0 };
	enum answer answer;

	run->retries.restored.given_up = UINT64_MAX;
	while (
	    (answer = run->driver->lock(run->host, &state)) == ANSWER_AGAIN) {
		const double time = now(run);

		if (time >= run->deadline)
			return out_of_time(run);
		if (time >= due) {
			due = INFINITY;
			tell(run, RECORD_LOCK);
		}
		run->record.locked = true;
		const bool again =
		    await(run, fmin(time + RUN_LOCK_PAUSE, run->deadline));
		run->record.locked = false;
		if (!again)
			return false;
	}
	if (answer == ANSWER_NONE)
		return set_end(run, end_by_error(0));
	run->record.end.too_early = answer == ANSWER_YES ? state.delay : 0;
	if (answer == ANSWER_NO || (state.delay > 0 && run->policy->early_skip))
		return set_end(run,
		    (struct end){ .reason = REASON_EARLY,
			.status = STATUS_TOO_EARLY });
	retries_restore(&run->retries, state);
	return true;
}

/* Reads standard input, now that an attempt is sure to follow. */
static bool
read_input(struct run *run)
{
	if (!run->policy->input || now(run) >= run->deadline ||
	    run->driver->read_input(run->host))
		return true;
	for (;;) {
		const struct event event = next(run, run->deadline);

		if (event.kind == EVENT_DONE)
			return true;
		if (!take_event(run, &event))
			return false;
		if (event.kind == EVENT_TIMER) {
			run->record.end.cut = CUT_INPUT;
			return out_of_time(run);
		}
	}
}

/* --- held output --- */

/* When the reader of held output must have taken some of it. */
static double
delivery_deadline(const struct run *run)
{
	const enum reason reason = run->record.end.reason;
	const double soon = now(run) + PROCESS_READER_GRACE;

	if (reason == REASON_SUCCESS)
		return INFINITY;
	return reason == REASON_SIGNAL || reason == REASON_MAX_TIME
	    ? soon
	    : fmax(run->deadline, soon);
}

/*
 * Lets held output out, before a wait or at the end of the run.  Its reader has
 * time for it, and a second more each time that it takes some; after a signal
 * that ends the run a second, and after another one none.
 */
static bool
deliver(struct run *run)
{
	struct ended *last = &run->record.last;
	const struct end *end = &run->record.end;
	struct record held = run_record(run, now(run));
	int signal = end->ended_by;

	last->delivered = true;
	bool done = run->driver->deliver(run->host, &held);
	double until = delivery_deadline(run);
	while (!done) {
		const struct event event = next(run, until);

		if (event.kind == EVENT_ERROR)
			return take_event(run, &event);
		bool late = event.ends_run && signal != 0;

		if (event.kind == EVENT_TIMER) {
			until = run->driver->unread_since(run->host) +
			    PROCESS_READER_GRACE;
			late = event.now >= until;
		}
		if (event.ends_run && signal == 0) {
			signal = event.signal;
			until = event.now + PROCESS_READER_GRACE;
			/* A success remains one if all its output goes out. */
			if (end->reason != REASON_SUCCESS)
				take_event(run, &event);
		}
		if (late)
			last->extent = EXTENT_UNTAKEN;
		done = late || event.kind == EVENT_DONE;
	}
	/* Without its output an attempt has not succeeded. */
	if (signal != 0 && end->status == 0 && last->extent == EXTENT_UNTAKEN)
		set_end(run, end_by_signal(signal));
	return end->reason == REASON_NONE;
}

/* --- waits --- */

/*
 * Before the wait after an attempt: lets its output out, and saves the state.
 * If time runs out meanwhile, the end tells the outcome.
 */
static bool
finish_attempt(struct run *run)
{
	const struct policy *policy = run->policy;
	const struct ended *last = &run->record.last;

	if (policy->delivery == DELIVERY_EACH && !deliver(run))
		return false;
	if (policy->remember && last->judgement.verdict == VERDICT_SUCCESS &&
	    !save(run))
		return false;
	return now(run) < run->deadline || out_of_time(run);
}

/* Waits for the delay, unless that would end with no time left. */
static bool
wait_for_delay(struct run *run)
{
	const struct attempt *attempt = &run->record.attempt;
	struct wait *wait = &run->record.wait;
	const double seconds = wait->delay.seconds;
	const double begun = now(run), due = begun + seconds;

	if (due >= run->deadline)
		return out_of_time(run);
	wait->due = due - run->begun;
	if (attempt->number > 0 && !finish_attempt(run))
		return false;
	wait->lasts = true;
	settle_outcome(run);
	tell(run, RECORD_WAIT);
	run->driver->begin_wait(run->host, wait->delay.hint_decides,
	    due - now(run));
	/*
	 * A wait of no time is over at once, unless the loop has not read
	 * signals since the attempt began.
	 */
	const double until = seconds > 0 ? due : run->begun + attempt->begun;
	const bool again = await(run, until);
	wait->lasts = false;

	const double waited = now(run) - begun;
	wait->total += waited;
	if (!again)
		return false;
	wait->before = waited;
	return true;
}

/*
 * --splay, --wait-first, and a delay that an earlier run left.  --max-time does
 * not count --splay, and SIGURG may have cut it short.
 */
static bool
wait_first(struct run *run)
{
	const double deadline = run->deadline;
	double splay;

	if (!retries_wait_first(&run->retries, &splay))
		return true;
	run->deadline = deadline + splay;
	if (!wait_for_delay(run))
		return false;
	run->deadline = deadline + fmin(splay, run->record.wait.before);
	return true;
}

/* --- verdicts --- */

/*
 * Whether the attempt asks for a wait that is over the limit, or would last
 * until the end of the run.
 */
static bool
asks_too_much(struct run *run, double time)
{
	const double hint = run->record.last.hint;
	const bool is_late =
	    time < run->deadline && time + hint >= run->deadline;

	if (!run->record.wait.delay.hint_is_longer ||
	    (hint <= run->policy->hint_limit && !is_late))
		return false;
	run->record.end.too_long = hint;
	return true;
}

static bool
after_success(struct run *run)
{
	const double time = now(run);

	if (retries_success(&run->retries, time) || asks_too_much(run, time))
		return end_with(run, REASON_SUCCESS);
	return true;
}

static bool
after_failure(struct run *run)
{
	const double time = now(run);

	retries_failure(&run->retries, time);
	if (retries_are_used_up(&run->retries))
		return end_with(run,
		    run->record.last.why == WHY_MAX_TIME ? REASON_MAX_TIME
							 : REASON_ATTEMPTS);
	if (asks_too_much(run, time))
		return end_with(run, REASON_HINT);
	/* If it is too late for a retry, wait_for_delay() ends the run. */
	return !run->policy->budget ||
	    time + run->record.wait.delay.seconds >= run->deadline ||
	    ask_budget(run);
}

/* Finds the verdict of the attempt, by --check if the rules need its answer. */
static bool
find_verdict(struct run *run)
{
	const struct rules *rules = &run->policy->rules;
	struct ended *last = &run->record.last;
	enum answer answer = ANSWER_NONE;

	last->judgement = verdict_judge(rules, last);
	if (last->judgement.verdict != VERDICT_NONE)
		return true;
	if (now(run) >= run->deadline)
		return cut_short(run, CUT_ATTEMPT);
	if (!ask(run, TASK_CHECK, &answer))
		return false;
	last->check_timed_out = answer == ANSWER_LATE;
	last->check = answer == ANSWER_YES ? VERDICT_SUCCESS
	    : answer == ANSWER_NO	   ? VERDICT_STOP
					   : VERDICT_RETRY;
	last->judgement = verdict_judge(rules, last);
	return true;
}

/* What follows from the outcome: another attempt, or the end of the run. */
static bool
judge(struct run *run)
{
	const struct ended *last = &run->record.last;

	if (last->why == WHY_ERROR)
		return set_end(run, end_by_error(run->death));
	if (run->signal != 0) {
		struct end end = end_as_last(&run->record, REASON_SIGNAL);

		/*
		 * Nothing but the signal asked the process to end, and the
		 * process still lives, or a part of its output is missing.
		 */
		if (last->why == WHY_ENDS_ITSELF &&
		    last->extent != EXTENT_WHOLE)
			end = end_by_signal(run->signal);
		end.ended_by = run->signal;
		return set_end(run, end);
	}
	/*
	 * An attempt that --max-time ended has an outcome, a timeout, which the
	 * rules judge.  An attempt that could not be ended has none.
	 */
	if (last->extent != EXTENT_WHOLE && now(run) >= run->deadline)
		return cut_short(run, CUT_ATTEMPT);
	if (!find_verdict(run))
		return false;
	if (last->judgement.verdict == VERDICT_SUCCESS)
		return after_success(run);
	if (last->judgement.verdict == VERDICT_RETRY)
		return after_failure(run);
	retries_failure(&run->retries, now(run));
	return end_with(run, REASON_STOP);
}

/* --- attempts --- */

/* Asks --before-retry. */
static bool
ask_gate(struct run *run)
{
	enum answer answer = ANSWER_NONE;

	if (!run->policy->gate || now(run) >= run->deadline)
		return true;
	if (!ask(run, TASK_GATE, &answer))
		return false;
	return answer != ANSWER_AGAIN || end_with(run, REASON_GATE);
}

/* Prepares an attempt that begins now; returns its deadline. */
static double
begin_attempt(struct run *run, double time)
{
	const struct policy *policy = run->policy;
	struct record *record = &run->record;
	double deadline = process_deadline(policy, time, run->deadline);

	record->attempt = (struct attempt){
		.number = record->attempt.number + 1,
		.begun = time - run->begun,
		.runs = true,
		.probes = health_begin(&policy->health, time),
	};
	retries_begin(&run->retries, time);
	if (policy->pace == PACE_START && policy->min_timeout > 0)
		deadline = fmin(deadline,
		    fmax(run->retries.paced_from + run->retries.paced.seconds,
			time + policy->min_timeout));
	record->attempt.timeout = deadline - time;
	return deadline;
}

/*
 * Runs the process of the attempt, which has no outcome if `retry` could not
 * prepare it.
 */
static struct ended
run_attempt(struct run *run, double deadline)
{
	struct ended ended = { .hint = -1 };
	const struct started started =
	    start_process(run, TASK_ATTEMPT, deadline);

	if (started.runs) {
		tell(run, RECORD_ATTEMPT);
		ended.why = run_process(run);
		run->driver->note_attempt(run->host, &ended);
		return ended;
	}
	health_stop(&run->record.attempt.probes);
	run->death = started.death;
	if (started.error == 0)
		ended.why = WHY_ERROR;
	else
		ended.returned = (struct outcome){ .kind = OUTCOME_UNFORKED,
			.code = started.error };
	return ended;
}

/* Makes an attempt; judge() finds what follows from its outcome. */
static void
make_attempt(struct run *run)
{
	struct attempt *attempt = &run->record.attempt;
	struct ended ended = run_attempt(run, begin_attempt(run, now(run)));

	attempt->runs = false;
	ended.duration = now(run) - run->begun - attempt->begun;
	process_note(&run->process, &ended);
	verdict_classify(&run->policy->rules, &ended);
	ended.untold = ended.outcome.kind != OUTCOME_NONE;
	if (ended.why == WHY_MAX_TIME)
		run->record.end.cut = CUT_ATTEMPT;
	run->record.last = ended;
}

/* --- the run --- */

static bool
start(struct run *run)
{
	run->begun = now(run);
	run->deadline = run->policy->max_time > 0
	    ? run->begun + run->policy->max_time
	    : INFINITY;
	tell(run, RECORD_START);
	return (!run->policy->remember || restore(run)) && read_input(run) &&
	    wait_first(run);
}

/* The run is over, apart from what is held, the state and a hook. */
static void
end(struct run *run)
{
	const struct policy *policy = run->policy;
	const struct record *record = &run->record;
	const enum reason *reason = &record->end.reason;

	/* Each of the next steps may replace the reason. */
	if (policy->delivery != DELIVERY_NONE && !record->last.delivered)
		deliver(run);
	settle_outcome(run);
	if (policy->remember && record->attempt.number > 0 &&
	    (*reason == REASON_SUCCESS || reasons[*reason].gives_up))
		save(run);
	tell(run, RECORD_END);
	run->ended = true;
	if (reasons[*reason].hooks &&
	    (*reason == REASON_SUCCESS ? policy->on_success
				       : policy->on_give_up) &&
	    start_process(run, TASK_LAST_HOOK,
		now(run) + (policy->timeout > 0 ? policy->timeout : HOOK_TIME))
		.runs) {
		run_process(run);
		run->driver->answer(run->host);
	}
}

bool
run_step(struct run *run)
{
	bool again = run->record.attempt.number == 0
	    ? start(run)
	    : judge(run) && wait_for_delay(run) && ask_gate(run);

	/* The last question may have taken all the time that was left. */
	if (again && now(run) >= run->deadline)
		again = out_of_time(run);
	if (again)
		make_attempt(run);
	else
		end(run);
	return again;
}

struct run *
run_open(const struct policy *policy, struct random random,
    const struct driver *driver, struct host *host)
{
	struct run *run = calloc(1,
	    offsetof(struct run, retries.tally.times) +
		policy->limits.count * sizeof(run->retries.tally.times[0]));

	if (run == NULL)
		return NULL;
	run->policy = policy;
	run->driver = driver;
	run->host = host;
	run->retries.policy = policy;
	run->retries.random = random;
	run->retries.record = &run->record;
	run->record.last.hint = -1;
	run->record.policy = policy;
	run->record.wait.before = -1;
	run->record.seen.user = run->record.seen.system = NAN;
	return run;
}

void
run_close(struct run *run)
{
	free(run);
}
