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

#include "cli/report.h"
#include "core/hint.h"
#include "core/number.h"
#include "core/signals.h"
#include "core/text.h"
#include "sys/child.h"
#include "sys/descriptor.h"
#include "sys/environment.h"
#include "sys/events.h"
#include "sys/input.h"
#include "sys/logs.h"
#include "sys/loop.h"
#include "sys/notify.h"
#include "sys/output.h"
#include "sys/shared.h"
#include "sys/signal_queue.h"
#include "sys/tree.h"
#include "sys/word.h"

/* How many signals are read at once. */
#define SIGNALS 16

/* How long what an attempt left may take to die of SIGKILL, in seconds. */
#define LINGER 1.0

/* What an attempt may take to start, if it has no limit: systemd's default. */
#define START_TIME 90.0

/* What the child is. */
enum task {
	TASK_NONE,
	TASK_ATTEMPT,
	TASK_QUESTION, /* a check or a gate */
	TASK_LOCK,     /* waits for the state's lock */
	TASK_HOOK      /* the run is over but for it */
};

struct loop {
	const struct options *options;
	struct events events;
	ev_io signals;
	ev_io stops;
	ev_timer timer;
	struct environment environment;
	struct child child;
	enum task task;
	struct engine engine;
	struct report report;
	struct notify notify;
	struct shared shared;
	struct word word;
	struct input input;
	struct output output;
	bool leaving; /* the run is over, but for messages to be written yet */
	bool over;    /* and they are */
	bool hint_refused; /* one was, and that was told */
	int unforked; /* errno of an attempt that could not be made, or 0 */
	int status;   /* of the last child that ended */
	struct rusage usage; /* of the last attempt */
	double wake;	     /* of the last action */
	double patience;     /* with a reader of the output that takes none */
	double stopped;	     /* seconds of SIGTSTP, which do not count */
	struct tree tree;
	bool lingering; /* the child ended, what it started has not */
	double linger_until;
};

static double
timeval_seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* The engine's clock. */
static double
now(const struct loop *loop)
{
	return events_time(CLOCK_MONOTONIC) - loop->stopped -
	    loop->input.stopped;
}

static struct news
news_now(const struct loop *loop, double time)
{
	return (struct news){
		.time = events_time(CLOCK_REALTIME),
		.elapsed = time - loop->engine.begun,
		.user = timeval_seconds(loop->usage.ru_utime),
		.system = timeval_seconds(loop->usage.ru_stime),
	};
}

/*
 * One timer serves whatever the engine waits for.  libev counts from its own
 * idea of now, which is as old as the callback.
 */
static void
arm(struct loop *loop)
{
	const double tick = logs_tick(&loop->report, now(loop));
	const double next =
	    number_min(number_min(loop->wake, loop->linger_until), tick);
	const double wake = loop->unforked != 0 ? 0 : next;

	ev_timer_stop(loop->events.loop, &loop->timer);
	if (wake == INFINITY)
		return;
	ev_now_update(loop->events.loop);
	ev_timer_set(&loop->timer, number_max(wake - now(loop), 0), 0);
	ev_timer_start(loop->events.loop, &loop->timer);
}

/* What an attempt reads, and where what it says goes. */
static int
begin_streams(struct loop *loop, int descriptors[3])
{
	const bool is_retry = loop->engine.attempt > 1;

	if (output_begin(&loop->output, descriptors) == -1 ||
	    input_begin(&loop->input, is_retry, &descriptors[0]) == -1)
		return -1;
	if (!loop->options->control)
		return 0;
	loop->environment.control = loop->word.name;
	return word_begin(&loop->word);
}

