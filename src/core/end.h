/* SPDX-License-Identifier: MIT */

#ifndef END_H
#define END_H

#include "policy.h"
#include "record.h"

/* How a run ends. */
struct end {
	enum reason reason;
	int status;
	int death;    /* the signal that `retry` dies of, or 0 */
	int ended_by; /* the signal that ended the run, or 0 */
};

/*
 * Below, `run` is where the run stands after its last attempt, and `returned`
 * the outcome of that attempt's process, even if a timeout took its place.
 */

/* As the last attempt ended. */
struct end end_giving_up(const struct policy *policy, const struct record *run,
    struct outcome returned, enum reason reason);

struct end end_success(const struct policy *policy, const struct record *run,
    struct outcome returned);

/* No time is left for another attempt. */
struct end end_out_of_time(const struct policy *policy,
    const struct record *run, struct outcome returned);

/* --max-time ended the attempt, its check or its gate, or left none of them. */
struct end end_cut_short(const struct policy *policy, const struct record *run,
    struct outcome returned);

/* A signal ended a run of which no attempt ran. */
struct end end_by_signal(int signal);

/* A signal was passed on to the attempt: its outcome is the run's. */
struct end end_passed_on(const struct policy *policy, const struct record *run,
    struct outcome returned, int signal);

/* `retry` itself failed, and dies of this signal, if it is not 0. */
struct end end_by_error(int death);

/* Whether a run that ends so may be tolerated. */
bool end_gives_up(enum reason reason);

#endif
