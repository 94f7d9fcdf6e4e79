#include <math.h>

#include "cli/report.h"
#include "tap.h"

static const char *const command[] = { "a\033b", "secret", NULL };
static const struct options options = { .command = command, .name = "a\033b" };
static const struct report report = { .options = &options };

/* A run that waits for its third attempt, after a failure. */
static struct record
waiting(enum record_kind kind)
{
	return (struct record){
		.kind = kind,
		.elapsed = 10.5,
		.limit = 5,
		.attempt = 2,
		.used = 2,
		.failures = 2,
		.outcome = { OUTCOME_EXIT, 7 },
		.judgement = { VERDICT_RETRY, RULE_DEFAULT, false },
		.duration = 0.5,
		.user = NAN,
		.system = NAN,
		.delay = { 4, 3, 5, 4.5, -1 },
		.waits = true,
		.due = 40.5,
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
	free(sink.memory);
}

static void
numbers_read_back_as_the_same(void)
{
	static const struct {
		double number;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ 0.1, "0.1" },
		{ 1e15, "1e+15" },
		{ 999999999999999, "999999999999999" },
		{ 5e-324, "4.94065645841247e-324" },
		{ 1.0 / 3, "0.3333333333333333" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 1795269853.7532113, "1795269853.7532113" },
		{ 1.7976931348623157e308, "1.7976931348623157e+308" },
	};
	struct record record = waiting(RECORD_WAIT);
	char text[1024], want[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(want, sizeof(want), "\"delay\":%s,", rows[i].text);
		ROW("%s", rows[i].text);
		record.delay.seconds = rows[i].number;
		tell("json", &record, text, sizeof(text));
		CHECK(strstr(text, want) != NULL);
		CHECK(strtod(rows[i].text, NULL) == rows[i].number);
	}
}

static void
what_is_absent_is_null(void)
{
	struct record record = waiting(RECORD_WAIT);
	char text[1024];

	tell("json", &record, text, sizeof(text));
	CHECK(strstr(text, "\"hint\":null}") != NULL);
	record.delay.hint = 0;
	tell("json", &record, text, sizeof(text));
	CHECK(strstr(text, "\"hint\":0}") != NULL);
	record.kind = RECORD_OUTCOME;
	tell("json", &record, text, sizeof(text));
	CHECK(strstr(text, "\"user\":null,\"system\":null}") != NULL);
}

static void
the_status_line_is_drawn_when_its_seconds_change(void)
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

	record.delay.seconds = 30;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sink sink = { .file = tmpfile(),
			.screen = { .terminal = true, .width = 80 } };

		ROW("%g", rows[i].left);
		record.elapsed = record.due - rows[i].left;
		CHECK_DBL(record.due - report_tty_tick(&sink, &report, &record),
		    rows[i].next, 1e-9);
		CHECK(sink.drawn > 40 && sink.drawn < 80);
		fclose(sink.file);
	}
}

static void
it_fits_every_width(void)
{
	struct record record = waiting(RECORD_WAIT);
	char text[1024];

	record.delay.seconds = 30;
	record.elapsed = 21;
	for (int width = 1; width <= 300; width++) {
		struct sink sink = { .screen = { .terminal = true,
					 .plain = true,
					 .width = width } };

		ROW("%d", width);
		memset(text, 0, sizeof(text));
		sink.file = fmemopen(text, sizeof(text), "w");
		report_tty_tick(&sink, &report, &record);
		fclose(sink.file);
		CHECK(strlen(text) <= (size_t)width); /* with a CR */
		CHECK(width < 20 || strstr(text, "attempt 3/5 in") != NULL);
		CHECK((width < 39) == (strstr(text, "exited 7") == NULL));
		CHECK((width < 58) == (strstr(text, "kill -URG") == NULL));
	}
}

int
main(void)
{
	RUN(numbers_read_back_as_the_same);
	RUN(what_is_absent_is_null);
	RUN(the_status_line_is_drawn_when_its_seconds_change);
	RUN(it_fits_every_width);
	return DONE();
}
