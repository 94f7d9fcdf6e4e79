/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <paths.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "options/suggest.h"
#include "core/engine.h"
#include "core/signals.h"
#include "core/text.h"
#include "sys/budget_file.h"
#include "sys/child.h"
#include "sys/command.h"
#include "sys/duplicate.h"
#include "sys/events.h"
#include "sys/file.h"
#include "sys/hinted.h"
#include "sys/input.h"
#include "sys/logs.h"
#include "sys/loop.h"
#include "sys/notify.h"
#include "sys/oom.h"
#include "sys/output.h"
#include "sys/probe.h"
#include "sys/relay.h"
#include "sys/signal_queue.h"
#include "sys/state_file.h"
#include "sys/terminal.h"
#include "sys/tree.h"

/*
 * How many signals are read at once.  All but real-time signals come first, at
 * most one of each, and so together.
 */
#define SIGNALS 32

/* Room for advice: what to type instead of the command. */
#define ADVICE 256

/* What the child is for. */
struct task {
	enum question question; /* that it answers; NOTHING: an attempt */
	const char *option;	/* the user's, for a shell command */
	const char *command;
};

/* What the loop does besides waiting for events and the child. */
enum doing {
	DOING_NOTHING,
	DOING_COLLECT, /* the output is collected */
	DOING_DELIVER, /* held output goes out */
	DOING_OVER     /* the run is over */
};

/* The system's side of a run: descriptors, watchers, a child. */
struct loop {
	const struct options *options;
	struct engine *engine;
	struct report report;
	struct messages messages;
	struct events events;
	ev_io signals;
	ev_io stops;
	ev_timer timer;
	struct clock clock;   /* the engine's */
	double wake;	      /* when the engine wants its next TIMER */
	struct event pending; /* for the next turn of the loop, or NONE */

	struct child child;
	struct task task;
	int status;		     /* of the last child */
	char reason[COMMAND_REASON]; /* why the command was not executed */
	char advice[ADVICE];	     /* what to type instead of the command */
	struct rusage usage;	     /* of the last attempt */
	struct probe probe;
	struct tree tree;
	struct survivors left; /* by the last attempt */
	struct oom oom;
	struct terminal terminal;
	bool killed; /* `retry` has signalled the child to end it */

	struct state_file state;
	struct budget_file budget;
	double pay_at; /* when the budget, which is locked, is asked again */
	struct notify notify;
	struct relay relay;
	struct input input;
	struct output output;
	struct duplicate duplicate;
	struct hinted hinted;
	struct found found; /* in the last attempt's output */
	enum doing doing;
};

static double
now(const struct loop *loop)
{
	return clock_now(&loop->clock);
}

static double
seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/*
 * One timer serves the engine, the status line and a pending event.  libev
 * counts from its own idea of now, which is as old as the callback.
 */
static void
arm(struct loop *loop)
{
	const double time = now(loop);
	struct record record = engine_record(loop->engine, time);

	record.time = events_time(CLOCK_REALTIME);
	const double tick = logs_tick(&loop->report, &loop->output, &record) +
	    time - record.elapsed;
	const double wake = loop->pending.kind != EVENT_NONE
	    ? time
	    : fmin(fmin(loop->wake, tick),
		  fmin(time + hinted_look(&loop->hinted), loop->pay_at));

	/* A timer that is due fires in this turn, however many signals come. */
	if (ev_is_pending(&loop->timer) && wake <= time)
		return;
	ev_timer_stop(loop->events.loop, &loop->timer);
	if (wake == INFINITY)
		return;
	ev_now_update(loop->events.loop);
	ev_timer_set(&loop->timer, fmax(wake - now(loop), 0), 0);
	ev_timer_start(loop->events.loop, &loop->timer);
}

/* Whether the child is an attempt, and not for a question. */
static bool
is_attempt(const struct loop *loop)
{
	return loop->task.question == ASK_NOTHING;
}

/* The record of this moment, with the line that decided. */
static struct record
current_record(const struct loop *loop)
{
	struct record record = engine_record(loop->engine, now(loop));

	record.line =
	    search_line(&loop->found, record.judgement.rule, record.known);
	return record;
}

