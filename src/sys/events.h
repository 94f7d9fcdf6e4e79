/* SPDX-License-Identifier: MIT */

#ifndef EVENTS_H
#define EVENTS_H

#include <ev.h>
#include <stdbool.h>

/* A libev loop whose failures end in a message. */
struct events {
	struct ev_loop *loop;
	ev_check guard;
	ev_io alarm;	   /* a timerfd: events_alarm() */
	ev_periodic date;  /* events_date() */
	unsigned int idle; /* turns of the loop without an event */
	double idle_since;
};

/* Seconds on the clock. */
double events_time(clockid_t clock);

/* CLOCK_MONOTONIC without the time in which `retry` was stopped. */
struct clock {
	double stopped; /* seconds of all stops */
	double resumed; /* when the last one ended, on CLOCK_MONOTONIC */
};

/*
 * The time on this clock at a moment of CLOCK_MONOTONIC, and now.  One before
 * the end of the last stop counts as that end.
 */
double clock_at(const struct clock *clock, double moment);
double clock_now(const struct clock *clock);

/* `retry` goes on, and was stopped since this moment of CLOCK_MONOTONIC. */
void clock_resume(struct clock *clock, double moment);

/* Makes the loop, or ends `retry`. */
void events_open(struct events *events);

/*
 * The loop wakes in so many seconds; INFINITY: it need not.  They also pass
 * while `retry` is frozen, as those of select(2) do not.
 */
void events_alarm(struct events *events, double seconds);

/* The loop wakes at this time of the wall clock, and when that clock is set. */
void events_date(struct events *events, double time);

/*
 * Ends `retry` if nothing can go on, with the message and the text of errno, if
 * that is not 0.  Both go past stderr, whose buffer may be full.  The attempt
 * dies with its parent.
 */
_Noreturn void events_fail(const char *message);

#endif
