#include <signal.h>

#include "cli/phrase.h"
#include "core/duration.h"
#include "tap.h"

static void
seconds_are_cut_off_for_people(void)
{
	static const struct {
		double seconds;
		const char *text;
	} rows[] = {
		{ 0, "0s" },
		{ -1, "0s" },
		{ 51.2e-6, "51.2us" },
		{ 51.29e-6, "51.2us" },
		{ 0.0123999, "12.3ms" },
		{ 0.099999, "99.9ms" },
		{ 0.1, "0.1s" },
		{ 0.3, "0.3s" },
		{ 0.302, "0.3s" },
		{ 0.25, "0.25s" },
		{ 0.999, "0.99s" },
		{ 1, "1s" },
		{ 1.5, "1.5s" },
		{ 4.1, "4.1s" },
		{ 4.129, "4.12s" },
		{ 9.999, "9.99s" },
		{ 31.19, "31.1s" },
		{ 99.99, "99.9s" },
		{ 100, "1m40s" },
		{ 125.9, "2m05s" },
		{ 3599.9, "59m59s" },
		{ 3600, "1h00m" },
		{ 12059, "3h20m" },
		{ 86399, "23h59m" },
		{ 86400, "1d00h" },
		{ DURATION_MAX, "10000d00h" },
	};
	char text[PHRASE];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%.17g", rows[i].seconds);
		CHECK_STR(phrase_seconds(rows[i].seconds, text), rows[i].text);
	}
}

/* What is told must read back as no more than what is meant. */
static void
a_wait_is_never_shorter_than_told(void)
{
	char text[PHRASE];
	double told;

	for (double seconds = 1e-5; seconds < 1e8; seconds *= 1.00173) {
		ROW("%.17g", seconds);
		phrase_seconds(seconds, text);
		CHECK_STR(duration_parse(text, &told), NULL);
		CHECK(told <= seconds * (1 + 1e-9));
		CHECK(told >= seconds * 0.9);
	}
}

static void
outcomes_read_as_sentences_end(void)
{
	static const struct {
		struct outcome outcome;
		const char *text;
	} rows[] = {
		{ { OUTCOME_NONE, 0 }, "did not run" },
		{ { OUTCOME_EXIT, 7 }, "exited 7" },
		{ { OUTCOME_SIGNAL, SIGKILL }, "died of SIGKILL" },
		{ { OUTCOME_TIMEOUT, 0 }, "timed out" },
		{ { OUTCOME_UNSTARTABLE, ENOENT },
		    "could not be started: No such file or directory" },
		{ { OUTCOME_UNFORKED, EAGAIN },
		    "could not be forked: Resource temporarily unavailable" },
	};
	char text[PHRASE];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_STR(phrase_outcome(rows[i].outcome, text), rows[i].text);
}

static void
a_rule_is_named_where_the_outcome_does_not_tell(void)
{
	static const struct {
		struct judgement judgement;
		const char *text;
	} rows[] = {
		{ { VERDICT_RETRY, RULE_CHECK, false }, " (check)" },
		{ { VERDICT_RETRY, RULE_CONTROL, false }, " (control)" },
		{ { VERDICT_RETRY, RULE_FAIL_MATCH, false }, " (fail-match)" },
		{ { VERDICT_RETRY, RULE_SUCCESS_MATCH, false },
		    " (success-match)" },
		{ { VERDICT_RETRY, RULE_DEFAULT, false }, "" },
		{ { VERDICT_RETRY, RULE_RETRY_ON, false }, "" },
		{ { VERDICT_STOP, RULE_CHECK, false }, "" },
		{ { VERDICT_SUCCESS, RULE_CHECK, false }, "" },
	};
	char text[PHRASE];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_STR(phrase_rule(rows[i].judgement, text), rows[i].text);
}

/* A run of five attempts that ended in this way, after three of them. */
static const char *
end_of(enum reason reason, struct engine engine, char text[PHRASE_END])
{
	const struct policy policy = { .attempts = 5, .max_time = 60 };

	engine.policy = &policy;
	engine.reason = reason;
	engine.attempt = engine.used = 3;
	engine.evidence.outcome = (struct outcome){ OUTCOME_EXIT, 7 };
	engine.judgement.rule = RULE_STOP_ON;
	engine.hint = 90;
	return phrase_end(&engine, 31, text);
}

static void
the_end_says_why(void)
{
	static const struct {
		enum reason reason;
		const char *text;
	} rows[] = {
		{ REASON_SUCCESS, "succeeded at attempt 3 of 5 in 31s" },
		{ REASON_ATTEMPTS, "" },
		{ REASON_MAX_TIME, " (--max-time 60s leaves no more time)" },
		{ REASON_STOP, " (stop-on)" },
		{ REASON_BUDGET, " (the retry budget is used up)" },
		{ REASON_GATE, " (--before-retry failed)" },
		{ REASON_HINT, " (asked to wait 90s, which is too long)" },
		{ REASON_EARLY, "too early: another run is under way" },
		{ REASON_ERROR, " (an error of retry's own)" },
		{ REASON_PLAN, "the plan ends after 3 attempts in 31s" },
	};
	char text[PHRASE_END], want[PHRASE_END];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *why = rows[i].text;
		const bool whole = *why != ' ' && *why != '\0';

		snprintf(want, sizeof(want), "%s%s",
		    whole ? "" : "giving up after 3 attempts in 31s: exited 7",
		    why);
		CHECK_STR(end_of(rows[i].reason, (struct engine){ .n = 1 },
			      text),
		    want);
	}
	CHECK_STR(end_of(REASON_SIGNAL, (struct engine){ .death = SIGINT },
		      text),
	    "ended by SIGINT after 3 attempts in 31s");
	CHECK_STR(end_of(REASON_SIGNAL, (struct engine){ .signal = SIGTERM },
		      text),
	    "ended by SIGTERM after 3 attempts in 31s: exited 7");
}

static void
attempts_are_counted_where_they_count(void)
{
	struct policy policy = { .attempts = 5 };
	struct engine engine = { .policy = &policy, .attempt = 2, .used = 2 };
	char text[PHRASE];

	CHECK_STR(phrase_attempt(&engine, text), "attempt 2/5");
	engine.attempt = 7;
	CHECK_STR(phrase_attempt(&engine, text), "attempt 7 (2/5 used)");
	policy.attempts = 0;
	CHECK_STR(phrase_attempt(&engine, text), "attempt 7");
}

int
main(void)
{
	RUN(seconds_are_cut_off_for_people);
	RUN(a_wait_is_never_shorter_than_told);
	RUN(outcomes_read_as_sentences_end);
	RUN(a_rule_is_named_where_the_outcome_does_not_tell);
	RUN(the_end_says_why);
	RUN(attempts_are_counted_where_they_count);
	return DONE();
}
