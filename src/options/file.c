/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options/presets.h"
#include "core/text.h"

/* The largest file that is read: a larger one is not a list of options. */
#define FILE_MOST 65536

/* Reads all of a regular file into memory of FILE_MOST + 2 bytes. */
static const char *
read_all(int fd, char *text)
{
	struct stat status;
	size_t size = 0;
	ssize_t length;

	if (fstat(fd, &status) == -1)
		return strerror(errno);
	if (S_ISDIR(status.st_mode))
		return "it is a directory";
	if (!S_ISREG(status.st_mode))
		return "it is not a regular file";
	do {
		length = read(fd, text + size, FILE_MOST + 1 - size);
		if (length == -1)
			return strerror(errno);
		size += (size_t)length;
	} while (length > 0);
	if (size > FILE_MOST)
		return "it is larger than 64 KiB";
	text[size] = '\0';
	if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
		return "it begins with a byte order mark: save it without one";
	return strlen(text) == size ? NULL : "it is not a text file";
}

/* What is wrong with a line, without its end, or NULL. */
static const char *
check_line(const char *line)
{
	const size_t length = strlen(line);

	if (length > 0 && line[length - 1] == '\r')
		return "the line ends in CR LF, instead of LF";
	while (*line != '\0') {
		const uint32_t c = text_next(&line);

		if (text_is_harmful(c) && c != '\t')
			return "it is not a text file";
	}
	return NULL;
}

const char *
preset_read(struct preset *preset, int *line)
{
	/* A FIFO without a writer would block. */
	const int fd =
	    open(preset->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = malloc(FILE_MOST + 2), *rest = text, *end = text, *next;

	if (fd == -1 || text == NULL) {
		const char *problem = strerror(errno);

		if (fd != -1)
			close(fd);
		free(text);
		return problem;
	}
	const char *problem = read_all(fd, text);
	close(fd);
	preset->text = text;
	if (problem != NULL)
		return problem;
	*line = 0;
	while ((next = strsep(&rest, "\n")) != NULL) {
		++*line;
		problem = check_line(next);
		if (problem != NULL)
			return problem;
		text_trim(next, " \t", end, strlen(next) + 1);
		end += strlen(end) + 1;
	}
	*line = 0;
	preset->size = (size_t)(end - text);
	return NULL;
}
