#include <err.h>
#include <errno.h>
#include <math.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/phrase.h"
#include "cli/plan.h"
#include "core/duration.h"

/* An unlimited plan ends after so many attempts. */
#define PLAN_ATTEMPTS 100

/* OUTCOME[:DURATION][*COUNT] */
struct scene {
	struct outcome outcome;
	double duration;
	uint64_t count; /* 0: for ever */
};

struct plan {
	struct engine engine;
	const char *script; /* what is left of it */
	struct scene scene;
	uint64_t left; /* of the scene's count */
	bool ended;    /* the script did */
	double now;
};

/* Any outcome that is in the set. */
static struct outcome
example_of(const struct set *set)
{
	struct outcome outcome = { OUTCOME_EXIT, 0 };

	for (int status = 1; status <= 256; status++) {
		outcome.code = status % 256;
		if (set_has(set, outcome))
			return outcome;
	}
	outcome.kind = OUTCOME_SIGNAL;
	for (outcome.code = 1; outcome.code <= 64; outcome.code++)
		if (set_has(set, outcome))
			return outcome;
	if (set->timeout)
		return (struct outcome){ OUTCOME_TIMEOUT, 0 };
	if (set->unforked)
		return (struct outcome){ OUTCOME_UNFORKED, EAGAIN };
	return (struct outcome){ OUTCOME_UNSTARTABLE, ENOENT };
}

static const char *
parse_count(const char *text, uint64_t *count)
{
	const char *problem;

	if (*text == '\0' || strspn(text, "0123456789") != strlen(text))
		return "is no count";
	*count = (uint64_t)strtonum(text, 1, INT64_MAX, &problem);
	return problem == NULL ? NULL : "is no count";
}

/* Reads the script's first scene and moves behind it. */
static const char *
next_scene(const char **script, struct scene *scene)
{
	const size_t length = strcspn(*script, ",");
	char text[64], *star, *colon;
	const char *problem = NULL;
	struct set set;

	*scene = (struct scene){ .count = 0 };
	if (length >= sizeof(text))
		return "has too long an item";
	memcpy(text, *script, length);
	text[length] = '\0';
	*script += length + ((*script)[length] == ',');
	if ((star = strchr(text, '*')) != NULL) {
		*star = '\0';
		problem = parse_count(star + 1, &scene->count);
	}
	if ((colon = strchr(text, ':')) != NULL) {
		*colon = '\0';
		if (problem == NULL)
			problem = duration_parse(colon + 1, &scene->duration);
	}
	if (problem == NULL)
		problem = set_item(&set, text, (int)strlen(text));
	if (problem == NULL)
		scene->outcome = example_of(&set);
	return problem;
}

/* Reads the whole script once, so that nothing is printed of a bad one. */
static const char *
check_script(const char *script)
{
	const char *problem = NULL;
	struct scene scene;

	while (problem == NULL && *script != '\0') {
		const char *comma = strchr(script, ',');

		problem = next_scene(&script, &scene);
		if (problem == NULL && comma != NULL && comma[1] == '\0')
			problem = "ends with a comma";
	}
	return problem;
}

/* What happens in the next attempt; false where the script ends before it. */
static bool
plan_next(struct plan *plan)
{
	if (plan->left > 0) {
		plan->left--;
		return true;
	}
	if (*plan->script == '\0')
		return plan->scene.count == 0;
	next_scene(&plan->script, &plan->scene);
	if (plan->scene.count > 0)
		plan->left = plan->scene.count - 1;
	else if (*plan->script != '\0')
		plan->left = 0;
	return true;
}

/* The attempt that begins now: it ends by itself, or at its deadline. */
static struct event
plan_attempt(struct plan *plan, double deadline)
{
	struct outcome outcome = plan->scene.outcome;
	double end = plan->now + plan->scene.duration;

	if (outcome.kind == OUTCOME_TIMEOUT && deadline < INFINITY)
		end = fmax(end, deadline);
	if (end >= deadline) {
		end = deadline;
		outcome = (struct outcome){ OUTCOME_TIMEOUT, 0 };
		engine_step(&plan->engine,
		    (struct event){ .kind = EVENT_TIMER, .now = end });
	}
	return (struct event){
		.kind = EVENT_ENDED,
		.now = end,
		.hint = -1,
		.evidence.outcome = outcome,
	};
}

/* A check is taken to agree with the exit status; nothing else says no. */
static enum verdict
plan_answer(const struct plan *plan, enum question question)
{
	const struct outcome outcome = plan->engine.evidence.outcome;

	if (question == ASK_CHECK &&
	    !(outcome.kind == OUTCOME_EXIT && outcome.code == 0))
		return VERDICT_RETRY;
	return VERDICT_SUCCESS;
}

static void
print_row(const struct plan *plan)
{
	const struct engine *engine = &plan->engine;
	char start[DURATION_TEXT], delay[DURATION_TEXT];
	char low[DURATION_TEXT], high[DURATION_TEXT], nominal[DURATION_TEXT];
	char what[PHRASE];

	printf("%7" PRIu64 "  %9s  %-20s %-8s", engine->attempt,
	    duration_text(engine->attempt_begun - engine->begun, start),
	    phrase_outcome(engine->evidence.outcome, what),
	    verdict_name(engine->judgement.verdict));
	if (engine->state == STATE_WAITING)
		printf("  %8s  %8s  %8s  %8s",
		    duration_text(engine->delay.nominal, nominal),
		    duration_text(engine->delay.low, low),
		    duration_text(engine->delay.high, high),
		    duration_text(engine->delay.seconds, delay));
	printf("\n");
}

/* The event that the action leads to on the imaginary clock. */
static bool
plan_act(struct plan *plan, const struct action *action, struct event *event)
{
	switch (action->kind) {
	case ACTION_RUN:
		*event = plan_attempt(plan, action->wake);
		break;
	case ACTION_ASK:
		*event = (struct event){
			.kind = EVENT_ANSWER,
			.now = plan->now,
			.answer = plan_answer(plan, action->question),
		};
		break;
	case ACTION_NONE:
	case ACTION_WAIT:
	case ACTION_KILL:
		*event =
		    (struct event){ .kind = EVENT_TIMER, .now = action->wake };
		break;
	case ACTION_FINISH:
		return false;
	}
	return true;
}

int
plan_run(const struct options *options)
{
	const bool endless = options->policy.attempts == 0;
	struct plan plan = {
		.script =
		    options->plan_script == NULL ? "1" : options->plan_script,
	};
	struct event event = { .kind = EVENT_START };
	const char *problem = check_script(plan.script);
	char end[PHRASE_END];

	if (problem != NULL) {
		warnx("--plan: %s: %s", plan.script, problem);
		return STATUS_OWN_FAILURE;
	}
	engine_init(&plan.engine, &options->policy, options->random);
	printf("attempt      start  outcome              verdict   "
	       " nominal       low      high     delay\n");
	for (;;) {
		struct action action = engine_step(&plan.engine, event);

		plan.now = event.now;
		if (action.judged)
			print_row(&plan);
		if (action.kind == ACTION_RUN &&
		    (!plan_next(&plan) ||
			(endless && plan.engine.attempt > PLAN_ATTEMPTS))) {
			plan.engine.reason = REASON_PLAN;
			plan.engine.attempt--;
			break;
		}
		if (!plan_act(&plan, &action, &event))
			break;
	}
	printf("%s\n", phrase_end(&plan.engine, plan.now, end));
	return 0;
}
