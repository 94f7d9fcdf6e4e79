/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/messages.h"
#include "sys/spool.h"

#define SPOOL_BUFFER 16384 /* little, since a stack may be small */

static const char *
get_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder == NULL || *folder == '\0' ? "/tmp" : folder;
}

void
spool_complain(void)
{
	say_error("temporary file in %s", get_folder());
}

/* For file systems that know no file without a name. */
static int
open_named(const char *folder)
{
	char *name;

	if (asprintf(&name, "%s/retry.XXXXXX", folder) == -1)
		return -1;
	const int fd = mkostemp(name, O_CLOEXEC);
	if (fd != -1)
		unlink(name);
	free(name);
	return fd;
}

int
spool_open(struct spool *spool)
{
	const char *folder = get_folder();

	if (spool->fd != NO_DESCRIPTOR)
		return 0;
	int fd = open(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd == -1 && (errno == EOPNOTSUPP || errno == EISDIR))
		fd = open_named(folder);
	fd = file_above_2(fd);
	if (fd == -1)
		fd = file_in_memory("retry-temporary");
	*spool = (struct spool){ .fd = fd };
	return fd == -1 ? -1 : 0;
}

void
spool_close(struct spool *spool)
{
	file_close(&spool->fd);
	spool->start = spool->end = 0;
}

bool
spool_has_bytes(const struct spool *spool)
{
	return spool->start < spool->end;
}

void
spool_empty(struct spool *spool)
{
	if (spool->fd != NO_DESCRIPTOR && ftruncate(spool->fd, 0) == -1)
		spool_close(spool);
	spool->start = spool->end = 0;
}

int
spool_reader(const struct spool *spool, off_t from)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", spool->fd);
	int fd = file_above_2(open(name, O_RDONLY | O_CLOEXEC));
	if (fd == -1 && errno == ENOENT)
		fd = fcntl(spool->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd != -1 && lseek(fd, from, SEEK_SET) == -1)
		file_close(&fd);
	return fd;
}

size_t
spool_write(struct spool *spool, const char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t written =
		    pwrite(spool->fd, bytes + done, size - done, spool->end);

		if (written == -1)
			break;
		done += (size_t)written;
		spool->end += written;
	}
	return done;
}

int
spool_move(struct spool *from, struct spool *to)
{
	char buffer[SPOOL_BUFFER];

	while (spool_has_bytes(from)) {
		const ssize_t length =
		    pread(from->fd, buffer, sizeof(buffer), from->start);

		if (length == 0)
			errno = EIO;
		if (length <= 0)
			return -1;
		const size_t done = spool_write(to, buffer, (size_t)length);
		from->start += (off_t)done;
		if (done < (size_t)length)
			return -1;
	}
	spool_empty(from);
	return 0;
}

bool
spool_ends_mid_line(const struct spool *spool)
{
	char last;

	return spool->end > 0 &&
	    pread(spool->fd, &last, 1, spool->end - 1) == 1 && last != '\n';
}

ssize_t
spool_take(struct spool *spool, int descriptor, size_t most)
{
	char buffer[SPOOL_BUFFER];
	ssize_t length = splice(descriptor, NULL, spool->fd, &spool->end, most,
	    SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

	if (length == -1 && file_must_copy(errno)) {
		if (most > sizeof(buffer))
			most = sizeof(buffer);
		length = read(descriptor, buffer, most);
		if (length > 0 &&
		    spool_write(spool, buffer, (size_t)length) < (size_t)length)
			return -1;
	}
	return length;
}
