/* SPDX-License-Identifier: MIT */

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/signals.h"
#include "kernel.h"
#include "sys/child.h"
#include "sys/collector.h"
#include "sys/file.h"
#include "sys/loop.h"
#include "sys/messages.h"
#include "sys/relay.h"

/* Descriptors that no table of this process has. */
#define STAT_FD 100000
#define PIDFD 200000
#define NOTIFY_FD 300000

/* A run that waits so often goes on for ever. */
#define STEPS_MOST 20000

/* What standard input holds. */
#define INPUT_BYTES 100

FILE *__real_fopen64(const char *name, const char *mode);
ssize_t __real_read(int descriptor, void *bytes, size_t size);
pid_t __real_getsid(pid_t pid);

struct kernel kernel;

static struct {
	jmp_buf end;
	int status;

	/* What is being started: the next fork(2) is this. */
	enum role role;
	const char *command;
	int last_status; /* of an attempt */

	struct collector *collector;
	int pipes[STREAMS]; /* the ends that the attempt writes to, or -1 */
	int64_t writes_at;  /* the attempt */
	int64_t room_at;    /* a reader takes more; NEVER: it does now */
	unsigned int matches;
	bool may_hint;
	bool held[STREAMS]; /* what it writes there */
	int64_t moved_at;   /* something last went out */
	int64_t wrote_at;   /* the attempt, last */

	void *launch; /* what retry shares with the last process, */
	size_t size;  /* in bytes */
	pid_t
	    reading; /* readdir(3): the process whose thread comes next, or 0 */
} self;

/* --- dice --- */

unsigned int
kernel_roll(unsigned int most)
{
	uint64_t x = kernel.seed * 0x9e3779b97f4a7c15 +
	    ++kernel.rolled * 0xd1342543de82ef95;

	x = (x ^ (x >> 32)) * 0xff51afd7ed558ccd;
	x = (x ^ (x >> 32)) * 0xc4ceb9fe1a85ec53;
	return (unsigned int)((x ^ (x >> 32)) >> 8) % most;
}

bool
kernel_chance(unsigned int most)
{
	return kernel_roll(most) == 0;
}

void
kernel_tell(const char *format, ...)
{
	va_list arguments;

	if (!kernel.told)
		return;
	printf("# %12.6f  ", (double)kernel.clock / 1e9);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

static _Noreturn void
leave(enum way way, int status)
{
	self.status = status;
	longjmp(self.end, (int)way);
}

/* --- processes --- */

static struct process *
find(pid_t pid)
{
	for (int i = kernel.count - 1; i >= 0; i--)
		if (kernel.processes[i].pid == pid)
			return &kernel.processes[i];
	return NULL;
}

static void
become_pending(int number, int code, pid_t pid)
{
	static const int stops[] = { SIGTSTP, SIGTTIN, SIGTTOU };

	if (kernel.pending[number].is)
		return;
	for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++)
		if (number == SIGCONT)
			kernel.pending[stops[i]].is = false;
		else if (number == stops[i])
			kernel.pending[SIGCONT].is = false;
	kernel.pending[number].is = true;
	kernel.pending[number].code = code;
	kernel.pending[number].pid = pid;
}

/* Most times are of a coarse grid, so that much happens at one instant. */
static int64_t
some_time(void)
{
	static const int quarters[] = { 0, 0, 1, 2, 4, 4, 8, 8, 12, 20, 40 };
	int64_t time =
	    quarters[kernel_roll(sizeof(quarters) / sizeof(*quarters))] *
	    (SECOND / 4);

	if (kernel.simple)
		return time + (int64_t)kernel_roll(1000) * 10000 + 3 * 1000000;
	if (kernel_chance(4))
		time += kernel_roll(1000) * 1000;
	return time;
}

static int
some_status(void)
{
	static const int statuses[] = { 0, 1, 1, 1, 4, 9, 75, 127, 130 };

	if (kernel_chance(6))
		return W_EXITCODE(0, kernel_chance(2) ? SIGSEGV : SIGKILL);
	return W_EXITCODE(
	    statuses[kernel_roll(sizeof(statuses) / sizeof(*statuses))], 0);
}

static struct process *
add(enum role role, pid_t parent)
{
	struct process *process = &kernel.processes[kernel.count];

	if (kernel.count == PROCESSES) {
		kernel_broke(LAW_ENDS, "too many processes");
		leave(WAY_BROKE, 0);
	}
	*process = (struct process){ .pid = 1000000 + kernel.count++,
		.parent = parent,
		.role = role,
		.started = kernel.clock + kernel.count,
		.ends = kernel.clock + some_time(),
		.status = some_status() };
	/* Without a terminal a child has a group of its own. */
	process->group = kernel.no_terminal ? process->pid : getpgrp();
	process->session = __real_getsid(0);
	if (role == ROLE_ORPHAN) {
		process->group = find(parent)->group;
		process->session = find(parent)->session;
	} else if (role == ROLE_ATTEMPT && !kernel.simple && kernel_chance(3)) {
		/* It leaves that of retry, and maybe also the session. */
		process->group = process->pid;
		if (kernel_chance(2))
			process->session = process->pid;
	}
	process->manners = kernel.simple || kernel_chance(2)
	    ? MANNERS_DIES
	    : (enum manners)kernel_roll(4);
	process->stuck = kernel.faults.stuck && kernel_chance(6);
	return process;
}

/* The attempt writes, unless it is stopped or stuck. */
static void
write_output(void)
{
	static const char bytes[300];
	const int index = kernel_chance(3) ? ERR : OUT;
	const size_t size = 1 + kernel_roll(sizeof(bytes));

	if (self.collector == NULL || !self.collector->collects ||
	    self.collector->finishes || self.pipes[index] == -1)
		return;
	for (int i = 0; i < kernel.count; i++)
		if (kernel.processes[i].role == ROLE_ATTEMPT &&
		    (kernel.processes[i].stopped != 0 ||
			kernel.processes[i].stuck))
			return;
	kernel_tell("the attempt writes");
	if (write(self.pipes[index], bytes, size) != (ssize_t)size) {
		kernel_tell("to nobody");
		return;
	}
	self.wrote_at = kernel.clock;
	if (!self.held[index])
		return;
	kernel.written += (off_t)size;
	kernel.written_last += (off_t)size;
}

/* Its children become retry's, or those of a process far away. */
static void
die(struct process *process)
{
	if (process->role == ROLE_ATTEMPT && !kernel.simple && kernel_chance(2))
		write_output();
	process->dead = true;
	process->ends = NEVER;
	kernel_tell("%d ends, status %#x", process->pid,
	    (unsigned int)process->status);
	for (int i = 0; i < kernel.count; i++) {
		struct process *child = &kernel.processes[i];

		if (child->parent != process->pid)
			continue;
		child->parent = kernel.adopts ? getpid() : 1;
		if (child->dead && kernel.adopts)
			become_pending(SIGCHLD, CLD_EXITED, child->pid);
		if (child->dead && !kernel.adopts)
			child->reaped = true;
	}
	if (process->parent == getpid())
		become_pending(SIGCHLD, CLD_EXITED, process->pid);
	else if (process->parent == 1)
		process->reaped = true;
}

