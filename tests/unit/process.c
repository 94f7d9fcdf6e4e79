/* SPDX-License-Identifier: MIT */

#include <math.h>

#include "core/process.h"
#include "tap.h"

static struct process
begun(double deadline)
{
	return (struct process){ .deadline = deadline,
		.limit = deadline,
		.run_end = INFINITY,
		.kill_after = 2 };
}

TEST(a_process_that_ends_by_itself_is_collected)
{
	struct process process = begun(5);

	CHECK_INT(process_tick(&process, 4.9), PROCESS_WAIT);
	CHECK_INT(process_exited(&process, 4.9), PROCESS_COLLECT);
	CHECK_INT(process.why, WHY_ENDS_ITSELF);
}

TEST(each_phase_has_its_deadline)
{
	struct process process = begun(5);

	CHECK_INT(process_tick(&process, 5), PROCESS_SIGNAL);
	CHECK_INT(process.phase, PHASE_SIGNALLED);
	CHECK_INT(process.why, WHY_TIMEOUT);
	CHECK_DBL(process_wake(&process), 7, 0);
	CHECK_INT(process_tick(&process, 7), PROCESS_KILL);
	CHECK_INT(process.phase, PHASE_KILLED);
	CHECK_DBL(process_wake(&process), INFINITY, 0);
	CHECK_INT(process_exited(&process, 7.5), PROCESS_KILL);
	CHECK_DBL(process_wake(&process), 8.5, 0);
	CHECK_INT(process_tick(&process, 8.5), PROCESS_ABANDON);
	CHECK(!process.incomplete);
}

TEST(the_end_of_the_run_is_a_reason_of_its_own)
{
	struct process process = begun(5);

	process.run_end = 5;
	CHECK_INT(process_tick(&process, 5), PROCESS_SIGNAL);
	CHECK_INT(process.why, WHY_MAX_TIME);
	CHECK_INT(process_tick(&process, 7), PROCESS_KILL);
	CHECK_DBL(process_wake(&process), 8, 0);
	CHECK_INT(process_tick(&process, 8), PROCESS_ABANDON);
	CHECK(process.incomplete);
}

/* However long the search for all processes took, they have a second to die. */
TEST(the_last_grace_begins_once_sigkill_was_sent)
{
	struct process process = begun(5);

	process.run_end = 5;
	process_killed(&process, 6);
	CHECK_DBL(process_wake(&process), 5, 0);
	CHECK_INT(process_tick(&process, 5), PROCESS_SIGNAL);
	process_killed(&process, 9);
	CHECK_DBL(process_wake(&process), 7, 0);
	CHECK_INT(process_tick(&process, 7), PROCESS_KILL);
	process_killed(&process, 9.5);
	CHECK_INT(process_exited(&process, 9.75), PROCESS_KILL);
	CHECK_INT(process_tick(&process, 10.25), PROCESS_WAIT);
	CHECK_DBL(process_wake(&process), 10.5, 0);
	CHECK_INT(process_tick(&process, 10.5), PROCESS_ABANDON);
}

TEST(silence_ends_a_process_only_while_it_runs)
{
	struct process process = begun(50);

	process.idle_limit = 3;
	process.active = 10;
	CHECK_DBL(process_wake(&process), 13, 0);
	CHECK_INT(process_tick(&process, 13), PROCESS_SIGNAL);
	CHECK_INT(process.why, WHY_IDLE);
	CHECK_DBL(process_wake(&process), 15, 0);
}

TEST(without_kill_after_nothing_is_killed)
{
	struct process process = begun(5);

	process.kill_after = 0;
	process.run_end = 9;
	CHECK_INT(process_tick(&process, 5), PROCESS_SIGNAL);
	CHECK_DBL(process_wake(&process), 10, 0);
	struct process other = process;
	CHECK_INT(process_exited(&other, 6), PROCESS_ABANDON);
	CHECK(!other.incomplete);
	CHECK_INT(process_tick(&process, 10), PROCESS_ABANDON);
	CHECK(process.incomplete);
}

