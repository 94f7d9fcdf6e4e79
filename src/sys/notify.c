/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/events.h"
#include "sys/file.h"
#include "sys/notify.h"
#include "sys/relay.h"

/* Seconds for an attempt to start, if it has no limit: systemd's default. */
#define START_TIME 90.0

/* Seconds for a message to reach the manager. */
#define MESSAGE_TIME 0.1

/*
 * Seconds between requests for more time: `systemctl daemon-reload` takes back
 * what was granted.
 */
#define EXTEND_EACH 5.0

/* The pulse beats no faster for an attempt, whatever the limit of that. */
#define LEAST_PULSE 0.01

/* Seconds that the last messages wait for the manager. */
#define PATIENCE 1.0

/* In one turn of the loop, and more than wait in a socket under systemd. */
#define MESSAGES_MOST 1000

/* Room for the status of a program; the rest of it is cut off. */
#define STATUS_ROOM 2048

/* What systemd knows of the unit. */
enum stage { NOTIFY_STARTING, NOTIFY_READY, NOTIFY_RELOADING, NOTIFY_STOPPING };

struct notify {
	int socket; /* to the manager */
	const struct child *child;
	struct messages *messages;
	struct ev_loop *events;
	ev_io room;	/* the manager takes messages again */
	ev_io received; /* on the attempt's socket; -1 between attempts */
	ev_timer pulse;
	double beaten; /* when it last beat, on CLOCK_MONOTONIC */

	enum stage stage;
	unsigned int due;      /* a bit for each kind of message of the run */
	struct letter letter;  /* the attempt's, until the manager has it */
	struct message status; /* of the run */
	bool bounded;	       /* the run gives up some time */
	bool failed;	       /* the manager knows an ERRNO= of an attempt */
	double watchdog;       /* seconds that WatchdogSec= allows; 0: any */
	double extended; /* the start may take until then, on CLOCK_MONOTONIC */

	struct {
		uint64_t number;
		char name[RELAY_NAME];
		char status[STATUS_ROOM];
		bool ready;    /* it is, or a probe said so */
		bool answers;  /* it said so itself, and will say it reloads */
		bool held;     /* it gets SIGHUP once it is ready */
		bool reloads;  /* it has got SIGHUP, and has not answered */
		bool feeds;    /* it has sent WATCHDOG=1 */
		bool hangs;    /* it no longer does, or calls itself hung */
		double limit;  /* seconds that its watchdog allows; 0: any */
		double silent; /* seconds since its last sign of life */
	} attempt;
};

/* What the run may have to say; each is a bit of notify.due. */
enum kind {
	RELOADING = 1,
	READY = 2,
	ERROR_OVER = 4,
	STOPPING = 8,
	VITAL = 15, /* what systemd must know */
	STATUS = 16,
	EXTEND = 32,
	WATCHDOG = 64,
	ALL = 127
};

/* In the order in which it is sent.  One that ends in "=" has a value. */
static const struct {
	enum kind kind;
	const char *words;
} says[] = {
	{ RELOADING, "RELOADING=1\nMONOTONIC_USEC=" },
	{ READY, "READY=1" },
	{ ERROR_OVER, "ERRNO=0" },
	{ STOPPING, "STOPPING=1" },
	{ STATUS, "STATUS=" },
	{ EXTEND, "EXTEND_TIMEOUT_USEC=" },
	{ WATCHDOG, "WATCHDOG=1" },
};

/* What becomes of a line of an attempt. */
enum fate {
	PASSED,
	DROPPED,
	IS_READY,
	RELOADS,
	HAS_STATUS,
	LIVES, /* `retry` feeds systemd's watchdog itself, all the time, */
	LIMIT, /* and this one, of the attempt, is in its place */
	HANGS,
	EXTENDS,
	FAILS
};

/* How a line begins; a line with another beginning is passed. */
static const struct {
	const char *words;
	enum fate fate;
} lines[] = {
	{ "READY=1", IS_READY },
	{ "STATUS=", HAS_STATUS },
	{ "RELOADING=1", RELOADS },
	/* RELOADING=1 of `retry` has its own time. */
	{ "MONOTONIC_USEC=", DROPPED },
	/* `retry` says so if the run ends; the unit outlives an attempt. */
	{ "STOPPING=1", DROPPED },
	/* systemd would follow the program, and hear `retry` no more. */
	{ "MAINPID", DROPPED },
	{ "NOTIFYACCESS=", DROPPED },
	{ "WATCHDOG=1", LIVES },
	{ "WATCHDOG=trigger", HANGS },
	{ "WATCHDOG_USEC=", LIMIT },
	{ "EXTEND_TIMEOUT_USEC=", EXTENDS },
	{ "ERRNO=", FAILS },
};