/* It starts a command because of its signal, once it goes on. */
static void
clean_up(struct process *process)
{
	if (!process->cleans || process->stopped != 0 || process->stuck ||
	    kernel.simple || process->role == ROLE_PROBE)
		return;
	struct process *child = add(ROLE_ORPHAN, process->pid);

	process->cleans = false;
	child->spared = true;
	child->timed_out = process->timed_out && !kernel.faults.proc;
	kernel_tell("%d cleans up by %d", process->pid, child->pid);
}

static void
obey(struct process *process, int number)
{
	if (process->dead || number == 0)
		return;
	switch (number) {
	case SIGKILL:
		if (process->stuck)
			return;
		process->stopped = 0;
		process->forks = 0;
		process->status = W_EXITCODE(0, SIGKILL);
		process->ends = kernel.clock +
		    (kernel.simple || kernel_chance(2) ? 0 : 1000000);
		return;
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		/* What is stuck does not stop before it dies. */
		if ((process->manners != MANNERS_IGNORES ||
			number == SIGSTOP) &&
		    !process->stuck)
			process->stopped = number;
		return;
	case SIGCONT:
		process->stopped = 0;
		clean_up(process);
		return;
	case SIGWINCH:
	case SIGURG:
	case SIGCHLD:
		return;
	}
	switch (process->manners) {
	case MANNERS_DIES:
		process->status = W_EXITCODE(0, number);
		process->ends = kernel.clock +
		    (kernel.simple || kernel_chance(2) ? 0 : 1000000);
		break;
	case MANNERS_EXITS:
		process->status =
		    W_EXITCODE(kernel_chance(2) ? 0 : 128 + number, 0);
		process->ends = kernel.clock;
		/* It may be somebody else's, who sends it to retry, too. */
		process->cleans = kernel_chance(2) &&
		    number == kernel.options->policy.signal &&
		    kernel.got[number] == 0 && !kernel.pending[number].is;
		clean_up(process);
		break;
	case MANNERS_LINGERS:
		process->status = W_EXITCODE(kernel_chance(2) ? 0 : 3, 0);
		process->ends = kernel.clock + some_time();
		break;
	case MANNERS_IGNORES:
		break;
	}
}

/* --- time --- */

static int64_t
next_time(void)
{
	int64_t next = NEVER;

	for (int i = 0; i < kernel.count; i++) {
		const struct process *process = &kernel.processes[i];

		if (!process->dead && process->stopped == 0 &&
		    process->forks == 0 && process->ends < next)
			next = process->ends;
	}
	for (int i = 0; i < kernel.count; i++)
		if (kernel.processes[i].forks != 0 &&
		    kernel.processes[i].forks < next)
			next = kernel.processes[i].forks;
	for (int i = 0; i < kernel.coming; i++)
		if (kernel.comes[i].at < next)
			next = kernel.comes[i].at;
	if (self.writes_at < next)
		next = self.writes_at;
	if (self.room_at < next)
		next = self.room_at;
	if (kernel.says_at > kernel.clock && kernel.says_at < next)
		next = kernel.says_at;
	return next;
}

static void
signal_comes(int index)
{
	const int number = kernel.comes[index].number;
	const bool by_terminal = kernel.comes[index].by_terminal;

	kernel.comes[index] = kernel.comes[--kernel.coming];
	kernel.signalled = true;
	kernel_tell("signal %d comes%s", number,
	    by_terminal ? " from the terminal" : "");
	become_pending(number, by_terminal ? SI_KERNEL : SI_USER, 1);
	/* The terminal tells its group. */
	for (int i = 0; by_terminal && i < kernel.count; i++)
		if (kernel.processes[i].group == getpgrp())
			obey(&kernel.processes[i], number);
}

/*
 * fork(2) ends, in whose midst the group was stopped: the child is stopped, and
 * a SIGCONT that came since has not reached it.
 */
static bool
end_forks(void)
{
	const int count = kernel.count;
	bool any = false;

	for (int i = 0; i < count; i++) {
		struct process *process = &kernel.processes[i];

		if (process->forks == 0 || process->forks > kernel.clock)
			continue;
		struct process *child = add(ROLE_ORPHAN, process->pid);
		child->timed_out = process->timed_out;
		child->stuck = false;
		child->stopped = SIGSTOP;
		process->forks = 0;
		kernel_tell("%d has forked %d", process->pid, child->pid);
		any = true;
	}
	return any;
}

/* What is due happens, some of it maybe later in this instant. */
static void
happen(void)
{
	/* What an attempt says only waits to be read. */
	bool any = next_time() > kernel.clock;

	while (!any) {
		any = end_forks();
		for (int i = 0; i < kernel.count; i++) {
			struct process *process = &kernel.processes[i];

			if (process->dead || process->stopped != 0 ||
			    process->forks != 0 ||
			    process->ends > kernel.clock || kernel_chance(4))
				continue;
			die(process);
			any = true;
		}
		for (int i = 0; i < kernel.coming; i++)
			if (kernel.comes[i].at <= kernel.clock &&
			    !kernel_chance(3)) {
				signal_comes(i--);
				any = true;
			}
		if (self.writes_at <= kernel.clock) {
			self.writes_at = kernel_chance(3)
			    ? NEVER
			    : kernel.clock + some_time() + SECOND / 4;
			any = true;
			write_output();
		}
		if (self.room_at <= kernel.clock) {
			self.room_at = NEVER;
			any = true;
		}
	}
}

/* Lets everything happen up to a time; retry is not there. */
static void
pass(int64_t until)
{
	while (next_time() <= until) {
		if (next_time() > kernel.clock)
			kernel.clock = next_time();
		happen();
	}
	if (until > kernel.clock)
		kernel.clock = until;
}

