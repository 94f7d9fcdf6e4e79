/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <signal.h>

#include "core/verdict.h"
#include "tap.h"

/* Short, so that a row stays one line. */
#define EXIT(status) \
	{ \
		OUTCOME_EXIT, status \
	}
#define SIGNAL(number) \
	{ \
		OUTCOME_SIGNAL, number \
	}
#define TIMEOUT \
	{ \
		OUTCOME_TIMEOUT, 0 \
	}
#define UNSTARTABLE \
	{ \
		OUTCOME_UNSTARTABLE, ENOENT \
	}
#define UNFORKED \
	{ \
		OUTCOME_UNFORKED, EAGAIN \
	}
#define DEFAULT "unstartable,INT,QUIT,130"
#define YES VERDICT_SUCCESS
#define NO VERDICT_RETRY
#define STOP VERDICT_STOP
#define UNASKED VERDICT_NONE
#define SUCCESS MATCH_BIT(MATCH_SUCCESS)
#define FAIL MATCH_BIT(MATCH_FAIL)
#define RETRY MATCH_BIT(MATCH_RETRY)
#define HALT MATCH_BIT(MATCH_STOP)
#define THROTTLE MATCH_BIT(MATCH_THROTTLE)

static const struct row {
	/* The rules; --success-on is 0 where it is NULL. */
	const char *success, *stop, *throttle, *retry, *hopeless;
	unsigned int matches;
	bool check;
	/* The attempt. */
	struct outcome outcome;
	unsigned int matched;
	enum verdict answer;
	bool unread;
	enum process_why why;
	/* What follows. */
	enum verdict verdict;
	enum rule rule;
	bool throttled;
	bool by_default;
} rows[] = {
	/* The defaults. */
	{ .hopeless = DEFAULT,
	    .outcome = EXIT(0),
	    .verdict = YES,
	    .rule = RULE_SUCCESS_ON },
	{ .hopeless = DEFAULT,
	    .outcome = EXIT(7),
	    .verdict = NO,
	    .rule = RULE_DEFAULT },
	{ .hopeless = DEFAULT,
	    .outcome = SIGNAL(SIGKILL),
	    .verdict = NO,
	    .rule = RULE_DEFAULT },
	{ .hopeless = DEFAULT,
	    .outcome = TIMEOUT,
	    .why = WHY_IDLE,
	    .verdict = NO,
	    .rule = RULE_IDLE_TIMEOUT },
	{ .hopeless = DEFAULT,
	    .outcome = SIGNAL(SIGINT),
	    .verdict = STOP,
	    .rule = RULE_STOP_ON,
	    .by_default = true },
	{ .hopeless = DEFAULT,
	    .outcome = TIMEOUT,
	    .verdict = NO,
	    .rule = RULE_DEFAULT },
	{ .hopeless = DEFAULT,
	    .outcome = UNSTARTABLE,
	    .verdict = STOP,
	    .rule = RULE_STOP_ON,
	    .by_default = true },
	{ .hopeless = DEFAULT,
	    .outcome = UNFORKED,
	    .verdict = NO,
	    .rule = RULE_DEFAULT },

	/* Nobody reads the output of a writer any more. */
	{ .unread = true,
	    .outcome = SIGNAL(SIGPIPE),
	    .verdict = STOP,
	    .rule = RULE_UNREAD },
	{ .unread = true,
	    .throttle = "PIPE",
	    .matches = RETRY,
	    .outcome = SIGNAL(SIGPIPE),
	    .matched = RETRY,
	    .verdict = STOP,
	    .rule = RULE_UNREAD },
	{ .unread = true,
	    .success = "PIPE",
	    .outcome = SIGNAL(SIGPIPE),
	    .verdict = YES,
	    .rule = RULE_SUCCESS_ON },
	{ .unread = true,
	    .retry = "141",
	    .outcome = EXIT(141),
	    .verdict = NO,
	    .rule = RULE_RETRY_ON },

	/* --check comes before the sets, for what could be started. */
	{ .stop = "any",
	    .check = true,
	    .outcome = EXIT(7),
	    .answer = YES,
	    .verdict = YES,
	    .rule = RULE_CHECK },
	{ .success = "any",
	    .check = true,
	    .outcome = EXIT(0),
	    .answer = NO,
	    .verdict = NO,
	    .rule = RULE_CHECK },
	{ .success = "any",
	    .matches = SUCCESS,
	    .check = true,
	    .outcome = TIMEOUT,
	    .matched = SUCCESS,
	    .answer = STOP,
	    .verdict = STOP,
	    .rule = RULE_CHECK },
	{ .check = true,
	    .outcome = SIGNAL(SIGSEGV),
	    .verdict = UNASKED,
	    .rule = RULE_CHECK },
	{ .stop = "unstartable",
	    .check = true,
	    .outcome = UNSTARTABLE,
	    .verdict = STOP,
	    .rule = RULE_STOP_ON },
	{ .check = true,
	    .outcome = UNFORKED,
	    .verdict = NO,
	    .rule = RULE_DEFAULT },

	/* Success needs its set, no --fail-match and any --success-match. */
	{ .success = "0,7",
	    .stop = "7",
	    .outcome = EXIT(7),
	    .verdict = YES,
	    .rule = RULE_SUCCESS_ON },
	{ .matches = SUCCESS,
	    .outcome = EXIT(0),
	    .matched = SUCCESS,
	    .verdict = YES,
	    .rule = RULE_SUCCESS_ON },
	{ .matches = SUCCESS,
	    .outcome = EXIT(0),
	    .verdict = NO,
	    .rule = RULE_SUCCESS_MATCH },
	{ .matches = SUCCESS,
	    .outcome = EXIT(7),
	    .matched = SUCCESS,
	    .verdict = NO,
	    .rule = RULE_DEFAULT },
	{ .matches = FAIL,
	    .outcome = EXIT(0),
	    .matched = FAIL,
	    .verdict = NO,
	    .rule = RULE_FAIL_MATCH },
	{ .matches = FAIL,
	    .outcome = EXIT(0),
	    .verdict = YES,
	    .rule = RULE_SUCCESS_ON },
	{ .matches = SUCCESS | FAIL,
	    .outcome = EXIT(0),
	    .matched = SUCCESS | FAIL,
	    .verdict = NO,
	    .rule = RULE_FAIL_MATCH },
	{ .outcome = TIMEOUT, .verdict = NO, .rule = RULE_DEFAULT },
	{ .success = "timeout",
	    .stop = "timeout",
	    .outcome = TIMEOUT,
	    .verdict = YES,
	    .rule = RULE_SUCCESS_ON },

	/* Stop is before throttle, throttle before retry. */
	{ .stop = "7",
	    .throttle = "7",
	    .retry = "7",
	    .outcome = EXIT(7),
	    .verdict = STOP,
	    .rule = RULE_STOP_ON },
	{ .throttle = "7",
	    .matches = HALT,
	    .outcome = EXIT(7),
	    .matched = HALT,
	    .verdict = STOP,
	    .rule = RULE_STOP_MATCH },
	{ .matches = FAIL | HALT,
	    .outcome = EXIT(0),
	    .matched = FAIL | HALT,
	    .verdict = STOP,
	    .rule = RULE_STOP_MATCH },
	{ .throttle = "7",
	    .retry = "7",
	    .outcome = EXIT(7),
	    .verdict = NO,
	    .rule = RULE_THROTTLE_ON,
	    .throttled = true },
	{ .throttle = "9",
	    .retry = "7",
	    .matches = THROTTLE,
	    .outcome = EXIT(7),
	    .matched = THROTTLE,
	    .verdict = NO,
	    .rule = RULE_THROTTLE_MATCH,
	    .throttled = true },

	/* A throttled failure is retried though --retry-on has it not. */
	{ .throttle = "9",
	    .retry = "7",
	    .outcome = EXIT(9),
	    .verdict = NO,
	    .rule = RULE_THROTTLE_ON,
	    .throttled = true },
	{ .retry = "7",
	    .matches = THROTTLE | RETRY,
	    .outcome = EXIT(9),
	    .matched = THROTTLE,
	    .verdict = NO,
	    .rule = RULE_THROTTLE_MATCH,
	    .throttled = true },

	/* With --retry-on or --retry-match nothing else is retried. */
	{ .retry = "7",
	    .outcome = EXIT(7),
	    .verdict = NO,
	    .rule = RULE_RETRY_ON },
	{ .retry = "7",
	    .outcome = EXIT(8),
	    .verdict = STOP,
	    .rule = RULE_RETRY_ON },
	{ .retry = "7",
	    .matches = RETRY,
	    .outcome = EXIT(8),
	    .matched = RETRY,
	    .verdict = NO,
	    .rule = RULE_RETRY_MATCH },
	{ .retry = "7",
	    .matches = RETRY,
	    .outcome = EXIT(8),
	    .verdict = STOP,
	    .rule = RULE_RETRY_ON },
	{ .matches = RETRY,
	    .outcome = EXIT(8),
	    .matched = RETRY,
	    .verdict = NO,
	    .rule = RULE_RETRY_MATCH },
	{ .matches = RETRY,
	    .outcome = EXIT(8),
	    .verdict = STOP,
	    .rule = RULE_RETRY_MATCH },
	{ .retry = "7",
	    .matches = FAIL,
	    .outcome = EXIT(0),
	    .matched = FAIL,
	    .verdict = STOP,
	    .rule = RULE_RETRY_ON },

	/* What was not asked for cannot have matched. */
	{ .outcome = EXIT(0),
	    .matched = FAIL | HALT | THROTTLE | RETRY,
	    .verdict = YES,
	    .rule = RULE_SUCCESS_ON },

	/* The default is told from what --stop-on names, item by item. */
	{ .stop = "2",
	    .hopeless = DEFAULT ",2",
	    .outcome = EXIT(2),
	    .verdict = STOP,
	    .rule = RULE_STOP_ON },
	{ .stop = "2",
	    .hopeless = DEFAULT ",2",
	    .outcome = EXIT(130),
	    .verdict = STOP,
	    .rule = RULE_STOP_ON,
	    .by_default = true },
	{ .hopeless = "permanent," DEFAULT,
	    .outcome = { OUTCOME_UNSTARTABLE, ENOENT, CLASS_PERMANENT },
	    .verdict = STOP,
	    .rule = RULE_STOP_ON,
	    .by_default = true },

	/* A preset that knows a tool stops what no retry mends. */
	{ .hopeless = "permanent",
	    .outcome = { OUTCOME_EXIT, 1, CLASS_PERMANENT },
	    .verdict = STOP,
	    .rule = RULE_PRESET },
	{ .hopeless = "permanent",
	    .outcome = { OUTCOME_EXIT, 1, CLASS_UNKNOWN },
	    .verdict = NO,
	    .rule = RULE_DEFAULT },
	{ .hopeless = "permanent",
	    .outcome = { OUTCOME_EXIT, 0, CLASS_PERMANENT },
	    .verdict = YES,
	    .rule = RULE_SUCCESS_ON },
	{ .hopeless = "permanent",
	    .throttle = "1",
	    .outcome = { OUTCOME_EXIT, 1, CLASS_PERMANENT },
	    .verdict = NO,
	    .rule = RULE_THROTTLE_ON,
	    .throttled = true },
	{ .hopeless = "permanent",
	    .matches = HALT,
	    .outcome = { OUTCOME_EXIT, 1, CLASS_PERMANENT },
	    .matched = HALT,
	    .verdict = STOP,
	    .rule = RULE_STOP_MATCH },
	/* The strict mode. */
	{ .retry = "transient",
	    .outcome = { OUTCOME_EXIT, 1, CLASS_UNKNOWN },
	    .verdict = STOP,
	    .rule = RULE_RETRY_ON },
	{ .retry = "transient",
	    .outcome = { OUTCOME_EXIT, 1, CLASS_TRANSIENT },
	    .verdict = NO,
	    .rule = RULE_RETRY_ON },
};