static int
start_attempt(struct loop *loop, double time)
{
	struct start start = {
		.argv = loop->options->command,
		.environment = &loop->environment,
		.descriptors = { CHILD_KEEPS, CHILD_KEEPS, CHILD_KEEPS },
	};
	struct news news = news_now(loop, time);

	tree_begin(&loop->tree);
	int result = begin_streams(loop, start.descriptors);
	environment_set(&loop->environment, &loop->engine, time);
	loop->environment.control = NULL;
	if (result == 0)
		result = child_start(&loop->child, &start);
	const int error = errno;
	input_started(&loop->input);
	output_started(&loop->output);
	if (result == -1) {
		output_ended(&loop->output);
		errno = error;
		return -1;
	}
	loop->task = TASK_ATTEMPT;
	news.kind = NEWS_ATTEMPT;
	news.pid = loop->child.pid;
	report_tell(&loop->report, &news);
	return 0;
}

/* A check, a gate or a hook: a shell command beside the attempts. */
static int
start_shell(struct loop *loop, const char *command, enum task task)
{
	const char *const argv[] = { _PATH_BSHELL, "-c", command, NULL };
	const int null =
	    descriptor_raise(open(_PATH_DEVNULL, O_RDWR | O_CLOEXEC));
	const bool has_stderr = fcntl(STDERR_FILENO, F_GETFD) != -1;
	struct start start = {
		.argv = argv,
		.environment = &loop->environment,
		.descriptors = { null, has_stderr ? STDERR_FILENO : null,
		    CHILD_KEEPS },
	};

	if (null == -1)
		return -1;
	environment_set(&loop->environment, &loop->engine, now(loop));
	int result = output_begin_shell(&loop->output,
	    task == TASK_QUESTION && loop->engine.question == ASK_CHECK,
	    start.descriptors);
	if (result == 0)
		result = child_start(&loop->child, &start);
	const int error = errno;
	output_started(&loop->output);
	close(null);
	errno = error;
	if (result == 0)
		loop->task = task;
	return result;
}

/* Not told at once: without a delay, signals would never have their turn. */
static void
act_run(struct loop *loop, const struct event *event)
{
	if (start_attempt(loop, event->now) == 0)
		return;
	loop->unforked = errno;
	loop->usage = (struct rusage){ .ru_maxrss = 0 };
}

/*
 * Takes up the backoff of earlier runs.  False where another run is under way
 * and a process waits for its end.
 */
static bool
ask_state(struct loop *loop, struct event *event)
{
	const bool skips = loop->options->early == EARLY_SKIP;
	const struct state *state = &loop->shared.state;

	*event = (struct event){
		.kind = EVENT_ANSWER,
		.now = now(loop),
		.answer = VERDICT_STOP,
	};
	if (state->lock == -1 && !skips) {
		loop->task = TASK_LOCK;
		if (child_call(&loop->child, state_wait, state) == 0)
			return false;
		loop->task = TASK_NONE;
		event->answer = VERDICT_NONE;
		shared_complain(&loop->shared, strerror(errno));
	}
	if (state->lock == -1)
		return true;
	const bool waits = shared_recall(&loop->shared, &loop->engine,
	    events_time(CLOCK_REALTIME));
	if (!waits || !skips)
		event->answer = VERDICT_SUCCESS;
	return true;
}

static void
ask_budget(const struct loop *loop, struct event *event)
{
	const bool paid = shared_pay(&loop->shared);

	*event = (struct event){
		.kind = EVENT_ANSWER,
		.now = now(loop),
		.answer = paid ? VERDICT_SUCCESS : VERDICT_STOP,
	};
}

static struct event
input_event(const struct loop *loop, bool success)
{
	return (struct event){
		.kind = success ? EVENT_ANSWER : EVENT_ERROR,
		.now = now(loop),
		.answer = VERDICT_SUCCESS,
	};
}

static bool
ask_input(struct loop *loop, struct event *event)
{
	const int begun = input_spool(&loop->input);

	*event = input_event(loop, begun == 0);
	return begun != 1;
}

static const char *
question_name(enum question question)
{
	return question == ASK_CHECK ? "--check" : "--before-retry";
}

