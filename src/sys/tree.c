#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/tree.h"

/*
 * How often /proc is read again for what a process started while it was read.
 * Each time finds fewer; what starts children faster than that is found when
 * one of them dies.
 */
#define PASSES 8

struct list {
	struct process *processes;
	size_t count;
	size_t room;
};

/*
 * "pid (name) state parent group session ...", the number of threads as the
 * 20th, and the start as the 22nd.  A process whose first thread has ended looks
 * like a zombie, but lives on in the others.
 */
static bool
parse_stat(const char *text, struct process *process)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	int parent, group, session, threads;
	char state;

	if (open == NULL || close == NULL || close < open)
		return false;
	if (sscanf(close + 1,
		" %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
		"%*d %d %*d %llu",
		&state, &parent, &group, &session, &threads,
		&process->start) != 6)
		return false;
	process->parent = parent;
	process->group = group;
	process->session = session;
	process->dead = (state == 'Z' || state == 'X') && threads <= 1;
	snprintf(process->name, sizeof(process->name), "%.*s",
	    (int)(close - open - 1), open + 1);
	return true;
}

static bool
read_process(pid_t pid, struct process *process)
{
	char path[32], text[1024];

	*process = (struct process){ .pid = pid };
	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file == -1)
		return false;
	const ssize_t length = read(file, text, sizeof(text) - 1);
	close(file);
	if (length <= 0)
		return false;
	text[length] = '\0';
	return parse_stat(text, process);
}

static bool
append(struct list *list, const struct process *process)
{
	if (list->count == list->room) {
		const size_t room = list->room * 2 + 64;
		void *larger = reallocarray(list->processes, room,
		    sizeof(*list->processes));

		if (larger == NULL)
			return false;
		list->processes = larger;
		list->room = room;
	}
	list->processes[list->count++] = *process;
	return true;
}

static int
by_pid(const void *a, const void *b)
{
	const struct process *one = a, *other = b;

	return (one->pid > other->pid) - (one->pid < other->pid);
}

/* In a list that is sorted. */
static const struct process *
find(const struct list *list, pid_t pid)
{
	const struct process key = { .pid = pid };

	if (list->count == 0)
		return NULL;
	return bsearch(&key, list->processes, list->count, sizeof(key), by_pid);
}

/* The process itself, not another that got its number. */
static bool
is_among(const struct process *process, const struct process *others,
    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (others[i].pid == process->pid &&
		    others[i].start == process->start)
			return true;
	return false;
}

static bool
session_was_before(const struct tree *tree, pid_t session)
{
	if (session == tree->session)
		return false;
	for (size_t i = 0; i < tree->count; i++)
		if (tree->before[i].session == session)
			return true;
	return false;
}

/* Hands down from parents to children until nothing changes. */
static void
mark(const struct tree *tree, struct list *list)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < list->count; i++) {
			struct process *process = &list->processes[i];
			const struct process *parent =
			    find(list, process->parent);
			const bool descends = process->parent == tree->self ||
			    (parent != NULL && parent->descends);
			const bool spared = descends &&
			    (is_among(process, tree->before, tree->count) ||
				session_was_before(tree, process->session) ||
				(parent != NULL && parent->spared));

			if (descends == process->descends &&
			    spared == process->spared)
				continue;
			process->descends = descends;
			process->spared = spared;
			changed = true;
		}
	}
}

/* Reads all of /proc.  The caller frees list.processes. */
static struct list
scan(const struct tree *tree)
{
	struct list list = { .count = 0 };
	DIR *directory = opendir("/proc");
	struct dirent *entry;
	struct process process;

	if (directory == NULL)
		return list;
	while ((entry = readdir(directory)) != NULL)
		if (isdigit((unsigned char)*entry->d_name) &&
		    read_process((pid_t)strtol(entry->d_name, NULL, 10),
			&process) &&
		    !append(&list, &process))
			break;
	closedir(directory);
	if (list.count > 0)
		qsort(list.processes, list.count, sizeof(process), by_pid);
	mark(tree, &list);
	return list;
}

int
tree_watch(struct tree *tree, pid_t self)
{
	*tree = (struct tree){ .watched = true,
		.self = self,
		.session = getsid(0) };
	return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* Waiting, even in vain, tells at once that there is no child. */
static bool
has_children(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

void
tree_begin(struct tree *tree)
{
	struct list list;

	if (!tree->watched)
		return;
	tree_free(tree);
	if (!has_children())
		return;
	list = scan(tree);
	for (size_t i = 0; i < list.count; i++)
		if (list.processes[i].descends)
			list.processes[tree->count++] = list.processes[i];
	tree->before = list.processes;
}

/*
 * By a descriptor of the process, which is compared once more after it was
 * opened: no other can have its number then.  Where there are no such
 * descriptors the number must do.
 */
static void
send(const struct process *process, int signal)
{
	struct process again;
	const int descriptor = pidfd_open(process->pid, 0);
	const bool same =
	    read_process(process->pid, &again) && again.start == process->start;

	if (same && descriptor != -1)
		pidfd_send_signal(descriptor, signal, NULL, 0);
	else if (same)
		kill(process->pid, signal);
	if (descriptor != -1)
		close(descriptor);
}

static bool
is_attempts(const struct process *process)
{
	return process->descends && !process->spared && !process->dead;
}

/* SIGCHLD is on its way. */
static bool
is_unwaited(const struct tree *tree, const struct process *process)
{
	return process->descends && !process->spared && process->dead &&
	    process->parent == tree->self;
}

void
tree_signal(const struct tree *tree, pid_t child, bool own_group, int signal)
{
	struct list known = { .count = 0 };
	bool found = tree->watched;

	for (int pass = 0; found && pass < PASSES; pass++) {
		struct list list = scan(tree);

		found = false;
		for (size_t i = 0; i < list.count; i++) {
			const struct process *process = &list.processes[i];

			if (!is_attempts(process) || process->pid == child ||
			    (own_group && process->group == child) ||
			    is_among(process, known.processes, known.count))
				continue;
			send(process, signal);
			if (signal != SIGKILL)
				send(process, SIGCONT);
			found = append(&known, process);
		}
		free(list.processes);
	}
	free(known.processes);
}

size_t
tree_left(const struct tree *tree, bool name)
{
	char safe[4 * sizeof(((struct process *)NULL)->name) + 4];
	size_t left = 0;

	if (!tree->watched)
		return 0;
	struct list list = scan(tree);
	for (size_t i = 0; i < list.count; i++) {
		const struct process *process = &list.processes[i];
		const bool lives = is_attempts(process);

		left += lives || is_unwaited(tree, process);
		if (name && lives)
			warnx("process %ld (%s) cannot be ended and is left",
			    (long)process->pid,
			    text_safe(process->name, safe, sizeof(safe)));
	}
	free(list.processes);
	return left;
}

void
tree_free(struct tree *tree)
{
	free(tree->before);
	tree->before = NULL;
	tree->count = 0;
}