static bool
is_stop(int number)
{
	return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

static bool
is_pending(void)
{
	for (int i = 1; i <= 64; i++)
		if (kernel.pending[i].is)
			return true;
	return false;
}

/* Whether a signal that retry has read ends the run. */
static bool
ends_run(int number)
{
	if (number == SIGHUP && kernel.hangup_ignored)
		return false;
	return number == kernel.options->policy.signal ||
	    (signal_ends_run(number) &&
		!(number == SIGHUP && kernel.no_terminal));
}

/* Whether an attempt has said something to systemd. */
static bool
is_said(void)
{
	return kernel.relay_fd != -1 && kernel.says_at <= kernel.clock;
}

/* --- the calls: see the linker's --wrap --- */

int __real_open64(const char *name, int flags, ...);
void *__real_mmap64(void *at, size_t size, int access, int flags, int fd,
    off_t from);
void *__wrap_mmap64(void *at, size_t size, int access, int flags, int fd,
    off_t from);
int __real_close(int descriptor);
int __real_pipe2(int ends[2], int flags);
int __real_flopen(const char *name, int flags, ...);
int __real_memfd_create(const char *name, unsigned int flags);
int __real_rename(const char *from, const char *to);
int __real_child_start(struct child *child, const struct start *start);
void __real_collector_start(struct collector *collector);
void __real_collector_deliver(struct collector *collector);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_select(int count, fd_set *read, fd_set *write, fd_set *except,
    struct timeval *timeout);
pid_t __wrap_fork(void);
pid_t __wrap_wait4(pid_t pid, int *status, int flags, struct rusage *usage);
pid_t __wrap_waitpid(pid_t pid, int *status, int flags);
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int flags);
int __wrap_kill(pid_t pid, int number);
pid_t __wrap_getpgid(pid_t pid);
pid_t __wrap_getsid(pid_t pid);
long __wrap_syscall(long number, ...);
int __wrap_prctl(int option, ...);
int __wrap_socket(int domain, int type, int protocol);
int __wrap_connect(int descriptor, const struct sockaddr *address,
    socklen_t length);
bool __wrap_relay_send(int socket, const struct letter *letter);
int __wrap_relay_open(uint64_t attempt, char name[RELAY_NAME]);
void __wrap_relay_close(int socket, char *name);
bool __wrap_relay_receive(int socket, pid_t first, struct letter *letter);
int __wrap_signalfd(int descriptor, const sigset_t *set, int flags);
int __wrap_timerfd_create(clockid_t clock, int flags);
int __wrap_timerfd_settime(int timer, int flags, const struct itimerspec *next,
    struct itimerspec *last);
ssize_t __wrap_read(int descriptor, void *bytes, size_t size);
ssize_t __wrap___read_chk(int descriptor, void *bytes, size_t size,
    size_t room);
int __wrap_open64(const char *name, int flags, ...);
int __wrap___open64_2(const char *name, int flags);
int __wrap_close(int descriptor);
int __wrap_pipe2(int ends[2], int flags);
DIR *__wrap_opendir(const char *name);
struct dirent *__wrap_readdir64(DIR *directory);
int __wrap_closedir(DIR *directory);
ssize_t __wrap_readlink(const char *name, char *text, size_t size);
ssize_t __wrap___readlink_chk(const char *name, char *text, size_t size,
    size_t room);
int __wrap_sigprocmask(int how, const sigset_t *set, sigset_t *old);
int __wrap_sigaction(int number, const struct sigaction *action,
    struct sigaction *old);
sighandler_t __wrap_signal(int number, sighandler_t handler);
int __wrap_sigpending(sigset_t *set);
int __wrap_raise(int number);
int __wrap_nanosleep(const struct timespec *time, struct timespec *rest);
int __wrap_flopen(const char *name, int flags, ...);
int __wrap_memfd_create(const char *name, unsigned int flags);
int __wrap_rename(const char *from, const char *to);
int __wrap_fsync(int descriptor);
ssize_t __wrap_splice(int from, off_t *from_offset, int to, off_t *to_offset,
    size_t size, unsigned int flags);
_Noreturn void __wrap__exit(int status);
_Noreturn void __wrap_exit(int status);
_Noreturn void __wrap_err(int status, const char *format, ...);
_Noreturn void __wrap_errx(int status, const char *format, ...);
void __wrap_say(const char *format, ...);
int __wrap_child_start(struct child *child, const struct start *start);
void __wrap_collector_start(struct collector *collector);
void __wrap_collector_deliver(struct collector *collector);
ssize_t __wrap_sink_pass(struct sink *sink, const char *bytes, size_t size);
int __wrap_search_end(struct search *search, struct stream_line *line);

int
__wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	/* The wall's clock shows another time. */
	const int64_t now =
	    kernel.clock + (clock == CLOCK_REALTIME ? 1000000 * SECOND : 0);

	time->tv_sec = (time_t)(now / SECOND);
	time->tv_nsec = (long)(now % SECOND);
	return 0;
}

/* --- systemd --- */

int
__wrap_socket(int domain, int type, int protocol)
{
	(void)domain, (void)type, (void)protocol;
	return NOTIFY_FD;
}

int
__wrap_connect(int descriptor, const struct sockaddr *address, socklen_t length)
{
	(void)descriptor, (void)address, (void)length;
	return 0;
}

bool
__wrap_relay_send(int socket, const struct letter *letter)
{
	const bool ready = strcmp(letter->text, "READY=1") == 0;

	(void)socket;
	kernel_tell("systemd is told %s", letter->text);
	if (strncmp(letter->text, "RELOADING=1", strlen("RELOADING=1")) == 0)
		kernel.reload = RELOAD_BEGUN;
	else if (ready && kernel.reload == RELOAD_BEGUN)
		kernel.reload = RELOAD_NONE;
	kernel.ready |= ready;
	return true;
}

int
__wrap_relay_open(uint64_t attempt, char name[RELAY_NAME])
{
	(void)attempt;
	errno = EMFILE;
	if (kernel.faults.files && kernel_chance(8))
		return -1;
	strcpy(name, "@attempt");
	kernel.relay_fd = __real_open64("/dev/null", O_RDONLY | O_CLOEXEC);
	kernel.answers = false;
	kernel.says = SAYS_READY;
	kernel.says_at = kernel.simple || kernel_chance(2)
	    ? NEVER
	    : kernel.clock + some_time() / 4;
	return kernel.relay_fd;
}

void
__wrap_relay_close(int socket, char *name)
{
	(void)name;
	__real_close(socket);
	kernel.relay_fd = -1;
	kernel.says_at = NEVER;
}

bool
__wrap_relay_receive(int socket, pid_t first, struct letter *letter)
{
	const enum says says = kernel.says;

	(void)socket, (void)first;
	if (!is_said())
		return false;
	kernel.answers = true;
	kernel.says = SAYS_RELOADED;
	kernel.says_at =
	    says == SAYS_RELOADING ? kernel.clock + some_time() / 8 : NEVER;
	strcpy(letter->text,
	    says == SAYS_RELOADING ? "RELOADING=1" : "READY=1");
	return true;
}

/*
 * SIGHUP for a reload is answered by an attempt that has said that it is ready,
 * or will say so and then gets it, else by `retry`: once the attempt's socket is
 * closed nobody else is left, nor ends what the attempt has begun.
 */
static void
check_reload(void)
{
	if (kernel.reload != RELOAD_NONE && kernel.relay_fd == -1 &&
	    !kernel.deadly && !kernel.failed)
		kernel_broke(LAW_RELOAD, "nobody at step %d", kernel.steps);
}

