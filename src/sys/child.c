/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
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
#include <sys/wait.h>
#include <unistd.h>

#include "sys/child.h"
#include "sys/command.h"

/* Room for a variable, and how many there may be. */
#define VARIABLE_MOST 128
#define VARIABLES 12

/* The size of a stack, below which there is a page that none may touch. */
#define STACK_SIZE (1 << 15)

/* `retry` waits so many nanoseconds for an exec before it goes on. */
#define PATIENCE 10000000

/* A child waits so many seconds for `retry` before it executes all the same. */
#define CHILD_PATIENCE 1

/* All that a child needs up to its exec, laid out before it starts. */
struct launch {
	const struct child *child;
	int *exec_errno;
	int descriptors[3]; /* as in struct start */
	bool is_probe;
	char **words; /* the shell, and then those of the command */
	char **environment;
	size_t used; /* so many variables are */
	char variables[VARIABLES][VARIABLE_MOST];
	char *pointers[];
};

/* At the end of the stack of children that share the memory of `retry`. */
struct room {
	/* A child uses the stack; the kernel clears it. */
	_Alignas(16) atomic_int busy;
	atomic_int may_execute; /* the child, as `retry` is done meanwhile */
	bool can_share;
	struct launch *launch;	   /* of the last child that did */
	int exec_errno[CHILDREN];  /* of those that share */
	int *exec_errno_of_forked; /* of others, in memory that all see */
};

/*
 * Whether there is a controlling terminal.  If it cannot be opened, the fifth
 * field after the name in "pid (name) state parent group session terminal ..."
 * tells, 0 for none; without /proc there is none that could be used.
 */
static bool
has_terminal(void)
{
	char text[512];
	int terminal = 0;
	const int tty = open(_PATH_TTY, O_RDONLY | O_NOCTTY | O_CLOEXEC);

	if (tty != -1) {
		close(tty);
		return true;
	}
	if (errno == ENXIO)
		return false;
	const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	if (file == -1)
		return false;
	const ssize_t length = read(file, text, sizeof(text) - 1);
	close(file);
	text[length > 0 ? length : 0] = '\0';
	const char *name_end = strrchr(text, ')');
	return name_end != NULL &&
	    sscanf(name_end + 1, " %*c %*d %*d %*d %d", &terminal) == 1 &&
	    terminal != 0;
}

int
child_init(struct child *child)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
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
	char *stack = mmap(NULL, page + STACK_SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED || mprotect(stack, page, PROT_NONE) == -1)
		return -1;
	child->room = (struct room *)(stack + page + STACK_SIZE) - 1;
	child->exec_errno = child->room->exec_errno;
	/* valgrind ends such a program; others want to see what is executed. */
	child->room->can_share = SHARES_MEMORY && getenv("LD_PRELOAD") == NULL;
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

	/* A parent in another pid name space has the number 0. */
	if (now != parent && now != 0)
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
settle(const struct child *child)
{
	if (child->own_group)
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
	if (pid != 0) {
		/*
		 * Before the fork this would miss a ^C that comes in between,
		 * which would then seem to have reached the child.
		 */
		sigpending(&child->missed);
		child->pid = pid > 0 ? pid : 0;
		return pid;
	}
	settle(child);
	return 0;
}

/*
 * Whether the file is text, as far as its first line tells: it has no NUL.  If
 * it is not, errno stays as it was.
 */
static bool
is_text(const char *file)
{
	char text[256];
	const int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const ssize_t length = fd == -1 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd != -1)
		close(fd);
	if (length <= 0)
		return true;
	text[length] = '\0';
	const size_t end = strcspn(text, "\n");
	return text[end] == '\n' || end == (size_t)length;
}

/* Executes a file; if it has no format, as a script of the shell's. */
static void
execute_file(struct launch *launch, char *file)
{
	char **words = launch->words, *name = words[1];

	execve(file, words + 1, launch->environment);
	if (errno == ENOEXEC && is_text(file)) {
		words[1] = file;
		execve(words[0], words, launch->environment);
		words[1] = name;
	}
}

