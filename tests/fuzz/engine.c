/* SPDX-License-Identifier: MIT */

/*
 * Lines: the words of a command line; an empty one; then what happens, two
 * bytes an event: its kind, and a number that goes with it.  Only what may
 * happen does: an attempt ends while one runs, an answer follows a question.
 */

#include "options/argv.h"
#include "core/signals.h"
#include "fuzz.h"
#include "laws.h"

/* What is due brings something about: a driver must not spin. */
static void
let_time_pass(struct walk *walk, uint8_t number)
{
	struct drive *drive = &walk->drive;
	const double wake = drive->action.wake;
	const bool due = number < 128 && isfinite(wake);

	if (due)
		drive->now = fmax(drive->now, wake);
	else
		drive->now += ldexp(1, number % 32 - 16);
	walk_step(walk, (struct event){ .kind = EVENT_TIMER });
	if (due && drive->doing != DOING_OVER)
		MUST(drive->action.kind != ACTION_NONE ||
		    drive->action.wake > drive->now);
}

static struct event
any_end(const struct walk *walk, uint8_t kind, uint8_t number)
{
	struct event event = { .kind = EVENT_ENDED, .hint = -1 };
	struct evidence *evidence = &event.evidence;

	evidence->outcome.code = number;
	evidence->outcome.kind =
	    OUTCOME_EXIT + kind % (OUTCOME_UNFORKED - OUTCOME_EXIT + 1);
	if (evidence->outcome.kind == OUTCOME_SIGNAL)
		evidence->outcome.code = 1 + number % 64;
	evidence->matched = walk->drive.policy.rules.matches & number;
	if (kind >= 20)
		event.hint = ldexp(number, kind % 12 - 4);
	return event;
}

static struct event
any_answer(uint8_t number)
{
	return (struct event){ .kind = EVENT_ANSWER,
		.answer = number % 4,
		.state = { .n = number, .delay = number / 64. } };
}

/* What happens of itself now; `kind` is below 32. */
static void
go_on(struct walk *walk, uint8_t kind, uint8_t number)
{
	switch (walk->drive.doing) {
	case DOING_PROCESS:
		walk_step(walk, (struct event){ .kind = EVENT_EXITED });
		break;
	case DOING_LOOK:
		walk_step(walk, (struct event){ .kind = EVENT_GONE });
		break;
	case DOING_COLLECT:
		walk_step(walk,
		    walk->drive.asked ? any_answer(number)
				      : any_end(walk, kind, number));
		break;
	case DOING_QUESTION:
		walk_step(walk, any_answer(number));
		break;
	case DOING_WAIT:
		let_time_pass(walk, 0);
		break;
	case DOING_DELIVERY:
		walk_step(walk, (struct event){ .kind = EVENT_DELIVERED });
		break;
	case DOING_NOTHING:
	case DOING_OVER:
		break;
	}
}

static void
happen(struct walk *walk, uint8_t kind, uint8_t number)
{
	const struct action *action = &walk->drive.action;
	const int signal = 1 + number % 64;

	if (walk->drive.probes && number % 3 == 0) {
		walk_step(walk,
		    (struct event){ .kind = EVENT_PROBED,
			.probe = { .kind = OUTCOME_EXIT,
			    .code = number % 2 } });
		return;
	}

	if (kind % 8 < 5 || action->kind == ACTION_ABANDON ||
	    walk->drive.doing == DOING_QUESTION)
		go_on(walk, kind / 8 % 32, number);
	else if (kind % 8 < 7)
		let_time_pass(walk, number);
	else if (kind == 255)
		walk_step(walk, (struct event){ .kind = EVENT_ERROR });
	else if (kind >= 240)
		walk_step(walk, (struct event){ .kind = EVENT_REAPED });
	else
		walk_step(walk,
		    (struct event){ .kind = EVENT_SIGNAL,
			.signal = signal_ends_run(signal) ? signal : SIGURG,
			.ends_run = signal_ends_run(signal) });
}

static void
run(const struct options *options, const char *script)
{
	struct walk walk = { .begun = 12345.678 };

	walk.drive.policy = options->policy;
	walk.drive.random = options->random;
	walk.drive.now = walk.begun;
	drive_free();
	walk.drive.engine = *drive_engine() = engine_open(&walk.drive.policy,
	    walk.drive.random, drive_hear, &walk.drive);
	MUST(walk.drive.engine != NULL);
	walk_step(&walk, (struct event){ .kind = EVENT_START });
	for (; script[0] != '\0' && script[1] != '\0'; script += 2) {
		if (walk.drive.doing == DOING_OVER)
			break;
		happen(&walk, (uint8_t)script[0], (uint8_t)script[1]);
	}
	drive_free();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text;
	char *words[FUZZ_WORDS], problem[ARGV_PROBLEM];
	const int count = fuzz_words(&rest, words);
	struct options options;

	if (argv_parse(count, words, &options, problem) == 0 && !options.help &&
	    !options.version)
		run(&options, rest);
	options_free(&options);
	free(text);
	return 0;
}
