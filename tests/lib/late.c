/* SPDX-License-Identifier: MIT */

/*
 * late FILE SIGNAL COMMAND...: runs the command and lets the execution of FILE
 * hang until the command has ended: fanotify(7) events that are not answered.
 * SIGNAL, if it is not 0, is sent to the command as soon as FILE hangs.
 *
 * Exits as the command did, a death by a signal being 128 and its number.  It
 * says "not executed" if FILE never hung, and "too long" if the command has not
 * ended after 20 seconds; FILE goes on then.  If the system forbids such events,
 * it exits with 77.
 */

#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/fanotify.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE 20000

int
main(int argc, char **argv)
{
	struct fanotify_event_metadata event;
	int status;

	if (argc < 4)
		errx(2, "usage: late FILE SIGNAL COMMAND...");
	const int events = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC,
	    O_RDONLY | O_CLOEXEC);
	if (events == -1 ||
	    fanotify_mark(events, FAN_MARK_ADD, FAN_OPEN_EXEC_PERM, AT_FDCWD,
		argv[1]) == -1)
		err(77, "fanotify");

	const pid_t pid = fork();
	if (pid == 0) {
		execvp(argv[3], argv + 3);
		err(127, "%s", argv[3]);
	}
	const int end = (int)syscall(SYS_pidfd_open, pid, 0);
	if (end == -1)
		err(2, "pidfd_open");

	struct pollfd ready[] = {
		{ .fd = events, .events = POLLIN },
		{ .fd = end, .events = POLLIN },
	};
	poll(ready, 2, -1);
	if (ready[0].revents != 0) {
		if (read(events, &event, sizeof(event)) == -1)
			err(2, "read");
		kill(pid, (int)strtol(argv[2], NULL, 10));
		if (poll(&ready[1], 1, PATIENCE) == 0)
			puts("too long");
		close(events); /* lets all that hangs go on */
	} else
		puts("not executed");
	if (waitpid(pid, &status, 0) == -1)
		err(2, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