/* retry waits here alone. */
/* How many watched pipes have what an attempt has written; puts them in a set. */
static int
readable(int count, const fd_set *watched, fd_set *result)
{
	int ready = 0, size;

	for (int i = 0; self.collector != NULL && i < STREAMS; i++) {
		const int pipe = self.collector->streams[i].pipe;

		if (pipe == NO_DESCRIPTOR || pipe >= count ||
		    !FD_ISSET(pipe, watched) ||
		    ioctl(pipe, FIONREAD, &size) == -1 || size == 0)
			continue;
		ready++;
		if (result != NULL)
			FD_SET(pipe, result);
	}
	return ready;
}

int
__wrap_select(int count, fd_set *read, fd_set *write, fd_set *except,
    struct timeval *timeout)
{
	const int64_t libevs = timeout == NULL
	    ? NEVER
	    : kernel.clock + timeout->tv_sec * SECOND + timeout->tv_usec * 1000;
	const int64_t deadline = libevs < kernel.timer ? libevs : kernel.timer;
	const bool reads_input = FD_ISSET(STDIN_FILENO, read);
	bool writes = false;
	int ready = 0;

	for (int i = 0; write != NULL && i < count; i++)
		writes |= FD_ISSET(i, write);

	(void)except;
	kernel.looked = true;
	/* Each call takes a moment. */
	kernel.clock++;
	check_reload();
	if (++kernel.steps > STEPS_MOST) {
		kernel_broke(LAW_ENDS, "waits %d times", kernel.steps);
		leave(WAY_BROKE, 0);
	}
	if (kernel.faults.interrupts && kernel_chance(20)) {
		errno = EINTR;
		return -1;
	}
	while (!is_pending() && !is_said() &&
	    !(reads_input && kernel.input_at <= kernel.clock) &&
	    !(writes && self.room_at == NEVER) &&
	    readable(count, read, NULL) == 0) {
		int64_t next = next_time();

		if (reads_input && kernel.input_at < next)
			next = kernel.input_at;
		if (next == NEVER && deadline == NEVER) {
			kernel_broke(LAW_ENDS, "waits for nothing");
			leave(WAY_BROKE, 0);
		}
		if (deadline < next || (deadline == next && kernel_chance(2))) {
			/* Even a wait of no length takes a moment. */
			kernel.clock = deadline > kernel.clock
			    ? deadline
			    : kernel.clock + 1000;
			break;
		}
		if (next > kernel.clock)
			kernel.clock = next;
		if (next_time() <= kernel.clock)
			happen();
	}
	if (kernel.faults.late && kernel_chance(4))
		pass(kernel.clock + kernel_roll(3000) * INT64_C(1000000));
	fd_set watched = { 0 };
	memcpy(&watched, read,
	    (size_t)(count + NFDBITS - 1) / NFDBITS * sizeof(fd_mask));
	/* The sets are only as long as libev needs them. */
	memset(read, 0,
	    (size_t)(count + NFDBITS - 1) / NFDBITS * sizeof(fd_mask));
	if (is_pending()) {
		FD_SET(kernel.signal_fd, read);
		ready++;
	}
	if (reads_input && kernel.input_at <= kernel.clock) {
		FD_SET(STDIN_FILENO, read);
		ready++;
	}
	if (is_said()) {
		FD_SET(kernel.relay_fd, read);
		ready++;
	}
	if (kernel.timer <= kernel.clock) {
		FD_SET(kernel.timer_fd, read);
		ready++;
	}
	if (writes && self.room_at == NEVER)
		ready++;
	else if (write != NULL)
		memset(write, 0,
		    (size_t)(count + NFDBITS - 1) / NFDBITS * sizeof(fd_mask));
	return ready + readable(count, &watched, read);
}

/* There is one probe at a time, and it has an attempt to look at. */
static void
check_probe(void)
{
	bool attempt = false;

	for (int i = 0; i < kernel.count - 1; i++) {
		const struct process *process = &kernel.processes[i];

		if (process->role == ROLE_PROBE && !process->dead &&
		    !process->timed_out)
			kernel_broke(LAW_OVERLAP, "probe %d still runs",
			    process->pid);
		attempt |= process->role == ROLE_ATTEMPT && !process->reaped;
	}
	if (!attempt)
		kernel_broke(LAW_OVERLAP, "a probe without an attempt");
}

/* No process of the attempt before the last row may live any more. */
static void
check_overlap(void)
{
	const bool ends = kernel.options->policy.leftovers == LEFTOVERS_END;

	for (int i = 0; i < kernel.count - 1; i++) {
		const struct process *process = &kernel.processes[i];

		if (process->dead || kernel.abandoned ||
		    kernel.options->policy.kill_after == 0)
			continue;
		/* A probe is killed, and not waited for. */
		if (process->role == ROLE_PROBE && process->timed_out)
			continue;
		if (process->role != ROLE_ORPHAN)
			kernel_broke(LAW_OVERLAP, "%d still runs",
			    process->pid);
		/* Without /proc retry neither finds nor names it. */
		else if (kernel.faults.proc &&
		    (process->stuck || !process->timed_out))
			continue;
		else if (kernel.adopts && (process->timed_out || ends))
			kernel_broke(LAW_OVERLAP, "%d, which was left, runs",
			    process->pid);
	}
}

pid_t
__wrap_fork(void)
{
	if (kernel.faults.forks && kernel_chance(8)) {
		kernel.failed |= self.role != ROLE_ATTEMPT;
		errno = kernel_chance(2) ? EAGAIN : ENOMEM;
		kernel_tell("fork fails");
		return -1;
	}
	struct process *process = add(self.role, getpid());
	kernel_tell("starts %d, a %s", process->pid,
	    (const char *const[]){ "attempt", "shell", "probe",
		"orphan" }[self.role]);
	switch (self.role) {
	case ROLE_ATTEMPT:
		check_overlap();
		kernel.attempts++;
		if (kernel.deadly)
			kernel_broke(LAW_OBEYS, "an attempt after a signal");
		for (unsigned int i = kernel.simple ? 0 : kernel_roll(4); i > 2;
		     i--) {
			const struct process *orphan =
			    add(ROLE_ORPHAN, process->pid);
			kernel_tell("%d is started by it", orphan->pid);
		}
		break;
	case ROLE_SHELL:
		check_overlap();
		process->command = self.command;
		process->status = W_EXITCODE((int)kernel_roll(8) / 3, 0);
		if (!kernel.simple)
			break;
		/* As in a plan a check agrees with the status. */
		process->ends = kernel.clock;
		process->status =
		    strcmp(self.command, "check") == 0 && self.last_status != 0
		    ? W_EXITCODE(1, 0)
		    : 0;
		break;
	case ROLE_PROBE:
		process->group = process->session = process->pid;
		check_probe();
		break;
	case ROLE_ORPHAN:
		break;
	}
	return process->pid;
}

