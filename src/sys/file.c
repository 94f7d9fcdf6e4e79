/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <libutil.h>
#include <limits.h>
#include <paths.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/file.h"

#define SAFE (O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
#define MODE 0600
#define PIPE_SIZE (1 << 20)

/* Newer than Debian 12's headers; some systems insist on it. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

void
file_close(int *descriptor)
{
	const int error = errno;

	if (*descriptor != NO_DESCRIPTOR)
		close(*descriptor);
	*descriptor = NO_DESCRIPTOR;
	errno = error;
}

int
file_above_2(int descriptor)
{
	if (descriptor == -1 || descriptor > STDERR_FILENO)
		return descriptor;
	const int raised =
	    fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	file_close(&descriptor);
	return raised;
}

int
file_in_memory(const char *name)
{
	const int error = errno;
	int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (descriptor == -1 && errno == EINVAL)
		descriptor = memfd_create(name, MFD_CLOEXEC);
	descriptor = file_above_2(descriptor);
	errno = error;
	return descriptor;
}

int
file_null(void)
{
	const int null = file_above_2(open(_PATH_DEVNULL, O_RDWR | O_CLOEXEC));

	return null != -1 ? null : file_in_memory("retry-null");
}

int
file_pipe(int ends[2])
{
	int raw[2];

	ends[0] = ends[1] = NO_DESCRIPTOR;
	if (pipe2(raw, O_CLOEXEC) == -1)
		return -1;
	ends[0] = file_above_2(raw[0]);
	ends[1] = ends[0] == -1 ? raw[1] : file_above_2(raw[1]);
	if (ends[0] != -1 && ends[1] != -1 &&
	    fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
		return 0;
	file_close(&ends[0]);
	file_close(&ends[1]);
	return -1;
}

ssize_t
file_read(const char *name, char *text, size_t size)
{
	int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const ssize_t length = file == -1 ? -1 : read(file, text, size - 1);

	text[length < 0 ? 0 : length] = '\0';
	file_close(&file);
	return length;
}

off_t
file_offset(int descriptor)
{
	char name[64], text[64];
	long long offset;

	snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", descriptor);
	file_read(name, text, sizeof(text));
	return sscanf(text, "pos: %lld", &offset) == 1 ? (off_t)offset : -1;
}

bool
file_must_copy(int error)
{
	return error == EINVAL || error == ENOSYS || error == EPERM ||
	    error == EOPNOTSUPP;
}

void
file_widen_pipe(int descriptor)
{
	if (fcntl(descriptor, F_GETPIPE_SZ) < PIPE_SIZE)
		fcntl(descriptor, F_SETPIPE_SZ, PIPE_SIZE);
}

int
file_open(const char *name, int flags)
{
	return file_above_2(open(name, flags | SAFE, MODE));
}

int
file_lock(const char *name, int flags)
{
	return file_above_2(flopen(name, flags | O_RDWR | SAFE, MODE));
}

const char *
file_descriptor(const char *name, int *descriptor)
{
	static const struct {
		const char *prefix;
		int descriptor; /* or -1: its number follows */
	} rows[] = {
		{ "-", STDOUT_FILENO },
		{ "/dev/stdout", STDOUT_FILENO },
		{ "/dev/stderr", STDERR_FILENO },
		{ "fd:", -1 },
		{ "/dev/fd/", -1 },
		{ "/proc/self/fd/", -1 },
	};
	const char *problem = NULL;

	*descriptor = -1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const size_t length = strlen(rows[i].prefix);

		if (strncmp(name, rows[i].prefix, length) != 0)
			continue;
		if (rows[i].descriptor == -1)
			*descriptor =
			    (int)strtonum(name + length, 0, INT_MAX, &problem);
		else if (name[length] == '\0')
			*descriptor = rows[i].descriptor;
	}
	return problem == NULL ? NULL : "is not the number of a descriptor";
}

int
file_share(int descriptor)
{
	char name[32];
	struct stat status;

	const int flags = fcntl(descriptor, F_GETFL);
	if (flags == -1 || fstat(descriptor, &status) == -1)
		return -1;
	if ((flags & O_ACCMODE) == O_RDONLY) {
		errno = EBADFD;
		return -1;
	}
	if (descriptor > STDERR_FILENO)
		fcntl(descriptor, F_SETFD, FD_CLOEXEC);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", descriptor);
	const int own = S_ISFIFO(status.st_mode) || isatty(descriptor)
	    ? open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
	    : -1;
	if (own != -1)
		return file_above_2(own);
	return fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

const char *
file_problem(int error)
{
	switch (error) {
	case ELOOP:
		return "is a symbolic link";
	case ENXIO:
		return "is a FIFO that nobody reads yet, a socket or "
		       "a missing terminal";
	case EWOULDBLOCK:
		return "is locked";
	case EBADF:
		return "is closed";
	case EBADFD:
		return "cannot be written to";
	default:
		return strerror(error);
	}
}

const char *
file_check(int descriptor)
{
	struct stat status;

	if (fstat(descriptor, &status) == -1)
		return strerror(errno);
	return S_ISREG(status.st_mode) ? NULL : "is not a regular file";
}

bool
file_is_journal(int descriptor)
{
	/* systemd gives the device and the inode of the socket. */
	const char *journal = getenv("JOURNAL_STREAM");
	struct stat status;
	char socket[64];

	if (journal == NULL || fstat(descriptor, &status) == -1)
		return false;
	snprintf(socket, sizeof(socket), "%ju:%ju", (uintmax_t)status.st_dev,
	    (uintmax_t)status.st_ino);
	return strcmp(journal, socket) == 0;
}

bool
file_is_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

int
file_replace(const char *name, const char *new_name, const char *text)
{
	const ssize_t length = (ssize_t)strlen(text);
	const int file = file_open(new_name, O_WRONLY | O_CREAT | O_EXCL);

	if (file == -1)
		return -1;
	/* A write that is cut short sets no error. */
	errno = ENOSPC;
	const bool written =
	    write(file, text, (size_t)length) == length && fsync(file) == 0;
	if (close(file) == 0 && written && rename(new_name, name) == 0)
		return 0;
	const int error = errno;
	unlink(new_name);
	errno = error;
	return -1;
}
