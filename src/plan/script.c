/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/script.h"
#include "core/duration.h"
#include "core/text.h"

struct outcome
script_example(const struct set *set)
{
	static const struct {
		enum outcome_kind kind;
		int first, count; /* codes; after 255 comes 0 */
	} rows[] = {
		{ OUTCOME_EXIT, 1, 256 },
		{ OUTCOME_SIGNAL, 1, 64 },
		{ OUTCOME_TIMEOUT, 0, 1 },
		{ OUTCOME_UNHEALTHY, 0, 1 },
		{ OUTCOME_UNFORKED, EAGAIN, 1 },
		{ OUTCOME_UNSTARTABLE, ENOENT, 1 },
	};
	struct outcome outcome = { .kind = OUTCOME_NONE };

	/* Of any class, if there is such an outcome. */
	for (int number = CLASS_NONE; number <= CLASS_PERMANENT; number++)
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			for (int j = 0; j < rows[i].count; j++) {
				outcome.class = (enum failure_class)number;
				outcome.kind = rows[i].kind;
				outcome.code = (rows[i].first + j) % 256;
				if (set_has(set, outcome))
					return outcome;
			}
	return (struct outcome){ .kind = OUTCOME_NONE };
}

static const char *
parse_chance(struct script *script, struct script_item *item, char *value)
{
	const char *problem = duration_ratio(value, &item->chance);

	if (problem == NULL)
		script->items[script->count++] = *item;
	return problem;
}

/* "90s" or "90s@30s", the second of which is the start. */
static const char *
parse_down(struct script *script, struct script_item *item, char *value)
{
	char *at = strchr(value, '@');
	double length, from = 0;
	const char *problem;

	if (script->down_from < INFINITY)
		return "given twice";
	if (item->count > 0)
		return "takes no count";
	if (at != NULL)
		*at++ = '\0';
	problem = duration_parse(value, &length);
	if (problem == NULL && at != NULL)
		problem = duration_parse(at, &from);
	if (problem != NULL)
		return problem;
	if (length == 0)
		return "not more than 0";
	script->down_from = from;
	script->down_until = from + length;
	script->down = *item;
	return NULL;
}

static const char *
parse_clients(struct script *script, struct script_item *item, char *value)
{
	if (item->count > 0 || item->duration > 0)
		return "takes no count and no duration";
	if (text_count(value, &script->clients) != NULL ||
	    script->clients == 0 || script->clients > CLIENTS_MOST)
		return "not a number from 1 to 10000";
	return NULL;
}

/* The words that an item may be besides an outcome. */
static const struct {
	const char *name;
	const char *(*parse)(struct script *script, struct script_item *item,
	    char *value);
} words[] = {
	{ "p=", parse_chance },
	{ "down=", parse_down },
	{ "clients=", parse_clients },
};

/* WHAT[:DURATION][*COUNT], which is cut in pieces. */
static const char *
parse_item(struct script *script, char *text)
{
	struct script_item item = { .chance = 1 };
	const char *problem = NULL;
	struct set set;

	char *star = strchr(text, '*');
	if (star != NULL) {
		*star++ = '\0';
		if (text_count(star, &item.count) != NULL || item.count == 0)
			return "not a count";
	}
	char *colon = strchr(text, ':');
	if (colon != NULL) {
		*colon++ = '\0';
		problem = duration_parse(colon, &item.duration);
		if (problem != NULL)
			return problem;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const size_t length = strlen(words[i].name);

		if (strncmp(text, words[i].name, length) == 0)
			/* cppcheck-suppress returnDanglingLifetime */
			return words[i].parse(script, &item, text + length);
	}
	problem = set_item(&set, text);
	if (problem != NULL)
		return problem;
	item.outcome = script_example(&set);
	script->items[script->count++] = item;
	return NULL;
}

const char *
script_parse(const char *text, struct script *script, const char **where)
{
	size_t most = 1;

	*script =
	    (struct script){ .down_from = INFINITY, .down_until = INFINITY };
	for (const char *c = text; c != NULL && *c != '\0'; c++)
		most += *c == ',';
	script->items = calloc(most, sizeof(*script->items));
	if (script->items == NULL)
		return "too long: out of memory";
	for (const char *rest = text; rest != NULL;) {
		char item[TEXT_ITEM];

		*where = rest;
		const char *problem = text_item(&rest, item);

		if (problem == NULL)
			problem = parse_item(script, item);
		if (problem != NULL)
			return problem;
	}
	/* Without items, attempts succeed around an outage, else they fail. */
	const bool fails = script->down_from == INFINITY;
	if (script->count == 0)
		script->items[script->count++] =
		    (struct script_item){ .chance = fails };
	return NULL;
}

void
script_free(struct script *script)
{
	free(script->items);
	script->items = NULL;
}

bool
script_is_random(const struct script *script)
{
	for (size_t i = 0; i < script->count; i++)
		if (script->items[i].chance > 0 && script->items[i].chance < 1)
			return true;
	return false;
}

const char *
script_check(const char *text, const char **where)
{
	struct script script;
	const char *problem = script_parse(text, &script, where);

	script_free(&script);
	return problem;
}
