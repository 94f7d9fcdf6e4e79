/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "core/delay.h"
#include "story.h"

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

STORY(a_success_at_once_ends_the_run, "",
    "start: run until never, not judged, timeout never\n"
    "ends 0: finish success 0, judged, verdict success, attempt 1, failures 0")

STORY(a_record_has_the_limits_and_what_is_not_known_yet,
    "-a 4 -T 60 --state=x --tolerate=2 --preset=npm",
    "start: limit 4, max-time 60, hint-limit 3600, tolerate 2, has-presets, "
    "hint -1, before -1, user nan, system nan")

STORY(attempts_are_counted_in_all, "-a 4",
    "@100 start: not final\n"
    "delays 1 2 4: due 7, final\n"
    "ends 7: finish attempts 7, judged, verdict retry, attempt 4, failures 4\n"
    ": waited 7, elapsed 7, begun 7, now 107")

STORY(a_limit_of_one_kind_of_failure_gives_up, "-a 10,75:2 -b constant",
    "start; ends 75; timer; ends 1; timer\n"
    "ends 75: finish attempts 75, attempt 3, reached 2")

STORY(a_limit_within_a_window_gives_up, "-a 3/10s -b constant",
    "start\n"
    "100 times +5 ends 1: wait; timer\n"
    "+2 ends 1: finish attempts 1, attempt 101")

STORY(a_fresh_start_forgets_failures_that_limits_counted,
    "-a 1:2,3/1h --reset-after=60 -b constant",
    "start\n"
    "10 times +60 ends 1: wait; timer\n"
    "ends 1: finish attempts 1")

STORY(an_attempt_that_is_silent_for_too_long_times_out,
    "--idle-timeout=5 -t 60 -b constant",
    "start: run until 5\n"
    "@5 timer active 4: nothing until 9\n"
    "@8 reaped active 7.5: nothing until 12.5\n"
    "timer: kill TERM; ends 0: outcome timeout, silent 5, rule idle-timeout")

STORY(an_attempt_that_writes_has_its_whole_time,
    "--idle-timeout=5 -t 20 -b constant",
    "start; @4 timer active 4: nothing; @8 timer active 8: nothing\n"
    "@12 timer active 12: nothing; @16 timer active 16: nothing\n"
    "@20 timer active 19: kill TERM; ends 0: silent 0, rule default")

STORIES(runs_that_give_up_are_tolerated_until_there_are_too_many,
    "-a 1 --state=x --tolerate=3",
    "start; answer yes given-up $1\n"
    "ends $2: finish attempts $3, death $4, $5, saved-given-up $6",
    "0 9 0 none tolerated 1", "1 KILL 0 none tolerated 2",
    "2 9 9 none not,tolerated 3", "3 KILL 137 KILL not,tolerated 4")

STORY(only_a_run_that_gives_up_is_tolerated,
    "--state=x --tolerate=9 --stop-on=2",
    "start; answer yes given-up 1; ends 2: finish stop 2\n"
    "start; answer yes given-up 1; ends 1; signal TERM: finish signal 143\n"
    "start; answer yes given-up 1; ends 0: finish success 0, saved-given-up 0")

STORY(a_run_without_an_attempt_is_none_that_gave_up,
    "-T 3 --state=x --tolerate=3",
    "start; answer yes given-up 2 delay 5: finish max-time 0\n"
    ": tolerated, given-up 2, not saved")

STORY(a_run_that_never_read_the_state_is_not_tolerated,
    "-T 10 --state=x --tolerate=9",
    "start: ask state; @10 timer: finish max-time 124, not tolerated")

STORY(one_attempt_is_no_retry, "-a 1",
    "start: final; ends 3: finish attempts 3")

STORY(without_a_limit_attempts_go_on, "-b constant",
    "start\n"
    "200 times ends 1: wait, not final; timer: run\n"
    "ends 1: attempt 201")

STORY(a_stop_ends_the_run_at_once, "--stop-on=2",
    "start; delays 1; ends 2: finish stop 2, rule stop-on, failures 2")

STORIES(the_last_outcome_is_the_status_of_a_run_that_gives_up,
    "-a 2 --stop-on=none",
    "start; delays 1; ends $1: finish attempts $2, death $3", "9 9 none",
    "KILL 137 KILL", "timeout 124 none", "ENOENT 127 none", "EACCES 126 none",
    "unforked 125 none")

/* A hint makes a failure transient. */
STORY(transient_status_is_that_of_a_transient_failure,
    "-a 1 --transient-status=1",
    "start; ends 9 hint 7: status 1, death none\n"
    "start; ends KILL hint 7: status 1, death none\n"
    "start; ends 9: status 9, death none\n"
    "start; signal TERM; ends 9 hint 7: status 9, death none")

