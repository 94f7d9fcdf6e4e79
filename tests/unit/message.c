/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/message.h"
#include "core/duration.h"
#include "tap.h"

static const struct policy unlimited = { .max_time = 0 };
static const struct policy five = { .limits.attempts = 5,
	.max_time = 60,
	.hint_limit = 3600,
	.tolerate = 3 };
static const struct policy preset = { .limits.attempts = 5,
	.rules.classifies = true };

TEST(outcomes_read_as_sentences_end)
{
	static const struct {
		struct outcome outcome;
		const char *text;
	} rows[] = {
		{ { OUTCOME_NONE, 0 }, "did not run" },
		{ { OUTCOME_EXIT, 7 }, "exited 7" },
		{ { OUTCOME_SIGNAL, SIGKILL }, "killed by SIGKILL" },
		{ { OUTCOME_TIMEOUT, 0 }, "timed out" },
		{ { OUTCOME_UNSTARTABLE, ENOENT },
		    "could not be started: No such file or directory" },
		{ { OUTCOME_UNFORKED, EAGAIN },
		    "could not be forked: Resource temporarily unavailable" },
	};
	char text[MESSAGE_PART];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct record record = { .last.outcome =
						   rows[i].outcome };

		CHECK_STR(message_outcome(&record, text), rows[i].text);
	}
	for (int kind = OUTCOME_NONE; kind <= OUTCOME_UNFORKED; kind++) {
		const struct record record = { .last.outcome = {
						   .kind = kind } };

		ROW("%s", outcome_names[kind]);
		CHECK(*message_outcome(&record, text) != '\0');
	}
}

TEST(what_max_time_ended_is_no_ordinary_timeout)
{
	struct record record = { .last.outcome = { OUTCOME_TIMEOUT, 0 },
		.policy = &five,
		.end.cut = CUT_ATTEMPT };
	char text[MESSAGE_PART];

	CHECK_STR(message_outcome(&record, text), "timed out at --max-time 1m");
}

TEST(no_time_is_told_more_exactly_than_people_want)
{
	static const struct {
		double seconds;
		const char *text;
	} rows[] = {
		{ 0, "0s" },
		{ 5.12e-5, "<1ms" },
		{ 9.99e-4, "<1ms" },
		{ 0.001, "1ms" },
		{ 0.00149, "1ms" },
		{ 0.00199, "2ms" },
		{ 0.0312, "31ms" },
		{ 0.0994, "99ms" },
		{ 0.0999, "0.1s" },
		{ 0.1, "0.1s" },
		{ 125, "2m05s" },
	};
	char text[MESSAGE_PART];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_STR(message_time(rows[i].seconds, text), rows[i].text);
}

static const char *const command[] = { "folder/a\033b", "secret", NULL };

/* A run of five attempts that waits after the second of them. */
static struct record
waiting(enum record_kind kind)
{
	return (struct record){
		.kind = kind,
		.elapsed = 10.5,
		.policy = &five,
		.attempt.number = 2,
		.used = 2,
		.failures = 2,
		.last.outcome = { OUTCOME_EXIT, 7 },
		.last.judgement = { VERDICT_RETRY, RULE_DEFAULT, false },
		.last.duration = 0.5,
		.last.hint = -1,
		.wait.delay = { 4, 3, 5, 4.5 },
		.wait.lasts = true,
		.attempt.timeout = INFINITY,
	};
}

static const struct report_style plain = { .command = command,
	.name = "a\033b" };
static const struct policy drawing = { .splay = 1 };
static const struct report_style verbose = { .command = command,
	.name = "a\033b",
	.policy = &drawing,
	.verbose = true };

/* How a line about that run begins. */
#define NAMED "a\\^[b: "

TEST(a_line_has_what_is_asked_for)
{
	struct record record = waiting(RECORD_OUTCOME);
	struct message message = message_of(&plain, &record);

	CHECK_STR(message.text,
	    NAMED "attempt 2/5 exited 7 after 0.5s; next in 4.5s");
	CHECK_INT(message.priority, PRIORITY_WARNING);
	message = message_of(&verbose, &record);
	CHECK_STR(message.text,
	    NAMED "attempt 2/5 exited 7 after 0.5s; next in 4.5s "
		  "(nominal 4s, range 3s to 5s)");
	record.last.hint = 4.25;
	message = message_of(&verbose, &record);
	CHECK_STR(message.text,
	    NAMED "attempt 2/5 exited 7 after 0.5s; next in 4.5s "
		  "(nominal 4s, range 3s to 5s, asked for 4.25s)");
}

