#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/chart.h"
#include "cli/plan.h"
#include "cli/script.h"
#include "core/duration.h"
#include "core/engine.h"
#include "core/number.h"
#include "core/text.h"

/* A plan without an end stops after the last item came this many times. */
#define PLAN_ATTEMPTS 100

/* The largest draw. */
#define ALMOST_1 (1 - 0x1p-53)

/* One way through the run. */
struct plan {
	struct policy policy;
	struct engine *engine;
	struct script script;
	struct event event; /* the next one */
	struct outcome outcome;
	struct record end;
	bool over;	/* END was told, which is in `end` */
	bool slow;	/* attempts take as long as they may */
	bool unlimited; /* slow: something may take as long as it likes */
};

static void
begin(struct plan *plan, const struct options *options, struct random random)
{
	const char *script = options->plan_script;

	*plan = (struct plan){
		.policy = options->policy,
		.event.kind = EVENT_START,
	};
	script_open(&plan->script, script == NULL ? "1" : script);
	plan->engine = engine_open(&plan->policy, random);
	if (plan->engine == NULL)
		abort();
}

/* The attempt ends by itself, or at its deadline. */
static void
run_attempt(struct plan *plan, double deadline)
{
	const struct outcome timed_out = { OUTCOME_TIMEOUT, 0 };
	const bool limited = deadline < INFINITY;
	double end = plan->event.now;

	script_next(&plan->script);
	plan->outcome = plan->script.scene.outcome;
	end += plan->script.scene.duration;
	if (plan->outcome.kind == OUTCOME_TIMEOUT && limited)
		end = number_max(end, deadline);
	if (end >= deadline) {
		end = deadline;
		plan->outcome = timed_out;
		engine_step(plan->engine,
		    (struct event){ .kind = EVENT_TIMER, .now = end });
	}
	if (plan->slow && limited)
		end = deadline + plan->policy.kill_after;
	if (!limited || plan->policy.kill_after == 0)
		plan->unlimited = true;
	plan->event = (struct event){ .kind = EVENT_EXITED, .now = end };
}

/* A check is taken to agree with the exit status; nothing else says no. */
static enum verdict
answer(const struct plan *plan, enum question question)
{
	const struct outcome outcome = plan->outcome;

	if (question == ASK_CHECK &&
	    !(outcome.kind == OUTCOME_EXIT && outcome.code == 0))
		return VERDICT_RETRY;
	return VERDICT_SUCCESS;
}

/*
 * A run may go on for ever even if attempts are limited: successes and some
 * failures use up none.
 */
static bool
goes_on(const struct plan *plan)
{
	return plan->script.repeated >= PLAN_ATTEMPTS &&
	    plan->script.repeated >= plan->policy.attempts;
}

/* Finds the event that the action leads to on the imaginary clock. */
static void
follow(struct plan *plan, const struct action *action)
{
	struct event *event = &plan->event;
	const double now = event->now;

	switch (action->kind) {
	case ACTION_RUN:
		run_attempt(plan, action->wake);
		break;
	case ACTION_ASK:
		*event = (struct event){ .kind = EVENT_ANSWER,
			.now = now,
			.answer = answer(plan, action->question) };
		break;
	case ACTION_CLEAN:
	case ACTION_ABANDON:
		*event = (struct event){ .kind = EVENT_CLEAN, .now = now };
		break;
	case ACTION_COLLECT:
		*event = (struct event){ .kind = EVENT_ENDED,
			.now = now,
			.hint = -1,
			.evidence.outcome = plan->outcome };
		break;
	case ACTION_DELIVER:
		*event = (struct event){ .kind = EVENT_DELIVERED, .now = now };
		break;
	case ACTION_WAIT:
		/* A wait is the last thing that a plan shows. */
		*event =
		    (struct event){ .kind = EVENT_TIMER, .now = action->wake };
		if (script_ended(&plan->script) || goes_on(plan))
			*event =
			    (struct event){ .kind = EVENT_PLANNED, .now = now };
		break;
	case ACTION_NONE:
	case ACTION_KILL:
	case ACTION_FINISH:
		break;
	}
}

/* Takes the next step; false after the end. */
static bool
next(struct plan *plan, struct step *step)
{
	if (plan->over)
		return false;
	*step = engine_step(plan->engine, plan->event);
	if (step->action.kind != ACTION_FINISH) {
		follow(plan, &step->action);
		return true;
	}
	plan->end = engine_record(plan->engine, plan->event.now);
	plan->over = true;
	return true;
}

