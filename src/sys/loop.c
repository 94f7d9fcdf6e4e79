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

#include "core/engine.h"
#include "core/hint.h"
#include "core/number.h"
#include "core/signals.h"
#include "core/text.h"
#include "sys/budget_file.h"
#include "sys/child.h"
#include "sys/control_file.h"
#include "sys/events.h"
#include "sys/file.h"
#include "sys/input.h"
#include "sys/logs.h"
#include "sys/loop.h"
#include "sys/notify.h"
#include "sys/output.h"
#include "sys/signal_queue.h"
#include "sys/state_file.h"
#include "sys/tree.h"
#include "sys/zone.h"

/* How many signals are read at once. */
#define SIGNALS 16

/* The system's side of a run: descriptors, watchers, a child. */
struct loop {
	const struct options *options;
	struct engine *engine;
	struct report report;
	struct events events;
	ev_io signals;
	ev_io stops;
	ev_timer timer;
	ev_prepare before_sleep;
	double wake;	/* when the engine wants its next TIMER */
	double stopped; /* seconds that SIGTSTP took, which do not count */
	double resumed; /* when `retry` last went on, on CLOCK_MONOTONIC */
	struct event pending; /* for the next turn of the loop, or NONE */

	struct child child;
	bool is_attempt; /* the child is; else it answers the question */
	enum question question;
	int status;	     /* of the last child */
	struct rusage usage; /* of the last attempt */
	struct tree tree;

	struct state_file state;
	struct notify notify;
	struct control_file control;
	struct input input;
	struct output output;
	bool hint_refused; /* a hint could not be read, which was told */
	bool collecting;   /* COLLECT came: the output is being taken */
	bool delivering;   /* DELIVER came: held output goes out */
	bool over;	   /* FINISH came */
};

/* The engine's clock at a time of CLOCK_MONOTONIC: stops do not count. */
static double
engine_time(const struct loop *loop, double time)
{
	return time - loop->stopped - loop->input.stopped;
}

static double
now(const struct loop *loop)
{
	return engine_time(loop, events_time(CLOCK_MONOTONIC));
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
	const double tick =
	    logs_tick(&loop->report, &record) + time - record.elapsed;
	const double wake = loop->pending.kind != EVENT_NONE
	    ? time
	    : number_min(loop->wake, tick);

	ev_timer_stop(loop->events.loop, &loop->timer);
	if (wake == INFINITY)
		return;
	ev_now_update(loop->events.loop);
	ev_timer_set(&loop->timer, number_max(wake - now(loop), 0), 0);
	ev_timer_start(loop->events.loop, &loop->timer);
}

/* Completes a record with pids, clocks and times, and reports it. */
static void
tell(struct loop *loop, struct record *record)
{
	char *output =
	    record->kind == RECORD_END ? output_tail(&loop->output) : NULL;

	record->output = output;
	record->time = events_time(CLOCK_REALTIME);
	record->pid = loop->child.pid;
	record->user = seconds(loop->usage.ru_utime);
	record->system = seconds(loop->usage.ru_stime);
	logs_tell(&loop->report, record);
	free(output);
	notify_tell(&loop->notify, loop->options, record);
	if (record->kind == RECORD_OUTCOME && loop->options->budget != NULL &&
	    record->judgement.verdict == VERDICT_SUCCESS)
		budget_file_give(loop->options);
}

/* --- what the engine asks for --- */

static struct event
answer(enum verdict verdict)
{
	return (struct event){ .kind = EVENT_ANSWER, .answer = verdict };
}

