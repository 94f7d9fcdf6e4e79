/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "core/delay.h"
#include "drive.h"
#include "tap.h"

static const struct outcome died = { OUTCOME_SIGNAL, SIGKILL };
static const struct outcome timed_out = { OUTCOME_TIMEOUT, 0 };
static const struct outcome not_found = { OUTCOME_UNSTARTABLE, ENOENT };
static const struct outcome unforked = { OUTCOME_UNFORKED, EAGAIN };

/* What the last step answered. */
#define CHECK_ACTION(drive, want_kind, want_wake) \
	do { \
		CHECK_INT((drive)->action.kind, (want_kind)); \
		CHECK_DBL((drive)->action.wake, (want_wake), 1e-12); \
	} while (0)

/* How the run ended. */
#define CHECK_FINISH(drive, want_reason, want_status) \
	do { \
		CHECK_INT((drive)->action.kind, ACTION_FINISH); \
		CHECK_STR(reasons[(drive)->run.end.reason].name, want_reason); \
		CHECK_INT((drive)->run.end.status, (want_status)); \
	} while (0)

static struct drive
started(struct policy policy)
{
	return (struct drive){ .policy = policy };
}

/* Fails and waits so often, and checks each wait. */
static void
check_delays(struct drive *drive, const char *delays)
{
	double want;

	while (tsv_number(&delays, &want)) {
		CHECK_INT(drive_exit(drive, 1), ACTION_WAIT);
		CHECK_DBL(drive->run.wait.delay.seconds, want, 1e-12);
		CHECK_DBL(drive->action.wake, drive->now + want, 1e-12);
		CHECK_INT(drive_timer(drive), ACTION_RUN);
	}
}

/* --- attempts --- */

TEST(a_success_at_once_ends_the_run)
{
	struct drive drive = started(drive_policy("exponential"));

	drive_start(&drive);
	CHECK_ACTION(&drive, ACTION_RUN, INFINITY);
	CHECK(!drive.judged);
	CHECK(isinf(drive.run.attempt.timeout));
	drive_exit(&drive, 0);
	CHECK_FINISH(&drive, "success", 0);
	CHECK(drive.judged);
	CHECK_INT(drive.run.last.judgement.verdict, VERDICT_SUCCESS);
	CHECK_INT(drive.run.attempt.number, 1);
	CHECK_INT(drive.run.failures, 0);
}

TEST(a_record_has_the_limits_and_what_is_not_known_yet)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.limits.attempts = 4;
	drive.policy.max_time = 60;
	drive.policy.tolerate = 2;
	drive.policy.rules.classifies = true;
	drive_start(&drive);
	CHECK_INT(drive.run.limit, 4);
	CHECK_DBL(drive.run.max_time, 60, 0);
	CHECK_DBL(drive.run.hint_limit, 3600, 0);
	CHECK_INT(drive.run.tolerate, 2);
	CHECK(drive.run.has_presets);
	CHECK_DBL(drive.run.wait.delay.hint, -1, 0);
	CHECK_DBL(drive.run.wait.before, -1, 0);
	CHECK(isnan(drive.run.seen.user) && isnan(drive.run.seen.system));
}

TEST(attempts_are_counted_in_all)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.limits.attempts = 4;
	drive.now = 100;
	drive_start(&drive);
	CHECK(!drive.run.final);
	check_delays(&drive, "1 2 4");
	CHECK_DBL(drive.run.wait.due, 7, 1e-12);
	CHECK(drive.run.final);
	drive_exit(&drive, 7);
	CHECK_FINISH(&drive, "attempts", 7);
	CHECK(drive.judged);
	CHECK_INT(drive.run.last.judgement.verdict, VERDICT_RETRY);
	CHECK_INT(drive.run.attempt.number, 4);
	CHECK_INT(drive.run.failures, 4);
	CHECK_DBL(drive.run.wait.total, 7, 1e-12);
	CHECK_DBL(drive.run.elapsed, 7, 1e-12);
	CHECK_DBL(drive.run.attempt.begun, 7, 1e-12);
	CHECK_DBL(drive.now, 107, 1e-12);
}

TEST(a_limit_of_one_kind_of_failure_gives_up)
{
	struct drive drive = started(drive_policy("constant"));
	const char *where;

	limits_parse(&drive.policy.limits, "10,75:2", &where);
	drive_start(&drive);
	drive_exit(&drive, 75);
	drive_timer(&drive);
	drive_exit(&drive, 1);
	drive_timer(&drive);
	drive_exit(&drive, 75);
	CHECK_FINISH(&drive, "attempts", 75);
	CHECK_INT(drive.run.attempt.number, 3);
	CHECK_INT(drive.run.end.reached->count, 2);
}

TEST(a_limit_within_a_window_gives_up)
{
	struct drive drive = started(drive_policy("constant"));
	const char *where;

	limits_parse(&drive.policy.limits, "3/10", &where);
	drive_start(&drive);
	for (int i = 0; i < 100; i++) {
		drive.now += 5;
		CHECK_INT(drive_exit(&drive, 1), ACTION_WAIT);
		drive_timer(&drive);
	}
	drive.now += 2;
	drive_exit(&drive, 1);
	CHECK_FINISH(&drive, "attempts", 1);
	CHECK_INT(drive.run.attempt.number, 101);
}

TEST(a_fresh_start_forgets_failures_that_limits_counted)
{
	struct drive drive = started(drive_policy("constant"));
	const char *where;

	limits_parse(&drive.policy.limits, "1:2,3/1h", &where);
	drive.policy.reset_after = 60;
	drive_start(&drive);
	for (int i = 0; i < 10; i++) {
		drive.now += 60;
		CHECK_INT(drive_exit(&drive, 1), ACTION_WAIT);
		drive_timer(&drive);
	}
	drive_exit(&drive, 1);
	CHECK_FINISH(&drive, "attempts", 1);
}

TEST(an_attempt_that_is_silent_for_too_long_times_out)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.idle_timeout = 5;
	drive.policy.timeout = 60;
	drive_start(&drive);
	CHECK_ACTION(&drive, ACTION_RUN, 5);
	drive.now = 5;
	drive_step(&drive, (struct step){ .kind = STEP_TIMER, .active = 4 });
	CHECK_ACTION(&drive, ACTION_NONE, 9);
	drive.now = 8;
	drive_step(&drive, (struct step){ .kind = STEP_REAPED, .active = 7.5 });
	CHECK_ACTION(&drive, ACTION_NONE, 12.5);
	drive_timer(&drive);
	CHECK_INT(drive.action.kind, ACTION_KILL);
	drive_exit(&drive, 0);
	CHECK_INT(drive.run.last.outcome.kind, OUTCOME_TIMEOUT);
	CHECK_DBL(drive.run.last.silent, 5, 0);
	CHECK_STR(rule_names[drive.run.last.judgement.rule], "idle-timeout");
}

TEST(an_attempt_that_writes_has_its_whole_time)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.idle_timeout = 5;
	drive.policy.timeout = 60;
	drive_start(&drive);
	for (drive.now = 4; drive.now < 60; drive.now += 4)
		CHECK_INT(drive_step(&drive,
			      (struct step){ .kind = STEP_TIMER,
				  .active = drive.now }),
		    ACTION_NONE);
	drive.now = 60;
	drive_step(&drive, (struct step){ .kind = STEP_TIMER, .active = 59 });
	CHECK_INT(drive.action.kind, ACTION_KILL);
	drive_exit(&drive, 0);
	CHECK_DBL(drive.run.last.silent, 0, 0);
	CHECK_STR(rule_names[drive.run.last.judgement.rule], "default");
}

TEST(runs_that_give_up_are_tolerated_until_there_are_too_many)
{
	static const struct {
		uint64_t earlier;
		int status, death;
		struct outcome outcome;
	} rows[] = {
		{ 0, 0, 0, { OUTCOME_EXIT, 9 } },
		{ 1, 0, 0, { OUTCOME_SIGNAL, SIGKILL } },
		{ 2, 9, 0, { OUTCOME_EXIT, 9 } },
		{ 3, 137, SIGKILL, { OUTCOME_SIGNAL, SIGKILL } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct drive drive = started(drive_policy("exponential"));

		ROW("%zu", i);
		drive.policy.limits.attempts = 1;
		drive.policy.tolerate = 3;
		drive_resume(&drive,
		    (struct state){ .given_up = rows[i].earlier });
		drive_end(&drive, rows[i].outcome, -1);
		CHECK_FINISH(&drive, "attempts", rows[i].status);
		CHECK_INT(drive.run.end.death, rows[i].death);
		CHECK_INT(drive.run.end.tolerated, rows[i].status == 0);
		CHECK_INT(drive.saved.given_up, rows[i].earlier + 1);
	}
}

TEST(only_a_run_that_gives_up_is_tolerated)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.tolerate = 9;
	set_parse(&drive.policy.rules.stop, "2", NULL);
	drive_resume(&drive, (struct state){ .given_up = 1 });
	drive_exit(&drive, 2);
	CHECK_FINISH(&drive, "stop", 2);
	drive_resume(&drive, (struct state){ .given_up = 1 });
	drive_exit(&drive, 1);
	drive_signal(&drive, SIGTERM);
	CHECK_FINISH(&drive, "signal", 143);
	drive_resume(&drive, (struct state){ .given_up = 1 });
	drive_exit(&drive, 0);
	CHECK_FINISH(&drive, "success", 0);
	CHECK_INT(drive.saved.given_up, 0);
}

TEST(a_run_without_an_attempt_is_none_that_gave_up)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.tolerate = 3;
	drive.policy.max_time = 3;
	drive_resume(&drive, (struct state){ .given_up = 2, .delay = 5 });
	CHECK_FINISH(&drive, "max-time", 0);
	CHECK(drive.run.end.tolerated);
	CHECK_INT(drive.run.end.given_up, 2);
	CHECK(!drive.was_saved);
}

TEST(a_run_that_never_read_the_state_is_not_tolerated)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.remember = true;
	drive.policy.tolerate = 9;
	drive.policy.max_time = 10;
	drive_start(&drive);
	CHECK_INT(drive.action.question, ASK_STATE);
	drive.now = 10;
	drive_step(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_FINISH(&drive, "max-time", 124);
	CHECK(!drive.run.end.tolerated);
}

TEST(one_attempt_is_no_retry)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.limits.attempts = 1;
	drive_start(&drive);
	CHECK(drive.run.final);
	drive_exit(&drive, 3);
	CHECK_FINISH(&drive, "attempts", 3);
}

TEST(without_a_limit_attempts_go_on)
{
	struct drive drive = started(drive_policy("constant"));

	drive_start(&drive);
	for (int i = 0; i < 200; i++) {
		CHECK_INT(drive_exit(&drive, 1), ACTION_WAIT);
		CHECK(!drive.run.final);
		drive_timer(&drive);
	}
	CHECK_INT(drive.run.attempt.number, 201);
}

TEST(a_stop_ends_the_run_at_once)
{
	struct drive drive = started(drive_policy("exponential"));

	set_parse(&drive.policy.rules.stop, "2", NULL);
	drive_start(&drive);
	check_delays(&drive, "1");
	drive_exit(&drive, 2);
	CHECK_FINISH(&drive, "stop", 2);
	CHECK_STR(rule_names[drive.run.last.judgement.rule], "stop-on");
	CHECK_INT(drive.run.failures, 2);
}

