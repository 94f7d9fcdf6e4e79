/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sys/events.h"
#include "sys/file.h"
#include "sys/state_file.h"

/* LOCK_UN of flock(2), whose header has the name of a file in sys/. */
#define UNLOCK 8

/* Suffixes of the files next to the state file. */
#define LOCK ".lock"
#define NEW ".new"
#define DAMAGED ".damaged"

/* Room for a name; one that is cut to it is too long for the kernel. */
#define NAME (PATH_MAX + sizeof(DAMAGED))

static const char *
file_next_to(const char *state, const char *suffix, char name[NAME])
{
	snprintf(name, NAME, "%s%s", state, suffix);
	return name;
}

bool
state_file_uses(const char *state, const char *file)
{
	static const char *const suffixes[] = { "", LOCK, NEW, DAMAGED };
	struct stat own, other;
	const bool exists = lstat(file, &other) == 0;
	char name[NAME];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		file_next_to(state, suffixes[i], name);
		if (strcmp(name, file) == 0 ||
		    (exists && lstat(name, &own) == 0 &&
			file_is_same(&own, &other)))
			return true;
	}
	return false;
}

/*
 * Reads FILE or FILE.new, whose name ends in `suffix`: nothing if there is no
 * file, and not all of a text that is too long to be a state.  A file that has
 * text, but was never a state, belongs to somebody else: that is an error.
 * Returns the length of the text, or -1 after a message.
 */
static ssize_t
read_own(struct state_file *file, const char *suffix)
{
	char name[NAME], *text = file->text;
	int fd = file_open(file_next_to(file->name, suffix, name), O_RDONLY);
	ssize_t length = 0;

	text[0] = '\0';
	if (fd == -1 && errno == ENOENT)
		return 0;
	const char *problem = fd == -1 ? file_problem(errno) : file_check(fd);
	if (problem == NULL)
		length = read(fd, text, STATE_TEXT - 1);
	if (length == -1)
		problem = strerror(errno);
	else
		text[length] = '\0';
	file_close(&fd);
	/* A power cut may have left nothing but NULs of FILE.new. */
	if (length > 0 && !state_was(text, (size_t)length) &&
	    (strcmp(suffix, NEW) != 0 || *text != '\0' ||
		memcmp(text, text + 1, (size_t)length - 1) != 0))
		problem = "is not a state of retry";
	if (problem == NULL)
		return length;
	say("--state: %s: %s", name, problem);
	return -1;
}

int
state_file_open(struct state_file *file, const struct options *options)
{
	char directory[NAME] = "./";
	struct stat folder, own;

	*file = (struct state_file){ .name = options->style.state,
		.backoff = &options->policy.backoff,
		.lock = NO_DESCRIPTOR };
	if (file->name == NULL)
		return 0;
	if (options->budget != NULL &&
	    state_file_uses(file->name, options->budget)) {
		say("--state: %s: is also the file of the budget", file->name);
		return -1;
	}

	/* A directory that cannot be written would show only at the end. */
	const char *slash = strrchr(file->name, '/');
	if (slash != NULL)
		snprintf(directory, sizeof(directory), "%.*s",
		    (int)(slash - file->name) + 1, file->name);
	if (access(directory, F_OK) == -1 && errno == ENOENT) {
		directory[strlen(directory) - 1] = '\0';
		say("--state: directory %s does not exist", directory);
		return -1;
	}
	if (eaccess(directory, W_OK | X_OK) == -1) {
		say_error("--state: %s: its directory cannot be written",
		    file->name);
		return -1;
	}

	/* rename(2) would replace nobody else's file there. */
	if (stat(directory, &folder) == 0 && (folder.st_mode & S_ISVTX) != 0 &&
	    lstat(file->name, &own) == 0 && own.st_uid != geteuid() &&
	    folder.st_uid != geteuid() && geteuid() != 0) {
		say("--state: %s: is another user's, in a sticky directory",
		    file->name);
		return -1;
	}

	/* A file that is refused gets no file next to it. */
	if (read_own(file, "") == -1)
		return -1;
	return state_file_lock(file) == -1 ? -1 : 0;
}

/*
 * Moves a damaged file out of the way, and says so.  The first one is kept, for
 * whoever wants to mend it.
 */
static int
set_aside(const struct state_file *file, const char *damage)
{
	char name[NAME];
	const bool first =
	    access(file_next_to(file->name, DAMAGED, name), F_OK) == -1;

	if ((first ? rename(file->name, name) : unlink(file->name)) == -1) {
		say_error("--state: %s: is damaged and cannot be moved",
		    file->name);
		return -1;
	}
	say("--state: %s: %s; %s %s", file->name, damage,
	    first ? "kept as" : "not kept, since there is", name);
	return 0;
}

/* Reads the state, and removes what a run that was killed did not finish. */
static int
load(struct state_file *file)
{
	char name[NAME];

	if (read_own(file, NEW) == -1)
		return -1;
	unlink(file_next_to(file->name, NEW, name));
	const ssize_t length = read_own(file, "");
	if (length == -1)
		return -1;
	file->state = (struct state){ 0 };
	if (length > 0) {
		const char *damage = strlen(file->text) < (size_t)length
		    ? "has a NUL"
		    : state_parse(file->text, file->backoff,
			  events_time(CLOCK_REALTIME), &file->state);

		if (damage == NULL)
			return 0;
		if (state_is_newer(file->text)) {
			say("--state: %s: is of a later version of retry",
			    file->name);
			return -1;
		}
		if (set_aside(file, damage) == -1)
			return -1;
	}
	/* No file, an empty one and the state before any run are the same. */
	state_format(&file->state, file->backoff, 0, file->text);
	return 0;
}

int
state_file_lock(struct state_file *file)
{
	char name[NAME];

	if (file->lock != -1)
		return 1;
	file->lock = file_lock(file_next_to(file->name, LOCK, name), O_CREAT);
	if (file->lock == -1 && errno == EWOULDBLOCK)
		return 0;
	const char *problem =
	    file->lock == -1 ? file_problem(errno) : file_check(file->lock);
	if (problem != NULL)
		say("--state: %s: cannot be locked: %s", file->name, problem);
	else if (load(file) == 0) {
		/*
		 * The attempt inherits the lock, so that no other run begins
		 * beside it if `retry` is killed.
		 */
		fcntl(file->lock, F_SETFD, 0);
		return 1;
	}
	file_close(&file->lock);
	return -1;
}

void
state_file_close(const struct state_file *file)
{
	if (file->lock != NO_DESCRIPTOR)
		syscall(SYS_flock, file->lock, UNLOCK);
}

int
state_file_save(struct state_file *file, const struct state *state, double time)
{
	char text[STATE_TEXT], name[NAME];

	state_format(state, file->backoff, time, text);
	if (strcmp(text, file->text) == 0)
		return 0;
	if (file_replace(file->name, file_next_to(file->name, NEW, name),
		text) == -1) {
		say_error("--state: %s: cannot be written", file->name);
		return -1;
	}
	strlcpy(file->text, text, sizeof(file->text));
	return 0;
}