static struct event
run_attempt(struct loop *loop)
{
	struct record record = engine_record(loop->engine, now(loop));
	struct start start = {
		.argv = loop->options->command,
		.record = &record,
		.control = loop->options->control ? loop->control.name : NULL,
		.descriptors = { CHILD_KEEPS, CHILD_KEEPS, CHILD_KEEPS },
	};

	report_begin(&loop->report, &record);
	tree_begin(&loop->tree);
	/* The output last: no collector is to get a message of the others. */
	int result = input_begin(&loop->input, record.attempt > 1,
	    &start.descriptors[0]);
	if (result == 0 && loop->options->control)
		result = control_file_begin(&loop->control);
	if (result == 0)
		result = output_begin(&loop->output, start.descriptors);
	if (result == 0)
		result = child_start(&loop->child, &start);
	const int error = errno;
	input_started(&loop->input);
	output_started(&loop->output);
	loop->tree.helper = output_worker(&loop->output);
	loop->is_attempt = true;
	if (result == 0) {
		record.kind = RECORD_ATTEMPT;
		tell(loop, &record);
		return (struct event){ .kind = EVENT_NONE };
	}
	/*
	 * This outcome waits for the next turn of the loop: signals would never
	 * be read if fork keeps failing and there is no delay.
	 */
	output_drop(&loop->output);
	control_file_ended(&loop->control);
	loop->usage = (struct rusage){ .ru_maxrss = 0 };
	loop->pending = (struct event){
		.kind = EVENT_ENDED,
		.hint = -1,
		.evidence.outcome = { .kind = OUTCOME_UNFORKED, .code = error },
	};
	return (struct event){ .kind = EVENT_NONE };
}

/* A shell command of the user's, and the option that it comes from. */
struct shell {
	const char *option;
	const char *command;
};

/* The command of a check, a gate or a hook. */
static struct shell
shell_of(const struct loop *loop, enum question question)
{
	const struct options *options = loop->options;

	if (question == ASK_CHECK)
		return (struct shell){ "--check", options->check };
	if (question == ASK_GATE)
		return (
		    struct shell){ "--before-retry", options->before_retry };
	if (engine_record(loop->engine, 0).reason == REASON_SUCCESS)
		return (struct shell){ "--on-success", options->on_success };
	return (struct shell){ "--on-give-up", options->on_give_up };
}

/* A check, a gate or a hook: a shell command beside the attempts. */
static int
start_shell(struct loop *loop, const char *command)
{
	const char *const argv[] = { _PATH_BSHELL, "-c", command, NULL };
	const struct record record = engine_record(loop->engine, now(loop));
	const int null = file_raise(open(_PATH_DEVNULL, O_RDWR | O_CLOEXEC));
	const bool has_stderr = fcntl(STDERR_FILENO, F_GETFD) != -1;
	struct start start = {
		.argv = argv,
		.record = &record,
		.descriptors = { null, has_stderr ? STDERR_FILENO : null,
		    CHILD_KEEPS },
	};

	if (null == -1)
		return -1;
	int result = output_begin_shell(&loop->output, start.descriptors);
	if (result == 0)
		result = child_start(&loop->child, &start);
	const int error = errno;
	output_started(&loop->output);
	loop->tree.helper = output_worker(&loop->output);
	if (result == -1)
		output_drop(&loop->output);
	close(null);
	errno = error;
	return result;
}

static struct event
ask(struct loop *loop, const struct action *action)
{
	const struct options *options = loop->options;
	const double time = events_time(CLOCK_REALTIME);
	char safe[128];
	int result;

	loop->is_attempt = false;
	loop->question = action->question;
	switch (action->question) {
	case ASK_STATE:
		result = state_file_lock(&loop->state);
		if (result != 1)
			return answer(
			    result == 0 ? VERDICT_STOP : VERDICT_NONE);
		return (struct event){
			.kind = EVENT_ANSWER,
			.answer = VERDICT_SUCCESS,
			.progress = state_progress(&loop->state.state, time),
		};
	case ASK_LOCK:
		result = child_fork(&loop->child);
		if (result == 0)
			_exit(state_file_wait(&loop->state));
		if (result != -1)
			return (struct event){ .kind = EVENT_NONE };
		warn("--state: %s: cannot wait for its lock",
		    text_safe(loop->state.name, safe, sizeof(safe)));
		return answer(VERDICT_STOP);
	case ASK_INPUT:
		result = input_spool(&loop->input);
		if (result == -1)
			return (struct event){ .kind = EVENT_ERROR };
		return result == 0 ? answer(VERDICT_SUCCESS)
				   : (struct event){ .kind = EVENT_NONE };
	case ASK_BUDGET:
		return answer(
		    budget_file_take(options) ? VERDICT_SUCCESS : VERDICT_STOP);
	case ASK_SAVE:
		result = state_file_save(&loop->state, &action->progress, time);
		return answer(result == 0 ? VERDICT_SUCCESS : VERDICT_NONE);
	case ASK_HOOK:
		input_stop(&loop->input);
		output_drop(&loop->output);
		output_show_messages(&loop->output);
		break;
	case ASK_CHECK:
	case ASK_GATE:
		break;
	}
	const struct shell shell = shell_of(loop, action->question);
	if (start_shell(loop, shell.command) == 0)
		return (struct event){ .kind = EVENT_NONE };
	warn("cannot run %s", shell.option);
	return answer(VERDICT_STOP);
}