/* Completes a record with pids, clocks and times, and reports it. */
static void
hear_record(void *data, struct record *record)
{
	struct loop *loop = data;
	const bool is_told =
	    (record->kind == RECORD_OUTCOME || record->kind == RECORD_END) &&
	    loop->report.keeps_output;
	char *output = is_told ? output_tail(&loop->output) : NULL;

	record->output = output;
	record->line =
	    search_line(&loop->found, record->judgement.rule, record->known);
	*loop->advice = '\0';
	record->advice = suggest_outcome(loop->options, record->outcome,
			     loop->advice, sizeof(loop->advice))
	    ? loop->advice
	    : NULL;
	record->time = events_time(CLOCK_REALTIME);
	record->pid = loop->child.pid;
	record->last_line =
	    *loop->probe.last_line == '\0' ? NULL : loop->probe.last_line;
	record->left = loop->left.count;
	record->left_names =
	    *loop->left.names == '\0' ? NULL : loop->left.names;
	record->lost_input = loop->input.lost;
	record->user = seconds(loop->usage.ru_utime);
	record->system = seconds(loop->usage.ru_stime);
	logs_tell(&loop->report, &loop->output, record);
	free(output);
	relay_tell(&loop->relay, &loop->report.style, record);
	if (loop->options->policy.budget && record->kind == RECORD_OUTCOME &&
	    record->judgement.verdict == VERDICT_SUCCESS)
		budget_file_give(&loop->budget, record->paid);
}

/* --- what the engine asks for --- */

static struct event
answer(enum answer answer)
{
	return (struct event){ .kind = EVENT_ANSWER, .answer = answer };
}

/* `retry` could not ask: there is no answer. */
static struct event
no_answer(void)
{
	return (struct event){ .kind = EVENT_ANSWER, .failed = true };
}

/*
 * Starts an attempt, or a shell command between attempts.  Returns whether it
 * was started; if not, errno is set.
 */
static bool
start_task(struct loop *loop, struct start *start)
{
	/* What an attempt left behind is not the next command's. */
	tree_begin(&loop->tree);
	/* A child in a group of its own has no terminal to restore. */
	loop->terminal.known = false;
	if (!loop->child.own_group)
		terminal_begin(&loop->terminal);
	loop->killed = false;
	int result = is_attempt(loop)
	    ? output_begin(&loop->output, start->descriptors)
	    : output_begin_shell(&loop->output, start->descriptors);
	if (result == 0)
		result = child_start(&loop->child, start);
	const int error = errno;
	output_started(&loop->output);
	if (output_worker(&loop->output) != 0)
		tree_spare(&loop->tree, output_worker(&loop->output));
	if (is_attempt(loop) && loop->child.own_group)
		loop->tree.group = loop->child.pid;
	if (result == -1)
		output_drop(&loop->output);
	errno = error;
	return result == 0;
}

/* Says how a question's process ended, and what follows. */
static void
tell_end(struct loop *loop, const char *what_follows)
{
	const char *option = loop->task.option;
	const int status = loop->status;
	char name[SIGNAL_NAME];

	if (loop->task.question == ASK_GATE && loop->killed)
		say(&loop->messages, "%s timed out%s", option, what_follows);
	else if (WIFSIGNALED(status))
		say(&loop->messages, "%s was killed by %s%s", option,
		    signal_name(WTERMSIG(status), name), what_follows);
	else
		say(&loop->messages, "%s exited %d%s", option,
		    WEXITSTATUS(status), what_follows);
}

static void
run_attempt(struct loop *loop)
{
	struct record record = current_record(loop);
	struct start start = {
		.argv = loop->options->command,
		.record = &record,
		.descriptors = { CHILD_KEEPS, CHILD_KEEPS, CHILD_KEEPS },
	};

	/* A gate that could not tell lets the retry through. */
	if (loop->task.question == ASK_GATE &&
	    (loop->killed || loop->status != 0))
		tell_end(loop, "; the retry is allowed");
	logs_begin_output(&loop->report, &loop->output, &record);
	duplicate_begin(&loop->duplicate,
	    record.judgement.verdict == VERDICT_RETRY);
	loop->task = (struct task){ .question = ASK_NOTHING };
	oom_begin(&loop->oom);
	start.notify = relay_begin(&loop->relay, record.attempt);
	const bool prepared =
	    input_begin(&loop->input, record.attempt, loop->left.count > 0,
		&start.descriptors[0]) == 0;
	const bool started = prepared && start_task(loop, &start);
	const int error = errno;
	input_started(&loop->input);
	if (started) {
		record = engine_record(loop->engine, now(loop));
		record.kind = RECORD_ATTEMPT;
		hear_record(loop, &record);
		return;
	}
	/*
	 * ENDED waits for the next turn of the loop: signals would never be
	 * read if fork keeps failing and there is no delay.
	 */
	loop->usage = (struct rusage){ 0 };
	loop->left = (struct survivors){ 0 };
	loop->found = (struct found){ 0 };
	loop->pending = (struct event){ .kind = EVENT_ENDED,
		.hint = -1,
		.failed = !prepared };
	if (prepared)
		loop->pending.evidence.outcome =
		    (struct outcome){ OUTCOME_UNFORKED, .code = error };
}