static bool
act_ask(struct loop *loop, const struct action *action, struct event *event)
{
	const struct options *options = loop->options;
	const char *command = action->question == ASK_CHECK
	    ? options->check
	    : options->before_retry;

	if (action->question == ASK_STATE)
		return ask_state(loop, event);
	if (action->question == ASK_INPUT)
		return ask_input(loop, event);
	if (action->question == ASK_BUDGET) {
		ask_budget(loop, event);
		return true;
	}
	if (start_shell(loop, command, TASK_QUESTION) == 0)
		return false;
	warn("cannot run %s", question_name(action->question));
	*event = (struct event){
		.kind = EVENT_ANSWER,
		.now = now(loop),
		.answer = VERDICT_STOP,
	};
	return true;
}

/* The hook that the end calls for, or NULL. */
static const char *
end_hook(const struct loop *loop)
{
	switch (loop->engine.reason) {
	case REASON_SUCCESS:
		return loop->options->on_success;
	case REASON_SIGNAL:
	case REASON_EARLY:
		return NULL;
	default:
		return loop->options->on_give_up;
	}
}

static const char *
end_hook_name(const struct loop *loop)
{
	return loop->engine.reason == REASON_SUCCESS ? "--on-success"
						     : "--on-give-up";
}

/* Ends what runs, and all that it has started. */
static void
act_kill(struct loop *loop, const struct action *action,
    const struct event *event)
{
	const struct child *child = &loop->child;

	if (child_signal(child, action->signal) == -1 && errno != ESRCH)
		warn("cannot signal process %ld", (long)child->pid);
	if (action->signal != SIGKILL)
		child_signal(child, SIGCONT);
	else
		loop->linger_until = event->now + LINGER;
	tree_signal(&loop->tree, child->pid, child->own_group, action->signal);
}

/* --max-time is over, and what runs has not ended even so. */
static void
abandon(struct loop *loop)
{
	if (loop->child.pid != 0)
		warnx("process %ld does not end", (long)loop->child.pid);
	else
		tree_left(&loop->tree, true);
	loop->task = TASK_NONE;
	loop->lingering = false;
	loop->child.pid = 0;
}

/* Nothing is waited for any more; the loop may not have begun yet. */
static void
end(struct loop *loop)
{
	loop->over = true;
	ev_break(loop->events.loop, EVBREAK_ALL);
}

/* Messages are written yet; after a signal only those that can be at once. */
static void
leave(struct loop *loop)
{
	loop->leaving = true;
	if (!output_waits(&loop->output) ||
	    loop->engine.reason == REASON_SIGNAL)
		end(loop);
}

static void
act_finish(struct loop *loop)
{
	const char *hook = end_hook(loop);

	if (loop->task != TASK_NONE)
		abandon(loop);
	loop->linger_until = INFINITY;
	input_stop(&loop->input);
	output_speak(&loop->output);
	if (hook != NULL) {
		if (start_shell(loop, hook, TASK_HOOK) == 0)
			return;
		warn("cannot run %s", end_hook_name(loop));
	}
	leave(loop);
}

/* Carries an action out; true if it led to the next event at once. */
static bool
act(struct loop *loop, const struct action *action, struct event *event)
{
	switch (action->kind) {
	case ACTION_NONE:
		return false;
	case ACTION_RUN:
		act_run(loop, event);
		return false;
	case ACTION_ASK:
		return act_ask(loop, action, event);
	case ACTION_WAIT:
		if (action->wake > event->now)
			return false;
		*event =
		    (struct event){ .kind = EVENT_TIMER, .now = event->now };
		return true;
	case ACTION_KILL:
		act_kill(loop, action, event);
		return false;
	case ACTION_DELIVER:
		if (loop->task != TASK_NONE)
			abandon(loop);
		input_stop(&loop->input);
		loop->patience = action->wake - event->now;
		return false;
	case ACTION_FINISH:
		act_finish(loop);
		return false;
	}
	return false;
}

