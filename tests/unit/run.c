/* SPDX-License-Identifier: MIT */

#include "core/delay.h"
#include "story.h"

/* --- attempts --- */

STORY(a_success_at_once_ends_the_run, "",
    "start: run until never, not judged, timeout never\n"
    "ends 0: finish success 0, judged, verdict success, attempt 1, failures 0")

STORY(a_record_says_what_is_not_known_yet, "--state=x",
    "start: hint -1, before -1, user nan, system nan")

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
    "timer: kill TERM; ends 0: outcome timeout, rule idle-timeout")

STORY(an_attempt_that_writes_has_its_whole_time,
    "--idle-timeout=5 -t 20 -b constant",
    "start; @4 timer active 4: nothing; @8 timer active 8: nothing\n"
    "@12 timer active 12: nothing; @16 timer active 16: nothing\n"
    "@20 timer active 19: kill TERM; ends 0: rule default")

STORIES(runs_that_give_up_are_tolerated_until_there_are_too_many,
    "-a 1 --state=x --tolerate=3",
    "start; answer yes given-up $1\n"
    "ends $2: finish attempts $3, death $4, $5, saved-given-up $6",
    "0 9 0 none tolerated 1; 1 KILL 0 none tolerated 2; "
    "2 9 9 none not,tolerated 3; 3 KILL 137 KILL not,tolerated 4")

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
    "start; delays 1; ends $1: finish attempts $2, death $3",
    "9 9 none; KILL 137 KILL; timeout 124 none; ENOENT 127 none; "
    "EACCES 126 none; unforked 125 none")

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
	struct drive drive = { .policy = drive_policy("exponential") };
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
			drive_exit(&drive, 0);
	}
	CHECK_INT(drive.run.attempt.number, 2);
}

STORY(a_late_timer_is_as_good_as_one_in_time, "-t 5 -k 2",
    "start; @50 timer: kill TERM until 52; @90 timer: kill KILL\n"
    "ends timeout: wait until 91; @200 timer: run until 205, before 110")

/* The last: no more than is left. */
STORIES(a_share_of_what_is_left_limits_an_attempt,
    "-T 100 -t $1 --min-timeout=$2 -d $3 -b constant",
    "start; ends 1; timer: timeout $4, until $5",
    "50% 0 0 50 50; 50% 0 60 20 80; 100% 0 60 40 100; 25% 5 0 25 25; "
    "25% 5 90 5 95; 1% 0 0 ~1 ~1; 25% 5 97 3 100")

STORY(a_check_has_as_much_time_as_an_attempt,
    "-T 100 -t 10% --min-timeout=20 --check=x",
    "start: timeout 20; @10 ends 0: ask check until 30")

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
    "timer: abandon; gone; ends 3: finish max-time 124\n"
    "@0 start; timer; signal TERM; timer; timer: abandon; gone\n"
    "ends 3: finish signal 124")

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
	struct drive drive = { .policy = drive_policy("exponential") };

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
		struct drive drive = { .policy = drive_policy("decorrelated") };

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
    "start: wait until 1, lasts, not judged; timer: run, before 1, not lasts\n"
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
    "@7 start: timeout ~$4",
    "start 50% 20 20; start 10% 20 20; start 50% 0 50; end 50% 20 50; "
    "start 0 20 20; start 0 0 100")

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
    "start; ends 1; timer; ends 1: nominal ~$3, high ~$4",
    "25% inside 6.4 8; 25% before-cap 8 8; 25% after-cap 8 10; "
    "+2 inside 6 8; full inside 8 8")

/* An attempt is ended when the next is due: both come from one draw. */
TEST(pace_start_draws_a_delay_once)
{
	struct drive drive = { .policy = drive_policy("exponential") };

	drive.policy.pace = PACE_START;
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
    "start; @4 ends 9: wait until $2", "1 4; 6 6; 30 30")

STORY(with_pace_start_a_hint_counts_from_the_attempts_end,
    "-b constant -d 10 --pace=start",
    "start; @4 ends KILL hint 3: wait until 10; timer\n"
    "@14 ends KILL hint 30: wait until 44")