TEST(the_last_outcome_is_the_status_of_a_run_that_gives_up)
{
	const struct {
		struct outcome outcome;
		int status, death;
	} rows[] = {
		{ { OUTCOME_EXIT, 9 }, 9, 0 },
		{ died, 137, SIGKILL },
		{ timed_out, 124, 0 },
		{ not_found, 127, 0 },
		{ { OUTCOME_UNSTARTABLE, EACCES }, 126, 0 },
		{ unforked, 125, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct drive drive = started(drive_policy("exponential"));

		ROW("%s", outcome_names[rows[i].outcome.kind]);
		drive.policy.limits.attempts = 2;
		drive_start(&drive);
		check_delays(&drive, "1");
		drive_end(&drive, rows[i].outcome, -1);
		CHECK_FINISH(&drive, "attempts", rows[i].status);
		CHECK_INT(drive.run.end.death, rows[i].death);
	}
}

TEST(transient_status_is_that_of_a_transient_failure)
{
	static const struct {
		bool signalled;
		struct outcome outcome;
		double hint; /* makes it transient */
		int status, death;
	} rows[] = {
		{ false, { OUTCOME_EXIT, 9 }, 7, 1, 0 },
		{ false, { OUTCOME_SIGNAL, SIGKILL }, 7, 1, 0 },
		{ false, { OUTCOME_EXIT, 9 }, -1, 9, 0 },
		{ true, { OUTCOME_EXIT, 9 }, 7, 9, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct drive drive = started(drive_policy("exponential"));

		ROW("%zu", i);
		drive.policy.limits.attempts = 1;
		drive.policy.transient_status = 1;
		drive_start(&drive);
		if (rows[i].signalled)
			drive_signal(&drive, SIGTERM);
		drive_end(&drive, rows[i].outcome, rows[i].hint);
		CHECK_INT(drive.run.end.status, rows[i].status);
		CHECK_INT(drive.run.end.death, rows[i].death);
	}
}

TEST(flaky_status_is_that_of_a_success_after_a_failure)
{
	for (int failures = 0; failures < 2; failures++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("%d", failures);
		drive.policy.flaky_status = 1;
		drive_start(&drive);
		if (failures > 0)
			check_delays(&drive, "1");
		drive_exit(&drive, 0);
		CHECK_FINISH(&drive, "success", failures);
	}
}

TEST(a_free_failure_uses_up_no_attempt)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.limits.attempts = 2;
	set_parse(&drive.policy.free, "KILL", NULL);
	drive_start(&drive);
	for (int i = 0; i < 5; i++) {
		CHECK(!drive.run.final);
		CHECK_INT(drive_end(&drive, died, -1), ACTION_WAIT);
		/* The delay grows all the same. */
		CHECK_DBL(drive.run.wait.delay.seconds, 1 << i, 0);
		drive_timer(&drive);
	}
	check_delays(&drive, "32");
	CHECK(drive.run.final);
	CHECK_INT(drive_end(&drive, died, -1), ACTION_WAIT);
	drive_timer(&drive);
	drive_exit(&drive, 1);
	CHECK_FINISH(&drive, "attempts", 1);
	CHECK_INT(drive.run.attempt.number, 8);
}

/* An attempt that times out may have said before how long to wait. */
TEST(an_attempt_that_gave_a_hint_may_be_free)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.limits.attempts = 1;
	drive.policy.hint_limit = 60;
	drive.policy.timeout = 5;
	set_parse(&drive.policy.free, "transient", NULL);
	drive_start(&drive);
	CHECK_INT(drive_end(&drive, died, 7), ACTION_WAIT);
	CHECK_DBL(drive.run.wait.delay.seconds, 7, 0);
	drive_timer(&drive);
	drive_timer(&drive);
	CHECK_INT(drive_end(&drive, died, 9), ACTION_WAIT);
	CHECK_INT(drive.run.last.outcome.kind, OUTCOME_TIMEOUT);
	CHECK_INT(drive.run.used, 0);
	drive_timer(&drive);
	CHECK_INT(drive_end(&drive, died, -1), ACTION_FINISH);
	CHECK_INT(drive.run.attempt.number, 3);
}

/* --- limits on an attempt --- */

TEST(a_timeout_sends_its_signal_and_then_sigkill)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.timeout = 5;
	drive.policy.kill_after = 2;
	drive.policy.signal = SIGHUP;
	drive.now = 1;
	drive_start(&drive);
	CHECK_ACTION(&drive, ACTION_RUN, 6);
	CHECK_DBL(drive.run.attempt.timeout, 5, 1e-12);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_KILL, 8);
	CHECK_INT(drive.action.signal, SIGHUP);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_KILL, INFINITY);
	CHECK_INT(drive.action.signal, SIGKILL);
	drive_end(&drive, timed_out, -1);
	CHECK_ACTION(&drive, ACTION_WAIT, 9);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_RUN, 14);
}

TEST(a_kill_after_of_nothing_never_kills)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.timeout = 5;
	drive.policy.kill_after = 0;
	drive_start(&drive);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_KILL, INFINITY);
	CHECK_INT(drive.action.signal, SIGTERM);
	drive.now = 1e6;
	drive_step(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_ACTION(&drive, ACTION_NONE, INFINITY);
}

TEST(a_timer_before_its_time_changes_nothing)
{
	struct drive drive = started(drive_policy("exponential"));
	struct record before;

	drive.policy.timeout = 5;
	drive_start(&drive);
	for (int i = 0; i < 4; i++) {
		const double wake = drive.action.wake;

		before = drive.run;
		drive.now = nextafter(wake, 0);
		drive_step(&drive, (struct step){ .kind = STEP_TIMER });
		CHECK_INT(drive.action.kind, ACTION_NONE);
		CHECK(drive.action.wake == wake);
		CHECK(before.attempt.number == drive.run.attempt.number);
		CHECK(before.used == drive.run.used);
		CHECK(before.failures == drive.run.failures);
		CHECK(before.last.outcome.kind == drive.run.last.outcome.kind);
		CHECK(before.wait.lasts == drive.run.wait.lasts);
		CHECK(
		    before.wait.delay.seconds == drive.run.wait.delay.seconds);
		CHECK(before.wait.total == drive.run.wait.total);
		CHECK(before.end.reason == drive.run.end.reason);
		drive_timer(&drive);
		/* It is killed, killed for good, ends and is waited for. */
		if (i == 1)
			drive_end(&drive, timed_out, -1);
	}
	CHECK_INT(drive.run.attempt.number, 2);
}

TEST(a_late_timer_is_as_good_as_one_in_time)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.timeout = 5;
	drive.policy.kill_after = 2;
	drive_start(&drive);
	drive.now = 50;
	drive_step(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_ACTION(&drive, ACTION_KILL, 52);
	drive.now = 90;
	drive_step(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_INT(drive.action.signal, SIGKILL);
	drive_end(&drive, timed_out, -1);
	CHECK_ACTION(&drive, ACTION_WAIT, 91);
	drive.now = 200;
	drive_step(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_ACTION(&drive, ACTION_RUN, 205);
	CHECK_DBL(drive.run.wait.before, 110, 1e-12);
}

TEST(a_share_of_what_is_left_limits_an_attempt)
{
	static const struct {
		double share, floor, now, timeout;
	} rows[] = {
		{ 0.5, 0, 0, 50 },
		{ 0.5, 0, 60, 20 },
		{ 1, 0, 60, 40 },
		{ 0.25, 5, 0, 25 },
		{ 0.25, 5, 90, 5 },
		{ 0.25, 5, 97, 3 }, /* no more than is left */
		{ 0.01, 0, 0, 1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("row %zu", i);
		drive.policy.max_time = 100;
		drive.policy.timeout_share = rows[i].share;
		drive.policy.min_timeout = rows[i].floor;
		drive.policy.backoff.base = rows[i].now;
		drive_start(&drive);
		drive_exit(&drive, 1);
		drive_timer(&drive);
		CHECK_DBL(drive.run.attempt.timeout, rows[i].timeout, 1e-12);
		CHECK_DBL(drive.action.wake, rows[i].now + rows[i].timeout,
		    1e-12);
	}
}

/* --- the limit on the run --- */

TEST(no_wait_is_begun_that_ends_at_or_past_the_limit)
{
	static const struct {
		double max_time;
		bool waits;
	} rows[] = { { 3, false }, { 2.999, false }, { 3.001, true },
		{ 0, true } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("max-time %g", rows[i].max_time);
		drive.policy.max_time = rows[i].max_time;
		drive_start(&drive);
		drive.now = 2;
		drive_exit(&drive, 7);
		if (rows[i].waits) {
			CHECK_ACTION(&drive, ACTION_WAIT, 3);
			continue;
		}
		CHECK_FINISH(&drive, "max-time", 7);
		CHECK(drive.judged);
		CHECK_DBL(drive.run.wait.total, 0, 0);
	}
}

TEST(the_limit_on_the_run_ends_the_attempt)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.max_time = 10;
	drive.policy.timeout = 60;
	drive.now = 5;
	drive_start(&drive);
	CHECK_ACTION(&drive, ACTION_RUN, 15);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_KILL, 25);
	drive_end(&drive, timed_out, -1);
	CHECK_FINISH(&drive, "max-time", 124);
	CHECK(drive.judged);
	CHECK_INT(drive.run.failures, 1);
}

TEST(a_timeout_before_the_limit_leaves_time_for_more)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.max_time = 10;
	drive.policy.timeout = 4;
	drive_start(&drive);
	drive_timer(&drive);
	drive_end(&drive, timed_out, -1);
	CHECK_ACTION(&drive, ACTION_WAIT, 5);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_RUN, 9);
	drive_timer(&drive);
	CHECK_INT(drive_end(&drive, timed_out, -1), ACTION_FINISH);
	CHECK_FINISH(&drive, "max-time", 124);
}

TEST(a_success_past_the_limit_is_a_success)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.max_time = 10;
	drive_start(&drive);
	drive.now = 11;
	drive_exit(&drive, 0);
	CHECK_FINISH(&drive, "success", 0);
}

TEST(what_does_not_end_is_left_after_the_last_grace)
{
	static const double kill_afters[] = { 10, 2, 0 };

	for (size_t i = 0; i < COUNT(kill_afters); i++) {
		struct drive drive = started(drive_policy("exponential"));
		const double k = kill_afters[i];

		ROW("kill-after %g", k);
		drive.policy.max_time = 30;
		drive.policy.kill_after = k;
		drive_start(&drive);
		drive_timer(&drive);
		CHECK_ACTION(&drive, ACTION_KILL, k > 0 ? 30 + k : 31);
		if (k > 0) {
			drive_timer(&drive);
			CHECK_ACTION(&drive, ACTION_KILL, 31 + k);
			CHECK_INT(drive.action.signal, SIGKILL);
		}
		drive_timer(&drive);
		CHECK_FINISH(&drive, "max-time", 124);
		CHECK_DBL(drive.now, 31 + k, 1e-12);
		CHECK(drive.judged);
		CHECK_INT(drive.run.last.outcome.kind, OUTCOME_TIMEOUT);
		CHECK_INT(drive.run.failures, 1);
	}
}

/* Only the limit on the run ends patience, and late enough for SIGKILL. */
TEST(what_timed_out_is_waited_for_until_the_limit)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.max_time = 30;
	drive.policy.timeout = 5;
	drive.policy.kill_after = 2;
	drive_start(&drive);
	drive_timer(&drive);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_KILL, 33);
	drive_timer(&drive);
	CHECK_FINISH(&drive, "max-time", 124);
}

/* retry itself was stopped: what runs gets its time all the same. */
TEST(a_late_end_leaves_time_for_both_signals)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.max_time = 30;
	drive.policy.kill_after = 2;
	drive_start(&drive);
	drive.now = 500;
	drive_step(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_ACTION(&drive, ACTION_KILL, 502);
	drive.now = 900;
	drive_step(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_ACTION(&drive, ACTION_KILL, 901);
	CHECK_INT(drive.action.signal, SIGKILL);
	drive_timer(&drive);
	CHECK_FINISH(&drive, "max-time", 124);
}

TEST(a_first_wait_past_the_limit_leaves_no_time_for_an_attempt)
{
	for (int i = 0; i < 2; i++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("case %d", i);
		drive.policy.max_time = 1;
		if (i == 0)
			drive.policy.wait_first = true;
		if (i == 1)
			drive_resume(&drive,
			    (struct state){ .n = 3, .delay = 5 });
		else
			drive_start(&drive);
		CHECK_FINISH(&drive, "max-time", 124);
		CHECK_INT(drive.run.attempt.number, 0);
		CHECK(!drive.judged);
	}
}

/* The wait was announced to end in time, but the machine was late. */
TEST(a_wait_that_ended_too_late_is_followed_by_nothing)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.max_time = 10;
	drive_start(&drive);
	drive_exit(&drive, 7);
	drive.now = 10;
	drive_step(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_FINISH(&drive, "max-time", 7);
	CHECK(!drive.judged);
	CHECK_DBL(drive.run.wait.total, 10, 1e-12);
}

/* --- waiting --- */

TEST(a_wait_is_never_shorter_than_announced)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.jitter = drive_jitter("full", JITTER_INSIDE);
	drive.random = (struct random){ .seed = 3 };
	drive.now = 1e6 / 3;
	drive_start(&drive);
	for (int i = 0; i < 40; i++) {
		drive.now += i / 7.;
		drive_exit(&drive, 1);
		const double seconds = drive.run.wait.delay.seconds;
		const double begun = drive.now;

		drive_timer(&drive);
		if (!CHECK_INT(drive.action.kind, ACTION_RUN))
			return;
		CHECK(drive.now >= begun + seconds);
		CHECK_DBL(drive.run.wait.before, seconds, 1e-9);
	}
}

TEST(the_range_told_is_what_chance_can_give)
{
	static const double chances[] = { 0, 0.5, 1 };
	double drawn[COUNT(chances)];
	struct delay delay = { .low = 0 };

	for (size_t i = 0; i < COUNT(chances); i++) {
		struct drive drive = started(drive_policy("exponential"));

		drive.policy.jitter = drive_jitter("20%", JITTER_AFTER_CAP);
		drive.random.script = &chances[i];
		drive.random.script_length = 1;
		drive_start(&drive);
		drive_exit(&drive, 1);
		delay = drive.run.wait.delay;
		drawn[i] = delay.seconds;
	}
	CHECK_DBL(delay.nominal, 1, 0);
	CHECK_DBL(delay.low, 0.8, 1e-12);
	CHECK_DBL(delay.high, 1.2, 1e-12);
	CHECK_DBL(drawn[0], delay.low, 0);
	CHECK_DBL(drawn[1], 1, 1e-12);
	CHECK_DBL(drawn[2], delay.high, 0);
}

