/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/events.h"
#include "sys/file.h"
#include "sys/notify.h"

/* Seconds for an attempt to start, if it has no limit: systemd's default. */
#define START_TIME 90.0

/*
 * Seconds between requests for more time: `systemctl daemon-reload` takes back
 * what was granted.
 */
#define EXTEND_EACH 5.0

/* Milliseconds that the last messages wait for the manager. */
#define PATIENCE 1000

/* As much of a program's status is passed on. */
#define PROGRAM_STATUS 2048

/* What may be due, in the order in which it is sent. */
enum { RELOADING, READY, STOPPING, STATUS, EXTEND, WATCHDOG, KINDS };

/* What systemd must know. */
#define VITAL (1U << RELOADING | 1U << READY | 1U << STOPPING)

/* Seconds after which systemd takes `retry` for hung, or 0. */
static double
watchdog_limit(void)
{
	const char *time = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");
	const char *problem = NULL;

	if (time == NULL ||
	    (pid != NULL && strtonum(pid, 1, INT_MAX, &problem) != getpid()))
		return 0;
	const long long limit = strtonum(time, 1, INT64_MAX, &problem);
	return problem == NULL ? (double)limit / 1e6 : 0;
}

static int
join(const struct notify *notify)
{
	return connect(notify->socket,
	    (const struct sockaddr *)&notify->address, notify->length);
}

int
notify_send(struct notify *notify, const char *text, const int *descriptors,
    size_t count)
{
	union {
		char room[CMSG_SPACE(NOTIFY_DESCRIPTORS * sizeof(int))];
		struct cmsghdr header;
	} control;
	struct iovec words = { (void *)text, strlen(text) };
	struct msghdr message = { .msg_iov = &words, .msg_iovlen = 1 };
	const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;

	if (count > 0) {
		control.header = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(count * sizeof(int)),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
		};
		memcpy(CMSG_DATA(&control.header), descriptors,
		    count * sizeof(int));
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
	}
	if (sendmsg(notify->socket, &message, flags) != -1)
		return 0;
	/* A manager that was started anew has another socket of that name. */
	if (errno == EAGAIN || join(notify) == -1)
		return -1;
	return sendmsg(notify->socket, &message, flags) == -1 ? -1 : 0;
}

/* Writes the message of this kind. */
static void
compose(const struct notify *notify, int kind, char text[NOTIFY_BYTES])
{
	const double now = events_time(CLOCK_MONOTONIC);
	const char *more = notify->program_status;
	const size_t size = NOTIFY_BYTES;

	switch (kind) {
	case RELOADING:
		snprintf(text, size, "RELOADING=1\nMONOTONIC_USEC=%.0f",
		    floor(now * 1e6));
		break;
	case READY:
		snprintf(text, size, "READY=1");
		break;
	case STOPPING:
		snprintf(text, size, "STOPPING=1");
		break;
	case STATUS:
		snprintf(text, size, "STATUS=%s%s%s",
		    notify->status == NULL ? "" : notify->status,
		    more == NULL ? "" : "; ", more == NULL ? "" : more);
		break;
	case EXTEND:
		snprintf(text, size, "EXTEND_TIMEOUT_USEC=%.0f",
		    ceil(fmax(notify->extended - now, 0) * 1e6));
		break;
	case WATCHDOG:
		snprintf(text, size, "WATCHDOG=1");
		break;
	}
}

/* Sends what is due, until there is no room. */
static void
flush(struct notify *notify)
{
	char text[NOTIFY_BYTES];

	for (int kind = 0; kind < KINDS; kind++) {
		if ((notify->due & 1U << kind) == 0)
			continue;
		compose(notify, kind, text);
		if (notify_send(notify, text, NULL, 0) == 0)
			notify->due &= ~(1U << kind);
		else if (errno == EAGAIN) {
			ev_io_start(notify->events, &notify->room);
			return;
		}
	}
	ev_io_stop(notify->events, &notify->room);
}

static void
owe(struct notify *notify, int kind)
{
	if (notify->socket == -1)
		return;
	notify->due |= 1U << kind;
	flush(notify);
}

static void
room_ready(struct ev_loop *events, ev_io *watcher, int flags)
{
	(void)events, (void)flags;
	flush(watcher->data);
}

/* A sign of life, and a request for the rest of the time that was asked for. */
static void
beat(struct ev_loop *events, ev_timer *watcher, int flags)
{
	struct notify *notify = watcher->data;

	(void)flags;
	if (notify->watchdog > 0)
		owe(notify, WATCHDOG);
	if (notify->stage == NOTIFY_STARTING &&
	    notify->extended > events_time(CLOCK_MONOTONIC))
		owe(notify, EXTEND);
	else if (notify->watchdog == 0)
		ev_timer_stop(events, watcher);
}

