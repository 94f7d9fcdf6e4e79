#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/child.h"

int
child_inherit(struct inheritance *inheritance)
{
	struct sigaction action;
	sigset_t all;

	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, &inheritance->mask) == -1 ||
	    sigaction(SIGCHLD, NULL, &action) == -1)
		return -1;

	/* Ignored, it would take the children's statuses away. */
	inheritance->sigchld_ignored = action.sa_handler == SIG_IGN;
	if (inheritance->sigchld_ignored && signal(SIGCHLD, SIG_DFL) == SIG_ERR)
		return -1;

	inheritance->parent = getpid();
	const int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
	inheritance->own_group = terminal == -1;
	if (terminal != -1)
		close(terminal);
	return 0;
}

int
child_init(struct child *child, const struct inheritance *inheritance)
{
	*child = (struct child){ .own_group = inheritance->own_group };
	child->error = &child->own_error;
	if (child->own_group)
		return 0;

	/* After a fork the child has this as its own only where it is shared. */
	child->error = mmap(NULL, sizeof(*child->error), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return child->error == MAP_FAILED ? -1 : 0;
}

/* snprintf(3) is not safe here. */
static void
write_pid(char *digits, pid_t pid)
{
	char reversed[PID_DIGITS];
	int length = 0;

	for (; pid > 0; pid /= 10)
		reversed[length++] = (char)('0' + pid % 10);
	while (length > 0)
		*digits++ = reversed[--length];
	*digits = '\0';
}

static int
redirect(const int descriptors[3])
{
	for (int fd = 0; fd < 3; fd++)
		if (descriptors[fd] != CHILD_KEEPS &&
		    dup2(descriptors[fd], fd) == -1)
			return -1;
	return 0;
}

/* Runs in the child: its group, and its death with the parent's. */
static void
attach(const struct inheritance *inheritance)
{
	if (inheritance->own_group)
		setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != inheritance->parent)
		_exit(EXIT_FAILURE);
}

/*
 * Runs in the child, which may be in the parent's memory: only what
 * signal-safety(7) allows, and no lasting change to anything but what is meant
 * for it.
 */
static void
become(const struct child *child, const struct inheritance *inheritance,
    const struct start *start)
{
	attach(inheritance);
	if (start->listen_pid != NULL)
		write_pid(start->listen_pid, getpid());
	if (start->watchdog_pid != NULL)
		write_pid(start->watchdog_pid, getpid());
	if (redirect(start->descriptors) == 0) {
		if (inheritance->sigchld_ignored)
			signal(SIGCHLD, SIG_IGN);
		sigprocmask(SIG_SETMASK, &inheritance->mask, NULL);
		execvpe(start->argv[0], (char *const *)start->argv,
		    start->envp);
	}
	*child->error = errno;
	_exit(errno == ENOENT ? 127 : 126);
}

static void
prepare(struct child *child)
{
	*child->error = 0;
	sigpending(&child->missed);
}

/*
 * vfork, since it does not copy the page tables; the signal handlers are not
 * shared, and none is set.  But a ^Z could stop the child before it leaves the
 * parent's memory, and the parent with it, for good: where the terminal is
 * shared it is fork.
 */
int
child_start(struct child *child, const struct inheritance *inheritance,
    const struct start *start)
{
	prepare(child);
	/* What become() may do is the kernel's and libc's rule, not POSIX's. */
	/* NOLINTBEGIN(clang-analyzer-*) */
	const pid_t pid = child->own_group ? vfork() : fork();
	if (pid == -1)
		return -1;
	if (pid == 0)
		become(child, inheritance, start);
	/* NOLINTEND(clang-analyzer-*) */
	child->pid = pid;
	return 0;
}

int
child_call(struct child *child, const struct inheritance *inheritance,
    int (*function)(const void *argument), const void *argument)
{
	prepare(child);
	const pid_t pid = fork();
	if (pid == -1)
		return -1;
	if (pid == 0) {
		attach(inheritance);
		sigprocmask(SIG_SETMASK, &inheritance->mask, NULL);
		_exit(function(argument));
	}
	child->pid = pid;
	return 0;
}

int
child_error(const struct child *child)
{
	return *child->error;
}

int
child_signal(const struct child *child, int signal)
{
	if (child->pid <= 0) {
		errno = ESRCH;
		return -1;
	}
	if (child->own_group && kill(-child->pid, signal) == 0)
		return 0;
	return kill(child->pid, signal);
}
