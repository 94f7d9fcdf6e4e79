/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/file.h"
#include "options/presets.h"
#include "options/suggest.h"
#include "core/text.h"

/* More presets in a run are a mistake. */
#define PRESETS_MOST 64

#define BLANKS " \t"

/* What files of options may have beside options: keys that may be repeated. */
static const struct class_key {
	const char *name;
	enum failure_class class;
	bool is_match;	     /* its value is a pattern, or else a SET */
	enum option_id like; /* the option whose values are alike */
} class_keys[] = {
	{ "transient-on", CLASS_TRANSIENT, false, OPTION_RETRY_ON },
	{ "permanent-on", CLASS_PERMANENT, false, OPTION_STOP_ON },
	{ "transient-match", CLASS_TRANSIENT, true, OPTION_RETRY_MATCH },
	{ "permanent-match", CLASS_PERMANENT, true, OPTION_STOP_MATCH },
};

#define CLASS_KEYS (sizeof(class_keys) / sizeof(class_keys[0]))

/* A preset that is being applied, and the one that names it, or NULL. */
struct applied {
	const struct applied *outer;
	const char *name;
	const char *const *lines; /* ends with NULL */
	bool is_file;
	struct option_file file;
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
		if (strncmp(row->name, name, length) == 0 &&
		    row->name[length] == '\0')
			return row;
	return NULL;
}

bool
preset_classifies(const struct preset *preset)
{
	for (const char *const *line = preset->lines; *line != NULL; line++)
		for (size_t i = 0; i < CLASS_KEYS; i++) {
			const char *name = class_keys[i].name;

			if (strncmp(*line, name, strlen(name)) == 0)
				return true;
		}
	return false;
}

/* A name with a slash is that of a file. */
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
		char **names = reallocarray(options->presets,
		    options->preset_count + 1, sizeof(*names));
		if (names == NULL)
			return strerror(ENOMEM);
		options->presets = names;
		names[options->preset_count] = strndup(text, length);
		if (names[options->preset_count] == NULL)
			return strerror(ENOMEM);
		options->preset_count++;
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
	strlcpy(entry->name, line, length + 1);
	entry->value = NULL;
	if (*rest == '=')
		entry->value = rest + 1 + strspn(rest + 1, BLANKS);
	return NULL;
}

/* A key of classes: adds to the rules of this number. */
static int
set_class(struct options *options, int number, const struct class_key *key,
    const char *value, char problem[PRESETS_PROBLEM])
{
	struct preset_rules *rules = &options->preset_rules[number];
	struct patterns *patterns = &options->patterns;
	const char *what = "empty";
	struct set set = { 0 };
	char safe[128];

	options->item = value;
	if (*value != '\0')
		what = key->is_match
		    ? search_check(value, false, &options->item)
		    : set_parse(&set, value, &options->item);
	if (what != NULL) {
		snprintf(problem, PRESETS_PROBLEM, "invalid %s '%s': %s",
		    key->name, text_safe(value, safe, sizeof(safe)), what);
		suggest_value(options, key->like, options->item, problem,
		    PRESETS_PROBLEM);
		return -1;
	}
	if (set_has_class(&set)) {
		snprintf(problem, PRESETS_PROBLEM,
		    "invalid %s '%s': a class cannot be made of classes",
		    key->name, text_safe(value, safe, sizeof(safe)));
		return -1;
	}
	if (!key->is_match) {
		set_add(key->class == CLASS_TRANSIENT ? &rules->transient
						      : &rules->permanent,
		    &set);
		return 0;
	}
	struct class_pattern *rows = reallocarray(patterns->classes,
	    patterns->class_count + 1, sizeof(*rows));
	if (rows == NULL) {
		strlcpy(problem, strerror(ENOMEM), PRESETS_PROBLEM);
		return -1;
	}
	patterns->classes = rows;
	rows[patterns->class_count++] = (struct class_pattern){ .text = value,
		.class = key->class,
		.preset = number };
	return 0;
}

/* An option, or a key of classes. */
static int
set_entry(struct options *options, preset_setter *set, int number,
    const struct entry *entry, char problem[PRESETS_PROBLEM])
{
	char instead[PRESETS_PROBLEM / 2] = "", safe[128];

	for (size_t i = 0; i < CLASS_KEYS; i++)
		if (strcmp(class_keys[i].name, entry->name) == 0)
			return set_class(options, number, &class_keys[i],
			    entry->value == NULL ? "" : entry->value, problem);
	for (int id = 0; id < OPTIONS; id++) {
		const struct option_row *row = &option_rows[id];
		const bool takes_value = row->type != TYPE_FLAG;

		if (strcmp(row->name, entry->name) != 0)
			continue;
		if ((entry->value != NULL && !takes_value) ||
		    (entry->value == NULL && takes_value && !row->optional)) {
			snprintf(problem, PRESETS_PROBLEM, "%s %s", row->name,
			    takes_value ? "needs a value: " : "takes no value");
			if (takes_value)
				text_append(problem, PRESETS_PROBLEM,
				    "%s = VALUE", row->name);
			return -1;
		}
		return set(options, (enum option_id)id, entry->value, problem);
	}
	snprintf(problem, PRESETS_PROBLEM, "unknown option %s",
	    text_safe(entry->name, safe, sizeof(safe)));
	if (suggest_option(entry->name, entry->value, instead, sizeof(instead)))
		text_append(problem, PRESETS_PROBLEM, "; %s", instead);
	return -1;
}

