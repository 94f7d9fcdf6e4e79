#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/descriptor.h"

#define PIPE_SIZE (1 << 20)

/* Newer than Debian 12's headers; some systems insist on it. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int
descriptor_raise(int descriptor)
{
	if (descriptor == -1 || descriptor > STDERR_FILENO)
		return descriptor;
	const int raised =
	    fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	const int error = errno;
	close(descriptor);
	errno = error;
	return raised;
}

int
descriptor_in_memory(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd == -1 && errno == EINVAL)
		fd = memfd_create(name, MFD_CLOEXEC);
	return descriptor_raise(fd);
}

const char *
descriptor_problem(int error)
{
	switch (error) {
	case ELOOP:
		return "is a symbolic link";
	case ENXIO:
		return "is a pipe without a reader, or a socket";
	default:
		return strerror(error);
	}
}

const char *
descriptor_check_kind(const struct stat *status)
{
	if (S_ISLNK(status->st_mode))
		return descriptor_problem(ELOOP);
	return S_ISREG(status->st_mode) ? NULL : "is not a regular file";
}

const char *
descriptor_check_file(int descriptor)
{
	struct stat status;

	if (fstat(descriptor, &status) == -1)
		return strerror(errno);
	return descriptor_check_kind(&status);
}

bool
descriptor_is_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

void
descriptor_widen(int fd)
{
	if (fcntl(fd, F_GETPIPE_SZ) < PIPE_SIZE)
		fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE);
}