/* The engine's step; to forget what came of it is to have failed. */
static struct action
step(struct loop *loop, struct event event)
{
	struct action action = engine_step(&loop->engine, event);
	const bool judged = action.judged;

	if (shared_remember(&loop->shared, &loop->engine, &action,
		events_time(CLOCK_REALTIME)))
		return action;
	event.kind = EVENT_ERROR;
	action = engine_step(&loop->engine, event);
	action.judged = judged;
	return action;
}

/*
 * Until an attempt has succeeded systemd may think that the start takes too
 * long; the first one's time is what the unit says.
 */
static void
ask_for_time(const struct loop *loop, const struct action *action)
{
	const struct engine *engine = &loop->engine;
	const struct policy *policy = &loop->options->policy;
	const bool runs = action->kind == ACTION_RUN;
	const double limit = policy->timeout + policy->kill_after;
	const double wait = runs ? 0 : engine->delay.seconds;

	if (engine->failures != engine->attempt - runs ||
	    (runs && engine->just_waited < 0))
		return;
	notify_extend(&loop->notify, wait + number_max(limit, START_TIME));
}

/* Tells systemd where the run stands. */
static void
show(struct loop *loop, const struct action *action, double time)
{
	const double elapsed = time - loop->engine.begun;
	struct line line;

	if (loop->notify.socket == -1)
		return;
	if (!report_status(&loop->report, action, elapsed, &line))
		return;
	notify_status(&loop->notify, line.text);
	if (action->kind != ACTION_FINISH)
		ask_for_time(loop, action);
}

/* What the output has to say to the engine; true if that is anything. */
static bool
output_event(struct loop *loop, struct event *event)
{
	const enum engine_state state = loop->engine.state;

	*event = (struct event){ .kind = EVENT_ERROR, .now = now(loop) };
	if (loop->input.failed) {
		loop->input.failed = false;
		return true;
	}
	if (output_failed(&loop->output, &event->signal))
		return state != STATE_FINISHED;
	event->kind = EVENT_DELIVERED;
	return state == STATE_DELIVERING && !output_waits(&loop->output);
}

/* Step, report, act: for every event, until there is something to wait for. */
static void
drive(struct loop *loop, struct event event)
{
	bool again = true;

	while (again) {
		const struct action action = step(loop, event);

		loop->wake = action.wake;
		shared_give(&loop->shared, &loop->engine, &action);
		output_settle(&loop->output, &action, &loop->engine);
		report_step(&loop->report, action, news_now(loop, event.now));
		show(loop, &action, event.now);
		again =
		    act(loop, &action, &event) || output_event(loop, &event);
	}
	arm(loop);
}

static void
input_done(void *data, bool success)
{
	struct loop *loop = data;

	drive(loop, input_event(loop, success));
}

static void
output_changed(void *data)
{
	struct loop *loop = data;
	struct event event;

	if (output_event(loop, &event)) {
		drive(loop, event);
	} else if (loop->leaving) {
		leave(loop);
	} else if (loop->engine.state == STATE_DELIVERING) {
		loop->wake = now(loop) + loop->patience;
		arm(loop);
	}
}

static struct outcome
attempt_outcome(const struct loop *loop, int status)
{
	const int error = child_error(&loop->child);

	if (error != 0)
		return (struct outcome){ OUTCOME_UNSTARTABLE, error };
	if (loop->engine.ending && !loop->engine.failed)
		return (struct outcome){ OUTCOME_TIMEOUT, 0 };
	if (WIFSIGNALED(status))
		return (struct outcome){ OUTCOME_SIGNAL, WTERMSIG(status) };
	return (struct outcome){ OUTCOME_EXIT, WEXITSTATUS(status) };
}

/* What the output asks for, in seconds; negative for nothing. */
static double
find_hint(struct loop *loop)
{
	const struct search *search = &loop->output.search;
	const char *problem;
	double hint = -1;
	char safe[64];

	if (!search->hinted)
		return hint;
	problem = hint_parse(search->hint, events_time(CLOCK_REALTIME), &hint);
	if (problem != NULL && !loop->hint_refused)
		warnx("--delay-match: %s: %s",
		    text_safe(search->hint, safe, sizeof(safe)), problem);
	loop->hint_refused |= problem != NULL;
	return hint;
}

