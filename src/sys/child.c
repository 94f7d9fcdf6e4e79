/* SPDX-License-Identifier: MIT */

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
#include <sys/wait.h>
#include <unistd.h>

#include "report/message.h"
#include "sys/child.h"
#include "sys/command.h"
#include "sys/file.h"

/* Room for the value of a variable. */
#define VALUE_MOST 1024

/*
 * Whether there is a controlling terminal.  If it cannot be opened, the fifth
 * field after the name in "pid (name) state parent group session terminal ..."
 * tells, 0 for none; without /proc there is none that could be used.
 */
static bool
has_terminal(void)
{
	char text[FILE_STAT];
	int terminal = 0;
	const int tty = file_open(_PATH_TTY, O_RDONLY);

	if (tty != -1) {
		close(tty);
		return true;
	}
	if (errno == ENXIO)
		return false;
	const char *fields = file_read_stat("self", text);
	return fields != NULL &&
	    sscanf(fields, " %*c %*d %*d %*d %d", &terminal) == 1 &&
	    terminal != 0;
}

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

	child->own_group = !has_terminal();
	child->exec_errno = mmap(NULL, 2 * sizeof(*child->exec_errno),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return child->exec_errno == MAP_FAILED ? -1 : 0;
}

/*
 * Ends this process, which was just forked, if its parent has ended already: no
 * PR_SET_PDEATHSIG would come any more.
 */
static void
end_orphan(pid_t parent)
{
	const pid_t now = getppid();

	/*
	 * A parent in another pid name space has the number 0, and a sandbox
	 * may forbid the call.
	 */
	if (now != parent && now > 0)
		_exit(EXIT_FAILURE);
}

void
child_follow(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	end_orphan(parent);
}

/* In the child: binds it to `retry`, and gives it the signals of its start. */
static void
settle_child(const struct child *child)
{
	if (child->own_session)
		setsid();
	else if (child->own_group)
		setpgid(0, 0);
	if (child->outlives)
		end_orphan(child->parent);
	else
		child_follow(child->parent);
	if (child->sigchld_ignored)
		signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, &child->mask, NULL);
}

pid_t
child_fork(struct child *child)
{
	*child->exec_errno = 0;
	const pid_t pid = fork();
	const int error = errno;

	if (pid == 0) {
		settle_child(child);
		return 0;
	}
	/*
	 * Before the fork this would miss a ^C that comes in between, which
	 * would then seem to have reached the child.
	 */
	sigpending(&child->missed);
	child->pid = pid > 0 ? pid : 0;
	errno = error;
	return pid;
}

/*
 * Whether the file is text, as far as its first line tells: it has no NUL.  If
 * it is not, errno stays as it was.
 */
static bool
is_text(const char *file)
{
	char text[256];
	const ssize_t length = file_read(file, text, sizeof(text));
	const size_t end = strcspn(text, "\n");

	return length == -1 || text[end] == '\n' || end == (size_t)length;
}

/* Executes a file; if it has no format, as a script of the shell's. */
static void
execute_file(char *file, char *const *argv)
{
	size_t count = 0;

	execv(file, argv);
	if (errno != ENOEXEC || !is_text(file))
		return;
	while (argv[count] != NULL)
		count++;
	char **words = reallocarray(NULL, count + 2, sizeof(*words));
	if (words == NULL)
		return;
	words[0] = (char *)_PATH_BSHELL;
	words[1] = file;
	memcpy(words + 2, argv + 1, count * sizeof(*words));
	execv(words[0], words);
	free(words);
}

/*
 * Executes the command, which is searched for in $PATH, and returns if that
 * failed, with errno set.  execvp(3) does the same, but takes any file without
 * a format for a script, and copies the words of a script to the stack, which
 * may be too small for them.
 */