/* The end of a run of which each draw is `u`. */
static void
hurry(struct plan *plan, const struct options *options, double u, bool slow)
{
	const struct random random = { .script = &u, .script_length = 1 };
	struct step step;

	begin(plan, options, random);
	plan->slow = slow;
	/* It would end such a run before its limit is known. */
	if (slow)
		plan->policy.max_time = 0;
	while (next(plan, &step))
		continue;
	engine_close(plan->engine);
}

/* What is planned, in the words of the options. */
static void
print_heading(const struct options *options)
{
	const struct policy *policy = &options->policy;
	const char *command = *options->command;
	const char *jitter = options->text[OPTION_JITTER];
	char text[MESSAGE_PART];

	printf("Plan");
	if (command != NULL)
		printf(" for %s", text_safe(command, text, sizeof(text)));
	if (policy->attempts > 0)
		printf(": at most %ju attempt%s", (uintmax_t)policy->attempts,
		    policy->attempts == 1 ? "" : "s");
	else
		printf(": attempts without limit");
	if (policy->max_time > 0)
		printf(" within %s", duration_text(policy->max_time, text));
	printf(", %s",
	    text_safe(options->text[OPTION_BACKOFF], text, sizeof(text)));
	if (!policy->backoff.strategy->listed)
		printf(" from %s", duration_text(policy->backoff.base, text));
	if (policy->jitter.kind->fixed)
		printf(", no jitter");
	else
		printf(", jitter %s",
		    jitter == NULL ? "20%"
				   : text_safe(jitter, text, sizeof(text)));
	printf("\n\n");
}

static void
print_time(const struct record *end)
{
	const bool waits = end->elapsed > 0 && end->elapsed == end->waited;
	char text[MESSAGE_PART];

	printf("%s%s", duration_text(end->elapsed, text),
	    waits ? " of waiting" : "");
}

static void
print_totals(const struct record *end, const struct options *options)
{
	const double max_time = options->policy.max_time;
	const double last = max_time + options->policy.kill_after;
	struct plan plan;
	char text[MESSAGE_PART];

	printf("\nresult    %s\n", message_end(end).text);

	/* The delays are linear in their draws, or nearly so. */
	hurry(&plan, options, 0.5, false);
	printf("expected  ");
	print_time(&plan.end);

	hurry(&plan, options, ALMOST_1, true);
	const bool endless = plan.end.reason == REASON_PLAN && goes_on(&plan);
	printf("\nlongest   ");
	if (max_time > 0 &&
	    (endless || plan.unlimited || plan.end.elapsed > last)) {
		printf("%s, by --max-time%s\n", duration_text(last, text),
		    last > max_time ? " and --kill-after" : "");
		return;
	}
	if (endless) {
		printf("for ever: no limit on attempts or time is reached\n");
		return;
	}
	print_time(&plan.end);
	printf("%s\n",
	    plan.unlimited ? "; nothing limits the attempts themselves"
			   : ", each attempt being ended by its timeout");
}

/* A log has stdout. */
static bool
is_silent(const struct options *options)
{
	for (size_t i = 0; i < options->log_count; i++)
		if (options->logs[i].file == NULL)
			return true;
	return false;
}

/* Whether the table has a row for this record. */
static bool
has_row(const struct record *record)
{
	return record->kind == RECORD_OUTCOME ||
	    (record->kind == RECORD_WAIT && record->attempt == 0);
}

/*
 * Goes through the run, either to measure its table or to print it; not on
 * after a write to stdout failed, so that errno still says why.
 */
static struct record
go(const struct options *options, struct chart *chart, struct report *logs)
{
	struct plan plan;
	struct step step;
	double now = 0;

	begin(&plan, options, options->random);
	for (; !ferror(stdout) && next(&plan, &step); now = plan.event.now) {
		/* A plan has no process: its attempts are told as they begin. */
		if (step.action.kind == ACTION_RUN) {
			struct record *record = &step.records[step.count++];

			*record = engine_record(plan.engine, now);
			record->kind = RECORD_ATTEMPT;
		}
		for (int i = 0; i < step.count; i++) {
			struct record *record = &step.records[i];

			record->time = record->elapsed;
			if (logs != NULL)
				report_tell(logs, record);
			if (chart == NULL || !has_row(record))
				continue;
			if (logs == NULL)
				chart_measure(chart, record);
			else
				chart_print(chart, record);
		}
	}
	engine_close(plan.engine);
	return plan.end;
}

void
plan_run(const struct options *options, struct report *report,
    const struct screen *screen)
{
	struct chart chart = { .screen = screen };
	const bool silent = is_silent(options);

	if (!silent) {
		go(options, &chart, NULL);
		print_heading(options);
		chart_print_head(&chart);
	}
	const struct record end = go(options, silent ? NULL : &chart, report);
	if (!silent && !ferror(stdout))
		print_totals(&end, options);
}