/* Begins the rules of one more preset. */
static const char *
add_rules(struct options *options, const char *name)
{
	struct preset_rules *rows = options->preset_rules;

	if (options->rules_count == PRESETS_MOST)
		return "there are more than 64 presets";
	rows =
	    reallocarray(rows, (size_t)options->rules_count + 1, sizeof(*rows));
	if (rows == NULL)
		return strerror(ENOMEM);
	options->preset_rules = rows;
	rows[options->rules_count++] = (struct preset_rules){ .name = name };
	return NULL;
}

/* What is wrong with a preset as a whole, or NULL. */
static const char *
open_preset(struct options *options, struct applied *applied, int *line)
{
	const size_t length = strlen(applied->name);

	applied->is_file = is_file(applied->name, length);
	if (!applied->is_file) {
		const struct preset *preset =
		    preset_find(applied->name, length);

		if (preset == NULL)
			return "unknown preset";
		applied->lines = preset->lines;
		return add_rules(options, applied->name);
	}
	const char *problem =
	    option_file_read(applied->name, &applied->file, line);
	if (problem != NULL)
		return problem;
	struct option_file *files = reallocarray(options->files,
	    options->file_count + 1, sizeof(*files));
	if (files == NULL) {
		option_file_free(&applied->file);
		return strerror(ENOMEM);
	}
	options->files = files;
	files[options->file_count++] = applied->file;
	applied->lines = (const char *const *)applied->file.lines;
	for (const struct applied *outer = applied->outer; outer != NULL;
	     outer = outer->outer)
		if (outer->is_file &&
		    outer->file.device == applied->file.device &&
		    outer->file.inode == applied->file.inode)
			return "the file names itself";
	return add_rules(options, applied->name);
}

static int apply(struct options *options, preset_setter *set,
    const struct applied *outer, const char *name,
    char problem[PRESETS_PROBLEM]);

/*
 * Applies the presets that a line names.  Returns 0, -1 if one of them is
 * wrong, or 1 if the list is.
 */
static int
apply_list(struct options *options, preset_setter *set,
    const struct applied *outer, const char *list,
    char problem[PRESETS_PROBLEM])
{
	const size_t first = options->preset_count;
	const char *what = presets_parse(options, list);
	char safe[128];

	if (what != NULL) {
		snprintf(problem, PRESETS_PROBLEM, "invalid preset '%s': %s",
		    text_safe(list, safe, sizeof(safe)), what);
		suggest_value(options, OPTION_PRESET, options->item, problem,
		    PRESETS_PROBLEM);
		return 1;
	}
	const size_t end = options->preset_count;
	for (size_t i = first; i < end; i++)
		if (apply(options, set, outer, options->presets[i], problem) ==
		    -1)
			return -1;
	return 0;
}

/*
 * Applies a preset, line by line.  The presets that a line names come before
 * the lines that follow, but their classes are their own.
 */
static int
apply(struct options *options, preset_setter *set, const struct applied *outer,
    const char *name, char problem[PRESETS_PROBLEM])
{
	struct applied applied = { .outer = outer, .name = name };
	char what[PRESETS_PROBLEM], safe[128];
	int number = 0;

	const char *wrong = open_preset(options, &applied, &number);
	text_safe(name, safe, sizeof(safe));
	if (wrong != NULL && number > 0)
		snprintf(problem, PRESETS_PROBLEM, "%s:%d: %s", safe, number,
		    wrong);
	else if (wrong != NULL)
		snprintf(problem, PRESETS_PROBLEM, "--preset=%s: %s", safe,
		    wrong);
	if (wrong != NULL)
		return -1;
	const int own = options->rules_count - 1;
	for (number = 1; applied.lines[number - 1] != NULL; number++) {
		const char *line = applied.lines[number - 1];
		struct entry entry;

		if (*line == '\0' || *line == '#')
			continue;
		int result = 1;
		wrong = read_entry(line, &entry);
		if (wrong != NULL)
			strlcpy(problem, wrong, PRESETS_PROBLEM);
		else if (entry.value != NULL &&
		    strcmp(entry.name, "preset") == 0)
			result = apply_list(options, set, &applied, entry.value,
			    problem);
		else
			result =
			    set_entry(options, set, own, &entry, problem) == -1;
		if (result == 0)
			continue;
		/* A preset that the line names says where it is wrong. */
		if (result == 1) {
			strlcpy(what, problem, sizeof(what));
			snprintf(problem, PRESETS_PROBLEM, "%s:%d: ", safe,
			    number);
			strlcat(problem, what, PRESETS_PROBLEM);
		}
		return -1;
	}
	return 0;
}

int
presets_apply(struct options *options, preset_setter *set,
    char problem[PRESETS_PROBLEM])
{
	const size_t count = options->preset_count;

	for (size_t i = 0; i < count; i++)
		if (apply(options, set, NULL, options->presets[i], problem) ==
		    -1)
			return -1;
	return 0;
}
