#include <math.h>

#include "core/duration.h"
#include "core/state.h"
#include "core/text.h"
#include "drive.h"
#include "tap.h"

/* A strategy read from what the user would write. */
static struct backoff
backoff_of(const char *text)
{
	struct backoff backoff = { .base = 1, .cap = DURATION_MAX };
	const char *where;

	CHECK_STR(backoff_parse(text, &backoff, &where), NULL);
	return backoff;
}

static const struct {
	const char *text;
	const char *strategy;
} strategy_rows[] = {
	{ "exponential", "exponential" },
	{ "exponential:factor=2", "exponential:factor=2" },
	{ "exponential:factor=1.6", "exponential:factor=1.6000000000000001" },
	{ "decorrelated:clamp=1,factor=3", "decorrelated:factor=3,clamp=1" },
	{ "linear:step=1m", "linear:step=60" },
	{ "mild:up=2,down=-1s", "mild:up=2,down=-1" },
	{ "list:1s,5s,1m", "list:1,5,60" },
};

static void
a_strategy_is_named_with_what_was_given_of_its_parameters(void)
{
	for (size_t i = 0; i < sizeof strategy_rows / sizeof *strategy_rows;
	     i++) {
		struct backoff backoff = backoff_of(strategy_rows[i].text);
		const struct state state = state_none(&backoff);

		ROW("%s", strategy_rows[i].text);
		CHECK_STR(state.strategy, strategy_rows[i].strategy);
		CHECK(state_is_of(&state, &backoff));
		free(backoff.values);
	}
}

static void
long_lists_are_told_apart(void)
{
	char text[4096] = "list:1";
	struct backoff first, second;

	while (strlen(text) < 4000)
		strcat(text, ",17.5");
	first = backoff_of(text);
	text[strlen(text) - 1] = '4';
	second = backoff_of(text);
	const struct state state = state_none(&first);
	CHECK(state_is_of(&state, &first));
	CHECK(!state_is_of(&state, &second));
	CHECK(strlen(state.strategy) < 40);
	free(first.values);
	free(second.values);
}

static const struct {
	const char *name;
	double next, delay, time, wait;
} waits[] = {
	{ "in time", 1000, 60, 940, 60 },
	{ "half of it has passed", 1000, 60, 970, 30 },
	{ "all of it has passed", 1000, 60, 1000, 0 },
	{ "long ago", 1000, 60, 9000, 0 },
	{ "the clock was set back", 1000, 60, 10, 60 },
	{ "to the very beginning", 1000, 60, -1000, 60 },
	{ "nothing to wait", 1000, 0, 900, 0 },
	{ "nothing is remembered", 0, 0, 900, 0 },
};

static void
a_clock_that_was_set_never_makes_the_wait_longer(void)
{
	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
		const struct state state = { .next = waits[i].next,
			.delay = waits[i].delay };

		ROW("%s", waits[i].name);
		CHECK_DBL(state_progress(&state, waits[i].time).delay,
		    waits[i].wait, 0);
	}
}

/* What the run left, if it left anything. */
static struct state
left(const struct drive *drive, double time)
{
	return state_after(&drive->policy.backoff, &drive->saved, time);
}

/* A run that takes up the state, as far as its first attempt. */
static void
resume(struct drive *drive, const struct state *state)
{
	struct progress progress = state_progress(state, 0);

	drive->was_saved = false;
	progress.delay = 0;
	CHECK_INT(drive_resume(drive, progress), ACTION_RUN);
}

static void
each_run_that_gives_up_moves_on(void)
{
	struct drive drive = { .policy = drive_policy("exponential") };
	struct state state = state_none(&drive.policy.backoff);

	drive.policy.limits.attempts = 1;
	for (int run = 0; run < 6; run++) {
		ROW("run %d", run);
		resume(&drive, &state);
		drive_exit(&drive, 1);
		CHECK(drive.was_saved);
		state = left(&drive, 1000 * run);
		CHECK_INT(state.n, run + 1);
		CHECK_INT(state.failures, run + 1);
		CHECK_DBL(state.delay, 1 << run, 0);
		CHECK_DBL(state.next, 1000 * run + (1 << run), 0);
	}
}

