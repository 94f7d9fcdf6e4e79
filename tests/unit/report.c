/* SPDX-License-Identifier: MIT */

#include <math.h>

#include "report/report.h"
#include "tap.h"

static const char *const command[] = { "a\033b", "secret", NULL };
static const struct policy policy, five = { .limits.attempts = 5 };
#define STYLE \
	{ \
		.command = command, .name = "a\033b" \
	}
static const struct report report = { .style = STYLE };

/* A run that waits for its third attempt, after a failure. */
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
		.seen.user = NAN,
		.seen.system = NAN,
		.wait.delay = { 4, 3, 5, 4.5 },
		.wait.lasts = true,
		.wait.due = 40.5,
	};
}

/* Tells a record to a sink of the format: what it wrote. */
static void
tell(const char *format, const struct record *record, char *text, size_t size)
{
	struct sink sink = { .format = report_format(format) };

	memset(text, 0, size);
	sink.file = fmemopen(text, size, "w");
	sink.format->tell(&sink, &report, record);
	fclose(sink.file);
	report_attempts_free(&sink);
}

TEST(numbers_have_six_decimals_at_most)
{
	static const struct {
		double number;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ 0.1, "0.1" },
		{ 1e15, "1000000000000000" },
		{ 1.0 / 3, "0.333333" },
		{ -1.5, "-1.5" },
		{ -0.000001, "-0.000001" },
		{ 0.1 + 0.2, "0.3" },
		{ 2e-7, "0" },
		{ 0.9999996, "1" },
		{ 1795269853.7532113, "1795269853.753211" },
		{ 8999999999.5, "8999999999.5" },
		{ 1.7976931348623157e308, "1.7976931348623157e+308" },
	};
	struct record record = waiting(RECORD_WAIT);
	char text[1024], want[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(want, sizeof(want), "\"delay\":%s,", rows[i].text);
		ROW("%s", rows[i].text);
		record.wait.delay.seconds = rows[i].number;
		tell("json", &record, text, sizeof(text));
		CHECK(strstr(text, want) != NULL);
	}
}

TEST(what_is_absent_is_null)
{
	struct record record = waiting(RECORD_WAIT);
	char text[1024];

	tell("json", &record, text, sizeof(text));
	CHECK(strstr(text, "\"hint\":null}") != NULL);
	record.last.hint = 0;
	tell("json", &record, text, sizeof(text));
	CHECK(strstr(text, "\"hint\":0}") != NULL);
	record.kind = RECORD_OUTCOME;
	tell("json", &record, text, sizeof(text));
	CHECK(
	    strstr(text, "\"user\":null,\"system\":null,\"left\":0}") != NULL);
}

TEST(the_status_line_is_drawn_when_its_seconds_change)
{
	static const struct {
		double left, next;
	} rows[] = {
		{ 30, 29 },
		{ 29.3, 28 }, /* 29 would come too soon */
		{ 29.8, 29 },
		{ 11, 10 },
		{ 10, 9.75 },
		{ 1, 0.75 },
		{ 0.3, 0 },
	};
	struct record record = waiting(RECORD_WAIT);

	record.wait.delay.seconds = 30;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[1024] = "";
		struct sink sink = { .file = fmemopen(text, sizeof(text), "w"),
			.screen = { .terminal = true, .width = 80 } };

		ROW("%g", rows[i].left);
		record.elapsed = record.wait.due - rows[i].left;
		CHECK_DBL(record.wait.due -
			report_tty_tick(&sink, &report, &record),
		    rows[i].next, 1e-9);
		CHECK(sink.drawn);
		fclose(sink.file);
		const size_t width =
		    strlen(text) - strlen("\033[?7l\033[?7h\r");
		CHECK(width > 40 && width < 80);
	}
}

/* The status line of a wait of so many seconds, on a wide screen. */
static const char *
drawn(double seconds, long pid, char *text, size_t size)
{
	struct record record = waiting(RECORD_WAIT);
	struct report own = { .style = STYLE, .pid = pid };
	struct sink sink = { .screen = { .terminal = true, .width = 200 } };

	record.wait.delay.seconds = seconds;
	record.wait.due = record.elapsed + seconds;
	memset(text, 0, size);
	sink.file = fmemopen(text, size, "w");
	report_tty_tick(&sink, &own, &record);
	fclose(sink.file);
	return text;
}

