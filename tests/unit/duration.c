/* SPDX-License-Identifier: MIT */

#include <math.h>

#include "core/duration.h"
#include "tap.h"

#define UNIT "unknown unit (use us, ms, s, m, h, d)"
#define ORDER "units out of order (largest first)"
#define LONG "longer than 10000 days"

static const struct {
	const char *text;
	const char *problem;
	double seconds;
} durations[] = {
	{ "0", NULL, 0 },
	{ "1", NULL, 1 },
	{ "1.5", NULL, 1.5 },
	{ ".5", NULL, 0.5 },
	{ "5.", NULL, 5 },
	{ "007", NULL, 7 },
	{ "1e-3", NULL, 0.001 },
	{ "1E3", NULL, 1000 },
	{ "0e-400", NULL, 0 },
	{ "0.000", NULL, 0 },
	{ "51.2us", NULL, 51.2e-6 },
	{ "250ms", NULL, 0.25 },
	{ "2s", NULL, 2 },
	{ "1.5m", NULL, 90 },
	{ "1h", NULL, 3600 },
	{ "1d", NULL, 86400 },
	{ "1e1ms", NULL, 0.01 },
	{ "1m30s", NULL, 90 },
	{ "1h5m", NULL, 3900 },
	{ "1d2h3m4s5ms6us", NULL, 93784.005006 },
	{ "0d0us", NULL, 0 },
	{ "1s1500ms", NULL, 2.5 },
	{ "10000d", NULL, DURATION_MAX },
	{ "864000000", NULL, DURATION_MAX },

	{ "", "empty", 0 },
	{ "-1", "negative", 0 },
	{ "-0", "negative", 0 },
	{ "-", "negative", 0 },
	{ "+1", "not a number", 0 },
	{ " 1", "not a number", 0 },
	{ "\t1", "not a number", 0 },
	{ "1 ", UNIT, 0 },
	{ "1 s", UNIT, 0 },
	{ ".", "not a number", 0 },
	{ "..5", "not a number", 0 },
	{ "s", "not a number", 0 },
	{ "abc", "not a number", 0 },
	{ "nan", "not a number", 0 },
	{ "NaN", "not a number", 0 },
	{ "inf", "not a number", 0 },
	{ "infinity", "not a number", 0 },
	{ "0x10", "hexadecimal", 0 },
	{ "0X1p3", "hexadecimal", 0 },
	{ "1s0x1ms", "hexadecimal", 0 },
	{ "1,5", UNIT, 0 },
	{ "1x", UNIT, 0 },
	{ "1ss", UNIT, 0 },
	{ "1S", UNIT, 0 },
	{ "1ns", UNIT, 0 },
	{ "1sec", UNIT, 0 },
	{ "1e", UNIT, 0 },
	{ "1.2.3", UNIT, 0 },
	{ "1s,", "not a number", 0 },
	{ "1s-1ms", "negative", 0 },
	{ "1s 1ms", "not a number", 0 },
	{ "1m30", "the last number has no unit", 0 },
	{ "1s1s", ORDER, 0 },
	{ "1s1m", ORDER, 0 },
	{ "1ms1s", ORDER, 0 },
	{ "10001d", LONG, 0 },
	{ "10000d1us", LONG, 0 },
	{ "864000001", LONG, 0 },
	{ "1e400", LONG, 0 },
	{ "99999999999999999999", LONG, 0 },
	{ "1e400d", LONG, 0 },
};