STORY(flaky_status_is_that_of_a_success_after_a_failure,
    "--flaky-status=1 -b constant",
    "start; ends 0: finish success 0\n"
    "start; delays 1; ends 0: finish success 1")

/* The delay grows all the same. */
STORY(a_free_failure_uses_up_no_attempt, "-a 2 --free-on=KILL",
    "start: not final; ends KILL: wait, delay 1\n"
    "timer: not final; ends KILL: wait, delay 2\n"
    "timer: not final; ends KILL: wait, delay 4\n"
    "timer: not final; ends KILL: wait, delay 8\n"
    "timer: not final; ends KILL: wait, delay 16; timer\n"
    "delays 32: final; ends KILL: wait; timer\n"
    "ends 1: finish attempts 1, attempt 8")

/* An attempt that times out may have said before how long to wait. */
STORY(an_attempt_that_gave_a_hint_may_be_free,
    "-a 1 -m 60 -t 5 --free-on=transient -b constant",
    "start; ends KILL hint 7: wait, delay 7; timer; timer\n"
    "ends KILL hint 9: wait, outcome timeout, used 0; timer\n"
    "ends KILL: finish attempts 137, attempt 3")

/* --- limits on an attempt --- */

STORY(a_timeout_sends_its_signal_and_then_sigkill, "-t 5 -k 2 -s HUP",
    "@1 start: run until 6, timeout 5\n"
    "timer: kill HUP until 8; timer: kill KILL until never\n"
    "ends timeout: wait until 9; timer: run until 14")

STORY(a_kill_after_of_nothing_never_kills, "-t 5 -k 0",
    "start; timer: kill TERM until never; @1e6 timer: nothing until never")

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

STORY(a_late_timer_is_as_good_as_one_in_time, "-t 5 -k 2",
    "start; @50 timer: kill TERM until 52; @90 timer: kill KILL\n"
    "ends timeout: wait until 91; @200 timer: run until 205, before 110")

/* The last: no more than is left. */
STORIES(a_share_of_what_is_left_limits_an_attempt,
    "-T 100 -t $1 --min-timeout=$2 -d $3 -b constant",
    "start; ends 1; timer: timeout $4, until $5", "50% 0 0 50 50",
    "50% 0 60 20 80", "100% 0 60 40 100", "25% 5 0 25 25", "25% 5 90 5 95",
    "1% 0 0 ~1 ~1", "25% 5 97 3 100")

/* --- the limit on the run --- */

STORY(no_wait_is_begun_that_ends_at_or_past_the_limit, "-T 3 -b constant",
    "start; @2 ends 7: finish max-time 7, judged, waited 0",
    "-T 2.999 -b constant",
    "start; @2 ends 7: finish max-time 7, judged, waited 0",
    "-T 3.001 -b constant", "start; @2 ends 7: wait until 3",
    "-T 0 -b constant", "start; @2 ends 7: wait until 3")

STORY(the_limit_on_the_run_ends_the_attempt, "-T 10 -t 60",
    "@5 start: run until 15; timer: kill TERM until 25\n"
    "ends timeout: finish max-time 124, judged, failures 1")

STORY(a_timeout_before_the_limit_leaves_time_for_more, "-T 10 -t 4",
    "start; timer; ends timeout: wait until 5\n"
    "timer: run until 9; timer; ends timeout: finish max-time 124")

STORY(a_success_past_the_limit_is_a_success, "-T 10",
    "start; @11 ends 0: finish success 0")

STORY(what_does_not_end_is_left_after_the_last_grace, "-T 30 -k 10",
    "start; timer: kill TERM until 40; timer: kill KILL until 41\n"
    "timer: abandon; gone; ends 3: finish max-time 124, now 41\n"
    ": outcome timeout, failures 1",
    "-T 30 -k 2",
    "start; timer: kill TERM until 32; timer: kill KILL until 33\n"
    "timer: abandon; gone; ends 3: finish max-time 124, now 33\n"
    ": outcome timeout, failures 1",
    "-T 30 -k 0",
    "start; timer: kill TERM until 31\n"
    "timer: abandon; gone; ends 3: finish max-time 124, now 31\n"
    ": outcome timeout, failures 1")

/* Only the limit on the run ends patience, and late enough for SIGKILL. */
STORY(what_timed_out_is_waited_for_until_the_limit, "-T 30 -t 5 -k 2",
    "start; timer; timer: kill KILL until 33\n"
    "timer: abandon; gone; ends 3: finish max-time 124")

/* retry itself was stopped: what runs gets its time all the same. */
STORY(a_late_end_leaves_time_for_both_signals, "-T 30 -k 2",
    "start; @500 timer: kill TERM until 502; @900 timer: kill KILL until 901\n"
    "timer: abandon; gone; ends 3: finish max-time 124")