static pid_t
reap(struct process *process, int *status)
{
	process->reaped = true;
	if (process->role == ROLE_ATTEMPT)
		self.last_status = process->status;
	if (status != NULL)
		*status = process->status;
	kernel_tell("%d is reaped", process->pid);
	return process->pid;
}

pid_t
__wrap_wait4(pid_t pid, int *status, int flags, struct rusage *usage)
{
	const int self_pid = getpid();
	const int first =
	    kernel.count > 0 ? (int)kernel_roll((unsigned int)kernel.count) : 0;
	bool any = false;

	(void)pid, (void)flags;
	memset(usage, 0, sizeof(*usage));
	if (kernel.faults.interrupts && kernel_chance(20)) {
		errno = EINTR;
		return -1;
	}
	for (int i = 0; i < kernel.count; i++) {
		struct process *process =
		    &kernel.processes[(first + i) % kernel.count];

		if (process->parent != self_pid || process->reaped)
			continue;
		any = true;
		if (process->dead)
			return reap(process, status);
	}
	errno = ECHILD;
	return any ? 0 : -1;
}

pid_t
__wrap_waitpid(pid_t pid, int *status, int flags)
{
	struct process *process = find(pid);

	if (process == NULL || process->reaped) {
		errno = ECHILD;
		return -1;
	}
	if (!process->dead && (flags & WNOHANG) != 0)
		return 0;
	while (!process->dead) {
		if (next_time() == NEVER) {
			kernel_broke(LAW_ENDS, "waits for %d", pid);
			leave(WAY_BROKE, 0);
		}
		pass(next_time());
	}
	return reap(process, status);
}

int
__wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int flags)
{
	*info = (siginfo_t){ 0 };
	for (int i = 0; type == P_PID && i < kernel.count; i++)
		if (kernel.processes[i].pid == (pid_t)id &&
		    (flags & WSTOPPED) != 0) {
			info->si_status = kernel.processes[i].stopped;
			return 0;
		}
	for (int i = 0; i < kernel.count; i++)
		if (kernel.processes[i].parent == getpid() &&
		    !kernel.processes[i].reaped)
			return 0;
	errno = ECHILD;
	return -1;
}

/*
 * Only a limit of time ends a process of retry's, unless retry failed; after a
 * signal that ends the run only --stop-timeout or --max-time does, by SIGKILL.
 */
static void
check_patience(struct process *process, int number)
{
	const struct policy *policy = &kernel.options->policy;
	const double now = (double)kernel.clock / 1e9 + 1e-4;
	const double began =
	    (double)(process->started - process->started % 1000) / 1e9;
	const double wrote = (double)self.wrote_at / 1e9;
	const double run = now - (double)kernel.begun / 1e9;

	if (process->dead || process->timed_out || kernel.failed ||
	    (process->role != ROLE_ATTEMPT && process->role != ROLE_SHELL) ||
	    (policy->max_time > 0 && run >= policy->max_time))
		return;
	/* It may be passed on, once; or nobody knows which of them it is. */
	if (kernel.got[number] > 0 &&
	    (!kernel.deadly || ++process->heard <= kernel.got[number]))
		return;
	/*
	 * A hook at the end has a limit of its own, even after a signal; before
	 * it starts, the collector may take its time to end.
	 */
	if (process->role == ROLE_SHELL &&
	    strcmp(process->command, "hook") == 0) {
		if (now - began + .01 <
			(policy->timeout > 0 ? policy->timeout : 60) &&
		    !(kernel.deadly && policy->stop_timeout > 0))
			kernel_broke(LAW_PATIENCE, "a hook has had %g s",
			    now - began);
		return;
	}
	if (kernel.deadly) {
		const double drained = now - (double)kernel.deadly_at / 1e9;

		if (number != SIGKILL || policy->stop_timeout == 0 ||
		    drained < policy->stop_timeout)
			kernel_broke(LAW_PATIENCE,
			    "signal %d to %d, which has drained for %g s",
			    number, process->pid, drained);
		return;
	}
	if (policy->timeout_share > 0 || policy->min_timeout > 0 ||
	    policy->health.used ||
	    (policy->timeout > 0 && now - began >= policy->timeout) ||
	    (policy->idle_timeout > 0 && process->role == ROLE_ATTEMPT &&
		now - fmax(began, wrote) >= policy->idle_timeout))
		return;
	kernel_broke(LAW_PATIENCE, "%d after %g s, %g s after it wrote",
	    process->pid, now - began, now - wrote);
}

/* SIGHUP kills an attempt that is not ready for it, as it may at an end. */
static void
reload(const struct process *process)
{
	if (!kernel.answers && kernel.reload == RELOAD_ASKED &&
	    !kernel.deadly && !kernel.options->policy.health.used)
		kernel_broke(LAW_RELOAD, "%d is not ready", process->pid);
	if (!kernel.answers || process->dead)
		return;
	kernel.says = SAYS_RELOADING;
	kernel.says_at = kernel.clock + some_time() / 8;
}

static void
send_signal(struct process *process, int number)
{
	kernel_tell("signal %d to %d", number, process->pid);
	if (number == kernel.options->policy.signal || number == SIGKILL)
		check_patience(process, number);
	if (number == SIGKILL ||
	    (number == kernel.options->policy.signal &&
		kernel.got[number] == 0))
		process->timed_out = true;
	if (process->spared && number == kernel.options->policy.signal &&
	    number != SIGKILL && kernel.got[number] == 0)
		kernel_broke(LAW_SPARES, "signal %d to %d", number,
		    process->pid);
	if (number == SIGHUP && process->role == ROLE_ATTEMPT)
		reload(process);
	obey(process, number);
}

int
__wrap_kill(pid_t pid, int number)
{
	const int count = kernel.count;
	bool any = false;

	if (pid == getpid()) {
		become_pending(number, SI_USER, pid);
		return 0;
	}
	for (int i = 0; i < count; i++) {
		struct process *process = &kernel.processes[i];

		if (process->reaped ||
		    (process->pid != pid && process->group != -pid))
			continue;
		any = true;
		send_signal(process, number);
		/* A chain of them may outrun retry. */
		if (number == SIGSTOP && process->role == ROLE_ORPHAN &&
		    process->started < kernel.clock - SECOND / 4 &&
		    process->stopped != 0 && kernel_chance(4))
			process->forks =
			    kernel.clock + 1 + kernel_roll(3000000);
	}
	errno = ESRCH;
	/* The group may be all that can be seen of a tree; 0 only asks. */
	if (!any && number != 0 &&
	    (pid > 0 || (kernel.adopts && !kernel.faults.proc)))
		kernel_broke(LAW_SIGNALS, "signal %d to %d, which is no more",
		    number, pid);
	return any ? 0 : -1;
}

