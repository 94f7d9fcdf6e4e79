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

int
signal_queue_open(void)
{
	sigset_t set;

	sigfillset(&set);
	sigdelset(&set, SIGTSTP);
	return file_raise(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int
signal_queue_open_stop(void)
{
	const sigset_t set = set_of(SIGTSTP);

	return file_raise(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

/*
 * A SIGTSTP that is read has to be raised again to take effect, and raising it
 * discards a SIGCONT that came in between: `retry` would stay stopped for ever.
 * But a SIGCONT discards all pending stopping signals.  So a second one,
 * SIGTTOU, is made pending before the first is read.  If it is gone after the
 * first was raised again, a SIGCONT has come.
 */
bool
signal_queue_read_stop(int queue, struct signalfd_siginfo *info)
{
	const sigset_t mark = set_of(SIGTTOU);
	const struct timespec at_once = { .tv_sec = 0 };
	const bool ignored = signal_queue_ignores(SIGTSTP);
	sigset_t pending;

	if (sigpending(&pending) == -1 || sigismember(&pending, SIGTSTP) != 1)
		return false;
	if (!ignored)
		kill(getpid(), SIGTTOU);
	if (read(queue, info, sizeof(*info)) == sizeof(*info))
		return !ignored;

	/* A SIGCONT took it back, and may have been discarded by the mark. */
	if (!ignored) {
		sigtimedwait(&mark, NULL, &at_once);
		raise(SIGCONT);
	}
	return false;
}

void
signal_queue_stop(int signal)
{
	const sigset_t mark = set_of(SIGTTOU), set = set_of(signal);
	const struct timespec at_once = { .tv_sec = 0 };

	raise(signal);
	if (signal == SIGTSTP && sigtimedwait(&mark, NULL, &at_once) == -1)
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

	if (child->own_group || info->ssi_code != SI_KERNEL)
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