STORY(a_first_wait_past_the_limit_leaves_no_time_for_an_attempt,
    "-T 1 --wait-first", "start: finish max-time 124, attempt 0, not judged",
    "-T 1 --state=x",
    "start; answer yes n 3 delay 5: finish max-time 124, attempt 0, not judged")

/* The wait was announced to end in time, but the machine was late. */
STORY(a_wait_that_ended_too_late_is_followed_by_nothing, "-T 10 -b constant",
    "start; ends 7; @10 timer: finish max-time 7, not judged, waited 10")

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

STORY(the_range_told_is_what_chance_can_give, "-j 20% --jitter-order=after-cap",
    "chance 0; start; ends 1: delay =low, nominal 1, low ~0.8, high ~1.2\n"
    "chance 0.5; start; ends 1: delay ~1\n"
    "chance 1; start; ends 1: delay =high, nominal 1, low ~0.8, high ~1.2")

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

STORY(waiting_first_takes_the_first_delay, "-a 3 --wait-first",
    "start: wait until 1, not judged; timer: run, before 1\n"
    "delays 2 4; ends 1: finish attempts 1")

STORY(a_splay_is_drawn_up_to_its_length, "--splay=40",
    "chance 0.25; start: wait until 10, low 0, high 40; timer; delays 1 2")

STORY(a_splay_comes_on_top_of_the_first_wait, "--splay=4 --wait-first",
    "chance 0.5; start: wait until 3, low 1, high 5")

/* Chance must not decide whether the command runs at all. */
STORY(the_limit_on_the_run_counts_from_the_end_of_the_splay, "--splay=40 -T 5",
    "chance 0.5; start: wait until 20; timer: run until 25\n"
    "@0 start: wait until 20; @2 signal URG: run until 7")

/* The clock was set, or the machine slept. */
STORY(a_date_that_comes_early_ends_the_wait_and_skips_no_time,
    "-b constant -d 600 -T 602",
    "start; ends 1: wait until 600; @12 date: run until 602, waited 12")

/*
 * Reports give what is still waited, but the delay as it was meant; the second
 * attempt outlasts its delay.
 */
STORY(pace_start_counts_from_the_attempts_start, "--pace=start",
    "start; @0.25 ends 1: wait until 1, delay 0.75, nominal 1; timer\n"
    "@9 ends 1: wait until 9, low 0, high 0, delay 0; timer: run\n"
    "ends 1: wait until 13")

/* Attempts that are due at fixed times begin a little late each time. */
STORY(pace_start_keeps_a_rate, "--pace=start -b constant",
    "start; @0.25 ends 1: wait until 1; @1.125 timer: run\n"
    "198 times +0.25 ends 1: wait, delay 0.625; +0.75 timer: run\n"
    "+0.25 ends 1: wait until 200; +0.75 timer: run")

/* After a wait that took much longer, as by a stop, a new series begins. */
STORY(pace_start_makes_up_for_no_attempt, "--pace=start -b constant",
    "start; ends 1: wait until 1; @9.5 timer; ends 1: wait until 10.5\n"
    "@10 signal URG: run; ends 1: wait until 11")

/* The least limit of a pace holds beside a share of the time that is left. */
STORIES(a_share_and_a_pace_both_limit_an_attempt,
    "-T 100 --pace=$1 -t $2 --min-timeout=$3 -b constant",
    "@7 start: timeout ~$4", "start 50% 20 20", "start 10% 20 20",
    "start 50% 0 50", "end 50% 20 50", "start 0 20 20", "start 0 0 100")

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

STORIES(the_nominal_delay_leaves_room_for_the_jitter,
    "-b linear -d 5 -m 8 -j $1 --jitter-order=$2",
    "start; ends 1; timer; ends 1: nominal ~$3, high ~$4", "25% inside 6.4 8",
    "25% before-cap 8 8", "25% after-cap 8 10", "+2 inside 6 8",
    "full inside 8 8")

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

STORIES(with_pace_start_a_throttle_has_its_own_delay,
    "-b constant -d 10 --pace=start --throttle-on=9 --throttle-delay=$1",
    "start; @4 ends 9: wait until $2", "1 4", "6 6", "30 30")

STORY(with_pace_start_a_hint_counts_from_the_attempts_end,
    "-b constant -d 10 --pace=start",
    "start; @4 ends KILL hint 3: wait until 10; timer\n"
    "@14 ends KILL hint 30: wait until 44")

STORIES(a_long_attempt_makes_its_failure_the_first, "--reset-after=60 -a 4",
    "start; delays 1 2; +$1 ends $2: delay $3; timer: $4, failures 3",
    "59.9 1 4 final", "60 1 1 not,final", "99 SEGV 1 not,final",
    "99 timeout 4 final")

