/* SPDX-License-Identifier: MIT */

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/oom.h"

/* The count, as in the line "oom_kill 3"; -1 if it cannot be read. */
static long long
read_count(int fd)
{
	static const char name[] = "\noom_kill ";
	char text[1024] = "\n";
	const ssize_t length = pread(fd, text + 1, sizeof(text) - 2, 0);

	text[length > 0 ? length + 1 : 0] = '\0';
	const char *line = strstr(text, name);
	return line == NULL ? -1 : strtoll(line + strlen(name), NULL, 10);
}

/* Opens a cgroup's file.  Returns its descriptor if it has a count, or -1. */
static int
open_count(const char *mount, const char *cgroup, const char *file)
{
	char name[PATH_MAX];
	const int length = snprintf(name, sizeof(name), "/sys/fs/cgroup%s%s/%s",
	    mount, cgroup, file);

	if (length >= (int)sizeof(name))
		return -1;
	const int fd = file_above_2(open(name, O_RDONLY | O_CLOEXEC));
	if (fd == -1 || read_count(fd) != -1)
		return fd;
	close(fd);
	return -1;
}

/*
 * Opens the count that a line of /proc/self/cgroup leads to, "0::/a/b" with
 * version 2, "4:memory:/a/b" with version 1.  A container may be told the path
 * outside of a cgroup that is mounted inside as if it were the root.
 */
static int
find_count(char *line)
{
	const char *mount = "", *file = "memory.events";

	line[strcspn(line, "\n")] = '\0';
	(void)strsep(&line, ":");
	const char *controllers = strsep(&line, ":");
	if (line == NULL)
		return -1;
	if (strcmp(controllers, "memory") == 0) {
		mount = "/memory";
		file = "memory.oom_control";
	} else if (*controllers != '\0') {
		return -1;
	}
	const int fd = open_count(mount, line, file);
	return fd != -1 ? fd : open_count(mount, "", file);
}

static void
open_oom(struct oom *oom)
{
	char *line = NULL;
	size_t size = 0;
	FILE *cgroups = fopen("/proc/self/cgroup", "re");

	if (cgroups == NULL)
		return;
	/* All of it: before its end a libc would seek back to close it. */
	while (getline(&line, &size, cgroups) != -1)
		if (oom->fd == NO_DESCRIPTOR)
			oom->fd = find_count(line);
	free(line);
	fclose(cgroups);
}

void
oom_init(struct oom *oom)
{
	*oom = (struct oom){ .fd = NO_DESCRIPTOR };
}

void
oom_begin(struct oom *oom)
{
	if (!oom->is_open)
		open_oom(oom);
	oom->is_open = true;
	if (oom->fd != NO_DESCRIPTOR)
		oom->count = read_count(oom->fd);
}

bool
oom_grew(const struct oom *oom)
{
	return oom->fd != NO_DESCRIPTOR && oom->count != -1 &&
	    read_count(oom->fd) > oom->count;
}

void
oom_close(struct oom *oom)
{
	if (oom->fd != NO_DESCRIPTOR)
		close(oom->fd);
}