TEST(a_reader_is_not_waited_for_past_the_deadline)
{
	struct process process = begun(5);

	process_exited(&process, 1);
	process_collect(&process, 1);
	CHECK_DBL(process_wake(&process), 5, 0);
	process_drain(&process, 3);
	CHECK_INT(process_tick(&process, 3.9), PROCESS_WAIT);
	CHECK_INT(process_tick(&process, 4), PROCESS_DROP_OUTPUT);
	CHECK(process.incomplete);
	CHECK_INT(process.why, WHY_ENDS_ITSELF);
}

/* It exits as its time is over: the search must have some time, too. */
TEST(a_search_after_the_deadline_has_a_second)
{
	for (int i = 0; i < 2; i++) {
		struct process process = begun(5);

		ROW("case %d", i);
		process.run_end = 5.5;
		process.is_last = i == 1;
		process_exited(&process, 5);
		process_collect(&process, 5);
		CHECK_DBL(process_wake(&process), i == 0 ? 5.5 : 6, 0);
	}
}

TEST(an_orphan_may_have_been_the_last_of_the_process)
{
	struct process process = begun(5);

	CHECK_INT(process_reaped(&process), PROCESS_WAIT);
	process_tick(&process, 5);
	process_exited(&process, 5);
	CHECK_INT(process_reaped(&process), PROCESS_LOOK);
	process_tick(&process, 7);
	CHECK_INT(process_reaped(&process), PROCESS_KILL);
	process_collect(&process, 7);
	CHECK_INT(process_reaped(&process), PROCESS_WAIT);
}

TEST(once_the_run_ends_a_reader_has_a_second)
{
	struct process signalled = begun(5), late = begun(5);

	signalled.is_last = true;
	process_exited(&signalled, 1);
	process_collect(&signalled, 1);
	CHECK_DBL(process_wake(&signalled), 2, 0);
	late.run_end = 3;
	process_exited(&late, 4);
	process_collect(&late, 4);
	CHECK_DBL(process_wake(&late), 5, 0);
}

TEST(an_outcome_that_is_late_has_a_reason)
{
	struct process process = begun(5), last = begun(5), ended = begun(5);

	process_exited(&process, 1);
	process_collect(&process, 1);
	CHECK_INT(process_tick(&process, 5), PROCESS_DROP_OUTPUT);
	CHECK_INT(process.why, WHY_TIMEOUT);
	last.run_end = 5;
	process_exited(&last, 1);
	process_collect(&last, 1);
	CHECK_INT(process_tick(&last, 5), PROCESS_DROP_OUTPUT);
	CHECK_INT(last.why, WHY_ENDS_ITSELF);
	process_end(&ended, WHY_IDLE, 1);
	process_exited(&ended, 2);
	process_collect(&ended, 2);
	CHECK_INT(process_tick(&ended, 3), PROCESS_DROP_OUTPUT);
	CHECK_INT(ended.why, WHY_IDLE);
}

static struct ended
noted(const struct process *process, enum process_why why,
    struct outcome returned)
{
	struct ended ended = { .why = why, .returned = returned };

	process_note(process, &ended);
	return ended;
}

TEST(an_ended_process_counts_by_the_reason)
{
	const struct outcome exited = { OUTCOME_EXIT, .code = 3 };
	const struct outcome unforked = { OUTCOME_UNFORKED, .code = 11 };
	const struct process process = begun(5);

	CHECK_INT(noted(&process, WHY_ENDS_ITSELF, exited).outcome.code, 3);
	CHECK_INT(noted(&process, WHY_ERROR, exited).outcome.kind,
	    OUTCOME_EXIT);
	CHECK_INT(noted(&process, WHY_IDLE, exited).outcome.kind,
	    OUTCOME_TIMEOUT);
	CHECK_INT(noted(&process, WHY_IDLE, exited).returned.code, 3);
	CHECK_INT(noted(&process, WHY_UNHEALTHY, exited).outcome.kind,
	    OUTCOME_UNHEALTHY);
	CHECK_INT(noted(&process, WHY_TIMEOUT, unforked).outcome.kind,
	    OUTCOME_UNFORKED);
}

