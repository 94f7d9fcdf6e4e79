#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/file.h"
#include "sys/state_file.h"

/* The names of the files beside the state's own end in these. */
#define LOCK ".lock"
#define NEW ".new"
#define DAMAGED ".damaged"

bool
state_file_uses(const char *state, const char *file)
{
	static const char *const suffixes[] = { "", LOCK, NEW, DAMAGED };
	struct stat own, other;
	const bool exists = lstat(file, &other) == 0;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char name[PATH_MAX];

		snprintf(name, sizeof(name), "%s%s", state, suffixes[i]);
		if (strcmp(name, file) == 0 ||
		    (exists && lstat(name, &own) == 0 &&
			file_is_same(&own, &other)))
			return true;
	}
	return false;
}

static void
complain(const struct state_file *file, const char *what, const char *why)
{
	char safe[128];

	warnx("--state: %s: %s%s%s", text_safe(file->name, safe, sizeof(safe)),
	    what, why == NULL ? "" : ": ", why == NULL ? "" : why);
}

/*
 * A folder that cannot be written would show only at the end; and nothing is
 * put beside a file that will be refused.
 */
static int
check_place(const struct state_file *file)
{
	const char *slash = strrchr(file->name, '/');
	char *folder = slash == NULL
	    ? strdup(".")
	    : strndup(file->name, (size_t)(slash - file->name) + 1);
	struct stat status;
	const char *problem = NULL;

	if (folder == NULL || eaccess(folder, W_OK | X_OK) == -1)
		complain(file, "its folder cannot be written", strerror(errno));
	else if (lstat(file->name, &status) == -1 ||
	    (problem = file_check_kind(&status)) == NULL) {
		free(folder);
		return 0;
	} else
		complain(file, problem, NULL);
	free(folder);
	return -1;
}

int
state_file_open(struct state_file *file, const struct options *options)
{
	*file = (struct state_file){ .name = options->state,
		.backoff = &options->policy.backoff,
		.lock = -1 };
	if (file->name == NULL)
		return 0;
	if (options->budget != NULL &&
	    state_file_uses(file->name, options->budget)) {
		complain(file, "is the budget's file too", NULL);
		return -1;
	}
	if (asprintf(&file->lock_name, "%s" LOCK, file->name) == -1 ||
	    asprintf(&file->new_name, "%s" NEW, file->name) == -1 ||
	    asprintf(&file->damaged_name, "%s" DAMAGED, file->name) == -1) {
		complain(file, strerror(errno), NULL);
		return -1;
	}
	if (check_place(file) == -1)
		return -1;
	return state_file_lock(file) == -1 ? -1 : 0;
}

/*
 * Reads the file's text; nothing if there is no file.  A text that is too long
 * to be a state is cut.  Returns its length, or -1 after a message.
 */
static ssize_t
read_text(struct state_file *file)
{
	const int fd = file_open(file->name, O_RDONLY);
	size_t length = 0;
	ssize_t added = 0;

	file->text[0] = '\0';
	if (fd == -1 && errno == ENOENT)
		return 0;
	const char *problem = fd == -1 ? file_problem(errno) : file_check(fd);
	while (problem == NULL && length < sizeof(file->text) - 1) {
		added = read(fd, file->text + length,
		    sizeof(file->text) - 1 - length);
		if (added == -1)
			problem = strerror(errno);
		if (added <= 0)
			break;
		length += (size_t)added;
	}
	file->text[length] = '\0';
	if (fd != -1)
		close(fd);
	if (problem == NULL)
		return (ssize_t)length;
	complain(file, problem, NULL);
	return -1;
}

/* Puts a damaged file aside.  Returns 0, or -1 after a message. */
static int
keep_damaged(const struct state_file *file, const char *damage)
{
	char kept[128];

	if (rename(file->name, file->damaged_name) == -1) {
		complain(file, "is damaged and cannot be moved",
		    strerror(errno));
		return -1;
	}
	char name[128];
	warnx("--state: %s: %s; kept as %s",
	    text_safe(file->name, name, sizeof(name)), damage,
	    text_safe(file->damaged_name, kept, sizeof(kept)));
	return 0;
}

static int
load(struct state_file *file)
{
	const ssize_t length = read_text(file);

	if (length == -1)
		return -1;
	if (length > 0) {
		const char *damage = strlen(file->text) < (size_t)length
		    ? "has a NUL"
		    : state_parse(file->text, &file->state);

		if (damage == NULL) {
			if (!state_is_of(&file->state, file->backoff))
				file->state = state_none(file->backoff);
			return 0;
		}
		if (state_is_newer(file->text)) {
			complain(file, "is of a later version of retry", NULL);
			return -1;
		}
		if (keep_damaged(file, damage) == -1)
			return -1;
	}
	/* No file, an empty one and the state before any run are the same. */
	file->state = state_none(file->backoff);
	state_format(&file->state, file->text);
	return 0;
}

int
state_file_lock(struct state_file *file)
{
	if (file->lock != -1)
		return 1;
	file->lock = file_lock(file->lock_name, false);
	if (file->lock == -1 && errno == EWOULDBLOCK)
		return 0;
	if (file->lock == -1) {
		complain(file, "its lock cannot be opened",
		    file_problem(errno));
		return -1;
	}
	const char *problem = file_check(file->lock);
	if (problem != NULL) {
		complain(file, "its lock", problem);
		return -1;
	}
	return load(file) == -1 ? -1 : 1;
}

int
state_file_wait(const void *argument)
{
	const struct state_file *file = argument;
	return file_lock(file->lock_name, true) == -1;
}

int
state_file_save(struct state_file *file, const struct progress *progress,
    double time)
{
	char text[STATE_TEXT];

	file->state = state_after(file->backoff, progress, time);
	state_format(&file->state, text);
	if (strcmp(text, file->text) == 0)
		return 0;
	if (file_replace(file->name, file->new_name, text) == -1) {
		complain(file, "cannot be written", strerror(errno));
		return -1;
	}
	strlcpy(file->text, text, sizeof(file->text));
	return 0;
}

void
state_file_close(struct state_file *file)
{
	free(file->lock_name);
	free(file->new_name);
	free(file->damaged_name);
}