STORY(a_long_attempt_resets_a_level, "-b mimd:up=2,down=0.5 --reset-after=60",
    "start; delays 1 2 4; +60 delays 1 2")

/* One attempt is used, unless it is free. */
STORY(a_healthy_failure_that_is_free_leaves_all_attempts,
    "-a 2 --reset-after=60 --free-on=1", "start; @60 ends 1: used 0, delay 1")

/* --- throttling --- */

STORIES(a_throttled_failure_has_its_own_base,
    "-b $1 --throttle-on=9 --throttle-delay=10",
    "start; ends 1: wait, delay $2, not throttled; timer\n"
    "ends 9: wait, delay $3, throttled; timer\n"
    "ends 1: wait, delay $4, not throttled; timer\n"
    "ends 9: wait, delay $5, throttled",
    "constant 1 10 1 10", "linear 1 20 3 40", "exponential 1 20 4 80",
    "fibonacci 1 10 2 30", "list:3s,4s,5s 3 10 5 10",
    "mimd:up=2,down=0.5 1 10 4 10")

STORY(a_level_does_not_begin_with_the_delay_of_a_throttle,
    "-b mimd:up=2,down=0.5 --throttle-on=9 --throttle-delay=10",
    "start; ends 9: delay 10; timer; ends 1: delay 2")

/* --- repeat --- */

STORY(a_level_falls_with_successes,
    "-b mimd:up=2,down=0.5 -d 3 --min-delay=2 --repeat",
    "start; delays 3 6 12 24\n"
    "ends 0: wait, delay 12; timer; ends 0: wait, delay 6; timer\n"
    "ends 0: wait, delay 3; timer; ends 0: wait, delay 2; timer\n"
    "ends 0: wait, delay 2; timer; delays 4 8 16")

STORY(with_repeat_failures_in_a_row_are_counted,
    "-a 3 --repeat --success-delay=7",
    "start\n"
    "4 times delays 1 2: final; ends 0: wait, judged, delay 7; timer\n"
    "delays 1 2; ends 5: finish attempts 5, failures 11")

STORY(a_success_clears_counts_of_failures_but_no_window,
    "-a 1:2 --repeat -b constant",
    "start; ends 1: wait; timer; ends 0: wait; timer; ends 1: wait",
    "-a 2/1h --repeat -b constant",
    "start; ends 1: wait; timer; ends 0: wait; timer\n"
    "ends 1: finish attempts 1")

STORY(successes_in_a_row_end_a_repeated_run, "--repeat=2",
    "start; ends 0: wait until 0; timer; delays 1; ends 0; timer\n"
    "ends 0: finish success 0, attempt 4")

STORY(at_its_limit_a_repeated_run_ends_as_its_last_attempt_did,
    "--repeat --success-delay=1 -T 10 -b constant",
    "start; ends 1; timer; @9.5 ends 0: finish success 0\n"
    "@0 start; ends 0; timer; @9.5 ends 1: finish max-time 1")

/* --- hints --- */

/* It holds for one wait. */
STORIES(a_hint_is_a_minimum, "-b constant -d 10 -m 60",
    "start; ends KILL hint $1: wait until $2, hint $1, nominal 10, low $2\n"
    "timer; ends KILL: delay 10, hint -1",
    "0 10", "9 10", "11 11", "60 60")

/* In the last row, the delay is longer. */
STORIES(a_hint_is_spread_upward_within_its_limit,
    "-b constant -d 10 -m 60 -j 20%",
    "chance $1; start; ends KILL hint $2: delay ~$3, low ~$4, high ~$5",
    "0 20 20 20 24", "0.5 20 22 20 24", "1 20 24 20 24", "1 55 60 55 60",
    "1 5 12 8 12")

/* After a success the run has succeeded, with --repeat. */
STORIES(a_hint_beyond_its_limit_or_the_runs_ends_the_run,
    "-b constant -d 10 -m 60 --repeat -T $1",
    "start; ends $2 hint $3: $4, too-long $5, $6", "0 7 60 wait 0 not,too-late",
    "0 7 60.1 finish,hint,7 60.1 not,too-late",
    "0 7 1e9 finish,hint,7 1e9 not,too-late", "45 7 40 wait 0 not,too-late",
    "45 7 45 finish,hint,7 45 too-late",
    "10 7 5 finish,max-time,7 0 not,too-late", "0 0 60 wait 0 not,too-late",
    "0 0 60.1 finish,success,0 60.1 not,too-late",
    "45 0 45 finish,success,0 0 not,too-late")

/* An attempt that the limit ended may have left a hint. */
STORY(past_the_limit_a_hint_is_not_the_reason, "-T 10 -b constant",
    "start; timer; ends timeout hint 0: finish max-time 124\n"
    "@0 start; timer; ends timeout hint 1: finish max-time 124")

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
