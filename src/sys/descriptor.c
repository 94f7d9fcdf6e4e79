#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
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

void
descriptor_widen(int fd)
{
	if (fcntl(fd, F_GETPIPE_SZ) < PIPE_SIZE)
		fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE);
}
