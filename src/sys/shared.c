#include <err.h>
#include <stdlib.h>

#include "core/text.h"
#include "sys/shared.h"

/* A file that an option named, what is wrong with it, what follows. */
static void
complain(const char *option, const char *file, const char *problem,
    const char *consequence)
{
	char safe[128];

	warnx("--%s: %s: %s%s", option, text_safe(file, safe, sizeof(safe)),
	    problem, consequence);
}

/* The state cannot be used. */
static void
refuse(const char *file, const char *problem)
{
	if (problem == NULL)
		return;
	complain("state", file, problem, "");
	exit(STATUS_OWN_FAILURE);
}

void
shared_open(struct shared *shared, const struct options *options)
{
	const char *state = options->state, *budget = options->budget;

	shared->budget = (struct budget_file){ budget, options->budget_rules };
	if (budget != NULL)
		budget_file_make(&shared->budget);
	if (state == NULL)
		return;
	if (budget != NULL && state_uses(state, budget))
		refuse(state, "is the budget's file too");
	refuse(state,
	    state_init(&shared->state, state, &options->policy.backoff));
	refuse(state, state_lock(&shared->state));
}

void
shared_close(struct shared *shared)
{
	state_free(&shared->state);
}

void
shared_complain(const struct shared *shared, const char *problem)
{
	complain("state", shared->state.file, problem, "");
}

bool
shared_recall(const struct shared *shared, struct engine *engine, double now)
{
	const struct memory *memory = &shared->state.memory;
	const double wait = memory_wait(memory, now);

	engine_resume(engine, memory->level, memory->n, wait);
	return wait > 0;
}

bool
shared_remember(struct shared *shared, const struct engine *engine,
    const struct action *action, double now)
{
	struct state *state = &shared->state;

	if (state->file == NULL ||
	    !memory_note(&state->memory, engine, action, now))
		return true;
	const char *problem = state_save(state);
	if (problem != NULL)
		shared_complain(shared, problem);
	return problem == NULL;
}

bool
shared_pay(const struct shared *shared)
{
	const char *problem;
	const bool paid = budget_file_take(&shared->budget, &problem);

	if (problem != NULL)
		complain("budget", shared->budget.file, problem,
		    "; the retry is allowed");
	return paid;
}

void
shared_give(const struct shared *shared, const struct engine *engine,
    const struct action *action)
{
	const char *problem;

	if (!action->judged || shared->budget.file == NULL ||
	    engine->judgement.verdict != VERDICT_SUCCESS)
		return;
	problem = budget_file_give(&shared->budget);
	if (problem != NULL)
		complain("budget", shared->budget.file, problem,
		    "; nothing is given back");
}