/* A check, a gate or a hook: the task's shell command. */
static bool
start_shell(struct loop *loop)
{
	const char *const argv[] = { _PATH_BSHELL, "-c", loop->task.command,
		NULL };
	const struct record record = current_record(loop);
	const int null = file_null();
	const bool has_stderr = fcntl(STDERR_FILENO, F_GETFD) != -1;
	struct start start = {
		.argv = argv,
		.record = &record,
		.descriptors = { null, has_stderr ? STDERR_FILENO : null,
		    CHILD_KEEPS },
	};

	if (null == -1)
		return false;
	const bool started = start_task(loop, &start);
	const int error = errno;
	close(null);
	errno = error;
	return started;
}

/* Pays for a retry; if the budget is locked, the timer asks again. */
static struct event
pay_retry(struct loop *loop)
{
	const struct record record = engine_record(loop->engine, now(loop));
	struct event event = answer(ANSWER_YES);

	switch (budget_file_take(&loop->budget, record.judgement.throttled,
	    &event.paid)) {
	case BUDGET_ALLOWED:
		break;
	case BUDGET_REFUSED:
		event.answer = ANSWER_NO;
		break;
	case BUDGET_LOCKED:
		loop->pay_at = now(loop) + BUDGET_PAUSE;
		event.kind = EVENT_NONE;
		break;
	}
	return event;
}

/*
 * Takes the lock of the state and reads it.  If another run has the lock, a
 * process waits for it, since flock(2) would keep `retry` from signals and
 * timers; trying every so often would let other runs pass.
 */
static struct event
lock_state(struct loop *loop)
{
	char safe[128];
	int result = state_file_lock(&loop->state);

	if (result == 1)
		return (struct event){
			.kind = EVENT_ANSWER,
			.answer = ANSWER_YES,
			.state = loop->state.state,
		};
	if (result == -1)
		return answer(ANSWER_NONE);
	if (loop->options->policy.early_skip)
		return answer(ANSWER_NO);
	result = child_fork(&loop->child);
	if (result == 0) {
		/* This process dies with retry, even with -k 0. */
		child_follow(loop->child.parent);
		_exit(state_file_wait(&loop->state));
	}
	if (result != -1)
		return (struct event){ .kind = EVENT_NONE };
	say_error(&loop->messages, "--state: %s: cannot wait for its lock",
	    text_safe(loop->state.name, safe, sizeof(safe)));
	return answer(ANSWER_NONE);
}

static struct event
ask_system(struct loop *loop, const struct action *action)
{
	const struct options *options = loop->options;
	const bool success = action->reason == REASON_SUCCESS;
	const double time = events_time(CLOCK_REALTIME);
	struct task *task = &loop->task;
	int result;

	*task = (struct task){ .question = action->question };
	switch (action->question) {
	case ASK_STATE:
		return lock_state(loop);
	case ASK_INPUT:
		result = input_spool(&loop->input);
		if (result == -1)
			return (struct event){ .kind = EVENT_ERROR };
		return result == 0 ? answer(ANSWER_YES)
				   : (struct event){ .kind = EVENT_NONE };
	case ASK_BUDGET:
		return pay_retry(loop);
	case ASK_SAVE:
		result = state_file_save(&loop->state, &action->state, time);
		return answer(result == 0 ? ANSWER_YES : ANSWER_NONE);
	case ASK_HOOK:
		input_stop(&loop->input);
		output_drop(&loop->output);
		output_show_messages(&loop->output);
		task->option = success ? "--on-success" : "--on-give-up";
		task->command =
		    success ? options->on_success : options->on_give_up;
		break;
	case ASK_CHECK:
		task->option = "--check";
		task->command = options->check;
		break;
	case ASK_GATE:
		task->option = "--before-retry";
		task->command = options->before_retry;
		break;
	case ASK_NOTHING:
		break;
	}
	if (start_shell(loop))
		return (struct event){ .kind = EVENT_NONE };
	say_error(&loop->messages, "cannot run %s", task->option);
	return no_answer();
}

