/* SPDX-License-Identifier: MIT */

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/file.h"
#include "sys/tree.h"

/*
 * How often /proc is read, as processes start others while it is read.  Each
 * time finds fewer; those that start children faster are found when one of them
 * dies.
 */
#define PASSES 8

struct proc {
	pid_t pid;
	pid_t parent;
	pid_t group;
	pid_t session;
	unsigned long long start; /* clock ticks, which tell a pid used again;
				     0: hidden, and a child of `retry` */
	bool dead;		  /* a zombie */
	char name[16];
};

/* Returns false, with errno set, if the process cannot be read. */
static bool
read_process(pid_t pid, struct proc *process)
{
	char number[16], text[FILE_STAT], state;
	int parent, group, session, threads;

	snprintf(number, sizeof(number), "%ld", (long)pid);
	/* The number of threads is the 20th field, and the start the 22nd. */
	const char *fields = file_read_stat(number, text);
	const char *name = strchr(text, '(');
	if (fields == NULL || name == NULL ||
	    sscanf(fields,
		" %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
		"%*d %d %*d %llu",
		&state, &parent, &group, &session, &threads,
		&process->start) != 6)
		return false;
	process->pid = pid;
	process->parent = parent;
	process->group = group;
	process->session = session;
	/* A process whose first thread has ended lives on in the others. */
	process->dead = (state == 'Z' || state == 'X') && threads <= 1;
	snprintf(process->name, sizeof(process->name), "%.*s",
	    (int)(fields - name - 2), name + 1);
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

/* Whether it is a process of `retry`'s own. */
static bool
is_own(const struct tree *tree, pid_t pid)
{
	return pid == tree->helper || pid == tree->probe;
}

/*
 * Moves the descendants of a process to the front of the list, parents before
 * their children, and drops all others.
 */
static void
keep_descendants(struct procs *list, pid_t parent)
{
	size_t kept = 0;

	for (size_t i = 0; i <= kept; i++) {
		for (size_t j = kept; j < list->count; j++) {
			const struct proc process = list->items[j];

			if (process.parent != parent)
				continue;
			list->items[j] = list->items[kept];
			list->items[kept++] = process;
		}
		if (i < kept)
			parent = list->items[i].pid;
	}
	list->count = kept;
}

/*
 * Adds the children of `retry` that /proc hides, mounted with hidepid, because
 * this user may not trace them.  One that has a visible parent becomes a child
 * of `retry` when that ends.  Returns false if there is no memory.
 */
static bool
append_hidden(const struct tree *tree, struct procs *list)
{
	FILE *file = fopen("/proc/thread-self/children", "re");
	bool success = true;
	int pid;

	while (file != NULL && success && fscanf(file, "%d", &pid) == 1) {
		struct proc process = {
			.pid = pid,
			.parent = tree->self,
			.group = getpgid(pid),
			.session = getsid(pid),
			.name = "hidden",
		};
		siginfo_t info = { 0 };

		if (is_own(tree, pid) || is_among(&process, list) ||
		    is_older(&process, tree))
			continue;
		process.dead = waitid(P_PID, (id_t)pid, &info,
				   WEXITED | WNOHANG | WNOWAIT) == -1 ||
		    info.si_pid != 0;
		success = append(list, &process);
	}
	if (file != NULL)
		fclose(file);
	return success;
}

/*
 * Finds the attempt's processes in /proc: the descendants of `retry`, without
 * older processes and their descendants.  The caller frees list.items.
 */
static struct procs
find_processes(const struct tree *tree)
{
	struct procs list = { .problem = tree->before.problem };
	char link[32] = "";
	struct proc process;
	struct dirent *entry;
	DIR *directory;

	if (list.problem != NULL)
		return list;

	/* In a /proc of another pid name space the numbers mean others. */
	if (readlink("/proc/self", link, sizeof(link) - 1) == -1 ||
	    (directory = opendir("/proc")) == NULL) {
		list.problem = strerror(errno);
		return list;
	}
	if (strtol(link, NULL, 10) != tree->self)
		list.problem = "it is of another pid name space";
	while (list.problem == NULL && (entry = readdir(directory)) != NULL) {
		/* Names that are not numbers are read as 0. */
		const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (pid == 0 || is_own(tree, pid))
			continue;
		if (read_process(pid, &process)) {
			if (!is_older(&process, tree) &&
			    !append(&list, &process))
				list.problem = strerror(errno);
			continue;
		}
		/* A process may have ended, or be another user's. */
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
			list.problem = strerror(errno);
	}
	closedir(directory);
	if (list.problem == NULL && !append_hidden(tree, &list))
		list.problem = strerror(errno);
	if (list.problem != NULL)
		list.count = 0;
	keep_descendants(&list, tree->root);
	return list;
}

void
tree_watch(struct tree *tree, pid_t self, bool ends, struct messages *messages)
{
	*tree = (struct tree){
		.messages = messages,
		.self = self,
		.root = self,
		.adopts = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0,
		.session = getsid(0),
	};
	if (!tree->adopts && ends)
		say_error(messages,
		    "--timeout, --max-time and --leftovers=end may miss "
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
	tree->group = tree->helper = tree->probe = 0;
	tree->named = false;
	if (has_children())
		tree->before = find_processes(tree);
}

/*
 * Signals by a descriptor of the process, which is compared once more after it
 * was opened: no other process can have its number then.  If there are no such
 * descriptors, or none may be used, the number must do.
 */
static void
signal_process(const struct proc *process, int signal)
{
	struct proc again;

	/* Nobody waits for this child meanwhile: its number stays its own. */
	if (process->start == 0) {
		kill(process->pid, signal);
		return;
	}
	const int descriptor = (int)syscall(SYS_pidfd_open, process->pid, 0);

	if (read_process(process->pid, &again) &&
	    is_same_process(process, &again) &&
	    (descriptor == -1 ||
		(syscall(SYS_pidfd_send_signal, descriptor, signal, NULL, 0) ==
			-1 &&
		    errno != ESRCH)))
		kill(process->pid, signal);
	if (descriptor != -1)
		close(descriptor);
}

/* Signals each once: the group that a child was given, or the child alone. */
static int
signal_child(pid_t child, bool own_group, int signal)
{
	return own_group && kill(-child, signal) == 0 ? 0 : kill(child, signal);
}

/* Whether one of the first `count` is the parent of the process. */
static bool
has_parent(const struct proc *process, const struct procs *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list->items[i].pid == process->parent)
			return true;
	return false;
}

/*
 * Signals the attempt's processes, apart from the child and its group, and adds
 * those that live to `known`, parents before their children.  Unless all are to
 * be stopped, a process that was signalled ends by itself whatever it starts
 * since then, such as a command that cleans up.
 */
static void
signal_others(const struct tree *tree, pid_t child, bool own_group, int signal,
    struct procs *known)
{
	bool found = true;

	for (int pass = 0; found && pass < PASSES; pass++) {
		struct procs list = find_processes(tree);
		const size_t before = signal == SIGSTOP ? 0 : known->count;

		known->problem = list.problem;
		found = false;
		for (size_t i = 0; i < list.count; i++) {
			const struct proc *process = &list.items[i];

			if (process->dead || process->pid == child ||
			    (own_group && process->group == child) ||
			    is_among(process, known) ||
			    has_parent(process, known, before))
				continue;
			signal_process(process, signal);
			if (signal != SIGSTOP)
				signal_process(process, SIGCONT);
			found = append(known, process);
			/* Nobody would find it again. */
			if (!found && signal == SIGSTOP)
				signal_process(process, SIGKILL);
		}
		free(list.items);
	}
	/* Nobody else reaches the group once the child has ended. */
	if (known->problem != NULL && child == 0 && tree->group != 0)
		kill(-tree->group, signal == SIGSTOP ? SIGKILL : signal);
}

/*
 * Stop, look, kill.  A shell whose command dies first would go on to its next
 * command.  A parent that dies first could leave a child that nobody has seen
 * yet.  A process that is stopped does neither, so each is stopped before its
 * children are looked for.  They die in the other order, since the kernel
 * continues a stopped process group whose last parent elsewhere has died.
 */
static int
kill_all(const struct tree *tree, pid_t child, bool own_group)
{
	struct procs known = { 0 };
	int result = 0;

	if (child != 0)
		result = signal_child(child, own_group, SIGSTOP);
	const int error = errno;
	signal_others(tree, child, own_group, SIGSTOP, &known);
	for (size_t i = known.count; i > 0; i--)
		signal_process(&known.items[i - 1], SIGKILL);
	free(known.items);
	if (child != 0) {
		signal_child(child, own_group, SIGKILL);
		kill(child, SIGKILL);
	}
	errno = error;
	return result;
}

int
tree_signal(struct tree *tree, pid_t child, bool own_group, int signal)
{
	struct procs known = { 0 };
	int result = 0;

	if (child != 0 && own_group)
		tree->group = child;
	if (signal == SIGKILL)
		return kill_all(tree, child, own_group);
	if (child != 0) {
		result = signal_child(child, own_group, signal);
		signal_child(child, own_group, SIGCONT);
	}
	const int error = errno;
	signal_others(tree, child, own_group, signal, &known);
	free(known.items);
	errno = error;
	return result;
}

void
tree_kill(pid_t child)
{
	const struct tree tree = { .self = getpid(), .root = child };

	kill_all(&tree, child, true);
}

size_t
tree_left(struct tree *tree, bool name)
{
	char safe[4 * sizeof(((struct proc *)NULL)->name) + 4];
	size_t left = 0;

	/* `retry` would not hear when they end, so that it must not wait. */
	if (!tree->adopts && !name) {
		if (tree->group != 0)
			kill(-tree->group, SIGKILL);
		return 0;
	}
	struct procs list = find_processes(tree);
	if (list.problem != NULL && has_children()) {
		left = !name && tree->group != 0 && kill(-tree->group, 0) == 0;
		if (!tree->warned)
			say(tree->messages,
			    "cannot see what an attempt leaves: /proc: %s",
			    list.problem);
		tree->warned = true;
	}
	for (size_t i = 0; i < list.count; i++) {
		const struct proc *process = &list.items[i];

		/* SIGCHLD is on its way for a dead child of `retry`. */
		if (!process->dead || process->parent == tree->self)
			left++;
		if (name && !process->dead)
			say(tree->messages,
			    "process %ld (%s) cannot be ended and is left",
			    (long)process->pid,
			    text_safe(process->name, safe, sizeof(safe)));
	}
	free(list.items);
	tree->named |= name;
	return left;
}

struct survivors
tree_survivors(const struct tree *tree)
{
	struct survivors left = { 0 };
	char known[sizeof(left.names) + 2] = ", ", word[sizeof(", , ") + 16];

	if (!has_children())
		return left;
	struct procs list = find_processes(tree);
	for (size_t i = 0; i < list.count; i++) {
		const struct proc *process = &list.items[i];

		if (process->dead)
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

void
tree_free(struct tree *tree)
{
	free(tree->before.items);
	tree->before = (struct procs){ 0 };
}
