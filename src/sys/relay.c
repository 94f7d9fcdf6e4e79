/* SPDX-License-Identifier: MIT */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/file.h"
#include "sys/relay.h"

/* bind(2) makes the path, and then lets others connect, within this time. */
#define BIND_TIME 10

/* Room for a path of a control group, and a little more. */
#define GROUP 4352

/* Room for the descriptors of a letter, and who sent it. */
union control {
	char room[CMSG_SPACE(RELAY_DESCRIPTORS * sizeof(int)) +
	    CMSG_SPACE(sizeof(struct ucred))];
	struct cmsghdr header;
};

static struct sockaddr_un
address_in(DIR *folder, const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	text_append(address.sun_path, sizeof(address.sun_path),
	    "/proc/self/fd/%d/%s", dirfd(folder), name);
	return address;
}

/*
 * Opens a folder in which nobody but root and this user can change a name, and
 * removes from it the sockets of runs that were killed, which nobody holds.  A
 * program that root runs may have another user, who must get into the folder.
 */
static DIR *
open_folder(const char *name)
{
	DIR *folder = opendir(name);
	int end = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct stat status;
	struct dirent *entry;

	if (folder != NULL &&
	    (fstat(dirfd(folder), &status) == -1 ||
		(status.st_uid != 0 && status.st_uid != geteuid()) ||
		(status.st_mode & (S_IWGRP | S_IWOTH)) != 0 ||
		(geteuid() == 0 && (status.st_mode & S_IXOTH) == 0))) {
		closedir(folder);
		folder = NULL;
	}
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		const struct sockaddr_un address =
		    address_in(folder, entry->d_name);

		if (fnmatch("retry-[0-9]*-[0-9]*", entry->d_name, 0) == 0 &&
		    fstatat(dirfd(folder), entry->d_name, &status,
			AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISSOCK(status.st_mode) &&
		    status.st_mtime < time(NULL) - BIND_TIME &&
		    connect(end, (const struct sockaddr *)&address,
			sizeof(address)) == -1 &&
		    errno == ECONNREFUSED)
			unlinkat(dirfd(folder), entry->d_name, 0);
	}
	file_close(&end);
	return folder;
}

/*
 * Binds the socket to a path in the first of these folders.  Every user may
 * write to the socket: its mode is set before it has a path, since the path may
 * be another file's by then.
 */
static bool
bind_path(int socket, const char *folders, uint64_t attempt, char *name)
{
	const size_t length = folders == NULL ? 0 : strcspn(folders, ":");
	char base[64];

	if (length == 0 || length >= RELAY_NAME)
		return false;
	strlcpy(name, folders, length + 1);
	DIR *folder = open_folder(name);
	if (folder == NULL)
		return false;
	snprintf(base, sizeof(base), "retry-%ld-%" PRIu64, (long)getpid(),
	    attempt);
	const struct sockaddr_un address = address_in(folder, base);
	const mode_t mask = umask(0);
	const bool bound = text_append(name, RELAY_NAME, "/%s", base) &&
	    fchmod(socket, 0666) == 0 &&
	    bind(socket, (const struct sockaddr *)&address, sizeof(address)) ==
		0;
	umask(mask);
	closedir(folder);
	return bound;
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

/* A path first: podman's conmon and another network have no abstract names. */
int
relay_open(uint64_t attempt, char name[RELAY_NAME])
{
	const char *const folders[] = { getenv("RUNTIME_DIRECTORY"),
		getenv("XDG_RUNTIME_DIR"), "/run", NULL };
	const size_t count = sizeof(folders) / sizeof(folders[0]);
	const int on = 1;

	for (size_t i = 0; i < count; i++) {
		int end = file_above_2(socket(AF_UNIX,
		    SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));

		if (end != -1 &&
		    setsockopt(end, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) ==
			0 &&
		    (bind_path(end, folders[i], attempt, name) ||
			(i == count - 1 && bind_abstract(end, name))))
			return end;
		file_close(&end);
	}
	return -1;
}

void
relay_close(int socket, char *name)
{
	close(socket);
	if (*name != '/')
		return;
	char *base = strrchr(name, '/');
	*base = '\0';
	DIR *folder = open_folder(name);
	if (folder == NULL)
		return;
	unlinkat(dirfd(folder), base + 1, 0);
	closedir(folder);
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

	snprintf(name, sizeof(name), "/proc/%ld", (long)first);
	return sender->uid == geteuid() ||
	    (stat(name, &status) == 0 && status.st_uid == sender->uid) ||
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
	    (message.msg_flags & MSG_CTRUNC) != 0 ||
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