static void
fill(struct set *set, const char *list)
{
	if (list != NULL)
		CHECK(set_parse(set, list, NULL) == NULL);
}

TEST(the_rules_are_asked_in_order)
{
	unsigned int seen = 0; /* a bit for each rule */

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct ended ended = {
			.outcome = row->outcome,
			.check = row->answer,
			.unread = row->unread,
			.why = row->why,
			.matched = row->matched,
		};
		struct rules rules = {
			.matches = row->matches,
			.check = row->check,
			.retry_listed = row->retry != NULL,
		};

		ROW("row %zu", i);
		fill(&rules.success, row->success == NULL ? "0" : row->success);
		fill(&rules.stop, row->stop);
		fill(&rules.throttle, row->throttle);
		fill(&rules.retry, row->retry);
		fill(&rules.hopeless, row->hopeless);
		const struct judgement got = verdict_judge(&rules, &ended);
		CHECK_STR(verdict_names[got.verdict],
		    verdict_names[row->verdict]);
		CHECK_STR(rule_names[got.rule], rule_names[row->rule]);
		CHECK_INT(got.throttled, row->throttled);
		CHECK_INT(got.by_default, row->by_default);
		seen |= 1u << got.rule;
	}
	/* The rules below it are for runs that end without a verdict. */
	for (int rule = RULE_NONE + 1; rule < RULE_SIGNAL; rule++) {
		ROW("%s", rule_names[rule]);
		CHECK((seen & 1u << rule) != 0);
	}
}