/* The event for an attempt that has ended. */
static struct event
attempt_ended(struct loop *loop)
{
	const int error = *loop->child.exec_errno;
	const int status = loop->status;
	struct outcome outcome = { .kind = OUTCOME_EXIT,
		.code = WEXITSTATUS(status) };

	relay_end(&loop->relay);
	loop->found = *output_found(&loop->output);
	duplicate_end(&loop->duplicate);
	if (error != 0)
		outcome = (struct outcome){ .kind = OUTCOME_UNSTARTABLE,
			.code = error,
			.reason = command_reason(*loop->options->command, error,
			    loop->reason) };
	else if (WIFSIGNALED(status))
		outcome = (struct outcome){ .kind = OUTCOME_SIGNAL,
			.code = WTERMSIG(status) };
	loop->left = tree_survivors(&loop->tree);
	outcome.oom = outcome_may_be_oom(outcome) && oom_grew(&loop->oom);
	return (struct event){
		.kind = EVENT_ENDED,
		.hint = hinted_find(&loop->hinted, &loop->found,
		    &loop->messages),
		.evidence = {
			.outcome = outcome,
			.matched = loop->found.matched,
			.by_line = loop->found.class,
			.unread = output_is_unread(&loop->output),
		},
	};
}

/*
 * The answer of a question's process, from its wait status.  A hook that fails
 * is reported, and a check that its shell did not find.
 */
static struct event
question_ended(struct loop *loop)
{
	const int error = *loop->child.exec_errno;
	const int status = loop->status;
	const enum question question = loop->task.question;

	if (question == ASK_STATE) {
		if (!WIFEXITED(status) || WEXITSTATUS(status) == 0)
			return answer(ANSWER_AGAIN);
		say(&loop->messages, "--state: cannot wait for its lock");
		return answer(ANSWER_NONE);
	}
	const int code = WEXITSTATUS(status);
	if (error != 0) {
		say(&loop->messages, "cannot run %s: %s: %s", loop->task.option,
		    _PATH_BSHELL, strerror(error));
		return no_answer();
	}
	if ((question == ASK_HOOK && status != 0) ||
	    (question == ASK_CHECK && WIFEXITED(status) &&
		(code == STATUS_NOT_EXECUTABLE || code == STATUS_NOT_FOUND)))
		tell_end(loop, "");
	if (!WIFEXITED(status))
		return answer(ANSWER_NO);
	switch (code) {
	case 0:
		return answer(ANSWER_YES);
	case 1:
		return answer(ANSWER_AGAIN);
	default:
		return answer(ANSWER_NO);
	}
}

static struct event
process_ended(struct loop *loop)
{
	if (loop->killed || WIFSIGNALED(loop->status))
		terminal_restore(&loop->terminal);
	return is_attempt(loop) ? attempt_ended(loop) : question_ended(loop);
}

/* Ends the process, and all that it has started. */
static struct event
kill_process(struct loop *loop, int signal)
{
	const struct child *child = &loop->child;
	char name[SIGNAL_NAME], note[64];

	loop->killed |= child->pid != 0;
	if (loop->options->verbose) {
		snprintf(note, sizeof(note), "sending %s to %s",
		    signal_name(signal, name),
		    child->pid != 0	   ? "the process"
			: is_attempt(loop) ? "what the attempt left"
					   : "what it left");
		logs_note(&loop->report, &loop->output, "", note);
	}
	if (tree_signal(&loop->tree, child->pid, child->own_group, signal) ==
		-1 &&
	    errno != ESRCH)
		say_error(&loop->messages, "cannot signal process %ld",
		    (long)child->pid);
	return (struct event){ .kind = signal == SIGKILL ? EVENT_KILLED
							 : EVENT_NONE };
}

static struct event
start_probe(struct loop *loop)
{
	const struct record record = current_record(loop);

	/* The attempt could not be started, as its pending end will tell. */
	if (loop->child.pid == 0)
		return (struct event){ .kind = EVENT_NONE };
	if (probe_start(&loop->probe, loop->options->health, &record,
		loop->child.pid) == 0) {
		tree_spare(&loop->tree, loop->probe.child.pid);
		return (struct event){ .kind = EVENT_NONE };
	}
	return (struct event){
		.kind = EVENT_PROBED,
		.probe = { .kind = OUTCOME_UNFORKED, .code = errno },
	};
}

