/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/presets.h"
#include "options/suggest.h"
#include "core/text.h"

/* More presets in a run are a mistake. */
#define PRESETS_MOST 64

/* A file with more texts is not a list of failures. */
#define CLUES_MOST 60000

#define BLANKS " \t"

/* What files of options may have beside options: keys that may be repeated. */
static const struct key {
	const char *name;
	enum failure_class class;
	bool is_set; /* its value is a SET, or else a clue of this kind */
	enum clue_kind kind;
} keys[] = {
	{ .name = "transient-text", CLASS_TRANSIENT, .kind = CLUE_TEXT },
	{ .name = "permanent-text", CLASS_PERMANENT, .kind = CLUE_TEXT },
	{ .name = "transient-match", CLASS_TRANSIENT, .kind = CLUE_PATTERN },
	{ .name = "permanent-match", CLASS_PERMANENT, .kind = CLUE_PATTERN },
	{ .name = "words", .kind = CLUE_WORD },
	{ .name = "ignore-text", .kind = CLUE_IGNORE },
	{ .name = "unless-before-retry", .kind = CLUE_MENDED },
	{ .name = "transient-on", CLASS_TRANSIENT, .is_set = true },
	{ .name = "permanent-on", CLASS_PERMANENT, .is_set = true },
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

/* A preset that is being applied, and the one that names it, or NULL. */
struct applied {
	const struct applied *outer;
	struct options *options;
	char *problem; /* room for ARGV_PROBLEM bytes */
	struct preset preset;
	bool is_file;
	int number;    /* of its rules */
	bool is_known; /* its classes are those of an earlier preset */
};

/* A line "NAME = VALUE"; without "=" the value is NULL. */
struct entry {
	char name[64];
	const char *value;
};

const struct preset *
preset_find(const char *name, size_t length)
{
	for (const struct preset *row = presets; row->name != NULL; row++)
		if (text_is(name, length, row->name))
			return row;
	return NULL;
}

const char *
preset_line(const struct preset *preset, const char *line)
{
	line = line == NULL ? preset->text : line + strlen(line) + 1;
	return line < preset->text + preset->size ? line : NULL;
}

bool
preset_classifies(const struct preset *preset)
{
	static const char key[] = "-text =";

	return memmem(preset->text, preset->size, key, strlen(key)) != NULL;
}

/* A name with a slash is a file. */
static bool
is_file(const char *name, size_t length)
{
	return memchr(name, '/', length) != NULL;
}

const char *
presets_parse(struct options *options, const char *text)
{
	for (;;) {
		const size_t length = strcspn(text, ",");

		options->item = text;
		if (length == 0)
			return "empty item";
		if (!is_file(text, length) && preset_find(text, length) == NULL)
			return memchr(text, '.', length) == NULL
			    ? "unknown preset"
			    : "write ./ before the name of a file";
		struct preset *rows = reallocarray(options->presets,
		    options->preset_count + 1, sizeof(*rows));
		if (rows == NULL)
			return strerror(ENOMEM);
		options->presets = rows;
		rows += options->preset_count++;
		*rows = (struct preset){ .name = strndup(text, length) };
		if (rows->name == NULL)
			return strerror(ENOMEM);
		if (text[length] == '\0')
			return NULL;
		text += length + 1;
	}
}

/* Returns what is wrong with the line, or NULL. */
static const char *
read_entry(const char *line, struct entry *entry)
{
	const size_t length = strcspn(line, BLANKS "=");
	const char *rest = line + length + strspn(line + length, BLANKS);

	if (length == 0 || length >= sizeof(entry->name) || *line == '-' ||
	    (*rest != '\0' && *rest != '='))
		return "a line is NAME or NAME = VALUE, without --";
	memcpy(entry->name, line, length);
	entry->name[length] = '\0';
	entry->value = NULL;
	if (*rest == '=')
		entry->value = rest + 1 + strspn(rest + 1, BLANKS);
	return NULL;
}

/*
 * The number of the list of words that a clue belongs to, or 0.  A list serves
 * the patterns that follow it in its preset.  A bit stands for each; after 63
 * lists one bit stands for two, and more patterns are tried than need be.
 */
static unsigned int
find_list(struct patterns *patterns, const struct clue *clue)
{
	const size_t count = patterns->clue_count;
	const struct clue *last =
	    count > 0 && patterns->clues[count - 1].preset == clue->preset
	    ? &patterns->clues[count - 1]
	    : NULL;

	if (clue->kind == CLUE_WORD &&
	    (last == NULL || last->kind != CLUE_WORD))
		return 1 + patterns->word_lists++ % 63;
	return last == NULL ? 0 : last->words;
}

/* Adds a clue; returns what is wrong with its text, or NULL. */
static const char *
add_clue(struct options *options, struct clue clue)
{
	struct patterns *patterns = &options->patterns;
	const size_t count = patterns->clue_count;

	/* Built-in presets are tested once, instead of at each start. */
	if (clue.from_user) {
		const char *problem = clue.kind == CLUE_PATTERN
		    ? search_check(clue.text, false, &options->item)
		    : search_check_text(clue.length);

		if (problem != NULL)
			return problem;
	}
	/* The sieve, which has 16 bits for each, has others beside them. */
	if (count == CLUES_MOST)
		return "too many texts: 60000 are the most";
	/* The room doubles. */
	if ((count & (count - 1)) == 0) {
		struct clue *clues = reallocarray(patterns->clues,
		    count == 0 ? 1 : 2 * count, sizeof(*clues));

		if (clues == NULL)
			return strerror(ENOMEM);
		patterns->clues = clues;
	}
	patterns->clues[patterns->clue_count++] = clue;
	return NULL;
}

/* Adds each word of a list. */
static const char *
add_words(struct options *options, struct clue clue, const char *list)
{
	for (;;) {
		const size_t length = strcspn(list, ",");

		clue.text = list + strspn(list, BLANKS);
		clue.length = length - (size_t)(clue.text - list);
		while (clue.length > 0 &&
		    strchr(BLANKS, clue.text[clue.length - 1]) != NULL)
			clue.length--;
		const char *problem = add_clue(options, clue);
		if (problem != NULL || list[length] == '\0')
			return problem;
		list += length + 1;
	}
}

/* Adds a set of outcomes to the rules. */
static const char *
add_set(struct options *options, int number, enum failure_class class,
    const char *value)
{
	struct preset_rules *rules = &options->policy.rules.presets[number];
	struct set set = { 0 };
	const char *problem = set_parse(&set, value, &options->item);

	if (problem == NULL && set_has_class(&set))
		return "a class cannot be made of classes";
	set_add(class == CLASS_TRANSIENT ? &rules->transient
					 : &rules->permanent,
	    &set);
	return problem;
}

/*
 * A key of classes: adds to the rules of the preset.  Like all functions below,
 * returns what is wrong, or NULL.
 */
static const char *
set_class(struct applied *applied, const struct key *key,
    const struct entry *entry)
{
	struct options *options = applied->options;
	const char *value = entry->value == NULL ? "" : entry->value;
	struct clue clue = { .kind = key->kind,
		.text = value,
		.length = strlen(value),
		.class = key->class,
		.preset = options->policy.rules.presets[applied->number].name,
		.from_user = applied->is_file };
	const char *what = "empty";
	char safe[128];

	options->item = value;
	options->policy.rules.classifies = true;
	if (applied->is_known)
		return NULL;
	clue.words = find_list(&options->patterns, &clue);
	if (key->is_set && *value != '\0')
		what = add_set(options, applied->number, key->class, value);
	else if (key->kind == CLUE_WORD && *value != '\0')
		what = add_words(options, clue, value);
	else if (*value != '\0')
		what = add_clue(options, clue);
	if (what == NULL)
		return NULL;
	snprintf(applied->problem, ARGV_PROBLEM, "invalid %s '%s': %s",
	    key->name, text_safe(value, safe, sizeof(safe)), what);
	suggest_value(options, key->is_set ? OPTION_STOP_ON : OPTION_STOP_MATCH,
	    options->item, applied->problem, ARGV_PROBLEM);
	return applied->problem;
}

/* An option, or a key of classes. */
static const char *
set_entry(struct applied *applied, const struct entry *entry)
{
	const char *value = entry->value;
	char *problem = applied->problem, safe[128];

	/* Most names differ in their first letter, and this loop runs often. */
	for (size_t i = 0; i < KEYS; i++)
		if (*keys[i].name == *entry->name &&
		    strcmp(keys[i].name, entry->name) == 0)
			return set_class(applied, &keys[i], entry);
	const enum option_id id = option_find(entry->name, strlen(entry->name));
	if (id == OPTIONS) {
		snprintf(problem, ARGV_PROBLEM, "unknown option %s",
		    text_safe(entry->name, safe, sizeof(safe)));
		suggest_option(entry->name, problem, ARGV_PROBLEM);
		return problem;
	}
	const struct option_row *row = &option_rows[id];
	if (id == OPTION_HELP || id == OPTION_VERSION || id == OPTION_PLAN)
		snprintf(problem, ARGV_PROBLEM,
		    "%s would run no command: give it as an option", row->name);
	else if (row->type == TYPE_FLAG && value != NULL)
		snprintf(problem, ARGV_PROBLEM, "%s takes no value", row->name);
	else if (row->type != TYPE_FLAG && !row->optional && value == NULL)
		snprintf(problem, ARGV_PROBLEM, "%s needs a value: %s = VALUE",
		    row->name, row->name);
	else if (options_set(applied->options, id, value,
		     applied->is_file ? ORIGIN_FILE : ORIGIN_BUILT_IN,
		     problem) == 0)
		return NULL;
	return problem;
}

/* Whether the classes of a built-in preset are there already. */
static bool
has_clues(const struct options *options, const struct preset *preset)
{
	const struct patterns *patterns = &options->patterns;

	for (size_t i = 0; i < patterns->clue_count; i++)
		if (patterns->clues[i].text >= preset->text &&
		    patterns->clues[i].text < preset->text + preset->size)
			return true;
	return false;
}

/* Reads the preset of this number, and begins its rules. */
static const char *
open_preset(struct applied *applied, size_t i, int *line)
{
	struct options *options = applied->options;
	struct preset *preset = &options->presets[i];
	const struct applied *outer = applied->outer;
	const size_t length = strlen(preset->name);
	struct rules *rules = &options->policy.rules;

	applied->is_file = is_file(preset->name, length);
	if (applied->is_file) {
		for (; outer != NULL; outer = outer->outer)
			if (strcmp(outer->preset.name, preset->name) == 0)
				return "the file names itself";
		const char *problem = preset_read(preset, line);
		if (problem != NULL)
			return problem;
		applied->preset = *preset;
	} else {
		const struct preset *known = preset_find(preset->name, length);

		if (known == NULL)
			return "unknown preset";
		applied->preset = *known;
		applied->is_known = has_clues(options, &applied->preset);
		/* One that a built-in preset names is reported as that. */
		if (!outer->is_file) {
			applied->number = outer->number;
			return NULL;
		}
	}
	if (rules->preset_count == PRESETS_MOST)
		return "there are more than 64 presets";
	struct preset_rules *rows = reallocarray(rules->presets,
	    (size_t)rules->preset_count + 1, sizeof(*rows));
	if (rows == NULL)
		return strerror(ENOMEM);
	rules->presets = rows;
	applied->number = rules->preset_count++;
	rows[applied->number] =
	    (struct preset_rules){ .name = applied->preset.name };
	return NULL;
}

/* A file that a file names is looked for beside it. */
static const char *
look_beside(const char *outer, struct preset *preset)
{
	const char *name = preset->name;
	char *path;

	if (*name == '/' || !is_file(name, strlen(name)))
		return NULL;
	if (strncmp(name, "./", 2) == 0)
		name += 2;
	if (asprintf(&path, "%.*s%s", (int)(strrchr(outer, '/') + 1 - outer),
		outer, name) == -1)
		return strerror(ENOMEM);
	free((char *)preset->name);
	preset->name = path;
	return NULL;
}

static const char *apply(const struct applied *outer, size_t first);

/*
 * Does what a line of a preset says, if it is of this round: the presets that a
 * file names come first, wherever they stand.  Built-in ones begin with them.
 */
static const char *
apply_line(struct applied *applied, const char *line, int round)
{
	const bool names_presets =
	    strncmp(line, "preset", strlen("preset")) == 0;
	struct options *options = applied->options;
	const size_t first = options->preset_count;
	struct entry entry;

	if (*line == '\0' || *line == '#' ||
	    (applied->is_file && names_presets != (round == 0)))
		return NULL;
	const char *wrong = read_entry(line, &entry);
	if (wrong != NULL)
		return wrong;
	wrong = set_entry(applied, &entry);
	for (size_t i = first;
	     wrong == NULL && applied->is_file && i < options->preset_count;
	     i++)
		wrong = look_beside(applied->preset.name, &options->presets[i]);
	return wrong != NULL || !names_presets ? wrong : apply(applied, first);
}

/* Applies the presets that were given last, from this one on. */
static const char *
apply(const struct applied *outer, size_t first)
{
	struct options *options = outer->options;
	const bool is_typed = *outer->preset.name == '\0';
	const size_t end = options->preset_count;

	for (size_t i = first; i < end; i++) {
		struct applied applied = *outer;
		char what[ARGV_PROBLEM], safe[128];
		int number = 0;

		applied.outer = outer;
		const char *wrong = open_preset(&applied, i, &number);
		const int rounds = applied.is_file ? 2 : 1;
		for (int round = 0; round < rounds && wrong == NULL; round++) {
			const char *line = NULL;

			number = 0;
			while (wrong == NULL &&
			    (line = preset_line(&applied.preset, line)) !=
				NULL) {
				number++;
				wrong = apply_line(&applied, line, round);
			}
		}
		if (wrong == NULL)
			continue;
		text_safe(options->presets[i].name, safe, sizeof(safe));
		strlcpy(what, wrong, sizeof(what));
		if (number > 0)
			text_append(safe, sizeof(safe), ":%d", number);
		snprintf(applied.problem, ARGV_PROBLEM,
		    "%s%s: ", is_typed && number == 0 ? "--preset=" : "", safe);
		strlcat(applied.problem, what, ARGV_PROBLEM);
		return applied.problem;
	}
	return NULL;
}

int /* NOLINTNEXTLINE(readability-non-const-parameter) it is kept */
presets_apply(struct options *options, char problem[ARGV_PROBLEM])
{
	/* What is typed is as if a file had named it. */
	const struct applied typed = { .options = options,
		.problem = problem,
		.preset = { .name = "" },
		.is_file = true };

	return apply(&typed, 0) == NULL ? 0 : -1;
}
