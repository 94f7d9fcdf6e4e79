/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <signal.h>

#include "core/verdict.h"
#include "tap.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

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
#define LASTING MATCH_BIT(MATCH_LASTING)
#define PASSING MATCH_BIT(MATCH_PASSING)

static const struct row {
	/* The rules; --success-on is 0 where it is NULL. */
	const char *success, *stop, *throttle, *retry;
	unsigned int matches;
	bool check;
	/* The evidence. */
	struct outcome outcome;
	unsigned int matched;
	enum verdict answer;
	bool unread;
	/* What follows. */
	enum verdict verdict;
	enum rule rule;
	bool throttled;
} rows[] = {
	/* The defaults. */
	{ .stop = DEFAULT,
	    .outcome = EXIT(0),
	    .verdict = YES,
	    .rule = RULE_SUCCESS_ON },
	{ .stop = DEFAULT,
	    .outcome = EXIT(7),
	    .verdict = NO,
	    .rule = RULE_DEFAULT },
	{ .stop = DEFAULT,
	    .outcome = SIGNAL(SIGKILL),
	    .verdict = NO,
	    .rule = RULE_DEFAULT },
	{ .stop = DEFAULT,
	    .outcome = SIGNAL(SIGINT),
	    .verdict = STOP,
	    .rule = RULE_STOP_ON },
	{ .stop = DEFAULT,
	    .outcome = TIMEOUT,
	    .verdict = NO,
	    .rule = RULE_DEFAULT },
	{ .stop = DEFAULT,
	    .outcome = UNSTARTABLE,
	    .verdict = STOP,
	    .rule = RULE_STOP_ON },
	{ .stop = DEFAULT,
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

	/* A preset that knows a tool; in doubt there is a retry. */
	{ .matches = LASTING | PASSING,
	    .outcome = EXIT(1),
	    .matched = LASTING,
	    .verdict = STOP,
	    .rule = RULE_PRESET },
	{ .matches = LASTING | PASSING,
	    .outcome = EXIT(1),
	    .matched = LASTING | PASSING,
	    .verdict = NO,
	    .rule = RULE_DEFAULT },
	{ .matches = LASTING | PASSING,
	    .outcome = EXIT(1),
	    .verdict = NO,
	    .rule = RULE_DEFAULT },
	{ .matches = LASTING | PASSING,
	    .outcome = EXIT(0),
	    .matched = LASTING,
	    .verdict = YES,
	    .rule = RULE_SUCCESS_ON },
	{ .retry = "1",
	    .matches = LASTING | PASSING,
	    .outcome = EXIT(1),
	    .matched = LASTING,
	    .verdict = STOP,
	    .rule = RULE_PRESET },
	{ .throttle = "1",
	    .matches = LASTING | PASSING,
	    .outcome = EXIT(1),
	    .matched = LASTING,
	    .verdict = NO,
	    .rule = RULE_THROTTLE_ON,
	    .throttled = true },
	{ .matches = HALT | LASTING | PASSING,
	    .outcome = EXIT(1),
	    .matched = HALT | PASSING,
	    .verdict = STOP,
	    .rule = RULE_STOP_MATCH },
};

static void
fill(struct set *set, const char *list)
{
	if (list != NULL)
		CHECK(set_parse(set, list, NULL) == NULL);
}

static void
the_rules_are_asked_in_order(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		const struct evidence evidence = {
			.outcome = row->outcome,
			.check = row->answer,
			.unread = row->unread,
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
		const struct judgement got = verdict_judge(&rules, &evidence);
		CHECK_STR(verdict_name(got.verdict),
		    verdict_name(row->verdict));
		CHECK_STR(rule_name(got.rule), rule_name(row->rule));
		CHECK_INT(got.throttled, row->throttled);
	}
}

static void
verdicts_and_rules_have_names(void)
{
	CHECK_STR(verdict_name(VERDICT_NONE), "none");
	CHECK_STR(verdict_name(VERDICT_SUCCESS), "success");
	CHECK_STR(verdict_name(VERDICT_RETRY), "retry");
	CHECK_STR(verdict_name(VERDICT_STOP), "stop");
	CHECK_STR(rule_name(RULE_NONE), "none");
	for (int rule = RULE_NONE; rule <= RULE_ERROR; rule++)
		CHECK(rule_name((enum rule)rule) != NULL);
}

int
main(void)
{
	RUN(the_rules_are_asked_in_order);
	RUN(verdicts_and_rules_have_names);
	return DONE();
}
