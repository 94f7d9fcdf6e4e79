/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "core/outcome.h"
#include "core/signals.h"
#include "sys/events.h"
#include "sys/file.h"
#include "sys/receiver.h"

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

/* ^Z, or a job in the background that wants its terminal. */
static bool
stops(int number)
{
	return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/*
 * ^C, ^\ and ^Z reach the whole group from the terminal, and so do a new size
 * and the signals that stop a background job; a hang-up reaches the session's
 * leader alone.
 */
static bool
has_reached(const struct signalfd_siginfo *info, struct child *child)
{
	const int signal = (int)info->ssi_signo;
	const bool missed = sigismember(&child->missed, signal) == 1;

	sigdelset(&child->missed, signal);
	/* A child may leave the group, as timeout(1) and setsid(1) do. */
	return !missed && info->ssi_code == SI_KERNEL &&
	    getpgid(child->pid) == getpgrp() &&
	    (stops(signal) || signal == SIGINT || signal == SIGQUIT ||
		signal == SIGWINCH);
}

/*
 * Whether a signal ends the run.  Without a terminal SIGHUP asks a daemon to
 * reload, so that the attempt gets it and the run goes on, unless --signal
 * gives it the other meaning.
 */
static bool
ends_run(const struct receiver *receiver, int number)
{
	return number == receiver->asks ||
	    (signal_ends_run(number) &&
		!(number == SIGHUP && receiver->child->own_group));
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
			if (ends_run(receiver, (int)infos[i].ssi_signo) ==
			    (others == 0))
				receiver->queue[receiver->count++] = infos[i];
}

void
receiver_open(struct receiver *receiver, struct ev_loop *events)
{
	sigset_t all;

	memset(&all, 0xff, sizeof(all));
	const int queue =
	    file_above_2(signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
	if (queue == -1)
		err(STATUS_OWN_FAILURE, "cannot receive signals: signalfd");
	ev_io_init(&receiver->signals, signals_ready, queue, EV_READ);
	receiver->signals.data = receiver;
	ev_io_start(events, &receiver->signals);
}

bool
receiver_take(struct receiver *receiver, struct received *received)
{
	struct child *child = receiver->child;

	while (receiver->next < receiver->count) {
		const struct signalfd_siginfo *info =
		    &receiver->queue[receiver->next++];
		const int number = (int)info->ssi_signo;
		const bool reached = has_reached(info, child);

		/* That of a write of ours, which fails and is reported. */
		const bool own = (pid_t)info->ssi_pid == child->self &&
		    (number == SIGPIPE || number == SIGXFSZ);

		if (number == SIGCHLD)
			receiver->child_ended = true;
		else if (own || receiver_ignores(number))
			continue;
		else {
			*received = (struct received){
				.signal = number,
				.ends_run = ends_run(receiver, number),
				.stops = stops(number),
				.from_kernel = info->ssi_code == SI_KERNEL,
				.reached = reached,
			};
			return true;
		}
	}
	return false;
}

/*
 * The shell sees `retry` alone, which therefore stops, too, if a child in the
 * background wants its terminal: SIGTTIN, SIGTTOU.  In a session of its own
 * the child obeys SIGSTOP alone.
 *
 * raise(3) would discard a SIGCONT that has come meanwhile.  One that comes
 * right between these two calls is lost, as it is to coreutils' timeout:
 * nobody continues a job within a microsecond.
 */
void
receiver_stop(const struct receiver *receiver, const struct received *received)
{
	const struct child *child = receiver->child;
	const int number = received->signal;
	const bool runs = child->pid != 0;
	const sigset_t set = set_of(number);
	sigset_t pending;

	if (runs && !received->reached)
		child_signal_group(child,
		    getsid(child->pid) == getsid(0) ? number : SIGSTOP);
	sigpending(&pending);
	if (sigismember(&pending, SIGCONT) == 0)
		raise(number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (runs)
		child_signal_group(child, SIGCONT);
}

bool
receiver_forward(struct receiver *receiver, const struct received *received,
    bool is_attempt)
{
	const struct child *child = receiver->child;
	const bool ends = received->ends_run;
	/* WINCH may ask an attempt to end, but no shell. */
	const int number = ends && !is_attempt && received->signal == SIGWINCH
	    ? SIGTERM
	    : received->signal;
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
		say_error("cannot signal process %ld", (long)child->pid);
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
