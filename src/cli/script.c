#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/script.h"
#include "core/duration.h"
#include "core/text.h"

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
	outcome = (struct outcome){ OUTCOME_TIMEOUT, 0 };
	if (set_has(set, outcome))
		return outcome;
	outcome = (struct outcome){ OUTCOME_UNFORKED, EAGAIN };
	if (set_has(set, outcome))
		return outcome;
	return (struct outcome){ OUTCOME_UNSTARTABLE, ENOENT };
}

static const char *
parse_count(const char *text, uint64_t *count)
{
	const char *problem;

	if (*text == '\0' || strspn(text, "0123456789") != strlen(text))
		return "is not a count";
	*count = (uint64_t)strtonum(text, 1, INT64_MAX, &problem);
	return problem == NULL ? NULL : "is not a count";
}

/* OUTCOME[:DURATION][*COUNT] */
static const char *
parse_item(struct script *script, char *text)
{
	char *star = strchr(text, '*'), *colon = strchr(text, ':');
	struct set set;
	const char *problem = NULL;

	script->scene.duration = 0;
	script->counted = star != NULL;
	if (star != NULL) {
		*star = '\0';
		problem = parse_count(star + 1, &script->left);
	}
	if (problem == NULL && colon != NULL) {
		*colon = '\0';
		problem = duration_parse(colon + 1, &script->scene.duration);
	}
	if (problem == NULL)
		problem = set_item(&set, text);
	if (problem == NULL)
		script->scene.outcome = example_of(&set);
	return problem;
}

/* Reads the next item, which there must be. */
static const char *
read_item(struct script *script)
{
	char item[TEXT_ITEM];
	const char *problem = text_item(&script->rest, item);

	return problem != NULL ? problem : parse_item(script, item);
}

const char *
script_open(struct script *script, const char *text)
{
	struct script whole = { .rest = text };
	const char *problem = NULL;

	*script = whole;
	while (problem == NULL && whole.rest != NULL)
		problem = read_item(&whole);
	return problem;
}

bool
script_next(struct script *script)
{
	if (script_ended(script))
		return false;
	if ((!script->counted || script->left == 0) && script->rest != NULL)
		read_item(script);
	if (script->counted)
		script->left--;
	else if (script->rest == NULL)
		script->repeated++;
	return true;
}

bool
script_ended(const struct script *script)
{
	return script->rest == NULL && script->counted && script->left == 0;
}
