/*
 * Lines: the words of a command line; an empty one; then what happens, two
 * bytes an event: its kind, and a number that goes with it.  Only what may
 * happen does: an attempt ends while one runs, an answer follows a question.
 */

#include "cli/options.h"
#include "core/signals.h"
#include "drive.h"
#include "fuzz.h"

struct fuzz {
	struct drive drive;
	double begun;
	uint64_t attempts; /* that were begun */
};

static double
run_end(const struct fuzz *fuzz)
{
	const struct policy *policy = &fuzz->drive.policy;

	return policy->max_time > 0
	    ? fuzz->begun + policy->splay + policy->max_time
	    : INFINITY;
}

static void
check_wait(const struct fuzz *fuzz)
{
	const struct record *run = &fuzz->drive.run;
	const struct delay *delay = &run->delay;

	MUST(run->waits);
	MUST(delay->nominal >= 0 && isfinite(delay->nominal));
	MUST(delay->low >= 0 && delay->low <= delay->seconds);
	MUST(delay->seconds <= delay->high && isfinite(delay->high));
	MUST(delay->seconds >= delay->hint);
	MUST(fuzz->drive.action.wake >= fuzz->drive.now);
	MUST(fuzz->drive.action.wake <= fuzz->drive.now + delay->seconds);
	MUST(isfinite(run->waited) && run->waited >= 0);
}

static void
check_run(struct fuzz *fuzz)
{
	const struct record *run = &fuzz->drive.run;

	MUST(run->attempt == ++fuzz->attempts);
	MUST(run->limit == 0 || run->used <= run->limit);
	MUST(fuzz->drive.now < run_end(fuzz));
	MUST(fuzz->drive.action.wake >= fuzz->drive.now);
	MUST(fuzz->drive.action.wake <= run_end(fuzz));
	MUST(run->ended_by == 0);
}

static void
check_finish(const struct fuzz *fuzz)
{
	const struct record *run = &fuzz->drive.run;
	const bool preserves = fuzz->drive.policy.preserve_status;

	MUST(run->reason != REASON_NONE);
	MUST(run->status >= 0 && run->status <= 255);
	MUST(run->death == 0 || run->status == 128 + run->death);
	if (run->status == 0)
		MUST(run->reason == REASON_SUCCESS ||
		    run->reason == REASON_SIGNAL);
	if (run->reason == REASON_SUCCESS)
		MUST(run->status == 0 || preserves);
	MUST(run->failures <= run->attempt);
}

static void
step(struct fuzz *fuzz, struct event event)
{
	const struct action *action = &fuzz->drive.action;

	fuzz->drive.judged = false;
	drive_event(&fuzz->drive, event);
	MUST(!isnan(action->wake));
	if (fuzz->drive.judged)
		MUST(fuzz->drive.run.judgement.verdict != VERDICT_NONE);
	switch (action->kind) {
	case ACTION_NONE:
	case ACTION_ASK:
	case ACTION_CLEAN:
	case ACTION_ABANDON:
	case ACTION_COLLECT:
		break;
	case ACTION_RUN:
		check_run(fuzz);
		break;
	case ACTION_WAIT:
		check_wait(fuzz);
		break;
	case ACTION_KILL:
		MUST(action->signal == SIGKILL ||
		    action->signal == fuzz->drive.policy.signal);
		break;
	case ACTION_DELIVER:
		MUST(fuzz->drive.policy.delivery != DELIVERY_NONE);
		break;
	case ACTION_FINISH:
		check_finish(fuzz);
		break;
	}
}

/* What is due brings something about: a driver must not spin. */
static void
let_time_pass(struct fuzz *fuzz, uint8_t number)
{
	struct drive *drive = &fuzz->drive;
	const double wake = drive->action.wake;
	const bool due = number < 128 && isfinite(wake);

	if (due)
		drive->now = fmax(drive->now, wake);
	else
		drive->now += ldexp(1, number % 32 - 16);
	step(fuzz, (struct event){ .kind = EVENT_TIMER });
	if (due && drive->doing != DOING_OVER)
		MUST(drive->action.kind != ACTION_NONE ||
		    drive->action.wake > drive->now);
}