pid_t
__wrap_getpgid(pid_t pid)
{
	const struct process *process = find(pid);

	errno = ESRCH;
	return process == NULL || process->reaped ? -1 : process->group;
}

pid_t
__wrap_getsid(pid_t pid)
{
	const struct process *process = find(pid);

	errno = ESRCH;
	if (pid == 0)
		return __real_getsid(0);
	return process == NULL || process->reaped ? -1 : process->session;
}

long
__wrap_syscall(long number, ...)
{
	va_list arguments;

	va_start(arguments, number);
	const int first = va_arg(arguments, int);
	const int second = va_arg(arguments, int);
	va_end(arguments);
	errno = ENOSYS;
	if (kernel.faults.pidfds)
		return -1;
	if (number == SYS_pidfd_open) {
		const struct process *process = find(first);

		errno = ESRCH;
		return process == NULL || process->reaped
		    ? -1
		    : PIDFD + (process - kernel.processes);
	}
	if (number == SYS_pidfd_send_signal) {
		struct process *process = &kernel.processes[first - PIDFD];

		errno = ESRCH;
		if (process->reaped)
			return -1;
		send_signal(process, second);
		return 0;
	}
	return -1;
}

int
__wrap_prctl(int option, ...)
{
	if (option != PR_SET_CHILD_SUBREAPER)
		return 0;
	errno = EINVAL;
	kernel.adopts = !kernel.faults.subreaper;
	return kernel.adopts ? 0 : -1;
}

/* --- signals to retry --- */

int
__wrap_signalfd(int descriptor, const sigset_t *set, int flags)
{
	(void)descriptor, (void)set, (void)flags;
	kernel.signal_fd = __real_open64("/dev/null", O_RDONLY | O_CLOEXEC);
	return kernel.signal_fd;
}

/* libev has no timer of its own. */
int
__wrap_timerfd_create(clockid_t clock, int flags)
{
	(void)flags;
	if (clock != CLOCK_MONOTONIC)
		return -1;
	kernel.timer = NEVER;
	kernel.timer_fd = __real_open64("/dev/null", O_RDONLY | O_CLOEXEC);
	return kernel.timer_fd;
}

int
__wrap_timerfd_settime(int timer, int flags, const struct itimerspec *next,
    struct itimerspec *last)
{
	(void)timer, (void)flags, (void)last;
	kernel.timer = next->it_value.tv_sec * SECOND + next->it_value.tv_nsec;
	return 0;
}

static ssize_t
read_signals(struct signalfd_siginfo *infos, size_t size)
{
	const size_t most = size / sizeof(*infos);
	size_t count = 0;

	for (int i = 1; i <= 64 && count < most; i++) {
		if (!kernel.pending[i].is)
			continue;
		kernel.pending[i].is = false;
		infos[count] =
		    (struct signalfd_siginfo){ .ssi_signo = (uint32_t)i,
			    .ssi_code = kernel.pending[i].code,
			    .ssi_pid = (uint32_t)kernel.pending[i].pid };
		count++;
		kernel.got[i]++;
		if (ends_run(i)) {
			if (!kernel.deadly)
				kernel.deadly_at = kernel.clock;
			kernel.deadly = true;
		} else if (i == SIGHUP && kernel.no_terminal &&
		    !kernel.hangup_ignored && kernel.ready &&
		    kernel.reload == RELOAD_NONE)
			kernel.reload = RELOAD_ASKED;
	}
	errno = EAGAIN;
	return count == 0 ? -1 : (ssize_t)(count * sizeof(*infos));
}

int
__wrap_sigpending(sigset_t *set)
{
	sigemptyset(set);
	for (int i = 1; i <= 64; i++)
		if (kernel.pending[i].is || kernel.raised[i])
			sigaddset(set, i);
	return 0;
}

int
__wrap_raise(int number)
{
	kernel.raised[number] = true;
	if (is_stop(number) && kernel.pending[SIGCONT].is)
		kernel_broke(LAW_SIGNALS, "a stop discards a SIGCONT");
	return 0;
}

int
__wrap_sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	if (old != NULL)
		sigemptyset(old);
	for (int i = 1; how == SIG_UNBLOCK && i <= 64; i++) {
		if (!sigismember(set, i) || !kernel.raised[i])
			continue;
		kernel.raised[i] = false;
		if (signal_is_deadly(i)) {
			kernel_tell("retry dies of signal %d", i);
			kernel.died_of = i;
			leave(WAY_DIED, 0);
		}
		if (!is_stop(i))
			continue;
		kernel_tell("retry stops");
		const int64_t begun = kernel.clock;
		pass(begun + some_time());
		kernel.stopped += kernel.clock - begun;
		kernel.suspended = true;
		kernel_tell("retry goes on");
		become_pending(SIGCONT, SI_USER, 1);
	}
	return 0;
}

int
__wrap_sigaction(int number, const struct sigaction *action,
    struct sigaction *old)
{
	(void)action;
	if (old != NULL) {
		*old = (struct sigaction){ .sa_flags = 0 };
		old->sa_handler = number == SIGHUP && kernel.hangup_ignored
		    ? SIG_IGN
		    : SIG_DFL;
	}
	return 0;
}

sighandler_t
__wrap_signal(int number, sighandler_t handler)
{
	(void)number, (void)handler;
	return SIG_DFL;
}

int
__wrap_nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)rest;
	pass(kernel.clock + time->tv_sec * SECOND + time->tv_nsec);
	return 0;
}

/* --- files --- */

int
__wrap_open64(const char *name, int flags, ...)
{
	va_list arguments;
	long pid;

	va_start(arguments, flags);
	const mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE
	    ? va_arg(arguments, mode_t)
	    : 0;
	va_end(arguments);
	if (strcmp(name, "/dev/tty") == 0) {
		errno = ENXIO;
		return kernel.no_terminal
		    ? -1
		    : __real_open64("/dev/null", O_RDONLY | O_CLOEXEC);
	}
	if (sscanf(name, "/proc/%ld/stat", &pid) == 1) {
		const struct process *process = find((pid_t)pid);

		errno = ENOENT;
		return process == NULL || process->reaped
		    ? -1
		    : STAT_FD + (int)(process - kernel.processes);
	}
	if (kernel.faults.files && kernel_chance(10)) {
		errno = EMFILE;
		kernel.failed = true;
		kernel_tell("open of %s fails", name);
		return -1;
	}
	return __real_open64(name, flags, mode);
}

/* _FORTIFY_SOURCE may call this instead, as it may the others in _2 or _chk. */
int
__wrap___open64_2(const char *name, int flags)
{
	return __wrap_open64(name, flags);
}

int
__wrap_close(int descriptor)
{
	if (descriptor >= STAT_FD)
		return 0;
	return __real_close(descriptor);
}