STORIES(a_long_attempt_makes_its_failure_the_first, "--reset-after=60 -a 4",
    "start; delays 1 2; +$1 ends $2: delay $3; timer: $4, failures 3",
    "59.9 1 4 final; 60 1 1 not,final; 99 SEGV 1 not,final; "
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
    "constant 1 10 1 10; linear 1 20 3 40; exponential 1 20 4 80; "
    "fibonacci 1 10 2 30; list:3s,4s,5s 3 10 5 10; "
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
    "0 10; 9 10; 11 11; 60 60")

/* In the last row, the delay is longer. */
STORIES(a_hint_is_spread_upward_within_its_limit,
    "-b constant -d 10 -m 60 -j 20%",
    "chance $1; start; ends KILL hint $2: delay ~$3, low ~$4, high ~$5",
    "0 20 20 20 24; 0.5 20 22 20 24; 1 20 24 20 24; 1 55 60 55 60; "
    "1 5 12 8 12")

/* After a success the run has succeeded, with --repeat. */
STORIES(a_hint_beyond_its_limit_or_the_runs_ends_the_run,
    "-b constant -d 10 -m 60 --repeat -T $1",
    "start; ends $2 hint $3: $4, too-long $5",
    "0 7 60 wait 0; 0 7 60.1 finish,hint,7 60.1; 0 7 1e9 finish,hint,7 1e9; "
    "45 7 40 wait 0; 45 7 45 finish,hint,7 45; 10 7 5 finish,max-time,7 0; "
    "0 0 60 wait 0; 0 0 60.1 finish,success,0 60.1; "
    "45 0 45 finish,success,0 45")

/* An attempt that the limit ended may have left a hint. */
STORY(past_the_limit_a_hint_is_not_the_reason, "-T 10 -b constant",
    "start; timer; ends timeout hint 0: finish max-time 124\n"
    "@0 start; timer; ends timeout hint 7: finish max-time 124")

/* --- check, gate, budget --- */

/* What could not be started leaves nothing to check. */
STORY(a_check_decides, "-a 3 -b constant --check=x",
    "start; ends 0: ask check until never, not judged\n"
    "answer again: wait until 1, judged, rule check\n"
    "timer; ends unforked: wait; timer; ends 5: ask check\n"
    "answer yes: finish success 0")

STORY(a_check_that_stops_a_command_that_exited_with_0_is_a_failure,
    "-a 3 --check=x", "start; ends 0; answer no: finish stop 1, failures 1")

STORY(the_limit_on_the_run_ends_the_check, "-a 3 -T 10 --check=x",
    "start; @4 ends 0: ask check until 10; timer: kill TERM until 20\n"
    "answer yes: finish max-time 124, judged, rule max-time, failures 1")

STORY(a_check_that_does_not_end_is_left, "-a 3 -T 10 --check=x",
    "start; ends 0; timer; timer: kill KILL until 21; timer: abandon; gone\n"
    "answer no: finish max-time 124, judged, cut check, outcome 0")

STORIES(a_check_whose_output_is_late_has_no_answer, "-T 10 -t $1 --check=x",
    "start; ends 0: ask check; exited: collect until $2\n"
    "timer: drop; gone; answer yes: $3",
    "0 10 finish,max-time,124,cut,check; 5 5 wait,check-timed-out")

STORY(past_the_limit_nothing_is_checked, "-a 3 -T 10 --check=x",
    "start; timer\n"
    "ends timeout: finish max-time 124, judged, failures 1")

STORY(a_check_that_times_out_means_retry, "-a 3 -t 2 -b constant --check=x",
    "start; ends 0: ask check until 2; timer: kill TERM until 12\n"
    "answer no: wait until 3, rule check, check-timed-out\n"
    "timer; ends 0; answer again: wait, not check-timed-out")

STORY(a_check_that_timed_out_is_not_told_of_an_attempt_without_one,
    "-a 3 -t 2 --check=x",
    "start; ends 0; timer; answer no: check-timed-out\n"
    "timer; ends unforked: not check-timed-out")

STORY(a_gate_that_times_out_lets_the_retry_through,
    "-T 100 -t 50% -b constant --before-retry=x",
    "start; @19 ends 7; timer: ask gate until 60; timer: kill TERM\n"
    "answer again: run")