/* With --verbose. */
static void
show_probe(void *data, const char *line)
{
	struct loop *loop = data;

	logs_note(&loop->report, &loop->output, "health check: ", line);
}

/* Whether a running probe may outlive this action. */
static bool
leaves_probe(enum action_kind kind)
{
	return kind == ACTION_NONE || kind == ACTION_PROBE ||
	    kind == ACTION_END_PROBE;
}

/* Carries an action out; returns the event that it causes, or NONE. */
static struct event
do_action(struct loop *loop, const struct action *action)
{
	struct record record;

	/* The budget was asked, or the run does not wait for it any more. */
	if (action->kind != ACTION_NONE)
		loop->pay_at = INFINITY;
	if (loop->probe.child.pid != 0 && !leaves_probe(action->kind))
		probe_drop(&loop->probe);
	switch (action->kind) {
	case ACTION_NONE:
		break;
	case ACTION_RUN:
		hinted_begin(&loop->hinted, false, 0);
		run_attempt(loop);
		break;
	case ACTION_PROBE:
		return start_probe(loop);
	case ACTION_END_PROBE:
		probe_kill(&loop->probe);
		break;
	case ACTION_ASK:
		return ask_system(loop, action);
	case ACTION_WAIT:
		if (action->wake <= now(loop))
			return (struct event){ .kind = EVENT_TIMER };
		record = engine_record(loop->engine, now(loop));
		hinted_begin(&loop->hinted, record.delay.hint_decides,
		    action->wake - now(loop));
		break;
	case ACTION_KILL:
		return kill_process(loop, action->signal);
	case ACTION_LOOK:
		if (tree_left(&loop->tree, false) == 0)
			return (struct event){ .kind = EVENT_GONE };
		if (action->signal != 0)
			return kill_process(loop, action->signal);
		break;
	case ACTION_ABANDON:
		if (loop->doing == DOING_COLLECT)
			output_drop(&loop->output);
		else if (tree_left(&loop->tree, true) == 0 &&
		    loop->child.pid != 0)
			say(&loop->messages, "process %ld does not end",
			    (long)loop->child.pid);
		loop->child.pid = 0;
		return (struct event){ .kind = EVENT_GONE };
	case ACTION_COLLECT:
		output_finish(&loop->output);
		loop->doing = DOING_COLLECT;
		break;
	case ACTION_DELIVER:
		input_stop(&loop->input);
		record = engine_record(loop->engine, now(loop));
		logs_begin_output(&loop->report, &loop->output, &record);
		output_deliver(&loop->output, &record);
		loop->doing = DOING_DELIVER;
		break;
	case ACTION_FINISH:
		input_stop(&loop->input);
		output_show_messages(&loop->output);
		output_drop(&loop->output);
		loop->doing = DOING_OVER;
		ev_break(loop->events.loop, EVBREAK_ALL);
		break;
	}
	return (struct event){ .kind = EVENT_NONE };
}

/*
 * What follows from the output after `event`, which an action has caused: once
 * its process is over, or was not needed, the end of what is being done.  A
 * failure of the output does not wait for that process.  It is added to an
 * event that ends an attempt or answers a question; any other becomes an ERROR.
 */
static struct event
output_event(struct loop *loop, struct event event)
{
	int death;

	/* No ERROR may come in place of GONE; the step after it looks again. */
	if (event.kind == EVENT_GONE)
		return event;
	const bool failed = output_take_failure(&loop->output, &death);
	if (!failed &&
	    (event.kind != EVENT_NONE || output_worker(&loop->output) != 0))
		return event;
	if (loop->doing == DOING_COLLECT)
		event = process_ended(loop);
	else if (loop->doing == DOING_DELIVER)
		event.kind = EVENT_DELIVERED;
	/* After FINISH only the message of a failure counts. */
	if (loop->doing != DOING_OVER)
		loop->doing = DOING_NOTHING;
	if (!failed)
		return event;
	/* An attempt that could not be prepared has no outcome. */
	if (loop->pending.kind != EVENT_NONE)
		event = (struct event){ .kind = EVENT_ENDED, .hint = -1 };
	loop->pending.kind = EVENT_NONE;
	if (event.kind == EVENT_ENDED || event.kind == EVENT_ANSWER)
		event.failed = true;
	else
		event.kind = EVENT_ERROR;
	event.signal = death;
	return event;
}