/* From when it last took something; in time it may pause, too. */
TEST(a_reader_that_takes_has_a_second)
{
	static const struct {
		double since;
		bool signalled;
		double deadline;
		enum extent extent;
	} rows[] = {
		{ 9.5, false, 10.5, EXTENT_WHOLE },
		{ 9.5, true, 10.5, EXTENT_WHOLE },
		{ 10, true, 11, EXTENT_WHOLE },
		{ 9, false, 10, EXTENT_UNTAKEN },
		{ 9, true, 10, EXTENT_UNTAKEN },
		{ 0, true, 10, EXTENT_UNTAKEN },
		{ INFINITY, false, 10, EXTENT_UNSEARCHED },
		{ INFINITY, true, 10, EXTENT_UNSEARCHED },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct process process = begun(10);

		ROW("row %zu", i);
		process.run_end = 10;
		process.is_last = rows[i].signalled;
		process_exited(&process, 5);
		process_collect(&process, 5);
		process.deadline = 10;
		process_extend(&process, 10, rows[i].since);
		CHECK_DBL(process.deadline, rows[i].deadline, 0);
		process_tick(&process, 10);
		const struct ended ended = noted(&process, process.why,
		    (struct outcome){ OUTCOME_EXIT, .code = 0 });
		CHECK_INT(ended.extent, rows[i].extent);
	}
	/* In time one that takes nothing may pause. */
	struct process process = begun(20);
	process_exited(&process, 5);
	process_collect(&process, 5);
	process_extend(&process, 20, 0);
	CHECK_DBL(process.deadline, 21, 0);
}

TEST(a_stuck_process_has_no_outcome_of_its_own)
{
	const struct outcome stale = { OUTCOME_EXIT, .code = 0 };
	struct process process = begun(5);

	process.incomplete = true;
	struct ended ended = noted(&process, WHY_ENDS_ITSELF, stale);
	CHECK_INT(ended.extent, EXTENT_UNKNOWN);
	CHECK_INT(ended.outcome.kind, OUTCOME_TIMEOUT);
	CHECK_INT(ended.returned.kind, OUTCOME_TIMEOUT);
	ended = noted(&process, WHY_TIMEOUT, stale);
	CHECK_INT(ended.outcome.kind, OUTCOME_TIMEOUT);
}

TEST(a_stop_is_followed_by_sigkill)
{
	struct process process = begun(INFINITY), ended = begun(5);

	process_stop(&process, 3);
	CHECK(process_wake(&process) == 3);
	CHECK_INT(process_tick(&process, 2.9), PROCESS_WAIT);
	CHECK_INT(process_tick(&process, 3), PROCESS_KILL);
	CHECK_INT(process.phase, PHASE_KILLED);
	CHECK_INT(process.why, WHY_ENDS_ITSELF);
	CHECK_INT(process_tick(&process, 3.9), PROCESS_WAIT);
	CHECK_INT(process_tick(&process, 4), PROCESS_ABANDON);
	/* It is as early where a timeout has asked the process to end. */
	process_tick(&ended, 5);
	process_stop(&ended, 5.5);
	CHECK_INT(process_tick(&ended, 5.5), PROCESS_KILL);
	CHECK_INT(ended.phase, PHASE_KILLED);
	CHECK_INT(ended.why, WHY_TIMEOUT);
}

TEST(the_end_of_the_run_leaves_the_second_after_sigkill)
{
	struct process process = begun(INFINITY), stopped = begun(5);

	stopped.kill_after = 1;
	process_tick(&stopped, 5);
	CHECK_INT(process_tick(&stopped, 6), PROCESS_KILL);
	process_stop(&stopped, 6.3);
	CHECK_INT(process_exited(&stopped, 6.1), PROCESS_KILL);
	CHECK_INT(process_tick(&stopped, 6.9), PROCESS_WAIT);
	CHECK_INT(process_tick(&stopped, 7.1), PROCESS_ABANDON);
	/* Nor is it begun again. */
	process_stop(&process, 3);
	CHECK_INT(process_tick(&process, 3), PROCESS_KILL);
	process_stop(&process, 3.5);
	CHECK_INT(process_tick(&process, 3.9), PROCESS_WAIT);
	CHECK_INT(process_tick(&process, 4), PROCESS_ABANDON);
}

