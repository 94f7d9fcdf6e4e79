/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/events.h"
#include "sys/file.h"
#include "sys/relay.h"

/* How many messages are read in one turn of the loop. */
#define MESSAGES_MOST 64

/* Seconds that the last words of an attempt wait for systemd. */
#define PATIENCE 1.0

/* Room for a path of a control group, and a little more. */
#define GROUP 4352

/* What becomes of a line. */
enum fate {
	PASSED,
	DROPPED,
	READY,	   /* passed if the unit is not ready yet, or reloads */
	RELOADING, /* passed if the attempt is ready */
	STATUS,	   /* goes behind the status of the run */
	ALIVE,	   /* `retry` feeds the watchdog of systemd itself, and this */
	LIMIT,	   /* one, of the attempt, in its place */
	HANGS,
	EXTENSION, /* passed while the unit starts or ends */
	ERROR,	   /* passed, and taken back when an attempt is ready */
	GIVES	   /* passed with its descriptors */
};

/* A line that is not here is passed.  One that ends in "=" has a value. */
static const struct {
	const char *line;
	enum fate fate;
} lines[] = {
	{ "READY=1", READY },
	{ "STATUS=", STATUS },
	{ "RELOADING=1", RELOADING },
	{ "MONOTONIC_USEC=", RELOADING },
	/* `retry` says so if the run ends; the unit outlives an attempt. */
	{ "STOPPING=1", DROPPED },
	/* systemd would follow the program, and hear `retry` no more. */
	{ "MAINPID=", DROPPED },
	{ "MAINPIDFD=1", DROPPED },
	{ "MAINPIDFDID=", DROPPED },
	{ "NOTIFYACCESS=", DROPPED },
	{ "WATCHDOG=1", ALIVE },
	{ "WATCHDOG=trigger", HANGS },
	{ "WATCHDOG_USEC=", LIMIT },
	{ "EXTEND_TIMEOUT_USEC=", EXTENSION },
	{ "ERRNO=", ERROR },
	{ "FDSTORE=1", GIVES },
	{ "BARRIER=1", GIVES },
};

/* A message as it came. */
struct letter {
	char text[NOTIFY_BYTES + 1];
	struct ucred sender;
	int descriptors[NOTIFY_DESCRIPTORS];
	size_t count;
};

/* What the letter changes once systemd has it. */
struct change {
	enum notify_stage stage;
	bool ready;
	bool failed;
};

static bool
is_open(const struct relay *relay)
{
	return relay->received.fd != NO_DESCRIPTOR;
}

/* --- who speaks --- */

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
is_of_attempt(const struct relay *relay, const struct ucred *sender)
{
	char name[64];
	struct stat first;

	if (sender->uid == 0 || sender->uid == geteuid())
		return true;
	snprintf(name, sizeof(name), "/proc/%ld", (long)relay->child->pid);
	return (stat(name, &first) == 0 && first.st_uid == sender->uid) ||
	    is_in_group(sender->pid);
}

/* --- what it says --- */

/*
 * Reads the next message, and leaves it where it is.  Returns false if there is
 * none.  The text is "" if the message is refused, as systemd would.
 */
static bool
peek(const struct relay *relay, struct letter *letter)
{
	union {
		char room[CMSG_SPACE(sizeof(letter->descriptors)) +
		    CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr header;
	} control;
	struct iovec words = { letter->text, sizeof(letter->text) };
	struct msghdr message = {
		.msg_iov = &words,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	const ssize_t length = recvmsg(relay->received.fd, &message,
	    MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	letter->sender = (struct ucred){ .uid = (uid_t)-1 };
	letter->count = 0;
	if (length == -1)
		return false;
	for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL;
	     header = CMSG_NXTHDR(&message, header)) {
		if (header->cmsg_level != SOL_SOCKET)
			continue;
		if (header->cmsg_type == SCM_CREDENTIALS)
			memcpy(&letter->sender, CMSG_DATA(header),
			    sizeof(letter->sender));
		if (header->cmsg_type != SCM_RIGHTS)
			continue;
		const size_t size = header->cmsg_len - CMSG_LEN(0);
		memcpy(letter->descriptors, CMSG_DATA(header), size);
		letter->count = size / sizeof(int);
	}
	letter->text[length <= NOTIFY_BYTES ? length : 0] = '\0';
	/* One NUL at the end is nothing; more are no text. */
	if ((size_t)length > strlen(letter->text) + 1 ||
	    !is_of_attempt(relay, &letter->sender))
		letter->text[0] = '\0';
	return true;
}

static enum fate
fate_of(const char *line)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const size_t length = strlen(lines[i].line);

		if (strncmp(line, lines[i].line, length) == 0 &&
		    (line[length] == '\0' || lines[i].line[length - 1] == '='))
			return lines[i].fate;
	}
	return PASSED;
}