static struct event
any_end(const struct fuzz *fuzz, uint8_t kind, uint8_t number)
{
	struct event event = { .kind = EVENT_ENDED, .hint = -1 };
	struct evidence *evidence = &event.evidence;

	evidence->outcome.code = number;
	evidence->outcome.kind =
	    OUTCOME_EXIT + kind % (OUTCOME_UNFORKED - OUTCOME_EXIT + 1);
	if (evidence->outcome.kind == OUTCOME_SIGNAL)
		evidence->outcome.code = 1 + number % 64;
	evidence->matched = fuzz->drive.policy.rules.matches & number;
	if (kind >= 20) {
		event.hint = ldexp(number, kind % 12 - 4);
		event.healthy = number % 5 == 0;
		evidence->control = number % 4;
	}
	return event;
}

static struct event
any_answer(uint8_t number)
{
	return (struct event){ .kind = EVENT_ANSWER,
		.answer = number % 4,
		.progress = { .n = number, .delay = number / 64. } };
}

/* What happens of itself now; `kind` is below 32. */
static void
go_on(struct fuzz *fuzz, uint8_t kind, uint8_t number)
{
	switch (fuzz->drive.doing) {
	case DOING_PROCESS:
		step(fuzz, (struct event){ .kind = EVENT_EXITED });
		break;
	case DOING_CLEAN:
		step(fuzz, (struct event){ .kind = EVENT_CLEAN });
		break;
	case DOING_COLLECT:
		step(fuzz,
		    fuzz->drive.asked ? any_answer(number)
				      : any_end(fuzz, kind, number));
		break;
	case DOING_QUESTION:
		step(fuzz, any_answer(number));
		break;
	case DOING_WAIT:
		let_time_pass(fuzz, 0);
		break;
	case DOING_DELIVERY:
		step(fuzz, (struct event){ .kind = EVENT_DELIVERED });
		break;
	case DOING_NOTHING:
	case DOING_OVER:
		break;
	}
}

static void
happen(struct fuzz *fuzz, uint8_t kind, uint8_t number)
{
	const struct action *action = &fuzz->drive.action;
	const int signal = 1 + number % 64;

	if (kind % 8 < 5 || action->kind == ACTION_ABANDON ||
	    fuzz->drive.doing == DOING_QUESTION)
		go_on(fuzz, kind / 8 % 32, number);
	else if (kind % 8 < 7)
		let_time_pass(fuzz, number);
	else if (kind == 255)
		step(fuzz, (struct event){ .kind = EVENT_ERROR });
	else if (kind >= 240)
		step(fuzz, (struct event){ .kind = EVENT_REAPED });
	else
		step(fuzz,
		    (struct event){ .kind = EVENT_SIGNAL,
			.signal = signal_ends_run(signal) ? signal : SIGURG,
			.ends_run = signal_ends_run(signal) });
}

static void
run(const struct options *options, const char *script)
{
	struct fuzz fuzz = { .begun = 12345.678 };

	fuzz.drive.policy = options->policy;
	fuzz.drive.random = options->random;
	fuzz.drive.now = fuzz.begun;
	drive_free();
	fuzz.drive.engine = *drive_engine() =
	    engine_open(&fuzz.drive.policy, fuzz.drive.random);
	MUST(fuzz.drive.engine != NULL);
	step(&fuzz, (struct event){ .kind = EVENT_START });
	for (; script[0] != '\0' && script[1] != '\0'; script += 2) {
		if (fuzz.drive.doing == DOING_OVER)
			break;
		happen(&fuzz, (uint8_t)script[0], (uint8_t)script[1]);
	}
	drive_free();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text;
	char *words[FUZZ_WORDS], problem[OPTIONS_PROBLEM];
	const int count = fuzz_words(&rest, words);
	struct options options;

	if (options_parse(count, words, &options, problem) == 0 &&
	    !options.help && !options.version)
		run(&options, rest);
	options_free(&options);
	free(text);
	return 0;
}
