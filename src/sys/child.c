#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sys/child.h"
#include "sys/environment.h"

int
child_init(struct child *child)
{
	struct sigaction action;
	sigset_t all;

	*child = (struct child){ .parent = getpid() };
	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, &child->mask) == -1 ||
	    sigaction(SIGCHLD, NULL, &action) == -1)
		return -1;

	/* If SIGCHLD is ignored, the kernel discards the children's statuses. */
	child->sigchld_ignored = action.sa_handler == SIG_IGN;
	if (child->sigchld_ignored && signal(SIGCHLD, SIG_DFL) == SIG_ERR)
		return -1;

	/* Only ENXIO means that there is no terminal. */
	const int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
	child->own_group = terminal == -1 && errno == ENXIO;
	if (terminal != -1)
		close(terminal);

	child->error = mmap(NULL, sizeof(*child->error), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return child->error == MAP_FAILED ? -1 : 0;
}

/*
 * Forks.  Returns 0 in the child, which dies with its parent and has the
 * signals that `retry` was started with.
 *
 * The parent of a vfork(2) would be suspended until the exec is over, and an
 * exec can hang as long as a network file system or a virus scanner does: no
 * signal and no limit would work.
 */
static pid_t
fork_child(struct child *child)
{
	*child->error = 0;
	sigpending(&child->missed);
	const pid_t pid = fork();
	if (pid > 0)
		child->pid = pid;
	if (pid != 0)
		return pid;

	if (child->own_group)
		setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);

	/* A parent in another pid name space has the number 0. */
	const pid_t parent = getppid();
	if (parent != child->parent && parent != 0)
		_exit(EXIT_FAILURE);
	if (child->sigchld_ignored)
		signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, &child->mask, NULL);
	return 0;
}

/* Executes a file; if it has no format, as a script of the shell's. */
static void
execute_file(const char *file, const struct start *start)
{
	size_t count = 0;

	execve(file, (char *const *)start->argv, environ);
	if (errno != ENOEXEC)
		return;
	while (start->argv[count] != NULL)
		count++;
	const char **argv = reallocarray(NULL, count + 2, sizeof(*argv));
	if (argv == NULL)
		return;
	argv[0] = _PATH_BSHELL;
	argv[1] = file;
	memcpy(argv + 2, start->argv + 1, count * sizeof(*argv));
	execve(argv[0], (char *const *)argv, environ);
	const int error = errno;
	free(argv);
	errno = error;
}

/*
 * Executes the command, which is searched for in $PATH, and returns if that
 * failed, with errno set.  execvpe(3) does the same, but copies the words of a
 * script to the stack, which may be too small for them.
 */
static void
execute(const struct start *start)
{
	const char *name = start->argv[0];
	const char *path = getenv("PATH");
	bool denied = false, more = true;
	char *file;

	if (strchr(name, '/') != NULL || name[0] == '\0') {
		execute_file(name, start);
		return;
	}
	if (path == NULL)
		path = "/bin:/usr/bin";
	while (more) {
		const size_t length = strcspn(path, ":");

		/* An empty word means the current directory. */
		if (asprintf(&file, "%.*s%s%s", (int)length, path,
			length > 0 ? "/" : "", name) == -1)
			return;
		execute_file(file, start);
		const int error = errno;
		free(file);
		errno = error;
		switch (error) {
		case EACCES:
			denied = true;
			break;
		case ENOENT:
		case ENOTDIR:
		case ENODEV:
		case ESTALE:
		case ETIMEDOUT:
			break;
		default:
			return;
		}
		more = path[length] == ':';
		path += length + more;
	}
	errno = denied ? EACCES : ENOENT;
}

int
child_start(struct child *child, const struct start *start)
{
	int fd = 0;

	if (environment_set(start->record, start->control) == -1)
		return -1;
	const pid_t pid = fork_child(child);
	if (pid != 0)
		return pid == -1 ? -1 : 0;
	while (fd < 3 &&
	    (start->descriptors[fd] == CHILD_KEEPS ||
		dup2(start->descriptors[fd], fd) == fd))
		fd++;
	if (fd == 3 && environment_set_pid(child->parent) == 0)
		execute(start);
	*child->error = errno;
	_exit(errno == ENOENT ? 127 : 126);
}

int
child_call(struct child *child, int (*function)(const void *argument),
    const void *argument)
{
	const pid_t pid = fork_child(child);

	if (pid == 0)
		_exit(function(argument));
	return pid == -1 ? -1 : 0;
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