/* In the order of the rows in verdict_classify(). */
TEST(the_class_comes_from_the_first_that_tells_it)
{
	static const struct {
		struct outcome outcome;
		const char *first[2], *second[2]; /* transient, permanent */
		const char *throttle;
		unsigned int matched;
		struct class_known by_line;
		bool hinted;
		enum failure_class class;
		const char *preset;
	} cases[] = {
		{ .outcome = EXIT(1), .class = CLASS_UNKNOWN },
		{ .outcome = TIMEOUT, .class = CLASS_UNKNOWN },
		{ .outcome = EXIT(75), .class = CLASS_TRANSIENT },
		{ .outcome = SIGNAL(75 - 64), .class = CLASS_UNKNOWN },
		{ .outcome = UNSTARTABLE, .class = CLASS_PERMANENT },
		{ .outcome = EXIT(1),
		    .hinted = true,
		    .class = CLASS_TRANSIENT },
		/* A preset knows more than a hint, and than the status. */
		{ .outcome = EXIT(75),
		    .first = { NULL, "75" },
		    .hinted = true,
		    .class = CLASS_PERMANENT,
		    .preset = "first" },
		/* Of two that disagree the one wins that says transient. */
		{ .outcome = EXIT(6),
		    .first = { "6" },
		    .second = { NULL, "5,6" },
		    .class = CLASS_TRANSIENT,
		    .preset = "first" },
		{ .outcome = EXIT(6),
		    .first = { NULL, "5,6" },
		    .second = { "6" },
		    .class = CLASS_TRANSIENT,
		    .preset = "second" },
		/* What is throttled is transient, whatever else is known. */
		{ .outcome = EXIT(1),
		    .first = { NULL, "1" },
		    .by_line = { CLASS_PERMANENT, "first", true },
		    .matched = THROTTLE,
		    .class = CLASS_TRANSIENT },
		{ .outcome = EXIT(9),
		    .first = { NULL, "9" },
		    .throttle = "9",
		    .class = CLASS_TRANSIENT },
		{ .outcome = EXIT(6),
		    .second = { "6" },
		    .class = CLASS_TRANSIENT,
		    .preset = "second" },
		/* A line knows more than a status. */
		{ .outcome = EXIT(6),
		    .second = { NULL, "6" },
		    .by_line = { CLASS_TRANSIENT, "first", true },
		    .class = CLASS_TRANSIENT,
		    .preset = "first" },
		/* A plan says itself how its attempts fail. */
		{ .outcome = { OUTCOME_EXIT, 1, CLASS_UNKNOWN },
		    .first = { NULL, "1" },
		    .class = CLASS_UNKNOWN },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct preset_rules presets[2] = { { "first" }, { "second" } };
		struct rules rules = { .presets = presets,
			.preset_count = 2,
			.matches = THROTTLE };
		struct ended ended = {
			.outcome = cases[i].outcome,
			.matched = cases[i].matched,
			.hint = cases[i].hinted ? 0 : -1,
			.by_line = cases[i].by_line,
		};

		ROW("row %zu", i);
		fill(&rules.throttle, cases[i].throttle);
		fill(&presets[0].transient, cases[i].first[0]);
		fill(&presets[0].permanent, cases[i].first[1]);
		fill(&presets[1].transient, cases[i].second[0]);
		fill(&presets[1].permanent, cases[i].second[1]);
		verdict_classify(&rules, &ended);
		CHECK_INT(ended.outcome.class, cases[i].class);
		CHECK_STR(ended.known.preset, cases[i].preset);
		CHECK(ended.known.from_line ==
		    (ended.known.preset != NULL &&
			ended.known.preset == cases[i].by_line.preset));
	}
}

TEST(verdicts_and_rules_have_names)
{
	CHECK_STR(verdict_names[VERDICT_NONE], "none");
	CHECK_STR(verdict_names[VERDICT_SUCCESS], "success");
	CHECK_STR(verdict_names[VERDICT_RETRY], "retry");
	CHECK_STR(verdict_names[VERDICT_STOP], "stop");
	CHECK_STR(rule_names[RULE_NONE], "none");
	for (int rule = RULE_NONE; rule <= RULE_ERROR; rule++)
		CHECK(rule_names[(enum rule)rule] != NULL);
}

int
main(void)
{
	return RUN_ALL();
}
