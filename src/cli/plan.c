#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/chart.h"
#include "cli/phrase.h"
#include "cli/plan.h"
#include "cli/script.h"
#include "core/number.h"
#include "core/text.h"

/* An unlimited plan ends once the last item was repeated so often. */
#define PLAN_ATTEMPTS 100

/* The largest draw. */
#define ALMOST_1 (1 - 0x1p-53)

/* One way through the run. */
struct plan {
	const struct options *options;
	struct policy policy;
	struct engine engine;
	struct script script;
	struct event event; /* the next one */
	double now;
	bool slow;	/* attempts take as long as they may */
	bool unlimited; /* slow: something may take as long as it likes */
};

static void
begin(struct plan *plan, const struct options *options)
{
	const char *script = options->plan_script;

	*plan = (struct plan){
		.options = options,
		.policy = options->policy,
		.event.kind = EVENT_START,
	};
	script_open(&plan->script, script == NULL ? "1" : script);
	engine_init(&plan->engine, &plan->policy, options->random);
}

/* The attempt ends by itself, or at its deadline. */
static struct event
attempt(struct plan *plan, double deadline)
{
	struct outcome outcome = plan->script.scene.outcome;
	double end = plan->now + plan->script.scene.duration;
	const bool limited = deadline < INFINITY;

	if (outcome.kind == OUTCOME_TIMEOUT && limited)
		end = number_max(end, deadline);
	if (end >= deadline) {
		end = deadline;
		outcome = (struct outcome){ OUTCOME_TIMEOUT, 0 };
		engine_step(&plan->engine,
		    (struct event){ .kind = EVENT_TIMER, .now = end });
	}
	if (plan->slow && limited)
		end = deadline + plan->policy.kill_after;
	if (!limited || plan->policy.kill_after == 0)
		plan->unlimited = true;
	return (struct event){
		.kind = EVENT_ENDED,
		.now = end,
		.hint = -1,
		.evidence.outcome = outcome,
	};
}

/* A check is taken to agree with the exit status; nothing else says no. */
static enum verdict
answer(const struct plan *plan, enum question question)
{
	const struct outcome outcome = plan->engine.evidence.outcome;

	if (question == ASK_CHECK &&
	    !(outcome.kind == OUTCOME_EXIT && outcome.code == 0))
		return VERDICT_RETRY;
	return VERDICT_SUCCESS;
}

/* The event that the action leads to on the imaginary clock. */
static struct event
follow(struct plan *plan, const struct action *action)
{
	switch (action->kind) {
	case ACTION_RUN:
		script_next(&plan->script);
		return attempt(plan, action->wake);
	case ACTION_ASK:
		return (struct event){
			.kind = EVENT_ANSWER,
			.now = plan->now,
			.answer = answer(plan, action->question),
		};
	case ACTION_DELIVER:
		return (
		    struct event){ .kind = EVENT_DELIVERED, .now = plan->now };
	case ACTION_NONE:
	case ACTION_WAIT:
	case ACTION_KILL:
	case ACTION_FINISH:
		break;
	}
	return (struct event){ .kind = EVENT_TIMER, .now = action->wake };
}

/*
 * A run may go on for ever even where attempts are limited: successes and some
 * failures use up none.
 */
static bool
goes_on(const struct plan *plan)
{
	return plan->script.repeated >= PLAN_ATTEMPTS &&
	    plan->script.repeated >= plan->policy.attempts;
}

/* The wait is the last thing that the plan shows. */
static bool
ends_here(const struct plan *plan, const struct action *action)
{
	return action->kind == ACTION_WAIT &&
	    (script_ended(&plan->script) || goes_on(plan));
}

/* The next action; false after the end, whose reason may be the plan. */
static bool
step(struct plan *plan, struct action *action)
{
	if (plan->engine.reason != REASON_NONE)
		return false;
	plan->now = plan->event.now;
	*action = engine_step(&plan->engine, plan->event);
	if (ends_here(plan, action))
		plan->engine.reason = REASON_PLAN;
	else if (action->kind != ACTION_FINISH)
		plan->event = follow(plan, action);
	return true;
}

/* What a run would report, with a clock that starts at 0. */
static void
tell(struct report *report, const struct plan *plan,
    const struct action *action)
{
	struct news news = {
		.time = plan->now,
		.elapsed = plan->now,
		.user = NAN,
		.system = NAN,
	};

	if (action->kind == ACTION_RUN) {
		news.kind = NEWS_ATTEMPT;
		report_tell(report, &news);
		return;
	}
	report_step(report, *action, news);
	if (plan->engine.reason == REASON_PLAN) {
		news.kind = NEWS_END;
		report_tell(report, &news);
	}
}