static void
only_the_end_of_a_run_is_kept(void)
{
	struct drive drive = { .policy = drive_policy("exponential") };
	struct state state = state_none(&drive.policy.backoff);

	drive.policy.limits.attempts = 3;
	resume(&drive, &state);
	for (int i = 0; i < 2; i++) {
		drive_exit(&drive, 1);
		drive_timer(&drive);
		CHECK(!drive.was_saved);
	}
	drive_exit(&drive, 1);
	CHECK(drive.was_saved);
	state = left(&drive, 3);
	CHECK_INT(state.failures, 3);
	CHECK_DBL(state.next, 7, 0);
}

/* A gate that took its time does not put the next attempt off. */
static void
the_delay_counts_from_the_failure(void)
{
	struct drive drive = { .policy = drive_policy("constant") };
	struct state state = state_none(&drive.policy.backoff);

	drive.policy.gate = true;
	resume(&drive, &state);
	drive_exit(&drive, 1);
	drive_timer(&drive);
	drive.now += 5;
	drive_answer(&drive, VERDICT_STOP);
	CHECK(drive.was_saved);
	state = left(&drive, 100);
	CHECK_DBL(state.delay, 1, 0);
	CHECK_DBL(state.next, 95, 0);
}

static void
a_success_is_kept_and_forgets_the_rest(void)
{
	struct drive drive = { .policy = drive_policy("exponential") };
	const struct state none = state_none(&drive.policy.backoff);
	struct state state = none;
	char text[STATE_TEXT], want[STATE_TEXT];

	state.n = state.failures = 7;
	state.delay = 64;
	state.next = 1000;
	resume(&drive, &state);
	drive_exit(&drive, 0);
	CHECK(drive.was_saved);
	state = left(&drive, 900);
	state_format(&state, text);
	state_format(&none, want);
	CHECK_STR(text, want);
}

/* What the strategy drew last is no level. */
static void
a_success_forgets_the_delay_before(void)
{
	struct drive drive = { .policy = drive_policy("decorrelated") };
	struct state state = state_none(&drive.policy.backoff);

	drive.policy.limits.attempts = 1;
	resume(&drive, &state);
	drive_exit(&drive, 1);
	CHECK(drive.saved.level.previous > 0);
	state = left(&drive, 0);
	resume(&drive, &state);
	drive_exit(&drive, 0);
	CHECK(drive.was_saved);
	CHECK_DBL(drive.saved.level.previous, 0, 0);
}

static void
failures_without_number_stay_so(void)
{
	struct drive drive = { .policy = drive_policy("constant") };
	struct state state = state_none(&drive.policy.backoff);

	drive.policy.limits.attempts = 1;
	state.failures = UINT64_MAX;
	resume(&drive, &state);
	drive_exit(&drive, 1);
	CHECK(drive.saved.failures == UINT64_MAX);
}

static void
a_level_survives_a_success(void)
{
	struct drive drive = { .policy = drive_policy("mimd") };
	struct state state;

	drive.policy.backoff = backoff_of("mimd:up=2,down=0.5");
	drive.policy.limits.attempts = 1;
	state = state_none(&drive.policy.backoff);
	for (int run = 0; run < 4; run++) {
		resume(&drive, &state);
		drive_exit(&drive, 1);
		state = left(&drive, 0);
	}
	CHECK_DBL(state.level.value, 8, 0);
	resume(&drive, &state);
	drive_exit(&drive, 0);
	state = left(&drive, 0);
	CHECK(state.level.begun);
	CHECK_DBL(state.level.value, 4, 0);
	CHECK_DBL(state.delay, 0, 0);
	resume(&drive, &state);
	drive_exit(&drive, 1);
	CHECK_DBL(left(&drive, 0).delay, 8, 0);
}

static void
a_success_on_the_way_is_kept_at_once(void)
{
	struct drive drive = { .policy = drive_policy("exponential") };
	struct state state = state_none(&drive.policy.backoff);

	drive.policy.repeat = true;
	state.n = state.failures = 7;
	resume(&drive, &state);
	drive_exit(&drive, 0);
	CHECK_INT(drive.action.kind, ACTION_WAIT);
	CHECK(drive.was_saved);
	CHECK_INT(drive.saved.n, 0);
	CHECK_INT(drive.saved.failures, 0);
}

