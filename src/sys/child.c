/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <paths.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <termios.h>
#include <unistd.h>

#include "report/message.h"
#include "sys/child.h"
#include "sys/command.h"
#include "sys/execute.h"
#include "sys/file.h"

/* The most variables that a child gets, and room for their text. */
#define VARIABLES 16
#define VARIABLES_ROOM (VARIABLES * 72 + MESSAGE_LINE)

/* Room for the number of a process. */
#define PID_ROOM 16

/* For the child's stack: address space, and little of it is touched. */
#define STACK_SIZE (1 << 15)

/*
 * What a child needs up to its exec.  It shares the memory of `retry`, since a
 * copy costs more, and both go on at the same time, however long the exec may
 * hang.  So the child writes to its launch alone, where its stack is, too, and
 * leaves errno alone: execute.c makes the calls that may fail, and setsid(2)
 * and the like fail in a new process only if a sandbox forbids them.  The
 * kernel clears `busy` at the exec, or when the child dies before it.
 *
 * Before Linux 5.16 a signal that dumps core and comes before the exec kills
 * `retry`, too.
 */
struct launch {
	_Alignas(16) char stack[STACK_SIZE];
	atomic_int busy;
	int exec_errno;
	size_t size; /* of all this */
	const struct child *child;
	int descriptors[3];	      /* as in struct start */
	char **environment;	      /* behind the words */
	size_t count;		      /* so many variables it has */
	char *own_pids[2];	      /* values that the child sets, or NULL */
	const char *names[VARIABLES]; /* set or removed, each up to its "=" */
	size_t name_count;
	size_t used; /* so much of the room is */
	char room[VARIABLES_ROOM];
	char *words[]; /* the shell, and then those of the command */
};

/* Whether there is a controlling terminal. */
static bool
has_terminal(void)
{
	int tty = file_open(_PATH_TTY, O_RDONLY);
	const bool opens = tty != NO_DESCRIPTOR;

	file_close(&tty);
	if (opens || errno == ENXIO)
		return opens;
	/* Its file cannot be opened, but one of these may be a terminal. */
	for (int fd = 0; fd < 3; fd++)
		if (tcgetsid(fd) == getsid(0))
			return true;
	return false;
}

int
child_init(struct child *child)
{
	struct sigaction action;
	sigset_t all;

	*child = (struct child){ .self = getpid() };
	/* RTMIN, too, which musl's sigfillset(3) leaves out. */
	memset(&all, 0xff, sizeof(all));
	if (sigprocmask(SIG_SETMASK, &all, &child->mask) == -1 ||
	    sigaction(SIGCHLD, NULL, &action) == -1)
		return -1;

	/* If SIGCHLD is ignored, the kernel discards exit statuses. */
	child->sigchld_ignored = action.sa_handler == SIG_IGN;
	if (child->sigchld_ignored && signal(SIGCHLD, SIG_DFL) == SIG_ERR)
		return -1;

	child->own_group = !has_terminal();
	/* Preloaded libraries may want to see what is executed. */
	child->shares =
	    SHARES_MEMORY && execute_is_quiet && getenv("LD_PRELOAD") == NULL;
	return 0;
}

/* In the child: binds it to `retry`. */
static void
settle_child(const struct child *child)
{
	if (child->own_session)
		setsid();
	else if (child->own_group)
		setpgid(0, 0);
	if (!child->outlives)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	/*
	 * If `retry` has ended already, no signal comes any more.  A parent in
	 * another pid name space has the number 0, and a sandbox may forbid the
	 * call.
	 */
	const pid_t parent = getppid();
	if (parent != child->self && parent > 0)
		_exit(EXIT_FAILURE);
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
	 * child existed, and so have missed it: the receiver then sends it.
	 * Asked before the start, the kernel would not know of a ^C that comes
	 * during it.
	 */
	sigpending(&child->missed);
	child->pid = pid > 0 ? pid : 0;
	/* Signals for the group may come before the child has made it. */
	if (pid > 0 && child->own_group && !child->own_session)
		setpgid(pid, pid);
	errno = error;
}

/*
 * Sets a variable of the child's, or removes one that a `retry` further up has
 * set.  The format begins with the name and "=".  Returns the value.
 */
__attribute__((format(printf, 3, 4))) static char *
set_variable(struct launch *launch, bool has_value, const char *format, ...)
{
	char *text = launch->room + launch->used;
	va_list arguments;

	launch->names[launch->name_count++] = format;
	if (!has_value)
		return NULL;
	va_start(arguments, format);
	vsnprintf(text, sizeof(launch->room) - launch->used, format, arguments);
	va_end(arguments);
	launch->used += strlen(text) + 1;
	launch->environment[launch->count++] = text;
	return strchr(text, '=') + 1;
}

static bool
is_set(const struct launch *launch, const char *variable)
{
	for (size_t i = 0; i < launch->name_count; i++) {
		const char *name = launch->names[i], *at = variable;

		while (*name != '=' && *name == *at)
			name++, at++;
		if (*name == *at)
			return true;
	}
	return false;
}

/* Whether systemd means the command, as it named `retry` in this variable. */
static bool
is_named(const char *variable, pid_t pid)
{
	const char *value = getenv(variable);

	return value != NULL && strtol(value, NULL, 10) == pid;
}