TEST(a_drain_has_no_limit_but_the_end_of_the_run)
{
	struct process process = begun(5);

	process.run_end = 9;
	process.idle_limit = 1;
	process_drain(&process, 0);
	CHECK_DBL(process_wake(&process), 9, 0);
	CHECK_INT(process_tick(&process, 8.9), PROCESS_WAIT);
	CHECK_INT(process_tick(&process, 9), PROCESS_KILL);
	CHECK_INT(process.phase, PHASE_KILLED);
	CHECK_INT(process.why, WHY_ENDS_ITSELF);
	CHECK_INT(process_exited(&process, 9.5), PROCESS_KILL);
}

TEST(a_drain_ends_at_the_stop_timeout)
{
	struct process process = begun(5);

	process_stop(&process, 3);
	process_stop(&process, 8);
	process_drain(&process, 0);
	CHECK_DBL(process_wake(&process), 3, 0);
	CHECK_INT(process_tick(&process, 3), PROCESS_KILL);
	CHECK_INT(process.phase, PHASE_KILLED);
}

TEST(a_process_that_drains_is_collected)
{
	struct process process = begun(5);

	process_drain(&process, 0);
	CHECK_INT(process_exited(&process, 700), PROCESS_COLLECT);
	CHECK_INT(process.why, WHY_ENDS_ITSELF);
}

TEST(a_process_that_was_asked_to_end_does_not_drain)
{
	struct process process = begun(5);

	process_tick(&process, 5);
	process_drain(&process, 0);
	CHECK_INT(process_tick(&process, 7), PROCESS_KILL);
	CHECK_INT(process.phase, PHASE_KILLED);
	CHECK_INT(process.why, WHY_TIMEOUT);
}

TEST(without_sigkill_a_drain_is_abandoned_at_the_end_of_the_run)
{
	struct process process = begun(5);

	process.kill_after = 0;
	process.run_end = 9;
	process_drain(&process, 0);
	CHECK_INT(process_tick(&process, 9), PROCESS_ABANDON);
	CHECK(process.incomplete);
}

TEST(leftovers_that_do_not_end_in_a_second_end_as_after_a_timeout)
{
	struct process process = begun(5), quick = begun(5);

	process.ends_left = quick.ends_left = true;
	CHECK_INT(process_exited(&process, 3), PROCESS_LOOK);
	CHECK_INT(process.phase, PHASE_LEAVES);
	CHECK_INT(process_reaped(&process), PROCESS_LOOK);
	CHECK_DBL(process_wake(&process), 4, 0);
	CHECK_INT(process_tick(&process, 4), PROCESS_SIGNAL);
	CHECK_INT(process.phase, PHASE_SIGNALLED);
	CHECK_DBL(process_wake(&process), 6, 0);
	CHECK_INT(process_tick(&process, 6), PROCESS_KILL);
	CHECK_INT(process.phase, PHASE_KILLED);
	CHECK_DBL(process_wake(&process), 7, 0);
	CHECK_INT(process_tick(&process, 7), PROCESS_ABANDON);
	CHECK(!process.incomplete);
	CHECK_INT(process.why, WHY_ENDS_ITSELF);
	process_drain(&quick, 0);
	CHECK_INT(process_exited(&quick, 3), PROCESS_LOOK);
	process_stop(&quick, 3.5);
	CHECK_INT(process_tick(&quick, 3.5), PROCESS_KILL);
	CHECK_INT(quick.phase, PHASE_KILLED);
}

TEST(leftovers_have_their_second_within_the_run)
{
	struct process process = begun(5);

	process.ends_left = true;
	process.run_end = 3.5;
	CHECK_INT(process_exited(&process, 3), PROCESS_LOOK);
	CHECK_INT(process_tick(&process, 3.5), PROCESS_SIGNAL);
}

TEST(without_sigkill_leftovers_have_a_second_more)
{
	struct process process = begun(5);

	process.ends_left = true;
	process.kill_after = 0;
	CHECK_INT(process_exited(&process, 3), PROCESS_LOOK);
	CHECK_INT(process_tick(&process, 4), PROCESS_SIGNAL);
	CHECK_DBL(process_wake(&process), 5, 0);
	CHECK_INT(process_tick(&process, 5), PROCESS_ABANDON);
	CHECK(!process.incomplete);
}

int
main(void)
{
	return RUN_ALL();
}