TEST(a_delay_that_an_earlier_run_left_is_told)
{
	struct record record = waiting(RECORD_WAIT);
	struct message message;

	record.attempt.number = 0;
	message = message_of(&plain, &record);
	CHECK_STR(message.text, "");
	record.wait.kept = true;
	message = message_of(&plain, &record);
	CHECK_STR(message.text,
	    NAMED "waiting 4.5s: the rest of an earlier run's delay");
	record.wait.delay.seconds = 0.9;
	message = message_of(&plain, &record);
	CHECK_STR(message.text, "");
}

TEST(a_status_names_the_run)
{
	struct record record = waiting(RECORD_WAIT);
	struct message message = message_status(&plain, &record);

	CHECK_STR(message.text,
	    NAMED "attempt 2/5 exited 7 after 0.5s; next in 4.5s");
	record.kind = RECORD_ATTEMPT;
	record.seen.time = 60;
	record.wait.before = 4;
	message = message_status(&plain, &record);
	CHECK_STR(message.text,
	    NAMED "attempt 2/5 runs; attempt 1 exited 7, "
		  "at 1970-01-01 00:00:56");
	record.last.judgement.verdict = VERDICT_NONE;
	message = message_status(&plain, &record);
	CHECK_STR(message.text, NAMED "attempt 2/5 runs");
	record.last.judgement.verdict = VERDICT_RETRY;
	record.kind = RECORD_END;
	record.end.reason = REASON_ATTEMPTS;
	message = message_status(&plain, &record);
	CHECK_STR(message.text,
	    NAMED "giving up after 2 attempts in 10.5s: exited 7");
	record.kind = RECORD_SIGNAL;
	message = message_status(&plain, &record);
	CHECK_STR(message.text, "");
	record.kind = RECORD_WAIT;
	record.attempt.number = 0;
	message = message_status(&plain, &record);
	CHECK_STR(message.text, NAMED "next in 4.5s");
}

TEST(a_rule_is_named_where_the_outcome_does_not_tell)
{
	static const struct {
		struct judgement judgement;
		const char *text;
	} rows[] = {
		{ { VERDICT_RETRY, RULE_CHECK, false },
		    ", and --check says retry" },
		{ { VERDICT_RETRY, RULE_FAIL_MATCH, false },
		    ", matches --fail-match" },
		{ { VERDICT_RETRY, RULE_SUCCESS_MATCH, false },
		    ", but nothing matches --success-match" },
		{ { VERDICT_RETRY, RULE_THROTTLE_ON, true },
		    ", in --throttle-on" },
		{ { VERDICT_RETRY, RULE_THROTTLE_MATCH, true },
		    ", matches --throttle-match" },
		{ { VERDICT_RETRY, RULE_DEFAULT, false }, "" },
		{ { VERDICT_RETRY, RULE_RETRY_ON, false }, "" },
		{ { VERDICT_STOP, RULE_CHECK, false }, "" },
	};
	char want[MESSAGE_PART];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct record record = waiting(RECORD_OUTCOME);

		record.wait.lasts = false;
		record.last.judgement = rows[i].judgement;
		snprintf(want, sizeof(want),
		    NAMED "attempt 2/5 exited 7 after 0.5s%s", rows[i].text);
		CHECK_STR(message_of(&plain, &record).text, want);
	}
}

TEST(a_check_that_timed_out_is_told)
{
	struct record record = waiting(RECORD_OUTCOME);

	record.last.judgement.rule = RULE_CHECK;
	record.last.check_timed_out = true;
	CHECK_STR(message_of(&plain, &record).text,
	    NAMED "attempt 2/5 exited 7 after 0.5s, and --check timed out; "
		  "next in 4.5s");
}