TEST(a_seed_gives_the_same_delays_whatever_else_happens)
{
	double delays[2][8];

	for (int run = 0; run < 2; run++) {
		struct drive drive = started(drive_policy("decorrelated"));

		drive.policy.splay = run;
		drive.policy.gate = run == 1;
		drive.random = (struct random){ .seed = 11 };
		drive_start(&drive);
		if (run == 1)
			drive_timer(&drive);
		for (int i = 0; i < 8; i++) {
			drive.now += run * 3;
			drive_exit(&drive, 1);
			delays[run][i] = drive.run.wait.delay.seconds;
			drive_timer(&drive);
			if (run == 1)
				drive_answer(&drive, ANSWER_YES);
		}
	}
	for (int i = 0; i < 8; i++)
		CHECK(delays[0][i] == delays[1][i]);
}

TEST(waiting_first_takes_the_first_delay)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.wait_first = true;
	drive.policy.limits.attempts = 3;
	drive_start(&drive);
	CHECK_ACTION(&drive, ACTION_WAIT, 1);
	CHECK(!drive.judged);
	drive_timer(&drive);
	CHECK_INT(drive.action.kind, ACTION_RUN);
	CHECK_DBL(drive.run.wait.before, 1, 0);
	check_delays(&drive, "2 4");
	drive_exit(&drive, 1);
	CHECK_FINISH(&drive, "attempts", 1);
}

TEST(a_splay_is_drawn_up_to_its_length)
{
	static const double quarter = 0.25;
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.splay = 40;
	drive.random.script = &quarter;
	drive.random.script_length = 1;
	drive_start(&drive);
	CHECK_ACTION(&drive, ACTION_WAIT, 10);
	CHECK_DBL(drive.run.wait.delay.low, 0, 0);
	CHECK_DBL(drive.run.wait.delay.high, 40, 0);
	drive_timer(&drive);
	check_delays(&drive, "1 2");
}

TEST(a_splay_comes_on_top_of_the_first_wait)
{
	static const double half = 0.5;
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.splay = 4;
	drive.policy.wait_first = true;
	drive.random.script = &half;
	drive.random.script_length = 1;
	drive_start(&drive);
	CHECK_ACTION(&drive, ACTION_WAIT, 3);
	CHECK_DBL(drive.run.wait.delay.low, 1, 0);
	CHECK_DBL(drive.run.wait.delay.high, 5, 0);
}

/* Chance must not decide whether the command runs at all. */
TEST(the_limit_on_the_run_counts_from_the_end_of_the_splay)
{
	static const double half = 0.5;

	for (int early = 0; early < 2; early++) {
		struct drive drive = started(drive_policy("exponential"));

		ROW("early %d", early);
		drive.policy.splay = 40;
		drive.policy.max_time = 5;
		drive.random.script = &half;
		drive.random.script_length = 1;
		drive_start(&drive);
		CHECK_ACTION(&drive, ACTION_WAIT, 20);
		if (early == 1) {
			drive.now = 2;
			drive_signal(&drive, SIGURG);
			CHECK_ACTION(&drive, ACTION_RUN, 7);
		} else {
			drive_timer(&drive);
			CHECK_ACTION(&drive, ACTION_RUN, 25);
		}
	}
}

/* The clock was set, or the machine slept. */
TEST(a_date_that_comes_early_ends_the_wait_and_skips_no_time)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.backoff.base = 600;
	drive.policy.max_time = 602;
	drive_start(&drive);
	drive_exit(&drive, 1);
	CHECK_ACTION(&drive, ACTION_WAIT, 600);
	drive.now = 12;
	drive_event(&drive, (struct step){ .kind = STEP_DATE });
	CHECK_ACTION(&drive, ACTION_RUN, 602);
	CHECK_DBL(drive.run.wait.total, 12, 0);
}

TEST(pace_start_counts_from_the_attempts_start)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.pace_start = true;
	drive_start(&drive);
	drive.now = 0.25;
	drive_exit(&drive, 1);
	CHECK_ACTION(&drive, ACTION_WAIT, 1);
	/* Reports give what is still waited, but the delay as it was meant. */
	CHECK_DBL(drive.run.wait.delay.seconds, 0.75, 1e-12);
	CHECK_DBL(drive.run.wait.delay.nominal, 1, 0);
	drive_timer(&drive);
	drive.now = 9;
	/* The attempt outlasted its delay. */
	drive_exit(&drive, 1);
	CHECK_ACTION(&drive, ACTION_WAIT, 9);
	CHECK_DBL(drive.run.wait.delay.low, 0, 0);
	CHECK_DBL(drive.run.wait.delay.high, 0, 0);
	CHECK_DBL(drive.run.wait.delay.seconds, 0, 0);
	drive_timer(&drive);
	CHECK_INT(drive.action.kind, ACTION_RUN);
	drive_exit(&drive, 1);
	CHECK_ACTION(&drive, ACTION_WAIT, 13);
}

/* Attempts that are due at fixed times begin a little late each time. */
TEST(pace_start_keeps_a_rate)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.pace_start = true;
	drive_start(&drive);
	for (int i = 1; i <= 200; i++) {
		ROW("attempt %d", i);
		drive.now += 0.25;
		drive_exit(&drive, 1);
		CHECK_ACTION(&drive, ACTION_WAIT, i);
		drive.now = i + 0.125;
		drive_event(&drive, (struct step){ .kind = STEP_TIMER });
		CHECK_INT(drive.action.kind, ACTION_RUN);
	}
}

/* After a wait that took much longer, as by a stop, a new series begins. */
TEST(pace_start_makes_up_for_no_attempt)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.pace_start = true;
	drive_start(&drive);
	drive_exit(&drive, 1);
	CHECK_ACTION(&drive, ACTION_WAIT, 1);
	drive.now = 9.5;
	drive_event(&drive, (struct step){ .kind = STEP_TIMER });
	drive_exit(&drive, 1);
	CHECK_ACTION(&drive, ACTION_WAIT, 10.5);
	drive.now = 10;
	drive_signal(&drive, SIGURG);
	CHECK_INT(drive.action.kind, ACTION_RUN);
	drive_exit(&drive, 1);
	CHECK_ACTION(&drive, ACTION_WAIT, 11);
}

/* The least limit of a pace holds beside a share of the time that is left. */
TEST(a_share_and_a_pace_both_limit_an_attempt)
{
	static const struct {
		bool pace;
		double share, min_timeout, limit;
	} rows[] = {
		{ true, 0.5, 20, 20 },
		{ true, 0.1, 20, 20 },
		{ true, 0.5, 0, 50 },
		{ false, 0.5, 20, 50 },
		{ false, 0, 20, 100 },
		{ true, 0, 20, 20 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("%zu", i);
		drive.policy.max_time = 100;
		drive.policy.pace_start = rows[i].pace;
		drive.policy.timeout_share = rows[i].share;
		drive.policy.min_timeout = rows[i].min_timeout;
		drive.now = 7;
		drive_start(&drive);
		CHECK_DBL(drive.run.attempt.timeout, rows[i].limit, 1e-12);
	}
}

/* The second delay of smooth depends on the first draw, whatever its delay. */
TEST(a_draw_is_kept_even_if_its_delay_is_the_shortest)
{
	struct policy policy = drive_policy("smooth");
	const struct random random = { .seed = 7 };
	struct level level = { 0 };

	policy.backoff.base = 1;
	policy.backoff.min = 2;
	delay_draw(&policy, &random, &level,
	    (struct delay_request){ .n = 1, .attempt = 2 });
	CHECK_DBL(level.previous, random_uniform(&random, 2, DRAW_DELAY), 0);
	CHECK(level.previous > 0);
}

TEST(the_nominal_delay_leaves_room_for_the_jitter)
{
	static const struct {
		const char *jitter;
		enum jitter_order order;
		double nominal, high;
	} rows[] = {
		{ "25%", JITTER_INSIDE, 6.4, 8 },
		{ "25%", JITTER_BEFORE_CAP, 8, 8 },
		{ "25%", JITTER_AFTER_CAP, 8, 10 },
		{ "+2", JITTER_INSIDE, 6, 8 },
		{ "full", JITTER_INSIDE, 8, 8 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("%s, order %d", rows[i].jitter, rows[i].order);
		drive.policy.backoff.base = 20;
		drive.policy.backoff.cap = 8;
		drive.policy.backoff.most = 8;
		drive.policy.jitter =
		    drive_jitter(rows[i].jitter, rows[i].order);
		drive_start(&drive);
		drive_exit(&drive, 1);
		CHECK_DBL(drive.run.wait.delay.nominal, rows[i].nominal, 1e-12);
		CHECK_DBL(drive.run.wait.delay.high, rows[i].high, 1e-12);
	}
}

/* An attempt is ended when the next is due: both come from one draw. */
TEST(pace_start_draws_a_delay_once)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.pace_start = true;
	drive.policy.min_timeout = 1e-3;
	drive.policy.jitter = drive_jitter("full", JITTER_INSIDE);
	drive_start(&drive);
	for (int i = 0; i < 20; i++) {
		const double due = drive.action.wake;

		drive_exit(&drive, 1);
		CHECK(drive.action.wake <= due);
		CHECK(drive.action.wake == due || due - drive.now <= 1e-3);
		drive_timer(&drive);
	}
}

TEST(with_pace_start_a_throttle_has_its_own_delay)
{
	static const struct {
		double throttle, wake;
	} rows[] = { { 1, 4 }, { 6, 6 }, { 30, 30 } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("throttle %g", rows[i].throttle);
		drive.policy.backoff.base = 10;
		drive.policy.pace_start = true;
		drive.policy.throttle_delay = rows[i].throttle;
		set_parse(&drive.policy.rules.throttle, "9", NULL);
		drive_start(&drive);
		drive.now = 4;
		drive_exit(&drive, 9);
		CHECK_ACTION(&drive, ACTION_WAIT, rows[i].wake);
	}
}

TEST(with_pace_start_a_hint_counts_from_the_attempts_end)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.backoff.base = 10;
	drive.policy.pace_start = true;
	drive_start(&drive);
	drive.now = 4;
	drive_end(&drive, died, 3);
	CHECK_ACTION(&drive, ACTION_WAIT, 10);
	drive_timer(&drive);
	drive.now = 14;
	drive_end(&drive, died, 30);
	CHECK_ACTION(&drive, ACTION_WAIT, 44);
}

TEST(a_long_attempt_makes_its_failure_the_first)
{
	static const struct {
		double ran;
		struct outcome outcome;
		bool resets;
	} rows[] = {
		{ 59.9, { OUTCOME_EXIT, 1 }, false },
		{ 60, { OUTCOME_EXIT, 1 }, true },
		{ 99, { OUTCOME_SIGNAL, SIGSEGV }, true },
		{ 99, { OUTCOME_TIMEOUT, 0 }, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct drive drive = started(drive_policy("exponential"));

		ROW("row %zu", i);
		drive.policy.reset_after = 60;
		drive.policy.limits.attempts = 4;
		drive_start(&drive);
		check_delays(&drive, "1 2");
		drive.now += rows[i].ran;
		drive_step(&drive,
		    (struct step){ .kind = STEP_ENDED,
			.ended.returned = rows[i].outcome,
			.hint = -1 });
		CHECK_DBL(drive.run.wait.delay.seconds, rows[i].resets ? 1 : 4,
		    0);
		drive_timer(&drive);
		CHECK_INT(drive.run.final, !rows[i].resets);
		CHECK_INT(drive.run.failures, 3);
	}
}

TEST(a_long_attempt_resets_a_level)
{
	struct drive drive = started(drive_policy("mimd"));

	drive.policy.backoff.params[0] = 2;
	drive.policy.backoff.param_given[0] = true;
	drive.policy.reset_after = 60;
	drive_start(&drive);
	check_delays(&drive, "1 2 4");
	drive.now += 60;
	check_delays(&drive, "1 2");
}

/* One attempt is used, unless it is free. */
TEST(a_healthy_failure_that_is_free_leaves_all_attempts)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.reset_after = 60;
	drive.policy.limits.attempts = 2;
	set_parse(&drive.policy.free, "1", NULL);
	drive_start(&drive);
	drive.now = 60;
	drive_exit(&drive, 1);
	CHECK_INT(drive.run.used, 0);
	CHECK_DBL(drive.run.wait.delay.seconds, 1, 0);
}

/* --- throttling --- */

