/* SPDX-License-Identifier: MIT */

#ifndef HEALTH_H
#define HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "outcome.h"

/*
 * A health probe runs again and again while an attempt runs.  The rules are
 * those of Docker's HEALTHCHECK: the first probe comes one interval after the
 * attempt began, and each other one interval after the end of the probe
 * before.  Times are seconds on the run's clock.
 */
struct health_rules {
	bool used;	     /* --health was given */
	double interval;     /* between the end of a probe and the next */
	double timeout;	     /* for one probe */
	uint64_t retries;    /* failures in a row make an attempt unhealthy */
	double start_period; /* failures in it do not count before a success */
};

enum health_phase {
	HEALTH_OFF,	/* no probe runs, and none will */
	HEALTH_WAITING, /* for the next probe */
	HEALTH_PROBING,
	HEALTH_ENDING /* a probe that took too long is being ended */
};

/* What the probes of an attempt have found so far. */
enum health_status {
	HEALTH_STARTING, /* none has succeeded yet */
	HEALTH_HEALTHY,
	HEALTH_FAILING, /* the last probe failed */
	HEALTH_UNHEALTHY
};

struct health {
	enum health_phase phase;
	double due;	     /* WAITING: the next probe; PROBING: its end;
				ENDING: it counts as failed once more */
	double begun;	     /* when the attempt began */
	bool was_healthy;    /* a probe of this attempt has succeeded */
	uint64_t failures;   /* that count, in a row */
	bool differ;	     /* these failures are of several kinds */
	struct outcome last; /* of the last probe */
};

/* What is to be done now. */
enum health_step {
	PROBE_WAIT,  /* nothing before health_wake() */
	PROBE_START, /* start a probe */
	PROBE_END    /* end the probe, with all that it has started */
};

/* An attempt begins. */
struct health health_begin(const struct health_rules *rules, double now);

/* When health_tick() must be called next; INFINITY: never. */
double health_wake(const struct health *health);

/*
 * The time is `now`; a probe that takes too long has failed.  A probe that
 * cannot be killed (it is stuck in the kernel or another user's) fails again
 * after each interval.
 */
enum health_step health_tick(struct health *health,
    const struct health_rules *rules, double now);

/*
 * A probe has ended: only exit status 0 is a success.  A probe that could not
 * be started says nothing about the attempt.  OUTCOME_UNHEALTHY does not come
 * from a probe: the attempt does not feed its own watchdog, which decides.
 */
void health_probed(struct health *health, const struct health_rules *rules,
    struct outcome outcome, double now);

/* No other probe is started. */
void health_stop(struct health *health);

enum health_status health_status(const struct health *health,
    const struct health_rules *rules);

/* "starting", "healthy", "failing", "unhealthy". */
extern const char *const health_names[];

#endif