/*
 * How long the hint asks to wait, in seconds; negative for no hint.  The first
 * text that cannot be understood is reported.
 */
static double
wait_of(struct loop *loop, double time, const struct hint *hint,
    const char *problem, const char *option, const char *text)
{
	double seconds = -1;
	char safe[64];

	if (problem == NULL)
		problem = zone_wait(hint, time, &seconds);
	if (problem != NULL && !loop->hint_refused)
		warnx("%s: %s: %s", option, text_safe(text, safe, sizeof(safe)),
		    problem);
	loop->hint_refused |= problem != NULL;
	return seconds;
}

/* The hint in the output, or in the control file if that is longer. */
static double
find_hint(struct loop *loop, const struct control *control)
{
	const struct found *found = output_found(&loop->output);
	const double time = events_time(CLOCK_REALTIME);
	struct hint hint = { .kind = HINT_NONE };
	const char *problem =
	    found->hinted ? hint_parse(found->hint, time, &hint) : NULL;

	return number_max(wait_of(loop, time, &hint, problem, "--delay-match",
			      found->hint),
	    wait_of(loop, time, &control->hint, NULL, "--control: delay",
		control->hint.zone));
}

/* The event for an attempt that has ended. */
static struct event
attempt_ended(struct loop *loop)
{
	const struct control control = control_file_ended(&loop->control);
	const int error = *loop->child.error;
	const int status = loop->status;
	struct outcome outcome = { .kind = OUTCOME_EXIT,
		.code = WEXITSTATUS(status) };

	if (error != 0)
		outcome = (struct outcome){ .kind = OUTCOME_UNSTARTABLE,
			.code = error };
	else if (WIFSIGNALED(status))
		outcome = (struct outcome){ .kind = OUTCOME_SIGNAL,
			.code = WTERMSIG(status) };
	return (struct event){
		.kind = EVENT_ENDED,
		.hint = find_hint(loop, &control),
		.healthy = control.healthy,
		.evidence = {
			.outcome = outcome,
			.control = control.verdict,
			.matched = output_found(&loop->output)->matched,
			.unread = outcome_status(outcome) == 128 + SIGPIPE &&
			    output_is_unread(),
		},
	};
}

/* The answer of a --check or --before-retry, from its wait status. */
static struct event
question_ended(const struct loop *loop)
{
	const int error = *loop->child.error;
	const int status = loop->status;
	char name[SIGNAL_NAME];

	if (loop->question == ASK_LOCK) {
		if (!WIFEXITED(status) || WEXITSTATUS(status) == 0)
			return answer(VERDICT_SUCCESS);
		warnx("--state: cannot wait for its lock");
		return answer(VERDICT_STOP);
	}
	const char *option = shell_of(loop, loop->question).option;
	if (error != 0)
		warnx("cannot run %s: %s: %s", option, _PATH_BSHELL,
		    strerror(error));
	else if (loop->question == ASK_HOOK && WIFSIGNALED(status))
		warnx("%s died of %s", option,
		    signal_name(WTERMSIG(status), name));
	else if (loop->question == ASK_HOOK && WEXITSTATUS(status) != 0)
		warnx("%s exited %d", option, WEXITSTATUS(status));
	if (error != 0 || !WIFEXITED(status))
		return answer(VERDICT_STOP);
	switch (WEXITSTATUS(status)) {
	case 0:
		return answer(VERDICT_SUCCESS);
	case 1:
		return answer(VERDICT_RETRY);
	default:
		return answer(VERDICT_STOP);
	}
}

static struct event
process_ended(struct loop *loop)
{
	return loop->is_attempt ? attempt_ended(loop) : question_ended(loop);
}

/* How the process ended; NONE until all of its output was read. */
static struct event
collect(struct loop *loop)
{
	loop->collecting = !output_finish(&loop->output);
	if (loop->collecting)
		return (struct event){ .kind = EVENT_NONE };
	struct event event = process_ended(loop);
	if (output_failed(&loop->output, &event.signal))
		event.kind = EVENT_ERROR;
	return event;
}

