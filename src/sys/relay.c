/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/file.h"
#include "sys/relay.h"

/* Room for a path of a control group, and a little more. */
#define GROUP 4352

/* Room for the descriptors of a letter, and who sent it. */
union control {
	char room[CMSG_SPACE(RELAY_DESCRIPTORS * sizeof(int)) +
	    CMSG_SPACE(sizeof(struct ucred))];
	struct cmsghdr header;
};

/*
 * Binds the socket to a path in this folder, which everybody may use: the
 * program may have another user, who must get into the folder.
 */
static bool
bind_path(int socket, const char *folder, uint64_t attempt, char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const size_t size = sizeof(address.sun_path);
	struct stat status;

	if (folder == NULL || strcspn(folder, ":") >= size)
		return false;
	strlcpy(name, folder, strcspn(folder, ":") + 1);
	if (stat(name, &status) == -1 ||
	    (geteuid() == 0 && (status.st_mode & S_IXOTH) == 0) ||
	    !text_append(name, size, "/retry-%ld-%" PRIu64, (long)getpid(),
		attempt))
		return false;
	strlcpy(address.sun_path, name, size);
	/* One of a `retry` that was killed. */
	unlink(name);
	return bind(socket, (struct sockaddr *)&address, sizeof(address)) ==
	    0 &&
	    chmod(name, 0666) == 0;
}

/* Lets the kernel choose an abstract name, which is written with "@". */
static bool
bind_abstract(int socket, char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t length = sizeof(address);

	if (bind(socket, (struct sockaddr *)&address,
		sizeof(address.sun_family)) == -1 ||
	    getsockname(socket, (struct sockaddr *)&address, &length) == -1)
		return false;
	snprintf(name, RELAY_NAME, "@%.*s",
	    (int)(length - offsetof(struct sockaddr_un, sun_path)) - 1,
	    address.sun_path + 1);
	return true;
}

int
relay_open(uint64_t attempt, char name[RELAY_NAME])
{
	const int on = 1;
	const int end = file_above_2(
	    socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));

	/*
	 * A path first: podman's conmon and a program in another network name
	 * space reach no abstract name.
	 */
	if (end != -1 &&
	    setsockopt(end, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0 &&
	    (bind_path(end, getenv("RUNTIME_DIRECTORY"), attempt, name) ||
		bind_path(end, getenv("XDG_RUNTIME_DIR"), attempt, name) ||
		bind_path(end, "/run", attempt, name) ||
		bind_abstract(end, name)))
		return end;
	if (end != -1)
		close(end);
	return -1;
}

void
relay_close(int socket, const char *name)
{
	close(socket);
	if (*name == '/')
		unlink(name);
}

/* Whether a process is in the control group of `retry`, or in one below. */
static bool
is_in_group(pid_t pid)
{
	char name[64], own[GROUP], other[GROUP];

	snprintf(name, sizeof(name), "/proc/%ld/cgroup", (long)pid);
	/* "0::/system.slice/one.service", and the end of the line. */
	const ssize_t length =
	    file_read("/proc/self/cgroup", own, sizeof(own)) - 1;
	return length > 0 && file_read(name, other, sizeof(other)) > length &&
	    strncmp(own, other, (size_t)length) == 0 &&
	    (own[length - 1] == '/' || other[length] == '/' ||
		other[length] == '\n');
}

/*
 * Anybody can find and reach the socket.  A sender that has ended is known by
 * its user alone.
 */
static bool
is_of_attempt(const struct ucred *sender, pid_t first)
{
	char name[64];
	struct stat status;

	if (sender->uid == 0 || sender->uid == geteuid())
		return true;
	snprintf(name, sizeof(name), "/proc/%ld", (long)first);
	return (stat(name, &status) == 0 && status.st_uid == sender->uid) ||
	    is_in_group(sender->pid);
}

bool
relay_receive(int socket, pid_t first, struct letter *letter)
{
	union control control;
	struct iovec words = { letter->text, sizeof(letter->text) };
	struct msghdr message = {
		.msg_iov = &words,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct ucred sender = { .uid = (uid_t)-1 };
	const ssize_t length =
	    recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (length == -1)
		return false;
	for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL;
	     header = CMSG_NXTHDR(&message, header)) {
		if (header->cmsg_level != SOL_SOCKET)
			continue;
		if (header->cmsg_type == SCM_CREDENTIALS)
			memcpy(&sender, CMSG_DATA(header), sizeof(sender));
		if (header->cmsg_type != SCM_RIGHTS)
			continue;
		const size_t size = header->cmsg_len - CMSG_LEN(0);
		memcpy(letter->descriptors, CMSG_DATA(header), size);
		letter->count = size / sizeof(int);
	}
	letter->text[length <= RELAY_BYTES ? length : 0] = '\0';
	/* One NUL at the end is nothing; more are no text. */
	if ((size_t)length > strlen(letter->text) + 1 ||
	    !is_of_attempt(&sender, first))
		*letter->text = '\0';
	return true;
}

bool
relay_send(int socket, const struct letter *letter)
{
	const size_t size = letter->count * sizeof(int);
	struct iovec words = { (void *)letter->text, strlen(letter->text) };
	struct msghdr message = { .msg_iov = &words, .msg_iovlen = 1 };
	union control control = { .room = { 0 } };

	if (size > 0) {
		control.header = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(size),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
		};
		memcpy(CMSG_DATA(&control.header), letter->descriptors, size);
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(size);
	}
	/* musl's sendmsg(3) takes fewer descriptors than the kernel. */
	return syscall(SYS_sendmsg, socket, &message,
		   MSG_DONTWAIT | MSG_NOSIGNAL) != -1;
}

void
relay_close_descriptors(struct letter *letter)
{
	for (size_t i = 0; i < letter->count; i++)
		close(letter->descriptors[i]);
	letter->count = 0;
}
