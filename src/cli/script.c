#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/script.h"
#include "core/duration.h"
#include "core/sets.h"

/* The longest item, with its NUL. */
#define ITEM 64

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
		return "is not a count";
	*count = (uint64_t)strtonum(text, 1, INT64_MAX, &problem);
	return problem == NULL ? NULL : "is not a count";
}

/* Reads the first item and moves behind it. */
static const char *
read_item(struct script *script)
{
	const size_t length = strcspn(script->rest, ",");
	char text[ITEM], *star, *colon;
	const char *problem = NULL;
	struct set set;

	if (length >= sizeof(text))
		return "has too long an item";
	memcpy(text, script->rest, length);
	text[length] = '\0';
	script->rest += length;
	script->scene.duration = 0;
	if ((star = strchr(text, '*')) != NULL) {
		*star = '\0';
		problem = parse_count(star + 1, &script->left);
	}
	script->counted = star != NULL;
	if ((colon = strchr(text, ':')) != NULL) {
		*colon = '\0';
		if (problem == NULL)
			problem =
			    duration_parse(colon + 1, &script->scene.duration);
	}
	if (problem == NULL)
		problem = set_item(&set, text, (int)strlen(text));
	if (problem == NULL)
		script->scene.outcome = example_of(&set);
	if (*script->rest == ',' && *++script->rest == '\0')
		return "ends with a comma";
	return problem;
}

const char *
script_open(struct script *script, const char *text)
{
	struct script whole = { .rest = text };

	*script = whole;
	do {
		const char *problem = read_item(&whole);

		if (problem != NULL)
			return problem;
	} while (*whole.rest != '\0');
	return NULL;
}

bool
script_next(struct script *script)
{
	if (script_ended(script))
		return false;
	if ((!script->counted || script->left == 0) && *script->rest != '\0')
		read_item(script);
	if (script->counted)
		script->left--;
	else if (*script->rest == '\0')
		script->repeated++;
	return true;
}

bool
script_ended(const struct script *script)
{
	return *script->rest == '\0' && script->counted && script->left == 0;
}
