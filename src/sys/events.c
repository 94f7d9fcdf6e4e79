/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "core/outcome.h"
#include "sys/events.h"
#include "sys/file.h"

/* Milliseconds that the last message waits for its reader. */
#define PATIENCE 1000

/* How many turns of the loop without an event a second may have. */
#define IDLE_TURNS 1000

/* A turn that lasts so many seconds is likely to be followed by others. */
#define LONG_TURN 50

/* Seconds that any clock's type can hold. */
#define FAR 1e9

_Noreturn void
events_fail(const char *message)
{
	struct pollfd poll_fd = { .fd = STDERR_FILENO, .events = POLLOUT };
	const int error = errno;

	/* A message is not worth a run that never ends; poll(2) may fail. */
	if (poll(&poll_fd, 1, PATIENCE) != 0)
		dprintf(STDERR_FILENO, "%s: %s%s%s\n", program_invocation_name,
		    message, error != 0 ? ": " : "",
		    error != 0 ? strerror(error) : "");
	_exit(STATUS_OWN_FAILURE);
}

double
events_time(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double
clock_at(const struct clock *clock, double moment)
{
	return fmax(moment, clock->resumed) - clock->stopped;
}

double
clock_now(const struct clock *clock)
{
	return clock_at(clock, events_time(CLOCK_MONOTONIC));
}

void
clock_resume(struct clock *clock, double moment)
{
	clock->resumed = events_time(CLOCK_MONOTONIC);
	clock->stopped += clock->resumed - moment;
}

/*
 * libev takes some errors of select(2) for the end of a descriptor, keeps the
 * error to itself and tries again, for ever.
 */
static void
guard_turns(struct ev_loop *loop, ev_check *watcher, int flags)
{
	struct events *events = watcher->data;
	const double time = events_time(CLOCK_MONOTONIC);

	(void)flags;
	/* Without a date libev wakes each minute, and looks at the clock. */
	if (time - events->idle_since > LONG_TURN &&
	    !ev_is_active(&events->date))
		events_date(events, 2 * FAR + events_time(CLOCK_REALTIME));
	if (ev_pending_count(loop) > 0 || time - events->idle_since > 1) {
		events->idle = 0;
		events->idle_since = time;
	}
	if (++events->idle > IDLE_TURNS) {
		errno = 0;
		events_fail("the event loop cannot wait");
	}
}

static void *
allocate(void *memory, long size)
{
	void *result = NULL;

	if (size == 0)
		free(memory);
	else if ((result = realloc(memory, (size_t)size)) == NULL)
		events_fail("event loop");
	return result;
}

/* Has nothing to do: the event has already ended the wait of the loop. */
static void
wake(struct ev_loop *loop, ev_io *watcher, int flags)
{
	(void)loop, (void)watcher, (void)flags;
}

static void
wake_by_date(struct ev_loop *loop, ev_periodic *watcher, int flags)
{
	(void)loop, (void)watcher, (void)flags;
}

void
events_alarm(struct events *events, double seconds)
{
	const double moment =
	    events_time(CLOCK_MONOTONIC) + fmin(fmax(seconds, 0), FAR);
	const struct itimerspec at = {
		.it_value.tv_sec = (time_t)moment,
		.it_value.tv_nsec = (long)((moment - floor(moment)) * 1e9),
	};

	if (timerfd_settime(events->alarm.fd, TFD_TIMER_ABSTIME, &at, NULL) ==
	    -1)
		events_fail("cannot set a timer");
}

void
events_date(struct events *events, double time)
{
	ev_periodic_stop(events->loop, &events->date);
	ev_periodic_set(&events->date, time, 0, NULL);
	ev_periodic_start(events->loop, &events->date);
}

/*
 * The select backend is exact to the microsecond; poll and epoll wake at whole
 * milliseconds, and epoll cannot fail without an abort.  Left to itself, libev
 * aborts also if another system call fails or memory is short.
 */
void
events_open(struct events *events)
{
	*events = (struct events){ .idle_since = events_time(CLOCK_MONOTONIC) };
	ev_set_syserr_cb(events_fail);
	ev_set_allocator(allocate);
	events->loop = ev_loop_new(EVBACKEND_SELECT | EVFLAG_NOENV);
	if (events->loop == NULL)
		errx(STATUS_OWN_FAILURE, "cannot make an event loop");
	ev_check_init(&events->guard, guard_turns);
	ev_set_priority(&events->guard, EV_MAXPRI);
	events->guard.data = events;
	ev_check_start(events->loop, &events->guard);
	ev_periodic_init(&events->date, wake_by_date, 0, 0, NULL);
	const int alarm = file_above_2(
	    timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
	if (alarm == -1)
		err(STATUS_OWN_FAILURE, "cannot make a timer");
	ev_io_init(&events->alarm, wake, alarm, EV_READ);
	ev_io_start(events->loop, &events->alarm);
}
