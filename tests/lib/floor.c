/* SPDX-License-Identifier: MIT */

/*
 * The floor: an honest supervisor of one command that does nothing more, for
 * scripts/bench, which builds it as it builds retry.  It forwards signals, waits
 * for the command, and ends as the command did.
 *
 *   floor COUNT COMMAND [ARGUMENT...]   COUNT times, until one succeeds
 */

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs the command; returns its wait status. */
static int
run(char **words, const sigset_t *all, const sigset_t *old)
{
	siginfo_t info;
	int status;
	const pid_t pid = vfork();

	if (pid == 0) {
		sigprocmask(SIG_SETMASK, old, NULL);
		execvp(words[0], words);
		_exit(127);
	}
	while (waitpid(pid, &status, WNOHANG) == 0)
		if (sigwaitinfo(all, &info) != SIGCHLD && info.si_signo != 0)
			kill(pid, info.si_signo);
	return status;
}

int
main(int argc, char **argv)
{
	sigset_t all, old;
	int status = 0;

	if (argc < 3)
		return 125;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	for (long left = strtol(argv[1], NULL, 10); left > 0; left--) {
		status = run(argv + 2, &all, &old);
		if (status == 0)
			return 0;
	}
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
		sigprocmask(SIG_SETMASK, &old, NULL);
	}
	return WEXITSTATUS(status);
}
