#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/consistency.h"
#include "cli/options.h"
#include "cli/presets.h"
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

/* Of a list the item that is wrong, or all of it where that is empty. */
static void
complain_of_value(char problem[OPTIONS_PROBLEM], const struct options *options,
    enum option_id id, const char *what)
{
	const char *text = options->text[id];
	size_t length = options->item == NULL ? 0 : strcspn(options->item, ",");
	char item[128];

	if (length > 0 && length < sizeof(item)) {
		strlcpy(item, options->item, length + 1);
		text = item;
	}
	complain(problem, option_rows[id].name, text, what);
}

/* Which help text tells what a value may be. */
static const char *
topic_of(const struct option_row *row)
{
	static const struct {
		const char *value, *topic;
	} rows[] = {
		{ "STRATEGY", "backoff" },
		{ "KIND", "jitter" },
		{ "NAME", "presets" },
		{ "SET", "sets" },
		{ "SCRIPT", "sets" },
	};
	const size_t length = row->value == NULL ? 0 : strcspn(row->value, "[");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strlen(rows[i].value) == length &&
		    strncmp(rows[i].value, row->value, length) == 0)
			return rows[i].topic;
	return NULL;
}

/* Sets the option from a text; `problem` stays as it is where all is well. */
static int
set_option(struct options *options, enum option_id id, const char *text,
    enum option_origin origin, char problem[OPTIONS_PROBLEM])
{
	const struct option_row *row = &option_rows[id];
	const char *what;

	options->text[id] = text;
	options->item = NULL;
	if (text != NULL && *text == '\0')
		what = "is empty";
	else
		what = row->parse(options, row->offset, text);
	if (what == NULL) {
		options->origin[id] = origin;
		return 0;
	}
	options->topic = topic_of(row);
	complain_of_value(problem, options, id, what);
	return -1;
}

static enum option_id
find_option(const char *name, size_t length)
{
	int id = 0;

	while (id < OPTIONS &&
	    (strncmp(option_rows[id].name, name, length) != 0 ||
		option_rows[id].name[length] != '\0'))
		id++;
	return id;
}

/* A preset's words, which its table has right. */
static int
apply_preset(struct options *options, char problem[OPTIONS_PROBLEM])
{
	for (const char *const *word = options->preset->words; *word != NULL;
	     word++) {
		const char *name = *word + 2;
		const size_t length = strcspn(name, "=");
		const char *value =
		    name[length] == '=' ? name + length + 1 : NULL;

		if (set_option(options, find_option(name, length), value,
			ORIGIN_PRESET, problem) == -1)
			return -1;
	}
	return 0;
}

static int
set_defaults(struct options *options, char problem[OPTIONS_PROBLEM])
{
	*options = (struct options){ .help = false };
	set_apply(&options->stop_most, "any");
	for (int id = 0; id < OPTIONS; id++)
		if (option_rows[id].initial != NULL &&
		    set_option(options, id, option_rows[id].initial,
			ORIGIN_DEFAULT, problem) == -1)
			return -1;
	options->named = (struct set){ .timeout = false };
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
			.has_arg = (int)row->takes,
			.val = VAL_BASE + id };
		if (row->letter == 0)
			continue;
		*letters++ = row->letter;
		if (row->takes == VALUE_REQUIRED)
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
	    *names == '\0' ? "is no option" : names);
	return -1;
}

/* What getopt_long(3) could not read, by name. */
static int
complain_of_word(char **argv, int result, char problem[OPTIONS_PROBLEM])
{
	const char *word = argv[optind - 1];
	const char letter[2] = { (char)optopt, '\0' };
	const char *what = result == ':' ? "needs a value" : "is no option";
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

static enum option_id
letter_option(int letter)
{
	int id = 0;

	while (option_rows[id].letter != letter)
		id++;
	return id;
}

/*
 * Goes through argv once, for the preset alone or for all other options, which
 * find what is wrong first.
 */
static int
read_words(int argc, char **argv, struct options *options, bool preset,
    char problem[OPTIONS_PROBLEM])
{
	struct option long_options[OPTIONS + 1];
	char letters[3 * OPTIONS + 3];
	int result;

	getopt_tables(long_options, letters);
	opterr = 0;
	optind = 0;
	while ((result = getopt_long(argc, argv, letters, long_options,
		    NULL)) != -1) {
		if (result == '?' || result == ':')
			return preset ? 0
				      : complain_of_word(argv, result, problem);
		const enum option_id id = result >= VAL_BASE
		    ? (enum option_id)(result - VAL_BASE)
		    : letter_option(result);
		if ((id == OPTION_PRESET) != preset)
			continue;
		/* Of several presets the last one stands alone. */
		if (preset && set_defaults(options, problem) == -1)
			return -1;
		if (set_option(options, id, optarg, ORIGIN_USER, problem) == -1)
			return -1;
		if (preset && apply_preset(options, problem) == -1)
			return -1;
	}
	options->command = (const char *const *)argv + optind;
	return 0;
}

int
options_parse(int argc, char **argv, struct options *options,
    char problem[OPTIONS_PROBLEM])
{
	struct conflict conflict;

	if (set_defaults(options, problem) == -1 ||
	    read_words(argc, argv, options, true, problem) == -1 ||
	    read_words(argc, argv, options, false, problem) == -1)
		return -1;
	if (options->help || options->version)
		return 0;
	consistency_settle(options);
	conflict = consistency_conflict(options);
	if (conflict.what != NULL) {
		complain(problem, option_rows[conflict.id].name,
		    options->text[conflict.id], conflict.what);
		return -1;
	}
	options->warning = consistency_warning(options);
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
	patterns_free(&options->patterns);
}