TEST(a_throttled_failure_has_its_own_base)
{
	static const struct {
		const char *strategy, *delays; /* 1, throttled, 1, throttled */
	} rows[] = {
		{ "constant", "1 10 1 10" },
		{ "linear", "1 20 3 40" },
		{ "exponential", "1 20 4 80" },
		{ "fibonacci", "1 10 2 30" },
		{ "list", "3 10 5 10" },
		{ "mimd", "1 10 4 10" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct drive drive = started(drive_policy(rows[i].strategy));
		double values[] = { 3, 4, 5 }, want;
		const char *delays = rows[i].delays;

		ROW("%s", rows[i].strategy);
		drive.policy.backoff.values = values;
		drive.policy.backoff.count = COUNT(values);
		if (strcmp(rows[i].strategy, "mimd") == 0) {
			drive.policy.backoff.params[0] = 2;
			drive.policy.backoff.param_given[0] = true;
		}
		drive.policy.throttle_delay = 10;
		set_parse(&drive.policy.rules.throttle, "9", NULL);
		drive_start(&drive);
		for (int k = 0; tsv_number(&delays, &want); k++) {
			CHECK_INT(drive_exit(&drive, k % 2 ? 9 : 1),
			    ACTION_WAIT);
			CHECK_INT(drive.run.last.judgement.throttled, k % 2);
			CHECK_DBL(drive.run.wait.delay.seconds, want, 0);
			drive_timer(&drive);
		}
	}
}

TEST(a_level_does_not_begin_with_the_delay_of_a_throttle)
{
	struct drive drive = started(drive_policy("mimd"));

	drive.policy.backoff.params[0] = 2;
	drive.policy.backoff.param_given[0] = true;
	drive.policy.throttle_delay = 10;
	set_parse(&drive.policy.rules.throttle, "9", NULL);
	drive_start(&drive);
	drive_exit(&drive, 9);
	CHECK_DBL(drive.run.wait.delay.seconds, 10, 0);
	drive_timer(&drive);
	drive_exit(&drive, 1);
	CHECK_DBL(drive.run.wait.delay.seconds, 2, 0);
}

/* --- repeat --- */

/* 3 6 12 24 | 12 6 3 2 2 | 4 8 16 */
TEST(a_level_falls_with_successes)
{
	static const double delays[] = { 3, 6, 12, 24, 12, 6, 3, 2, 2, 4, 8,
		16 };
	struct drive drive = started(drive_policy("mimd"));

	drive.policy.repeat = true;
	drive.policy.backoff.base = 3;
	drive.policy.backoff.min = 2;
	for (int i = 0; i < BACKOFF_PARAMS; i++) {
		drive.policy.backoff.params[i] = i == 0 ? 2 : 0.5;
		drive.policy.backoff.param_given[i] = true;
	}
	drive_start(&drive);
	for (size_t i = 0; i < COUNT(delays); i++) {
		CHECK_INT(drive_exit(&drive, i < 4 || i >= 9), ACTION_WAIT);
		CHECK_DBL(drive.run.wait.delay.seconds, delays[i], 0);
		drive_timer(&drive);
	}
}

TEST(with_repeat_failures_in_a_row_are_counted)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.repeat = true;
	drive.policy.limits.attempts = 3;
	drive.policy.success_delay = 7;
	drive_start(&drive);
	for (int i = 0; i < 4; i++) {
		check_delays(&drive, "1 2");
		CHECK(drive.run.final);
		CHECK_INT(drive_exit(&drive, 0), ACTION_WAIT);
		CHECK(drive.judged);
		CHECK_DBL(drive.run.wait.delay.seconds, 7, 0);
		drive_timer(&drive);
	}
	check_delays(&drive, "1 2");
	drive_exit(&drive, 5);
	CHECK_FINISH(&drive, "attempts", 5);
	CHECK_INT(drive.run.failures, 11);
}

TEST(a_success_clears_counts_of_failures_but_no_window)
{
	static const struct {
		const char *limits;
		enum action_kind third;
	} rows[] = { { "1:2", ACTION_WAIT }, { "2/1h", ACTION_FINISH } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct drive drive = started(drive_policy("constant"));
		const char *where;

		ROW("%s", rows[i].limits);
		limits_parse(&drive.policy.limits, rows[i].limits, &where);
		drive.policy.repeat = true;
		drive_start(&drive);
		for (int status = 1; status >= 0; status--) {
			CHECK_INT(drive_exit(&drive, status), ACTION_WAIT);
			drive_timer(&drive);
		}
		CHECK_INT(drive_exit(&drive, 1), rows[i].third);
	}
}

TEST(successes_in_a_row_end_a_repeated_run)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.repeat = true;
	drive.policy.repeats = 2;
	drive_start(&drive);
	drive_exit(&drive, 0);
	CHECK_ACTION(&drive, ACTION_WAIT, 0);
	drive_timer(&drive);
	check_delays(&drive, "1");
	drive_exit(&drive, 0);
	drive_timer(&drive);
	drive_exit(&drive, 0);
	CHECK_FINISH(&drive, "success", 0);
	CHECK_INT(drive.run.attempt.number, 4);
}

TEST(at_its_limit_a_repeated_run_ends_as_its_last_attempt_did)
{
	for (int status = 0; status < 2; status++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("status %d", status);
		drive.policy.repeat = true;
		drive.policy.success_delay = 1;
		drive.policy.max_time = 10;
		drive_start(&drive);
		drive_exit(&drive, !status);
		drive_timer(&drive);
		drive.now = 9.5;
		drive_exit(&drive, status);
		CHECK_FINISH(&drive, status ? "max-time" : "success", status);
	}
}

/* --- hints --- */

static struct drive
hinted_drive(const char *jitter, const double *chance)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.backoff.base = 10;
	drive.policy.jitter = drive_jitter(jitter, JITTER_INSIDE);
	drive.policy.hint_limit = 60;
	drive.random.script = chance;
	drive.random.script_length = 1;
	return drive;
}

TEST(a_hint_is_a_minimum)
{
	static const double zero = 0;
	static const struct {
		double hint, wake;
	} rows[] = { { 0, 10 }, { 9, 10 }, { 11, 11 }, { 60, 60 } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct drive drive = hinted_drive("none", &zero);

		ROW("hint %g", rows[i].hint);
		drive_start(&drive);
		drive_end(&drive, died, rows[i].hint);
		CHECK_ACTION(&drive, ACTION_WAIT, rows[i].wake);
		CHECK_DBL(drive.run.wait.delay.hint, rows[i].hint, 0);
		CHECK_DBL(drive.run.wait.delay.nominal, 10, 0);
		CHECK_DBL(drive.run.wait.delay.low, rows[i].wake, 0);
		drive_timer(&drive);
		/* It holds for one wait. */
		drive_end(&drive, died, -1);
		CHECK_DBL(drive.run.wait.delay.seconds, 10, 0);
		CHECK_DBL(drive.run.wait.delay.hint, -1, 0);
	}
}

TEST(a_hint_is_spread_upward_within_its_limit)
{
	static const struct {
		double chance, hint, seconds, high;
	} rows[] = {
		{ 0, 20, 20, 24 }, { 0.5, 20, 22, 24 }, { 1, 20, 24, 24 },
		{ 1, 55, 60, 60 }, { 1, 5, 12, 12 }, /* the delay is longer */
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct drive drive = hinted_drive("20%", &rows[i].chance);

		ROW("hint %g at %g", rows[i].hint, rows[i].chance);
		drive.policy.hint_spread = 0.2;
		drive_start(&drive);
		drive_end(&drive, died, rows[i].hint);
		CHECK_DBL(drive.run.wait.delay.seconds, rows[i].seconds, 1e-12);
		CHECK_DBL(drive.run.wait.delay.high, rows[i].high, 1e-12);
		CHECK(drive.run.wait.delay.seconds >= drive.run.wait.delay.low);
	}
}

TEST(a_hint_beyond_its_limit_or_the_runs_ends_the_run)
{
	static const double zero = 0;
	static const struct {
		int status;
		double hint, max_time;
		const char *reason; /* NULL: it waits */
		int want;
	} rows[] = {
		{ 7, 60, 0, NULL, 0 },
		{ 7, 60.1, 0, "hint", 7 },
		{ 7, 1e9, 0, "hint", 7 },
		{ 7, 40, 45, NULL, 0 },
		{ 7, 45, 45, "hint", 7 },
		{ 7, 5, 10, "max-time", 7 }, /* the delay is too long */
		/* After a success the run has succeeded, with --repeat. */
		{ 0, 60, 0, NULL, 0 },
		{ 0, 60.1, 0, "success", 0 },
		{ 0, 45, 45, "success", 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct drive drive = hinted_drive("none", &zero);
		const struct outcome outcome = { OUTCOME_EXIT, rows[i].status };

		ROW("status %d hint %g", rows[i].status, rows[i].hint);
		drive.policy.repeat = true;
		drive.policy.max_time = rows[i].max_time;
		drive_start(&drive);
		drive_end(&drive, outcome, rows[i].hint);
		if (rows[i].reason == NULL)
			CHECK_INT(drive.action.kind, ACTION_WAIT);
		else
			CHECK_FINISH(&drive, rows[i].reason, rows[i].want);
		const bool ended = drive.run.end.reason == REASON_HINT;
		CHECK_DBL(drive.run.end.too_long,
		    ended || rows[i].hint > 60 ? rows[i].hint : 0, 0);
		CHECK_INT(drive.run.end.too_late,
		    ended && rows[i].max_time > 0);
	}
}

/* An attempt that the limit ended may have left a hint. */
TEST(past_the_limit_a_hint_is_not_the_reason)
{
	for (int hint = 0; hint < 2; hint++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("hint %d", hint);
		drive.policy.max_time = 10;
		drive_start(&drive);
		drive_timer(&drive);
		drive_end(&drive, timed_out, hint);
		CHECK_FINISH(&drive, "max-time", 124);
	}
}

/* --- check, gate, budget --- */

static struct drive
checked_drive(void)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.rules.check = true;
	drive.policy.limits.attempts = 3;
	return drive;
}

TEST(a_check_decides)
{
	struct drive drive = checked_drive();

	drive_start(&drive);
	drive_exit(&drive, 0);
	CHECK_ACTION(&drive, ACTION_ASK, INFINITY);
	CHECK_INT(drive.action.question, ASK_CHECK);
	CHECK(!drive.judged);
	drive_answer(&drive, ANSWER_AGAIN);
	CHECK_ACTION(&drive, ACTION_WAIT, 1);
	CHECK(drive.judged);
	CHECK_STR(rule_names[drive.run.last.judgement.rule], "check");
	drive_timer(&drive);
	/* What could not be started leaves nothing to check. */
	drive_end(&drive, unforked, -1);
	CHECK_INT(drive.action.kind, ACTION_WAIT);
	drive_timer(&drive);
	drive_exit(&drive, 5);
	CHECK_INT(drive.action.kind, ACTION_ASK);
	drive_answer(&drive, ANSWER_YES);
	CHECK_FINISH(&drive, "success", 0);
}

TEST(a_check_that_stops_a_command_that_exited_with_0_is_a_failure)
{
	struct drive drive = checked_drive();

	drive_start(&drive);
	drive_exit(&drive, 0);
	drive_answer(&drive, ANSWER_NO);
	CHECK_FINISH(&drive, "stop", 1);
	CHECK_INT(drive.run.failures, 1);
}

TEST(the_limit_on_the_run_ends_the_check)
{
	struct drive drive = checked_drive();

	drive.policy.max_time = 10;
	drive_start(&drive);
	drive.now = 4;
	drive_exit(&drive, 0);
	CHECK_ACTION(&drive, ACTION_ASK, 10);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_KILL, 20);
	CHECK_INT(drive.action.signal, SIGTERM);
	drive_answer(&drive, ANSWER_YES);
	CHECK_FINISH(&drive, "max-time", 124);
	CHECK(drive.judged);
	CHECK_STR(rule_names[drive.run.last.judgement.rule], "max-time");
	CHECK_INT(drive.run.failures, 1);
}

TEST(a_check_that_does_not_end_is_left)
{
	struct drive drive = checked_drive();

	drive.policy.max_time = 10;
	drive_start(&drive);
	drive_exit(&drive, 0);
	drive_timer(&drive);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_KILL, 21);
	drive_timer(&drive);
	CHECK_FINISH(&drive, "max-time", 124);
	CHECK(drive.judged);
	CHECK_INT(drive.run.end.cut, CUT_CHECK);
	CHECK_INT(drive.run.last.outcome.kind, OUTCOME_EXIT);
}

TEST(past_the_limit_nothing_is_checked)
{
	struct drive drive = checked_drive();

	drive.policy.max_time = 10;
	drive_start(&drive);
	drive_timer(&drive);
	drive_end(&drive, timed_out, -1);
	CHECK_FINISH(&drive, "max-time", 124);
	CHECK(drive.judged);
	CHECK_INT(drive.run.failures, 1);
}

TEST(a_check_that_times_out_means_retry)
{
	struct drive drive = checked_drive();

	drive.policy.timeout = 2;
	drive_start(&drive);
	drive_exit(&drive, 0);
	CHECK_ACTION(&drive, ACTION_ASK, 2);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_KILL, 12);
	drive_exited(&drive);
	drive_answer(&drive, ANSWER_NO);
	CHECK_ACTION(&drive, ACTION_WAIT, 3);
	CHECK_STR(rule_names[drive.run.last.judgement.rule], "check");
	CHECK(drive.run.last.check_timed_out);
	drive_timer(&drive);
	drive_exit(&drive, 0);
	drive_answer(&drive, ANSWER_AGAIN);
	CHECK_INT(drive.action.kind, ACTION_WAIT);
	CHECK(!drive.run.last.check_timed_out);
}