/* Ends the process, and all that it has started. */
static void
kill_process(struct loop *loop, int signal)
{
	const struct child *child = &loop->child;

	if (child_signal(child, signal) == -1 && errno != ESRCH)
		warn("cannot signal process %ld", (long)child->pid);
	if (signal != SIGKILL)
		child_signal(child, SIGCONT);
	tree_signal(&loop->tree, child->pid, child->own_group, signal);
}

/* Carries an action out; returns the event that it causes, or NONE. */
static struct event
act(struct loop *loop, const struct action *action)
{
	struct record record;

	switch (action->kind) {
	case ACTION_NONE:
		break;
	case ACTION_RUN:
		return run_attempt(loop);
	case ACTION_ASK:
		return ask(loop, action);
	case ACTION_WAIT:
		if (action->wake <= now(loop))
			return (struct event){ .kind = EVENT_TIMER };
		break;
	case ACTION_KILL:
		kill_process(loop, action->signal);
		break;
	case ACTION_CLEAN:
		if (action->signal != 0)
			tree_signal(&loop->tree, 0, false, action->signal);
		if (tree_left(&loop->tree, false) == 0)
			return (struct event){ .kind = EVENT_CLEAN };
		break;
	case ACTION_ABANDON:
		if (loop->child.pid != 0)
			warnx("process %ld does not end",
			    (long)loop->child.pid);
		else
			tree_left(&loop->tree, true);
		loop->child.pid = 0;
		if (loop->collecting)
			output_drop(&loop->output);
		return (struct event){ .kind = EVENT_CLEAN };
	case ACTION_COLLECT:
		return collect(loop);
	case ACTION_DELIVER:
		input_stop(&loop->input);
		record = engine_record(loop->engine, now(loop));
		report_begin(&loop->report, &record);
		loop->delivering = output_deliver(&loop->output, &record);
		if (!loop->delivering)
			return (struct event){ .kind = EVENT_DELIVERED };
		break;
	case ACTION_FINISH:
		input_stop(&loop->input);
		output_show_messages(&loop->output);
		output_drop(&loop->output);
		loop->over = true;
		ev_break(loop->events.loop, EVBREAK_ALL);
		break;
	}
	return (struct event){ .kind = EVENT_NONE };
}

/* Step, tell, act: for every event, until there is something to wait for. */
static void
drive(struct loop *loop, struct event event)
{
	while (event.kind != EVENT_NONE && !loop->over) {
		int death = 0;

		event.now = now(loop);
		/* A stop does not count as silence. */
		event.active = engine_time(loop,
		    number_max(output_active(&loop->output), loop->resumed));
		struct step step = engine_step(loop->engine, event);
		loop->wake = step.action.wake;
		if (step.action.kind != ACTION_NONE)
			report_hide(&loop->report);
		for (int i = 0; i < step.count; i++)
			tell(loop, &step.records[i]);
		event = act(loop, &step.action);
		/* CLEAN comes only once: the failure is told after it. */
		if (event.kind == EVENT_CLEAN ||
		    (!loop->input.failed &&
			!output_failed(&loop->output, &death)))
			continue;
		/* The ERROR has the way in which the process ended. */
		if (loop->collecting)
			event = process_ended(loop);
		loop->collecting = loop->input.failed = false;
		event.kind = EVENT_ERROR;
		event.signal = death;
	}
	if (!loop->over)
		arm(loop);
}

/* --- what happens --- */

static void
input_done(void *data, bool success)
{
	struct loop *loop = data;

	drive(loop,
	    success ? answer(VERDICT_SUCCESS)
		    : (struct event){ .kind = EVENT_ERROR });
}

/* The process that had the output has ended. */
static void
output_over(struct loop *loop)
{
	struct event event = { .kind = EVENT_NONE };

	if (loop->collecting)
		event = collect(loop);
	else if (loop->delivering)
		event.kind = EVENT_DELIVERED;
	loop->delivering = false;
	if (output_failed(&loop->output, &event.signal))
		event.kind = EVENT_ERROR;
	drive(loop, event);
}

