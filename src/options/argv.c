/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "options/argv.h"
#include "options/options.h"
#include "options/help.h"
#include "options/presets.h"
#include "options/suggest.h"
#include "core/duration.h"
#include "core/text.h"

/* The option of this letter; OPTIONS if there is none. */
static enum option_id
find_letter(char letter)
{
	int id = 0;

	while (id < OPTIONS &&
	    (letter == '\0' || option_rows[id].letter != letter))
		id++;
	return (enum option_id)id;
}

/* Whether the word would be an option, if it were not a value. */
static bool
is_option(const char *word)
{
	return *word == '-' &&
	    (word[1] == '-' || find_letter(word[1]) != OPTIONS);
}

static bool
needs_value(enum option_id id)
{
	return option_rows[id].type != TYPE_FLAG && !option_rows[id].optional;
}

/*
 * Writes what is wrong with a value, and which value was meant, or which ones
 * exist.  Only the wrong item of a list is shown, unless that item is empty.
 */
static void
complain_of_value(char text[ARGV_PROBLEM], struct options *options,
    enum option_id id, const char *problem)
{
	const struct option_row *row = &option_rows[id];
	const bool in_list = options->item != NULL && row->type != TYPE_ERE;
	const char *value = options->text[id];
	const char *part = options->item != NULL ? options->item : value;
	const size_t length = in_list ? strcspn(part, ",") : 0;
	char item[128], safe[128];

	if (length > 0 && length < sizeof(item)) {
		strlcpy(item, part, length + 1);
		value = item;
	}
	options->topic = row->topic;
	text_safe(value, safe, sizeof(safe));
	if (is_option(value) && needs_value(id)) {
		snprintf(text, ARGV_PROBLEM, "--%s needs a value before %s",
		    row->name, safe);
		return;
	}
	snprintf(text, ARGV_PROBLEM, "invalid --%s '%s': %s", row->name, safe,
	    problem);
	for (int i = 0; row->type == TYPE_CHOICE && *value != '\0' &&
	     option_word(row, i) != NULL;
	     i++)
		text_append(text, ARGV_PROBLEM, "%s %s", i == 0 ? "" : ",",
		    option_word(row, i));
	suggest_value(options, id, part, text, ARGV_PROBLEM);
}

/* An exit status that `retry` does not use for itself. */
static const char *
parse_status(const char *text, int *status)
{
	const char *invalid;
	const long long number = strtonum(text, 1, 255, &invalid);

	if (text[strspn(text, "0123456789")] != '\0' || invalid != NULL)
		return "not an exit status from 1 to 255";
	if (number >= STATUS_TIMEOUT && number <= STATUS_NOT_FOUND)
		return "retry uses 124 to 127 itself";
	*status = (int)number;
	return NULL;
}

/*
 * Reads a value; NULL: the option is given without its optional value.  A
 * pattern that is built in is tested once, instead of at each start.
 */
static const char *
read_value(struct options *options, const struct option_row *row,
    const char *text, enum option_origin origin)
{
	void *member = (char *)options + row->offset;
	const char *problem = NULL;
	const char *word;

	if (row->type == TYPE_FLAG) {
		*(bool *)member = true;
		return NULL;
	}
	if (text == NULL) {
		if (row->type == TYPE_COUNT)
			*(uint64_t *)member = 0;
		return NULL;
	}
	if (*text == '\0')
		return "empty (an unset variable?)";
	switch (row->type) {
	case TYPE_DURATION:
		problem = duration_parse(text, member);
		if (problem == NULL && row->positive && *(double *)member == 0)
			return "too small";
		return problem;
	case TYPE_COUNT:
		problem = text_count(text, member);
		if (problem == NULL && row->positive &&
		    *(uint64_t *)member == 0)
			return "too small";
		return problem;
	case TYPE_STATUS:
		return parse_status(text, member);
	case TYPE_SET:
		problem = set_parse(member, text, &options->item);
		if (problem == NULL && row->second != 0)
			set_parse((void *)((char *)options + row->second), text,
			    NULL);
		return problem;
	case TYPE_ERE:
		if (origin != ORIGIN_BUILT_IN)
			problem =
			    search_check(text, row->has_group, &options->item);
		if (problem == NULL)
			*(const char **)member = text;
		return problem;
	case TYPE_CHOICE:
		for (int i = 0; (word = option_word(row, i)) != NULL; i++)
			if (strcmp(word, text) == 0) {
				*(int *)member = i;
				return NULL;
			}
		return "must be";
	case TYPE_OTHER:
		return row->parse(options, text);
	case TYPE_TEXT:
	case TYPE_FLAG:
		break;
	}
	return NULL;
}

/*
 * Sets an option from a text, or from NULL if it has no value; a preset leaves
 * what the user gave, and what contradicts it.  Returns 0, or -1 as
 * argv_parse() does.
 */
static int
set_option(struct options *options, enum option_id id, const char *text,
    enum option_origin origin, char problem[ARGV_PROBLEM])
{
	const struct option_row *row = &option_rows[id];
	const enum option_id other = row->not_with != 0 ? row->not_with : id;

	if (origin != ORIGIN_USER && id != OPTION_PRESET &&
	    (options->origin[id] == ORIGIN_USER ||
		options->origin[other] == ORIGIN_USER))
		return 0;
	options->text[id] = text;
	options->item = NULL;
	const char *const what = read_value(options, row, text, origin);
	if (what != NULL) {
		complain_of_value(problem, options, id, what);
		return -1;
	}
	options->origin[id] = origin;
	if (origin != ORIGIN_DEFAULT && row->given != 0)
		*(bool *)((char *)options + row->given) = true;
	return 0;
}