TEST(a_check_that_timed_out_is_not_told_of_an_attempt_without_one)
{
	struct drive drive = checked_drive();

	drive.policy.timeout = 2;
	drive_start(&drive);
	drive_exit(&drive, 0);
	drive_timer(&drive);
	drive_exited(&drive);
	drive_answer(&drive, ANSWER_NO);
	CHECK(drive.run.last.check_timed_out);
	drive_timer(&drive);
	drive_end(&drive, unforked, -1);
	CHECK(!drive.run.last.check_timed_out);
}

TEST(a_gate_that_times_out_lets_the_retry_through)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.max_time = 100;
	drive.policy.timeout_share = 0.5;
	drive.policy.gate = true;
	drive_start(&drive);
	drive.now = 19;
	drive_exit(&drive, 7);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_ASK, 60);
	drive_timer(&drive);
	CHECK_INT(drive.action.kind, ACTION_KILL);
	drive_exited(&drive);
	CHECK_INT(drive_answer(&drive, ANSWER_AGAIN), ACTION_RUN);
}

TEST(a_gate_is_asked_after_each_wait_but_the_first)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.gate = true;
	drive.policy.wait_first = true;
	drive_start(&drive);
	drive_timer(&drive);
	CHECK_INT(drive.action.kind, ACTION_RUN);
	for (int i = 0; i < 3; i++) {
		drive_exit(&drive, 7);
		CHECK_INT(drive.action.kind, ACTION_WAIT);
		CHECK_INT(drive_timer(&drive), ACTION_ASK);
		CHECK_INT(drive.action.question, ASK_GATE);
		CHECK(!drive.judged);
		if (i < 2)
			CHECK_INT(drive_answer(&drive,
				      i == 0 ? ANSWER_YES : ANSWER_NO),
			    ACTION_RUN);
	}
	drive_answer(&drive, ANSWER_AGAIN);
	CHECK_FINISH(&drive, "gate", 7);
	CHECK(!drive.judged);
	CHECK_INT(drive.run.attempt.number, 3);
}

/* With --repeat the last attempt may have succeeded. */
TEST(a_gate_that_gives_up_leaves_the_status_of_the_last_attempt)
{
	for (int status = 0; status < 2; status++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("status %d", status);
		drive.policy.gate = drive.policy.repeat = true;
		drive_start(&drive);
		drive_exit(&drive, status);
		drive_timer(&drive);
		drive_exited(&drive);
		drive_answer(&drive, ANSWER_AGAIN);
		CHECK_FINISH(&drive, "gate", status);
	}
}

/* Only with --repeat may a gate follow a success, which stays one. */
TEST(the_limit_on_the_run_ends_the_gate)
{
	for (int status = 0; status < 8; status += 7) {
		struct drive drive = started(drive_policy("constant"));

		ROW("status %d", status);
		drive.policy.gate = drive.policy.repeat = true;
		drive.policy.max_time = 10;
		drive_start(&drive);
		drive_exit(&drive, status);
		drive_timer(&drive);
		CHECK_ACTION(&drive, ACTION_ASK, 10);
		drive_timer(&drive);
		CHECK_ACTION(&drive, ACTION_KILL, 20);
		drive_answer(&drive, ANSWER_YES);
		CHECK_FINISH(&drive, status == 0 ? "success" : "max-time",
		    status == 0 ? 0 : 124);
		CHECK_INT(drive.run.failures, status != 0);
	}
}

TEST(a_gate_that_opens_past_the_limit_lets_nothing_through)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.gate = true;
	drive.policy.max_time = 10;
	drive_start(&drive);
	drive_exit(&drive, 7);
	drive_timer(&drive);
	drive.now = 10;
	drive_answer(&drive, ANSWER_YES);
	CHECK_FINISH(&drive, "max-time", 7);
	CHECK_INT(drive.run.attempt.number, 1);
}

TEST(a_budget_is_asked_before_each_wait)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.budget = true;
	drive_start(&drive);
	drive_exit(&drive, 7);
	CHECK_INT(drive.action.kind, ACTION_ASK);
	CHECK_INT(drive.action.question, ASK_BUDGET);
	CHECK(!drive.judged);
	drive_answer(&drive, ANSWER_YES);
	/* The verdict is told together with what follows. */
	CHECK_ACTION(&drive, ACTION_WAIT, 1);
	CHECK(drive.judged);
	drive_timer(&drive);
	drive_exit(&drive, 8);
	drive_answer(&drive, ANSWER_NO);
	CHECK_FINISH(&drive, "budget", 8);
	CHECK(drive.judged);
	CHECK_DBL(drive.run.wait.total, 1, 0);
	CHECK_INT(drive.run.failures, 2);
}

TEST(a_budget_is_asked_for_what_can_be_spent_alone)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.budget = true;
	drive.policy.max_time = 1;
	drive_start(&drive);
	drive_exit(&drive, 7);
	CHECK_FINISH(&drive, "max-time", 7);

	drive = started(drive.policy);
	drive.policy.max_time = 0;
	drive.policy.limits.attempts = 1;
	drive_start(&drive);
	drive_exit(&drive, 7);
	CHECK_FINISH(&drive, "attempts", 7);
}

TEST(a_budget_that_took_its_time_may_leave_none)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.budget = true;
	drive.policy.max_time = 1.05;
	drive_start(&drive);
	drive_exit(&drive, 7);
	drive.now = 0.1;
	drive_answer(&drive, ANSWER_YES);
	CHECK_FINISH(&drive, "max-time", 7);
}

/* Signals meanwhile neither ask nor pay. */
TEST(a_budget_that_is_locked_is_asked_again_by_time_alone)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.budget = true;
	drive_start(&drive);
	drive_exit(&drive, 7);
	CHECK_INT(drive.action.question, ASK_BUDGET);
	for (int i = 0; i < 3; i++) {
		drive_signal(&drive, SIGURG);
		CHECK_ACTION(&drive, ACTION_NONE, RUN_BUDGET_PAUSE);
		CHECK_INT(drive.run.paid, 0);
	}
	drive_answer(&drive, ANSWER_YES);
	CHECK_ACTION(&drive, ACTION_WAIT, 1 + RUN_BUDGET_PAUSE);
	CHECK_INT(drive.run.paid, 1000);
}

/* --- signals --- */

TEST(a_signal_makes_the_attempts_outcome_the_runs)
{
	const struct {
		struct outcome outcome;
		int status, death;
	} rows[] = {
		{ { OUTCOME_EXIT, 0 }, 0, 0 },
		{ { OUTCOME_EXIT, 9 }, 9, 0 },
		{ { OUTCOME_SIGNAL, SIGTERM }, 143, SIGTERM },
		{ died, 137, SIGKILL },
		{ timed_out, 124, 0 },
		{ not_found, 127, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct drive drive = checked_drive();

		ROW("%s %d", outcome_names[rows[i].outcome.kind],
		    rows[i].outcome.code);
		drive.policy.timeout = 60;
		drive_start(&drive);
		drive_signal(&drive, SIGHUP);
		CHECK_INT(drive.told_last, RECORD_SIGNAL);
		CHECK_INT(drive.run.signal, SIGHUP);
		CHECK(drive.run.forwarded);
		CHECK_ACTION(&drive, ACTION_NONE, INFINITY);
		/* The first one counts. */
		drive_signal(&drive, SIGTERM);
		drive_end(&drive, rows[i].outcome, -1);
		CHECK_FINISH(&drive, "signal", rows[i].status);
		CHECK_INT(drive.run.end.ended_by, SIGHUP);
		CHECK_INT(drive.run.end.death, rows[i].death);
		CHECK(drive.judged);
		CHECK_STR(rule_names[drive.run.last.judgement.rule], "signal");
		CHECK_INT(drive.run.last.judgement.verdict, VERDICT_STOP);
	}
}

TEST(in_a_wait_a_signal_ends_the_run_at_once)
{
	for (int first = 0; first < 2; first++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("first %d", first);
		drive.policy.wait_first = first == 1;
		drive_start(&drive);
		if (first == 0)
			drive_exit(&drive, 7);
		drive.now = 0.25;
		drive_signal(&drive, SIGINT);
		CHECK_FINISH(&drive, "signal", 130);
		CHECK_INT(drive.run.end.death, SIGINT);
		CHECK_DBL(drive.run.wait.total, 0.25, 0);
		CHECK(!drive.judged);
	}
}

TEST(in_a_question_a_signal_ends_the_run_with_the_answer)
{
	static const enum question questions[] = { ASK_CHECK, ASK_GATE };

	for (size_t i = 0; i < COUNT(questions); i++) {
		const enum question question = questions[i];
		struct drive drive = started(drive_policy("constant"));

		ROW("question %d", question);
		drive.policy.rules.check = question == ASK_CHECK;
		drive.policy.gate = question == ASK_GATE;
		drive_start(&drive);
		drive_exit(&drive, 7);
		if (question == ASK_GATE)
			drive_timer(&drive);
		CHECK_INT(drive.action.question, question);
		drive_signal(&drive, SIGTERM);
		CHECK_ACTION(&drive, ACTION_NONE, INFINITY);
		drive_answer(&drive, ANSWER_YES);
		CHECK_FINISH(&drive, "signal", 143);
		CHECK_INT(drive.run.end.death, SIGTERM);
		CHECK_INT(drive.judged, question != ASK_GATE);
		CHECK_STR(rule_names[drive.run.last.judgement.rule],
		    question == ASK_CHECK ? "signal" : "default");
		CHECK_INT(drive.run.failures, 1);
	}
}

/* A signal of the user's is no reason for SIGKILL; a timeout still is. */
TEST(a_signal_lifts_the_timeout)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.timeout = 5;
	drive_start(&drive);
	drive.now = 1;
	drive_signal(&drive, SIGTERM);
	CHECK_ACTION(&drive, ACTION_NONE, INFINITY);
	drive.now = 500;
	drive_exit(&drive, 7);
	CHECK_FINISH(&drive, "signal", 7);
}

/* A signal may come late, together with the timer's moment. */
TEST(a_signal_after_the_deadline_leaves_the_attempt_alone)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.timeout = 5;
	drive_start(&drive);
	drive.now = 6;
	/* It may have ended already. */
	CHECK_INT(drive_signal(&drive, SIGURG), ACTION_NONE);
	drive_step(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_ACTION(&drive, ACTION_KILL, 16);
}

TEST(in_a_wait_sigurg_means_retry_now)
{
	struct drive drive = started(drive_policy("exponential"));

	drive_start(&drive);
	drive_exit(&drive, 1);
	drive.now = 0.5;
	CHECK_INT(drive_signal(&drive, SIGURG), ACTION_RUN);
	CHECK_DBL(drive.run.wait.before, 0.5, 0);
	CHECK_DBL(drive.run.wait.total, 0.5, 0);
	/* Here it changes nothing. */
	CHECK_INT(drive_signal(&drive, SIGURG), ACTION_NONE);
	check_delays(&drive, "2");
}

TEST(in_the_first_wait_sigurg_starts_the_attempt)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.wait_first = true;
	drive.policy.gate = true;
	drive_start(&drive);
	CHECK_INT(drive_signal(&drive, SIGURG), ACTION_RUN);
	drive_exit(&drive, 1);
	CHECK_INT(drive_signal(&drive, SIGURG), ACTION_ASK);
	CHECK_INT(drive_signal(&drive, SIGURG), ACTION_NONE);
	CHECK_INT(drive_answer(&drive, ANSWER_YES), ACTION_RUN);
}

/* --- memory and errors --- */

TEST(a_resumed_run_waits_and_goes_on_with_its_number)
{
	struct drive drive = started(drive_policy("exponential"));

	drive_resume(&drive, (struct state){ .n = 4, .delay = 2.5 });
	CHECK_ACTION(&drive, ACTION_WAIT, 2.5);
	CHECK_DBL(drive.run.wait.delay.seconds, 2.5, 0);
	drive_timer(&drive);
	CHECK_INT(drive.run.attempt.number, 1);
	check_delays(&drive, "16 32");
}

TEST(a_resumed_level_goes_on)
{
	struct drive drive = started(drive_policy("decorrelated"));
	static const double half = 0.5;

	drive.random.script = &half;
	drive.random.script_length = 1;
	drive_resume(&drive,
	    (struct state){ .level = { .previous = 5 }, .n = 4 });
	CHECK_INT(drive.action.kind, ACTION_RUN);
	check_delays(&drive, "8");
}

TEST(a_number_that_cannot_grow_stays)
{
	struct drive drive = started(drive_policy("linear"));

	drive.policy.backoff.cap = 60;
	drive.policy.pace_start = true;
	drive.policy.limits.attempts = 4;
	drive_resume(&drive, (struct state){ .n = UINT64_MAX - 1 });
	check_delays(&drive, "60 60 60");
	drive_exit(&drive, 1);
	CHECK(drive.saved.n == UINT64_MAX);
}