static void
a_stop_and_a_signal_keep_what_was_there(void)
{
	for (int i = 0; i < 3; i++) {
		struct drive drive = { .policy = drive_policy("exponential") };
		struct state state = state_none(&drive.policy.backoff);

		ROW("case %d", i);
		set_parse(&drive.policy.rules.stop, "9", NULL);
		resume(&drive, &state);
		if (i == 0)
			drive_exit(&drive, 9);
		if (i > 0) {
			drive_signal(&drive, 15);
			drive_exit(&drive, i == 1 ? 1 : 0);
		}
		CHECK_INT(drive.action.kind, ACTION_FINISH);
		CHECK(!drive.was_saved);
	}
}

static void
what_came_before_the_first_attempt_is_not_kept(void)
{
	for (int i = 0; i < 2; i++) {
		struct drive drive = { .policy = drive_policy("exponential") };

		ROW("case %d", i);
		drive.policy.remember = true;
		drive.policy.early_skip = true;
		drive.policy.max_time = 1;
		drive_start(&drive);
		if (i == 1)
			drive.now = 2;
		drive_answer(&drive, i == 0 ? VERDICT_STOP : VERDICT_SUCCESS);
		CHECK_INT(drive.action.kind, ACTION_FINISH);
		CHECK(!drive.was_saved);
	}
}

static const struct state samples[] = {
	{ .strategy = "exponential" },
	{ .strategy = "exponential:factor=1.6000000000000001",
	    .n = 7,
	    .failures = 9,
	    .delay = 59.795668904711704,
	    .next = 1795271801.496514 },
	{ .strategy = "mimd:up=2,down=0.5",
	    .level = { .value = 1.0 / 3, .begun = true },
	    .n = UINT64_MAX,
	    .failures = UINT64_MAX,
	    .delay = DURATION_MAX,
	    .next = 999999999999999 },
	{ .strategy = "smooth", .level = { .previous = 3.14159 }, .n = 3 },
	{ .strategy = "lild:up=1,down=-1",
	    .level = { .value = 0, .begun = true },
	    .delay = 1e-300 },
};

static void
what_is_remembered_is_read_as_it_was_written(void)
{
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		const struct state *want = &samples[i];
		char text[STATE_TEXT];
		struct state got;

		ROW("sample %zu", i);
		state_format(want, text);
		if (!CHECK_STR(state_parse(text, &got), NULL))
			continue;
		CHECK_STR(got.strategy, want->strategy);
		CHECK_INT(got.level.begun, want->level.begun);
		CHECK_DBL(got.level.value, want->level.value, 0);
		CHECK_DBL(got.level.previous, want->level.previous, 0);
		CHECK(got.n == want->n);
		CHECK(got.failures == want->failures);
		CHECK_DBL(got.delay, want->delay, 0);
		CHECK_DBL(got.next, want->next, 1e-15);
		CHECK(!state_is_newer(text));
	}
}

static void
any_byte_that_changed_is_found(void)
{
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		char text[STATE_TEXT];
		struct state state;

		state_format(&samples[i], text);
		for (size_t byte = 0; byte < strlen(text); byte++)
			for (int bit = 0; bit < 8; bit++) {
				const char was = text[byte];

				ROW("sample %zu, bit %d of byte %zu", i, bit,
				    byte);
				text[byte] ^= (char)(1 << bit);
				CHECK(state_parse(text, &state) != NULL);
				CHECK(!state_is_newer(text));
				text[byte] = was;
			}
		CHECK_STR(state_parse(text, &state), NULL);
	}
}

static void
a_text_that_was_cut_or_goes_on_is_found(void)
{
	char text[STATE_TEXT + 1], cut[STATE_TEXT];
	struct state state;

	state_format(&samples[1], text);
	for (size_t length = 0; length < strlen(text); length++) {
		ROW("%zu bytes", length);
		memcpy(cut, text, length);
		cut[length] = '\0';
		CHECK(state_parse(cut, &state) != NULL);
	}
	strcat(text, "\n");
	CHECK(state_parse(text, &state) != NULL);
}

/* The text with the sum that belongs to it. */
static void
sum_up(const char *text, char summed[STATE_TEXT])
{
	snprintf(summed, STATE_TEXT, "%schecksum %016jx\n", text,
	    (uintmax_t)text_checksum(text, strlen(text)));
}