/* Gives the event to the engine, which tells it, and acts. */
static struct event
step(struct loop *loop, struct event event)
{
	event.now = now(loop);
	/* A stop does not count as silence. */
	event.active = clock_at(&loop->clock,
	    fmax(output_active(&loop->output), loop->clock.resumed));
	const struct action action = engine_step(loop->engine, event);
	loop->wake = action.wake;
	if (action.kind != ACTION_NONE)
		logs_hide(&loop->report, &loop->output);
	return do_action(loop, &action);
}

/*
 * Takes a step for every event, until there is something to wait for.  The
 * event NONE says that the output may have something to tell.
 */
static void
drive(struct loop *loop, struct event event)
{
	while (loop->doing != DOING_OVER) {
		if (event.kind != EVENT_NONE)
			event = step(loop, event);
		event = output_event(loop, event);
		if (event.kind == EVENT_NONE)
			break;
	}
	if (loop->doing != DOING_OVER)
		arm(loop);
}

/* --- what happens --- */

static void
input_done(void *data, bool success)
{
	struct loop *loop = data;

	drive(loop,
	    success ? answer(ANSWER_YES)
		    : (struct event){ .kind = EVENT_ERROR });
}

/*
 * Waits for all processes that have ended: the child, and orphans that nobody
 * else waits for.  One event stands for all of them: EXITED, which ends the
 * probe and looks for orphans anyway, or else PROBED, since no orphan is waited
 * for while a probe runs, or else REAPED.
 */
static void
reap(struct loop *loop)
{
	struct event event = { .kind = EVENT_NONE };
	struct rusage usage;
	pid_t pid;
	int status;

	while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0 ||
	    (pid == -1 && errno == EINTR)) {
		if (pid == -1)
			continue;
		if (output_reaped(&loop->output, pid, status))
			continue;
		if (pid == loop->probe.child.pid) {
			const struct outcome outcome =
			    probe_ended(&loop->probe, status);

			/* After the attempt no probe counts any more. */
			if (event.kind != EVENT_EXITED)
				event = (struct event){ .kind = EVENT_PROBED,
					.probe = outcome };
			continue;
		}
		if (pid != loop->child.pid) {
			if (event.kind == EVENT_NONE)
				event.kind = EVENT_REAPED;
			continue;
		}
		event.kind = EVENT_EXITED;
		loop->child.pid = 0;
		loop->status = status;
		if (is_attempt(loop))
			loop->usage = usage;
	}
	if (pid == -1 && loop->child.pid != 0)
		events_fail("cannot wait for the child");
	drive(loop, event);
}

/* Stops the child, then its output and retry, and lets all go on. */
static void
suspend(struct loop *loop, const struct signalfd_siginfo *info)
{
	const int number = (int)info->ssi_signo;
	const bool runs = loop->child.pid != 0;

	logs_hide(&loop->report, &loop->output);
	if (runs && !signal_queue_reached(info, &loop->child))
		child_stop(&loop->child, number);
	output_signal(&loop->output, SIGSTOP);
	child_signal_group(&loop->probe.child, SIGSTOP);
	const double begun = events_time(CLOCK_MONOTONIC);
	signal_queue_stop(number);
	clock_resume(&loop->clock, begun);
	output_signal(&loop->output, SIGCONT);
	child_signal_group(&loop->probe.child, SIGCONT);
	if (runs)
		child_signal_group(&loop->child, SIGCONT);
	arm(loop);
}

/*
 * Passes a signal on to the child; true if that was needed.  A signal that
 * neither ends the run nor continues a process is for attempts alone: a check
 * or a gate would die of it.
 */
static bool
forward(struct loop *loop, const struct signalfd_siginfo *info, bool ends_run)
{
	const int number = (int)info->ssi_signo;
	int result;

	if (loop->child.pid == 0 ||
	    !(is_attempt(loop) || ends_run || number == SIGCONT) ||
	    signal_queue_reached(info, &loop->child))
		return false;

	/* The terminal would tell the whole group of a job. */
	if (info->ssi_code == SI_KERNEL)
		result = child_signal_group(&loop->child, number);
	else if (ends_run || number == SIGCONT)
		result = child_signal(&loop->child, number);
	else /* a daemon's workers might die of what its first process takes */
		result = kill(loop->child.pid, number);
	if (result == -1)
		say_error(&loop->messages, "cannot signal process %ld",
		    (long)loop->child.pid);
	if (ends_run)
		child_signal_group(&loop->child, SIGCONT);
	return true;
}

