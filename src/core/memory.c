#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "memory.h"
#include "number.h"
#include "text.h"

/* In all versions the first line is this with a number, */
#define MAGIC "retry-state "
#define VERSION_NOW 1

/* and the last one this with the sum of all lines before it. */
#define SUM "checksum "
#define SUM_LENGTH (sizeof(SUM) - 1 + 16 + 1)

/* Adds to a text of `size`; false if it does not fit. */
static bool __attribute__((format(printf, 3, 4)))
append(char *text, size_t size, const char *format, ...)
{
	const size_t length = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	const int added =
	    vsnprintf(text + length, size - length, format, arguments);
	va_end(arguments);
	return added >= 0 && (size_t)added < size - length;
}

static void
append_params(const struct backoff *backoff, char text[MEMORY_STRATEGY])
{
	const struct param *params = backoff->strategy->params;
	char separator = ':';

	for (int i = 0; i < BACKOFF_PARAMS; i++) {
		if (!backoff->param_given[i])
			continue;
		append(text, MEMORY_STRATEGY, "%c%s=%.17g", separator,
		    params[i].name, backoff->params[i]);
		separator = ',';
	}
}

/* A long list is told from others by its sum. */
static void
append_values(const struct backoff *backoff, char text[MEMORY_STRATEGY])
{
	const size_t size = backoff->count * sizeof(*backoff->values);
	bool fits = true;

	for (size_t i = 0; fits && i < backoff->count; i++)
		fits = append(text, MEMORY_STRATEGY, "%c%.17g",
		    i == 0 ? ':' : ',', backoff->values[i]);
	if (!fits)
		snprintf(text, MEMORY_STRATEGY, "%s:%zu-values-%016" PRIx64,
		    backoff->strategy->name, backoff->count,
		    text_checksum(backoff->values, size));
}

/* The strategy with what was given of its parameters, as -b takes it. */
static void
strategy_text(const struct backoff *backoff, char text[MEMORY_STRATEGY])
{
	snprintf(text, MEMORY_STRATEGY, "%s", backoff->strategy->name);
	if (backoff->strategy->listed)
		append_values(backoff, text);
	else
		append_params(backoff, text);
}

struct memory
memory_none(const struct backoff *backoff)
{
	struct memory memory = { .n = 0 };

	strategy_text(backoff, memory.strategy);
	return memory;
}

bool
memory_is_of(const struct memory *memory, const struct backoff *backoff)
{
	char text[MEMORY_STRATEGY];

	strategy_text(backoff, text);
	return strcmp(memory->strategy, text) == 0;
}

double
memory_wait(const struct memory *memory, double time)
{
	return number_max(number_min(memory->next - time, memory->delay), 0);
}

/* The engine has found the delay that follows. */
static void
failed(struct memory *memory, const struct engine *engine, double time)
{
	memory->level = engine->level;
	memory->n = engine->n;
	if (memory->failures < UINT64_MAX)
		memory->failures++;
	memory->delay = engine->delay.seconds;
	memory->next = time + memory->delay;
}

static void
succeeded(struct memory *memory, const struct engine *engine)
{
	const struct backoff *backoff = &engine->policy->backoff;

	*memory = memory_none(backoff);
	if (backoff->strategy->keeps_level)
		memory->level = engine->level;
}

/* The run came to an end that later ones are to know. */
static bool
is_kept(const struct engine *engine)
{
	switch (engine->reason) {
	case REASON_SUCCESS:
	case REASON_ATTEMPTS:
	case REASON_MAX_TIME:
	case REASON_BUDGET:
	case REASON_GATE:
	case REASON_HINT:
		return engine->attempt > 0;
	case REASON_NONE:
	case REASON_STOP:
	case REASON_SIGNAL:
	case REASON_EARLY:
	case REASON_PLAN:
	case REASON_ERROR:
		break;
	}
	return false;
}

bool
memory_note(struct memory *memory, const struct engine *engine,
    const struct action *action, double time)
{
	const bool success = engine->judgement.verdict == VERDICT_SUCCESS;

	if (action->judged && success)
		succeeded(memory, engine);
	else if (action->judged)
		failed(memory, engine, time);
	if (action->kind == ACTION_WAIT)
		return action->judged && success;
	return action->kind == ACTION_FINISH && is_kept(engine);
}

void
memory_format(const struct memory *memory, char text[MEMORY_TEXT])
{
	char level[32] = "none";

	if (memory->level.begun)
		snprintf(level, sizeof(level), "%.17g", memory->level.value);
	snprintf(text, MEMORY_TEXT,
	    MAGIC "%d\n"
		  "strategy %s\n"
		  "level %s\n"
		  "previous %.17g\n"
		  "n %" PRIu64 "\n"
		  "failures %" PRIu64 "\n"
		  "delay %.17g\n"
		  "next %.6f\n",
	    VERSION_NOW, memory->strategy, level, memory->level.previous,
	    memory->n, memory->failures, memory->delay, memory->next);
	append(text, MEMORY_TEXT, SUM "%016" PRIx64 "\n",
	    text_checksum(text, strlen(text)));
}

static bool
is_amount(double number)
{
	return isfinite(number) && number >= 0;
}

/*
 * What was read is written again and compared, which finds a wrong sum and
 * whatever else is not as it would be written.
 */
const char *
memory_parse(const char *text, struct memory *memory)
{
	char level[32], again[MEMORY_TEXT];

	*memory = (struct memory){ .n = 0 };
	if (sscanf(text,
		MAGIC "1 strategy %127s level %31s previous %lf"
		      " n %" SCNu64 " failures %" SCNu64 " delay %lf next %lf",
		memory->strategy, level, &memory->level.previous, &memory->n,
		&memory->failures, &memory->delay, &memory->next) != 7)
		return "is not what was written";
	memory->level.begun = strcmp(level, "none") != 0;
	if (memory->level.begun)
		memory->level.value = strtod(level, NULL);
	if (!is_amount(memory->level.value) ||
	    !is_amount(memory->level.previous) ||
	    !(memory->delay >= 0 && memory->delay <= DURATION_MAX) ||
	    !(memory->next >= 0 && memory->next < 1e15))
		return "has a number that is out of range";
	memory_format(memory, again);
	return strcmp(text, again) == 0 ? NULL : "does not have its checksum";
}

bool
memory_is_newer(const char *text)
{
	const size_t length = strlen(text);
	char sum[SUM_LENGTH + 1];
	int version;

	if (length < SUM_LENGTH || sscanf(text, MAGIC "%9d", &version) != 1)
		return false;
	snprintf(sum, sizeof(sum), SUM "%016" PRIx64 "\n",
	    text_checksum(text, length - SUM_LENGTH));
	return version > VERSION_NOW &&
	    strcmp(text + length - SUM_LENGTH, sum) == 0;
}