/* The attempt has ended, and has had its say. */
static struct event
attempt_ended(struct loop *loop, struct outcome outcome)
{
	const struct control control = word_ended(&loop->word);

	return (struct event){
		.kind = EVENT_ENDED,
		.now = now(loop),
		.hint = number_max(find_hint(loop), control.delay),
		.healthy = control.healthy,
		.evidence = {
			.outcome = outcome,
			.control = control.verdict,
			.matched = loop->output.search.matched,
		},
	};
}

/* There was a process for the option's command, but it got no shell. */
static bool
lacks_shell(const struct loop *loop, const char *option)
{
	const int error = child_error(&loop->child);

	if (error != 0)
		warnx("cannot run %s: /bin/sh: %s", option, strerror(error));
	return error != 0;
}

static enum verdict
question_answer(const struct loop *loop, int status)
{
	if (lacks_shell(loop, question_name(loop->engine.question)) ||
	    !WIFEXITED(status))
		return VERDICT_STOP;
	switch (WEXITSTATUS(status)) {
	case 0:
		return VERDICT_SUCCESS;
	case 1:
		return VERDICT_RETRY;
	}
	return VERDICT_STOP;
}

static void
hook_ended(struct loop *loop, int status)
{
	char name[SIGNAL_NAME];

	leave(loop);
	if (lacks_shell(loop, end_hook_name(loop)))
		return;
	if (WIFSIGNALED(status))
		warnx("%s died of %s", end_hook_name(loop),
		    signal_name(WTERMSIG(status), name));
	else if (WEXITSTATUS(status) != 0)
		warnx("%s exited %d", end_hook_name(loop), WEXITSTATUS(status));
}

/* The process that waited for the state's lock: the lock may be free now. */
static void
lock_ended(struct loop *loop, int status)
{
	struct event event = { .kind = EVENT_ANSWER, .answer = VERDICT_STOP };
	const char *problem;

	event.now = now(loop);
	if (loop->engine.signal == 0 && !loop->engine.ending) {
		problem = WIFEXITED(status) && WEXITSTATUS(status) != 0
		    ? "its lock cannot be waited for"
		    : state_lock(&loop->shared.state);
		if (problem != NULL) {
			shared_complain(&loop->shared, problem);
			event.answer = VERDICT_NONE;
		} else if (!ask_state(loop, &event))
			return;
	}
	drive(loop, event);
}

/* The child has ended, and what had to end with it. */
static void
settle(struct loop *loop)
{
	const int status = loop->status;
	const enum task task = loop->task;

	loop->task = TASK_NONE;
	loop->lingering = false;
	loop->linger_until = INFINITY;
	output_ended(&loop->output);
	switch (task) {
	case TASK_NONE:
		break;
	case TASK_ATTEMPT:
		drive(loop, attempt_ended(loop, attempt_outcome(loop, status)));
		break;
	case TASK_QUESTION:
		drive(loop,
		    (struct event){
			.kind = EVENT_ANSWER,
			.now = now(loop),
			.answer = question_answer(loop, status),
		    });
		break;
	case TASK_LOCK:
		lock_ended(loop, status);
		break;
	case TASK_HOOK:
		hook_ended(loop, status);
		break;
	}
}

/* Something has ended that a timed-out attempt left. */
static void
linger(struct loop *loop)
{
	if (loop->linger_until < INFINITY)
		tree_signal(&loop->tree, 0, false, SIGKILL);
	if (tree_left(&loop->tree, false) == 0)
		settle(loop);
}

/*
 * The child was waited for.  After a timeout nothing that it started may be
 * left, or two attempts would overlap.
 */
