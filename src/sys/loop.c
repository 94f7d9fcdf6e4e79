/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "options/suggest.h"
#include "core/run.h"
#include "sys/budget_file.h"
#include "sys/events.h"
#include "sys/job.h"
#include "sys/logs.h"
#include "sys/loop.h"
#include "sys/notify.h"
#include "sys/receiver.h"
#include "sys/state_file.h"

/* Room for advice: what to type instead of the command. */
#define ADVICE 256

/* The system's side of a run. */
struct host {
	const struct options *options;
	struct run *run;
	struct report *report;
	struct events events;
	struct clock clock; /* the run's */
	double polled;	    /* when the event loop last began to wait */
	double tick_due;    /* when logs_tick() is to be called next */

	struct receiver receiver;
	struct job job;
	bool owes_done; /* the run waits for EVENT_DONE */
	bool failed;	/* input or output, and the run does not know it yet */
	int death;	/* of that failure: the signal to die of, or 0 */

	struct state_file state;
	struct budget_file budget;
	char advice[ADVICE]; /* what to type instead of the command */
};

/* Notes a failure of the output; returns whether that or the input failed. */
static bool
find_failure(struct host *host)
{
	host->failed = host->failed ||
	    output_take_failure(&host->job.output, &host->death);
	return host->failed;
}

/* --- what happens --- */

/*
 * Waits until something has happened, or for `until`, and notes what happened.
 * Before that the status line is drawn, and signs of life are given, as they
 * are due.
 */
static void
wait_for_events(struct host *host, double until)
{
	const double time = clock_now(&host->clock);
	struct record record = run_record(host->run, time);

	record.seen.time = events_time(CLOCK_REALTIME);
	/* Output wakes the loop more often than the status line changes. */
	if (time >= host->tick_due)
		host->tick_due = time - record.elapsed +
		    logs_tick(host->report, &host->job.output, &record);
	host->polled = clock_now(&host->clock);
	const double beat = host->polled + notify_beat(host->job.notify);
	const double wake = fmin(until, fmin(host->tick_due, beat));
	events_alarm(&host->events, wake - host->polled);
	ev_run(host->events.loop, EVRUN_ONCE);
}

/* Passes a signal on, unless it waits until a new attempt is ready. */
static struct event
take_signal(struct host *host, const struct received *received)
{
	const bool is_attempt = host->job.task == TASK_ATTEMPT;
	const bool ends = received->ends_run;

	host->job.ends_run |= ends;
	if (ends)
		notify_stopping(host->job.notify);
	const bool held =
	    !ends && notify_holds(host->job.notify, received->signal);
	return (struct event){
		.kind = EVENT_SIGNAL,
		.signal = received->signal,
		.forwarded = !held &&
		    receiver_forward(&host->receiver, received, is_attempt),
		.ends_run = ends,
	};
}

/* `retry` is stopped, with all that runs, until it is continued. */
static void
stop(struct host *host, const struct received *received)
{
	const struct child *probe = &host->job.probe.child;
	const double begun = events_time(CLOCK_MONOTONIC);

	logs_hide(host->report, &host->job.output);
	child_signal_group(probe, SIGSTOP);
	receiver_stop(&host->receiver, received);
	child_signal_group(probe, SIGCONT);
	clock_resume(&host->clock, begun);
}

/* Whether input is read, or output collected or let out. */
static bool
is_busy(const struct host *host)
{
	const struct collector *collector = &host->job.output.collector;

	return collector->collects || collector->delivers ||
	    ev_is_active(&host->job.input.watcher);
}

/*
 * Finds what has happened, in the order that struct driver promises: a signal
 * that came with the death of the attempt still ends the run.
 */
static bool
find_event(struct host *host, double until, struct event *event)
{
	struct received received;

	*event = (struct event){ .kind = EVENT_ERROR };
	if (find_failure(host)) {
		event->signal = host->death;
		host->failed = false;
		host->owes_done = false;
		return true;
	}
	while (receiver_take(&host->receiver, &received)) {
		if (received.stops) {
			stop(host, &received);
			continue;
		}
		*event = take_signal(host, &received);
		return true;
	}
	if (host->owes_done && !is_busy(host)) {
		event->kind = EVENT_DONE;
		host->owes_done = false;
		return true;
	}
	if (host->receiver.child_ended) {
		host->receiver.child_ended = false;
		if (job_reap(&host->job, event))
			return true;
	}
	if (notify_take_hang(host->job.notify)) {
		*event = (struct event){ .kind = EVENT_PROBED,
			.probe = { .kind = OUTCOME_UNHEALTHY } };
		return true;
	}
	if (hinted_over(&host->job.hinted)) {
		event->kind = EVENT_DATE;
		return true;
	}
	/* Signals count first: for TIMER they must be read at `until`. */
	event->kind = EVENT_TIMER;
	return host->polled >= until;
}