/*
 * Whether the signal means anything to the run.  reap() sees to SIGCHLD, and a
 * SIGPIPE or SIGXFSZ of `retry`'s own comes with a write that fails, which is
 * reported.
 */
static bool
concerns_run(const struct loop *loop, const struct signalfd_siginfo *info)
{
	const int number = (int)info->ssi_signo;
	const bool own = (pid_t)info->ssi_pid == loop->child.parent;

	return number != SIGCHLD && !signal_queue_ignores(number) &&
	    !(own && (number == SIGPIPE || number == SIGXFSZ));
}

/*
 * Whether a signal that concerns the run ends it.  Without a terminal SIGHUP
 * asks a daemon to reload, so that the attempt gets it and the run goes on.
 */
static bool
ends_run(const struct loop *loop, const struct signalfd_siginfo *info)
{
	const int number = (int)info->ssi_signo;

	return signal_ends_run(number) &&
	    !(number == SIGHUP && loop->child.own_group);
}

static void
receive(struct loop *loop, const struct signalfd_siginfo *info)
{
	const bool ends = ends_run(loop, info);

	if (!concerns_run(loop, info) || loop->doing == DOING_OVER)
		return;
	if (ends)
		notify_stopping(&loop->notify);
	const bool held =
	    info->ssi_signo == SIGHUP && !ends && !relay_reload(&loop->relay);
	drive(loop,
	    (struct event){
		.kind = EVENT_SIGNAL,
		.signal = (int)info->ssi_signo,
		.forwarded = !held && forward(loop, info, ends),
		.ends_run = ends,
	    });
}

/*
 * Handles signals before deaths: a signal that came with the death of the
 * attempt still ends the run.  Signals that end the run are handled first,
 * since any other could end a wait, so that an attempt would begin in between.
 * Reads once, since a flood of signals would never end.
 */
static void
signals_ready(struct ev_loop *events, ev_io *watcher, int flags)
{
	struct loop *loop = watcher->data;
	struct signalfd_siginfo infos[SIGNALS];
	bool child = false;

	(void)events, (void)flags;
	const ssize_t length = read(watcher->fd, infos, sizeof(infos));
	const ssize_t count = length / (ssize_t)sizeof(*infos);
	for (ssize_t i = 0; i < count; i++)
		if (ends_run(loop, &infos[i]))
			receive(loop, &infos[i]);
	for (ssize_t i = 0; i < count; i++) {
		if (infos[i].ssi_signo == SIGCHLD)
			child = true;
		if (!ends_run(loop, &infos[i]))
			receive(loop, &infos[i]);
		sigdelset(&loop->child.missed, (int)infos[i].ssi_signo);
	}
	if (length == -1 && errno != EAGAIN && errno != EINTR)
		events_fail("cannot read signals");
	if (child)
		reap(loop);
}

static void
stop_ready(struct ev_loop *events, ev_io *watcher, int flags)
{
	struct loop *loop = watcher->data;
	struct signalfd_siginfo info;

	(void)events, (void)flags;
	if (!signal_queue_read_stop(&info))
		return;
	const int number = (int)info.ssi_signo;

	/*
	 * With SIGTTIN or SIGTTOU the child is in the background and wants its
	 * terminal, so that it is being stopped.  The shell sees `retry` alone,
	 * which therefore stops too, and continues the child when the shell
	 * continues it.  The same signal from another process means nothing;
	 * but the kernel may have merged the terminal's with it, so that only
	 * the child's state tells.
	 */
	if (number == SIGTSTP || info.ssi_code == SI_KERNEL ||
	    (pid_t)info.ssi_pid == loop->child.pid ||
	    child_stopped_by(&loop->child, number))
		suspend(loop, &info);
	else
		signal_queue_leave_stop(number);
	sigdelset(&loop->child.missed, number);
}

/* The attempt does not feed its watchdog. */
static void
attempt_hangs(void *data)
{
	drive(data,
	    (struct event){
		.kind = EVENT_PROBED,
		.probe = { .kind = OUTCOME_UNHEALTHY },
	    });
}