TEST(a_resumed_run_has_waited_first_already)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.wait_first = true;
	drive_resume(&drive, (struct state){ .n = 3 });
	CHECK_INT(drive.action.kind, ACTION_RUN);
	check_delays(&drive, "8 16");
}

TEST(a_resumed_run_waits_no_more_than_its_splay)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.wait_first = true;
	drive.policy.splay = 0.5;
	drive_resume(&drive, (struct state){ .n = 3 });
	CHECK_INT(drive.action.kind, ACTION_WAIT);
	CHECK_DBL(drive.run.wait.delay.high, 0.5, 0);
	drive_timer(&drive);
	check_delays(&drive, "8 16");
}

TEST(a_run_that_remembers_asks_for_the_state_first)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.remember = true;
	drive_start(&drive);
	CHECK_INT(drive.action.kind, ACTION_ASK);
	CHECK_INT(drive.action.question, ASK_STATE);
	drive_resume(&drive, (struct state){ .n = 2, .delay = 1.5 });
	CHECK_ACTION(&drive, ACTION_WAIT, 1.5);
	drive_timer(&drive);
	CHECK_INT(drive.run.attempt.number, 1);
	check_delays(&drive, "4 8");
}

TEST(what_is_too_early_is_given_up_with_its_own_status)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.remember = drive.policy.early_skip = true;
	drive_start(&drive);
	drive_answer(&drive, ANSWER_NO);
	CHECK_FINISH(&drive, "early", 75);
	CHECK_INT(drive.run.attempt.number, 0);
	CHECK_DBL(drive.run.end.too_early, 0, 0);
	drive_resume(&drive, (struct state){ .delay = 5 });
	CHECK_FINISH(&drive, "early", 75);
	CHECK_DBL(drive.run.end.too_early, 5, 0);
}

TEST(a_state_that_is_not_to_be_had_in_time_leaves_no_time)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.remember = true;
	drive.policy.max_time = 10;
	drive_start(&drive);
	CHECK_INT(drive.action.question, ASK_STATE);
	drive.now = 9.95;
	drive_step(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_INT(drive.action.question, ASK_STATE);
	drive.now = 10;
	drive_step(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_FINISH(&drive, "max-time", 124);
	CHECK_INT(drive.run.attempt.number, 0);
}

TEST(a_signal_ends_the_wait_for_the_state)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.remember = true;
	drive_start(&drive);
	CHECK_INT(drive.action.question, ASK_STATE);
	drive_step(&drive, (struct step){ .kind = STEP_TIMER });
	drive_signal(&drive, SIGTERM);
	CHECK_FINISH(&drive, "signal", 128 + SIGTERM);
	CHECK_INT(drive.run.end.death, SIGTERM);
}

TEST(an_attempt_that_the_limit_leaves_without_a_verdict_moves_the_backoff)
{
	struct drive drive = started(drive_policy("exponential"));

	drive.policy.max_time = 10;
	drive.policy.rules.check = true;
	drive_resume(&drive, (struct state){ .n = 2 });
	drive.now = 1;
	drive_exit(&drive, 0);
	CHECK_INT(drive.action.question, ASK_CHECK);
	drive_timer(&drive);
	drive_answer(&drive, ANSWER_NO);
	CHECK_FINISH(&drive, "max-time", 124);
	CHECK_INT(drive.saved.n, 3);
	CHECK_DBL(drive.saved.delay, 4, 0);
	/* So does one that does not end, but not a gate. */
	drive.policy.rules.check = false;
	drive.policy.kill_after = 0;
	drive.now = 0;
	drive_resume(&drive, (struct state){ .n = 2 });
	drive_timer(&drive);
	drive_timer(&drive);
	CHECK_FINISH(&drive, "max-time", 124);
	CHECK_INT(drive.saved.n, 3);
	drive.policy.gate = true;
	drive.policy.kill_after = 10;
	drive.now = 0;
	drive_resume(&drive, (struct state){ .n = 2 });
	drive_exit(&drive, 1);
	drive_timer(&drive);
	CHECK_INT(drive.action.question, ASK_GATE);
	drive_timer(&drive);
	drive_answer(&drive, ANSWER_YES);
	CHECK_FINISH(&drive, "max-time", 124);
	CHECK_INT(drive.saved.n, 3);
}

TEST(a_success_lowers_the_level_that_is_remembered)
{
	for (int remember = 0; remember < 2; remember++) {
		struct drive drive = started(drive_policy("mimd"));

		drive.policy.remember = remember == 1;
		drive.policy.backoff.params[0] = 2;
		drive.policy.backoff.params[1] = 0.5;
		drive.policy.backoff.param_given[0] = true;
		drive.policy.backoff.param_given[1] = true;
		drive_start(&drive);
		if (remember == 1)
			drive_answer(&drive, ANSWER_YES);
		check_delays(&drive, "1 2 4");
		drive_exit(&drive, 0);
		CHECK_FINISH(&drive, "success", 0);
		CHECK(drive.was_saved == (remember == 1));
		CHECK_DBL(drive.saved.level.value, remember ? 2 : 0, 0);
	}
}

/* The state cannot be written; what was held is not delivered again. */
TEST(an_error_at_the_end_takes_its_place)
{
	for (int holds = 0; holds < 2; holds++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("holds %d", holds);
		drive.policy.limits.attempts = 1;
		drive.policy.delivery = holds ? DELIVERY_LAST : DELIVERY_NONE;
		drive.save_fails = true;
		drive_resume(&drive, (struct state){ 0 });
		drive_end(&drive, died, -1);
		if (holds) {
			CHECK_INT(drive.action.kind, ACTION_DELIVER);
			drive_event(&drive,
			    (struct step){ .kind = STEP_DELIVERED });
		}
		CHECK(drive.was_saved);
		CHECK_FINISH(&drive, "error", 125);
		CHECK_INT(drive.run.end.death, 0);
	}
}

TEST(a_run_to_be_remembered_draws_the_delay_that_it_does_not_wait)
{
	for (int remember = 0; remember < 2; remember++) {
		struct drive drive = started(drive_policy("exponential"));

		drive.policy.limits.attempts = 3;
		drive.policy.remember = remember == 1;
		drive_start(&drive);
		if (remember == 1)
			drive_answer(&drive, ANSWER_YES);
		check_delays(&drive, "1 2");
		drive_exit(&drive, 1);
		CHECK_FINISH(&drive, "attempts", 1);
		CHECK_DBL(drive.run.wait.delay.seconds, remember ? 4 : 2, 0);
		CHECK_INT(drive.saved.n, remember ? 3 : 0);
		CHECK_DBL(drive.run.wait.total, 3, 0);
	}
}

TEST(an_error_of_its_own_ends_the_run)
{
	struct drive drive = started(drive_policy("constant"));

	drive_start(&drive);
	drive_exit(&drive, 1);
	drive_step(&drive, (struct step){ .kind = STEP_ERROR });
	CHECK_FINISH(&drive, "error", 125);
	CHECK(!drive.judged);
}

TEST(an_error_of_its_own_ends_the_attempt_first)
{
	struct drive drive = started(drive_policy("constant"));

	drive_start(&drive);
	drive.now = 1;
	drive_step(&drive, (struct step){ .kind = STEP_ERROR });
	CHECK_INT(drive.action.kind, ACTION_KILL);
	CHECK_INT(drive.action.signal, SIGTERM);
	drive_timer(&drive);
	CHECK_DBL(drive.now, 11, 0);
	CHECK_INT(drive.action.kind, ACTION_KILL);
	CHECK_INT(drive.action.signal, SIGKILL);
	drive_exit(&drive, 0);
	CHECK_FINISH(&drive, "error", 125);
	CHECK(drive.judged);
	CHECK_STR(rule_names[drive.run.last.judgement.rule], "error");
}

TEST(an_error_can_be_one_to_die_of)
{
	struct drive drive = started(drive_policy("constant"));

	drive_start(&drive);
	drive_exit(&drive, 1);
	drive_step(&drive,
	    (struct step){ .kind = STEP_ERROR, .signal = SIGPIPE });
	CHECK_FINISH(&drive, "error", 128 + SIGPIPE);
	CHECK_INT(drive.run.end.death, SIGPIPE);
	/* Also if the attempt cannot be started for it. */
	drive_start(&drive);
	drive_step(&drive,
	    (struct step){ .kind = STEP_ANSWER,
		.failed = true,
		.signal = SIGPIPE });
	CHECK_FINISH(&drive, "error", 128 + SIGPIPE);
	CHECK_INT(drive.run.end.death, SIGPIPE);
}

TEST(what_is_held_is_delivered_before_the_end)
{
	struct drive drive = { .policy = drive_policy("constant") };

	drive.policy.delivery = DELIVERY_LAST;
	drive_start(&drive);
	drive_exit(&drive, 1);
	CHECK_INT(drive.action.kind, ACTION_WAIT);
	drive_timer(&drive);
	drive_exit(&drive, 0);
	CHECK_INT(drive.action.kind, ACTION_DELIVER);
	CHECK(!drive.judged);
	CHECK(drive.action.wake == INFINITY);
	drive_step(&drive, (struct step){ .kind = STEP_DELIVERED });
	CHECK_FINISH(&drive, "success", 0);
	CHECK(drive.judged);
}

TEST(what_cannot_be_delivered_is_an_error)
{
	struct drive drive = { .policy = drive_policy("constant") };

	drive.policy.delivery = DELIVERY_LAST;
	drive_start(&drive);
	drive_exit(&drive, 0);
	drive_step(&drive, (struct step){ .kind = STEP_ERROR });
	CHECK_FINISH(&drive, "error", 125);
}

TEST(a_signal_ends_a_delivery)
{
	struct drive drive = { .policy = drive_policy("constant") };

	drive.policy.delivery = DELIVERY_LAST;
	drive_start(&drive);
	drive_exit(&drive, 0);
	drive_signal(&drive, SIGURG);
	CHECK_INT(drive.action.kind, ACTION_NONE);
	drive_signal(&drive, SIGTERM);
	CHECK_INT(drive.action.kind, ACTION_NONE);
	drive_timer(&drive);
	CHECK_FINISH(&drive, "signal", 128 + SIGTERM);
	CHECK_INT(drive.run.end.death, SIGTERM);
}

TEST(after_a_signal_no_reader_is_waited_for_that_takes_nothing)
{
	for (int status = 0; status < 2; status++) {
		struct drive drive = { .policy = drive_policy("constant") };

		drive.policy.delivery = DELIVERY_LAST;
		drive_start(&drive);
		drive_signal(&drive, SIGTERM);
		drive_exit(&drive, status);
		CHECK_INT(drive.action.kind, ACTION_DELIVER);
		CHECK_DBL(drive.action.wake, drive.now + 1, 0);
		drive_timer(&drive);
		CHECK_FINISH(&drive, "signal",
		    status == 0 ? 128 + SIGTERM : status);
	}
}

TEST(an_error_while_the_check_runs_stops)
{
	struct drive drive = { .policy = drive_policy("constant") };

	drive.policy.rules.check = true;
	drive_start(&drive);
	drive_exit(&drive, 0);
	CHECK_INT(drive.action.kind, ACTION_ASK);
	drive_step(&drive, (struct step){ .kind = STEP_ERROR });
	CHECK_INT(drive.action.kind, ACTION_KILL);
	drive_answer(&drive, ANSWER_YES);
	CHECK_FINISH(&drive, "error", 125);
	CHECK(drive.judged);
	CHECK_INT(drive.run.last.judgement.verdict, VERDICT_STOP);
}

TEST(what_attempts_read_is_asked_for_first)
{
	struct drive drive = { .policy = drive_policy("constant") };

	drive.policy.input = true;
	drive.policy.wait_first = true;
	drive_start(&drive);
	CHECK_INT(drive.action.kind, ACTION_ASK);
	CHECK_INT(drive.action.question, ASK_INPUT);
	drive.now = 5;
	drive_answer(&drive, ANSWER_YES);
	CHECK_INT(drive.action.kind, ACTION_WAIT);
	drive_timer(&drive);
	CHECK_INT(drive.action.kind, ACTION_RUN);
	CHECK_DBL(drive.now, 6, 0);
}

TEST(nothing_has_to_be_ended_while_input_is_read)
{
	struct drive drive = { .policy = drive_policy("constant") };

	drive.policy.input = true;
	drive.policy.max_time = 3;
	drive_start(&drive);
	drive_timer(&drive);
	CHECK_FINISH(&drive, "max-time", 124);
	drive_start(&drive);
	drive_signal(&drive, SIGURG);
	CHECK_INT(drive.action.kind, ACTION_NONE);
	drive_signal(&drive, SIGINT);
	CHECK_FINISH(&drive, "signal", 128 + SIGINT);
	drive_start(&drive);
	drive_step(&drive, (struct step){ .kind = STEP_ERROR });
	CHECK_FINISH(&drive, "error", 125);
}

/* --- the end of a process --- */

