/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/outcome.h"
#include "core/signals.h"
#include "sys/receiver.h"

/*
 * Whether a signal that concerns the run ends it.  Without a terminal SIGHUP
 * asks a daemon to reload, so that the attempt gets it and the run goes on.
 */
static bool
ends_run(const struct receiver *receiver, const struct signalfd_siginfo *info)
{
	const int number = (int)info->ssi_signo;

	return signal_ends_run(number) &&
	    !(number == SIGHUP && receiver->child->own_group);
}

/*
 * Signals that end the run come first, since any other could end a wait, so
 * that an attempt would begin in between.  Reads once, since a flood of signals
 * would never end.
 */
static void
signals_ready(struct ev_loop *events, ev_io *watcher, int flags)
{
	struct receiver *receiver = watcher->data;
	struct signalfd_siginfo infos[SIGNALS];

	(void)events, (void)flags;
	const ssize_t length = read(watcher->fd, infos, sizeof(infos));
	if (length == -1 && errno != EAGAIN && errno != EINTR)
		events_fail("cannot read signals");
	const ssize_t count = length / (ssize_t)sizeof(*infos);
	receiver->count = receiver->next = 0;
	for (int others = 0; others < 2; others++)
		for (ssize_t i = 0; i < count; i++)
			if (ends_run(receiver, &infos[i]) == (others == 0))
				receiver->queue[receiver->count++] = infos[i];
}

/* Stops the child, then all else and `retry`, and lets all go on. */
static void
suspend(struct receiver *receiver, const struct signalfd_siginfo *info)
{
	struct child *child = receiver->child;
	const int number = (int)info->ssi_signo;
	const bool runs = child->pid != 0;

	if (runs && !signal_queue_reached(info, child))
		child_stop(child, number);
	receiver->suspend(receiver->data, true);
	const double begun = events_time(CLOCK_MONOTONIC);
	signal_queue_stop(number);
	clock_resume(receiver->clock, begun);
	receiver->suspend(receiver->data, false);
	if (runs)
		child_signal_group(child, SIGCONT);
}

static void
stop_ready(struct ev_loop *events, ev_io *watcher, int flags)
{
	struct receiver *receiver = watcher->data;
	struct child *child = receiver->child;
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
	    (pid_t)info.ssi_pid == child->pid ||
	    child_stopped_by(child, number))
		suspend(receiver, &info);
	else
		signal_queue_leave_stop(number);
	sigdelset(&child->missed, number);
}

void
receiver_open(struct receiver *receiver, struct ev_loop *events)
{
	const int signals = signal_queue_open();
	const int stops = signal_queue_open_stop();

	if (signals == -1 || stops == -1)
		err(STATUS_OWN_FAILURE, "cannot receive signals: signalfd");
	ev_io_init(&receiver->signals, signals_ready, signals, EV_READ);
	ev_io_init(&receiver->stops, stop_ready, stops, EV_READ);
	receiver->signals.data = receiver->stops.data = receiver;
	ev_io_start(events, &receiver->signals);
	ev_io_start(events, &receiver->stops);
}

/*
 * Whether the signal means anything to the run.  A SIGPIPE or SIGXFSZ of
 * `retry`'s own comes with a write that fails, which is reported.
 */
static bool
concerns_run(const struct receiver *receiver,
    const struct signalfd_siginfo *info)
{
	const int number = (int)info->ssi_signo;
	const bool own = (pid_t)info->ssi_pid == receiver->child->parent;

	return !signal_queue_ignores(number) &&
	    !(own && (number == SIGPIPE || number == SIGXFSZ));
}

/*
 * Whether a service manager asks for the end of the run by a signal that means
 * something else elsewhere: httpd, haproxy and systemd are stopped so.  The
 * manager is the parent of `retry`: outside of the container, process 1, or the
 * systemd of a user, which says in the environment whom it executed.  No attempt
 * is running that could use the signal in its own way.
 */
static bool
is_managers_stop(const struct receiver *receiver,
    const struct signalfd_siginfo *info)
{
	const int number = (int)info->ssi_signo;
	const pid_t parent = getppid();
	const char *executed = getenv("SYSTEMD_EXEC_PID"), *problem;

	return receiver->child->pid == 0 && info->ssi_code == SI_USER &&
	    (pid_t)info->ssi_pid == parent &&
	    (parent <= 1 ||
		(executed != NULL &&
		    strtonum(executed, 1, INT_MAX, &problem) ==
			receiver->child->parent)) &&
	    (number == SIGWINCH || number == SIGUSR1 || number == SIGRTMIN + 3);
}

bool
receiver_take(struct receiver *receiver, struct received *received)
{
	struct child *child = receiver->child;

	while (receiver->next < receiver->count) {
		const struct signalfd_siginfo *info =
		    &receiver->queue[receiver->next++];
		const bool stops = is_managers_stop(receiver, info);
		const int number = stops ? SIGTERM : (int)info->ssi_signo;
		const bool reached = signal_queue_reached(info, child);

		sigdelset(&child->missed, number);
		if (number == SIGCHLD)
			receiver->child_ended = true;
		else if (concerns_run(receiver, info)) {
			*received = (struct received){
				.signal = number,
				.ends_run = stops || ends_run(receiver, info),
				.from_kernel = info->ssi_code == SI_KERNEL,
				.reached = reached,
			};
			return true;
		}
	}
	return false;
}

bool
receiver_forward(struct receiver *receiver, const struct received *received,
    bool is_attempt)
{
	const struct child *child = receiver->child;
	const int number = received->signal;
	const bool ends = received->ends_run;
	int result;

	if (child->pid == 0 || !(is_attempt || ends || number == SIGCONT) ||
	    received->reached)
		return false;
	/* The terminal would tell the whole group of a job. */
	if (received->from_kernel)
		result = child_signal_group(child, number);
	else if (ends || number == SIGCONT)
		result = child_signal(child, number);
	else /* a daemon's workers might die of what its first process takes */
		result = kill(child->pid, number);
	if (result == -1)
		say_error(receiver->messages, "cannot signal process %ld",
		    (long)child->pid);
	if (ends)
		child_signal_group(child, SIGCONT);
	return true;
}