static void
child_ended(struct loop *loop)
{
	const bool timed_out = loop->engine.ending &&
	    (loop->task == TASK_ATTEMPT || loop->task == TASK_QUESTION);

	loop->child.pid = 0;
	if (timed_out && loop->options->policy.kill_after > 0)
		loop->lingering = tree_left(&loop->tree, false) > 0;
	else if (timed_out)
		tree_left(&loop->tree, true);
	if (!loop->lingering)
		settle(loop);
}

/*
 * Waits for all that has ended: the child, and what nobody else waits for.
 * The next attempt is started after that, and waited for when the loop comes
 * back, or signals would never have their turn between attempts that fail at
 * once.
 */
static void
reap(struct loop *loop)
{
	struct rusage usage;
	bool ended = false;
	pid_t pid;
	int status;

	while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0 ||
	    (pid == -1 && errno == EINTR))
		if (pid == loop->child.pid) {
			ended = true;
			if (loop->task == TASK_ATTEMPT)
				loop->usage = usage;
			loop->status = status;
		}
	if (pid == -1 && !ended && loop->child.pid != 0)
		events_fail("cannot wait for the child");
	if (ended)
		child_ended(loop);
	else if (loop->lingering)
		linger(loop);
}

/* Stops the child, then `retry`, and lets both go on. */
static void
suspend(struct loop *loop, const struct signalfd_siginfo *info)
{
	const int number = (int)info->ssi_signo;
	const bool runs = loop->task != TASK_NONE;

	report_hide(&loop->report);
	if (runs && !signal_queue_reached(info, &loop->child))
		child_signal(&loop->child, number);
	const double begun = events_time(CLOCK_MONOTONIC);
	signal_queue_stop(number);
	loop->stopped += events_time(CLOCK_MONOTONIC) - begun;
	if (runs)
		child_signal(&loop->child, SIGCONT);
	arm(loop);
}

/*
 * The child is in the background and wants its terminal, so that it is being
 * stopped.  A shell knows of `retry` alone, and continues what it saw stop.
 */
static bool
wants_terminal(const struct loop *loop, const struct signalfd_siginfo *info)
{
	return info->ssi_code == SI_KERNEL ||
	    (pid_t)info->ssi_pid == loop->child.pid;
}

/* Passes a signal on to the child; true if it had to be. */
static bool
forward(struct loop *loop, const struct signalfd_siginfo *info)
{
	const int number = (int)info->ssi_signo;

	if (loop->child.pid == 0 || signal_queue_reached(info, &loop->child))
		return false;
	if (child_signal(&loop->child, number) == -1)
		warn("cannot signal process %ld", (long)loop->child.pid);
	if (signal_ends_run(number))
		child_signal(&loop->child, SIGCONT);
	return true;
}

static void
receive(struct loop *loop, const struct signalfd_siginfo *info)
{
	const int number = (int)info->ssi_signo;
	const bool own = (pid_t)info->ssi_pid == loop->child.parent;

	if (number == SIGCHLD || signal_queue_ignores(number) ||
	    (own && (number == SIGPIPE || number == SIGXFSZ)))
		return;
	switch (number) {
	case SIGTTIN:
	case SIGTTOU:
		if (wants_terminal(loop, info))
			suspend(loop, info);
		return;
	}
	struct news news = news_now(loop, now(loop));
	news.kind = NEWS_SIGNAL;
	news.signal = number;
	news.forwarded = forward(loop, info);
	report_tell(&loop->report, &news);
	if (signal_ends_run(number))
		notify_stopping(&loop->notify);
	if (loop->engine.state != STATE_FINISHED &&
	    (signal_ends_run(number) || number == SIGURG))
		drive(loop,
		    (struct event){ .kind = EVENT_SIGNAL,
			.now = now(loop),
			.signal = number });
	else if (loop->leaving && signal_ends_run(number))
		end(loop);
	else
		arm(loop);
}

