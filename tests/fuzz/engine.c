/*
 * Lines: the words of a command line; an empty one; then what happens, two
 * bytes an event: its kind, and a number that goes with it.  Only what may
 * happen does: an attempt ends while one runs, an answer follows a question.
 */

#include <math.h>
#include <signal.h>

#include "cli/options.h"
#include "core/engine.h"
#include "core/signals.h"
#include "fuzz.h"

struct fuzz {
	struct engine engine;
	struct action action;
	double now;
	uint64_t attempts; /* that were begun */
};

static double
run_end(const struct fuzz *fuzz)
{
	const double limit = fuzz->engine.policy->max_time;

	return limit > 0 ? fuzz->engine.begun + limit : INFINITY;
}

static void
check_wait(const struct fuzz *fuzz)
{
	const struct engine *engine = &fuzz->engine;
	const struct delay *delay = &engine->delay;

	MUST(engine->state == STATE_WAITING);
	MUST(delay->nominal >= 0 && isfinite(delay->nominal));
	MUST(delay->low >= 0 && delay->low <= delay->seconds);
	MUST(delay->seconds <= delay->high && isfinite(delay->high));
	MUST(delay->seconds >= delay->hint);
	MUST(fuzz->action.wake >= fuzz->now);
	MUST(fuzz->action.wake <= fuzz->now + delay->seconds);
	MUST(isfinite(engine->waited) && engine->waited >= 0);
}

static void
check_run(struct fuzz *fuzz)
{
	const struct engine *engine = &fuzz->engine;

	MUST(engine->state == STATE_RUNNING);
	MUST(engine->attempt == ++fuzz->attempts);
	MUST(engine->policy->attempts == 0 ||
	    engine->used <= engine->policy->attempts);
	MUST(fuzz->now < run_end(fuzz));
	MUST(fuzz->action.wake >= fuzz->now);
	MUST(fuzz->action.wake <= run_end(fuzz));
	MUST(engine->signal == 0);
}

static void
check_finish(const struct fuzz *fuzz)
{
	const struct engine *engine = &fuzz->engine;

	MUST(engine->state == STATE_FINISHED);
	MUST(engine->reason != REASON_NONE);
	MUST(engine->status >= 0 && engine->status <= 255);
	MUST(engine->death == 0 || engine->status == 128 + engine->death);
	if (engine->status == 0)
		MUST(engine->reason == REASON_SUCCESS ||
		    engine->reason == REASON_SIGNAL);
	if (engine->reason == REASON_SUCCESS)
		MUST(engine->status == 0);
	MUST(engine->failures <= engine->attempt);
}

static void
check(struct fuzz *fuzz)
{
	const struct action *action = &fuzz->action;

	MUST(!isnan(action->wake));
	if (action->judged) {
		MUST(fuzz->engine.judgement.verdict != VERDICT_NONE);
		MUST(action->kind == ACTION_WAIT ||
		    action->kind == ACTION_DELIVER ||
		    action->kind == ACTION_FINISH);
	}
	switch (action->kind) {
	case ACTION_NONE:
		break;
	case ACTION_RUN:
		check_run(fuzz);
		break;
	case ACTION_ASK:
		MUST(fuzz->engine.state == STATE_ASKING);
		break;
	case ACTION_WAIT:
		check_wait(fuzz);
		break;
	case ACTION_KILL:
		MUST(fuzz->engine.ending);
		MUST(action->signal == SIGKILL ||
		    action->signal == fuzz->engine.policy->signal);
		break;
	case ACTION_DELIVER:
		MUST(fuzz->engine.state == STATE_DELIVERING);
		MUST(fuzz->engine.policy->holds);
		break;
	case ACTION_FINISH:
		check_finish(fuzz);
		break;
	}
}

static void
step(struct fuzz *fuzz, struct event event)
{
	event.now = fuzz->now;
	fuzz->action = engine_step(&fuzz->engine, event);
	check(fuzz);
}

/* What is due brings something about: a driver must not spin. */
static void
let_time_pass(struct fuzz *fuzz, uint8_t number)
{
	const double wake = fuzz->action.wake;
	const bool due = number < 128 && isfinite(wake);

	if (due)
		fuzz->now = fmax(fuzz->now, wake);
	else
		fuzz->now += ldexp(1, number % 32 - 16);
	step(fuzz, (struct event){ .kind = EVENT_TIMER });
	if (due && fuzz->engine.state != STATE_FINISHED)
		MUST(fuzz->action.kind != ACTION_NONE ||
		    fuzz->action.wake > fuzz->now);
}

static void
end_attempt(struct fuzz *fuzz, uint8_t kind, uint8_t number)
{
	struct event event = { .kind = EVENT_ENDED, .hint = -1 };
	struct evidence *evidence = &event.evidence;

	evidence->outcome.code = number;
	evidence->outcome.kind = fuzz->engine.ending
	    ? OUTCOME_TIMEOUT
	    : OUTCOME_EXIT + kind % (OUTCOME_UNFORKED - OUTCOME_EXIT + 1);
	if (evidence->outcome.kind == OUTCOME_SIGNAL)
		evidence->outcome.code = 1 + number % 64;
	evidence->matched = fuzz->engine.policy->rules.matches & number;
	if (kind >= 20) {
		event.hint = ldexp(number, kind % 12 - 4);
		event.healthy = number % 5 == 0;
		evidence->control = number % 4;
	}
	step(fuzz, event);
}

/* What happens of itself in this state; `kind` is below 32. */
static void
go_on(struct fuzz *fuzz, uint8_t kind, uint8_t number)
{
	switch (fuzz->engine.state) {
	case STATE_RUNNING:
		end_attempt(fuzz, kind, number);
		break;
	case STATE_ASKING:
		step(fuzz,
		    (struct event){ .kind = EVENT_ANSWER,
			.answer = VERDICT_SUCCESS + number % 3 });
		break;
	case STATE_WAITING:
		let_time_pass(fuzz, 0);
		break;
	case STATE_DELIVERING:
		step(fuzz, (struct event){ .kind = EVENT_DELIVERED });
		break;
	case STATE_IDLE:
	case STATE_FINISHED:
		break;
	}
}

static void
happen(struct fuzz *fuzz, uint8_t kind, uint8_t number)
{
	int signal = 1 + number % 64;

	if (kind % 8 < 5)
		go_on(fuzz, kind / 8, number);
	else if (kind % 8 < 7)
		let_time_pass(fuzz, number);
	else if (kind == 255)
		step(fuzz, (struct event){ .kind = EVENT_ERROR });
	else {
		if (!signal_ends_run(signal))
			signal = SIGURG;
		step(fuzz,
		    (struct event){ .kind = EVENT_SIGNAL, .signal = signal });
	}
}

static void
run(const struct options *options, const char *script)
{
	struct fuzz fuzz = { .now = 12345.678 };

	engine_init(&fuzz.engine, &options->policy, options->random);
	step(&fuzz, (struct event){ .kind = EVENT_START });
	for (; script[0] != '\0' && script[1] != '\0'; script += 2) {
		if (fuzz.engine.state == STATE_FINISHED)
			break;
		happen(&fuzz, (uint8_t)script[0], (uint8_t)script[1]);
	}
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