/* A run of five attempts that ended in this way, after three of them. */
static const char *
end_of(struct record end, char text[sizeof(((struct message *)NULL)->text)])
{
	struct record record = waiting(RECORD_END);

	record.elapsed = 31;
	record.attempt.number = record.used = 3;
	record.end = end.end;
	record.end.too_long = 5400;
	return strcpy(text, message_part(&record, "last").text);
}

/* Each in words that are understood without knowing the rules. */
TEST(the_rule_that_stops_is_told)
{
	static const struct {
		struct judgement judgement;
		int status;
		const char *text;
	} rows[] = {
		{ { VERDICT_STOP, RULE_STOP_ON, false }, 7, ", in --stop-on" },
		{ { VERDICT_STOP, RULE_STOP_ON, .by_default = true }, 7,
		    ", in --stop-on (default)" },
		{ { VERDICT_STOP, RULE_STOP_MATCH, false }, 7,
		    ", matches --stop-match" },
		{ { VERDICT_STOP, RULE_UNREAD, false }, 141,
		    ", and nobody reads its output" },
		{ { VERDICT_STOP, RULE_RETRY_ON, false }, 8,
		    ", not in --retry-on" },
		{ { VERDICT_STOP, RULE_RETRY_MATCH, false }, 8,
		    ", and nothing matches --retry-match" },
		{ { VERDICT_STOP, RULE_CHECK, false }, 8,
		    ", and --check says stop" },
		{ { VERDICT_STOP, RULE_CHECK, false }, 0,
		    ", but --check says stop" },
	};
	char want[MESSAGE_PART];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct record record = waiting(RECORD_END);

		record.end.reason = REASON_STOP;
		record.last.judgement = rows[i].judgement;
		record.last.outcome.code = rows[i].status;
		snprintf(want, sizeof(want),
		    "giving up after 2 attempts in 10.5s: exited %d%s",
		    rows[i].status, rows[i].text);
		CHECK_STR(message_part(&record, "last").text, want);
	}
}

/* The line for the end is red, and names the class. */
TEST(a_line_before_the_end_leaves_that_to_the_last_one)
{
	struct record record = waiting(RECORD_OUTCOME);

	record.policy = &preset;
	record.last.outcome.class = CLASS_UNKNOWN;
	CHECK_STR(message_of(&plain, &record).text,
	    NAMED "attempt 2/5 exited 7 after 0.5s; next in 4.5s");
	record.wait.lasts = false;
	record.last.judgement.verdict = VERDICT_STOP;
	CHECK_STR(message_of(&verbose, &record).text,
	    NAMED "attempt 2/5 exited 7 after 0.5s");
	CHECK_INT(message_of(&plain, &record).verdict, VERDICT_RETRY);
	record.kind = RECORD_END;
	record.end.reason = REASON_ATTEMPTS;
	CHECK_STR(message_part(&record, "last").text,
	    "giving up after 2 attempts in 10.5s: exited 7, not a failure that "
	    "--preset knows");
	CHECK_INT(message_part(&record, "last").verdict, VERDICT_STOP);
}

TEST(runs_that_gave_up_are_counted_from_the_second_on)
{
	struct record record = waiting(RECORD_END);

	record.end.reason = REASON_ATTEMPTS;
	record.end.given_up = 1;
	CHECK_STR(message_part(&record, "last").text,
	    "giving up after 2 attempts in 10.5s: exited 7");
	record.end.given_up = 2;
	CHECK_STR(message_part(&record, "last").text,
	    "giving up after 2 attempts in 10.5s: exited 7; 2 failed runs in a "
	    "row");
}

static struct message
message_last(const struct record *record)
{
	return message_part(record, "last");
}

