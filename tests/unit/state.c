/* SPDX-License-Identifier: MIT */

#include <math.h>

#include "core/duration.h"
#include "core/state.h"
#include "core/text.h"
#include "story.h"

/* A strategy read from what the user would write. */
static struct backoff
backoff_of(const char *text)
{
	struct backoff backoff = { .base = 1, .cap = DURATION_MAX };
	const char *where;

	CHECK(backoff_parse(text, &backoff, &where) == NULL);
	return backoff;
}

static const struct {
	const char *text;
	const char *strategy;
} strategy_rows[] = {
	{ "exponential", "exponential" },
	{ "exponential:factor=2", "exponential:factor=2" },
	{ "exponential:factor=1.6", "exponential:factor=1.6000000000000001" },
	{ "decorrelated:clamp=1,factor=3", "decorrelated:factor=3:clamp=1" },
	{ "linear:step=1m", "linear:step=60" },
	{ "mild:up=2,down=-1s", "mild:up=2:down=-1" },
};

/* The text of a state that a run with this backoff leaves at time 0. */
static char *
text_of(const struct state *state, const struct backoff *backoff)
{
	static char text[STATE_TEXT];

	state_format(state, backoff, 0, text);
	return text;
}

TEST(a_strategy_is_named_with_what_was_given_of_its_parameters)
{
	const struct state none = { 0 };

	for (size_t i = 0; i < sizeof strategy_rows / sizeof *strategy_rows;
	     i++) {
		struct backoff backoff = backoff_of(strategy_rows[i].text);
		char line[128];

		ROW("%s", strategy_rows[i].text);
		snprintf(line, sizeof(line), "\nstrategy %s\n",
		    strategy_rows[i].strategy);
		CHECK(strstr(text_of(&none, &backoff), line) != NULL);
		free(backoff.values);
	}
}

TEST(another_strategy_or_parameter_starts_afresh)
{
	static const char *const others[] = { "fibonacci", "exponential",
		"exponential:factor=2.5" };
	const struct backoff backoff = backoff_of("exponential:factor=2");
	const struct state state = { .n = 7, .given_up = 2, .delay = 4 };
	struct state got;

	CHECK_STR(state_parse(text_of(&state, &backoff), &backoff, 0, &got),
	    NULL);
	CHECK_INT(got.n, 7);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		const struct backoff other = backoff_of(others[i]);

		ROW("%s", others[i]);
		CHECK_STR(state_parse(text_of(&state, &backoff), &other, 0,
			      &got),
		    NULL);
		CHECK_INT(got.n, 0);
		CHECK_INT(got.given_up, 0);
		CHECK_DBL(got.delay, 0, 0);
	}
}

TEST(lists_are_told_apart)
{
	const struct state state = { .n = 7 };
	char text[4096] = "list:1";
	struct backoff first, second;
	struct state got;

	while (strlen(text) < 4000)
		strcat(text, ",17.5");
	first = backoff_of(text);
	text[strlen(text) - 1] = '4';
	second = backoff_of(text);
	CHECK_STR(state_parse(text_of(&state, &first), &first, 0, &got), NULL);
	CHECK_INT(got.n, 7);
	CHECK_STR(state_parse(text_of(&state, &first), &second, 0, &got), NULL);
	CHECK_INT(got.n, 0);
	free(first.values);
	free(second.values);
}

/* Not by the bytes of its numbers, whose order differs between machines. */
TEST(a_list_is_named_alike_on_all_machines)
{
	const struct state none = { 0 };
	char text[1024] = "list:1";
	struct backoff backoff;

	for (int i = 0; i < 100; i++)
		strcat(text, ",17.5");
	backoff = backoff_of(text);
	CHECK(strstr(text_of(&none, &backoff),
		  "\nstrategy list:101-values-a9828d106470fd23\n") != NULL);
	free(backoff.values);
}

TEST(a_text_without_the_header_was_never_a_state)
{
	CHECK(state_was("retry-state 3\nstrat", 20));
	CHECK(state_was("retry-state x", 13));
	CHECK(state_was("retry-s", 7));
	CHECK(!state_was("retry-budget 1 tokens", 21));
	CHECK(!state_was("a\n", 2));
	CHECK(!state_was("\0\0\0", 3));
	CHECK(!state_was("# retry-state 3", 15));
}

static const struct {
	const char *name;
	double delay, age, written, read, wait;
} waits[] = {
	{ "in time", 60, 0, 940, 940, 60 },
	{ "half of it has passed", 60, 0, 940, 970, 30 },
	{ "a part had passed before", 60, 10, 940, 970, 20 },
	{ "all of it has passed", 60, 0, 940, 1000, 0 },
	{ "long ago", 60, 0, 940, 9000, 0 },
	{ "the clock was set back", 60, 0, 940, 10, 60 },
	{ "to the very beginning", 60, 0, 940, -1000, 60 },
	{ "nothing to wait", 0, 0, 940, 900, 0 },
};

