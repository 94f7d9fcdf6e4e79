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
#include "sys/state.h"

/* What the names of the files beside the state's end in. */
#define LOCK ".lock"
#define NEW ".new"
#define DAMAGED ".damaged"

bool
state_uses(const char *state, const char *file)
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

/* Composes a problem of a file beside the state's own. */
static const char *
problem_with(struct state *state, const char *what, const char *why)
{
	snprintf(state->problem, sizeof(state->problem), "%s: %s", what, why);
	return state->problem;
}

/* A folder that nothing can be put into would show only at the end. */
static const char *
check_folder(const struct state *state)
{
	const char *slash = strrchr(state->file, '/');
	char *folder = slash == NULL
	    ? strdup(".")
	    : strndup(state->file, (size_t)(slash - state->file) + 1);
	const char *problem = NULL;

	if (folder == NULL || eaccess(folder, W_OK | X_OK) == -1)
		problem = strerror(errno);
	free(folder);
	return problem;
}

/* Nothing is put beside what will be refused. */
static const char *
check_kind(const char *file)
{
	struct stat status;

	return lstat(file, &status) == -1 ? NULL : file_check_kind(&status);
}

const char *
state_init(struct state *state, const char *file, const struct backoff *backoff)
{
	const char *problem;

	*state = (struct state){ .file = file, .backoff = backoff, .lock = -1 };
	if (asprintf(&state->lock_file, "%s" LOCK, file) == -1 ||
	    asprintf(&state->new_file, "%s" NEW, file) == -1 ||
	    asprintf(&state->damaged_file, "%s" DAMAGED, file) == -1)
		return strerror(errno);
	problem = check_folder(state);
	if (problem != NULL)
		return problem_with(state, "its folder cannot be written",
		    problem);
	return check_kind(file);
}

/*
 * Reads the file's text; nothing, if there is no file.  A text that is too
 * long is cut, and so is no memory's.
 */
static const char *
read_text(struct state *state, size_t *read_length)
{
	const int file = file_open(state->file, O_RDONLY);
	size_t length = 0;
	ssize_t added = 0;

	*read_length = 0;
	if (file == -1)
		return errno == ENOENT ? NULL : file_problem(errno);
	const char *problem = file_check(file);
	while (problem == NULL && length < sizeof(state->text) - 1) {
		added = read(file, state->text + length,
		    sizeof(state->text) - 1 - length);
		if (added <= 0)
			break;
		length += (size_t)added;
	}
	if (problem == NULL && added == -1)
		problem = strerror(errno);
	state->text[length] = '\0';
	*read_length = length;
	close(file);
	return problem;
}

static const char *
keep_damaged(struct state *state, const char *damage)
{
	char file[128], kept[128];

	if (rename(state->file, state->damaged_file) == -1)
		return problem_with(state, "is damaged and cannot be moved",
		    strerror(errno));
	warnx("--state: %s: %s; kept as %s",
	    text_safe(state->file, file, sizeof(file)), damage,
	    text_safe(state->damaged_file, kept, sizeof(kept)));
	return NULL;
}

/* No file, an empty one and nothing remembered are the same. */
static const char *
forget(struct state *state)
{
	state->memory = memory_none(state->backoff);
	memory_format(&state->memory, state->text);
	return NULL;
}

static const char *
load(struct state *state)
{
	size_t length;
	const char *damage, *problem = read_text(state, &length);

	if (problem != NULL)
		return problem;
	if (length == 0)
		return forget(state);
	damage = strlen(state->text) < length
	    ? "has a NUL"
	    : memory_parse(state->text, &state->memory);
	if (damage != NULL) {
		if (memory_is_newer(state->text))
			return "is of a later version of retry";
		problem = keep_damaged(state, damage);
		return problem != NULL ? problem : forget(state);
	}
	if (!memory_is_of(&state->memory, state->backoff))
		state->memory = memory_none(state->backoff);
	return NULL;
}

const char *
state_lock(struct state *state)
{
	state->lock = file_lock(state->lock_file, false);
	if (state->lock == -1)
		return errno == EWOULDBLOCK
		    ? NULL
		    : problem_with(state, "its lock cannot be opened",
			  file_problem(errno));
	const char *problem = file_check(state->lock);
	return problem != NULL ? problem_with(state, "its lock", problem)
			       : load(state);
}

int
state_wait(const void *argument)
{
	const struct state *state = argument;

	return file_lock(state->lock_file, true) == -1;
}

const char *
state_save(struct state *state)
{
	char text[MEMORY_TEXT];

	memory_format(&state->memory, text);
	if (strcmp(text, state->text) == 0)
		return NULL;
	if (file_replace(state->file, state->new_file, text) == -1)
		return problem_with(state, "cannot be written",
		    strerror(errno));
	strlcpy(state->text, text, sizeof(state->text));
	return NULL;
}

void
state_free(struct state *state)
{
	free(state->lock_file);
	free(state->new_file);
	free(state->damaged_file);
}
