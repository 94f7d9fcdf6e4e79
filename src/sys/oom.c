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

/* Opens a cgroup's file, and keeps it if it has a count. */
static void
open_count(struct oom *oom, const char *mount, const char *cgroup,
    const char *file)
{
	char name[PATH_MAX];
	const int length = snprintf(name, sizeof(name), "/sys/fs/cgroup%s%s/%s",
	    mount, cgroup, file);

	if (length >= (int)sizeof(name))
		return;
	oom->fd = file_above_2(open(name, O_RDONLY | O_CLOEXEC));
	if (oom->fd == NO_DESCRIPTOR)
		return;
	oom->count = read_count(oom->fd);
	if (oom->count == -1)
		oom_close(oom);
}

/*
 * Opens the count that a line of /proc/self/cgroup leads to, "0::/a/b" with
 * version 2, "4:memory:/a/b" with version 1.  A container may be told the path
 * outside of a cgroup that is mounted inside as if it were the root.
 */
static void
find_count(struct oom *oom, char *line)
{
	const char *mount = "", *file = "memory.events";

	(void)strsep(&line, ":");
	const char *controllers = strsep(&line, ":");
	if (line == NULL)
		return;
	if (strcmp(controllers, "memory") == 0) {
		mount = "/memory";
		file = "memory.oom_control";
	} else if (*controllers != '\0') {
		return;
	}
	open_count(oom, mount, line, file);
	if (oom->fd == NO_DESCRIPTOR)
		open_count(oom, mount, "", file);
}

/* Without stdio: its buffers would cost more than everything else here. */
static void
open_oom(struct oom *oom)
{
	char text[4096], *rest = text, *line;

	oom->fd = NO_DESCRIPTOR;
	/* The root of all cgroups has no such file; that of a container has. */
	open_count(oom, "", "", "memory.events");
	if (oom->fd != NO_DESCRIPTOR)
		return;
	file_read("/proc/self/cgroup", text, sizeof(text));
	while (oom->fd == NO_DESCRIPTOR && (line = strsep(&rest, "\n")) != NULL)
		find_count(oom, line);
}

void
oom_begin(struct oom *oom)
{
	if (oom->fd == 0)
		open_oom(oom);
	else if (oom->fd != NO_DESCRIPTOR)
		oom->count = read_count(oom->fd);
}

bool
oom_grew(const struct oom *oom)
{
	return oom->fd > 0 && oom->count != -1 &&
	    read_count(oom->fd) > oom->count;
}

void
oom_close(struct oom *oom)
{
	if (oom->fd > 0)
		close(oom->fd);
	oom->fd = NO_DESCRIPTOR;
}