STORY(a_gate_is_asked_after_each_wait_but_the_first,
    "-b constant --wait-first --before-retry=x",
    "start; timer: run\n"
    "ends 7: wait; timer: ask gate, not judged; answer yes: run\n"
    "ends 7: wait; timer: ask gate, not judged; answer no: run\n"
    "ends 7: wait; timer: ask gate, not judged\n"
    "answer again: finish gate 7, not judged, attempt 3")

/* With --repeat the last attempt may have succeeded. */
STORY(a_gate_that_gives_up_leaves_the_status_of_the_last_attempt,
    "--repeat --before-retry=x",
    "start; ends 0; timer; answer again: finish gate 0\n"
    "start; ends 1; timer; answer again: finish gate 1")

/* Only with --repeat may a gate follow a success, which stays one. */
STORIES(the_limit_on_the_run_ends_the_gate,
    "-T 10 -b constant --repeat --before-retry=x",
    "start; ends $1; timer: ask gate until 10; timer: kill TERM until 20\n"
    "answer yes: finish $2 $3, failures $4",
    "0 success 0 0; 7 max-time 124 1")

STORY(a_gate_that_opens_past_the_limit_lets_nothing_through,
    "-T 10 --before-retry=x",
    "start; ends 7; timer; @10 answer yes: finish max-time 7, attempt 1")

/* The verdict is told together with what follows. */
STORY(a_budget_is_asked_before_each_wait, "-b constant --budget=x",
    "start; ends 7: ask budget, not judged\n"
    "answer yes: wait until 1, judged; timer; ends 8\n"
    "answer no: finish budget 8, judged, waited 1, failures 2")

STORY(a_budget_is_asked_for_what_can_be_spent_alone, "-T 1 --budget=x",
    "start; ends 7: finish max-time 7", "-a 1 --budget=x",
    "start; ends 7: finish attempts 7")

STORY(a_budget_that_took_its_time_may_leave_none, "-T 1.05 --budget=x",
    "start; ends 7; @0.1 answer yes: finish max-time 7")

/* SIGURG has it asked at once, another signal does not; neither pays. */
STORY(a_budget_that_is_locked_is_asked_again, "-b constant --budget=x",
    "start; ends 7: asks budget; +0.001 timer: asks budget, paid 0\n"
    "3 times signal URG: asks budget, paid 0\n"
    "signal USR1: nothing until 0.002, paid 0\n"
    "answer yes: wait until 1.002, paid 1000")

/* --- signals --- */

/* The first one counts. */
STORIES(a_signal_makes_the_attempts_outcome_the_runs, "-a 3 -t 60 --check=x",
    "start; signal HUP: nothing until never, tells signal, signal HUP\n"
    ": forwarded; signal TERM\n"
    "ends $1: finish signal $2, ended-by HUP, death $3, judged\n"
    ": rule signal, verdict stop",
    "0 0 none; 9 9 none; TERM 143 TERM; KILL 137 KILL; "
    "timeout 124 none; ENOENT 127 none")

STORY(in_a_wait_a_signal_ends_the_run_at_once, "",
    "start; ends 7; @0.25 signal INT: finish signal 130, death INT\n"
    ": waited 0.25, not judged",
    "--wait-first",
    "start; @0.25 signal INT: finish signal 130, death INT\n"
    ": waited 0.25, not judged")

STORY(in_a_question_a_signal_ends_the_run_with_the_answer, "--check=x",
    "start; ends 7: ask check; signal TERM: nothing until never\n"
    "answer yes: finish signal 143, death TERM, judged, rule signal\n"
    ": failures 1",
    "--before-retry=x",
    "start; ends 7; timer: ask gate; signal TERM: nothing until never\n"
    "answer yes: finish signal 143, death TERM, not judged, rule default\n"
    ": failures 1")

/* A signal of the user's is no reason for SIGKILL; a timeout still is. */
STORY(a_signal_lifts_the_timeout, "-t 5",
    "start; @1 signal TERM: nothing until never; @500 ends 7: finish signal 7")

/* A signal may come late, with the timer's moment: the attempt may be over. */
STORY(a_signal_after_the_deadline_leaves_the_attempt_alone, "-t 5",
    "start; @6 signal URG: nothing; @6 timer: kill TERM until 16")

