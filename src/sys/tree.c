#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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

/* A process, as /proc shows it. */
struct process {
	pid_t pid;
	pid_t parent;
	pid_t group;
	pid_t session;
	unsigned long long start; /* clock ticks: tells a pid used again */
	bool dead;		  /* a zombie */
	bool descends;		  /* from `retry` */
	bool spared; /* it was there before the attempt, or belongs to that */
	char name[16];
};

struct list {
	struct process *processes;
	size_t count;
	size_t room;
	const char *problem; /* why it is not complete, or NULL */
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

/* Returns false, with errno set, if the process cannot be read. */
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
	errno = ESRCH;
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
	struct list list = { .problem = tree->problem };
	char link[32] = "";
	struct process process;
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
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		/* What has just ended, or is another user's, has no say. */
		if (read_process(pid, &process)
			? !append(&list, &process)
			: errno == EMFILE || errno == ENFILE || errno == ENOMEM)
			list.problem = strerror(errno);
	}
	closedir(directory);
	if (list.problem != NULL)
		list.count = 0;
	if (list.count > 0)
		qsort(list.processes, list.count, sizeof(process), by_pid);
	mark(tree, &list);
	return list;
}

void
tree_watch(struct tree *tree, pid_t self)
{
	*tree = (struct tree){
		.watched = true,
		.adopts = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0,
		.self = self,
		.session = getsid(0),
	};
	if (!tree->adopts)
		warn("--timeout and --max-time may miss processes that an "
		     "attempt leaves: prctl(PR_SET_CHILD_SUBREAPER)");
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
	tree->group = 0;
	tree->problem = NULL;
	if (!has_children())
		return;
	list = scan(tree);
	tree->problem = list.problem;
	for (size_t i = 0; i < list.count; i++)
		if (list.processes[i].descends)
			list.processes[tree->count++] = list.processes[i];
	tree->before = list.processes;
}

/*
 * Signals by a descriptor of the process, which is compared once more after it
 * was opened: no other process can have its number then.  If there are no such
 * descriptors, or none may be used, the number must do.
 */
static void
signal_process(const struct process *process, int signal)
{
	struct process again;
	const int descriptor = (int)syscall(SYS_pidfd_open, process->pid, 0);

	if (read_process(process->pid, &again) &&
	    again.start == process->start &&
	    (descriptor == -1 ||
		(syscall(SYS_pidfd_send_signal, descriptor, signal, NULL, 0) ==
			-1 &&
		    errno != ESRCH)))
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
tree_signal(struct tree *tree, pid_t child, bool own_group, int signal)
{
	struct list known = { .count = 0 };
	bool found = tree->watched;

	if (child != 0 && own_group)
		tree->group = child;
	for (int pass = 0; found && pass < PASSES; pass++) {
		struct list list = scan(tree);

		/* Nobody else reaches the group once the child has ended. */
		if (list.problem != NULL && child == 0 && tree->group != 0)
			kill(-tree->group, signal);
		found = false;
		for (size_t i = 0; i < list.count; i++) {
			const struct process *process = &list.processes[i];

			if (!is_attempts(process) || process->pid == child ||
			    (own_group && process->group == child) ||
			    is_among(process, known.processes, known.count))
				continue;
			signal_process(process, signal);
			if (signal != SIGKILL)
				signal_process(process, SIGCONT);
			found = append(&known, process);
		}
		free(list.processes);
	}
	free(known.processes);
}

size_t
tree_left(struct tree *tree, bool name)
{
	char safe[4 * sizeof(((struct process *)NULL)->name) + 4];
	size_t left = 0;

	if (!tree->watched)
		return 0;

	/* Nobody would tell when what is left ends: it must not be waited for. */
	if (!tree->adopts && !name) {
		if (tree->group != 0)
			kill(-tree->group, SIGKILL);
		return 0;
	}
	struct list list = scan(tree);
	if (list.problem != NULL && has_children()) {
		left = tree->group != 0 && kill(-tree->group, 0) == 0;
		if (!tree->told)
			warnx("cannot see what a timed-out attempt leaves: "
			      "/proc: %s",
			    list.problem);
		tree->told = true;
	}
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
