/* SPDX-License-Identifier: MIT */

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/tree.h"

/*
 * How often /proc is read, as processes start others while it is read, and have
 * not stopped yet.  Each time finds fewer; those that start children faster are
 * found when one of them dies.  The pause after a time is twice the one before
 * it: all of them are a second, which only a busy machine needs.
 */
#define PASSES 10

/*
 * How often, each time after a pause, what is left is looked at again: a filter
 * of the output, whose input has ended, is about to end.
 */
#define LOOKS 10

/* The shortest pause, in nanoseconds. */
#define PAUSE 1000000

struct proc {
	pid_t pid;
	pid_t parent;
	pid_t group;
	pid_t session;
	unsigned long long start; /* clock ticks, which tell a pid used again;
				     0: hidden, and a child of `retry` */
	int threads;
	bool dead;    /* a zombie */
	char state;   /* as in /proc: 'D' is stuck in the kernel */
	bool stopped; /* by signal_process() */
	char name[16];
};

/* Returns false, with errno set, if the process cannot be read. */
static bool
read_process(pid_t pid, struct proc *process)
{
	char file[32], text[1024];
	int parent, group, session;

	snprintf(file, sizeof(file), "/proc/%ld/stat", (long)pid);
	if (file_read(file, text, sizeof(text)) == -1)
		return false;
	errno = ESRCH;
	/* "pid (name) state parent ...": threads are 20th, the start 22nd. */
	const char *name = strchr(text, '('), *end = strrchr(text, ')');
	if (name == NULL || end == NULL ||
	    sscanf(end + 1,
		" %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
		"%*d %d %*d %llu",
		&process->state, &parent, &group, &session, &process->threads,
		&process->start) != 6)
		return false;
	process->pid = pid;
	process->parent = parent;
	process->group = group;
	process->session = session;
	/* A process whose first thread has ended lives on in the others. */
	process->dead =
	    strchr("ZX", process->state) != NULL && process->threads <= 1;
	snprintf(process->name, sizeof(process->name), "%.*s",
	    (int)(end - name - 1), name + 1);
	return true;
}

static bool
append(struct procs *list, const struct proc *process)
{
	if (list->count == list->room) {
		const size_t room = list->room * 2 + 64;
		void *larger =
		    reallocarray(list->items, room, sizeof(*list->items));

		if (larger == NULL)
			return false;
		list->items = larger;
		list->room = room;
	}
	list->items[list->count++] = *process;
	return true;
}

/* Whether both are one process, and not two that had the same number. */
static bool
is_same_process(const struct proc *process, const struct proc *other)
{
	return process->pid == other->pid &&
	    (process->start == other->start || process->start == 0 ||
		other->start == 0);
}

static bool
is_among(const struct proc *process, const struct procs *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (is_same_process(process, &list->items[i]))
			return true;
	return false;
}

/* Whether the process, or its session, was there before the attempt. */
static bool
is_older(const struct proc *process, const struct tree *tree)
{
	for (size_t i = 0; i < tree->before.count; i++) {
		const struct proc *older = &tree->before.items[i];

		if (is_same_process(process, older) ||
		    (process->session == older->session &&
			process->session != tree->session))
			return true;
	}
	return false;
}

/*
 * Whether a child of `retry` is a probe, or an orphan of one, which only their
 * environment tells.
 */
static bool
is_of_probe(const struct tree *tree, pid_t pid)
{
	char name[64], text[1 << 14];

	if (tree->probe == NULL || pid == tree->probe->pid)
		return tree->probe != NULL;
	snprintf(name, sizeof(name), "/proc/%ld/environ", (long)pid);
	const ssize_t length = file_read(name, text, sizeof(text));
	for (ssize_t i = 0; i < length; i += (ssize_t)strlen(text + i) + 1)
		if (strncmp(text + i, "RETRY_PID=", 10) == 0)
			return true;
	return false;
}