/*
 * Executes the command, which is searched for in $PATH, and returns if that
 * failed, with errno set.  execvpe(3) does the same, but copies the words of a
 * script to the stack, which may be too small for them.
 */
static void
execute(struct launch *launch)
{
	char *name = launch->words[1], file[PATH_MAX];
	const char *path = command_path();
	bool denied = false;

	if (strchr(name, '/') != NULL || name[0] == '\0') {
		execute_file(launch, name);
		return;
	}
	while (command_next(&path, name, file)) {
		execute_file(launch, file);
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

/* Sets a variable of the child's, or removes one of a `retry` further up. */
__attribute__((format(printf, 3, 4))) static void
set_variable(struct launch *launch, bool has_value, const char *format, ...)
{
	const size_t length = strcspn(format, "=") + 1;
	char **to = launch->environment;
	va_list arguments;

	for (char **from = to; *from != NULL; from++)
		if (**from != *format || strncmp(*from, format, length) != 0)
			*to++ = *from;
	if (has_value) {
		*to = launch->variables[launch->used++];
		va_start(arguments, format);
		vsnprintf(*to++, VARIABLE_MOST, format, arguments);
		va_end(arguments);
	}
	*to = NULL;
}

/* Lays out all that a child needs.  Returns NULL with errno set. */
static struct launch *
lay_out(const struct child *child, const struct start *start)
{
	const struct record *record = start->record;
	const struct outcome last = record->outcome;
	const bool ended = last.kind != OUTCOME_NONE;
	size_t words = 2, variables = VARIABLES + 1;

	for (char *const *word = (char **)start->argv; *word != NULL; word++)
		words++;
	for (char **variable = environ; *variable != NULL; variable++)
		variables++;
	struct launch *launch =
	    malloc(sizeof(*launch) + (words + variables) * sizeof(char *));
	if (launch == NULL)
		return NULL;
	launch->child = child;
	launch->exec_errno = child->exec_errno;
	memcpy(launch->descriptors, start->descriptors,
	    sizeof(launch->descriptors));
	launch->is_probe = start->beside != 0;
	launch->used = 0;
	launch->words = launch->pointers;
	launch->words[0] = (char *)_PATH_BSHELL;
	memcpy(launch->words + 1, start->argv, (words - 1) * sizeof(char *));
	launch->environment = launch->words + words;
	memcpy(launch->environment, environ,
	    (variables - VARIABLES) * sizeof(char *));

	set_variable(launch, true, "RETRY_ATTEMPT=%" PRIu64, record->attempt);
	set_variable(launch, true, "RETRY_ATTEMPTS=%" PRIu64, record->limit);
	set_variable(launch, true, "RETRY_ELAPSED=%.3f", record->elapsed);
	set_variable(launch, ended, "RETRY_LAST=%s", outcome_name(last.kind));
	set_variable(launch, ended && !outcome_was_ended(last),
	    "RETRY_LAST_STATUS=%d", last.code);
	set_variable(launch, last.oom, "RETRY_LAST_OOM=1");
	set_variable(launch, record->just_waited >= 0, "RETRY_DELAY=%.3f",
	    record->just_waited);
	set_variable(launch, record->reason != REASON_NONE, "RETRY_REASON=%s",
	    reason_name(record->reason));
	set_variable(launch, record->final, "RETRY_FINAL=1");
	set_variable(launch, launch->is_probe, "RETRY_PID=%ld",
	    (long)start->beside);
	return launch;
}

/* Whether systemd named `retry` in this variable. */
static bool
is_named(const char *variable, pid_t pid)
{
	const char *value = getenv(variable);
	char text[VARIABLE_MOST];

	if (value == NULL)
		return false;
	snprintf(text, sizeof(text), "%ld", (long)pid);
	return strcmp(value, text) == 0;
}

/*
 * The child up to its exec.  It may share its memory with `retry`, which may go
 * on meanwhile, and changes nothing there but its launch, its stack and errno.
 */
static int
run(void *argument)
{
	struct launch *launch = argument;
	const struct child *child = launch->child;
	const int *descriptors = launch->descriptors;
	const long patience[] = { CHILD_PATIENCE, 0 }; /* a timespec */
	int fd = 0;

	/* If it shares, the kernel clears this at its exec or death. */
	syscall(SYS_set_tid_address, &child->room->busy);
	/* Whatever a probe leaves behind stays its own until it ends. */
	if (launch->is_probe)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* systemd means the command by what it started. */
	if (is_named("WATCHDOG_PID", child->parent))
		set_variable(launch, true, "WATCHDOG_PID=%ld", (long)getpid());
	if (is_named("LISTEN_PID", child->parent)) {
		set_variable(launch, true, "LISTEN_PID=%ld", (long)getpid());
		set_variable(launch, false, "LISTEN_PIDFDID=");
	}
	while (fd < 3 &&
	    (descriptors[fd] == CHILD_KEEPS || dup2(descriptors[fd], fd) == fd))
		fd++;
	if (fd == 3) {
		settle(child);
		if (child->room->may_execute == 0)
			syscall(SYS_futex, &child->room->may_execute,
			    FUTEX_WAIT, 0, patience);
		execute(launch);
	}
	*launch->exec_errno = errno;
	_exit(errno == ENOENT ? 127 : 126);
}

/* Starts the child in the memory of `retry`.  Returns what fork(2) does. */
static pid_t
share(struct child *child, const struct start *start)
{
	struct room *room = child->room;

	child->exec_errno = &room->exec_errno[child->number];
	*child->exec_errno = 0;
	struct launch *launch = lay_out(child, start);
	if (launch == NULL)
		return -1;
	free(room->launch);
	room->launch = launch;
	room->busy = 1;
	room->may_execute = start->meanwhile == NULL;
	const pid_t pid = clone(run, room, CLONE_VM | SIGCHLD, launch);
	if (pid == -1) {
		room->busy = 0;
		room->can_share = errno == EAGAIN || errno == ENOMEM;
		return pid;
	}
	sigpending(&child->missed);
	if (start->meanwhile != NULL) {
		start->meanwhile(start->data);
		room->may_execute = 1;
		syscall(SYS_futex, &room->may_execute, FUTEX_WAKE, 1);
	}
	return pid;
}

/* Starts the child in a copy of the memory.  Returns what fork(2) does. */
static pid_t
copy(struct child *child, const struct start *start)
{
	struct room *room = child->room;

	if (room->exec_errno_of_forked == NULL) {
		int *memory = mmap(NULL, sizeof(room->exec_errno),
		    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			return -1;
		room->exec_errno_of_forked = memory;
	}
	child->exec_errno = &room->exec_errno_of_forked[child->number];
	*child->exec_errno = 0;
	if (start->meanwhile != NULL)
		start->meanwhile(start->data);
	room->may_execute = 1;
	struct launch *launch = lay_out(child, start);
	const pid_t pid = launch == NULL ? -1 : fork();
	if (pid == 0)
		run(launch);
	const int error = errno;
	sigpending(&child->missed);
	free(launch);
	errno = error;
	return pid;
}

/*
 * A child that shares the memory of `retry` up to its exec is cheaper than a
 * copy.  vfork(2) would suspend `retry` until then, and a network file system
 * or a virus scanner can hang an exec: no signal and no limit would work.
 */
int
child_start(struct child *child, const struct start *start)
{
	const long patience[] = { 0, PATIENCE }; /* a timespec */
	struct room *room = child->room;
	pid_t pid = -1;

	/* While one such child hangs, the next one gets a copy. */
	const bool shares = room->can_share && room->busy == 0;
	if (shares)
		pid = share(child, start);
	/* A kernel or an emulator may know none. */
	if (!shares || !room->can_share)
		pid = copy(child, start);
	const int error = errno;
	child->pid = pid > 0 ? pid : 0;
	/* Until its exec the child sets errno, too, in case of an error. */
	if (shares && room->busy != 0)
		syscall(SYS_futex, &room->busy, FUTEX_WAIT, 1, patience);
	errno = error;
	return pid == -1 ? -1 : 0;
}

struct child
child_beside(const struct child *child)
{
	struct child other = *child;

	other.pid = 0;
	other.number = CHILD_BESIDE;
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
