#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/habits.h"
#include "cli/options.h"
#include "core/duration.h"
#include "core/text.h"

/*
 * Tells what is wrong with a value, and which one was meant, or which ones
 * there are.  Of a list it shows the wrong item alone, unless that is empty.
 */
static void
complain_of_value(char problem[OPTIONS_PROBLEM], struct options *options,
    enum option_id id, const char *what)
{
	const struct option_row *row = &option_rows[id];
	const char *text = options->text[id], *word;
	const size_t length =
	    options->item == NULL ? 0 : strcspn(options->item, ",");
	char item[128], safe[128], typed[64];

	if (length > 0 && length < sizeof(item)) {
		strlcpy(item, options->item, length + 1);
		text = item;
	}
	snprintf(problem, OPTIONS_PROBLEM, "invalid --%s '%s': %s", row->name,
	    text_safe(text, safe, sizeof(safe)), what);
	options->topic = row->topic;

	snprintf(typed, sizeof(typed), "%.*s", (int)strcspn(text, ":"), text);
	struct nearest nearest = { .typed = typed,
		.word = habits_value(id, typed) };
	/* A problem that lists the valid values itself needs no other list. */
	const bool unknown =
	    strncmp(what, "unknown", 7) == 0 && strchr(what, '(') == NULL;
	if (unknown && row->words != NULL)
		for (int i = 0; (word = option_word(row, i)) != NULL; i++)
			habits_compare(&nearest, word);
	else if (strcmp(what, SET_UNKNOWN) == 0 ||
	    (unknown && id == OPTION_SIGNAL))
		habits_compare_outcomes(&nearest, id != OPTION_SIGNAL);
	if (nearest.word != NULL) {
		text_append(problem, OPTIONS_PROBLEM, "; did you mean %s?",
		    nearest.word);
	} else if (unknown && row->words != NULL) {
		for (int i = 0; (word = option_word(row, i)) != NULL; i++)
			text_append(problem, OPTIONS_PROBLEM, "%s%s",
			    i == 0 ? " (use " : ", ", word);
		text_append(problem, OPTIONS_PROBLEM, ")");
	}
}

/* Reads a value; NULL: the option is given without its optional value. */
static const char *
parse_value(struct options *options, const struct option_row *row,
    const char *text)
{
	void *member = (char *)options + row->offset;
	const char *problem = NULL, *word;

	if (row->type == TYPE_FLAG) {
		*(bool *)member = true;
		return NULL;
	}
	if (text == NULL) {
		if (row->type == TYPE_COUNT)
			*(uint64_t *)member = 0;
		else if (row->type == TYPE_CHOICE)
			*(int *)member = 0;
		else
			*(const char **)member = NULL;
		return NULL;
	}
	if (*text == '\0')
		return "empty";
	switch (row->type) {
	case TYPE_DURATION:
		return duration_parse(text, member);
	case TYPE_COUNT:
		return text_count(text, member);
	case TYPE_SET:
		problem = set_parse(member, text, &options->item);
		if (problem == NULL && row->second != 0)
			set_parse((void *)((char *)options + row->second), text,
			    NULL);
		return problem;
	case TYPE_ERE:
		problem = search_check(text, false);
		if (problem == NULL)
			*(const char **)member = text;
		return problem;
	case TYPE_CHOICE:
		for (int i = 0; (word = option_word(row, i)) != NULL; i++)
			if (strcmp(word, text) == 0) {
				*(int *)member = i;
				return NULL;
			}
		return "unknown word";
	case TYPE_OTHER:
		return row->parse(options, text);
	case TYPE_TEXT:
		*(const char **)member = text;
		break;
	case TYPE_FLAG:
		break;
	}
	return NULL;
}

/*
 * Sets the option from a text; a preset leaves what the user gave.  `problem`
 * is left alone if all is well.
 */
static int
set_option(struct options *options, enum option_id id, const char *text,
    enum option_origin origin, char problem[OPTIONS_PROBLEM])
{
	if (origin < options->origin[id])
		return 0;
	options->text[id] = text;
	options->item = NULL;
	const char *what = parse_value(options, &option_rows[id], text);
	if (what != NULL) {
		complain_of_value(problem, options, id, what);
		return -1;
	}
	options->origin[id] = origin;
	return 0;
}

/* The table as getopt_long(3) wants it; `val` is the row's number + 256. */
#define VAL_BASE 256

static void
getopt_tables(struct option long_options[OPTIONS + 1],
    char letters[3 * OPTIONS + 3])
{
	*letters++ = '+';
	*letters++ = ':';
	for (int id = 0; id < OPTIONS; id++) {
		const struct option_row *row = &option_rows[id];

		long_options[id] = (struct option){ .name = row->name,
			.has_arg = row->type == TYPE_FLAG ? no_argument
			    : row->optional		  ? optional_argument
							  : required_argument,
			.val = VAL_BASE + id };
		if (row->letter == 0)
			continue;
		*letters++ = row->letter;
		if (long_options[id].has_arg == required_argument)
			*letters++ = ':';
	}
	*letters = '\0';
	long_options[OPTIONS] = (struct option){ .name = NULL };
}