/* --- what the run says --- */

/* Sends the messages of these kinds that are due.  Returns whether all fit. */
static bool
send_due(struct notify *notify, unsigned int kinds)
{
	const double now = events_time(CLOCK_MONOTONIC);
	const char *more = notify->attempt.status;
	struct letter letter;

	letter.count = 0;
	for (size_t i = 0; i < sizeof(says) / sizeof(says[0]); i++) {
		const enum kind kind = says[i].kind;

		if ((notify->due & kinds & kind) == 0)
			continue;
		strlcpy(letter.text, says[i].words, RELAY_BYTES);
		if (kind == STATUS)
			text_append(letter.text, RELAY_BYTES, "%s%s%s",
			    notify->status.text, *more == '\0' ? "" : "; ",
			    more);
		else if (kind == RELOADING || kind == EXTEND)
			text_append(letter.text, RELAY_BYTES, "%.0f",
			    kind == RELOADING
				? floor(now * 1e6)
				: ceil(fmax(notify->extended - now, 0) * 1e6));
		if (relay_send(notify->socket, &letter))
			notify->due &= ~(unsigned int)kind;
		else if (errno == EAGAIN)
			return false;
	}
	return true;
}

/* --- what an attempt says --- */

/* SIGHUP needs an answer: that of an attempt that got it and can, or ours. */
static void
answer_reload(struct notify *notify)
{
	notify->attempt.held = false;
	notify->attempt.reloads =
	    notify->attempt.answers && notify->child->pid != 0;
	/* READY=1 would end a start that goes on. */
	if (!notify->attempt.reloads && notify->stage == NOTIFY_READY)
		notify->due |= RELOADING | READY;
}

/* The attempt is ready, and so is the unit, unless it ends. */
static void
become_ready(struct notify *notify)
{
	if (notify->stage == NOTIFY_STARTING ||
	    notify->stage == NOTIFY_RELOADING) {
		notify->stage = NOTIFY_READY;
		notify->due |= READY;
	}
	if (notify->failed && !notify->attempt.ready &&
	    notify->attempt.number > 1) {
		notify->failed = false;
		notify->due |= ERROR_OVER;
	}
	notify->attempt.ready = true;
	if (notify->attempt.held && notify->child->pid != 0) {
		kill(notify->child->pid, SIGHUP);
		answer_reload(notify);
	}
}

/* Lets the pulse beat twice in each limit, from now on. */
static void
set_pulse(struct notify *notify)
{
	double each = EXTEND_EACH;

	if (notify->watchdog > 0)
		each = fmin(each, notify->watchdog / 2);
	if (notify->attempt.limit > 0)
		each = fmin(each, fmax(notify->attempt.limit / 2, LEAST_PULSE));
	if (ev_is_active(&notify->pulse) && notify->pulse.repeat == each)
		return;
	notify->pulse.repeat = each;
	notify->beaten = events_time(CLOCK_MONOTONIC);
	ev_now_update(notify->events);
	ev_timer_again(notify->events, &notify->pulse);
}

/* Heeds a line of the attempt.  Returns whether it is to be passed on. */
static bool
heed(struct notify *notify, const char *line)
{
	const enum stage stage = notify->stage;
	const char *problem, *end = strchr(line, '=');
	enum fate fate = PASSED;

	if (end == NULL)
		return false;
	const char *value = end + 1;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (strncmp(line, lines[i].words, strlen(lines[i].words)) == 0)
			fate = lines[i].fate;
	switch (fate) {
	case PASSED:
		return true;
	case DROPPED:
		break;
	case IS_READY:
		notify->attempt.answers = true;
		become_ready(notify);
		break;
	case RELOADS:
		if (!notify->attempt.answers || stage == NOTIFY_STOPPING)
			break;
		notify->attempt.reloads = false;
		notify->stage = NOTIFY_RELOADING;
		notify->due |= RELOADING;
		break;
	case HAS_STATUS:
		text_safe(value, notify->attempt.status,
		    sizeof(notify->attempt.status));
		notify->due |= STATUS;
		break;
	case LIMIT:
		notify->attempt.limit =
		    (double)strtonum(value, 0, INT64_MAX, &problem) / 1e6;
		set_pulse(notify);
		break;
	case LIVES:
		notify->attempt.feeds = true;
		notify->attempt.silent = 0;
		set_pulse(notify);
		break;
	case HANGS:
		notify->attempt.hangs = true;
		break;
	case EXTENDS:
		return stage == NOTIFY_STOPPING ||
		    (stage == NOTIFY_STARTING &&
			(notify->attempt.number == 1 || notify->bounded));
	case FAILS:
		notify->failed = strcmp(value, "0") != 0;
		return true;
	}
	return false;
}

