#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "core/duration.h"
#include "core/text.h"

static void
complain(char problem[OPTIONS_PROBLEM], const char *name, const char *text,
    const char *what)
{
	char safe[128];

	if (text == NULL || *text == '\0')
		snprintf(problem, OPTIONS_PROBLEM, "--%s: %s", name, what);
	else
		snprintf(problem, OPTIONS_PROBLEM, "--%s: %s: %s", name,
		    text_safe(text, safe, sizeof(safe)), what);
}

/*
 * Tells what is wrong with a value: of a list the item that is, or all of it if
 * that is empty.
 */
static void
complain_of_value(char problem[OPTIONS_PROBLEM], struct options *options,
    enum option_id id, const char *what)
{
	const struct option_row *row = &option_rows[id];
	const char *text = options->text[id], *word;
	const size_t length =
	    options->item == NULL ? 0 : strcspn(options->item, ",");
	char item[128];

	if (length > 0 && length < sizeof(item)) {
		strlcpy(item, options->item, length + 1);
		text = item;
	}
	complain(problem, row->name, text, what);
	if (strcmp(what, OPTION_NONE_OF) == 0)
		for (int i = 0; (word = option_word(row, i)) != NULL; i++) {
			strlcat(problem, i == 0 ? " " : ", ", OPTIONS_PROBLEM);
			strlcat(problem, word, OPTIONS_PROBLEM);
		}
	options->topic = row->topic;
}

/* Reads a value.  An optional value that is missing is not read. */
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
	if (text == NULL)
		return NULL;
	if (*text == '\0')
		return "is empty";
	switch (row->type) {
	case TYPE_DURATION:
		return duration_parse(text, member);
	case TYPE_COUNT:
		if (*text == '-')
			return "is negative";
		if (strspn(text, "0123456789") != strlen(text))
			return "is not a whole number";
		*(uint64_t *)member =
		    (uint64_t)strtonum(text, 0, INT64_MAX, &problem);
		return problem == NULL ? NULL : "is too large";
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
		return OPTION_NONE_OF;
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

/* Sets the option from a text; `problem` stays as it is where all is well. */
static int
set_option(struct options *options, enum option_id id, const char *text,
    enum option_origin origin, char problem[OPTIONS_PROBLEM])
{
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

/* A name that getopt_long(3) did not take; without the value behind it. */
static int
complain_of_name(const char *word, char problem[OPTIONS_PROBLEM])
{
	const size_t length = strcspn(word, "=");
	char name[64], safe[128], names[OPTIONS_PROBLEM] = "";
	const char *before = "is short for --";

	for (int id = 0; id < OPTIONS; id++) {
		if (length == 0 ||
		    strncmp(option_rows[id].name, word, length) != 0)
			continue;
		strlcat(names, before, sizeof(names));
		strlcat(names, option_rows[id].name, sizeof(names));
		before = " and --";
	}
	snprintf(name, sizeof(name), "%.*s", (int)length, word);
	snprintf(problem, OPTIONS_PROBLEM, "--%s: %s",
	    text_safe(name, safe, sizeof(safe)),
	    *names == '\0' ? "is not an option" : names);
	return -1;
}

/* What getopt_long(3) could not read, by name. */
static int
complain_of_word(char **argv, int result, char problem[OPTIONS_PROBLEM])
{
	const char *word = argv[optind - 1];
	const char letter[2] = { (char)optopt, '\0' };
	const char *what = result == ':' ? "needs a value" : "is not an option";
	char safe[8];

	if (optopt >= VAL_BASE) {
		complain(problem, option_rows[optopt - VAL_BASE].name, NULL,
		    result == ':' ? what : "takes no value");
		return -1;
	}
	if (optopt == 0 && strncmp(word, "--", 2) == 0)
		return complain_of_name(word + 2, problem);
	snprintf(problem, OPTIONS_PROBLEM, "-%s: %s",
	    text_safe(letter, safe, sizeof(safe)), what);
	return -1;
}

/*
 * Sets the presets that argv names, or all its other options.  The presets come
 * first, and leave what cannot be read at all to the others.
 */
static int
read_words(int argc, char **argv, struct options *options, bool presets_only,
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
			return presets_only
			    ? 0
			    : complain_of_word(argv, result, problem);
		if (result < VAL_BASE)
			for (id = 0; option_rows[id].letter != result; id++)
				continue;
		if ((id == OPTION_PRESET) == presets_only &&
		    set_option(options, id, optarg, origin, problem) == -1)
			return -1;
	}
	options->command = (const char *const *)argv + optind;
	return 0;
}

int
options_parse(int argc, char **argv, struct options *options,
    char problem[OPTIONS_PROBLEM])
{
	*options = (struct options){ .help = false };
	set_parse(&options->stop_most, "any", NULL);
	for (int id = 0; id < OPTIONS; id++)
		if (option_rows[id].initial != NULL &&
		    set_option(options, id, option_rows[id].initial,
			ORIGIN_DEFAULT, problem) == -1)
			return -1;
	options->named = (struct set){ .bits = { 0 } };

	if (read_words(argc, argv, options, true, ORIGIN_USER, problem) == -1)
		return -1;
	if (options->origin[OPTION_PRESET] == ORIGIN_USER) {
		char **words = (char **)presets[options->preset].words;
		int count = 0;

		while (words[count] != NULL)
			count++;
		if (read_words(count, words, options, false, ORIGIN_PRESET,
			problem) == -1)
			return -1;
	}
	if (read_words(argc, argv, options, false, ORIGIN_USER, problem) == -1)
		return -1;
	options->help = options->origin[OPTION_HELP] != ORIGIN_DEFAULT;
	options->plan = options->origin[OPTION_PLAN] != ORIGIN_DEFAULT;
	if (options->help || options->version)
		return 0;
	conflicts_settle(options);
	const struct conflict conflict = conflicts_find(options);
	if (conflict.what != NULL) {
		complain(problem, option_rows[conflict.id].name,
		    options->text[conflict.id], conflict.what);
		return -1;
	}
	if (*options->command == NULL && !options->plan) {
		strlcpy(problem, "there is no command to run", OPTIONS_PROBLEM);
		return -1;
	}
	return 0;
}

void
options_free(struct options *options)
{
	free(options->logs);
	free(options->budget);
	free(options->policy.backoff.values);
}
