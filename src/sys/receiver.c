/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "core/outcome.h"
#include "core/signals.h"
#include "sys/file.h"
#include "sys/receiver.h"

/* The signals that stop a process; one may be the mark of another. */
#define STOPS 3
static const int stops[STOPS] = { SIGTSTP, SIGTTIN, SIGTTOU };

bool
receiver_ignores(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 &&
	    action.sa_handler == SIG_IGN;
}

static sigset_t
set_of(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	return set;
}

static int
mark_of(int signal)
{
	return signal == SIGTTOU ? SIGTTIN : SIGTTOU;
}

/* Takes a signal that is pending, if it is. */
static bool
take_signal(int signal, siginfo_t *info)
{
	const sigset_t set = set_of(signal);
	const struct timespec at_once = { 0 };

	return sigtimedwait(&set, info, &at_once) == signal;
}

/*
 * A stopping signal that is taken has to be raised again to take effect, and
 * raising it discards a SIGCONT that came in between: `retry` would stay
 * stopped for ever.  But a SIGCONT discards all pending stopping signals.  So a
 * second one, the mark, is made pending before the first is taken.  If it is
 * gone after the first was raised again, a SIGCONT has come.  Returns false if
 * there is no such signal, because it is ignored or a SIGCONT took it back.
 */
static bool
read_stop(struct signalfd_siginfo *info)
{
	siginfo_t taken;
	sigset_t pending;
	int signal = 0;

	if (sigpending(&pending) == -1)
		return false;
	for (size_t i = 0; i < STOPS && signal == 0; i++)
		if (sigismember(&pending, stops[i]) == 1)
			signal = stops[i];
	if (signal == 0)
		return false;
	if (receiver_ignores(signal)) {
		take_signal(signal, NULL);
		return false;
	}
	kill(getpid(), mark_of(signal));
	if (take_signal(signal, &taken)) {
		*info = (struct signalfd_siginfo){
			.ssi_signo = (uint32_t)signal,
			.ssi_code = taken.si_code,
			.ssi_pid = (uint32_t)taken.si_pid,
		};
		return true;
	}

	/* A SIGCONT took it back, and may have been discarded by the mark. */
	take_signal(mark_of(signal), NULL);
	raise(SIGCONT);
	return false;
}

/*
 * ^C, ^\ and ^Z reach the whole group from the terminal, and so do a new size
 * and the signals that stop a background job; a hang-up reaches the session's
 * leader alone.
 */
static bool
has_reached(const struct signalfd_siginfo *info, const struct child *child)
{
	const int signal = (int)info->ssi_signo;

	if (info->ssi_code != SI_KERNEL || !child_shares_group(child))
		return false;
	switch (signal) {
	case SIGINT:
	case SIGQUIT:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
	case SIGWINCH:
		return sigismember(&child->missed, signal) == 0;
	}
	return false;
}

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
	const sigset_t set = set_of(number);

	if (runs && !has_reached(info, child))
		child_stop(child, number);
	receiver->suspend(receiver->data, true);
	const double begun = events_time(CLOCK_MONOTONIC);
	/* Not for long if a SIGCONT has come since the signal was read. */
	raise(number);
	if (!take_signal(mark_of(number), NULL))
		raise(SIGCONT);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
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
	if (!read_stop(&info))
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
		take_signal(mark_of(number), NULL);
	sigdelset(&child->missed, number);
}

void
receiver_open(struct receiver *receiver, struct ev_loop *events)
{
	const int flags = SFD_CLOEXEC | SFD_NONBLOCK;
	sigset_t others, stopping;

	sigfillset(&others);
	sigemptyset(&stopping);
	for (int i = 0; i < STOPS; i++) {
		sigdelset(&others, stops[i]);
		sigaddset(&stopping, stops[i]);
	}
	const int queue = file_above_2(signalfd(-1, &others, flags));
	const int stop_queue = file_above_2(signalfd(-1, &stopping, flags));
	if (queue == -1 || stop_queue == -1)
		err(STATUS_OWN_FAILURE, "cannot receive signals: signalfd");
	ev_io_init(&receiver->signals, signals_ready, queue, EV_READ);
	ev_io_init(&receiver->stops, stop_ready, stop_queue, EV_READ);
	receiver->signals.data = receiver->stops.data = receiver;
	ev_io_start(events, &receiver->signals);
	ev_io_start(events, &receiver->stops);
}

/*
 * Whether a service manager asks for the end of the run by a signal that means
 * something else elsewhere: httpd, haproxy and systemd are stopped so.  The
 * manager is the parent of `retry`: outside of the container, process 1, or the
 * systemd of a user, which says in the environment whom it executed.  No
 * attempt is running that could use the signal in its own way.
 */
static bool
is_managers_stop(const struct receiver *receiver,
    const struct signalfd_siginfo *info)
{
	const int number = (int)info->ssi_signo;
	const char *executed = getenv("SYSTEMD_EXEC_PID"), *problem;

	if (receiver->child->pid != 0 || info->ssi_code != SI_USER ||
	    (number != SIGWINCH && number != SIGUSR1 &&
		number != SIGRTMIN + 3) ||
	    (pid_t)info->ssi_pid != getppid())
		return false;
	return info->ssi_pid <= 1 ||
	    (executed != NULL &&
		strtonum(executed, 1, INT_MAX, &problem) ==
		    receiver->child->parent);
}

bool
receiver_take(struct receiver *receiver, struct received *received)
{
	struct child *child = receiver->child;

	while (receiver->next < receiver->count) {
		const struct signalfd_siginfo *info =
		    &receiver->queue[receiver->next++];
		const bool is_stop = is_managers_stop(receiver, info);
		const int number = is_stop ? SIGTERM : (int)info->ssi_signo;
		const bool reached = has_reached(info, child);

		/* That of a write of ours, which fails and is reported. */
		const bool own = (pid_t)info->ssi_pid == child->parent &&
		    (number == SIGPIPE || number == SIGXFSZ);

		sigdelset(&child->missed, number);
		if (number == SIGCHLD)
			receiver->child_ended = true;
		else if (!own && !receiver_ignores(number)) {
			*received = (struct received){
				.signal = number,
				.ends_run = is_stop || ends_run(receiver, info),
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

void
receiver_die(int signal)
{
	const struct sigaction action = { .sa_handler = SIG_DFL };
	const sigset_t set = set_of(signal);

	prctl(PR_SET_DUMPABLE, 0);
	sigaction(signal, &action, NULL);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}