TEST(a_long_wait_shows_more_than_a_short_one)
{
	char text[1024];

	CHECK(strstr(drawn(10, 9, text, sizeof(text)), "kill -URG") == NULL);
	CHECK(strstr(drawn(11, 9, text, sizeof(text)), "kill -URG") != NULL);
	/* The first process of a container is not heard by its number. */
	CHECK(strstr(drawn(11, 1, text, sizeof(text)), "kill -URG") == NULL);
	CHECK(strstr(drawn(59, 9, text, sizeof(text)), ", at ") == NULL);
	CHECK(strstr(drawn(60, 9, text, sizeof(text)), ", at ") != NULL);
	CHECK(
	    strstr(drawn(60, 9, text, sizeof(text)), "last exited 7") != NULL);
}

TEST(colour_is_for_terminals_that_have_it)
{
	static const struct {
		enum reason reason;
		bool colour;
		const char *text;
	} rows[] = {
		{ REASON_ATTEMPTS, true, "\033[31mretry:\033[m a" },
		{ REASON_SUCCESS, true, "\033[32mretry:\033[m a" },
		{ REASON_SIGNAL, true, "retry: a" },
		{ REASON_NONE, true, "\033[35mretry:\033[m a" },
		{ REASON_ATTEMPTS, false, "retry: a" },
		{ REASON_NONE, false, "retry: a" },
	};
	char text[1024];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const bool ends = rows[i].reason != REASON_NONE;
		struct record record =
		    waiting(ends ? RECORD_END : RECORD_OUTCOME);
		struct sink sink = { .format = report_format("text"),
			.screen = { .colour = rows[i].colour } };

		ROW("%zu", i);
		record.end.reason = rows[i].reason;
		memset(text, 0, sizeof(text));
		sink.file = fmemopen(text, sizeof(text), "w");
		sink.format->tell(&sink, &report, &record);
		fclose(sink.file);
		CHECK(strncmp(text, rows[i].text, strlen(rows[i].text)) == 0);
	}
}

TEST(it_fits_every_width)
{
	struct record record = waiting(RECORD_WAIT);
	char text[1024];

	record.wait.delay.seconds = 30;
	record.elapsed = 21;
	for (int width = 1; width <= 300; width++) {
		struct sink sink = { .screen = { .terminal = true,
					 .width = width } };

		ROW("%d", width);
		memset(text, 0, sizeof(text));
		sink.file = fmemopen(text, sizeof(text), "w");
		report_tty_tick(&sink, &report, &record);
		fclose(sink.file);
		/* With a CR, and two sequences, which take no column. */
		CHECK(
		    strlen(text) - strlen("\033[?7l\033[?7h") <= (size_t)width);
		CHECK(width < 20 || strstr(text, "attempt 3/5 in") != NULL);
		CHECK((width < 41 || (width >= 50 && width < 65)) ==
		    (strstr(text, "exited 7") == NULL));
		CHECK((width < 50) == (strstr(text, "kill -URG") == NULL));
	}
}

TEST(the_bar_fills_from_the_left)
{
	struct record record = waiting(RECORD_WAIT);
	char text[1024] = "";
	struct sink sink = { .screen = { .terminal = true, .width = 200 } };

	record.wait.delay.seconds = 30;
	record.wait.due = record.elapsed + 20;
	sink.file = fmemopen(text, sizeof(text), "w");
	report_tty_tick(&sink, &report, &record);
	fclose(sink.file);
	const char *bar = text + strcspn(text, "=-");
	const size_t full = strspn(bar, "=");
	const size_t rest = strspn(bar + full, "-");

	CHECK(full >= 8);
	CHECK(rest >= 2 * full && rest <= 2 * full + 2);
	CHECK_INT(bar[full + rest], ' ');
}

