#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/number.h"
#include "sys/descriptor.h"
#include "sys/notify.h"

#define MESSAGE 1024

/* A path, or with "@" for a NUL an abstract name; other kinds are not known. */
static bool
read_address(struct notify *notify, const char *name)
{
	const size_t length = strlen(name);

	if ((*name != '/' && *name != '@') || name[1] == '\0' ||
	    length >= sizeof(notify->address.sun_path))
		return false;
	notify->address.sun_family = AF_UNIX;
	memcpy(notify->address.sun_path, name, length);
	if (*name == '@')
		notify->address.sun_path[0] = '\0';
	notify->length =
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
	return true;
}

void
notify_open(struct notify *notify)
{
	const char *name = getenv("NOTIFY_SOCKET");

	*notify = (struct notify){ .socket = -1 };
	if (name != NULL && read_address(notify, name))
		notify->socket = descriptor_raise(
		    socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

void
notify_close(struct notify *notify)
{
	if (notify->socket != -1)
		close(notify->socket);
	notify->socket = -1;
}

static void
send_text(const struct notify *notify, const char *text)
{
	if (notify->socket != -1)
		sendto(notify->socket, text, strlen(text),
		    MSG_DONTWAIT | MSG_NOSIGNAL,
		    (const struct sockaddr *)&notify->address, notify->length);
}

void
notify_status(const struct notify *notify, const char *text)
{
	char message[MESSAGE];

	snprintf(message, sizeof(message), "STATUS=%s", text);
	send_text(notify, message);
}

void
notify_extend(const struct notify *notify, double seconds)
{
	char message[MESSAGE];

	snprintf(message, sizeof(message), "EXTEND_TIMEOUT_USEC=%.0f",
	    number_ceil(seconds * 1e6));
	send_text(notify, message);
}

void
notify_stopping(struct notify *notify)
{
	if (!notify->stopping)
		send_text(notify, "STOPPING=1");
	notify->stopping = true;
}