static void
timer_fired(struct ev_loop *events, ev_timer *watcher, int flags)
{
	struct loop *loop = watcher->data;
	struct event event = { .kind = EVENT_TIMER };

	(void)events, (void)flags;
	if (loop->pending.kind != EVENT_NONE)
		event = loop->pending;
	else if (loop->pay_at < INFINITY)
		event = pay_retry(loop);
	else if (hinted_over(&loop->hinted))
		event.kind = EVENT_DATE;
	else if (loop->doing == DOING_DELIVER && output_moved(&loop->output))
		event.kind = EVENT_PROGRESS;
	else if (loop->doing == DOING_COLLECT && output_waits(&loop->output))
		event.kind = EVENT_BLOCKED;
	loop->pending.kind = EVENT_NONE;
	drive(loop, event);
}

/* --- the run --- */

/*
 * SIGCHLD is read with the other signals, and reap() waits for children:
 * libev's own wait takes no processor times and depends on a mask that the
 * parent may have set.
 */
static void
set_up(struct loop *loop)
{
	const struct policy *policy = &loop->options->policy;

	loop->engine =
	    engine_open(policy, loop->options->random, hear_record, loop);
	if (loop->engine == NULL)
		err(STATUS_OWN_FAILURE, "cannot begin");
	if (child_init(&loop->child) == -1)
		err(STATUS_OWN_FAILURE, "cannot prepare to start processes");
	loop->child.outlives = policy->kill_after == 0;
	const int signals = signal_queue_open();
	const int stops = signal_queue_open_stop();
	if (signals == -1 || stops == -1)
		err(STATUS_OWN_FAILURE, "cannot receive signals: signalfd");
	tree_watch(&loop->tree, loop->child.parent,
	    policy_ends_processes(policy), &loop->messages);
	events_open(&loop->events);
	probe_open(&loop->probe, &loop->child, &loop->messages,
	    loop->events.loop, loop->options->verbose ? show_probe : NULL,
	    loop);
	ev_io_init(&loop->signals, signals_ready, signals, EV_READ);
	ev_io_init(&loop->stops, stop_ready, stops, EV_READ);
	ev_timer_init(&loop->timer, timer_fired, 0, 0);
	/* A ^C that is there when a wait ends is read first. */
	ev_set_priority(&loop->timer, EV_MINPRI);
	loop->signals.data = loop->stops.data = loop->timer.data = loop;
	oom_init(&loop->oom);
	ev_io_start(loop->events.loop, &loop->signals);
	ev_io_start(loop->events.loop, &loop->stops);
}

int
loop_run(const struct options *options, const struct report *report)
{
	struct loop loop = {
		.options = options,
		.report = *report,
		.pay_at = INFINITY,
	};
	set_up(&loop);
	if (options->warning != NULL)
		say(&loop.messages, "%s", options->warning);
	budget_file_open(&loop.budget, options, &loop.messages);
	if (state_file_open(&loop.state, options, &loop.messages) == -1)
		exit(STATUS_OWN_FAILURE);
	logs_truncate(report);
	loop.report.pid = loop.child.parent;
	loop.report.begun = events_time(CLOCK_REALTIME);
	if (gethostname(loop.report.host, sizeof(loop.report.host) - 1) == -1)
		*loop.report.host = '\0';
	notify_open(&loop.notify, &options->policy, loop.events.loop,
	    &loop.messages);
	relay_open(&loop.relay, &loop.notify, &loop.child, &loop.messages,
	    attempt_hangs, &loop);
	input_open(&loop.input, options, &loop.messages, loop.events.loop,
	    &loop.clock, input_done, &loop);
	if (output_open(&loop.output, options, &loop.messages) == -1)
		err(STATUS_OWN_FAILURE, "cannot prepare the output");
	duplicate_open(&loop.duplicate, options, &loop.messages,
	    logs_use_output(report));
	drive(&loop, (struct event){ .kind = EVENT_START });
	if (loop.doing != DOING_OVER)
		ev_run(loop.events.loop, 0);

	const struct record end = engine_record(loop.engine, now(&loop));
	engine_close(loop.engine);
	budget_file_close(&loop.budget);
	relay_end(&loop.relay);
	notify_close(&loop.notify);
	logs_close(&loop.report, &loop.messages);
	input_close(&loop.input);
	output_close(&loop.output);
	messages_close(&loop.messages);
	ev_loop_destroy(loop.events.loop);
	tree_free(&loop.tree);
	oom_close(&loop.oom);

	/* The init process of a container outlives its own signal. */
	if (end.death != 0)
		signal_queue_die(end.death);
	return end.status;
}