/* During an attempt it changes nothing. */
STORY(in_a_wait_sigurg_means_retry_now, "",
    "start; ends 1; @0.5 signal URG: run, before 0.5, waited 0.5\n"
    "signal URG: nothing; delays 2")

STORY(in_the_first_wait_sigurg_starts_the_attempt,
    "--wait-first --before-retry=x",
    "start; signal URG: run; ends 1; signal URG: ask gate\n"
    "signal URG: nothing; answer yes: run")

/* --- memory and errors --- */

STORY(a_resumed_run_waits_and_goes_on_with_its_number, "--state=x",
    "start; answer yes n 4 delay 2.5: wait until 2.5, delay 2.5, kept\n"
    "timer: attempt 1; delays 16 32")

STORY(a_resumed_level_goes_on, "-b decorrelated --state=x",
    "chance 0.5; start; answer yes n 4 previous 5: run; delays 8")

STORY(a_number_that_cannot_grow_stays,
    "-a 4 -b linear -m 60 --pace=start --state=x",
    "start; answer yes n 18446744073709551614; delays 60 60 60\n"
    "ends 1: saved-n 18446744073709551615")

STORY(a_resumed_run_has_waited_first_already, "--wait-first --state=x",
    "start; answer yes n 3: run; delays 8 16")

STORY(a_resumed_run_waits_no_more_than_its_splay,
    "--wait-first --splay=0.5 --state=x",
    "start; answer yes n 3: wait, high 0.5; timer; delays 8 16")

STORY(a_run_that_remembers_asks_for_the_state_first, "--state=x",
    "start: ask state; answer yes n 2 delay 1.5: wait until 1.5\n"
    "timer: attempt 1; delays 4 8")

STORY(what_is_too_early_is_given_up_with_its_own_status, "--state=x:skip",
    "start; answer no: finish early 75, attempt 0, too-early 0\n"
    "start; answer yes delay 5: finish early 75, too-early 5\n"
    "start; answer yes: run")

STORY(a_state_that_is_not_to_be_had_in_time_leaves_no_time, "-T 10 --state=x",
    "start: asks state; @9.95 timer: asks state\n"
    "@10 timer: finish max-time 124, attempt 0")

STORY(a_signal_ends_the_wait_for_the_state, "--state=x",
    "start: asks state, until 0.1; timer\n"
    "signal TERM: finish signal 143, death TERM")

/* So does one that does not end, but not a gate. */
STORY(an_attempt_that_the_limit_leaves_without_a_verdict_moves_the_backoff,
    "-T 10 --check=x --state=x",
    "start; answer yes n 2; @1 ends 0: asks check; timer\n"
    "answer no: finish max-time 124, saved-n 3, saved-delay 4",
    "-T 10 -k 0 --state=x",
    "start; answer yes n 2; timer; timer: abandon; gone\n"
    "ends 3: finish max-time 124, saved-n 3",
    "-T 10 --before-retry=x --state=x",
    "start; answer yes n 2; ends 1; timer: asks gate; timer\n"
    "answer yes: finish max-time 124, saved-n 3")

STORY(a_success_lowers_the_level_that_is_remembered, "-b mimd:up=2,down=0.5",
    "start; delays 1 2 4; ends 0: finish success 0, not saved, saved-level 0",
    "-b mimd:up=2,down=0.5 --state=x",
    "start; answer yes; delays 1 2 4\n"
    "ends 0: finish success 0, saved, saved-level 2")

/* The state cannot be written; what was held is not delivered again. */
STORY(an_error_at_the_end_takes_its_place, "-a 1 --state=x",
    "cannot-save; start; answer yes\n"
    "ends KILL: finish error 125, saved, death none",
    "-a 1 --state=x --output=last",
    "cannot-save; start; answer yes; ends KILL: deliver\n"
    "delivered: finish error 125, saved, death none")

STORY(a_run_leaves_the_delay_that_it_does_not_wait, "-a 3",
    "start; delays 1 2\n"
    "ends 1: finish attempts 1, not saved, saved-n 0, waited 3",
    "-a 3 --state=x",
    "start; answer yes; delays 1 2\n"
    "ends 1: finish attempts 1, delay 4, saved-n 3, waited 3")