/* What ends a look; a process that has ended does not. */
static bool
is_shortage(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/*
 * Adds a child of this parent if it is the attempt's.  With hidepid, /proc
 * hides those that this user may not trace; `retry` sees those that are its own
 * children.  One that has a visible parent becomes such a child when that ends.
 */
static void
append_child(const struct tree *tree, pid_t parent, pid_t pid,
    struct procs *list)
{
	struct proc process = { 0 };
	siginfo_t info = { 0 };

	if (parent == tree->self && is_of_probe(tree, pid))
		return;
	if (!read_process(pid, &process)) {
		if (is_shortage(errno))
			list->problem = strerror(errno);
		if (list->problem != NULL || parent != tree->self)
			return;
		process = (struct proc){
			.pid = pid,
			.parent = parent,
			.group = getpgid(pid),
			.session = getsid(pid),
			.name = "hidden",
		};
		process.dead = waitid(P_PID, (id_t)pid, &info,
				   WEXITED | WNOHANG | WNOWAIT) == -1 ||
		    info.si_pid != 0;
	}
	if (!is_older(&process, tree) && !append(list, &process))
		list->problem = strerror(errno);
}

/* Adds those children of a thread of a process that are the attempt's. */
static void
append_children(const struct tree *tree, pid_t parent, const char *thread,
    struct procs *list)
{
	char name[64], buffer[4096];
	int pid;

	snprintf(name, sizeof(name), "/proc/%ld/task/%.16s/children",
	    (long)parent, thread);
	FILE *children = fopen(name, "re");
	/* Nothing can be seen if not even the first one can. */
	if (children == NULL && (list->count == 0 || is_shortage(errno)))
		list->problem = strerror(errno);
	if (children == NULL)
		return;
	setvbuf(children, buffer, _IOFBF, sizeof(buffer));
	while (list->count < list->most && fscanf(children, "%d", &pid) == 1)
		append_child(tree, parent, pid, list);
	fclose(children);
}

/* The same for a process, each of whose threads has its own children. */
static void
append_all_children(const struct tree *tree, const struct proc *parent,
    struct procs *list)
{
	char name[64];
	struct dirent *thread;

	if (parent->threads == 1) {
		snprintf(name, sizeof(name), "%ld", (long)parent->pid);
		append_children(tree, parent->pid, name, list);
		return;
	}
	snprintf(name, sizeof(name), "/proc/%ld/task", (long)parent->pid);
	DIR *threads = opendir(name);
	if (threads == NULL && is_shortage(errno))
		list->problem = strerror(errno);
	while (threads != NULL && (thread = readdir(threads)) != NULL)
		if (*thread->d_name != '.')
			append_children(tree, parent->pid, thread->d_name,
			    list);
	if (threads != NULL)
		closedir(threads);
}

/*
 * Finds the attempt's processes in /proc: the descendants of `root`, parents
 * before their children, without older processes and their descendants, but no
 * more than `most`.  The caller frees list.items.
 */
static struct procs
find_processes(const struct tree *tree, pid_t root, size_t most)
{
	const struct proc first = { .pid = root,
		.threads = root == tree->self };
	struct procs list = { .problem = tree->before.problem, .most = most };
	char link[32] = "";

	if (list.problem != NULL)
		return list;

	/* In a /proc of another pid name space the numbers mean others. */
	if (readlink("/proc/self", link, sizeof(link) - 1) == -1)
		list.problem = strerror(errno);
	else if (strtol(link, NULL, 10) != tree->self)
		list.problem = "it belongs to another PID namespace";
	else
		append_all_children(tree, &first, &list);
	for (size_t i = 0; i < list.count && list.count < most; i++) {
		const struct proc parent = list.items[i];

		if (!parent.dead && list.problem == NULL)
			append_all_children(tree, &parent, &list);
	}
	if (list.problem != NULL)
		list.count = 0;
	return list;
}

void
tree_watch(struct tree *tree, pid_t self, bool ends)
{
	*tree = (struct tree){
		.self = self,
		.adopts = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0,
		.session = getsid(0),
	};
	if (!tree->adopts && ends)
		say_error("--timeout, --max-time and --leftovers=end may miss "
			  "processes that an attempt leaves: "
			  "prctl(PR_SET_CHILD_SUBREAPER)");
}

/* waitid() fails immediately if there is no child. */
static bool
has_children(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

void
tree_begin(struct tree *tree)
{
	tree_free(tree);
	tree->group = 0;
	tree->named = false;
	if (has_children())
		tree->before = find_processes(tree, tree->self, SIZE_MAX);
}

/*
 * Signals by a descriptor of the process, which is compared once more after it
 * was opened: no other process can have its number then.  If there are no such
 * descriptors, or none may be used, the number must do; and once the process is
 * stopped, as is its parent, which alone could free the number.
 */
static void
signal_process(struct proc *process, int signal)
{
	struct proc again;

	/* A hidden child is waited for by nobody else: its number stays. */
	if (process->stopped || process->start == 0) {
		kill(process->pid, signal);
		return;
	}
	int descriptor = (int)syscall(SYS_pidfd_open, process->pid, 0);
	if (read_process(process->pid, &again) &&
	    is_same_process(process, &again)) {
		long result = -1;

		if (descriptor != -1)
			result = syscall(SYS_pidfd_send_signal, descriptor,
			    signal, NULL, 0);
		if (descriptor == -1 || (result == -1 && errno != ESRCH))
			result = kill(process->pid, signal);
		process->stopped = signal == SIGSTOP && result == 0;
	}
	file_close(&descriptor);
}

/*
 * Stop, look, signal, continue.  Without the stop, three things go wrong: a
 * shell goes on to its next command if its command is killed first; a parent
 * that is killed first leaves a child that was not seen yet; and a command that
 * cleans up after the signal gets the signal too.  So each process is stopped
 * before its children are looked for, and all are stopped before the first gets
 * the signal.  They are signalled in the opposite order, since the kernel
 * continues a stopped process group once its last parent outside has died.
 * Nothing is signalled while one still runs: in the midst of fork(2), its child
 * would be born stopped, and the SIGCONT before that would not reach it.
 *
 * One that is stuck in the kernel starts nothing, and is not stopped: it would
 * not, and the kernel holds other signals than SIGKILL back until it does.  In
 * a group that is stopped as a whole, it may be in fork(2), and gets a second.
 *
 * `child` is a child of `retry`, or 0 if it has ended; the others are
 * descendants of `root`.
 */
static int
end_all(const struct tree *tree, pid_t root, pid_t child, int signal)
{
	const bool in_group = child != 0 && getpgid(child) == child;
	pid_t target = in_group ? -child : child;
	struct proc process = { 0 };
	struct procs known = { 0 };
	bool found = true;
	int result = 0;

	if (child != 0)
		read_process(child, &process);
	/* States, as in /proc, of those that have still to stop. */
	const char *unstopped = "";
	if (target != 0 && process.state != 'D') {
		kill(target, SIGSTOP);
		unstopped = "RD";
	}
	for (int pass = 0; found && pass < PASSES; pass++) {
		const struct timespec pause = { .tv_nsec = PAUSE << pass };
		struct procs list = find_processes(tree, root, SIZE_MAX);
		bool runs = false;

		known.problem = list.problem;
		found = false;
		for (size_t i = 0; i < list.count; i++) {
			struct proc *other = &list.items[i];

			if (other->dead)
				continue;
			const bool in_target = other->pid == child ||
			    (in_group && other->group == child);
			if (in_target || is_among(other, &known)) {
				runs |= strchr(in_target ? unstopped : "R",
					    other->state) != NULL;
				continue;
			}
			if (other->state != 'D')
				signal_process(other, SIGSTOP);
			found = append(&known, other);
			/* Nobody would find it again. */
			if (!found)
				signal_process(other, SIGKILL);
		}
		free(list.items);
		if (runs)
			nanosleep(&pause, NULL);
		found |= runs;
	}
	/* Nobody else reaches the group once the child has ended. */
	if (known.problem != NULL && target == 0 && tree->group != 0) {
		target = -tree->group;
		kill(target, SIGSTOP);
	}
	for (size_t i = known.count; i > 0; i--)
		signal_process(&known.items[i - 1], signal);
	if (target != 0)
		result = kill(target, signal);
	const int error = errno;
	for (size_t i = signal == SIGKILL ? 0 : known.count; i > 0; i--)
		signal_process(&known.items[i - 1], SIGCONT);
	if (target != 0 && signal != SIGKILL)
		kill(target, SIGCONT);
	free(known.items);
	errno = error;
	return result;
}

int
tree_signal(const struct tree *tree, pid_t child, int signal)
{
	return end_all(tree, tree->self, child, signal);
}

void
tree_kill(pid_t child)
{
	const struct tree tree = { .self = getpid() };

	end_all(&tree, child, child, SIGKILL);
}

/* Says once that /proc cannot be used, if there is something to look for. */
static struct procs
find_left(struct tree *tree, size_t most)
{
	const struct procs list = find_processes(tree, tree->self, most);

	if (list.problem != NULL && !tree->warned && has_children()) {
		say("cannot see what an attempt leaves: /proc: %s",
		    list.problem);
		tree->warned = true;
	}
	return list;
}

bool
tree_is_gone(struct tree *tree)
{
	/* `retry` would not hear when they end, so that it must not wait. */
	if (!tree->adopts) {
		if (tree->group != 0)
			kill(-tree->group, SIGKILL);
		return true;
	}
	/* SIGCHLD is on its way for a dead child of `retry`. */
	const struct procs list = find_left(tree, 1);
	free(list.items);
	return list.count == 0 &&
	    (list.problem == NULL || !has_children() || tree->group == 0 ||
		kill(-tree->group, 0) == -1);
}

size_t
tree_name_left(struct tree *tree)
{
	const struct procs list = find_left(tree, SIZE_MAX);

	for (size_t i = 0; i < list.count; i++) {
		const struct proc *process = &list.items[i];

		if (!process->dead)
			say("process %ld (%s) does not end and is left",
			    (long)process->pid, process->name);
	}
	free(list.items);
	tree->named = true;
	return list.count;
}

/* Counts and names the processes that live, but for those of the group. */
static struct survivors
find_survivors(const struct tree *tree, pid_t group)
{
	struct survivors left = { 0 };
	char known[sizeof(left.names) + 2] = ", ", word[sizeof(", , ") + 16];
	struct procs list = find_processes(tree, tree->self, SIZE_MAX);

	for (size_t i = 0; i < list.count; i++) {
		const struct proc *process = &list.items[i];

		if (process->dead || process->group == group)
			continue;
		left.count++;
		snprintf(word, sizeof(word), ", %s, ", process->name);
		if (strstr(known, word) == NULL)
			strlcat(known, word + 2, sizeof(known));
	}
	free(list.items);
	/* Without the commas at both ends, and without a name that is cut. */
	char *end = strrchr(known, ',');
	if (end > known)
		*end = '\0';
	if (!tree->named)
		strlcpy(left.names, known + 2, sizeof(left.names));
	return left;
}

struct survivors
tree_survivors(const struct tree *tree, pid_t group)
{
	const struct timespec pause = { .tv_nsec = PAUSE };
	struct survivors left = { 0 };

	for (int looks = 0; looks < LOOKS && has_children(); looks++) {
		if (looks > 0)
			nanosleep(&pause, NULL);
		left = find_survivors(tree, group);
		if (left.count == 0)
			break;
	}
	return left;
}

void
tree_free(struct tree *tree)
{
	free(tree->before.items);
	tree->before = (struct procs){ 0 };
}
