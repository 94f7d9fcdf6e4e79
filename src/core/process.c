/* SPDX-License-Identifier: MIT */

#include <math.h>

#include "process.h"

double
process_deadline(const struct policy *policy, double now, double run_end)
{
	const double share = policy->timeout_share;
	double deadline = run_end;

	if (policy->timeout > 0)
		deadline = fmin(deadline, now + policy->timeout);
	if (share > 0)
		deadline = fmin(deadline,
		    now + fmax(share * (run_end - now), policy->min_timeout));
	return deadline;
}

struct process
process_begin(const struct policy *policy, bool is_attempt, double now,
    double deadline, double run_end)
{
	return (struct process){
		.ends_left = is_attempt && policy->leftovers == LEFTOVERS_END,
		.limit = deadline,
		.deadline = deadline,
		.run_end = run_end,
		.kill_after = policy->kill_after,
		.idle_limit = is_attempt ? policy->idle_timeout : 0,
		.active = now,
	};
}

/* When SIGKILL is due because the run ends: before it was sent. */
static double
stop_due(const struct process *process)
{
	return process->stop_by > 0 && process->phase < PHASE_KILLED
	    ? process->stop_by
	    : INFINITY;
}

double
process_wake(const struct process *process)
{
	const double wake = fmin(process->deadline, stop_due(process));

	if (process->phase != PHASE_RUNS || process->idle_limit == 0)
		return wake;
	/* A process that writes nothing must end. */
	return fmin(wake, process->active + process->idle_limit);
}

/* The process is stuck, or others that it has left are. */
static enum process_step
abandon(struct process *process)
{
	process->incomplete |= !process->exited;
	return PROCESS_ABANDON;
}

static enum process_step
kill_now(struct process *process, double now)
{
	process->phase = PHASE_KILLED;
	process->deadline = now + PROCESS_LAST_GRACE;
	return PROCESS_KILL;
}

/* Without --kill-after only --max-time limits the wait. */
enum process_step
process_end(struct process *process, enum process_why why, double now)
{
	process->phase = PHASE_SIGNALLED;
	process->why = why;
	process->deadline = process->kill_after > 0
	    ? now + process->kill_after
	    : fmax(process->run_end, now) + PROCESS_LAST_GRACE;
	return PROCESS_SIGNAL;
}

enum process_step
process_tick(struct process *process, double now)
{
	if (now < process_wake(process))
		return PROCESS_WAIT;
	if (now >= stop_due(process))
		return kill_now(process, now);
	switch (process->phase) {
	case PHASE_RUNS:
		if (now >= process->run_end)
			return process_end(process, WHY_MAX_TIME, now);
		return process_end(process,
		    now < process->deadline ? WHY_IDLE : WHY_TIMEOUT, now);
	case PHASE_DRAINS:
		if (process->kill_after == 0)
			break;
		return kill_now(process, now);
	case PHASE_LEAVES:
		/* What is left has as long as a process that timed out. */
		process->phase = PHASE_SIGNALLED;
		process->deadline = now +
		    (process->kill_after > 0 ? process->kill_after
					     : PROCESS_LAST_GRACE);
		return PROCESS_SIGNAL;
	case PHASE_SIGNALLED:
		if (process->kill_after == 0)
			break;
		kill_now(process, now);
		/*
		 * No other attempt may begin next to a process that is stuck in
		 * the kernel, so retry waits for it, with --max-time until the
		 * end of that; once it exits, a second is enough for the rest.
		 */
		if (!process->exited)
			process->deadline = fmax(process->deadline,
			    process->run_end + process->kill_after +
				PROCESS_LAST_GRACE);
		return PROCESS_KILL;
	case PHASE_COLLECTING:
		process->incomplete = true;
		/* An outcome that is late is a timeout, unless the run ends. */
		if (process->why == WHY_ENDS_ITSELF && !process->is_last &&
		    now < process->run_end)
			process->why = WHY_TIMEOUT;
		return PROCESS_DROP_OUTPUT;
	case PHASE_KILLED:
		break;
	}
	return abandon(process);
}

