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

/* The work whose end the event DONE reports. */
enum doing {
	DOING_NOTHING,
	DOING_READ, /* standard input is read */
	DOING_READ_OVER,
	DOING_COLLECT, /* the output is collected */
	DOING_DELIVER  /* held output goes out */
};

/* The system's side of a run. */
struct loop {
	const struct options *options;
	struct run *run;
	struct report report;
	struct events events;
	struct clock clock; /* the run's */
	double turned;	    /* when the last turn of the event loop began */
	double tick_due;    /* when logs_tick() is to be called next */

	struct receiver receiver;
	struct job job;
	enum doing doing;
	bool failed; /* the output, and the run does not know it yet */
	int death;   /* of that failure: the signal to die of, or 0 */

	struct state_file state;
	struct budget_file budget;
	char advice[ADVICE]; /* what to type instead of the command */
};

/* Whether the output has failed, after a message. */
static bool
has_failed(struct loop *loop)
{
	loop->failed = loop->failed ||
	    output_take_failure(&loop->job.output, &loop->death);
	return loop->failed;
}

/* --- what happens --- */

/*
 * Waits until something has happened, or for `until`, and notes what happened.
 * Before that the status line is drawn, and signs of life are given, as they
 * are due.
 */
static void
turn(struct loop *loop, double until)
{
	const double time = clock_now(&loop->clock);
	struct record record = run_record(loop->run, time);

	record.seen.time = events_time(CLOCK_REALTIME);
	/* Output may come at each moment. */
	if (time >= loop->tick_due)
		loop->tick_due = time +
		    logs_tick(&loop->report, &loop->job.output, &record) -
		    record.elapsed;
	/* This and the delay are in seconds from now. */
	const double tick = loop->tick_due - time;
	const double beat = notify_beat(loop->job.notify);
	loop->turned = clock_now(&loop->clock);
	events_alarm(&loop->events,
	    fmin(until - loop->turned, fmin(beat, tick)));
	ev_run(loop->events.loop, EVRUN_ONCE);
	/* A freeze may have lasted, and the manager is patient no longer. */
	notify_beat(loop->job.notify);
}

static struct event
tell_signal(struct loop *loop, const struct received *received)
{
	const bool is_attempt = loop->job.task == TASK_ATTEMPT;
	const bool ends = received->ends_run;

	loop->job.passed_on |= ends;
	if (ends)
		notify_stopping(loop->job.notify);
	const bool held =
	    !ends && notify_holds(loop->job.notify, received->signal);
	return (struct event){
		.kind = EVENT_SIGNAL,
		.signal = received->signal,
		.forwarded = !held &&
		    receiver_forward(&loop->receiver, received, is_attempt),
		.ends_run = ends,
	};
}

/* Takes note of it if what was begun is over, and then returns true. */
static bool
take_done(struct loop *loop)
{
	switch (loop->doing) {
	case DOING_NOTHING:
	case DOING_READ:
		return false;
	case DOING_COLLECT:
	case DOING_DELIVER:
		if (collector_works(&loop->job.output.collector))
			return false;
		break;
	case DOING_READ_OVER:
		break;
	}
	loop->doing = DOING_NOTHING;
	return true;
}

/*
 * Finds what has happened, in the order that struct driver promises: a signal
 * that came with the death of the attempt still ends the run.
 */
static bool
look(struct loop *loop, double until, struct event *event)
{
	struct received received;

	if (has_failed(loop)) {
		*event = (struct event){ .kind = EVENT_ERROR,
			.signal = loop->death };
		loop->failed = false;
		loop->doing = DOING_NOTHING;
		return true;
	}
	if (receiver_take(&loop->receiver, &received)) {
		*event = tell_signal(loop, &received);
		return true;
	}
	*event = (struct event){ .kind = EVENT_DONE };
	if (take_done(loop))
		return true;
	if (loop->receiver.child_ended) {
		loop->receiver.child_ended = false;
		if (job_reap(&loop->job, event))
			return true;
	}
	if (notify_take_hang(loop->job.notify)) {
		*event = (struct event){ .kind = EVENT_PROBED,
			.probe = { .kind = OUTCOME_UNHEALTHY } };
		return true;
	}
	if (hinted_over(&loop->job.hinted)) {
		event->kind = EVENT_DATE;
		return true;
	}
	/* A turn that began at `until` or later has read the signals before. */
	event->kind = EVENT_TIMER;
	return loop->turned >= until;
}