ssize_t
__wrap_read(int descriptor, void *bytes, size_t size)
{
	if (descriptor == kernel.signal_fd)
		return read_signals(bytes, size);
	if (descriptor < STAT_FD)
		return __real_read(descriptor, bytes, size);
	const struct process *process = &kernel.processes[descriptor - STAT_FD];
	if (process->reaped) {
		errno = ESRCH;
		return -1;
	}
	return snprintf(bytes, size,
	    "%d (a b) c) %c %d %d %d 0 0 0 0 0 0 0 0 0 0 0 20 0 %d 0 %lld 0",
	    process->pid,
	    process->dead		? 'Z'
		: process->stuck	? 'D'
		: process->forks != 0	? 'R'
		: process->stopped != 0 ? 'T'
					: 'S',
	    process->parent, process->group, process->session,
	    process->dead ? 1 : 2, (long long)process->started);
}

ssize_t
__wrap___read_chk(int descriptor, void *bytes, size_t size, size_t room)
{
	(void)room;
	return __wrap_read(descriptor, bytes, size);
}

int
__wrap_pipe2(int ends[2], int flags)
{
	if (kernel.faults.files && kernel_chance(10)) {
		errno = EMFILE;
		kernel.failed = true;
		kernel_tell("a pipe fails");
		return -1;
	}
	return __real_pipe2(ends, flags);
}

int
__wrap_memfd_create(const char *name, unsigned int flags)
{
	if (kernel.faults.files && kernel_chance(10)) {
		errno = EMFILE;
		kernel.failed = true;
		return -1;
	}
	return __real_memfd_create(name, flags);
}

/* The threads of a process: one each. */
DIR *
__wrap_opendir(const char *name)
{
	const struct process *process;
	long pid;

	self.reading = 0;
	errno = EACCES;
	if (kernel.faults.proc || sscanf(name, "/proc/%ld/task", &pid) != 1)
		return NULL;
	process = find((pid_t)pid);
	errno = ENOENT;
	if (pid != getpid() && (process == NULL || process->reaped))
		return NULL;
	self.reading = (pid_t)pid;
	return (DIR *)(void *)&self;
}

struct dirent *
__wrap_readdir64(DIR *directory)
{
	static struct dirent entry;

	(void)directory;
	if (self.reading == 0)
		return NULL;
	snprintf(entry.d_name, sizeof(entry.d_name), "%d", self.reading);
	self.reading = 0;
	return &entry;
}

FILE *__wrap_fopen64(const char *name, const char *mode);

/* A run that ends keeps the memory in which it starts processes. */
void *
__wrap_mmap64(void *at, size_t size, int access, int flags, int fd, off_t from)
{
	void *memory = __real_mmap64(at, size, access, flags, fd, from);

	if (flags & MAP_ANONYMOUS) {
		self.launch = memory;
		self.size = size;
	}
	return memory;
}

/* Their children.  Processes start others while they are looked for. */
FILE *
__wrap_fopen64(const char *name, const char *mode)
{
	static char text[PROCESSES * 9];
	size_t length = 0;
	long parent;
	const int count = kernel.count;

	if (sscanf(name, "/proc/%ld/task/%*d/children", &parent) != 1)
		return __real_fopen64(name, mode);
	for (int i = 0; i < count; i++) {
		struct process *process = &kernel.processes[i];

		if (process->reaped || process->parent != parent)
			continue;
		length += (size_t)snprintf(text + length, sizeof(text) - length,
		    "%d ", process->pid);
		if (process->role != ROLE_ORPHAN || process->dead ||
		    process->stopped != 0 || process->stuck ||
		    !kernel_chance(30))
			continue;
		struct process *child = add(ROLE_ORPHAN, process->pid);
		child->timed_out = process->timed_out;
		kernel_tell("%d starts %d", process->pid, child->pid);
	}
	return length == 0 ? __real_fopen64("/dev/null", "r")
			   : fmemopen(text, length, "r");
}

int
__wrap_closedir(DIR *directory)
{
	(void)directory;
	return 0;
}

ssize_t
__wrap_readlink(const char *name, char *text, size_t size)
{
	(void)name;
	return snprintf(text, size, "%d", getpid());
}

ssize_t
__wrap___readlink_chk(const char *name, char *text, size_t size, size_t room)
{
	(void)room;
	return __wrap_readlink(name, text, size);
}

int
__wrap_flopen(const char *name, int flags, ...)
{
	const char *suffix = strrchr(name, '.');
	const bool is_lock = suffix != NULL && strcmp(suffix, ".lock") == 0;

	if (is_lock && kernel.held_until > kernel.clock) {
		errno = EWOULDBLOCK;
		return -1;
	}
	const int file = __real_flopen(name, flags, 0600);
	if (is_lock)
		kernel.lock_fd = file;
	return file;
}

int
__wrap_rename(const char *from, const char *to)
{
	if (kernel.faults.saves && kernel_chance(3)) {
		errno = EIO;
		kernel.failed = true;
		return -1;
	}
	return __real_rename(from, to);
}

int
__wrap_fsync(int descriptor)
{
	(void)descriptor;
	return 0;
}

/* Standard input is spooled; nothing else is. */
ssize_t
__wrap_splice(int from, off_t *from_offset, int to, off_t *to_offset,
    size_t size, unsigned int flags)
{
	static const char bytes[100];

	(void)size, (void)flags;
	if (from != STDIN_FILENO || from_offset != NULL) {
		errno = EINVAL;
		return -1;
	}
	if (kernel.faults.interrupts && kernel_chance(4)) {
		errno = EAGAIN;
		return -1;
	}
	if (kernel.faults.readers && kernel_chance(8)) {
		errno = kernel_chance(2) ? EIO : ENOSPC;
		kernel.failed = true;
		return -1;
	}
	if (kernel.input_left == 0)
		return 0;
	kernel.input_left--;
	kernel.input_at = kernel.clock + (kernel.simple ? 0 : some_time());
	return pwrite(to, bytes, sizeof(bytes), *to_offset);
}

/* --- the end of retry --- */

void
__wrap__exit(int status)
{
	leave(WAY_EXITED, status);
}

void
__wrap_exit(int status)
{
	leave(WAY_EXITED, status);
}

void
__wrap_err(int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vwarn(format, arguments);
	va_end(arguments);
	leave(WAY_EXITED, status);
}

void
__wrap_errx(int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vwarnx(format, arguments);
	va_end(arguments);
	leave(WAY_EXITED, status);
}

/*
 * retry says that something does not end: is there any such process?  If retry
 * is late, it may not know of a death yet.
 */
static void
despair(void)
{
	bool lives = false;

	kernel.abandoned = true;
	for (int i = 0; i < kernel.count; i++)
		lives |= !kernel.processes[i].dead && true;
	if (!lives && !(kernel.faults.late && kernel.signalled))
		kernel_broke(LAW_DESPAIR, "no process is left");
}

