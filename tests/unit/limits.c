/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <string.h>

#include "core/limits.h"
#include "tap.h"

static struct limits
limits_of(const char *text)
{
	struct limits limits;
	const char *where;

	CHECK(limits_parse(&limits, text, &where) == NULL);
	return limits;
}

TEST(limits_are_a_number_and_items)
{
	struct limits limits = limits_of("10");

	CHECK_INT(limits.attempts, 10);
	CHECK_INT(limits.count, 0);
	limits = limits_of("timeout:2,10,75-78:5,signal:3/1m30s");
	CHECK_INT(limits.attempts, 10);
	CHECK_INT(limits.count, 3);
	CHECK_INT(limits.rows[0].count, 2);
	CHECK(isinf(limits.rows[0].window));
	CHECK_INT(limits.rows[1].count, 5);
	CHECK_INT(limits.rows[2].count, 3);
	CHECK_DBL(limits.rows[2].window, 90, 0);
	CHECK_INT(limits.rows[1].length, 7);
	CHECK(strncmp(limits.rows[1].text, "75-78:5", 7) == 0);
	limits = limits_of("5/10m");
	CHECK_INT(limits.attempts, 0);
	CHECK_DBL(limits.rows[0].window, 600, 0);
	CHECK(!limits.rows[0].named);
}

TEST(anything_else_is_refused)
{
	static const struct {
		const char *text, *item, *problem;
	} rows[] = {
		{ "", "", "empty item" },
		{ "3,", "", "empty item" },
		{ "-1", "-1", "negative" },
		{ "1.5", "1.5", "not a whole number" },
		{ "x", "x", "not a whole number" },
		{ "99999999999999999999", "99999999999999999999", "too large" },
		{ "3,timeout:", "timeout:", "not a whole number" },
		{ "3,timeout:0", "timeout:0",
		    "the number must be more than 0" },
		{ "0/10m", "0/10m", "the number must be more than 0" },
		{ "5/", "5/", "empty" },
		{ "3/10m:2", "3/10m:2", NULL },
		{ "timeout/10m:2", "timeout/10m:2", NULL },
		{ "5/0", "5/0", "the time after / must be more than 0" },
		{ "5/10x", "5/10x", NULL },
		{ "101/1h", "101/1h",
		    "the number before / must be at most 100" },
		{ "3,10", "10", "the number of attempts is given twice" },
		{ "0,1:2,0", "0", "the number of attempts is given twice" },
		{ "nonsense:3", "nonsense:3", "unknown outcome" },
		{ "1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1,9:1", "9:1",
		    "too many limits" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct limits limits = { .attempts = 42 };
		const char *where = "";

		ROW("%s", rows[i].text);
		const char *problem =
		    limits_parse(&limits, rows[i].text, &where);
		if (rows[i].problem != NULL)
			CHECK_STR(problem, rows[i].problem);
		CHECK(problem != NULL);
		CHECK_STR(where, rows[i].item);
		CHECK_INT(limits.attempts, 42);
	}
}

/* The text of the limit that a failure reaches, or "". */
static const char *
reached(const struct limits *limits, struct tally *tally, int status, bool free,
    double time)
{
	static char text[64];
	const struct limit *limit = limits_failure(limits, tally,
	    (struct outcome){ OUTCOME_EXIT, status }, free, time);

	snprintf(text, sizeof(text), "%.*s", limit == NULL ? 0 : limit->length,
	    limit == NULL ? "" : limit->text);
	return text;
}

TEST(an_item_counts_its_outcomes_alone)
{
	const struct limits limits = limits_of("75:2,1-3:3");
	struct tally tally = { .counts = { 0 } };

	CHECK_STR(reached(&limits, &tally, 75, false, 0), "");
	CHECK_STR(reached(&limits, &tally, 1, false, 0), "");
	CHECK_STR(reached(&limits, &tally, 9, false, 0), "");
	CHECK_STR(reached(&limits, &tally, 2, false, 0), "");
	CHECK_STR(reached(&limits, &tally, 75, false, 0), "75:2");
}

TEST(a_window_forgets_older_failures)
{
	const struct limits limits = limits_of("3/10");
	struct tally tally = { .counts = { 0 } };

	CHECK_STR(reached(&limits, &tally, 1, false, 100), "");
	CHECK_STR(reached(&limits, &tally, 1, false, 105), "");
	CHECK_STR(reached(&limits, &tally, 1, false, 110.5), "");
	CHECK_STR(reached(&limits, &tally, 1, false, 115.5), "");
	CHECK_STR(reached(&limits, &tally, 1, false, 120.4), "3/10");
}

/* A run is always later than its plan, in which times are sums of delays. */
TEST(a_failure_as_old_as_a_window_is_forgotten)
{
	const struct limits limits = limits_of("2/10");
	const struct limits tenths = limits_of("11/1");
	struct tally tally = { .counts = { 0 } };
	double time = 0;

	CHECK_STR(reached(&limits, &tally, 1, false, 4), "");
	CHECK_STR(reached(&limits, &tally, 1, false, 14), "");
	CHECK_STR(reached(&limits, &tally, 1, false, 23.999), "2/10");
	memset(&tally, 0, sizeof(tally));
	for (int i = 0; i < 40; i++, time += 0.1)
		CHECK_STR(reached(&tenths, &tally, 1, false, time), "");
}

TEST(a_free_failure_counts_only_where_it_is_named)
{
	const struct limits limits = limits_of("75:3,2/10");
	struct tally tally = { .counts = { 0 } };

	CHECK_STR(reached(&limits, &tally, 75, true, 0), "");
	CHECK_STR(reached(&limits, &tally, 75, true, 0), "");
	CHECK_STR(reached(&limits, &tally, 75, true, 0), "75:3");
}

TEST(a_window_counts_a_hundred_failures)
{
	const struct limits limits = limits_of("100/1h");
	struct tally tally = { .counts = { 0 } };

	for (int i = 0; i < 99; i++)
		CHECK_STR(reached(&limits, &tally, 1, false, 10), "");
	for (int i = 0; i < 99; i++)
		CHECK_STR(reached(&limits, &tally, 1, false, 4000), "");
	CHECK_STR(reached(&limits, &tally, 1, false, 4000), "100/1h");
}

TEST(other_failures_push_none_out_of_a_window)
{
	const struct limits limits = limits_of("1:3/1h,2/1h");
	struct tally tally = { .counts = { 0 } };

	for (int time = 0; time < 2; time++) {
		CHECK_STR(reached(&limits, &tally, 1, true, time), "");
		for (int i = 0; i < 200; i++)
			CHECK_STR(reached(&limits, &tally, 2, true, time), "");
	}
	CHECK_STR(reached(&limits, &tally, 1, true, 2), "1:3/1h");
}

int
main(void)
{
	return RUN_ALL();
}
