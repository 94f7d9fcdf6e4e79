/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <paths.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report/message.h"
#include "sys/child.h"
#include "sys/command.h"
#include "sys/execute.h"
#include "sys/file.h"

/* The most variables that a child gets, and room for all of them. */
#define VARIABLES 16
#define VARIABLES_ROOM (VARIABLES * 72 + MESSAGE_LINE)

/* Address space, of which little is touched; 64 bytes are for the rest. */
#define STACK_SIZE ((1 << 18) - 64)

/*
 * A child shares the memory of `retry` up to its exec, since a copy costs more.
 * It goes on with `retry` waiting (STARTING), up to the moment when its signals
 * are no longer blocked and the exec may hang; from then on (EXECUTING) it uses
 * its launch and its stack alone, not even errno, and `retry` goes on as well.
 * The kernel clears `busy` at the exec, or when the child dies before.
 */
enum { IDLE, STARTING, EXECUTING };

/* What a child needs up to its exec. */
struct launch {
	const struct child *child;
	const int *descriptors; /* as in struct start */
	atomic_int *busy;	/* NULL if the child has a copy of the memory */
	char **words;		/* the shell, and then those of the command */
	char **environment;
	size_t used; /* so much of the room is */
	char room[VARIABLES_ROOM];
	char *pointers[];
};

/* Shared with all children; a child that shares all memory has this stack. */
struct common {
	_Alignas(16) char stack[STACK_SIZE];
	atomic_int busy;
	bool lends;	       /* children may share all memory */
	struct launch *launch; /* of the last child that did */
	int exec_errno[2];
};

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

/*
 * Whether a child may share the memory.  Preloaded libraries, such as those of
 * valgrind(1), want to see what is executed, and may need more of a stack; and
 * before Linux 5.16 a core dump kills all that share the memory.
 */