STORY(an_error_of_its_own_ends_the_run, "",
    "start; ends 1; error: finish error 125, not judged")

STORY(an_error_of_its_own_ends_the_attempt_first, "",
    "start; @1 error: kill TERM; timer: kill KILL, now 11\n"
    "ends 0: finish error 125, judged, rule error")

/* Also if the attempt cannot be started for it. */
STORY(an_error_can_be_one_to_die_of, "",
    "start; ends 1; error PIPE: finish error 141, death PIPE\n"
    "start; no-answer PIPE: finish error 141, death PIPE")

STORY(what_is_held_is_delivered_before_the_end, "--output=last",
    "start; ends 1: wait; timer; ends 0: deliver until never, not judged\n"
    "delivered: finish success 0, judged")

STORY(what_cannot_be_delivered_is_an_error, "--output=last",
    "start; ends 0; error: finish error 125")

STORY(a_signal_ends_a_delivery, "--output=last",
    "start; ends 0; signal URG: nothing; signal TERM: nothing\n"
    "timer: finish signal 143, death TERM")

STORY(after_a_signal_no_reader_is_waited_for_that_takes_nothing,
    "--output=last",
    "start; signal TERM; ends 0: deliver until 1; timer: finish signal 143\n"
    "@0 start; signal TERM; ends 1: deliver until 1; timer: finish signal 1")

STORY(an_error_while_the_check_runs_stops, "--check=x",
    "start; ends 0: ask check; error: kill TERM\n"
    "answer yes: finish error 125, judged, verdict stop")

STORY(what_attempts_read_is_asked_for_first, "--stdin=replay --wait-first",
    "start: ask input; @5 answer yes: wait; timer: run, now 6")

STORY(nothing_has_to_be_ended_while_input_is_read, "--stdin=replay -T 3",
    "start; timer: finish max-time 124\n"
    "start; signal URG: nothing; signal INT: finish signal 130\n"
    "start; error: finish error 125")

/* --- the end of a process --- */

/* What a timed-out attempt left is killed with it, and waited for. */
STORY(the_next_attempt_waits_for_all_of_the_one_before, "-t 5 -k 2 -b constant",
    "start; timer: kill TERM until 7\n"
    "@6 exited: look until 7, sends none; reaped: look until 7\n"
    "timer: look until 8, sends KILL; reaped: look until 8, sends KILL\n"
    "gone: collect; ends 0: wait until 8, outcome timeout")

/* The search for all processes may take longer than that. */
STORY(the_second_of_sigkill_begins_once_it_was_sent, "-t 5 -k 4",
    "takes 3; start; timer; exited: look until 9\n"
    "timer: sends KILL, now 12, until 13")

/* SIGKILL had its second: what is left then is left for good. */
STORY(what_sigkill_does_not_end_is_named_and_left, "-t 5 -k 2 -b constant",
    "start; timer; timer; exited: look until 8; @8 timer: abandon\n"
    "gone; ends KILL: wait until 9")

/* A reader that takes nothing may keep what collects the output from ending. */
STORY(a_collection_ends_with_the_run, "-T 10",
    "start; exited: collect until 10\n"
    "timer: drop; gone; ends 3: finish max-time 124\n"
    "@0 start; exited: collect until 10; signal TERM: nothing until 1\n"
    "timer: drop; gone; ends 3: finish signal 143")

/*
 * The time of an attempt is also that of the search in its output; before it, a
 * reader may take its time.
 */
STORY(a_search_takes_of_the_time_of_the_attempt, "-t 5",
    "start; @2 exited: collect until 5\n"
    "timer: drop; gone; ends 7: wait, outcome timeout\n"
    "@0 start; @2 exited: collect until 5; @5 blocked: nothing until 6\n"
    "timer: drop; gone; ends 7: wait, outcome timeout\n"
    "@0 start; @2 exited: collect until 5; signal TERM\n"
    "timer: drop; gone; ends 7: finish signal 143, outcome 7")