/* Tells attempts of these statuses, a second each, and then the end. */
static void
tell_attempts(struct report *told, uint64_t limit, const int *statuses,
    uint64_t count, double seconds)
{
	const struct policy limited = { .limits.attempts = limit };
	struct record record = waiting(RECORD_OUTCOME);

	record.policy = &limited;
	record.wait.delay.seconds = 0.5;
	for (uint64_t i = 0; i < count; i++) {
		record.attempt.number = record.used = i + 1;
		record.elapsed = seconds * (double)(i + 1);
		record.last.outcome.code = statuses == NULL ? 7 : statuses[i];
		report_tell(told, &record);
	}
	record.kind = RECORD_END;
	record.end.reason = REASON_SUCCESS;
	record.attempt.number = record.used = count + 1;
	record.failures = count;
	report_tell(told, &record);
}

TEST(equal_failures_are_told_once_and_counted)
{
	static const struct {
		uint64_t limit;
		bool verbose;
		int statuses[8]; /* up to a 0 */
		const char *text;
	} rows[] = {
		{ 0, false, { 7, 7, 7, 7 }, "1 exited 7, 3 more, end" },
		{ 21, false, { 7, 7, 7, 7 }, "1 exited 7, 3 more, end" },
		{ 20, false, { 7, 7, 7 },
		    "1 exited 7, 2 exited 7, 3 exited 7, end" },
		{ 0, true, { 7, 7, 7 },
		    "1 exited 7, 2 exited 7, 3 exited 7, end" },
		{ 0, false, { 7, 7, 7, 8, 7 },
		    "1 exited 7, 2 more, 4 exited 8, 5 exited 7, end" },
		/* A line that stands for one may as well be that one. */
		{ 0, false, { 7, 7, 8, 8 },
		    "1 exited 7, 2 exited 7, 3 exited 8, 4 exited 8, end" },
	};
	char text[4096], got[256], line[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct report_style asked = { .command = command,
			.verbose = rows[i].verbose };
		struct sink sink = { .format = report_format("text") };
		struct report told = { .style = asked,
			.sinks = &sink,
			.count = 1 };
		uint64_t count = 0;

		ROW("%zu", i);
		memset(text, 0, sizeof(text));
		sink.file = fmemopen(text, sizeof(text), "w");
		while (rows[i].statuses[count] != 0)
			count++;
		tell_attempts(&told, rows[i].limit, rows[i].statuses, count, 1);
		fclose(sink.file);

		*got = '\0';
		for (char *rest = text, *next; (next = strsep(&rest, "\n"));) {
			const char *status = strstr(next, "exited");
			int number;

			if (sscanf(next, "retry: attempt %d", &number) == 1)
				snprintf(line, sizeof(line), "%d %.8s, ",
				    number, status);
			else if (sscanf(next, "retry: (%d more identical",
				     &number) == 1)
				snprintf(line, sizeof(line), "%d more, ",
				    number);
			else
				strlcpy(line, *next == '\0' ? "" : "end",
				    sizeof(line));
			strlcat(got, line, sizeof(got));
		}
		CHECK_STR(got, rows[i].text);
	}
}

TEST(what_goes_on_is_told_each_minute)
{
	struct sink sink = { .format = report_format("text") };
	struct report told = { .style = STYLE, .sinks = &sink, .count = 1 };
	char text[8192] = "";
	int lines = 0;

	sink.file = fmemopen(text, sizeof(text), "w");
	tell_attempts(&told, 0, NULL, 150, 1);
	fclose(sink.file);
	for (const char *at = text; (at = strstr(at, "exited 7")); at++)
		lines++;
	CHECK_INT(lines, 3);
	CHECK(strstr(text, "attempt 61 exited 7") != NULL);
	CHECK(strstr(text, "(59 more identical failures)") != NULL);

	/* Failures that are rarer are all told. */
	lines = 0;
	memset(text, 0, sizeof(text));
	struct sink rare = { .format = sink.format,
		.file = fmemopen(text, sizeof(text), "w") };
	told.sinks = &rare;
	tell_attempts(&told, 0, NULL, 20, 5);
	fclose(rare.file);
	for (const char *at = text; (at = strstr(at, "exited 7")); at++)
		lines++;
	CHECK_INT(lines, 20);
}