enum process_step
process_fail(struct process *process, double now)
{
	if (process->phase == PHASE_RUNS || process->phase == PHASE_DRAINS)
		return process_end(process, WHY_ERROR, now);
	process->why = WHY_ERROR;
	return PROCESS_WAIT;
}

void
process_killed(struct process *process, double now)
{
	if (process->phase == PHASE_KILLED)
		process->deadline =
		    fmax(process->deadline, now + PROCESS_LAST_GRACE);
}

void
process_stop(struct process *process, double stop_by)
{
	if (process->stop_by == 0)
		process->stop_by = stop_by;
}

void
process_drain(struct process *process, double now)
{
	process->is_last = true;
	if (process->phase == PHASE_RUNS) {
		process->phase = PHASE_DRAINS;
		process->deadline = process->run_end;
	} else if (process->phase == PHASE_COLLECTING)
		process->deadline =
		    fmin(process->deadline, now + PROCESS_READER_GRACE);
}

enum process_step
process_exited(struct process *process, double now)
{
	process->exited = true;
	if (process->phase == PHASE_RUNS || process->phase == PHASE_DRAINS) {
		if (!process->ends_left)
			return PROCESS_COLLECT;
		process->phase = PHASE_LEAVES;
		process->deadline =
		    fmin(now + PROCESS_LAST_GRACE, process->run_end);
		return PROCESS_LOOK;
	}
	/* Without --kill-after nothing ends what the process has left. */
	if (process->phase == PHASE_SIGNALLED && process->kill_after == 0)
		return abandon(process);
	if (process->phase == PHASE_KILLED)
		process->deadline =
		    fmin(process->deadline, now + PROCESS_LAST_GRACE);
	return process_reaped(process);
}

enum process_step
process_reaped(const struct process *process)
{
	if (!process->exited || process->phase == PHASE_COLLECTING)
		return PROCESS_WAIT;
	/* What has appeared since gets SIGKILL, too. */
	return process->phase == PHASE_KILLED ? PROCESS_KILL : PROCESS_LOOK;
}

void
process_collect(struct process *process, double now)
{
	const double grace = now + PROCESS_READER_GRACE;

	process->phase = PHASE_COLLECTING;
	if (process->is_last || now >= process->run_end)
		process->deadline = grace;
	else if (process->why == WHY_ENDS_ITSELF && now < process->limit)
		process->deadline = process->limit;
	else
		process->deadline = fmin(grace, process->run_end);
}

void
process_extend(struct process *process, double now, double since)
{
	const double least = process->is_last
	    ? now
	    : fmin(now + PROCESS_READER_GRACE, process->run_end);

	if (since < INFINITY)
		process->deadline = fmax(least, since + PROCESS_READER_GRACE);
	process->untaken = since < INFINITY && process->deadline <= now;
}

void
process_note(const struct process *process, struct ended *ended)
{
	const bool is_stuck = process->incomplete && !process->exited;
	const bool ended_itself =
	    ended->why == WHY_ENDS_ITSELF || ended->why == WHY_ERROR;

	ended->extent = !process->incomplete ? EXTENT_WHOLE
	    : is_stuck			     ? EXTENT_UNKNOWN
	    : process->untaken		     ? EXTENT_UNTAKEN
					     : EXTENT_UNSEARCHED;
	ended->outcome = ended->returned;
	if (outcome_ran(ended->returned) && (is_stuck || !ended_itself))
		ended->outcome =
		    (struct outcome){ .kind = ended->why == WHY_UNHEALTHY
				? OUTCOME_UNHEALTHY
				: OUTCOME_TIMEOUT };
	/* A process that is still alive has no exit status yet. */
	if (is_stuck)
		ended->returned = ended->outcome;
}