static int
complain_of_name(const char *option, char problem[ARGV_PROBLEM])
{
	char safe[128];

	snprintf(problem, ARGV_PROBLEM, "unknown option %s",
	    text_safe(option, safe, sizeof(safe)));
	suggest_option(option + strspn(option, "-"), problem, ARGV_PROBLEM);
	return -1;
}

/*
 * Sets the option that was typed so.  If it needs a value and has none in its
 * word, it takes the next word.
 */
static int
set_typed(struct options *options, enum option_id id, const char *typed,
    const char *value, char ***words, char problem[ARGV_PROBLEM])
{
	if (value == NULL && needs_value(id))
		value = *++*words;
	if (option_rows[id].optional || needs_value(id) == (value != NULL))
		return set_option(options, id, value, ORIGIN_USER, problem);
	snprintf(problem, ARGV_PROBLEM, "%s %s value", typed,
	    needs_value(id) ? "needs a" : "takes no");
	return -1;
}

/* Sets the options of a word: "--name", "--name=value", or letters. */
static int
read_word(struct options *options, char ***words, char problem[ARGV_PROBLEM])
{
	const char *word = **words, *value = strchr(word, '=');
	const bool is_long = word[1] == '-';
	char typed[64];

	snprintf(typed, sizeof(typed), "%.*s", (int)strcspn(word, "="), word);
	const char *name = typed + 1 + is_long;
	enum option_id id = option_find(name, strlen(name));

	if (is_long && id != OPTIONS)
		return set_typed(options, id, typed,
		    value == NULL ? NULL : value + 1, words, problem);
	/* A name needs two dashes, and a number of attempts needs -a. */
	if (is_long || id != OPTIONS ||
	    (isdigit((unsigned char)*name) &&
		name[strspn(name, "0123456789")] == '\0'))
		return complain_of_name(typed, problem);
	for (bool ends = false; !ends && *++word != '\0';) {
		const char letter[] = { '-', *word, '\0' };

		id = find_letter(*word);
		if (id == OPTIONS)
			return complain_of_name(letter, problem);
		/* What follows the letter is its value. */
		ends = needs_value(id);
		value = ends && word[1] != '\0' ? word + 1 : NULL;
		if (set_typed(options, id, letter, value, words, problem) == -1)
			return -1;
	}
	return 0;
}

/* Sets the options that stand before the command. */
static int
read_words(struct options *options, char **words, char problem[ARGV_PROBLEM])
{
	for (; *words != NULL && **words == '-' && (*words)[1] != '\0';
	     words++) {
		if (strcmp(*words, "--") == 0) {
			words++;
			break;
		}
		if (read_word(options, &words, problem) == -1)
			return -1;
	}
	options->command = (const char *const *)words;
	return 0;
}

static int
set_defaults(struct options *options, char problem[ARGV_PROBLEM])
{
	*options = (struct options){ 0 };
	set_parse(&options->policy.rules.hopeless, "permanent," OPTIONS_STOP_ON,
	    NULL);
	for (int id = 0; id < OPTIONS; id++)
		if (option_rows[id].initial != NULL &&
		    set_option(options, id, option_rows[id].initial,
			ORIGIN_DEFAULT, problem) == -1)
			return -1;
	return 0;
}

/* --help TOPIC, without a "=": a word that is near to no topic is a command. */
static void
read_topic(struct options *options)
{
	const char **topic = &options->text[OPTION_HELP];

	if (*topic == NULL && *options->command != NULL)
		*topic = help_has(*options->command)
		    ? *options->command
		    : suggest_topic(*options->command);
}

/* A value with one of these is shown in quotes. */
#define QUOTED " \t\n|&;<>()$`\\\"'*?[]{}~#"

static int
check_conflicts(const struct options *options, char problem[ARGV_PROBLEM])
{
	const struct conflict conflict = conflicts_find(options);
	const char *text = options->text[conflict.id];
	char safe[128];

	if (*conflict.what == '\0')
		return 0;
	text_safe(text == NULL ? "" : text, safe, sizeof(safe));
	const char *quote = safe[strcspn(safe, QUOTED)] == '\0' ? "" : "'";
	snprintf(problem, ARGV_PROBLEM, "--%s%s%s%s%s %s",
	    option_rows[conflict.id].name, *safe == '\0' ? "" : "=", quote,
	    safe, quote, conflict.what);
	return -1;
}

/* There must be a command, unless the last option has taken it for a value. */
static int
check_command(const struct options *options, const char *last,
    char problem[ARGV_PROBLEM])
{
	char safe[128];

	if (*options->command != NULL || options->plan)
		return 0;
	strlcpy(problem, "there is no command to run", ARGV_PROBLEM);
	for (int id = 0; id < OPTIONS; id++)
		if (options->text[id] == last &&
		    (option_rows[id].type == TYPE_TEXT ||
			option_rows[id].type == TYPE_ERE || id == OPTION_STATE))
			snprintf(problem, ARGV_PROBLEM,
			    "there is no command to run: '%s' is the value of "
			    "--%s",
			    text_safe(last, safe, sizeof(safe)),
			    option_rows[id].name);
	return -1;
}

int
argv_parse(int argc, char **argv, struct options *options,
    char problem[ARGV_PROBLEM])
{
	if (set_defaults(options, problem) == -1 ||
	    read_words(options, argv + 1, problem) == -1)
		return -1;
	if (!options_given(options, OPTION_HELP) && !options->version &&
	    presets_apply(options, set_option, problem) == -1)
		return -1;
	if (options->help)
		read_topic(options);
	if (options->help || options->version)
		return 0;
	derive_policy(options);
	options->warning = conflicts_warning(options);
	if (check_conflicts(options, problem) == -1)
		return -1;
	return check_command(options, argv[argc - 1], problem);
}