static struct event
next(struct host *host, double until)
{
	struct event event;

	/* Records told since the last call may have hidden the status line. */
	host->tick_due = -INFINITY;
	while (!find_event(host, until, &event))
		wait_for_events(host, until);
	event.now = clock_now(&host->clock);
	event.active = clock_at(&host->clock,
	    collector_active(&host->job.output.collector));
	return event;
}

/* --- what the run asks for --- */

static double
now(struct host *host)
{
	return clock_now(&host->clock);
}

/* Completes a record with pids, clocks and times, and reports it. */
static void
tell(struct host *host, struct record *record)
{
	struct job *job = &host->job;
	const bool shows_output =
	    (record->kind == RECORD_OUTCOME || record->kind == RECORD_END) &&
	    host->report->keeps_output;
	char *output = shows_output ? output_tail(&job->output) : NULL;

	record->seen.output = output;
	job_describe(job, record);
	/* At the first attempt and at the end. */
	record->seen.advice =
	    record->attempt.number > 1 && record->kind != RECORD_END
	    ? NULL
	    : suggest_outcome(host->options, record->last.outcome, host->advice,
		  sizeof(host->advice));
	record->seen.time = events_time(CLOCK_REALTIME);
	logs_tell(host->report, &job->output, record);
	free(output);
	notify_tell(host->job.notify, &host->report->style, record);
}

static struct started
start(struct host *host, enum task task, struct record *record)
{
	/* The run may have stopped waiting for input to be read, for one. */
	host->owes_done = false;
	logs_hide(host->report, &host->job.output);
	const struct started started = job_start(&host->job, task, record);
	/* Returned here, so that no ERROR follows; a probe has no output. */
	if (!started.runs && task != TASK_PROBE && find_failure(host)) {
		host->failed = false;
		return (struct started){ .death = host->death };
	}
	return started;
}

static void
signal_job(struct host *host, int signal)
{
	logs_hide(host->report, &host->job.output);
	job_signal(&host->job, signal);
}

static bool
is_gone(struct host *host)
{
	return tree_is_gone(&host->job.tree);
}

static void
abandon(struct host *host)
{
	job_abandon(&host->job);
}

static void
drop_output(struct host *host)
{
	collector_drop(&host->job.output.collector);
	host->owes_done = false;
}

/* Whether it is over already; if not, DONE follows, or ERROR in its place. */
static bool
is_over_at_once(struct host *host)
{
	host->owes_done = is_busy(host) || find_failure(host);
	return !host->owes_done;
}

static bool
collect(struct host *host)
{
	collector_finish(&host->job.output.collector);
	return is_over_at_once(host);
}

static void
note_attempt(struct host *host, struct ended *ended)
{
	job_note_attempt(&host->job, ended);
}

static enum answer
answer(struct host *host)
{
	return job_answer(&host->job);
}

static void
end_probe(struct host *host, bool waits)
{
	if (waits)
		probe_kill(&host->job.probe);
	else if (host->job.probe.child.pid != 0)
		probe_drop(&host->job.probe);
}

static enum answer
lock(struct host *host, struct state *state)
{
	const int locked = state_file_lock(&host->state);

	if (locked == 0)
		return host->options->policy.early_skip ? ANSWER_NO
							: ANSWER_AGAIN;
	*state = host->state.state;
	return locked == 1 ? ANSWER_YES : ANSWER_NONE;
}

static bool
save(struct host *host, const struct state *state)
{
	return state_file_save(&host->state, state,
		   events_time(CLOCK_REALTIME)) == 0;
}

static bool
read_input(struct host *host)
{
	input_spool(&host->job.input);
	return is_over_at_once(host);
}

static enum answer
pay(struct host *host, bool throttled, int64_t *paid)
{
	return budget_file_take(&host->budget, throttled, paid);
}

static void
give(struct host *host, int64_t paid)
{
	budget_file_give(&host->budget, paid);
}

static bool
deliver(struct host *host, struct record *record)
{
	struct output *output = &host->job.output;

	logs_hide(host->report, output);
	input_stop(&host->job.input);
	logs_begin_output(host->report, output, record);
	output_deliver(output, record);
	return is_over_at_once(host);
}

