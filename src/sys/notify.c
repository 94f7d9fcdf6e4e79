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

#include "core/signals.h"
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

/* Signs of life are no further apart than this, whatever the limit. */
#define LEAST_BEAT 0.01

/* Seconds in which an attempt says that it reloads. */
#define ANSWER_TIME 5.0

/* Seconds that the last messages wait for the manager. */
#define PATIENCE 1.0

/* In one turn of the loop, and more than wait in a socket under systemd. */
#define MESSAGES_MOST 1000

/* Room for the status of a program; the rest of it is cut off. */
#define STATUS_ROOM 2048

/* Where the unit stands. */
enum stage {
	STARTING,   /* no attempt has been ready */
	BETWEEN,    /* one has been; none runs */
	RESTARTING, /* one runs that is not ready */
	PROBED,	    /* a probe says that it is ready */
	SERVING,    /* it has said so itself */
	ASKED,	    /* it has got SIGHUP, and has not answered */
	RELOADING,  /* it has said RELOADING=1 */
	STOPPING    /* the run comes to its end */
};

enum change {
	BEGINS,
	ENDS,
	IS_READY,
	IS_HEALTHY,
	RELOADS,
	GETS_HUP,
	IS_LATE /* ANSWER_TIME is over */
};

/* What the run may have to say; each is a bit of notify.due. */
enum kind {
	SAY_RELOADING = 1,
	SAY_READY = 2,
	ANSWER = SAY_RELOADING | SAY_READY,
	SAY_NO_ERROR = 4,
	SAY_STOPPING = 8,
	VITAL = 15, /* what systemd must know */
	SAY_STATUS = 16,
	SAY_EXTEND = 32,
	SAY_ALIVE = 64,
	ALL = 127
};

/* What a change does to the unit; without a row, nothing. */
static const struct {
	enum stage stage;
	enum change change;
	enum stage next;
	unsigned int does;
} rows[] = {
	{ STARTING, IS_READY, SERVING, SAY_READY },
	{ STARTING, IS_HEALTHY, PROBED, SAY_READY },
	{ BETWEEN, BEGINS, RESTARTING, 0 },
	{ BETWEEN, GETS_HUP, BETWEEN, ANSWER },
	{ RESTARTING, ENDS, BETWEEN, 0 },
	{ RESTARTING, IS_READY, SERVING, 0 },
	{ RESTARTING, IS_HEALTHY, PROBED, 0 },
	{ PROBED, ENDS, BETWEEN, 0 },
	{ PROBED, IS_READY, SERVING, 0 },
	{ PROBED, GETS_HUP, PROBED, ANSWER },
	{ SERVING, ENDS, BETWEEN, 0 },
	{ SERVING, RELOADS, RELOADING, SAY_RELOADING },
	{ SERVING, GETS_HUP, ASKED, 0 },
	{ ASKED, ENDS, BETWEEN, ANSWER },
	{ ASKED, IS_READY, SERVING, ANSWER },
	{ ASKED, RELOADS, RELOADING, SAY_RELOADING },
	{ ASKED, IS_LATE, SERVING, ANSWER },
	{ RELOADING, ENDS, BETWEEN, SAY_READY },
	{ RELOADING, IS_READY, SERVING, SAY_READY },
};

struct notify {
	int socket;  /* to the manager, or -1 */
	int problem; /* why there is none: an errno */
	const char *name;
	const struct child *child;
	struct ev_loop *events;
	ev_io room;	/* the manager takes messages again */
	ev_io received; /* on the attempt's socket; -1 between attempts */

	enum stage stage;
	unsigned int due;      /* a bit for each kind of message of the run */
	struct letter letter;  /* the attempt's, until the manager has it */
	struct message status; /* of the run */
	uint64_t held;	 /* a bit for each signal that an attempt gets once it
			    is ready */
	uint64_t failed; /* the attempt whose ERRNO= systemd knows, or 0 */
	bool bounded;	 /* the run gives up some time */
	bool told;	 /* the user, that a message was lost */
	double watchdog; /* seconds that WatchdogSec= allows; 0: any */

	/* On CLOCK_MONOTONIC. */
	double extended; /* the start may take until then */
	double beaten;	 /* the last sign of life */
	double asked;	 /* the attempt has got SIGHUP */

	struct {
		uint64_t number;
		char name[RELAY_NAME];
		char status[STATUS_ROOM];
		bool hangs;   /* it is silent, or calls itself hung */
		double limit; /* seconds that its watchdog allows; 0: any */
		double alive; /* when it last sent WATCHDOG=1; 0: never */
	} attempt;
};

/* In the order of the bits, and of sending.  "=" at the end wants a value. */
static const char *const says[] = { "RELOADING=1\nMONOTONIC_USEC=", "READY=1",
	"ERRNO=0", "STOPPING=1",
	"STATUS=", "EXTEND_TIMEOUT_USEC=", "WATCHDOG=1" };