TEST(a_clock_that_was_set_never_makes_the_wait_longer)
{
	const struct backoff backoff = backoff_of("constant");

	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
		const struct state state = { .delay = waits[i].delay,
			.age = waits[i].age };
		char text[STATE_TEXT];
		struct state got;

		ROW("%s", waits[i].name);
		state_format(&state, &backoff, waits[i].written, text);
		CHECK_STR(state_parse(text, &backoff, waits[i].read, &got),
		    NULL);
		CHECK_DBL(got.delay, waits[i].wait, 0);
		CHECK_DBL(got.age, 0, 0);
	}
}

/* A run that takes up what the one before left, after its delay. */
static void
resume(struct drive *drive, struct state state)
{
	drive->was_saved = false;
	state.delay = 0;
	CHECK_INT(drive_resume(drive, state), ACTION_RUN);
}

STORIES(each_run_that_gives_up_moves_on, "-a 1 --state=x",
    "start; answer yes n $1: run\n"
    "ends 1: saved, saved-n $2, saved-delay $3, saved-age 0",
    "0 1 1; 1 2 2; 2 3 4; 3 4 8; 4 5 16; 5 6 32")

STORY(only_the_end_of_a_run_is_kept, "-a 3 --state=x",
    "start; answer yes: run\n"
    "2 times ends 1; timer: not saved\n"
    "ends 1: saved, saved-n 3, saved-delay 4")

/* A gate that took its time does not put the next attempt off. */
STORY(the_delay_counts_from_the_failure,
    "-b constant --before-retry=x --state=x",
    "start; answer yes: run; ends 1; timer\n"
    "+5 answer again: saved, saved-delay 1, saved-age 6")

TEST(a_success_is_kept_and_forgets_the_rest)
{
	struct drive drive = { .policy = drive_policy("exponential") };
	const struct backoff *backoff = &drive.policy.backoff;
	const struct state none = { 0 };
	char text[STATE_TEXT], want[STATE_TEXT];

	resume(&drive, (struct state){ .n = 7, .given_up = 2 });
	drive_exit(&drive, 0);
	CHECK(drive.was_saved);
	state_format(&drive.saved, backoff, 900, text);
	state_format(&none, backoff, 0, want);
	CHECK_STR(text, want);
}

/* The last draw of a random strategy is not a level. */
STORY(a_success_forgets_the_delay_before, "-a 1 -b decorrelated --state=x",
    "chance 0.5; start; answer yes: run; ends 1: saved-previous 2\n"
    "start; answer yes n 1 previous 2: run; ends 0: saved, saved-previous 0")

STORY(counts_at_their_most_stay_there, "-a 1 -b constant --state=x",
    "start\n"
    "answer yes n 18446744073709551615 given-up 18446744073709551615: run\n"
    "ends 1: saved-n 18446744073709551615\n"
    ": saved-given-up 18446744073709551615")

TEST(a_level_survives_a_success)
{
	struct drive drive = { .policy = drive_policy("mimd") };

	drive.policy.backoff = backoff_of("mimd:up=2,down=0.5");
	drive.policy.limits.attempts = 1;
	for (int run = 0; run < 4; run++) {
		resume(&drive, drive.saved);
		drive_exit(&drive, 1);
	}
	CHECK_DBL(drive.saved.level.value, 8, 0);
	resume(&drive, drive.saved);
	drive_exit(&drive, 0);
	CHECK(drive.saved.level.begun);
	CHECK_DBL(drive.saved.level.value, 4, 0);
	CHECK_DBL(drive.saved.delay, 0, 0);
	resume(&drive, drive.saved);
	drive_exit(&drive, 1);
	CHECK_DBL(drive.saved.delay, 8, 0);
}

STORY(a_success_on_the_way_is_kept_at_once, "--repeat --state=x",
    "start; answer yes n 7: run; ends 0: wait, saved, saved-n 0")

STORY(a_stop_and_a_signal_keep_what_was_there, "--stop-on=9 --state=x",
    "start; answer yes: run; ends 9: finish stop 9, not saved\n"
    "start; answer yes: run; signal TERM; ends 1: finish signal 1, not saved\n"
    "start; answer yes: run; signal TERM; ends 0: finish signal 0, not saved")

STORY(what_came_before_the_first_attempt_is_not_kept, "-T 1 --state=x:skip",
    "start; answer no: finish early 75, not saved\n"
    "start; @2 answer yes: finish max-time 124, not saved")

