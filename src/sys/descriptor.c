#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "sys/descriptor.h"

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