void
__wrap_say(const char *format, ...)
{
	va_list arguments;

	if (strstr(format, "does not end") != NULL)
		despair();
	va_start(arguments, format);
	vwarnx(format, arguments);
	va_end(arguments);
}

/* --- what is started --- */

/* An attempt finds all of a pipe to which nobody writes, and takes a part. */
static void
read_input(int descriptor)
{
	char bytes[INPUT_BYTES];
	int size = -1;

	if (descriptor == CHILD_KEEPS)
		descriptor = STDIN_FILENO;
	if (kernel.options->input != INPUT_AUTO || kernel.faults.files)
		return;
	ioctl(descriptor, FIONREAD, &size);
	if (size != INPUT_BYTES)
		kernel_broke(LAW_INPUT, "%d of %d bytes", size, INPUT_BYTES);
	if (kernel_chance(2))
		kernel_tell("the attempt reads %zd bytes",
		    __real_read(descriptor, bytes, kernel_roll(INPUT_BYTES)));
}

int
__wrap_child_start(struct child *child, const struct start *start)
{
	const bool is_attempt = start->argv == kernel.options->command;

	self.role = is_attempt	 ? ROLE_ATTEMPT
	    : start->probed != 0 ? ROLE_PROBE
				 : ROLE_SHELL;
	self.command = is_attempt ? NULL : start->argv[2];
	if (is_attempt) {
		self.wrote_at = 0;
		read_input(start->descriptors[0]);
		if (!kernel.looked)
			kernel_broke(LAW_LOOKS, "at step %d", kernel.steps);
	}
	const enum role role = self.role;
	const int result = __real_child_start(child, start);
	if (is_attempt && result == -1)
		kernel.looked = false;
	const struct process *process = find(child->pid);
	if (result == -1 || process == NULL || kernel.simple)
		return result;
	if (kernel_chance(20)) {
		*child->exec_errno = kernel_chance(2) ? ENOENT : EACCES;
		kernel.failed |= role == ROLE_SHELL;
	}
	return result;
}

/* The ends of a collector's pipes to which its attempt writes, or none. */
static void
open_pipes(const struct collector *collector)
{
	char name[32];

	for (int i = 0; i < STREAMS; i++) {
		if (self.pipes[i] != -1)
			__real_close(self.pipes[i]);
		self.pipes[i] = -1;
		if (collector == NULL)
			continue;
		snprintf(name, sizeof(name), "/proc/self/fd/%d",
		    collector->streams[i].pipe);
		self.pipes[i] = __real_open64(name, O_WRONLY | O_CLOEXEC);
	}
}

void
__wrap_collector_start(struct collector *collector)
{
	const bool searches = collector->streams[OUT].searches ||
	    collector->streams[ERR].searches;

	self.collector = collector;
	self.matches = searches ? kernel.options->policy.rules.matches : 0;
	self.may_hint = searches && collector->patterns->hint != NULL;
	self.writes_at = kernel.simple || kernel_chance(2)
	    ? NEVER
	    : kernel.clock + some_time();
	open_pipes(collector);
	for (int i = 0; i < STREAMS; i++)
		self.held[i] = collector->streams[i].spool != NULL;
	kernel.written_last = 0;
	__real_collector_start(collector);
}

void
__wrap_collector_deliver(struct collector *collector)
{
	self.collector = collector;
	self.writes_at = self.room_at = NEVER;
	self.moved_at = kernel.clock;
	__real_collector_deliver(collector);
}

/* A reader takes all, some or nothing of it, or is not there. */
ssize_t
__wrap_sink_pass(struct sink *sink, const char *bytes, size_t size)
{
	static const int errors[] = { EPIPE, EIO, ENOSPC };

	(void)sink, (void)bytes;
	if (kernel.faults.readers && kernel_chance(30)) {
		kernel.failed = true;
		errno = errors[kernel_roll(3)];
		kernel_tell("output fails");
		return -1;
	}
	if (self.room_at > kernel.clock && self.room_at != NEVER) {
		errno = EAGAIN;
		return -1;
	}
	if (!kernel.simple && kernel_chance(2)) {
		size = 1 + kernel_roll((unsigned int)size);
		self.room_at = kernel.clock + 1 + some_time() / 4;
	}
	if (self.collector->delivers || self.collector->full != 0)
		kernel.released += (off_t)size;
	self.moved_at = kernel.clock;
	return (ssize_t)size;
}

int
__wrap_search_end(struct search *search, struct stream_line *line)
{
	(void)line;
	search->found->matched =
	    self.matches == 0 ? 0 : kernel_roll(256) & self.matches;
	if (self.may_hint && kernel_chance(2)) {
		static const char *const hints[] = { "2", "0", "7", "9999",
			"nonsense" };

		search->found->hinted = true;
		snprintf(search->found->hint, sizeof(search->found->hint), "%s",
		    hints[kernel_roll(5)]);
	}
	return 0;
}

/* A finished pipe as standard input. */
static void
open_input(void)
{
	static const char bytes[INPUT_BYTES];
	int ends[2];

	if (__real_pipe2(ends, O_CLOEXEC) == -1 ||
	    write(ends[1], bytes, INPUT_BYTES) != INPUT_BYTES ||
	    dup2(ends[0], STDIN_FILENO) == -1)
		abort();
	__real_close(ends[0]);
	__real_close(ends[1]);
}

void
kernel_begin(const struct options *options)
{
	self.collector = NULL;
	memset(self.pipes, -1, sizeof(self.pipes));
	self.writes_at = self.room_at = NEVER;
	kernel.options = options;
	kernel.count = kernel.steps = kernel.attempts = kernel.coming = 0;
	kernel.signalled = false;
	kernel.begun = kernel.clock;
	kernel.stopped = 0;
	kernel.suspended = false;
	kernel.written = kernel.written_last = kernel.released = 0;
	kernel.adopts = kernel.abandoned = kernel.deadly = kernel.failed =
	    false;
	kernel.died_of = 0;
	memset(kernel.pending, 0, sizeof(kernel.pending));
	memset(kernel.raised, 0, sizeof(kernel.raised));
	memset(kernel.got, 0, sizeof(kernel.got));
	kernel.ready = false;
	open_input();
	kernel.reload = RELOAD_NONE;
	kernel.relay_fd = -1;
	kernel.says_at = NEVER;
	kernel.looked = true;
	kernel.signal_fd = kernel.lock_fd = -1;
	kernel.timer_fd = -1;
	kernel.timer = NEVER;
}

enum way
kernel_run(const struct options *options, struct report *report, int *status)
{
	enum way way = (enum way)setjmp(self.end);

	if (way == 0)
		self.status = loop_run(options, report);
	*status = self.status;
	open_pipes(NULL);
	if (self.launch != NULL)
		munmap(self.launch, self.size);
	self.launch = NULL;
	return way == 0 ? WAY_RETURNED : way;
}
