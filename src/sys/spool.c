#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/file.h"
#include "sys/spool.h"

#define SPOOL_BUFFER 65536

static const char *
get_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder == NULL || *folder == '\0' ? "/tmp" : folder;
}

void
spool_warn(void)
{
	const int error = errno;
	char safe[256];

	warnc(error, "temporary file in %s",
	    text_safe(get_folder(), safe, sizeof(safe)));
}

/* For file systems that know no file without a name. */
static int
open_named(const char *folder)
{
	char name[4096];
	const int length =
	    snprintf(name, sizeof(name), "%s/retry.XXXXXX", folder);

	if (length < 0 || (size_t)length >= sizeof(name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	const int fd = mkostemp(name, O_CLOEXEC);
	if (fd != -1)
		unlink(name);
	return fd;
}

int
spool_open(struct spool *spool)
{
	const char *folder = get_folder();

	if (spool->fd != -1)
		return 0;
	int fd = open(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd == -1 && (errno == EOPNOTSUPP || errno == EISDIR))
		fd = open_named(folder);
	fd = file_raise(fd);
	if (fd == -1) {
		const int error = errno;

		fd = file_in_memory("retry-temporary");
		errno = error;
	}
	*spool = (struct spool){ .fd = fd };
	return fd == -1 ? -1 : 0;
}

void
spool_close(struct spool *spool)
{
	if (spool->fd != -1)
		close(spool->fd);
	*spool = (struct spool)SPOOL_CLOSED;
}

void
spool_empty(struct spool *spool)
{
	if (spool->end > 0 && ftruncate(spool->fd, 0) == -1)
		spool_close(spool);
	spool->start = spool->end = 0;
}

int
spool_reader(const struct spool *spool, off_t from)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", spool->fd);
	const int fd = file_raise(open(name, O_RDONLY | O_CLOEXEC));
	if (fd != -1 && lseek(fd, from, SEEK_SET) == -1) {
		close(fd);
		return -1;
	}
	return fd;
}

bool
spool_must_copy(int error)
{
	return error == EINVAL || error == ENOSYS || error == EPERM ||
	    error == EOPNOTSUPP;
}

int
spool_write(struct spool *spool, const void *data, size_t size)
{
	const char *bytes = data;

	while (size > 0) {
		const ssize_t written =
		    pwrite(spool->fd, bytes, size, spool->end);

		if (written == -1)
			return -1;
		spool->end += written;
		bytes += written;
		size -= (size_t)written;
	}
	return 0;
}

bool
spool_is_ragged(const struct spool *spool)
{
	char last;

	return spool->end > 0 &&
	    pread(spool->fd, &last, 1, spool->end - 1) == 1 && last != '\n';
}

int
spool_tell(struct spool *spool, const char *message, size_t size)
{
	if (*message != '\n' && spool_is_ragged(spool) &&
	    spool_write(spool, "\n", 1) == -1)
		return -1;
	return spool_write(spool, message, size);
}

ssize_t
spool_take(struct spool *spool, int descriptor, size_t most)
{
	char buffer[SPOOL_BUFFER];
	ssize_t length = splice(descriptor, NULL, spool->fd, &spool->end, most,
	    SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

	if (length == -1 && spool_must_copy(errno)) {
		if (most > sizeof(buffer))
			most = sizeof(buffer);
		length = read(descriptor, buffer, most);
		if (length > 0 &&
		    spool_write(spool, buffer, (size_t)length) == -1)
			return -1;
	}
	return length;
}

int
spool_append(struct spool *spool, const struct spool *from)
{
	off_t left = from->end - from->start;

	if (lseek(from->fd, from->start, SEEK_SET) == -1)
		return -1;
	while (left > 0) {
		const ssize_t length =
		    spool_take(spool, from->fd, (size_t)left);

		if (length <= 0)
			return -1;
		left -= length;
	}
	return 0;
}