static double
unread_since(struct host *host)
{
	return clock_at(&host->clock,
	    collector_unread_since(&host->job.output.collector));
}

static void
begin_wait(struct host *host, bool hint_decides, double seconds)
{
	hinted_begin(&host->job.hinted, hint_decides, seconds);
	if (host->job.hinted.until > 0)
		events_date(&host->events, host->job.hinted.until);
}

static const struct driver driver = {
	.next = next,
	.now = now,
	.tell = tell,
	.start = start,
	.signal = signal_job,
	.is_gone = is_gone,
	.abandon = abandon,
	.collect = collect,
	.drop_output = drop_output,
	.note_attempt = note_attempt,
	.answer = answer,
	.end_probe = end_probe,
	.lock = lock,
	.save = save,
	.read_input = read_input,
	.pay = pay,
	.give = give,
	.deliver = deliver,
	.unread_since = unread_since,
	.begin_wait = begin_wait,
};

/* --- the run --- */

/* With --verbose. */
static void
show_probe(void *data, const char *line)
{
	struct host *host = data;

	logs_note(host->report, &host->job.output, "health check: ", line);
	host->tick_due = -INFINITY;
}

/*
 * SIGCHLD is read with the other signals, and job_reap() waits for children:
 * libev's own wait does not report processor times, and depends on a mask that
 * the parent may have set.
 */
static void
set_up(struct host *host)
{
	const struct options *options = host->options;
	const struct policy *policy = &options->policy;
	struct job *job = &host->job;
	const struct random random = { .seed = options->style.seed };

	host->run = run_open(policy, random, &driver, host);
	if (host->run == NULL)
		err(STATUS_OWN_FAILURE, "cannot begin");
	*job = (struct job){
		.options = options,
		.report = host->report,
	};
	if (child_init(&job->child) == -1)
		err(STATUS_OWN_FAILURE, "cannot prepare to start processes");
	/* With -k 0 nothing gets SIGKILL, not even if `retry` is killed. */
	job->child.outlives = policy->kill_after == 0;
	tree_watch(&job->tree, job->child.self, policy_ends_processes(policy));
	events_open(&host->events);
	host->receiver = (struct receiver){
		.child = &job->child,
		.asks = policy->signal,
	};
	receiver_open(&host->receiver, host->events.loop);
	probe_open(&job->probe, &job->child, host->events.loop,
	    options->style.verbose ? show_probe : NULL, host);
}

/*
 * In the reverse order of set_up() and loop_run(); logs and messages are last,
 * since the others may write to them.  tests/simulate finds a descriptor that
 * stays open, and valgrind memory.
 */
static void
close_all(struct host *host)
{
	struct job *job = &host->job;

	logs_hide(host->report, &job->output);
	messages.held = false;
	collector_close(&job->output.collector);
	input_close(&job->input);
	notify_close(job->notify);
	oom_close(&job->oom);
	state_file_close(&host->state);
	budget_file_close(&host->budget);
	ev_loop_destroy(host->events.loop);
	tree_free(&job->tree);
	run_close(host->run);
	logs_close(host->report);
	messages_close();
}

int
loop_run(const struct options *options, struct report *report)
{
	struct host host = {
		.options = options,
		.report = report,
		.polled = -INFINITY,
	};
	struct job *job = &host.job;

	set_up(&host);
	budget_file_open(&host.budget, options);
	if (state_file_open(&host.state, options) == -1) {
		logs_remove(report);
		exit(STATUS_OWN_FAILURE);
	}
	report->pid = job->child.self;
	report->begun = events_time(CLOCK_REALTIME);
	if (gethostname(report->host, sizeof(report->host) - 1) == -1)
		*report->host = '\0';
	job->notify = notify_open(options, &job->child, host.events.loop);
	input_open(&job->input, options, host.events.loop, &host.clock,
	    &host.failed);
	output_open(&job->output, options, host.events.loop);
	/* With --output=chronic it is held. */
	if (options->warning != NULL)
		say("%s", options->warning);
	duplicate_open(&job->duplicate, options, report->shares_stdout);

	while (run_step(host.run))
		continue;

	const struct end end = run_record(host.run, now(&host)).end;
	close_all(&host);
	/* The init process of a container outlives its own signal. */
	if (end.death != 0)
		receiver_die(end.death);
	return end.status;
}
