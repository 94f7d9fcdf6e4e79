/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options/file.h"
#include "core/text.h"

/* The largest file that is read: a larger one is not a list of options. */
#define FILE_MOST 65536

/* Reads all of a regular file into memory, as a string. */
static const char *
read_all(int fd, struct option_file *file)
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
	file->device = status.st_dev;
	file->inode = status.st_ino;
	file->text = malloc(FILE_MOST + 2);
	if (file->text == NULL)
		return strerror(errno);
	do {
		length = read(fd, file->text + size, FILE_MOST + 1 - size);
		if (length == -1)
			return strerror(errno);
		size += (size_t)length;
	} while (length > 0);
	if (size > FILE_MOST)
		return "it is larger than 64 KiB";
	file->text[size] = '\0';
	if (strncmp(file->text, "\xef\xbb\xbf", 3) == 0)
		return "it begins with a byte order mark: save it without one";
	return strlen(file->text) == size ? NULL : "it is not a text file";
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

/* Takes the blanks off the end of a line. */
static void
trim(char *line)
{
	size_t length = strlen(line);

	while (length > 0 && strchr(" \t", line[length - 1]) != NULL)
		line[--length] = '\0';
}

/* Cuts the text into lines. */
static const char *
split(struct option_file *file, int *number)
{
	char *rest = file->text, *line;
	size_t most = 2, count = 0;

	for (const char *c = file->text; *c != '\0'; c++)
		most += *c == '\n';
	file->lines = calloc(most, sizeof(*file->lines));
	if (file->lines == NULL)
		return strerror(errno);
	while ((line = strsep(&rest, "\n")) != NULL) {
		const char *problem = check_line(line);

		if (problem != NULL) {
			*number = (int)count + 1;
			return problem;
		}
		trim(line);
		file->lines[count++] = line + strspn(line, " \t");
	}
	return NULL;
}

const char *
option_file_read(const char *name, struct option_file *file, int *line)
{
	/* A FIFO without a writer would block. */
	const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	*file = (struct option_file){ .text = NULL };
	*line = 0;
	if (fd == -1)
		return strerror(errno);
	const char *problem = read_all(fd, file);
	close(fd);
	if (problem == NULL)
		problem = split(file, line);
	if (problem != NULL)
		option_file_free(file);
	return problem;
}

void
option_file_free(struct option_file *file)
{
	free(file->text);
	free(file->lines);
}
