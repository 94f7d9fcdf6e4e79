#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <paths.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sys/child.h"

/* Room for the value of a variable. */
#define VARIABLE_MOST 128

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

	/* If SIGCHLD is ignored, the kernel discards exit statuses. */
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

void
child_end_orphan(pid_t parent)
{
	const pid_t now = getppid();

	/* A parent in another pid name space has the number 0. */
	if (now != parent && now != 0)
		_exit(EXIT_FAILURE);
}

/*
 * The parent of a vfork(2) would be suspended until the exec is over, and an
 * exec can hang as long as a network file system or a virus scanner does: no
 * signal and no limit would work.
 */
pid_t
child_fork(struct child *child)
{
	*child->error = 0;
	const pid_t pid = fork();
	if (pid != 0) {
		/* Not before: a ^C could come in between, and reach nobody. */
		sigpending(&child->missed);
		child->pid = pid > 0 ? pid : 0;
		return pid;
	}

	if (child->own_group)
		setpgid(0, 0);
	if (!child->outlives)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	child_end_orphan(child->parent);
	if (child->sigchld_ignored)
		signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, &child->mask, NULL);
	return 0;
}

/* Whether the file is text, as far as its first line tells: it has no NUL. */
static bool
is_text(const char *file)
{
	char text[256];
	const int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const ssize_t length = fd == -1 ? -1 : read(fd, text, sizeof(text));

	if (fd != -1)
		close(fd);
	if (length <= 0)
		return true;
	const char *end = memchr(text, '\n', (size_t)length);
	return memchr(text, '\0',
		   end == NULL ? (size_t)length : (size_t)(end - text)) == NULL;
}

/* Executes a file; if it has no format, as a script of the shell's. */
static void
execute_file(const char *file, const struct start *start)
{
	size_t count = 0;

	execve(file, (char *const *)start->argv, environ);
	if (errno != ENOEXEC)
		return;
	if (!is_text(file)) {
		errno = ENOEXEC;
		return;
	}
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

/* Sets a variable in environ, or removes one of a `retry` further up. */
__attribute__((format(printf, 3, 4))) static int
set_variable(const char *name, bool has_value, const char *format, ...)
{
	char value[VARIABLE_MOST];
	va_list arguments;

	if (!has_value)
		return unsetenv(name);
	va_start(arguments, format);
	vsnprintf(value, sizeof(value), format, arguments);
	va_end(arguments);
	return setenv(name, value, 1);
}

/* Sets RETRY_*, in the child.  Returns 0, or -1 with errno set. */
static int
set_variables(const struct start *start)
{
	const struct record *record = start->record;
	const char *control = start->control;
	const struct outcome last = record->outcome;
	const bool ended = last.kind != OUTCOME_NONE;
	int result = 0;

	result |=
	    set_variable("RETRY_ATTEMPT", true, "%" PRIu64, record->attempt);
	result |=
	    set_variable("RETRY_ATTEMPTS", true, "%" PRIu64, record->limit);
	result |= set_variable("RETRY_ELAPSED", true, "%.3f", record->elapsed);
	result |=
	    set_variable("RETRY_LAST", ended, "%s", outcome_name(last.kind));
	result |= set_variable("RETRY_LAST_STATUS",
	    ended && last.kind != OUTCOME_TIMEOUT, "%d", last.code);
	result |= set_variable("RETRY_DELAY", record->just_waited >= 0, "%.3f",
	    record->just_waited);
	result |= set_variable("RETRY_FINAL", record->final, "1");
	result |= set_variable("RETRY_CONTROL", control != NULL, "%s",
	    control != NULL ? control : "");
	return result;
}

static bool
is_pid(const char *value, pid_t pid)
{
	const char *problem;

	return value != NULL && strtonum(value, 1, INT_MAX, &problem) == pid;
}

/*
 * Names the child wherever systemd named `retry`, its parent.  Returns 0, or -1
 * with errno set.
 */
static int
name_child(pid_t parent)
{
	const bool listens = is_pid(getenv("LISTEN_PID"), parent);
	const bool is_watched = is_pid(getenv("WATCHDOG_PID"), parent);
	char pid[VARIABLE_MOST];

	if (!listens && !is_watched)
		return 0;
	snprintf(pid, sizeof(pid), "%ld", (long)getpid());
	if (is_watched && setenv("WATCHDOG_PID", pid, 1) == -1)
		return -1;
	if (!listens)
		return 0;
	unsetenv("LISTEN_PIDFDID");
	return setenv("LISTEN_PID", pid, 1);
}

int
child_start(struct child *child, const struct start *start)
{
	int fd = 0;

	const pid_t pid = child_fork(child);
	if (pid != 0)
		return pid == -1 ? -1 : 0;
	while (fd < 3 &&
	    (start->descriptors[fd] == CHILD_KEEPS ||
		dup2(start->descriptors[fd], fd) == fd))
		fd++;
	if (fd == 3 && set_variables(start) == 0 &&
	    name_child(child->parent) == 0)
		execute(start);
	*child->error = errno;
	_exit(errno == ENOENT ? 127 : 126);
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