static const struct {
	const char *strategy;
	struct state state;
} samples[] = {
	{ "exponential", { .n = 0 } },
	{ "exponential:factor=1.6",
	    { .n = 7, .given_up = 9, .delay = 59.795668904711704 } },
	{ "mimd:up=2,down=0.5",
	    { .level = { .value = 1.0 / 3, .begun = true },
		.n = UINT64_MAX,
		.given_up = UINT64_MAX,
		.delay = DURATION_MAX } },
	{ "smooth", { .level = { .previous = 3.14159 }, .n = 3 } },
	{ "lild:up=1,down=-1",
	    { .level = { .value = 0, .begun = true }, .n = 1 } },
};

TEST(a_state_is_read_as_it_was_written)
{
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		const struct backoff backoff = backoff_of(samples[i].strategy);
		const struct state *want = &samples[i].state;
		const char *text = text_of(want, &backoff);
		struct state got;

		ROW("%s", samples[i].strategy);
		if (!CHECK_STR(state_parse(text, &backoff, 0, &got), NULL))
			continue;
		CHECK_INT(got.level.begun, want->level.begun);
		CHECK_DBL(got.level.value, want->level.value, 0);
		CHECK_DBL(got.level.previous, want->level.previous, 0);
		CHECK(got.n == want->n);
		CHECK(got.given_up == want->given_up);
		CHECK_DBL(got.delay, want->delay, 1e-6);
		CHECK(!state_is_newer(text));
	}
}

/* Even the time of the next attempt has an end that cannot be cut off. */
TEST(a_text_that_was_cut_or_goes_on_is_found)
{
	const struct backoff backoff = backoff_of(samples[1].strategy);
	char text[STATE_TEXT + 1], cut[STATE_TEXT];
	struct state state;

	state_format(&samples[1].state, &backoff, 1.7e9, text);
	for (size_t length = 0; length < strlen(text); length++) {
		ROW("%zu bytes", length);
		memcpy(cut, text, length);
		cut[length] = '\0';
		CHECK(state_parse(cut, &backoff, 0, &state) != NULL);
	}
	strcat(text, "\n");
	CHECK(state_parse(text, &backoff, 0, &state) != NULL);
}

TEST(a_later_version_is_told_from_damage)
{
	const struct backoff backoff = backoff_of("constant");
	struct state state;

	CHECK(state_parse("retry-state 4\n", &backoff, 0, &state) != NULL);
	CHECK(state_is_newer("retry-state 4\nwhatever comes\n"));
	CHECK(!state_is_newer("retry-state 3\nwhatever is\n"));
	CHECK(!state_is_newer("retry-states 4\n"));
	CHECK(!state_is_newer(""));
}

static const char *const strange[] = {
	"",
	"retry-state\n",
	"retry-state -6\n",
	"retry-state 1\nstrategy constant\nlevel none\nprevious 0\nn 1\n"
	"delay 1\nnext 1.000000\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel nan\nprevious 0\nn 1\n"
	"delay 1\nnext 1.000000\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel some\nprevious 0\nn 1\n"
	"delay 1\nnext 1.000000\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel -1\nprevious 0\nn 1\n"
	"delay 1\nnext 1.000000\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel none\nprevious inf\nn 1\n"
	"delay 1\nnext 1.000000\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel none\nprevious 0\nn one\n"
	"delay 1\nnext 1.000000\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel none\nprevious 0\nn 1\n"
	"delay nan\nnext 1.000000\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel none\nprevious 0\nn 1\n"
	"delay 1000000000\nnext 1.000000\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel none\nprevious 0\nn 1\n"
	"delay 1\nnext inf\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel none\nprevious 0\nn 1\n"
	"delay 1\nnext 2000000000000000.000000\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel none\nprevious 0\nn 1\n"
	"delay 1\nnext 1.000000\ngiven-up 0x\n",
	"retry-state 3\nstrategy constant\nlevel none\nprevious 0\nn -1\n"
	"delay 1\nnext 1.000000\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel none\nprevious 0\nn 1\n"
	"delay 1\nnext 1.000000\ngiven-up -1\n",
	"retry-state 3\nstrategy constant\nlevel none\nprevious 0\nn-1\n"
	"delay 1\nnext 1.000000\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel none\nprevious-0\nn 1\n"
	"delay 1\nnext 1.000000\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel -0\nprevious 0\nn 1\n"
	"delay 1\nnext 1.000000\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel none\nprevious 0\nn 1\n"
	"delay\t-0\nnext 1.000000\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel none\nprevious 0\nn 1\n"
	"delay 1\nnext-0\ngiven-up 0\n",
	"retry-state 3\nstrategy constant\nlevel none\nprevious 0\nn 1\n"
	"delay 1\nnext 1.000000\ngiven-up\n-18446744073709551614\n",
};

TEST(text_that_no_run_would_write_is_refused)
{
	const struct backoff backoff = backoff_of("constant");

	for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
		struct state state = { .n = 9 };

		ROW("%zu", i);
		CHECK(state_parse(strange[i], &backoff, 0, &state) != NULL);
		CHECK_INT(state.n, 0);
	}
}

int
main(void)
{
	return RUN_ALL();
}