/* The attempt has given a sign of life, or its limit has changed. */
static void
watch(struct relay *relay)
{
	if (ev_is_active(&relay->watch) || relay->limit == 0)
		return;
	relay->watched = events_time(CLOCK_MONOTONIC);
	relay->missed = 0;
	ev_now_update(relay->notify->events);
	ev_timer_set(&relay->watch, relay->limit / 2, relay->limit / 2);
	ev_timer_start(relay->notify->events, &relay->watch);
}

/* Whether this line is passed on; notes what it means. */
static bool
obey_line(struct relay *relay, const char *line, struct change *change,
    bool *gives)
{
	const struct notify *notify = relay->notify;
	const char *value = strchr(line, '=') + 1;
	const enum notify_stage stage = change->stage;
	const char *problem;

	switch (fate_of(line)) {
	case PASSED:
		return true;
	case DROPPED:
		return false;
	case READY:
		change->ready = true;
		if (stage != NOTIFY_STARTING && stage != NOTIFY_RELOADING)
			return false;
		change->stage = NOTIFY_READY;
		return true;
	case RELOADING:
		if (!change->ready || stage == NOTIFY_STOPPING)
			return false;
		if (*line == 'R')
			change->stage = NOTIFY_RELOADING;
		return true;
	case STATUS:
		notify_add_status(relay->notify, value);
		return false;
	case ALIVE:
		relay->alive = true;
		watch(relay);
		return false;
	case LIMIT:
		relay->limit =
		    (double)strtonum(value, 0, INT64_MAX, &problem) / 1e6;
		if (ev_is_active(&relay->watch)) {
			ev_timer_stop(notify->events, &relay->watch);
			watch(relay);
		}
		return false;
	case HANGS:
		relay->triggered = true;
		return false;
	case EXTENSION:
		return stage == NOTIFY_STOPPING ||
		    (stage == NOTIFY_STARTING &&
			(relay->attempt == 1 || notify->bounded));
	case ERROR:
		change->failed = strcmp(value, "0") != 0;
		return true;
	case GIVES:
		*gives = true;
		return true;
	}
	return true;
}

/* Obeys the letter, and leaves of its text what is to be passed on. */
static struct change
obey(struct relay *relay, struct letter *letter, bool *gives)
{
	struct change change = {
		.stage = relay->notify->stage,
		.ready = relay->answers,
		.failed = relay->failed,
	};
	char text[NOTIFY_BYTES + 1];
	char *rest = text, *line;
	size_t length = 0;

	strlcpy(text, letter->text, sizeof(text));
	while ((line = strsep(&rest, "\n")) != NULL) {
		if (strchr(line, '=') == NULL ||
		    !obey_line(relay, line, &change, gives))
			continue;
		length += (size_t)snprintf(letter->text + length,
		    sizeof(letter->text) - length, "%s%s",
		    length > 0 ? "\n" : "", line);
	}
	letter->text[length] = '\0';
	if (change.failed && change.ready && !relay->answers &&
	    relay->attempt > 1 && length < NOTIFY_BYTES - 16) {
		snprintf(letter->text + length, 16, "%sERRNO=0",
		    length > 0 ? "\n" : "");
		change.failed = false;
	}
	return change;
}

/* Sends the SIGHUP that was held until the attempt is ready. */
static void
release(struct relay *relay)
{
	if (relay->held && relay->ready && relay->child->pid != 0)
		kill(relay->child->pid, SIGHUP);
	relay->held &= !relay->ready;
}

