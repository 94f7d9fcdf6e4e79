/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/text.h"
#include "sys/command.h"

/* Where commands are searched for without $PATH, as by execvp(3). */
#define DEFAULT_PATH "/bin:/usr/bin"

/* Room for the first line of a script. */
#define LINE_SIZE 256

const char *
command_path(void)
{
	const char *path = getenv("PATH");

	return path == NULL ? DEFAULT_PATH : path;
}

bool
command_next(const char **path, const char *name, char file[PATH_MAX])
{
	int length = PATH_MAX;

	while (*path != NULL && length >= PATH_MAX) {
		const char *folder = *path;
		const size_t end = strcspn(folder, ":");

		*path = folder[end] == ':' ? folder + end + 1 : NULL;
		/* An empty word means the current directory. */
		length = snprintf(file, PATH_MAX, "%.*s%s%s", (int)end, folder,
		    end > 0 ? "/" : "", name);
	}
	return length < PATH_MAX;
}

/* Finds the command's file, even if it has no execute permission. */
static bool
find_file(const char *name, char file[PATH_MAX], struct stat *status)
{
	const char *path = command_path();

	if (strchr(name, '/') != NULL) {
		strlcpy(file, name, PATH_MAX);
		return stat(name, status) == 0;
	}
	while (command_next(&path, name, file))
		if (stat(file, status) == 0)
			return true;
	return false;
}

/* The file is there, but a file that it needs is not. */
static void
tell_interpreter(const char *file, char text[COMMAND_REASON])
{
	char line[LINE_SIZE] = "", safe[LINE_SIZE];
	FILE *stream = fopen(file, "re");

	if (stream != NULL) {
		if (fgets(line, sizeof(line), stream) == NULL)
			*line = '\0';
		fclose(stream);
	}
	if (strncmp(line, "#!", 2) != 0) {
		strlcpy(text, "the loader that it names does not exist",
		    COMMAND_REASON);
		return;
	}
	char *name = line + 2 + strspn(line + 2, " \t");
	name[strcspn(name, " \t\n")] = '\0';
	const bool returns = strchr(name, '\r') != NULL;
	snprintf(text, COMMAND_REASON, "its interpreter '%.160s' %s",
	    text_safe(name, safe, sizeof(safe)),
	    returns ? "does not exist: its lines end in CR LF"
		    : "does not exist");
}

const char *
command_reason(const char *name, int error, char text[COMMAND_REASON])
{
	char file[PATH_MAX], safe[LINE_SIZE], function[LINE_SIZE];
	struct stat status;

	if (error != ENOENT && error != EACCES)
		return NULL;
	text_safe(name, safe, sizeof(safe));
	/* As bash exports it. */
	snprintf(function, sizeof(function), "BASH_FUNC_%s%%%%", name);
	if (*name == '\0')
		return "the command is empty";
	const bool found = find_file(name, file, &status);
	if (found && S_ISDIR(status.st_mode))
		strlcpy(text, "it is a directory", COMMAND_REASON);
	else if (found && error == EACCES && (status.st_mode & 0111) == 0)
		snprintf(text, COMMAND_REASON,
		    "no execute permission: chmod +x %.160s",
		    text_safe(file, safe, sizeof(safe)));
	else if (found && error == ENOENT)
		tell_interpreter(file, text);
	else if (found || strchr(name, '/') != NULL)
		return NULL;
	else if (getenv(function) != NULL)
		snprintf(text, COMMAND_REASON,
		    "it is a function of bash: use bash -c '%.160s ...'", safe);
	else if (stat(name, &status) == 0 && S_ISREG(status.st_mode) &&
	    !isdigit((unsigned char)*name))
		snprintf(text, COMMAND_REASON,
		    "command not found; did you mean ./%.160s?", safe);
	else
		strlcpy(text, "command not found", COMMAND_REASON);
	return text;
}
