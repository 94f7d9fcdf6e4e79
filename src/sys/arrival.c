#include <signal.h>
#include <sys/prctl.h>

#include "sys/arrival.h"
#include "sys/descriptor.h"

int
arrival_open(void)
{
	sigset_t all;

	sigfillset(&all);
	return descriptor_raise(signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
}

/*
 * ^C, ^\ and ^Z reach the whole group from the terminal, and so do a new size
 * and what stops a background; a hang-up reaches the session's leader alone.
 */
bool
arrival_reached(const struct signalfd_siginfo *arrival,
    const struct child *child)
{
	if (child->own_group || arrival->ssi_code != SI_KERNEL)
		return false;
	switch (arrival->ssi_signo) {
	case SIGINT:
	case SIGQUIT:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
	case SIGWINCH:
		return sigismember(&child->missed, (int)arrival->ssi_signo) ==
		    0;
	}
	return false;
}

bool
arrival_is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 &&
	    action.sa_handler == SIG_IGN;
}

/* Delivers to `retry` itself one that it has blocked. */
static void
deliver(int signal, sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, signal);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, set, NULL);
}

void
arrival_stop(int signal)
{
	sigset_t set;

	deliver(signal, &set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void
arrival_die(int signal)
{
	const struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t set;

	prctl(PR_SET_DUMPABLE, 0);
	sigaction(signal, &action, NULL);
	deliver(signal, &set);
}