/* An option, with its dashes, that is unknown or short for several. */
static int
complain_of_name(const char *option, char problem[OPTIONS_PROBLEM])
{
	const char *name = option + strspn(option, "-");
	const bool is_long = name - option == 2 && *name != '\0';
	const char *instead = habits_option(name), *before = " is short for --";
	struct nearest nearest = { .typed = name };
	char safe[128], names[OPTIONS_PROBLEM - sizeof(safe)] = "";

	text_safe(option, safe, sizeof(safe));
	for (int id = 0; id < OPTIONS; id++) {
		const char *known = option_rows[id].name;

		habits_compare(&nearest, known);
		if (!is_long || strncmp(known, name, strlen(name)) != 0)
			continue;
		text_append(names, sizeof(names), "%s%s", before, known);
		before = " and --";
	}
	if (instead == NULL && *names != '\0') {
		snprintf(problem, OPTIONS_PROBLEM, "%s%s", safe, names);
		return -1;
	}
	snprintf(problem, OPTIONS_PROBLEM, "unknown option %s", safe);
	if (instead != NULL)
		text_append(problem, OPTIONS_PROBLEM, "; %s", instead);
	else if (nearest.word != NULL)
		text_append(problem, OPTIONS_PROBLEM, "; did you mean --%s?",
		    nearest.word);
	return -1;
}

/* A word that getopt_long(3) could not read. */
static int
complain_of_word(char **argv, int result, char problem[OPTIONS_PROBLEM])
{
	const char *word = argv[optind - 1];
	char option[64] = { '-', (char)optopt, '\0' };

	/* Within -xyz `word` may still be the one before. */
	if (optopt == 0 || optopt >= VAL_BASE)
		snprintf(option, sizeof(option), "%.*s",
		    (int)strcspn(word, "="), word);
	if (optopt >= VAL_BASE && habits_option(option + 2) == NULL)
		snprintf(option, sizeof(option), "--%s",
		    option_rows[optopt - VAL_BASE].name);
	else if (result != ':')
		return complain_of_name(option, problem);
	snprintf(problem, OPTIONS_PROBLEM, "%s %s", option,
	    result == ':' ? "needs a value" : "takes no value");
	return -1;
}

/* Sets the options that argv names. */
static int
read_words(int argc, char **argv, struct options *options,
    enum option_origin origin, char problem[OPTIONS_PROBLEM])
{
	struct option long_options[OPTIONS + 1];
	char letters[3 * OPTIONS + 3];
	int result;

	getopt_tables(long_options, letters);
	opterr = 0;
	optind = 0;
	while ((result = getopt_long(argc, argv, letters, long_options,
		    NULL)) != -1) {
		int id = result - VAL_BASE;

		if (result == '?' || result == ':')
			return complain_of_word(argv, result, problem);
		if (result < VAL_BASE)
			for (id = 0; option_rows[id].letter != result; id++)
				continue;
		/* --wait is not taken for --wait-first, cut short. */
		if (result >= VAL_BASE && option_rows[id].type == TYPE_FLAG &&
		    habits_option(argv[optind - 1] + 2) != NULL)
			return complain_of_name(argv[optind - 1], problem);
		if (set_option(options, id, optarg, origin, problem) == -1)
			return -1;
	}
	return 0;
}

int
options_parse(int argc, char **argv, struct options *options,
    char problem[OPTIONS_PROBLEM])
{
	char safe[128];

	*options = (struct options){ .help = false };
	set_parse(&options->stop_most, "any", NULL);
	for (int id = 0; id < OPTIONS; id++)
		if (option_rows[id].initial != NULL &&
		    set_option(options, id, option_rows[id].initial,
			ORIGIN_DEFAULT, problem) == -1)
			return -1;

	if (read_words(argc, argv, options, ORIGIN_USER, problem) == -1)
		return -1;
	options->command = (const char *const *)argv + optind;
	if (options->origin[OPTION_PRESET] == ORIGIN_USER) {
		char **words = (char **)presets[options->preset].words;
		int count = 0;

		while (words[count] != NULL)
			count++;
		if (read_words(count, words, options, ORIGIN_PRESET, problem) ==
		    -1)
			return -1;
	}
	options->help = options->origin[OPTION_HELP] != ORIGIN_DEFAULT;
	if (options->help && options->text[OPTION_HELP] == NULL &&
	    *options->command != NULL)
		parse_value(options, &option_rows[OPTION_HELP],
		    *options->command);
	options->plan = options->origin[OPTION_PLAN] != ORIGIN_DEFAULT;
	if (options->help || options->version)
		return 0;
	conflicts_settle(options);
	const struct conflict conflict = conflicts_find(options);
	if (conflict.what != NULL) {
		const char *text = options->text[conflict.id];

		text_safe(text == NULL ? "" : text, safe, sizeof(safe));
		snprintf(problem, OPTIONS_PROBLEM,
		    *safe == '\0' ? "--%s%s %s" : "--%s '%s' %s",
		    option_rows[conflict.id].name, safe, conflict.what);
		return -1;
	}
	if (*options->command != NULL || options->plan)
		return 0;
	strlcpy(problem, "there is no command to run", OPTIONS_PROBLEM);
	for (int id = 0; id < OPTIONS; id++)
		if (options->text[id] == argv[argc - 1] &&
		    (option_rows[id].type == TYPE_TEXT ||
			option_rows[id].type == TYPE_ERE))
			snprintf(problem, OPTIONS_PROBLEM,
			    "there is no command to run: '%s' is the value of "
			    "--%s",
			    text_safe(argv[argc - 1], safe, sizeof(safe)),
			    option_rows[id].name);
	return -1;
}

void
options_free(struct options *options)
{
	free(options->logs);
	free(options->budget);
	free(options->policy.backoff.values);
}