/*
 * Passes the next message on.  Returns 1, 0 if there is none, or -1 if systemd
 * has no room for it now.
 */
static int
pass(struct relay *relay)
{
	struct notify *notify = relay->notify;
	struct letter letter;
	bool gives = false;
	char first;
	int result = 0;

	if (!is_open(relay) || !peek(relay, &letter))
		return 0;
	const struct change change = obey(relay, &letter, &gives);
	if (*letter.text != '\0')
		result = notify_send(notify, letter.text, letter.descriptors,
		    gives ? letter.count : 0);
	const bool full = result == -1 && errno == EAGAIN;
	for (size_t i = 0; i < letter.count; i++)
		close(letter.descriptors[i]);
	if (full)
		return -1;
	recv(relay->received.fd, &first, sizeof(first), MSG_DONTWAIT);
	/* That it is ready is said again if it could not be. */
	if (result == -1 && change.stage == NOTIFY_READY)
		notify_ready(notify);
	notify->stage = change.stage;
	relay->ready |= change.ready;
	relay->answers = change.ready;
	relay->failed = change.failed;
	release(relay);
	return 1;
}

/* Passes on what there is; if systemd has no room, goes on when it has. */
static void
pass_all(struct relay *relay)
{
	struct ev_loop *events = relay->notify->events;
	int result = 1;

	for (int i = 0; i < MESSAGES_MOST && result == 1; i++)
		result = pass(relay);
	if (!is_open(relay))
		return;
	if (result == -1) {
		ev_io_stop(events, &relay->received);
		ev_io_start(events, &relay->room);
	} else {
		ev_io_stop(events, &relay->room);
		ev_io_start(events, &relay->received);
	}
}

/* Nothing watches a program that ends: it may have other things to do. */
static void
end_hung(struct relay *relay)
{
	ev_timer_stop(relay->notify->events, &relay->watch);
	relay->triggered = false;
	if (relay->notify->stage != NOTIFY_STOPPING)
		relay->hangs(relay->data);
}

static void
message_ready(struct ev_loop *events, ev_io *watcher, int flags)
{
	struct relay *relay = watcher->data;

	(void)events, (void)flags;
	pass_all(relay);
	if (relay->triggered)
		end_hung(relay);
}

/*
 * Half of the limit is over.  The count begins anew if this comes late, since
 * `retry` was stopped or frozen, and perhaps the attempt, and if systemd has no
 * room, since then nothing was read.
 */
static void
watch_over(struct ev_loop *events, ev_timer *watcher, int flags)
{
	struct relay *relay = watcher->data;
	const double now = events_time(CLOCK_MONOTONIC);
	const bool late = now - relay->watched > relay->limit * 0.75 ||
	    ev_is_active(&relay->room);

	(void)flags;
	pass_all(relay);
	relay->missed = relay->alive || late ? 0 : relay->missed + 1;
	relay->alive = false;
	relay->watched = now;
	/* After a stop libev would repeat the timer at once. */
	ev_now_update(events);
	ev_timer_again(events, watcher);
	if (relay->missed == 2 || relay->triggered)
		end_hung(relay);
}

/* --- the socket --- */

void
relay_open(struct relay *relay, struct notify *notify,
    const struct child *child, struct messages *messages,
    void (*hangs)(void *data), void *data)
{
	*relay = (struct relay){
		.notify = notify,
		.child = child,
		.messages = messages,
		.hangs = hangs,
		.data = data,
	};
	ev_io_init(&relay->received, message_ready, NO_DESCRIPTOR, EV_READ);
	ev_io_init(&relay->room, message_ready, notify->socket, EV_WRITE);
	ev_timer_init(&relay->watch, watch_over, 0, 0);
	relay->received.data = relay->room.data = relay->watch.data = relay;
}

/*
 * Binds the socket to a path in this folder, which everybody may use: the
 * program may have another user, who must get into the folder.
 */