STORY(the_status_of_the_command_can_be_preserved, "-a 1 -t 5 -p --success-on=2",
    "start; ends 2: finish success 2, death none\n"
    "start; ends 0: finish success 0, death none\n"
    "@0 start; timer; ends TERM: finish attempts 143, death none\n"
    "@0 start; timer; ends 9: finish attempts 9, death none\n"
    "@0 start; timer; ends 0: finish attempts 0, death none")

/* Another run's hold on the state is told once, after a second. */
STORY(a_lock_that_lasts_is_told, "--state=x",
    "start; @0.9 timer: told 0; @1 timer: told 1, tells lock\n"
    "@3 timer: told 0, asks state, locked")

/* Even if --max-time is over sooner; and what it took gives it another one. */
STORY(a_reader_has_a_second_to_take_something,
    "-T 30 -b constant -d 0.1 --output=all",
    "start; @29.75 ends 1: deliver until 30.75\n"
    "@30.75 signal URG: nothing until 30.75; reaped: nothing until 30.75\n"
    "progress: nothing until 31.75; timer: finish max-time 1")

/* However a run has failed whose time is over. */
STORY(a_reader_has_a_second_at_the_end_too, "-a 1 -T 30 --output=last",
    "start; @5 ends 1: deliver until 30; timer: finish attempts 1\n"
    "@0 start; @5 ends 0: deliver until never")

/* A run whose next wait is too long for --max-time does not wait for it. */
STORY(a_reader_has_a_second_if_no_wait_is_left,
    "-T 30 -b constant -d 100 --output=last",
    "start; @5 ends 1: deliver until 6")

/* And the same after a signal, but not after another one. */
STORY(a_signal_leaves_a_reader_a_second, "-b constant --output=all",
    "start; ends 0: deliver; @5 signal TERM: nothing until 6\n"
    "@6 progress: nothing until 7; @6.5 delivered: finish success 0\n"
    "@0 start; ends 1: deliver; @5 signal TERM: nothing until 6\n"
    "@6 progress: nothing until 7\n"
    "@6.5 signal TERM: finish signal 143, ended-by TERM\n"
    "@0 start; ends 2: deliver; @5 signal TERM: nothing until 6\n"
    "@6 progress: nothing until 7\n"
    "timer: finish signal 143, ended-by TERM")

STORY(held_output_of_each_attempt_goes_out_before_the_wait,
    "-T 30 -b constant --output=all",
    "start; ends 1: deliver until 30; @0.25 delivered: wait until 1, judged\n"
    "timer; ends 1; @30 timer: finish max-time 1")

STORIES(a_hook_follows_the_end, "-a 1 $2=x",
    "start; ends $1: told 2, tells end, ask hook\n"
    "signal TERM: nothing until 60; answer yes: told 0, finish $3 $1",
    "0 --on-success success; 1 --on-give-up attempts")

STORIES(a_hook_at_the_end_has_a_limit_of_its_own,
    "-a 1 -T 3 -t $1 --on-give-up=x",
    "start; @2 ends 7: ask hook until $2\n"
    "timer: kill TERM until $3; timer: kill KILL\n"
    "answer yes: finish attempts 7",
    "0 62 72; 5 7 17")

STORY(no_attempt_begins_while_a_signal_may_follow, "-b constant",
    "start; ends 1: wait; @5 signal USR1: nothing until 5\n"
    "signal TERM: finish signal 143, attempt 1")

STORY(an_attempt_that_was_not_forked_does_not_time_out, "-t 2",
    "start; @3 signal URG; ends unforked: outcome unforked")

STORY(a_question_that_cannot_be_asked_is_not_waited_for, "--check=x",
    "start; ends 1: ask check; no-answer: finish error 125")

STORY(a_lock_is_not_told_of_after_the_end, "--state=x --on-give-up=x",
    "start: asks state; answer none: ask hook until 60; @2 timer: told 0")

/* A reader of held output may go, or take no more of it, while a hook runs. */
STORY(a_hook_does_not_change_the_end_that_was_told, "-a 1 -T 1 --on-give-up=x",
    "start; ends 7: ask hook, told-status 7; @2 error PIPE: nothing\n"
    "answer yes: finish attempts 7, death none, ends 1\n"
    "@0 start; ends 7: ask hook, told-status 7\n"
    "@2 no-answer PIPE: finish attempts 7, death none, ends 1\n"
    "@0 start; ends 7: ask hook, told-status 7; @2 exited: collect; timer\n"
    ": drop; gone; answer no: finish attempts 7, death none, ends 1")

