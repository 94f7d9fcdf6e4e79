/* SPDX-License-Identifier: MIT */

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sys/events.h"
#include "sys/file.h"
#include "sys/notify.h"

#define MESSAGE 1024

/* Seconds for an attempt to start, if it has no limit: systemd's default. */
#define START_TIME 90.0

/* Seconds between signs of life: half of what systemd waits for them. */
static double
watchdog_period(void)
{
	const char *time = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");
	const char *problem = NULL;

	if (time == NULL ||
	    (pid != NULL && strtonum(pid, 1, INT_MAX, &problem) != getpid()))
		return 0;
	const long long period = strtonum(time, 1, INT64_MAX, &problem);
	return problem == NULL ? (double)period / 2e6 : 0;
}

void
notify_open(struct notify *notify, bool probed)
{
	const char *name = getenv("NOTIFY_SOCKET");
	const size_t length = name == NULL ? 0 : strlen(name);

	*notify = (struct notify){
		.socket = -1,
		.probed = probed,
		.watchdog = watchdog_period(),
	};

	/* A path, or an abstract name with "@" for NUL; no other kind. */
	if (length == 0 || (*name != '/' && *name != '@') ||
	    length >= sizeof(notify->address.sun_path))
		return;
	notify->address.sun_family = AF_UNIX;
	memcpy(notify->address.sun_path, name, length);
	if (*name == '@')
		notify->address.sun_path[0] = '\0';
	notify->length =
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
	notify->socket =
	    file_above_2(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

static void
send_text(const struct notify *notify, const char *text)
{
	sendto(notify->socket, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL,
	    (const struct sockaddr *)&notify->address, notify->length);
}

void
notify_tell(struct notify *notify, const struct report_style *style,
    const struct record *record)
{
	const struct policy *policy = style->policy;
	/* A check may take as long again; the next attempt has no more. */
	const double limit = isinf(record->timeout)
	    ? 0
	    : (record->timeout + policy->kill_after) *
		(policy->rules.check ? 2 : 1);
	const bool runs = record->kind == RECORD_ATTEMPT;
	const double wait = runs ? 0 : record->delay.seconds;
	char text[MESSAGE];

	if (notify->socket == -1)
		return;
	const struct message status = message_status(style, record);
	if (*status.text == '\0')
		return;
	snprintf(text, sizeof(text), "STATUS=%s", status.text);
	send_text(notify, text);
	/* Without --health the program itself says that it is ready. */
	if (record->kind == RECORD_HEALTH && record->first_healthy &&
	    !notify->ready) {
		send_text(notify, "READY=1");
		notify->ready = true;
	}

	/*
	 * Until an attempt has succeeded systemd may think that the start takes
	 * too long; the time of the first attempt is what the unit says.
	 */
	if (record->kind == RECORD_END || record->kind == RECORD_LOCK ||
	    record->failures != record->attempt - runs ||
	    (runs && record->just_waited < 0))
		return;
	snprintf(text, sizeof(text), "EXTEND_TIMEOUT_USEC=%.0f",
	    ceil((wait + fmax(limit, START_TIME)) * 1e6));
	send_text(notify, text);
}

double
notify_tick(struct notify *notify, const struct record *record)
{
	if (notify->socket == -1 || notify->watchdog == 0 ||
	    (record->runs && !notify->probed))
		return INFINITY;
	if (record->elapsed >= notify->alive_at) {
		notify_alive(notify);
		notify->alive_at = record->elapsed + notify->watchdog;
	}
	return notify->alive_at;
}

void
notify_alive(const struct notify *notify)
{
	if (notify->socket != -1 && notify->watchdog > 0)
		send_text(notify, "WATCHDOG=1");
}

void
notify_reloaded(const struct notify *notify)
{
	char text[MESSAGE];

	/* READY=1 would end a start that goes on. */
	if (notify->socket == -1 || (notify->probed && !notify->ready))
		return;
	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%.0f",
	    floor(events_time(CLOCK_MONOTONIC) * 1e6));
	send_text(notify, text);
	send_text(notify, "READY=1");
}

void
notify_stopping(struct notify *notify)
{
	if (notify->socket != -1 && !notify->stopping)
		send_text(notify, "STOPPING=1");
	notify->stopping = true;
}