TEST(the_end_says_why)
{
	static const struct {
		struct record end;
		const char *text;
	} rows[] = {
		{ { .end.reason = REASON_SUCCESS },
		    "succeeded at attempt 3/5 in 31s" },
		{ { .end.reason = REASON_ATTEMPTS }, "" },
		{ { .end.reason = REASON_MAX_TIME },
		    ", and --max-time 1m leaves no time for attempt 4" },
		{ { .end.reason = REASON_MAX_TIME, .end.cut = CUT_CHECK },
		    ", and --max-time 1m ended --check" },
		{ { .end.reason = REASON_MAX_TIME, .end.cut = CUT_GATE },
		    ", and --max-time 1m ended --before-retry" },
		{ { .end.reason = REASON_BUDGET },
		    ", and --budget is used up" },
		{ { .end.reason = REASON_GATE },
		    ", and --before-retry failed" },
		{ { .end.reason = REASON_HINT },
		    ", and asked to wait 1h30m, over the 1h limit; "
		    "raise it with -m" },
		{ { .end.reason = REASON_EARLY },
		    "not started: another run is active" },
		{ { .end.reason = REASON_EARLY, .end.too_early = 2 },
		    "not started: the next attempt is due in 2s" },
		{ { .end.reason = REASON_ERROR }, ", and retry itself failed" },
		{ { .end.reason = REASON_PLAN },
		    "the plan ends after 3 attempts in 31s" },
		{ { .end.reason = REASON_SIGNAL,
		      .end.ended_by = SIGINT,
		      .end.in_a_wait = true },
		    "ended by SIGINT after 3 attempts in 31s" },
		{ { .end.reason = REASON_SIGNAL, .end.ended_by = SIGTERM },
		    "ended by SIGTERM after 3 attempts in 31s: exited 7" },
	};
	char text[sizeof(((struct message *)NULL)->text)];
	char want[sizeof(text)];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *why = rows[i].text;
		const bool whole = *why != ',' && *why != '\0';

		snprintf(want, sizeof(want), "%s%s",
		    whole ? "" : "giving up after 3 attempts in 31s: exited 7",
		    why);
		CHECK_STR(end_of(rows[i].end, text), want);
	}
	CHECK_STR(message_last(&(struct record){ .end.reason = REASON_MAX_TIME,
				   .policy = &five,
				   .wait.kept = true,
				   .elapsed = 60 })
		      .text,
	    "giving up after 0 attempts in 1m: --max-time 1m leaves no time "
	    "for an attempt");
	CHECK_STR(message_last(&(struct record){ .end.reason = REASON_MAX_TIME,
				   .policy = &five,
				   .wait.kept = true,
				   .wait.delay = { .seconds = 90 } })
		      .text,
	    "giving up after 0 attempts in 0s: --max-time 1m leaves no time "
	    "for an attempt after an earlier run's delay of 1m30s");
}

/* An ordinary stop of a service is no error. */
TEST(an_end_by_a_signal_is_a_notice)
{
	static const struct {
		enum reason reason;
		enum priority priority;
	} rows[] = {
		{ REASON_SIGNAL, PRIORITY_NOTICE },
		{ REASON_SUCCESS, PRIORITY_INFO },
		{ REASON_ATTEMPTS, PRIORITY_ERROR },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct record record = waiting(RECORD_END);

		record.end.reason = rows[i].reason;
		CHECK_INT(message_part(&record, "last").priority,
		    rows[i].priority);
	}
}

TEST(attempts_are_counted_where_they_count)
{
	struct record record = { .policy = &five,
		.attempt.number = 2,
		.used = 2 };
	char text[MESSAGE_PART];

	CHECK_STR(message_attempt(&record, 0, text), "attempt 2/5");
	CHECK_STR(message_attempt(&record, 1, text), "attempt 3/5");
	record.attempt.number = 7;
	CHECK_STR(message_attempt(&record, 0, text), "attempt 7 (2/5 used)");
	record.policy = &unlimited;
	CHECK_STR(message_attempt(&record, 0, text), "attempt 7");
}