/* What becomes of a line of an attempt. */
enum fate {
	PASSED,
	DROPPED,
	READY,
	RELOAD,
	STATUS,
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
	{ "READY=1", READY },
	{ "STATUS=", STATUS },
	{ "RELOADING=1", RELOAD },
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

/* Warns once that systemd did not get a message. */
static void
say_lost(struct notify *notify)
{
	/* It could be reached before. */
	if (notify->socket != NO_DESCRIPTOR)
		notify->problem = errno;
	if (!notify->told)
		say("cannot notify systemd: %s: %s%s", notify->name,
		    strerror(notify->problem),
		    notify->problem == EAFNOSUPPORT
			? "; RestrictAddressFamilies= lacks AF_UNIX"
			: "");
	notify->told = true;
}

/* Sends the messages of these kinds that are due.  Returns whether all fit. */
static bool
send_due(struct notify *notify, unsigned int kinds)
{
	const double now = events_time(CLOCK_MONOTONIC);
	const char *more = notify->attempt.status;
	struct letter letter;

	letter.count = 0;
	for (size_t i = 0; i < sizeof(says) / sizeof(says[0]); i++) {
		const unsigned int kind = 1U << i;

		if ((notify->due & kinds & kind) == 0)
			continue;
		strlcpy(letter.text, says[i], RELAY_BYTES);
		if (kind == SAY_STATUS)
			text_append(letter.text, RELAY_BYTES, "%s%s%s",
			    notify->status.text, *more == '\0' ? "" : "; ",
			    more);
		else if (kind == SAY_RELOADING || kind == SAY_EXTEND)
			text_append(letter.text, RELAY_BYTES, "%.0f",
			    kind == SAY_RELOADING
				? floor(now * 1e6)
				: ceil(fmax(notify->extended - now, 0) * 1e6));
		if (relay_send(notify->socket, &letter))
			notify->due &= ~kind;
		else if (errno == EAGAIN)
			return false;
		else if (kind == SAY_READY)
			say_lost(notify);
	}
	return true;
}

/* Does what the table says. */
static void
happens(struct notify *notify, enum change change)
{
	const bool is_ready = change == IS_READY || change == IS_HEALTHY;
	const uint64_t held = is_ready || change == ENDS ? notify->held : 0;
	const pid_t pid = notify->child->pid;
	size_t i = 0;

	if (is_ready && notify->failed != 0 &&
	    notify->failed < notify->attempt.number) {
		notify->failed = 0;
		notify->due |= SAY_NO_ERROR;
	}
	for (int bit = 0; is_ready && pid != 0 && bit < SIGRTMAX; bit++)
		if ((held >> bit & 1) != 0)
			kill(pid, bit + 1);
	notify->held &= ~held;
	while (rows[i].stage != notify->stage || rows[i].change != change)
		if (++i == sizeof(rows) / sizeof(rows[0]))
			return;
	notify->stage = rows[i].next;
	notify->due |= rows[i].does;
	if (notify->stage == ASKED)
		notify->asked = events_time(CLOCK_MONOTONIC);
	/* The attempt has just got it, or nobody will. */
	if ((held >> (SIGHUP - 1) & 1) != 0)
		happens(notify, GETS_HUP);
}

/* --- what an attempt says --- */

/* Heeds a line of the attempt.  Returns whether it is to be passed on. */
static bool
heed(struct notify *notify, const char *line)
{
	const char *problem, *end = strchr(line, '=');
	enum fate fate = PASSED;
	double limit;

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
	case READY:
		happens(notify, IS_READY);
		break;
	case RELOAD:
		happens(notify, RELOADS);
		break;
	case STATUS:
		text_safe(value, notify->attempt.status,
		    sizeof(notify->attempt.status));
		notify->due |= SAY_STATUS;
		break;
	case LIMIT:
		limit = (double)strtonum(value, 0, INT64_MAX, &problem) / 1e6;
		if (problem == NULL)
			notify->attempt.limit = limit;
		break;
	case LIVES:
		notify->attempt.alive = events_time(CLOCK_MONOTONIC);
		break;
	case HANGS:
		notify->attempt.hangs = true;
		break;
	case EXTENDS:
		return notify->stage == STOPPING ||
		    (notify->stage == STARTING &&
			(notify->attempt.number == 1 || notify->bounded));
	case FAILS:
		notify->failed = notify->attempt.number;
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
 * An attempt is silent only while it is heard: not while the manager has no
 * room, nor if this comes late, since `retry` was stopped or frozen, and
 * perhaps the attempt.
 */
double
notify_beat(struct notify *notify)
{
	double each = INFINITY, late = INFINITY;

	if (notify == NULL)
		return each;
	const double now = events_time(CLOCK_MONOTONIC);
	const double passed = now - notify->beaten;
	const double limit =
	    notify->attempt.alive > 0 ? notify->attempt.limit : 0;
	const bool extends =
	    notify->stage == STARTING && notify->extended > now;
	if (extends)
		each = EXTEND_EACH;
	if (notify->watchdog > 0)
		each = fmin(each, notify->watchdog / 2);
	if (limit > 0)
		each = fmin(each, fmax(limit / 2, LEAST_BEAT));
	if (passed >= each) {
		notify->beaten = now;
		if (notify->watchdog > 0)
			notify->due |= SAY_ALIVE;
		if (extends)
			notify->due |= SAY_EXTEND;
		if (!work(notify) || passed > each * 1.5)
			notify->attempt.alive = limit > 0 ? now : 0;
		if (limit > 0 && now - notify->attempt.alive >= limit) {
			notify->attempt.alive = 0;
			notify->attempt.hangs = true;
		}
	}
	if (notify->stage == ASKED)
		late = notify->asked + ANSWER_TIME - now;
	if (late <= 0) {
		happens(notify, IS_LATE);
		work(notify);
	}
	return notify->attempt.hangs
	    ? 0
	    : fmax(fmin(late, notify->beaten + each - now), 0);
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
notify_open(const struct options *options, const struct child *child,
    struct ev_loop *events)
{
	const char *name = getenv("NOTIFY_SOCKET");
	struct notify *notify;

	if (name == NULL || *name == '\0' ||
	    (notify = calloc(1, sizeof(*notify))) == NULL)
		return NULL;
	*notify = (struct notify){
		.socket = find(name),
		.problem = errno,
		.name = name,
		.child = child,
		.events = events,
		.bounded = options->policy.limits.attempts > 0 ||
		    options->policy.max_time > 0,
		.watchdog = watchdog_limit(),
	};
	ev_io_init(&notify->room, ready, notify->socket, EV_WRITE);
	ev_io_init(&notify->received, ready, NO_DESCRIPTOR, EV_READ);
	notify->room.data = notify->received.data = notify;
	if (notify->socket == -1 &&
	    (options->style.verbose || notify->watchdog > 0 ||
		notify->problem == EAFNOSUPPORT))
		say_lost(notify);
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
		if (!notify->told)
			say_error(
			    "cannot receive what the attempt sends to systemd");
		return NULL;
	}
	ev_io_set(&notify->received, end, EV_READ);
	happens(notify, BEGINS);
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
	memset(&notify->attempt, 0, sizeof(notify->attempt));
	happens(notify, ENDS);
	work(notify);
}

bool
notify_take_hang(struct notify *notify)
{
	const bool hangs = notify != NULL && notify->attempt.hangs;

	if (hangs)
		notify->attempt.hangs = false;
	return hangs;
}

/* The next attempt may take so long to start, after the wait. */
static void
extend(struct notify *notify, const struct record *record)
{
	const struct policy *policy = record->policy;
	/* A check may take as long again; the next attempt has no more. */
	const double limit = isinf(record->attempt.timeout)
	    ? 0
	    : (record->attempt.timeout + policy->kill_after) *
		(policy->rules.check ? 2 : 1);

	notify->extended = events_time(CLOCK_MONOTONIC) + MESSAGE_TIME +
	    (record->attempt.runs ? 0 : record->wait.delay.seconds) +
	    fmax(limit, START_TIME);
	/* That is said at once. */
	notify->beaten = -INFINITY;
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
	notify->due |= SAY_STATUS;
	if (record->kind == RECORD_HEALTH &&
	    record->attempt.health == HEALTH_HEALTHY)
		happens(notify, IS_HEALTHY);

	/*
	 * The time of the first attempt is what the unit says; a run that never
	 * gives up leaves all to the unit.
	 */
	if ((record->kind == RECORD_WAIT ||
		(runs && record->wait.before >= 0)) &&
	    record->failures == record->attempt.number - runs &&
	    notify->stage == STARTING && notify->bounded)
		extend(notify, record);
	work(notify);
}

bool
notify_holds(struct notify *notify, int signal)
{
	if (notify == NULL)
		return false;
	if (signal == SIGHUP)
		happens(notify, GETS_HUP);
	work(notify);
	const bool holds =
	    signal_is_deadly(signal) && notify->stage == RESTARTING;
	if (holds)
		notify->held |= UINT64_C(1) << (signal - 1);
	return holds;
}

void
notify_stopping(struct notify *notify)
{
	if (notify == NULL || notify->stage == STOPPING)
		return;
	notify->stage = STOPPING;
	notify->due |= SAY_STOPPING;
	work(notify);
}

void
notify_close(struct notify *notify)
{
	if (notify == NULL)
		return;
	notify_end(notify);
	settle(notify);
	file_close(&notify->socket);
	free(notify);
}