static void
a_later_version_is_told_from_damage(void)
{
	char text[STATE_TEXT];
	struct state state;

	sum_up("retry-state 3\nwhatever comes\n", text);
	CHECK(state_parse(text, &state) != NULL);
	CHECK(state_is_newer(text));
	text[strlen(text) - 2] ^= 1;
	CHECK(!state_is_newer(text));
	sum_up("retry-state 2\nwhatever was\n", text);
	CHECK(!state_is_newer(text));
	sum_up("retry-states 3\n", text);
	CHECK(!state_is_newer(text));
	CHECK(!state_is_newer(""));
	CHECK(!state_is_newer("retry-state 3\n"));
}

static void
a_state_of_version_1_is_read(void)
{
	char text[STATE_TEXT];
	struct state state;

	sum_up("retry-state 1\nstrategy constant\nlevel none\nprevious 0\nn 3\n"
	       "failures 4\ndelay 1\nnext 1.000000\n",
	    text);
	CHECK_STR(state_parse(text, &state), NULL);
	CHECK_INT(state.n, 3);
	CHECK_INT(state.failures, 4);
	CHECK_INT(state.given_up, 0);
}

/* With a sum that is right. */
static const char *const strange[] = {
	"retry-state 1\nstrategy constant\nlevel nan\nprevious 0\nn 1\n"
	"failures 1\ndelay 1\nnext 1.000000\n",
	"retry-state 1\nstrategy constant\nlevel -1\nprevious 0\nn 1\n"
	"failures 1\ndelay 1\nnext 1.000000\n",
	"retry-state 1\nstrategy constant\nlevel none\nprevious inf\nn 1\n"
	"failures 1\ndelay 1\nnext 1.000000\n",
	"retry-state 1\nstrategy constant\nlevel none\nprevious 0\nn 1\n"
	"failures 1\ndelay nan\nnext 1.000000\n",
	"retry-state 1\nstrategy constant\nlevel none\nprevious 0\nn 1\n"
	"failures 1\ndelay 1000000000\nnext 1.000000\n",
	"retry-state 1\nstrategy constant\nlevel none\nprevious 0\nn 1\n"
	"failures 1\ndelay 1\nnext inf\n",
	"retry-state 1\nstrategy constant\nlevel none\nprevious 0\nn 1\n"
	"failures 1\ndelay 1\nnext 2000000000000000.000000\n",
	"retry-state 1\nstrategy constant\nlevel none\nprevious 0\nn -1\n"
	"failures 1\ndelay 1\nnext 1.000000\n",
	"retry-state 1\nstrategy constant\nlevel none\nprevious 0\n"
	"n 99999999999999999999\nfailures 1\ndelay 1\nnext 1.000000\n",
	"retry-state 1\nstrategy constant\nlevel none\nprevious 0\nn 1\n"
	"failures 1\ndelay 0x1\nnext 1.000000\n",
};

static void
numbers_that_no_run_would_write_are_refused(void)
{
	for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
		char text[STATE_TEXT];
		struct state state;

		ROW("%zu", i);
		sum_up(strange[i], text);
		CHECK(state_parse(text, &state) != NULL);
	}
}

/* As many words as a version of this number would have. */
static void
no_version_is_below_1(void)
{
	struct state state;

	CHECK_STR(state_parse("retry-state -6\n", &state),
	    "is not what was written");
	CHECK_STR(state_parse("", &state), "is not what was written");
}

int
main(void)
{
	RUN(a_strategy_is_named_with_what_was_given_of_its_parameters);
	RUN(long_lists_are_told_apart);
	RUN(a_clock_that_was_set_never_makes_the_wait_longer);
	RUN(each_run_that_gives_up_moves_on);
	RUN(only_the_end_of_a_run_is_kept);
	RUN(the_delay_counts_from_the_failure);
	RUN(a_success_is_kept_and_forgets_the_rest);
	RUN(a_success_forgets_the_delay_before);
	RUN(failures_without_number_stay_so);
	RUN(a_level_survives_a_success);
	RUN(a_success_on_the_way_is_kept_at_once);
	RUN(a_stop_and_a_signal_keep_what_was_there);
	RUN(what_came_before_the_first_attempt_is_not_kept);
	RUN(what_is_remembered_is_read_as_it_was_written);
	RUN(any_byte_that_changed_is_found);
	RUN(a_text_that_was_cut_or_goes_on_is_found);
	RUN(a_later_version_is_told_from_damage);
	RUN(a_state_of_version_1_is_read);
	RUN(numbers_that_no_run_would_write_are_refused);
	RUN(no_version_is_below_1);
	return DONE();
}