static bool
may_lend(void)
{
	struct utsname name;
	unsigned major = 0, minor = 0;

	return SHARES_MEMORY && execute_is_quiet &&
	    getenv("LD_PRELOAD") == NULL &&
	    access("/etc/ld.so.preload", F_OK) == -1 && uname(&name) == 0 &&
	    sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	    (major > 5 || (major == 5 && minor >= 16));
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
	child->common = mmap(NULL, sizeof(*child->common),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (child->common == MAP_FAILED)
		return -1;
	child->common->lends = may_lend();
	child->exec_errno = child->common->exec_errno;
	return 0;
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

/* In the child: binds it to `retry`. */
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
}

/* Notes what fork(2) or clone(2) has returned, and leaves errno alone. */
static void
note_start(struct child *child, pid_t pid)
{
	const int error = errno;

	/*
	 * A signal that is pending after the start may have come before the
	 * child existed, and so have missed it.  Asked before the start, a ^C
	 * in between would seem to have reached the child.
	 */
	sigpending(&child->missed);
	child->pid = pid > 0 ? pid : 0;
	errno = error;
}

pid_t
child_fork(struct child *child)
{
	*child->exec_errno = 0;
	const pid_t pid = fork();

	if (pid == 0) {
		settle_child(child);
		sigprocmask(SIG_SETMASK, &child->mask, NULL);
	} else
		note_start(child, pid);
	return pid;
}

/*
 * Sets a variable of the child's, or removes one that a `retry` further up has
 * set.  The format begins with the name and "=".
 */
__attribute__((format(printf, 3, 4))) static void
set_variable(struct launch *launch, bool has_value, const char *format, ...)
{
	const size_t length = strcspn(format, "=") + 1;
	char **to = launch->environment;
	va_list arguments;

	for (char **from = to; *from != NULL; from++)
		if (strncmp(*from, format, length) != 0)
			*to++ = *from;
	if (has_value) {
		char *text = launch->room + launch->used;

		va_start(arguments, format);
		vsnprintf(text, sizeof(launch->room) - launch->used, format,
		    arguments);
		va_end(arguments);
		launch->used += strlen(text) + 1;
		*to++ = text;
	}
	*to = NULL;
}

/* Whether systemd named `retry` in this variable. */
static bool
is_named(const char *variable, pid_t pid)
{
	const char *value = getenv(variable);
	char text[32];

	if (value == NULL)
		return false;
	snprintf(text, sizeof(text), "%ld", (long)pid);
	return strcmp(value, text) == 0;
}

static void
set_variables(struct launch *launch, const struct start *start)
{
	char line[MESSAGE_LINE];
	const struct record *record = start->record;
	const struct outcome last = record->outcome;
	const bool ended = last.kind != OUTCOME_NONE;

	set_variable(launch, true, "RETRY_ATTEMPT=%" PRIu64, record->attempt);
	set_variable(launch, true, "RETRY_ATTEMPTS=%" PRIu64, record->limit);
	set_variable(launch, true, "RETRY_ELAPSED=%.3f", record->elapsed);
	set_variable(launch, ended, "RETRY_LAST=%s", outcome_name(last.kind));
	set_variable(launch, ended && !outcome_was_ended(last),
	    "RETRY_LAST_STATUS=%d", last.code);
	set_variable(launch, last.oom, "RETRY_LAST_OOM=1");
	set_variable(launch, record_has_class(record), "RETRY_CLASS=%s",
	    outcome_class_name(last.class));
	set_variable(launch, record->line != NULL, "RETRY_LAST_LINE=%s",
	    message_line(record, line));
	set_variable(launch, record->just_waited >= 0, "RETRY_DELAY=%.3f",
	    record->just_waited);
	set_variable(launch, record->reason != REASON_NONE, "RETRY_REASON=%s",
	    reasons[record->reason].name);
	set_variable(launch, record->final, "RETRY_FINAL=1");
	/* Nothing but an attempt speaks to systemd. */
	set_variable(launch, start->notify != NULL, "NOTIFY_SOCKET=%s",
	    start->notify);
	set_variable(launch, start->probed != 0, "RETRY_PID=%ld",
	    (long)start->probed);
}

/* Lays out all that a child needs.  Returns NULL with errno set. */
static struct launch *
lay_out(const struct child *child, const struct start *start)
{
	size_t words = 2, variables = VARIABLES + 1;

	for (const char *const *word = start->argv; *word != NULL; word++)
		words++;
	for (char **variable = environ; *variable != NULL; variable++)
		variables++;
	struct launch *launch =
	    malloc(sizeof(*launch) + (words + variables) * sizeof(char *));
	if (launch == NULL)
		return NULL;
	launch->child = child;
	launch->descriptors = start->descriptors;
	launch->busy = NULL;
	launch->used = 0;
	launch->words = launch->pointers;
	launch->words[0] = (char *)_PATH_BSHELL;
	memcpy(launch->words + 1, start->argv, (words - 1) * sizeof(char *));
	launch->environment = launch->words + words;
	memcpy(launch->environment, environ,
	    (variables - VARIABLES) * sizeof(char *));
	set_variables(launch, start);
	return launch;
}

/* The child up to its exec, which may share the memory of `retry`. */
static int
run(void *argument)
{
	struct launch *launch = argument;
	const struct child *child = launch->child;
	const int *descriptors = launch->descriptors;
	const char *path = command_path();
	const sigset_t mask = child->mask;
	int *exec_errno = child->exec_errno, error = 0;

	settle_child(child);
	/* Orphans of a probe are reparented to the probe, not to `retry`. */
	if (child->own_session)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* systemd means the command by what it started. */
	if (is_named("WATCHDOG_PID", child->parent))
		set_variable(launch, true, "WATCHDOG_PID=%ld", (long)getpid());
	if (is_named("LISTEN_PID", child->parent)) {
		set_variable(launch, true, "LISTEN_PID=%ld", (long)getpid());
		set_variable(launch, false, "LISTEN_PIDFDID=");
	}
	for (int fd = 0; fd < 3 && error == 0; fd++)
		if (descriptors[fd] != CHILD_KEEPS &&
		    dup2(descriptors[fd], fd) == -1)
			error = errno;
	/* From EXECUTING on errno and all other memory is the parent's own. */
	if (launch->busy != NULL) {
		*launch->busy = EXECUTING;
		syscall(SYS_futex, launch->busy, FUTEX_WAKE, 1);
	}
	if (error == 0) {
		sigprocmask(SIG_SETMASK, &mask, NULL);
		error = execute(launch->words, launch->environment, path);
	}
	*exec_errno = error;
	_exit(error == ENOENT ? 127 : 126);
}

/*
 * Starts the child in the memory of `retry`, and waits until it needs no more
 * of it than its own.  Returns what clone(2) does.
 */
static pid_t
share(struct child *child, struct launch *launch)
{
	const struct timespec patience = { .tv_nsec = 100000000 };
	struct common *common = child->common;

	launch->busy = &common->busy;
	common->busy = STARTING;
	const pid_t pid = clone(run, common->stack + STACK_SIZE,
	    CLONE_VM | CLONE_CHILD_CLEARTID | SIGCHLD, launch, NULL, NULL,
	    &common->busy);
	note_start(child, pid);
	if (pid == -1) {
		common->busy = IDLE;
		common->lends = errno == EAGAIN || errno == ENOMEM;
		launch->busy = NULL;
		return -1;
	}
	free(common->launch);
	common->launch = launch;
	/* If it is stopped before it is a program, nobody else continues it. */
	while (common->busy == STARTING)
		if (syscall(SYS_futex, &common->busy, FUTEX_WAIT, STARTING,
			&patience) == -1 &&
		    errno == ETIMEDOUT)
			kill(pid, SIGCONT);
	return pid;
}

/* Starts the child in a copy of the memory.  Returns what fork(2) does. */
static pid_t
copy(struct child *child, struct launch *launch)
{
	const pid_t pid = fork();

	if (pid == 0)
		run(launch);
	note_start(child, pid);
	/* Signals for the group may come before the child has made it. */
	if (pid > 0 && child->own_group && !child->own_session)
		setpgid(pid, pid);
	const int error = errno;
	free(launch);
	errno = error;
	return pid;
}

int
child_start(struct child *child, const struct start *start)
{
	struct launch *launch = lay_out(child, start);

	if (launch == NULL)
		return -1;
	*child->exec_errno = 0;
	if (child->common->lends && child->common->busy == IDLE &&
	    share(child, launch) != -1)
		return 0;
	return copy(child, launch) == -1 ? -1 : 0;
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
