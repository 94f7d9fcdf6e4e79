#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/descriptor.h"

#define PIPE_SIZE (1 << 20)

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