/* Goes all the way with each draw being `u`. */
static void
hurry(struct plan *plan, double u)
{
	const struct random random = { .script = &u, .script_length = 1 };
	struct action action;

	engine_init(&plan->engine, &plan->policy, random);
	while (step(plan, &action))
		;
}

/* What is planned, in the words of the options. */
static void
print_heading(const struct options *options)
{
	const struct policy *policy = &options->policy;
	const char *command = *options->command;
	const char *jitter = options->text[OPTION_JITTER];
	char text[PHRASE];

	printf("Plan");
	if (command != NULL)
		printf(" for %s", text_safe(command, text, sizeof(text)));
	if (policy->attempts > 0)
		printf(": at most %ju attempt%s", (uintmax_t)policy->attempts,
		    policy->attempts == 1 ? "" : "s");
	else
		printf(": attempts without limit");
	if (policy->max_time > 0)
		printf(" within %s", phrase_seconds(policy->max_time, text));
	printf(", %s",
	    text_safe(options->text[OPTION_BACKOFF], text, sizeof(text)));
	if (!policy->backoff.strategy->listed)
		printf(" from %s", phrase_seconds(policy->backoff.base, text));
	if (policy->jitter.kind->fixed)
		printf(", no jitter");
	else
		printf(", jitter %s",
		    jitter == NULL ? "20%"
				   : text_safe(jitter, text, sizeof(text)));
	printf("\n\n");
}

static void
print_time(const struct plan *plan)
{
	const bool waits = plan->now > 0 && plan->now == plan->engine.waited;
	char text[PHRASE];

	printf("%s%s", phrase_seconds(plan->now, text),
	    waits ? " of waiting" : "");
}

/* The delays are linear in their draws, or nearly so. */
static void
print_expected(const struct options *options)
{
	struct plan plan;

	begin(&plan, options);
	hurry(&plan, 0.5);
	printf("expected  ");
	print_time(&plan);
	putchar('\n');
}

/* --max-time is put aside: it would end such a run before its limit. */
static void
print_longest(const struct options *options)
{
	const double max_time = options->policy.max_time;
	const double end = max_time + options->policy.kill_after;
	struct plan plan;
	char text[PHRASE];

	begin(&plan, options);
	plan.slow = true;
	plan.policy.max_time = 0;
	hurry(&plan, ALMOST_1);
	const bool endless =
	    plan.engine.reason == REASON_PLAN && goes_on(&plan);
	printf("longest   ");
	if (max_time > 0 && (endless || plan.unlimited || plan.now > end)) {
		printf("%s, by --max-time%s\n", phrase_seconds(end, text),
		    end > max_time ? " and --kill-after" : "");
		return;
	}
	if (endless) {
		printf("for ever: no limit on attempts or time is reached\n");
		return;
	}
	print_time(&plan);
	printf("%s\n",
	    plan.unlimited ? "; nothing limits the attempts themselves"
			   : ", each attempt being ended by its timeout");
}

static void
print_totals(const struct plan *plan, const struct options *options)
{
	char text[PHRASE_END];

	printf("\nresult    %s\n", phrase_end(&plan->engine, plan->now, text));
	print_expected(options);
	print_longest(options);
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

static void
measure(struct chart *chart, const struct options *options)
{
	struct action action;
	struct plan plan;

	begin(&plan, options);
	while (step(&plan, &action))
		if (action.judged || action.kind == ACTION_WAIT)
			chart_measure(chart, &plan.engine);
}

void
plan_run(const struct options *options, const struct report *report,
    const struct screen *screen)
{
	const bool silent = is_silent(options);
	struct chart chart = { .screen = screen };
	struct report logs = *report;
	struct action action;
	struct plan plan;

	if (!silent) {
		measure(&chart, options);
		print_heading(options);
		chart_print_head(&chart);
	}
	begin(&plan, options);
	logs.engine = &plan.engine;
	report_tell(&logs, &(struct news){ .kind = NEWS_START });
	while (step(&plan, &action)) {
		tell(&logs, &plan, &action);
		if (!silent && (action.judged || action.kind == ACTION_WAIT))
			chart_print(&chart, &plan.engine);
	}
	if (!silent)
		print_totals(&plan, options);
	report_close(&logs);
}