/* While an attempt runs, reports show how the one before ended. */
STORY(the_last_attempt_is_the_one_that_ended, "",
    "start; ends 7: outcome 7; timer: attempt 2, outcome 7\n"
    "ends 8: outcome 8")

STORY(an_attempt_that_was_not_forked_has_no_probes,
    "--health=x --before-retry=x",
    "start; ends unforked; timer: asks gate, until never")

/* What the driver tells of a process that lives on means nothing. */
STORY(a_process_that_does_not_end_has_no_status_to_preserve,
    "-T 20 -t 5 -k 2 -p",
    "start; timer; timer: kill KILL until 23; timer: abandon; gone\n"
    "ends 3: finish max-time 124, returned timeout")

/* The run's time is over, so that this is no timeout of the attempt. */
STORY(output_that_is_late_for_the_run_is_no_timeout, "-T 10",
    "start; exited: collect; timer: drop; gone\n"
    "ends 3: finish max-time 124, outcome 3, output unsearched")

STORY(messages_learn_what_max_time_and_a_signal_cut, "-T 10 -b constant",
    "start; timer; ends 0: finish max-time 124, cut attempt\n"
    "@0 start; signal TERM; ends 7: finish signal 7, not in-a-wait\n"
    "@0 start; ends 7; signal TERM: finish signal 143, in-a-wait")

/* Its limit is an hour. */
STORY(a_hint_that_is_shorter_than_the_delay_ends_no_run, "-b constant -d 3h",
    "start; ends 1 hint 7200: wait until 10800, not hint-is-longer")

/* The clock is read again after each call that may take time. */
STORY(what_a_call_takes_is_time_of_the_run, "-T 10 -b constant --output=all",
    "takes 3; start; @8 ends 1: deliver until 12\n"
    "delivered: finish max-time 1",
    "-T 2 --state=x", "takes 3; start; answer yes n 1: finish max-time 124")

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

#define PROBES \
	"-b constant --leftovers=spare --health=x --health-interval=10 " \
	"--health-timeout=4 --health-retries=2"

STORY(an_attempt_that_fails_its_probes_is_ended_as_unhealthy, PROBES,
    "start: run until 10; timer: probe until 14\n"
    "@11 probed 7: nothing until 21, health failing, probes-failed 1\n"
    "timer: probe; probed 7: kill TERM until 31\n"
    "ends 0: wait, outcome unhealthy, verdict retry")

STORY(a_change_of_health_is_told_once, PROBES,
    "start\n"
    "timer; probed 7: told 1, tells health, not healthy-told\n"
    "timer; probed 0: told 1, tells health, healthy-told\n"
    "timer; probed 0: told 0\n"
    "timer; probed 7: told 1, tells health, healthy-told\n"
    "timer; probed 0: told 1, tells health, healthy-told")

STORY(a_probe_that_takes_too_long_is_ended, PROBES,
    "start; timer; timer: end-probe until 24\n"
    "@15 probed KILL: nothing until 25; timer\n"
    "timer: kill TERM, health unhealthy",
    PROBES, "start; timer; probed unforked: nothing until 20, probes-failed 0",
    PROBES " -t 12",
    "start; timer: probe until 12; timer: kill TERM\n"
    "probed unhealthy: nothing; ends 0: outcome timeout")

STORY(once_a_signal_ends_the_run_no_probe_judges, PROBES,
    "start; signal TERM: nothing until never\n"
    "@0 start; timer; signal TERM; probed 7: nothing until never\n"
    "ends 0: finish signal 0")

STORY(only_an_attempt_that_was_healthy_has_lasted,
    PROBES " -a 2 --reset-after=5",
    "start; timer; probed 1; ends 1: wait\n"
    "timer; timer; probed 1; ends 1: finish attempts 1\n"
    "@0 start\n"
    "4 times timer; probed 0; ends 1: wait; timer")

int
main(void)
{
	return RUN_ALL();
}