static struct event
next(void *context, double until)
{
	struct loop *loop = context;
	struct event event;

	/* What was told since may have hidden the status line. */
	loop->tick_due = -INFINITY;
	while (!look(loop, until, &event))
		turn(loop, until);
	event.now = clock_now(&loop->clock);
	/* A stop does not count as silence. */
	event.active = clock_at(&loop->clock,
	    fmax(collector_active(&loop->job.output.collector),
		loop->clock.resumed));
	return event;
}

/* Standard input is read, or could not be. */
static void
input_done(void *data, bool success)
{
	struct loop *loop = data;

	loop->doing = DOING_READ_OVER;
	loop->failed |= !success;
}

/* `retry` is stopped, or goes on, and the child with it. */
static void
suspend(void *data, bool stop)
{
	struct loop *loop = data;
	struct job *job = &loop->job;
	const int signal = stop ? SIGSTOP : SIGCONT;

	if (stop)
		logs_hide(&loop->report, &job->output);
	child_signal_group(&job->probe.child, signal);
}

/* --- what the run asks for --- */

static double
now(void *context)
{
	const struct loop *loop = context;

	return clock_now(&loop->clock);
}

/* Completes a record with pids, clocks and times, and reports it. */
static void
tell(void *context, struct record *record)
{
	struct loop *loop = context;
	struct job *job = &loop->job;
	const bool is_told =
	    (record->kind == RECORD_OUTCOME || record->kind == RECORD_END) &&
	    loop->report.keeps_output;
	char *output = is_told ? output_tail(&job->output) : NULL;

	record->seen.output = output;
	job_describe(job, record);
	/* Once is enough. */
	record->seen.advice =
	    record->attempt.number > 1 && record->kind != RECORD_END
	    ? NULL
	    : suggest_outcome(loop->options, record->last.outcome, loop->advice,
		  sizeof(loop->advice));
	record->seen.time = events_time(CLOCK_REALTIME);
	logs_tell(&loop->report, &job->output, record);
	free(output);
	notify_tell(loop->job.notify, &loop->report.style, record);
}

static struct started
start(void *context, enum task task, struct record *record)
{
	struct loop *loop = context;

	loop->doing = DOING_NOTHING;
	logs_hide(&loop->report, &loop->job.output);
	const struct started started = job_start(&loop->job, task, record);
	if (started.runs || task == TASK_PROBE || !has_failed(loop))
		return started;
	loop->failed = false;
	return (struct started){ .death = loop->death };
}

static void
signal_job(void *context, int signal)
{
	struct loop *loop = context;

	logs_hide(&loop->report, &loop->job.output);
	job_signal(&loop->job, signal);
}

static bool
is_gone(void *context)
{
	struct loop *loop = context;

	return job_is_gone(&loop->job);
}

static void
abandon(void *context)
{
	struct loop *loop = context;

	if (loop->doing == DOING_COLLECT)
		collector_drop(&loop->job.output.collector);
	else
		job_abandon(&loop->job);
	loop->doing = DOING_NOTHING;
}

/* A failure that there is already comes as an event, before DONE. */
static bool
is_over_at_once(struct loop *loop, enum doing doing)
{
	loop->doing = DOING_NOTHING;
	if (!collector_works(&loop->job.output.collector) && !has_failed(loop))
		return true;
	loop->doing = doing;
	return false;
}

static bool
collect(void *context)
{
	struct loop *loop = context;

	collector_finish(&loop->job.output.collector);
	return is_over_at_once(loop, DOING_COLLECT);
}

static void
end_attempt(void *context, struct ended *ended)
{
	struct loop *loop = context;

	job_end_attempt(&loop->job, ended);
}

static enum answer
answer(void *context)
{
	struct loop *loop = context;

	return job_answer(&loop->job);
}

static void
end_probe(void *context, bool waits)
{
	struct loop *loop = context;

	if (waits)
		probe_kill(&loop->job.probe);
	else if (loop->job.probe.child.pid != 0)
		probe_drop(&loop->job.probe);
}

static enum answer
lock(void *context, struct state *state)
{
	struct loop *loop = context;

	switch (state_file_lock(&loop->state)) {
	case 1:
		*state = loop->state.state;
		return ANSWER_YES;
	case 0:
		return loop->options->policy.early_skip ? ANSWER_NO
							: ANSWER_AGAIN;
	}
	return ANSWER_NONE;
}

static bool
save(void *context, const struct state *state)
{
	struct loop *loop = context;

	return state_file_save(&loop->state, state,
		   events_time(CLOCK_REALTIME)) == 0;
}

static bool
read_input(void *context)
{
	struct loop *loop = context;
	const int spools = input_spool(&loop->job.input);

	loop->doing = spools == 1 ? DOING_READ : DOING_NOTHING;
	loop->failed |= spools == -1;
	return spools == 0;
}