/*
 * Waits for all processes that have ended: the child, and orphans that nobody
 * else waits for.
 */
static void
reap(struct loop *loop)
{
	struct event event = { .kind = EVENT_NONE };
	struct rusage usage;
	bool output_is_over = false;
	pid_t pid;
	int status;

	while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0 ||
	    (pid == -1 && errno == EINTR)) {
		if (pid == -1)
			continue;
		if (output_reaped(&loop->output, pid, status)) {
			output_is_over = true;
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
		if (loop->is_attempt)
			loop->usage = usage;
	}
	if (pid == -1 && loop->child.pid != 0)
		events_fail("cannot wait for the child");
	drive(loop, event);
	if (output_is_over && output_worker(&loop->output) == 0 && !loop->over)
		output_over(loop);
}

/* Stops the child, then its output and retry, and lets all go on. */
static void
suspend(struct loop *loop, const struct signalfd_siginfo *info)
{
	const int number = (int)info->ssi_signo;
	const bool runs = loop->child.pid != 0;

	report_hide(&loop->report);
	if (runs && !signal_queue_reached(info, &loop->child))
		child_signal(&loop->child, number);
	output_signal(&loop->output, SIGSTOP);
	const double begun = events_time(CLOCK_MONOTONIC);
	signal_queue_stop(number);
	loop->resumed = events_time(CLOCK_MONOTONIC);
	loop->stopped += loop->resumed - begun;
	output_signal(&loop->output, SIGCONT);
	if (runs)
		child_signal(&loop->child, SIGCONT);
	arm(loop);
}

/*
 * Passes a signal on to the child; true if that was needed.  What does not end
 * the run is for attempts alone: a check or a gate would die of it.
 */
static bool
forward(struct loop *loop, const struct signalfd_siginfo *info, bool ends_run)
{
	if (loop->child.pid == 0 || !(loop->is_attempt || ends_run) ||
	    signal_queue_reached(info, &loop->child))
		return false;
	if (child_signal(&loop->child, (int)info->ssi_signo) == -1)
		warn("cannot signal process %ld", (long)loop->child.pid);
	if (ends_run)
		child_signal(&loop->child, SIGCONT);
	return true;
}

static void
receive(struct loop *loop, const struct signalfd_siginfo *info)
{
	const int number = (int)info->ssi_signo;
	const bool own = (pid_t)info->ssi_pid == loop->child.parent;
	/* A daemon, which has no terminal, takes SIGHUP for a reload. */
	const bool ends_run = signal_ends_run(number) &&
	    !(number == SIGHUP && loop->child.own_group);

	if (number == SIGCHLD || signal_queue_ignores(number) ||
	    (own && (number == SIGPIPE || number == SIGXFSZ)))
		return;
	switch (number) {
	case SIGTTIN:
	case SIGTTOU:
		/*
		 * The child is in the background and wants its terminal, so
		 * that it is being stopped.  The shell sees `retry` alone,
		 * which therefore stops too, and continues the child when the
		 * shell continues it.
		 */
		if (info->ssi_code == SI_KERNEL ||
		    (pid_t)info->ssi_pid == loop->child.pid)
			suspend(loop, info);
		return;
	}
	if (loop->over)
		return;
	if (ends_run)
		notify_stopping(&loop->notify);
	drive(loop,
	    (struct event){
		.kind = EVENT_SIGNAL,
		.signal = number,
		.forwarded = forward(loop, info, ends_run),
		.ends_run = ends_run,
	    });
}

/*
 * Signals before deaths: a signal that came with the death of the attempt
 * still ends the run.
 */
static void
signals_ready(struct ev_loop *events, ev_io *watcher, int flags)
{
	struct loop *loop = watcher->data;
	struct signalfd_siginfo infos[SIGNALS];
	bool child = false;
	ssize_t length;

	(void)events, (void)flags;
	do {
		length = read(watcher->fd, infos, sizeof(infos));
		for (ssize_t i = 0; i < length / (ssize_t)sizeof(*infos); i++) {
			if (infos[i].ssi_signo == SIGCHLD)
				child = true;
			receive(loop, &infos[i]);
			sigdelset(&loop->child.missed, (int)infos[i].ssi_signo);
		}
	} while (length == (ssize_t)sizeof(infos));
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
	if (!signal_queue_read_stop(watcher->fd, &info))
		return;
	suspend(loop, &info);
	sigdelset(&loop->child.missed, SIGTSTP);
}