/* What the tests above do not ask for; other tests see it at work. */
TEST(each_other_sentence_is_told)
{
	static const char *const blank[] = { "a b", NULL };
	static const struct report_style calm = { .command = blank,
		.state = (char *)"file" };
	static const struct report_style loud = { .command = blank,
		.policy = &drawing,
		.ci = true,
		.seed = 9,
		.verbose = true };
	static const struct report_style drawn = { .policy = &drawing,
		.seed = 9,
		.verbose = true };
	static const struct outcome failed = { OUTCOME_EXIT, 1 };
	static const struct outcome missing = { OUTCOME_UNSTARTABLE, EACCES };
	static const struct outcome sick = { OUTCOME_UNHEALTHY, 0 };
	const struct {
		struct message (*ask)(const struct report_style *style,
		    const struct record *record);
		const struct report_style *style;
		const char *text;
		struct record record;
	} rows[] = {
		{ message_of, &loud,
		    "CI is set, but nothing limits this run: give -a N or -T "
		    "DUR; --seed=9 repeats the delays",
		    { .kind = RECORD_START } },
		{ message_of, &drawn, "--seed=9 repeats the delays",
		    { .kind = RECORD_START } },
		{ message_of, &loud, "attempt 0 starts as process 0: a b",
		    { .kind = RECORD_ATTEMPT, .attempt.timeout = INFINITY } },
		{ message_of, &loud, "received SIGHUP",
		    { .kind = RECORD_SIGNAL, .signal = SIGHUP } },
		{ message_of, &loud,
		    "next at once (nominal 0s, range 0s to 0s, asked for 0s)",
		    { .kind = RECORD_WAIT } },
		{ message_of, &calm,
		    "waiting for another run, which holds file.lock",
		    { .kind = RECORD_LOCK } },
		{ message_status, &calm,
		    "waiting for another run, which holds file.lock",
		    { .kind = RECORD_LOCK } },

		{ message_of, &calm, "",
		    { .kind = RECORD_OUTCOME,
			.last.judgement.rule = RULE_ERROR } },
		{ message_of, &calm, "attempt 0 did not run after 0s",
		    { .kind = RECORD_OUTCOME,
			.last.judgement.rule = RULE_SIGNAL } },
		{ message_of, &calm, "cannot execute 'a b': Permission denied",
		    { .kind = RECORD_OUTCOME, .last.outcome = missing } },
		{ message_of, &plain,
		    "cannot execute folder/a\\^[b: Permission denied",
		    { .kind = RECORD_OUTCOME, .last.outcome = missing } },
		{ message_of, &drawn, "cannot execute it: Permission denied",
		    { .kind = RECORD_OUTCOME, .last.outcome = missing } },
		{ message_of, &calm,
		    "attempt 0 was unhealthy after 0s: health check exited 1 "
		    "three times, and was never healthy (for a slow start, "
		    "raise --health-start-period); left 1 process: a",
		    { .kind = RECORD_OUTCOME,
			.last.outcome = sick,
			.last.judgement.verdict = VERDICT_RETRY,
			.seen = { .left = 1, .left_names = "a" },
			.attempt.probes = { .failures = 3, .last = failed } } },
		{ message_of, &calm,
		    "attempt 0 did not run after 0s; left 2 processes: a, b; "
		    "next at once",
		    { .kind = RECORD_OUTCOME,
			.last.judgement.verdict = VERDICT_RETRY,
			.wait.lasts = true,
			.seen = { .left = 2, .left_names = "a, b" } } },

		{ message_of, &calm, "attempt 0 is healthy after 0s",
		    { .kind = RECORD_HEALTH,
			.attempt = { .health = HEALTH_HEALTHY } } },
		{ message_of, &calm, "",
		    { .kind = RECORD_HEALTH,
			.attempt = { .health = HEALTH_HEALTHY,
			    .healthy_told = true } } },
		{ message_of, &loud,
		    "attempt 0 is failing after 0s: health check exited 1 "
		    "once",
		    { .kind = RECORD_HEALTH,
			.attempt = { .health = HEALTH_FAILING,
			    .probes = { .failures = 1, .last = failed } } } },
		{ message_status, &calm,
		    "attempt 0 is failing after 0s: health check failed "
		    "twice; the last exited 1",
		    { .kind = RECORD_HEALTH,
			.attempt = { .health = HEALTH_FAILING,
			    .probes = { .failures = 2,
				.differ = true,
				.last = failed } } } },
		{ message_status, &calm,
		    "attempt 0 is unhealthy after 0s: no WATCHDOG=1 in time, "
		    "or WATCHDOG=trigger",
		    { .kind = RECORD_HEALTH,
			.attempt = { .health = HEALTH_UNHEALTHY,
			    .probes.last = sick } } },

		{ message_of, &calm, "",
		    { .kind = RECORD_END, .end.reason = REASON_SUCCESS } },
		{ message_of, &calm, "",
		    { .kind = RECORD_END, .end.reason = REASON_ERROR } },
		{ message_of, &calm, "",
		    { .kind = RECORD_END,
			.last.outcome = missing,
			.end.reason = REASON_STOP } },
		{ message_of, &calm,
		    "giving up after 0 attempts in 0s: did not run; use it",
		    { .kind = RECORD_END,
			.seen.advice = "use it",
			.end.reason = REASON_STOP } },
		{ message_of, &calm,
		    "giving up after 1 attempt in 0s: did not run; failed "
		    "run 0 of 0; exiting 0 (--tolerate)",
		    { .kind = RECORD_END,
			.attempt.number = 1,
			.end = { REASON_ATTEMPTS, .tolerated = true } } },
		{ message_of, &calm,
		    "giving up after 0 attempts in 0s: standard input had "
		    "not ended after --max-time 0s",
		    { .kind = RECORD_END,
			.end = { REASON_MAX_TIME, .cut = CUT_INPUT } } },
		{ message_of, &calm,
		    "giving up after 2 attempts in 0s: did not run, and "
		    "--max-time 0s leaves no time to judge it",
		    { .kind = RECORD_END,
			.attempt.number = 2,
			.end = { REASON_MAX_TIME, .cut = CUT_ATTEMPT } } },
		{ message_of, &calm,
		    "giving up after 2 attempts in 0s: did not run, and "
		    "nobody took the rest of its output by --max-time 0s",
		    { .kind = RECORD_END,
			.attempt.number = 2,
			.last.extent = EXTENT_UNTAKEN,
			.end = { REASON_MAX_TIME, .cut = CUT_ATTEMPT } } },
		{ message_of, &calm,
		    "ended by SIGTERM after 1 attempt in 0s: did not run, "
		    "and nobody took the rest of its output",
		    { .kind = RECORD_END,
			.attempt.number = 1,
			.last.extent = EXTENT_UNTAKEN,
			.end = { REASON_SIGNAL, .ended_by = SIGTERM } } },
		{ message_of, &calm,
		    "ended by SIGTERM after 1 attempt in 0s, and nobody took "
		    "the rest of its output",
		    { .kind = RECORD_END,
			.attempt.number = 1,
			.last.extent = EXTENT_UNTAKEN,
			.end = { REASON_SIGNAL, .ended_by = SIGTERM,
			    .in_a_wait = true } } },
		{ message_of, &calm,
		    "giving up after 1 attempt in 0s: did not run, and nobody "
		    "took the rest of its output",
		    { .kind = RECORD_END,
			.attempt.number = 1,
			.last.extent = EXTENT_UNTAKEN,
			.end = { REASON_ATTEMPTS } } },
		{ message_of, &calm,
		    "ended by SIGTERM after 1 attempt in 0s: did not run, "
		    "and the rest of its output was not searched",
		    { .kind = RECORD_END,
			.attempt.number = 1,
			.last.extent = EXTENT_UNSEARCHED,
			.end = { REASON_SIGNAL, .ended_by = SIGTERM } } },
		{ message_of, &calm,
		    "giving up after 0 attempts in 0s: did not run, and "
		    "asked to wait 1m30s, longer than --max-time allows",
		    { .kind = RECORD_END,
			.policy = &five,
			.end = { REASON_HINT, .too_long = 90 } } },
		{ message_of, &loud,
		    "giving up after 0 attempts in 0s: did not run, and "
		    "nobody reads the output",
		    { .kind = RECORD_END,
			.end = { REASON_ERROR, .death = SIGPIPE } } },
	};
	static const char *const times[] = { "once", "twice", "three times",
		"four times", "five times", "6 times" };
	struct record probed = { .kind = RECORD_HEALTH,
		.attempt.probes.last = failed };
	const struct record parts[] = {
		{ .last.outcome = { OUTCOME_EXIT, 3 },
		    .last.judgement = { VERDICT_SUCCESS, RULE_SUCCESS_ON } },
		{ .last.outcome = { OUTCOME_EXIT, 0 },
		    .last.judgement = { VERDICT_RETRY, RULE_DEFAULT } },
		{ .policy = &unlimited,
		    .last.known.preset = "npm",
		    .last.outcome.class = CLASS_TRANSIENT,
		    .last.judgement = { VERDICT_RETRY, RULE_RETRY_MATCH } },
		{ .policy = &preset,
		    .last.outcome.class = CLASS_TRANSIENT,
		    .end.reason = REASON_ATTEMPTS },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct record record = rows[i].record;

		ROW("%zu", i);
		if (record.policy == NULL)
			record.policy = &unlimited;
		CHECK_STR(rows[i].ask(rows[i].style, &record).text,
		    rows[i].text);
	}
	for (size_t i = 0; i < COUNT(times); i++) {
		probed.attempt.probes.failures = i + 1;
		CHECK_STR(message_part(&probed, "times").text, times[i]);
	}
	CHECK_STR(message_part(&parts[0], "short").text,
	    "exited 3, in --success-on");
	CHECK_STR(message_part(&parts[1], "short").text,
	    "exited 0, not in --success-on");
	CHECK_STR(message_part(&parts[2], "long").text,
	    "attempt 0 did not run after 0s, matches --retry-match, "
	    "transient failure (--preset=npm)");
	CHECK_STR(message_part(&parts[3], "known").text, "transient failure");
	CHECK_STR(message_more(&calm, 7).text, "(7 more identical failures)");
}