/* What a timed-out attempt left is killed with it, and waited for. */
TEST(the_next_attempt_waits_for_all_of_the_one_before)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.timeout = 5;
	drive.policy.kill_after = 2;
	drive_start(&drive);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_KILL, 7);
	drive.now = 6;
	drive_step(&drive, (struct step){ .kind = STEP_EXITED });
	CHECK_ACTION(&drive, ACTION_LOOK, 7);
	CHECK_INT(drive.action.signal, 0);
	drive_step(&drive, (struct step){ .kind = STEP_REAPED });
	CHECK_ACTION(&drive, ACTION_LOOK, 7);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_LOOK, 8);
	CHECK_INT(drive.action.signal, SIGKILL);
	drive_step(&drive, (struct step){ .kind = STEP_REAPED });
	CHECK_ACTION(&drive, ACTION_LOOK, 8);
	CHECK_INT(drive.action.signal, SIGKILL);
	drive_event(&drive, (struct step){ .kind = STEP_GONE });
	CHECK_INT(drive.action.kind, ACTION_COLLECT);
	drive_step(&drive,
	    (struct step){ .kind = STEP_ENDED,
		.ended.returned = { OUTCOME_EXIT, 0 },
		.hint = -1 });
	CHECK_INT(drive.run.last.outcome.kind, OUTCOME_TIMEOUT);
	CHECK_ACTION(&drive, ACTION_WAIT, 8);
}

/* The search for all processes may take longer than that. */
TEST(the_second_of_sigkill_begins_once_it_was_sent)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.timeout = 5;
	drive.policy.kill_after = 4;
	drive.takes = 3;
	drive_start(&drive);
	drive_timer(&drive);
	drive_event(&drive, (struct step){ .kind = STEP_EXITED });
	CHECK_ACTION(&drive, ACTION_LOOK, 9);
	drive_timer(&drive);
	CHECK_INT(drive.action.signal, SIGKILL);
	CHECK_DBL(drive.now, 12, 0);
	CHECK_DBL(drive.action.wake, 13, 0);
}

/* SIGKILL had its second: what is left then is left for good. */
TEST(what_sigkill_does_not_end_is_named_and_left)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.timeout = 5;
	drive.policy.kill_after = 2;
	drive_start(&drive);
	drive_timer(&drive);
	drive_timer(&drive);
	drive_event(&drive, (struct step){ .kind = STEP_EXITED });
	CHECK_ACTION(&drive, ACTION_LOOK, 8);
	drive.now = 8;
	drive_event(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_INT(drive.action.kind, ACTION_ABANDON);
	drive_event(&drive, (struct step){ .kind = STEP_GONE });
	drive_step(&drive,
	    (struct step){ .kind = STEP_ENDED,
		.ended.returned = died,
		.hint = -1 });
	CHECK_ACTION(&drive, ACTION_WAIT, 9);
}

/* A reader that takes nothing may keep what collects the output from ending. */
TEST(a_collection_ends_with_the_run)
{
	for (int i = 0; i < 2; i++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("case %d", i);
		drive.policy.max_time = 10;
		drive_start(&drive);
		drive_event(&drive, (struct step){ .kind = STEP_EXITED });
		CHECK_ACTION(&drive, ACTION_COLLECT, 10);
		if (i == 1) {
			drive_signal(&drive, SIGTERM);
			CHECK_ACTION(&drive, ACTION_NONE, 1);
		}
		drive_timer(&drive);
		CHECK_INT(drive.action.kind, ACTION_FINISH);
		CHECK_INT(drive.run.end.reason,
		    i == 0 ? REASON_MAX_TIME : REASON_SIGNAL);
	}
}

/* The time of an attempt is also that of the search in its output. */
TEST(a_search_takes_of_the_time_of_the_attempt)
{
	for (int i = 0; i < 3; i++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("case %d", i);
		drive.policy.timeout = 5;
		drive_start(&drive);
		drive.now = 2;
		drive_event(&drive, (struct step){ .kind = STEP_EXITED });
		CHECK_ACTION(&drive, ACTION_COLLECT, 5);
		if (i == 1) {
			/* A reader may take its time, and then the search. */
			drive.now = 5;
			drive_step(&drive,
			    (struct step){ .kind = STEP_BLOCKED });
			CHECK_ACTION(&drive, ACTION_NONE, 6);
		}
		if (i == 2)
			drive_signal(&drive, SIGTERM);
		drive.now = drive.action.wake;
		drive_event(&drive, (struct step){ .kind = STEP_TIMER });
		CHECK_INT(drive.action.kind, ACTION_ABANDON);
		drive_event(&drive, (struct step){ .kind = STEP_GONE });
		drive_step(&drive,
		    (struct step){ .kind = STEP_ENDED,
			.ended.returned = { OUTCOME_EXIT, 7 },
			.hint = -1 });
		CHECK_INT(drive.run.last.outcome.kind,
		    i == 2 ? OUTCOME_EXIT : OUTCOME_TIMEOUT);
		CHECK_INT(drive.action.kind,
		    i == 2 ? ACTION_FINISH : ACTION_WAIT);
	}
}

TEST(the_status_of_the_command_can_be_preserved)
{
	static const struct {
		struct outcome outcome;
		bool late;
		int status;
	} rows[] = {
		{ { OUTCOME_EXIT, 2 }, false, 2 },
		{ { OUTCOME_EXIT, 0 }, false, 0 },
		{ { OUTCOME_SIGNAL, SIGTERM }, true, 143 },
		{ { OUTCOME_EXIT, 9 }, true, 9 },
		{ { OUTCOME_EXIT, 0 }, true, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("row %zu", i);
		drive.policy.limits.attempts = 1;
		drive.policy.timeout = 5;
		drive.policy.preserve_status = true;
		set_parse(&drive.policy.rules.success, "2", NULL);
		drive_start(&drive);
		if (rows[i].late)
			drive_timer(&drive);
		drive_end(&drive, rows[i].outcome, -1);
		CHECK_FINISH(&drive, rows[i].late ? "attempts" : "success",
		    rows[i].status);
		CHECK_INT(drive.run.end.death, 0);
	}
}

/* Another run's hold on the state is told once, after a second. */
TEST(a_lock_that_lasts_is_told)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.remember = true;
	drive_start(&drive);
	drive.now = 0.99;
	drive_event(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_INT(drive.told, 0);
	drive.now = 1.1;
	drive_event(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_INT(drive.told, 1);
	CHECK_INT(drive.told_last, RECORD_LOCK);
	drive.now = 3;
	drive_event(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_INT(drive.told, 0);
	CHECK_INT(drive.action.question, ASK_STATE);
	CHECK_DBL(drive.run.locked, 3, 0);
}

/* Even if --max-time is over sooner; and what it took gives it another one. */
TEST(a_reader_has_a_second_to_take_something)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.delivery = DELIVERY_EACH;
	drive.policy.max_time = 30;
	drive.policy.backoff.base = 0.1;
	drive_start(&drive);
	drive.now = 29.75;
	drive_exit(&drive, 1);
	CHECK_ACTION(&drive, ACTION_DELIVER, 30.75);
	drive.now = 30.75;
	drive_signal(&drive, SIGURG);
	CHECK_ACTION(&drive, ACTION_NONE, 30.75);
	drive_step(&drive, (struct step){ .kind = STEP_REAPED });
	CHECK_ACTION(&drive, ACTION_NONE, 30.75);
	drive_step(&drive, (struct step){ .kind = STEP_PROGRESS });
	CHECK_ACTION(&drive, ACTION_NONE, 31.75);
	drive_timer(&drive);
	CHECK_FINISH(&drive, "max-time", 1);
}

/* However a run has failed whose time is over. */
TEST(a_reader_has_a_second_at_the_end_too)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.delivery = DELIVERY_LAST;
	drive.policy.limits.attempts = 1;
	drive.policy.max_time = 30;
	drive_start(&drive);
	drive.now = 5;
	drive_exit(&drive, 1);
	CHECK_ACTION(&drive, ACTION_DELIVER, 30);
	drive_timer(&drive);
	CHECK_FINISH(&drive, "attempts", 1);

	drive_start(&drive);
	drive.now = 5;
	drive_exit(&drive, 0);
	CHECK_ACTION(&drive, ACTION_DELIVER, INFINITY);
}

/* A run whose next wait is too long for --max-time does not wait for it. */
TEST(a_reader_has_a_second_if_no_wait_is_left)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.delivery = DELIVERY_LAST;
	drive.policy.backoff.base = 100;
	drive.policy.max_time = 30;
	drive_start(&drive);
	drive.now = 5;
	drive_exit(&drive, 1);
	CHECK_ACTION(&drive, ACTION_DELIVER, 6);
}

/* And the same after a signal, but not after another one. */
TEST(a_signal_leaves_a_reader_a_second)
{
	struct drive drive = started(drive_policy("constant"));

	for (int i = 0; i < 3; i++) {
		drive.policy.delivery = DELIVERY_EACH;
		drive.now = 0;
		drive_start(&drive);
		drive_exit(&drive, i);
		CHECK_INT(drive.action.kind, ACTION_DELIVER);
		drive.now = 5;
		drive_signal(&drive, SIGTERM);
		CHECK_ACTION(&drive, ACTION_NONE, 6);
		drive.now = 6;
		drive_step(&drive, (struct step){ .kind = STEP_PROGRESS });
		CHECK_ACTION(&drive, ACTION_NONE, 7);
		drive.now = 6.5;
		if (i == 0)
			drive_step(&drive,
			    (struct step){ .kind = STEP_DELIVERED });
		else if (i == 1)
			drive_signal(&drive, SIGTERM);
		else
			drive_timer(&drive);
		if (i == 0) {
			/* All of it arrived. */
			CHECK_FINISH(&drive, "success", 0);
			continue;
		}
		CHECK_FINISH(&drive, "signal", 143);
		CHECK_INT(drive.run.end.ended_by, SIGTERM);
	}
}

TEST(held_output_of_each_attempt_goes_out_before_the_wait)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.delivery = DELIVERY_EACH;
	drive.policy.max_time = 30;
	drive_start(&drive);
	drive_exit(&drive, 1);
	CHECK_ACTION(&drive, ACTION_DELIVER, 30);
	drive.now = 0.25;
	drive_step(&drive, (struct step){ .kind = STEP_DELIVERED });
	CHECK_ACTION(&drive, ACTION_WAIT, 1);
	CHECK(drive.judged);
	drive_timer(&drive);
	drive_exit(&drive, 1);
	drive.now = 30;
	drive_step(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_FINISH(&drive, "max-time", 1);
}

TEST(a_hook_follows_the_end)
{
	for (int status = 0; status < 2; status++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("status %d", status);
		drive.policy.limits.attempts = 1;
		drive.policy.on_success = status == 0;
		drive.policy.on_give_up = status == 1;
		drive_start(&drive);
		drive_exited(&drive);
		drive_event(&drive,
		    (struct step){ .kind = STEP_ENDED,
			.ended.returned = { OUTCOME_EXIT, status },
			.hint = -1 });
		CHECK_INT(drive.told, 2);
		CHECK_INT(drive.told_last, RECORD_END);
		CHECK_INT(drive.action.kind, ACTION_ASK);
		CHECK_INT(drive.action.question, ASK_HOOK);
		drive_signal(&drive, SIGTERM);
		CHECK_ACTION(&drive, ACTION_NONE, drive.now + 60);
		drive_exited(&drive);
		drive_event(&drive, (struct step){ .kind = STEP_ANSWER });
		CHECK_INT(drive.told, 0);
		CHECK_INT(drive.action.kind, ACTION_FINISH);
	}
}

TEST(a_hook_at_the_end_has_a_limit_of_its_own)
{
	for (int timeout = 0; timeout <= 5; timeout += 5) {
		struct drive drive = started(drive_policy("constant"));

		ROW("--timeout=%d", timeout);
		drive.policy.limits.attempts = 1;
		drive.policy.timeout = timeout;
		drive.policy.max_time = 3;
		drive.policy.on_give_up = true;
		drive_start(&drive);
		drive.now += 2;
		drive_exit(&drive, 7);
		CHECK_INT(drive.action.question, ASK_HOOK);
		CHECK_ACTION(&drive, ACTION_ASK,
		    drive.now + (timeout > 0 ? timeout : 60));
		drive_timer(&drive);
		CHECK_ACTION(&drive, ACTION_KILL, drive.now + 10);
		CHECK_INT(drive.action.signal, SIGTERM);
		drive_timer(&drive);
		CHECK_INT(drive.action.kind, ACTION_KILL);
		CHECK_INT(drive.action.signal, SIGKILL);
		drive_exited(&drive);
		drive_event(&drive, (struct step){ .kind = STEP_ANSWER });
		CHECK_FINISH(&drive, "attempts", 7);
	}
}