/* Heeds a message, and leaves of its text what is to be passed on. */
static void
heed_letter(struct notify *notify)
{
	char *end = notify->letter.text, *rest = end, *line;

	while ((line = strsep(&rest, "\n")) != NULL) {
		const size_t length = strlen(line);

		if (!heed(notify, line))
			continue;
		if (end != notify->letter.text)
			*end++ = '\n';
		memmove(end, line, length);
		end += length;
	}
	*end = '\0';
}

/* --- both --- */

/*
 * Sends what the run must say, in its order with what the attempt says, and
 * then the rest.  Returns whether the manager has room for all of it.
 */
static bool
pump(struct notify *notify)
{
	struct letter *letter = &notify->letter;

	for (int i = 0; i < MESSAGES_MOST; i++) {
		if (*letter->text != '\0' &&
		    !relay_send(notify->socket, letter) && errno == EAGAIN)
			return false;
		*letter->text = '\0';
		relay_close_descriptors(letter);
		if (!send_due(notify, VITAL))
			return false;
		if (notify->received.fd == NO_DESCRIPTOR ||
		    !relay_receive(notify->received.fd, notify->child->pid,
			letter))
			break;
		heed_letter(notify);
	}
	return send_due(notify, ALL);
}

/* Does so, and goes on when the manager has room, or the attempt speaks. */
static bool
work(struct notify *notify)
{
	const bool has_room = pump(notify);

	ev_io_stop(notify->events, &notify->room);
	ev_io_stop(notify->events, &notify->received);
	if (!has_room)
		ev_io_start(notify->events, &notify->room);
	else if (notify->received.fd != NO_DESCRIPTOR)
		ev_io_start(notify->events, &notify->received);
	return has_room;
}

static void
ready(struct ev_loop *events, ev_io *watcher, int flags)
{
	(void)events, (void)flags;
	work(watcher->data);
}

/* Waits a little for room for the vital messages that are due. */
static void
settle(struct notify *notify)
{
	struct pollfd room = { .fd = notify->socket, .events = POLLOUT };
	const double until = events_time(CLOCK_MONOTONIC) + PATIENCE;
	double left;

	while (!work(notify) &&
	    ((notify->due & VITAL) != 0 || *notify->letter.text != '\0') &&
	    (left = until - events_time(CLOCK_MONOTONIC)) > 0)
		poll(&room, 1, (int)(left * 1000) + 1);
}

/*
 * A sign of life, and a request for the rest of the time that was asked for.
 * An attempt is silent only while it is heard: not while the manager has no
 * room, nor if this comes late, since `retry` was stopped or frozen, and
 * perhaps the attempt.
 */
static void
beat(struct ev_loop *events, ev_timer *watcher, int flags)
{
	struct notify *notify = watcher->data;
	const double now = events_time(CLOCK_MONOTONIC), each = watcher->repeat;
	const bool late = now - notify->beaten > each * 1.5;
	const bool extends =
	    notify->stage == NOTIFY_STARTING && notify->extended > now;

	(void)flags;
	notify->beaten = now;
	if (notify->watchdog > 0)
		notify->due |= WATCHDOG;
	if (extends)
		notify->due |= EXTEND;
	notify->attempt.silent += each;
	if (!work(notify) || late)
		notify->attempt.silent = 0;
	/* The first beat may have come at once after a sign of life. */
	if (notify->attempt.feeds && notify->attempt.limit > 0 &&
	    notify->attempt.silent >= notify->attempt.limit + each) {
		notify->attempt.feeds = false;
		notify->attempt.hangs = true;
	}
	if (notify->watchdog == 0 && !extends && !notify->attempt.feeds)
		ev_timer_stop(events, watcher);
}

/* --- the manager --- */

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

/*
 * A path, or an abstract name with "@" for NUL; no other kind.  Returns a
 * socket, or -1 with errno set.
 */