/* How many lines of the text hold these words. */
static int
count_lines(const char *text, const char *words)
{
	int lines = 0;

	for (const char *at = text; (at = strstr(at, words)); at++)
		lines++;
	return lines;
}

/* Tells failures of the attempts from `first` to `last`, a second each. */
static void
tell_failures(struct report *told, uint64_t first, uint64_t last, double wait)
{
	struct record record = waiting(RECORD_OUTCOME);

	record.policy = &policy;
	record.wait.delay.seconds = wait;
	for (uint64_t i = first; i <= last; i++) {
		record.attempt.number = i;
		record.elapsed = (double)i;
		report_tell(told, &record);
	}
}

/* What a log of this format has after the calls. */
struct told {
	struct sink sink;
	struct report report;
	char text[4096];
};

static struct told *
begin_told(const char *format)
{
	struct told *told = calloc(1, sizeof(*told));

	told->sink.format = report_format(format);
	told->sink.file = fmemopen(told->text, sizeof(told->text), "w");
	told->report = report;
	told->report.sinks = &told->sink;
	told->report.count = 1;
	return told;
}

static const char *
text_of(struct told *told)
{
	fflush(told->sink.file);
	return told->text;
}

static void
end_told(struct told *told)
{
	fclose(told->sink.file);
	free(told);
}

TEST(counted_failures_come_before_any_other_message)
{
	struct told *told = begin_told("text");
	struct record healthy = waiting(RECORD_HEALTH);

	healthy.attempt.health = HEALTH_HEALTHY;
	healthy.attempt.begun = healthy.elapsed;
	tell_failures(&told->report, 1, 4, 0.5);
	report_tell(&told->report, &healthy);
	const char *counted = strstr(text_of(told), "(3 more identical");
	const char *other = strstr(told->text, "is healthy");

	CHECK(counted != NULL && other != NULL && counted < other);

	/* The next failure is told: the line before it is not like it. */
	tell_failures(&told->report, 5, 5, 0.5);
	CHECK(strstr(text_of(told), "attempt 5 exited 7") != NULL);
	tell_failures(&told->report, 6, 7, 0.5);
	report_note(&told->report, "health check: ", "a line of the probe");
	CHECK(strstr(text_of(told), "(2 more identical") != NULL);
	end_told(told);
}

TEST(counted_failures_are_due_after_five_seconds_and_a_minute)
{
	struct told *told = begin_told("text");

	CHECK(report_due(&told->report) == INFINITY);
	tell_failures(&told->report, 1, 1, 0.5);
	CHECK(report_due(&told->report) == INFINITY);
	tell_failures(&told->report, 2, 2, 0.5);
	CHECK_DBL(report_due(&told->report), 7, 0);
	report_tell_due(&told->report, 6.9);
	CHECK_INT(count_lines(text_of(told), "exited 7"), 1);
	report_tell_due(&told->report, 7);
	CHECK(strstr(text_of(told), "attempt 2 exited 7") != NULL);
	CHECK(report_due(&told->report) == INFINITY);

	tell_failures(&told->report, 10, 58, 0.5);
	CHECK_DBL(report_due(&told->report), 63, 0);
	tell_failures(&told->report, 59, 69, 0.5);
	CHECK_DBL(report_due(&told->report), 70, 0);
	report_tell_due(&told->report, 70);
	CHECK(strstr(text_of(told), "(59 more identical") != NULL);
	end_told(told);
}

TEST(no_failure_is_counted_before_a_long_wait_or_in_the_journal)
{
	static const struct {
		const char *format;
		double wait;
		int lines;
	} rows[] = {
		{ "text", 1.9, 1 },
		{ "text", 2, 4 },
		{ "tty", 1.9, 1 },
		{ "journal", 0, 4 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct told *told = begin_told(rows[i].format);

		ROW("%zu", i);
		tell_failures(&told->report, 1, 4, rows[i].wait);
		CHECK_INT(count_lines(text_of(told), "exited 7"),
		    rows[i].lines);
		end_told(told);
	}
}

int
main(void)
{
	return RUN_ALL();
}