/* A path, or an abstract name with "@" for NUL; no other kind. */
static int
find(struct notify *notify, const char *name)
{
	const size_t length = strlen(name);

	errno = EPROTONOSUPPORT;
	if ((*name != '/' && *name != '@') ||
	    length >= sizeof(notify->address.sun_path))
		return -1;
	notify->address.sun_family = AF_UNIX;
	memcpy(notify->address.sun_path, name, length);
	if (*name == '@')
		notify->address.sun_path[0] = '\0';
	notify->length =
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
	notify->socket =
	    file_above_2(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
	return notify->socket == -1 ? -1 : join(notify);
}

void
notify_open(struct notify *notify, const struct policy *policy,
    struct ev_loop *events, struct messages *messages)
{
	const char *name = getenv("NOTIFY_SOCKET");
	char safe[128];

	*notify = (struct notify){
		.socket = -1,
		.events = events,
		.bounded = policy->limits.attempts > 0 || policy->max_time > 0,
	};
	if (name == NULL || *name == '\0')
		return;
	if (find(notify, name) == -1) {
		say_error(messages, "cannot notify systemd: %s",
		    text_safe(name, safe, sizeof(safe)));
		if (notify->socket != -1)
			close(notify->socket);
		notify->socket = -1;
		return;
	}
	notify->watchdog = watchdog_limit();
	const double each = notify->watchdog > 0
	    ? fmin(notify->watchdog / 2, EXTEND_EACH)
	    : EXTEND_EACH;
	ev_io_init(&notify->room, room_ready, notify->socket, EV_WRITE);
	ev_timer_init(&notify->pulse, beat, 0, each);
	notify->room.data = notify->pulse.data = notify;
	if (notify->watchdog > 0)
		ev_timer_start(events, &notify->pulse);
}

/* The next attempt may take so long to start, after the wait. */
static void
extend(struct notify *notify, const struct policy *policy,
    const struct record *record)
{
	/* A check may take as long again; the next attempt has no more. */
	const double limit = isinf(record->timeout)
	    ? 0
	    : (record->timeout + policy->kill_after) *
		(policy->rules.check ? 2 : 1);

	notify->extended = events_time(CLOCK_MONOTONIC) +
	    (record->runs ? 0 : record->delay.seconds) +
	    fmax(limit, START_TIME);
	owe(notify, EXTEND);
	if (!ev_is_active(&notify->pulse)) {
		ev_timer_set(&notify->pulse, EXTEND_EACH, EXTEND_EACH);
		ev_timer_start(notify->events, &notify->pulse);
	}
}

void
notify_tell(struct notify *notify, const struct report_style *style,
    const struct record *record)
{
	const bool runs = record->kind == RECORD_ATTEMPT;

	if (notify->socket == -1)
		return;
	const struct message status = message_status(style, record);
	if (*status.text == '\0')
		return;
	free(notify->status);
	notify->status = strdup(status.text);
	owe(notify, STATUS);
	if (record->kind == RECORD_HEALTH && record->first_healthy)
		notify_ready(notify);

	/*
	 * The time of the first attempt is what the unit says; a run that never
	 * gives up leaves all to the unit.
	 */
	if ((record->kind == RECORD_WAIT ||
		(runs && record->just_waited >= 0)) &&
	    record->failures == record->attempt - runs &&
	    notify->stage == NOTIFY_STARTING && notify->bounded)
		extend(notify, style->policy, record);
}

void
notify_add_status(struct notify *notify, const char *text)
{
	char safe[PROGRAM_STATUS];

	free(notify->program_status);
	notify->program_status =
	    text == NULL ? NULL : strdup(text_safe(text, safe, sizeof(safe)));
	if (text != NULL)
		owe(notify, STATUS);
}

void
notify_ready(struct notify *notify)
{
	if (notify->stage != NOTIFY_STARTING &&
	    notify->stage != NOTIFY_RELOADING)
		return;
	notify->stage = NOTIFY_READY;
	owe(notify, READY);
}

void
notify_reloaded(struct notify *notify)
{
	/* READY=1 would end a start that goes on. */
	if (notify->stage != NOTIFY_READY)
		return;
	owe(notify, RELOADING);
	owe(notify, READY);
}

void
notify_stopping(struct notify *notify)
{
	if (notify->stage == NOTIFY_STOPPING)
		return;
	notify->stage = NOTIFY_STOPPING;
	notify->due &= ~VITAL;
	owe(notify, STOPPING);
}

void
notify_close(struct notify *notify)
{
	struct pollfd poll_fd = { .fd = notify->socket, .events = POLLOUT };

	if ((notify->due & VITAL) != 0 && poll(&poll_fd, 1, PATIENCE) == 1)
		flush(notify);
	if (notify->socket != -1)
		close(notify->socket);
	free(notify->status);
	free(notify->program_status);
}