static int
find(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const size_t length = strlen(name);

	errno = EPROTONOSUPPORT;
	if ((*name != '/' && *name != '@') ||
	    length >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path, name, length);
	if (*name == '@')
		address.sun_path[0] = '\0';
	const int end =
	    file_above_2(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
	if (end == -1 ||
	    connect(end, (const struct sockaddr *)&address,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) ==
		0)
		return end;
	close(end);
	return -1;
}

struct notify *
notify_open(const struct policy *policy, const struct child *child,
    struct ev_loop *events, struct messages *messages)
{
	const char *name = getenv("NOTIFY_SOCKET");

	if (name == NULL || *name == '\0')
		return NULL;
	struct notify *notify = calloc(1, sizeof(*notify));
	const int socket = notify == NULL ? -1 : find(name);
	if (socket == -1) {
		say_error(messages, "cannot notify systemd: %s", name);
		free(notify);
		return NULL;
	}
	notify->socket = socket;
	notify->child = child;
	notify->messages = messages;
	notify->events = events;
	notify->bounded = policy->limits.attempts > 0 || policy->max_time > 0;
	ev_io_init(&notify->room, ready, socket, EV_WRITE);
	ev_io_init(&notify->received, ready, NO_DESCRIPTOR, EV_READ);
	ev_timer_init(&notify->pulse, beat, 0, 0);
	notify->room.data = notify->received.data = notify->pulse.data = notify;
	notify->watchdog = watchdog_limit();
	if (notify->watchdog > 0)
		set_pulse(notify);
	return notify;
}

const char *
notify_begin(struct notify *notify, uint64_t number)
{
	if (notify == NULL)
		return NULL;
	notify_end(notify);
	notify->attempt.number = number;
	notify->attempt.limit = notify->watchdog;
	const int end = relay_open(number, notify->attempt.name);
	if (end == -1) {
		say_error(notify->messages,
		    "cannot receive what the attempt sends to systemd");
		return NULL;
	}
	ev_io_set(&notify->received, end, EV_READ);
	work(notify);
	return notify->attempt.name;
}

void
notify_end(struct notify *notify)
{
	if (notify == NULL || notify->received.fd == NO_DESCRIPTOR)
		return;
	settle(notify);
	ev_io_stop(notify->events, &notify->received);
	relay_close(notify->received.fd, notify->attempt.name);
	notify->received.fd = NO_DESCRIPTOR;
	const bool asked = notify->attempt.held || notify->attempt.reloads;
	memset(&notify->attempt, 0, sizeof(notify->attempt));
	/* The next attempt reads what was to be read again. */
	if (asked)
		answer_reload(notify);
	work(notify);
}

bool
notify_take_hang(struct notify *notify)
{
	if (notify == NULL)
		return false;
	/* A program that ends may have other things to do. */
	const bool hangs =
	    notify->attempt.hangs && notify->stage != NOTIFY_STOPPING;

	notify->attempt.hangs = false;
	return hangs;
}

/* The next attempt may take so long to start, after the wait. */
static void
extend(struct notify *notify, const struct policy *policy,
    const struct record *record)
{
	/* A check may take as long again; the next attempt has no more. */
	const double limit = isinf(record->attempt.timeout)
	    ? 0
	    : (record->attempt.timeout + policy->kill_after) *
		(policy->rules.check ? 2 : 1);

	notify->extended = events_time(CLOCK_MONOTONIC) + MESSAGE_TIME +
	    (record->attempt.runs ? 0 : record->wait.delay.seconds) +
	    fmax(limit, START_TIME);
	notify->due |= EXTEND;
	set_pulse(notify);
}

void
notify_tell(struct notify *notify, const struct report_style *style,
    const struct record *record)
{
	const bool runs = record->kind == RECORD_ATTEMPT;

	if (notify == NULL)
		return;
	const struct message status = message_status(style, record);
	if (*status.text == '\0')
		return;
	notify->status = status;
	notify->due |= STATUS;
	if (record->kind == RECORD_HEALTH && record->attempt.first_healthy)
		become_ready(notify);

	/*
	 * The time of the first attempt is what the unit says; a run that never
	 * gives up leaves all to the unit.
	 */
	if ((record->kind == RECORD_WAIT ||
		(runs && record->wait.before >= 0)) &&
	    record->failures == record->attempt.number - runs &&
	    notify->stage == NOTIFY_STARTING && notify->bounded)
		extend(notify, style->policy, record);
	work(notify);
}

bool
notify_reload(struct notify *notify)
{
	if (notify == NULL)
		return true;
	const bool runs =
	    notify->received.fd != NO_DESCRIPTOR && notify->child->pid != 0;

	notify->attempt.held = runs && !notify->attempt.ready &&
	    (notify->stage == NOTIFY_READY ||
		notify->stage == NOTIFY_RELOADING);
	if (!notify->attempt.held)
		answer_reload(notify);
	work(notify);
	return !notify->attempt.held;
}

void
notify_stopping(struct notify *notify)
{
	if (notify == NULL || notify->stage == NOTIFY_STOPPING)
		return;
	notify->stage = NOTIFY_STOPPING;
	notify->due &= ~VITAL;
	notify->due |= STOPPING;
	work(notify);
}

void
notify_close(struct notify *notify)
{
	if (notify == NULL)
		return;
	notify_end(notify);
	settle(notify);
	close(notify->socket);
	free(notify);
}
