/* SPDX-License-Identifier: MIT */

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/signal_queue.h"

static sigset_t
set_of(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	return set;
}

/* The signals that stop, of which one is the mark of another. */
static sigset_t
stops(void)
{
	sigset_t set = set_of(SIGTSTP);

	sigaddset(&set, SIGTTIN);
	sigaddset(&set, SIGTTOU);
	return set;
}

static int
mark_of(int signal)
{
	return signal == SIGTTOU ? SIGTTIN : SIGTTOU;
}

int
signal_queue_open(void)
{
	sigset_t set;

	sigfillset(&set);
	sigdelset(&set, SIGTSTP);
	sigdelset(&set, SIGTTIN);
	sigdelset(&set, SIGTTOU);
	return file_above_2(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int
signal_queue_open_stop(void)
{
	const sigset_t set = stops();

	return file_above_2(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
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
 * gone after the first was raised again, a SIGCONT has come.
 */
bool
signal_queue_read_stop(struct signalfd_siginfo *info)
{
	static const int signals[] = { SIGTSTP, SIGTTIN, SIGTTOU };
	siginfo_t taken;
	sigset_t pending;
	int signal = 0;

	if (sigpending(&pending) == -1)
		return false;
	for (size_t i = 0; i < 3 && signal == 0; i++)
		if (sigismember(&pending, signals[i]) == 1)
			signal = signals[i];
	if (signal == 0)
		return false;
	if (signal_queue_ignores(signal)) {
		take_signal(signal, &taken);
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
	take_signal(mark_of(signal), &taken);
	raise(SIGCONT);
	return false;
}

void
signal_queue_leave_stop(int signal)
{
	siginfo_t taken;

	take_signal(mark_of(signal), &taken);
}

void
signal_queue_stop(int signal)
{
	const sigset_t set = set_of(signal);
	siginfo_t taken;

	raise(signal);
	if (!take_signal(mark_of(signal), &taken))
		raise(SIGCONT);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/*
 * ^C, ^\ and ^Z reach the whole group from the terminal, and so do a new size
 * and the signals that stop a background job; a hang-up reaches the session's
 * leader alone.
 */
bool
signal_queue_reached(const struct signalfd_siginfo *info,
    const struct child *child)
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

bool
signal_queue_ignores(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 &&
	    action.sa_handler == SIG_IGN;
}

void
signal_queue_die(int signal)
{
	const struct sigaction action = { .sa_handler = SIG_DFL };
	const sigset_t set = set_of(signal);

	prctl(PR_SET_DUMPABLE, 0);
	sigaction(signal, &action, NULL);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}