static const struct {
	double seconds;
	const char *text;
} texts[] = {
	{ 0, "0s" },
	{ -1, "0s" },
	{ NAN, "0s" },
	{ 1e-9, "0us" },
	{ 5.12e-6, "5.12us" },
	{ 51.2e-6, "51.2us" },
	{ 999.4e-6, "999us" },
	{ 999.6e-6, "1ms" },
	{ 0.001, "1ms" },
	{ 0.00125, "1.25ms" },
	{ 0.0999, "99.9ms" },
	{ 0.25, "0.25s" },
	{ 0.0123, "12.3ms" },
	{ 0.9996, "1s" },
	{ 1, "1s" },
	{ 1.5, "1.5s" },
	{ 2.345, "2.35s" },
	{ 9.994, "9.99s" },
	{ 9.996, "10s" },
	{ 10.04, "10s" },
	{ 10.06, "10.1s" },
	{ 4.1, "4.1s" },
	{ 59.94, "59.9s" },
	{ 59.96, "1m" },
	{ 60, "1m" },
	{ 96.4, "1m36s" },
	{ 100, "1m40s" },
	{ 125, "2m05s" },
	{ 3599.4, "59m59s" },
	{ 3599.6, "1h" },
	{ 3600, "1h" },
	{ 12000, "3h20m" },
	{ 86369, "23h59m" },
	{ 86371, "1d" },
	{ 86400, "1d" },
	{ 349200, "4d01h" },
	{ DURATION_MAX, "10000d" },
	{ 2 * DURATION_MAX, "20000d" },
};

TEST(a_duration_is_read_or_refused_in_words)
{
	for (size_t i = 0; i < COUNT(durations); i++) {
		double seconds = -1;
		const char *problem =
		    duration_parse(durations[i].text, &seconds);

		ROW("%s", durations[i].text);
		CHECK_STR(problem, durations[i].problem);
		CHECK_DBL(seconds, problem == NULL ? durations[i].seconds : -1,
		    1e-15);
	}
}

TEST(a_number_ends_where_what_follows_begins)
{
	double number;
	const char *end;

	CHECK(duration_number("20%", &number, &end) == NULL);
	CHECK_DBL(number, 20, 0);
	CHECK_STR(end, "%");
	CHECK(duration_number("1e400", &number, &end) == NULL);
	CHECK(isinf(number));
	CHECK_STR(duration_number("%", &number, &end), "not a number");
}

TEST(people_read_three_digits_or_two_units)
{
	for (size_t i = 0; i < COUNT(texts); i++) {
		char text[DURATION_TEXT];

		ROW("%g", texts[i].seconds);
		CHECK_STR(duration_text(texts[i].seconds, text), texts[i].text);
	}
}

/* 0 is no limit, so a limit that is too small to be told from it is refused. */
TEST(a_positive_duration_is_not_taken_for_zero)
{
	static const char *const rows[] = { "1e-400", "1e-10000", ".01e-10000",
		"1e-10000s", "4e-320us", "4.95e-324us", "0s1e-10000ms" };

	for (size_t i = 0; i < COUNT(rows); i++) {
		double seconds = -1;

		ROW("%s", rows[i]);
		CHECK_STR(duration_parse(rows[i], &seconds), "too small");
		CHECK(seconds == -1);
	}
}

/* It makes no "1000ms" or "60m05s", and is off by half its last digit at most. */
TEST(what_people_read_is_the_nearest_duration)
{
	for (double seconds = 1e-6; seconds < DURATION_MAX; seconds *= 1.0007) {
		char text[DURATION_TEXT];
		double read;

		ROW("%.17g", seconds);
		duration_text(seconds, text);
		if (!CHECK(duration_parse(text, &read) == NULL))
			return;
		const double off = fabs(read - seconds);
		if (seconds >= 0.0999 && seconds < 0.995)
			CHECK(off <= 0.00501);
		else if (seconds < 59.95)
			CHECK(off <= seconds * 0.0051);
		else if (seconds < 3599.5)
			CHECK(off <= 0.5001);
		else
			CHECK(off <= (seconds < 86370 ? 30.01 : 1800.01));
		CHECK(strncmp(text, "1000", 4) != 0 || strchr(text, 'd'));
		CHECK(strcmp(text, "60m") != 0 && strcmp(text, "24h") != 0);
	}
}

int
main(void)
{
	return RUN_ALL();
}