static void
set_variables(struct launch *launch, const struct start *start)
{
	char line[MESSAGE_LINE];
	const struct record *record = start->record;
	const struct outcome last = record->last.outcome;
	const bool ended = last.kind != OUTCOME_NONE;
	const pid_t self = launch->child->self;

	set_variable(launch, true, "RETRY_ATTEMPT=%" PRIu64,
	    record->attempt.number);
	set_variable(launch, true, "RETRY_ATTEMPTS=%" PRIu64,
	    record->policy->limits.attempts);
	set_variable(launch, true, "RETRY_ELAPSED=%.3f", record->elapsed);
	set_variable(launch, ended, "RETRY_LAST=%s", outcome_names[last.kind]);
	set_variable(launch, ended && !outcome_was_ended(last),
	    "RETRY_LAST_STATUS=%d", last.code);
	set_variable(launch, last.oom, "RETRY_LAST_OOM=1");
	set_variable(launch, record_has_class(record), "RETRY_CLASS=%s",
	    class_names[last.class]);
	set_variable(launch, record->seen.line != NULL, "RETRY_LAST_LINE=%s",
	    message_line(record, line));
	set_variable(launch, record->wait.before >= 0, "RETRY_DELAY=%.3f",
	    record->wait.before);
	set_variable(launch, record->end.reason != REASON_NONE,
	    "RETRY_REASON=%s", reasons[record->end.reason].name);
	set_variable(launch, record->final, "RETRY_FINAL=1");
	/* Nothing but an attempt speaks to systemd. */
	set_variable(launch, start->notify != NULL, "NOTIFY_SOCKET=%s",
	    start->notify);
	set_variable(launch, start->probed != 0, "RETRY_PID=%ld",
	    (long)start->probed);
	if (is_named("WATCHDOG_PID", self))
		launch->own_pids[0] = set_variable(launch, true,
		    "WATCHDOG_PID=%*s", PID_ROOM, "");
	if (is_named("LISTEN_PID", self)) {
		launch->own_pids[1] =
		    set_variable(launch, true, "LISTEN_PID=%*s", PID_ROOM, "");
		set_variable(launch, false, "LISTEN_PIDFDID=");
	}
	for (char **variable = environ; *variable != NULL; variable++)
		if (!is_set(launch, *variable))
			launch->environment[launch->count++] = *variable;
	launch->environment[launch->count] = NULL;
}

/* Returns a launch of this size, perhaps the last one, or NULL. */
static struct launch *
map_launch(struct child *child, size_t size)
{
	struct launch *last = child->launch;
	const int kind = child->shares ? MAP_PRIVATE : MAP_SHARED;

	/* A child whose exec hangs goes on using its launch. */
	const bool is_free = last != NULL && !last->busy;

	/* A forked child has its own mapping, and tells its errno there. */
	if (is_free && last->size == size && child->shares)
		return last;
	if (is_free)
		munmap(last, last->size);
	child->launch = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    kind | MAP_ANONYMOUS, -1, 0);
	if (child->launch == MAP_FAILED)
		child->launch = NULL;
	else
		child->launch->size = size;
	return child->launch;
}

/*
 * Lays out all that a child needs, where a forked child can tell its errno,
 * too.  Returns 0, or -1 with errno set.
 */
static int
lay_out(struct child *child, const struct start *start)
{
	size_t words = 2, variables = VARIABLES + 1;

	for (const char *const *word = start->argv; *word != NULL; word++)
		words++;
	for (char **variable = environ; *variable != NULL; variable++)
		variables++;
	struct launch *launch = map_launch(child,
	    sizeof(*launch) + (words + variables) * sizeof(char *));
	if (launch == NULL)
		return -1;
	launch->exec_errno = 0;
	launch->count = launch->name_count = launch->used = 0;
	launch->own_pids[0] = launch->own_pids[1] = NULL;
	child->exec_errno = &launch->exec_errno;
	launch->child = child;
	memcpy(launch->descriptors, start->descriptors,
	    sizeof(launch->descriptors));
	launch->words[0] = (char *)_PATH_BSHELL;
	memcpy(launch->words + 1, start->argv, (words - 1) * sizeof(char *));
	launch->environment = launch->words + words;
	set_variables(launch, start);
	return 0;
}

/* The child up to its exec. */
static int
child_main(void *argument)
{
	struct launch *launch = argument;
	const struct child *child = launch->child;
	int error = 0;

	settle_child(child);
	/* Orphans of a probe are reparented to the probe, not to `retry`. */
	if (child->own_session)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int i = 0; i < 2; i++)
		if (launch->own_pids[i] != NULL)
			snprintf(launch->own_pids[i], PID_ROOM, "%ld",
			    (long)getpid());
	for (int fd = 0; fd < 3 && error == 0; fd++)
		if (launch->descriptors[fd] != CHILD_KEEPS)
			error = execute_dup(launch->descriptors[fd], fd);
	if (error == 0) {
		sigprocmask(SIG_SETMASK, &child->mask, NULL);
		error =
		    execute(launch->words, launch->environment, command_path());
	}
	launch->exec_errno = error;
	_exit(error == ENOENT ? 127 : 126);
}

int
child_start(struct child *child, const struct start *start)
{
	pid_t pid;

	if (lay_out(child, start) == -1)
		return -1;
	struct launch *launch = child->launch;
	if (child->shares) {
		launch->busy = 1;
		pid = clone(child_main, launch->stack + STACK_SIZE,
		    CLONE_VM | CLONE_CHILD_CLEARTID | SIGCHLD, launch, NULL,
		    NULL, &launch->busy);
		/* A sandbox may forbid it; else fork(2) says why it fails. */
		if (pid == -1) {
			child->shares = false;
			launch->busy = 0;
			return child_start(child, start);
		}
	} else {
		pid = fork();
		if (pid == 0)
			child_main(launch);
	}
	note_start(child, pid);
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

int
child_signal_group(const struct child *child, int signal)
{
	if (child->pid > 0 && getpgid(child->pid) == child->pid &&
	    kill(-child->pid, signal) == 0)
		return 0;
	return child_signal(child, signal);
}