static void
timer_fired(struct ev_loop *events, ev_timer *watcher, int flags)
{
	struct loop *loop = watcher->data;
	struct event event = loop->pending;

	(void)events, (void)flags;
	loop->pending.kind = EVENT_NONE;
	if (event.kind == EVENT_NONE && loop->delivering &&
	    output_moved(&loop->output))
		event.kind = EVENT_PROGRESS;
	else if (event.kind == EVENT_NONE)
		event.kind = EVENT_TIMER;
	drive(loop, event);
}

/* Before the loop waits: no warning may stay in a buffer meanwhile. */
static void
gather_warnings(struct ev_loop *events, ev_prepare *watcher, int flags)
{
	struct loop *loop = watcher->data;

	(void)events, (void)flags;
	output_gather(&loop->output);
}

/* --- the run --- */

/*
 * Deaths of children are signals among others, waited for here: libev's own
 * wait takes no processor times and depends on a mask that the parent may have
 * set.
 */
static void
set_up(struct loop *loop)
{
	const struct policy *policy = &loop->options->policy;

	loop->engine = engine_open(policy, loop->options->random);
	if (loop->engine == NULL)
		err(STATUS_OWN_FAILURE, "cannot begin");
	if (child_init(&loop->child) == -1)
		err(STATUS_OWN_FAILURE, "cannot prepare to start processes");
	loop->child.outlives = policy->kill_after == 0;
	const int signals = signal_queue_open();
	const int stops = signal_queue_open_stop();
	if (signals == -1 || stops == -1)
		err(STATUS_OWN_FAILURE, "cannot receive signals: signalfd");
	if (policy->timeout > 0 || policy->idle_timeout > 0 ||
	    policy->timeout_share > 0 || policy->min_timeout > 0 ||
	    policy->max_time > 0)
		tree_watch(&loop->tree, loop->child.parent);
	events_open(&loop->events);
	ev_io_init(&loop->signals, signals_ready, signals, EV_READ);
	ev_io_init(&loop->stops, stop_ready, stops, EV_READ);
	ev_timer_init(&loop->timer, timer_fired, 0, 0);
	ev_prepare_init(&loop->before_sleep, gather_warnings);
	/* A ^C that is there when a wait ends is read first. */
	ev_set_priority(&loop->timer, EV_MINPRI);
	loop->signals.data = loop->stops.data = loop->timer.data =
	    loop->before_sleep.data = loop;
	ev_io_start(loop->events.loop, &loop->signals);
	ev_io_start(loop->events.loop, &loop->stops);
	ev_prepare_start(loop->events.loop, &loop->before_sleep);
}

int
loop_run(const struct options *options, const struct report *report)
{
	struct loop loop = {
		.options = options,
		.report = *report,
	};
	set_up(&loop);
	if (options->warning != NULL)
		warnx("%s", options->warning);
	if (options->budget != NULL)
		budget_file_make(options);
	if (state_file_open(&loop.state, options) == -1)
		exit(STATUS_OWN_FAILURE);
	logs_begin(report);
	loop.report.pid = loop.child.parent;
	notify_open(&loop.notify);
	loop.control.fd = -1;
	input_open(&loop.input, options, loop.events.loop, input_done, &loop);
	if (output_open(&loop.output, options) == -1)
		err(STATUS_OWN_FAILURE, "standard error");
	loop.report.ragged = output_ragged(&loop.output);
	for (size_t i = 0; i < loop.report.count; i++)
		if (loop.report.sinks[i].file == stderr &&
		    loop.output.messages != NULL)
			loop.report.sinks[i].file = loop.output.messages;
	drive(&loop, (struct event){ .kind = EVENT_START });
	if (!loop.over)
		ev_run(loop.events.loop, 0);

	const struct record end = engine_record(loop.engine, now(&loop));
	engine_close(loop.engine);
	report_close(&loop.report);
	input_close(&loop.input);
	output_close(&loop.output);
	ev_loop_destroy(loop.events.loop);
	tree_free(&loop.tree);

	/* The init process of a container outlives its own signal. */
	if (end.death != 0)
		signal_queue_die(end.death);
	return end.status;
}