static enum answer
pay(void *context, bool throttled, int64_t *paid)
{
	struct loop *loop = context;

	return budget_file_take(&loop->budget, throttled, paid);
}

static void
give(void *context, int64_t paid)
{
	struct loop *loop = context;

	budget_file_give(&loop->budget, paid);
}

static bool
deliver(void *context, struct record *record)
{
	struct loop *loop = context;
	struct output *output = &loop->job.output;

	logs_hide(&loop->report, output);
	input_stop(&loop->job.input);
	logs_begin_output(&loop->report, output, record);
	output_deliver(output, record);
	return is_over_at_once(loop, DOING_DELIVER);
}

static double
unread_since(void *context)
{
	const struct loop *loop = context;

	return clock_at(&loop->clock,
	    collector_unread_since(&loop->job.output.collector));
}

static void
begin_wait(void *context, bool hint_decides, double seconds)
{
	struct loop *loop = context;

	hinted_begin(&loop->job.hinted, hint_decides, seconds);
	if (loop->job.hinted.until > 0)
		events_date(&loop->events, loop->job.hinted.until);
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
	.end_attempt = end_attempt,
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
	struct loop *loop = data;

	logs_note(&loop->report, &loop->job.output, "health check: ", line);
	loop->tick_due = -INFINITY;
}

/*
 * SIGCHLD is read with the other signals, and job_reap() waits for children:
 * libev's own wait takes no processor times and depends on a mask that the
 * parent may have set.
 */
static void
set_up(struct loop *loop)
{
	const struct options *options = loop->options;
	const struct policy *policy = &options->policy;
	struct job *job = &loop->job;

	loop->run = run_open(policy, options->random, &driver, loop);
	if (loop->run == NULL)
		err(STATUS_OWN_FAILURE, "cannot begin");
	*job = (struct job){
		.options = options,
		.report = &loop->report,
	};
	if (child_init(&job->child) == -1)
		err(STATUS_OWN_FAILURE, "cannot prepare to start processes");
	/* With -k 0 nothing gets SIGKILL, not even if `retry` is killed. */
	job->child.outlives = policy->kill_after == 0;
	tree_watch(&job->tree, job->child.parent,
	    policy_ends_processes(policy));
	events_open(&loop->events);
	loop->receiver = (struct receiver){
		.child = &job->child,
		.asks = policy->signal,
		.clock = &loop->clock,
		.suspend = suspend,
		.data = loop,
	};
	receiver_open(&loop->receiver, loop->events.loop);
	probe_open(&job->probe, &job->child, loop->events.loop,
	    options->style.verbose ? show_probe : NULL, loop);
}

/*
 * In the reverse order of set_up() and loop_run(); logs and messages are last,
 * since the others may write to them.  Two laws see what stays open: that of
 * descriptors in tests/simulate, and valgrind.
 */
static void
close_all(struct loop *loop)
{
	struct job *job = &loop->job;

	logs_hide(&loop->report, &job->output);
	messages.held = false;
	output_close(&job->output);
	input_close(&job->input);
	notify_close(job->notify);
	oom_close(&job->oom);
	state_file_close(&loop->state);
	budget_file_close(&loop->budget);
	ev_loop_destroy(loop->events.loop);
	tree_free(&job->tree);
	run_close(loop->run);
	logs_close(&loop->report);
	messages_close();
}

int
loop_run(const struct options *options, const struct report *report)
{
	struct loop loop = {
		.options = options,
		.report = *report,
		.turned = -INFINITY,
	};
	struct job *job = &loop.job;

	set_up(&loop);
	budget_file_open(&loop.budget, options);
	if (state_file_open(&loop.state, options) == -1) {
		logs_remove(report);
		exit(STATUS_OWN_FAILURE);
	}
	loop.report.pid = job->child.parent;
	loop.report.begun = events_time(CLOCK_REALTIME);
	if (gethostname(loop.report.host, sizeof(loop.report.host) - 1) == -1)
		*loop.report.host = '\0';
	job->notify = notify_open(options, &job->child, loop.events.loop);
	input_open(&job->input, options, loop.events.loop, &loop.clock,
	    input_done, &loop);
	output_open(&job->output, options, loop.events.loop);
	/* With --output=chronic it is held. */
	if (options->warning != NULL)
		say("%s", options->warning);
	duplicate_open(&job->duplicate, options, logs_use_output(report));

	while (run_step(loop.run))
		continue;

	const struct end end = run_record(loop.run, now(&loop)).end;
	close_all(&loop);
	/* The init process of a container outlives its own signal. */
	if (end.death != 0)
		receiver_die(end.death);
	return end.status;
}