TEST(no_attempt_begins_while_a_signal_may_follow)
{
	struct drive drive = started(drive_policy("constant"));

	drive_start(&drive);
	drive_exit(&drive, 1);
	CHECK_INT(drive.action.kind, ACTION_WAIT);
	drive.now += 5;
	CHECK_INT(drive_event(&drive,
		      (struct step){ .kind = STEP_SIGNAL, .signal = SIGUSR1 }),
	    ACTION_NONE);
	CHECK_DBL(drive.action.wake, drive.now, 0);
	drive_signal(&drive, SIGTERM);
	CHECK_INT(drive.action.kind, ACTION_FINISH);
	CHECK_INT(drive.run.attempt.number, 1);
}

TEST(an_attempt_that_was_not_forked_does_not_time_out)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.timeout = 2;
	drive_start(&drive);
	drive.now += 3;
	drive_signal(&drive, SIGURG);
	drive_step(&drive,
	    (struct step){ .kind = STEP_ENDED,
		.hint = -1,
		.ended.returned = { OUTCOME_UNFORKED, EAGAIN } });
	CHECK_INT(drive.run.last.outcome.kind, OUTCOME_UNFORKED);
}

TEST(a_question_that_cannot_be_asked_is_not_waited_for)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.rules.check = true;
	drive_start(&drive);
	drive_exit(&drive, 1);
	CHECK_INT(drive.action.question, ASK_CHECK);
	drive_event(&drive,
	    (struct step){ .kind = STEP_ANSWER,
		.answer = ANSWER_NO,
		.failed = true });
	CHECK_INT(drive.action.kind, ACTION_FINISH);
	CHECK_INT(drive.run.end.status, STATUS_OWN_FAILURE);
}

TEST(a_lock_is_not_told_of_after_the_end)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.remember = drive.policy.on_give_up = true;
	drive_start(&drive);
	CHECK_INT(drive.action.question, ASK_STATE);
	drive_answer(&drive, ANSWER_NONE);
	CHECK_INT(drive.action.question, ASK_HOOK);
	CHECK_ACTION(&drive, ACTION_ASK, drive.now + 60);
	drive.now += 2;
	drive_event(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_INT(drive.told, 0);
}

/* A reader of held output may go, or take no more of it, while a hook runs. */
TEST(a_hook_does_not_change_the_end_that_was_told)
{
	const struct step failure = { .kind = STEP_ERROR, .signal = SIGPIPE };

	for (int row = 0; row < 3; row++) {
		struct drive drive = started(drive_policy("constant"));

		ROW("row %d", row);
		drive.policy.limits.attempts = 1;
		drive.policy.max_time = 1;
		drive.policy.on_give_up = true;
		drive_start(&drive);
		drive_exit(&drive, 7);
		CHECK_INT(drive.action.question, ASK_HOOK);
		CHECK_INT(drive.end.end.status, 7);
		drive.now += 2;
		if (row == 0)
			CHECK_INT(drive_event(&drive, failure), ACTION_NONE);
		drive_exited(&drive);
		if (row == 0)
			drive_answer(&drive, ANSWER_YES);
		if (row == 1)
			drive_event(&drive,
			    (struct step){ .kind = STEP_ANSWER,
				.failed = true,
				.signal = SIGPIPE });
		if (row == 2)
			drive_timer(&drive);
		CHECK_INT(drive.action.kind, ACTION_FINISH);
		CHECK_INT(drive.run.end.reason, REASON_ATTEMPTS);
		CHECK_INT(drive.run.end.status, 7);
		CHECK_INT(drive.run.end.death, 0);
		CHECK_INT(drive.ends, 1);
	}
}

/* While an attempt runs, reports show how the one before ended. */
TEST(the_last_attempt_is_the_one_that_ended)
{
	struct drive drive = started(drive_policy("constant"));

	drive_start(&drive);
	drive_exit(&drive, 7);
	CHECK_INT(drive.run.last.outcome.code, 7);
	drive_timer(&drive);
	CHECK_INT(drive.run.attempt.number, 2);
	CHECK_INT(drive.run.last.outcome.code, 7);
	drive_exit(&drive, 8);
	CHECK_INT(drive.run.last.outcome.code, 8);
}

TEST(an_attempt_that_was_not_forked_has_no_probes)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.health.used = true;
	drive.policy.gate = true;
	drive_start(&drive);
	drive_end(&drive, unforked, -1);
	drive_timer(&drive);
	CHECK_INT(drive.action.question, ASK_GATE);
	CHECK_DBL(drive.action.wake, INFINITY, 0);
}

/* What the driver tells of a process that lives on means nothing. */
TEST(a_process_that_does_not_end_has_no_status_to_preserve)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.preserve_status = true;
	drive.policy.max_time = 20;
	drive.policy.timeout = 5;
	drive.policy.kill_after = 2;
	drive_start(&drive);
	drive_timer(&drive);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_KILL, 23);
	drive.now = 23;
	drive_event(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_INT(drive.action.kind, ACTION_ABANDON);
	drive_event(&drive, (struct step){ .kind = STEP_GONE });
	drive_step(&drive,
	    (struct step){ .kind = STEP_ENDED,
		.ended.returned = { OUTCOME_EXIT, 3 },
		.hint = -1 });
	CHECK_FINISH(&drive, "max-time", 124);
	CHECK_INT(drive.run.last.returned.kind, OUTCOME_TIMEOUT);
}

/* The run's time is over, so that this is no timeout of the attempt. */
TEST(output_that_is_late_for_the_run_is_no_timeout)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.max_time = 10;
	drive_start(&drive);
	drive_event(&drive, (struct step){ .kind = STEP_EXITED });
	CHECK_INT(drive.action.kind, ACTION_COLLECT);
	drive.now = 10;
	drive_event(&drive, (struct step){ .kind = STEP_TIMER });
	CHECK_INT(drive.action.kind, ACTION_ABANDON);
	drive_event(&drive, (struct step){ .kind = STEP_GONE });
	drive_step(&drive,
	    (struct step){ .kind = STEP_ENDED,
		.ended.returned = { OUTCOME_EXIT, 3 },
		.hint = -1 });
	CHECK_FINISH(&drive, "max-time", 124);
	CHECK_INT(drive.run.last.outcome.kind, OUTCOME_EXIT);
	CHECK_INT(drive.run.last.extent, EXTENT_UNSEARCHED);
}

TEST(messages_learn_what_max_time_and_a_signal_cut)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.max_time = 10;
	drive_start(&drive);
	drive_timer(&drive);
	drive_exit(&drive, 0);
	CHECK_FINISH(&drive, "max-time", 124);
	CHECK_INT(drive.run.end.cut, CUT_ATTEMPT);

	drive_start(&drive);
	drive_signal(&drive, SIGTERM);
	drive_exit(&drive, 7);
	CHECK_FINISH(&drive, "signal", 7);
	CHECK(!drive.run.end.in_a_wait);

	drive_start(&drive);
	drive_exit(&drive, 7);
	drive_signal(&drive, SIGTERM);
	CHECK_FINISH(&drive, "signal", 143);
	CHECK(drive.run.end.in_a_wait);
}

TEST(a_hint_that_is_shorter_than_the_delay_ends_no_run)
{
	struct drive drive = started(drive_policy("constant"));

	drive.policy.backoff.base = 10;
	drive.policy.hint_limit = 3;
	drive_start(&drive);
	drive_end(&drive, (struct outcome){ OUTCOME_EXIT, 1 }, 5);
	CHECK_ACTION(&drive, ACTION_WAIT, 10);
	CHECK(!drive.run.wait.delay.hint_is_longer);
}

/* The clock is read again after each call that may take time. */
TEST(what_a_call_takes_is_time_of_the_run)
{
	struct drive drive = started(drive_policy("constant"));

	drive.takes = 3;
	drive.policy.max_time = 10;
	drive.policy.delivery = DELIVERY_EACH;
	drive_start(&drive);
	drive.now = 8;
	drive_exit(&drive, 1);
	CHECK_ACTION(&drive, ACTION_DELIVER, 12);
	drive_step(&drive, (struct step){ .kind = STEP_DELIVERED });
	CHECK_FINISH(&drive, "max-time", 1);

	drive.policy.delivery = DELIVERY_NONE;
	drive.policy.max_time = 2;
	drive.now = 0;
	drive_resume(&drive, (struct state){ .n = 1 });
	CHECK_FINISH(&drive, "max-time", 124);
}

/* A reason without a row would have no name. */
TEST(every_reason_has_a_row_with_a_name_of_its_own)
{
	for (int i = REASON_NONE; i < REASONS; i++) {
		ROW("reason %d", i);
		if (!CHECK(reasons[i].name != NULL))
			continue;
		for (int k = REASON_NONE; k < i; k++)
			CHECK(strcmp(reasons[i].name, reasons[k].name) != 0);
	}
}

TEST(a_run_that_gives_up_runs_its_hook)
{
	for (int i = REASON_NONE; i < REASONS; i++) {
		ROW("%s", reasons[i].name);
		CHECK(reasons[i].gave_up == NULL || reasons[i].hooks);
		/* A failure that no retry mends is not for --tolerate. */
		CHECK(reasons[i].gives_up ==
		    (reasons[i].gave_up != NULL && i != REASON_STOP));
	}
}

/* --- health --- */

/* The run keeps the address of the policy. */
static void
start_probed(struct drive *drive)
{
	*drive = started(drive_policy("constant"));
	drive->policy.health.used = true;
	drive->policy.health.interval = 10;
	drive->policy.health.timeout = 4;
	drive->policy.health.retries = 2;
	drive_start(drive);
}

TEST(an_attempt_that_fails_its_probes_is_ended_as_unhealthy)
{
	struct drive drive;

	start_probed(&drive);
	CHECK_ACTION(&drive, ACTION_RUN, 10);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_PROBE, 14);
	drive.now = 11;
	drive_probed(&drive, 7);
	CHECK_ACTION(&drive, ACTION_NONE, 21);
	CHECK_INT(drive.run.attempt.health, HEALTH_FAILING);
	CHECK_INT(drive.run.attempt.probes.failures, 1);
	drive_timer(&drive);
	CHECK_INT(drive.action.kind, ACTION_PROBE);
	drive_probed(&drive, 7);
	CHECK_ACTION(&drive, ACTION_KILL, 31);
	CHECK_INT(drive.action.signal, SIGTERM);
	drive_exit(&drive, 0);
	CHECK_INT(drive.action.kind, ACTION_WAIT);
	CHECK_INT(drive.run.last.outcome.kind, OUTCOME_UNHEALTHY);
	CHECK_INT(drive.run.last.judgement.verdict, VERDICT_RETRY);
}

TEST(a_change_of_health_is_told_once)
{
	static const struct {
		int status;
		bool told, first;
	} rows[] = { { 7, true, false }, { 0, true, true }, { 0, false, true },
		{ 7, true, false }, { 0, true, false } };
	struct drive drive;

	start_probed(&drive);
	for (size_t i = 0; i < COUNT(rows); i++) {
		ROW("%zu", i);
		drive_timer(&drive);
		drive_probed(&drive, rows[i].status);
		CHECK_INT(drive.told, rows[i].told);
		if (rows[i].told)
			CHECK_INT(drive.told_last, RECORD_HEALTH);
		CHECK_INT(drive.run.attempt.first_healthy, rows[i].first);
	}
}

TEST(a_probe_that_takes_too_long_is_ended)
{
	struct drive drive;

	start_probed(&drive);
	drive_timer(&drive);
	drive_timer(&drive);
	CHECK_ACTION(&drive, ACTION_END_PROBE, 24);
	drive.now = 15;
	drive_step(&drive, (struct step){ .kind = STEP_PROBED, .probe = died });
	CHECK_ACTION(&drive, ACTION_NONE, 25);
	drive_timer(&drive);
	drive_timer(&drive);
	CHECK_INT(drive.action.kind, ACTION_KILL);
	CHECK_INT(drive.run.attempt.health, HEALTH_UNHEALTHY);
}

TEST(once_a_signal_ends_the_run_no_probe_judges)
{
	struct drive drive;

	start_probed(&drive);
	drive_signal(&drive, SIGTERM);
	CHECK_ACTION(&drive, ACTION_NONE, INFINITY);
	start_probed(&drive);
	drive_timer(&drive);
	drive_signal(&drive, SIGTERM);
	drive_probed(&drive, 7);
	CHECK_ACTION(&drive, ACTION_NONE, INFINITY);
	drive_exit(&drive, 0);
	CHECK_FINISH(&drive, "signal", 0);
}

TEST(only_an_attempt_that_was_healthy_has_lasted)
{
	for (int healthy = 0; healthy < 2; healthy++) {
		struct drive drive;

		ROW("%d", healthy);
		start_probed(&drive);
		drive.policy.reset_after = 5;
		drive.policy.limits.attempts = 2;
		for (int i = 0; i < 4 && drive.action.kind != ACTION_FINISH;
		     i++) {
			drive_timer(&drive);
			drive_probed(&drive, !healthy);
			drive_exit(&drive, 1);
			if (drive.action.kind == ACTION_WAIT)
				drive_timer(&drive);
		}
		CHECK_INT(drive.action.kind == ACTION_FINISH, !healthy);
	}
}

int
main(void)
{
	return RUN_ALL();
}