static void
execute(char *const *argv)
{
	char *name = argv[0], file[PATH_MAX];
	const char *path = command_path();
	bool denied = false;

	if (strchr(name, '/') != NULL || name[0] == '\0') {
		execute_file(name, argv);
		return;
	}
	while (command_next(&path, name, file)) {
		execute_file(file, argv);
		switch (errno) {
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
	}
	if (denied && errno == ENOENT)
		errno = EACCES;
}

/*
 * Sets a variable, or removes one that a `retry` further up has set.  Returns
 * false with errno set.
 */
__attribute__((format(printf, 3, 4))) static bool
set_variable(const char *name, bool has_value, const char *format, ...)
{
	char value[VALUE_MOST];
	va_list arguments;

	unsetenv(name);
	if (!has_value)
		return true;
	va_start(arguments, format);
	vsnprintf(value, sizeof(value), format, arguments);
	va_end(arguments);
	return setenv(name, value, 1) == 0;
}

/* Whether systemd named `retry` in this variable. */
static bool
is_named(const char *variable, pid_t pid)
{
	const char *value = getenv(variable);
	char text[VALUE_MOST];

	if (value == NULL)
		return false;
	snprintf(text, sizeof(text), "%ld", (long)pid);
	return strcmp(value, text) == 0;
}

/* Sets the variables of the child.  Returns false with errno set. */
static bool
set_variables(const struct child *child, const struct start *start)
{
	char line[MESSAGE_LINE];
	const struct record *record = start->record;
	const struct outcome last = record->outcome;
	const bool ended = last.kind != OUTCOME_NONE;
	const bool listens = is_named("LISTEN_PID", child->parent);
	const long pid = (long)getpid();

	return set_variable("RETRY_ATTEMPT", true, "%" PRIu64,
		   record->attempt) &&
	    set_variable("RETRY_ATTEMPTS", true, "%" PRIu64, record->limit) &&
	    set_variable("RETRY_ELAPSED", true, "%.3f", record->elapsed) &&
	    set_variable("RETRY_LAST", ended, "%s", outcome_name(last.kind)) &&
	    set_variable("RETRY_LAST_STATUS", ended && !outcome_was_ended(last),
		"%d", last.code) &&
	    set_variable("RETRY_LAST_OOM", last.oom, "1") &&
	    set_variable("RETRY_CLASS", record_has_class(record), "%s",
		outcome_class_name(last.class)) &&
	    set_variable("RETRY_LAST_LINE", record->line != NULL, "%s",
		message_line(record, line)) &&
	    set_variable("RETRY_DELAY", record->just_waited >= 0, "%.3f",
		record->just_waited) &&
	    set_variable("RETRY_REASON", record->reason != REASON_NONE, "%s",
		reasons[record->reason].name) &&
	    set_variable("RETRY_FINAL", record->final, "1") &&
	    set_variable("RETRY_PID", start->probed != 0, "%ld",
		(long)start->probed) &&
	    /* systemd means the command by what it started. */
	    (!is_named("WATCHDOG_PID", child->parent) ||
		set_variable("WATCHDOG_PID", true, "%ld", pid)) &&
	    (!listens ||
		(set_variable("LISTEN_PID", true, "%ld", pid) &&
		    set_variable("LISTEN_PIDFDID", false, "%s", "")));
}

/* The child up to its exec. */
static _Noreturn void
run(const struct child *child, const struct start *start)
{
	const int *descriptors = start->descriptors;
	int fd = 0;

	/* Orphans of a probe are reparented to the probe, not to `retry`. */
	if (child->own_session)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	while (fd < 3 &&
	    (descriptors[fd] == CHILD_KEEPS || dup2(descriptors[fd], fd) == fd))
		fd++;
	if (fd == 3 && set_variables(child, start))
		execute((char *const *)start->argv);
	*child->exec_errno = errno;
	_exit(errno == ENOENT ? 127 : 126);
}

/*
 * A copy of the memory costs more than to share it up to the exec, but then no
 * code of a preloaded library, no core dump and no exec that hangs reaches
 * `retry`.
 */
int
child_start(struct child *child, const struct start *start)
{
	const pid_t pid = child_fork(child);

	if (pid == 0)
		run(child, start);
	/* Signals for the group may come before the child has made it. */
	if (pid > 0 && child->own_group && !child->own_session)
		setpgid(pid, pid);
	return pid == -1 ? -1 : 0;
}

struct child
child_beside(const struct child *child)
{
	struct child other = *child;

	other.pid = 0;
	other.exec_errno = child->exec_errno + 1;
	other.own_group = other.own_session = true;
	return other;
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

bool
child_shares_group(const struct child *child)
{
	return getpgid(child->pid) == getpgrp();
}

bool
child_stopped_by(const struct child *child, int signal)
{
	siginfo_t info = { 0 };

	return child->pid > 0 &&
	    waitid(P_PID, (id_t)child->pid, &info,
		WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
	    info.si_status == signal;
}

int
child_signal_group(const struct child *child, int signal)
{
	if (child->pid > 0 && getpgid(child->pid) == child->pid &&
	    kill(-child->pid, signal) == 0)
		return 0;
	return child_signal(child, signal);
}

void
child_stop(const struct child *child, int signal)
{
	const bool in_session = getsid(child->pid) == getsid(0);

	child_signal_group(child, in_session ? signal : SIGSTOP);
}