static bool
bind_path(struct relay *relay, int socket, const char *folder)
{
	struct sockaddr_un *address = &relay->address;
	const size_t size = sizeof(address->sun_path);
	char *path = address->sun_path;
	struct stat status;

	if (folder == NULL || strcspn(folder, ":") >= size)
		return false;
	strlcpy(path, folder, strcspn(folder, ":") + 1);
	if (stat(path, &status) == -1 ||
	    (geteuid() == 0 && (status.st_mode & S_IXOTH) == 0) ||
	    !text_append(path, size, "/retry-%ld-%" PRIu64, (long)getpid(),
		relay->attempt))
		return false;
	/* One of a `retry` that was killed. */
	unlink(path);
	return bind(socket, (struct sockaddr *)address, sizeof(*address)) ==
	    0 &&
	    chmod(path, 0666) == 0;
}

/* Lets the kernel choose an abstract name, which is written with "@". */
static bool
bind_abstract(struct relay *relay, int socket)
{
	struct sockaddr_un *address = &relay->address;
	socklen_t length = sizeof(*address);

	if (bind(socket, (struct sockaddr *)address,
		sizeof(address->sun_family)) == -1 ||
	    getsockname(socket, (struct sockaddr *)address, &length) == -1)
		return false;
	address->sun_path[length - offsetof(struct sockaddr_un, sun_path)] =
	    '\0';
	address->sun_path[0] = '@';
	return true;
}

const char *
relay_begin(struct relay *relay, uint64_t attempt)
{
	const int on = 1;

	relay_end(relay);
	if (relay->notify->socket == -1)
		return NULL;
	relay->attempt = attempt;
	relay->ready = relay->answers = relay->triggered = relay->alive = false;
	relay->limit = relay->notify->watchdog;
	relay->address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	const int end = file_above_2(
	    socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	if (end == -1 ||
	    setsockopt(end, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == -1 ||
	    /*
	     * A path first: podman's conmon and a program in another network
	     * name space reach no abstract name.
	     */
	    !(bind_path(relay, end, getenv("RUNTIME_DIRECTORY")) ||
		bind_path(relay, end, getenv("XDG_RUNTIME_DIR")) ||
		bind_path(relay, end, "/run") || bind_abstract(relay, end))) {
		say_error(relay->messages,
		    "cannot receive what the attempt sends to systemd");
		if (end != -1)
			close(end);
		return NULL;
	}
	ev_io_set(&relay->received, end, EV_READ);
	ev_io_start(relay->notify->events, &relay->received);
	return relay->address.sun_path;
}

void
relay_end(struct relay *relay)
{
	struct ev_loop *events = relay->notify->events;
	struct pollfd poll_fd = { .fd = relay->notify->socket,
		.events = POLLOUT };
	const double until = events_time(CLOCK_MONOTONIC) + PATIENCE;
	double left;
	int result;

	if (!is_open(relay))
		return;
	while ((result = pass(relay)) != 0 &&
	    (left = until - events_time(CLOCK_MONOTONIC)) > 0)
		if (result == -1)
			poll(&poll_fd, 1, (int)(left * 1000) + 1);
	ev_io_stop(events, &relay->received);
	ev_io_stop(events, &relay->room);
	ev_timer_stop(events, &relay->watch);
	close(relay->received.fd);
	relay->received.fd = NO_DESCRIPTOR;
	if (relay->address.sun_path[0] == '/')
		unlink(relay->address.sun_path);
	notify_add_status(relay->notify, NULL);
	/* The next attempt reads what was to be read again. */
	if (relay->held)
		notify_reloaded(relay->notify);
	relay->held = false;
}

void
relay_tell(struct relay *relay, const struct report_style *style,
    const struct record *record)
{
	notify_tell(relay->notify, style, record);
	if (record->kind == RECORD_HEALTH && record->first_healthy) {
		relay->ready = true;
		release(relay);
	}
}

bool
relay_reload(struct relay *relay)
{
	const bool runs = is_open(relay) && relay->child->pid != 0;

	relay->held = runs && !relay->ready &&
	    (relay->notify->stage == NOTIFY_READY ||
		relay->notify->stage == NOTIFY_RELOADING);
	if (!relay->held && !(runs && relay->answers))
		notify_reloaded(relay->notify);
	return !relay->held;
}