/*
 * Signals before deaths: one that came with the death of the attempt still
 * ends the run.
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
unforked(struct loop *loop)
{
	const struct outcome outcome = { OUTCOME_UNFORKED, loop->unforked };

	loop->unforked = 0;
	drive(loop, attempt_ended(loop, outcome));
}

static void
timer_fired(struct ev_loop *events, ev_timer *watcher, int flags)
{
	struct loop *loop = watcher->data;

	(void)events, (void)flags;
	if (loop->unforked != 0) {
		unforked(loop);
	} else if (loop->lingering && now(loop) >= loop->linger_until) {
		tree_left(&loop->tree, true);
		settle(loop);
	} else
		drive(loop,
		    (struct event){ .kind = EVENT_TIMER, .now = now(loop) });
}

/*
 * Deaths of children are signals among others, waited for here: libev's own
 * wait takes no processor times and depends on a mask that the parent may have
 * set.
 */
static void
set_up(struct loop *loop)
{
	const struct policy *policy = &loop->options->policy;

	if (child_init(&loop->child) == -1)
		err(STATUS_OWN_FAILURE, "cannot prepare to start processes");
	const int signals = signal_queue_open();
	const int stops = signal_queue_open_stop();
	if (signals == -1 || stops == -1)
		err(STATUS_OWN_FAILURE, "signalfd");
	if (environment_init(&loop->environment, loop->child.parent) == -1)
		err(STATUS_OWN_FAILURE, "environment");
	if (policy->timeout > 0 || policy->timeout_share > 0 ||
	    policy->min_timeout > 0 || policy->max_time > 0)
		tree_watch(&loop->tree, loop->child.parent);
	loop->linger_until = INFINITY;
	events_open(&loop->events);
	ev_io_init(&loop->signals, signals_ready, signals, EV_READ);
	ev_io_init(&loop->stops, stop_ready, stops, EV_READ);
	ev_timer_init(&loop->timer, timer_fired, 0, 0);
	/* A ^C that came before a wait is found to be over ends the run. */
	ev_set_priority(&loop->timer, EV_MINPRI);
	loop->signals.data = loop->stops.data = loop->timer.data = loop;
	ev_io_start(loop->events.loop, &loop->signals);
	ev_io_start(loop->events.loop, &loop->stops);
}

/* Through the output: among what is held, and without making one wait. */
static void
take_messages(struct loop *loop)
{
	struct report *report = &loop->report;
	FILE *inherited = stderr;

	if (output_open(&loop->output, loop->options, loop->events.loop,
		output_changed, loop) == -1)
		err(STATUS_OWN_FAILURE, "standard error");
	for (size_t i = 0; i < report->count; i++)
		if (report->sinks[i].file == inherited)
			report->sinks[i].file = stderr;
}

int
loop_run(const struct options *options, const struct report *report)
{
	struct loop loop = { .options = options, .report = *report };

	engine_init(&loop.engine, &options->policy, options->random);
	loop.report.engine = &loop.engine;
	set_up(&loop);
	if (options->warning != NULL)
		warnx("%s", options->warning);
	shared_open(&loop.shared, options);
	logs_begin(report);
	loop.report.pid = loop.child.parent;
	notify_open(&loop.notify);
	loop.word = (struct word){ .pid = loop.child.parent, .fd = -1 };
	input_open(&loop.input, options, loop.events.loop, input_done, &loop);
	take_messages(&loop);
	struct news news = { .kind = NEWS_START,
		.time = events_time(CLOCK_REALTIME) };
	report_tell(&loop.report, &news);
	drive(&loop, (struct event){ .kind = EVENT_START, .now = now(&loop) });
	if (!loop.over)
		ev_run(loop.events.loop, 0);
	report_close(&loop.report);
	notify_close(&loop.notify);
	input_close(&loop.input);
	output_close(&loop.output);
	events_close(&loop.events);
	environment_free(&loop.environment);
	shared_close(&loop.shared);
	tree_free(&loop.tree);

	/* The init process of a container outlives its own signal. */
	if (loop.engine.death != 0)
		signal_queue_die(loop.engine.death);
	return loop.engine.status;
}