/* A part that named itself would have no end. */
TEST(no_part_names_itself)
{
	for (const struct message_row *row = message_rows; row->name != NULL;
	     row++) {
		const char *name = strstr(row->text, row->name);

		ROW("%s", row->text);
		CHECK(name == NULL || name == row->text || name[-1] != '%' ||
		    name[strlen(row->name)] == '-');
	}
}

/* A name that is no fact shows itself with its %. */
TEST(each_name_in_a_sentence_is_a_fact)
{
	for (int kind = RECORD_START; kind <= RECORD_END; kind++)
		for (int i = REASON_SUCCESS; i < REASONS; i++) {
			struct record record = waiting((enum record_kind)kind);

			record.end.reason = (enum reason)i;
			record.last.outcome.kind =
			    i % 2 == 0 ? OUTCOME_EXIT : OUTCOME_UNHEALTHY;
			record.end.ended_by = record.signal = SIGTERM;
			record.end.too_long = record.end.too_early = 3;
			record.last.why = WHY_IDLE;
			record.seen.left = record.end.given_up = 2;
			record.seen.left_names = record.seen.last_line = "x";
			record.end.tolerated = i % 3 == 0;
			record.attempt.probes.failures = i;
			record.attempt.probes.last.kind = OUTCOME_TIMEOUT;
			CHECK(strchr(message_of(&verbose, &record).text, '%') ==
			    NULL);
			CHECK(strchr(message_status(&verbose, &record).text,
				  '%') == NULL);
		}
}

/* In a child, this row of the messages has another text; runs the tests. */
static int
run_without(const struct message_row *known)
{
	struct message_row *row = (struct message_row *)(uintptr_t)known;
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t begin = (uintptr_t)row & ~(page - 1);
	int status;

	fflush(stdout);
	const pid_t child = fork();
	if (child > 0)
		return waitpid(child, &status, 0) == child ? status : -1;
	if (child == -1 || freopen("/dev/null", "w", stdout) == NULL ||
	    mprotect((void *)begin, (uintptr_t)(row + 1) - begin,
		PROT_READ | PROT_WRITE) == -1)
		_exit(127);
	row->text = "wrong";
	tap.failed = false;
	for (int i = 0; i < tap.count - 1; i++)
		tap.tests[i].function();
	_exit(tap.failed ? 1 : 0);
}

TEST(each_row_is_looked_for_by_a_test_above)
{
	CHECK_INT(run_without(&(struct message_row){ .name = NULL }), 0);
	for (const struct message_row *row = message_rows; row->name != NULL;
	     row++) {
		ROW("%s: %s", row->name, row->when);
		CHECK_INT(run_without(row), 1 << 8);
	}
}

int
main(void)
{
	setenv("TZ", "UTC", 1);
	return RUN_ALL();
}
