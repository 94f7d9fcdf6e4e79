#include <math.h>

#include "cli/report.h"
#include "tap.h"

/* A run that waits for its third attempt, after a failure. */
struct run {
	struct options options;
	struct engine engine;
	struct report report;
};

static const char *const command[] = { "a\033b", "secret", NULL };

static void
begin(struct run *run)
{
	*run = (struct run){
		.options = { .policy.attempts = 5, .command = command },
		.engine = { .state = STATE_WAITING,
		    .attempt = 2,
		    .used = 2,
		    .failures = 2,
		    .begun = 10,
		    .attempt_begun = 20,
		    .attempt_ended = 20.5,
		    .wait_begun = 20.5,
		    .evidence.outcome = { OUTCOME_EXIT, 7 },
		    .judgement = { VERDICT_RETRY, RULE_DEFAULT, false },
		    .delay = { 4, 3, 5, 4.5, -1 } },
	};
	run->engine.policy = &run->options.policy;
	run->report =
	    (struct report){ .options = &run->options, .engine = &run->engine };
}

static void
a_line_has_what_is_asked_for(void)
{
	const struct news news = { .kind = NEWS_OUTCOME };
	struct line line;
	struct run run;

	begin(&run);
	report_line(&run.report, &news, &line);
	CHECK_STR(line.text, "attempt 2/5 exited 7 after 0.5s; next in 4.5s");
	CHECK_INT(line.priority, PRIORITY_WARNING);

	run.options.verbose = true;
	report_line(&run.report, &news, &line);
	CHECK_STR(line.text,
	    "attempt 2/5 exited 7 after 0.5s; next in 4.5s "
	    "(nominal 4s, range 3s to 5s)");

	run.engine.delay.hint = 4.25;
	report_line(&run.report, &news, &line);
	CHECK_STR(line.text,
	    "attempt 2/5 exited 7 after 0.5s; next in 4.5s "
	    "(nominal 4s, range 3s to 5s, asked for 4.25s)");
}

static void
a_status_names_the_first_word_alone(void)
{
	struct run run;
	struct line line;

	begin(&run);
	CHECK(report_status(&run.report,
	    &(struct action){ .kind = ACTION_WAIT }, 10.5, &line));
	CHECK_STR(line.text,
	    "a\\^[b: attempt 2/5 exited 7 after 0.5s; next in 4.5s");
	CHECK(report_status(&run.report, &(struct action){ .kind = ACTION_RUN },
	    10.5, &line));
	CHECK_STR(line.text, "a\\^[b: attempt 2/5 runs");
	run.engine.reason = REASON_ATTEMPTS;
	CHECK(report_status(&run.report,
	    &(struct action){ .kind = ACTION_FINISH }, 10.5, &line));
	CHECK_STR(line.text,
	    "a\\^[b: giving up after 2 attempts in 10.5s: exited 7");
	CHECK(!report_status(&run.report,
	    &(struct action){ .kind = ACTION_NONE }, 10.5, &line));
	run.engine.attempt = 0;
	CHECK(report_status(&run.report,
	    &(struct action){ .kind = ACTION_WAIT }, 0, &line));
	CHECK_STR(line.text, "a\\^[b: next in 4.5s");
}

/* Tells one event to a sink of the format; what it wrote. */
static void
tell(struct run *run, const char *format, struct news news, char *text,
    size_t size)
{
	struct sink sink = { .format = report_format(format) };

	memset(text, 0, size);
	sink.file = fmemopen(text, size, "w");
	sink.format->tell(&sink, &run->report, &news);
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
	struct run run;
	char text[1024], want[64];

	begin(&run);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(want, sizeof(want), "\"delay\":%s,", rows[i].text);
		ROW("%s", rows[i].text);
		run.engine.delay.seconds = rows[i].number;
		tell(&run, "json", (struct news){ .kind = NEWS_WAIT }, text,
		    sizeof(text));
		CHECK(strstr(text, want) != NULL);
		CHECK(strtod(rows[i].text, NULL) == rows[i].number);
	}
}

static void
what_is_absent_is_null(void)
{
	struct run run;
	char text[1024];

	begin(&run);
	tell(&run, "json", (struct news){ .kind = NEWS_WAIT }, text,
	    sizeof(text));
	CHECK(strstr(text, "\"hint\":null}") != NULL);
	run.engine.delay.hint = 0;
	tell(&run, "json", (struct news){ .kind = NEWS_WAIT }, text,
	    sizeof(text));
	CHECK(strstr(text, "\"hint\":0}") != NULL);
	tell(&run, "json",
	    (struct news){ .kind = NEWS_OUTCOME, .user = NAN, .system = NAN },
	    text, sizeof(text));
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
	struct run run;

	begin(&run);
	run.engine.delay.seconds = 30;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const double due = run.engine.wait_begun + 30;
		struct sink sink = { .file = tmpfile(),
			.screen = { .terminal = true, .width = 80 } };

		ROW("%g", rows[i].left);
		CHECK_DBL(due -
			report_tty_tick(&sink, &run.report, due - rows[i].left),
		    rows[i].next, 1e-9);
		CHECK(sink.drawn > 40 && sink.drawn < 80);
		fclose(sink.file);
	}
}

static void
it_fits_every_width(void)
{
	struct run run;
	char text[1024];

	begin(&run);
	run.engine.delay.seconds = 30;
	for (int width = 1; width <= 300; width++) {
		struct sink sink = { .screen = { .terminal = true,
					 .plain = true,
					 .width = width } };

		ROW("%d", width);
		memset(text, 0, sizeof(text));
		sink.file = fmemopen(text, sizeof(text), "w");
		report_tty_tick(&sink, &run.report, 21);
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
	RUN(a_line_has_what_is_asked_for);
	RUN(a_status_names_the_first_word_alone);
	RUN(numbers_read_back_as_the_same);
	RUN(what_is_absent_is_null);
	RUN(the_status_line_is_drawn_when_its_seconds_change);
	RUN(it_fits_every_width);
	return DONE();
}
