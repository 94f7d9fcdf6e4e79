/* SPDX-License-Identifier: MIT */

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "options/argv.h"
#include "options/options.h"
#include "options/help.h"
#include "options/presets.h"
#include "options/suggest.h"
#include "core/text.h"

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
 * A word that getopt_long(3) could not read: `result` is ':' if its value is
 * missing, and `option` is the word up to its value.
 */
static int
complain_of_word(const char *option, int result, char problem[ARGV_PROBLEM])
{
	const char letter[] = { '-', (char)optopt, '\0' };

	if (optopt == 0)
		return complain_of_name(option, problem);
	if (optopt < VAL_BASE && result == '?')
		return complain_of_name(letter, problem);
	snprintf(problem, ARGV_PROBLEM, "%s%s %s",
	    optopt < VAL_BASE ? letter : "--",
	    optopt < VAL_BASE ? "" : option_rows[optopt - VAL_BASE].name,
	    result == ':' ? "needs a value" : "takes no value");
	return -1;
}

/*
 * Whether getopt_long(3) would misread it: a long option that is cut short or
 * stands behind a single dash, or "-30".
 */
static bool
is_mistake(const char *option)
{
	const char *name = option + strspn(option, "-");
	const bool is_ours = option_find(name, strlen(name)) != OPTIONS;

	if (*name == '\0')
		return false;
	return option[1] == '-'
	    ? !is_ours
	    : is_ours || name[strspn(name, "0123456789")] == '\0';
}

/* Sets the options that stand before the command. */
static int
read_words(int argc, char **argv, struct options *options,
    char problem[ARGV_PROBLEM])
{
	struct option long_options[OPTIONS + 1];
	char letters[3 * OPTIONS + 3];
	int result;

	getopt_tables(long_options, letters);
	opterr = 0;
	optind = 0; /* getopt_long() starts afresh, and sets it to 1 */
	for (;;) {
		const char *word = argv[optind == 0 ? 1 : optind];
		char option[64] = "";

		if (word != NULL && word[0] == '-') {
			snprintf(option, sizeof(option), "%.*s",
			    (int)strcspn(word, "="), word);
			if (is_mistake(option))
				return complain_of_name(option, problem);
		}
		result = getopt_long(argc, argv, letters, long_options, NULL);
		if (result == -1)
			break;
		int id = result - VAL_BASE;

		if (result == '?' || result == ':')
			return complain_of_word(option, result, problem);
		if (result < VAL_BASE)
			for (id = 0; option_rows[id].letter != result; id++)
				continue;
		if (options_set(options, id, optarg, ORIGIN_USER, problem) ==
		    -1)
			return -1;
	}
	options->command = (const char *const *)argv + optind;
	return 0;
}

static int
set_defaults(struct options *options, char problem[ARGV_PROBLEM])
{
	*options = (struct options){ 0 };
	/* --stop-on changes this set, too, and derive_rules() narrows it. */
	set_parse(&options->policy.rules.hopeless, "permanent," OPTIONS_STOP_ON,
	    NULL);
	for (int id = 0; id < OPTIONS; id++)
		if (option_rows[id].initial != NULL &&
		    options_set(options, id, option_rows[id].initial,
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

/* There must be a command; the last option may have taken it for a value. */
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
	    read_words(argc, argv, options, problem) == -1)
		return -1;
	const bool shows = options->help || options->version;
	/* A preset leaves what the user has set. */
	if (!shows && presets_apply(options, problem) == -1)
		return -1;
	if (options->help)
		read_topic(options);
	if (shows)
		return 0;
	derive_policy(options);
	options->warning = conflicts_warning(options);
	if (check_conflicts(options, problem) == -1)
		return -1;
	return check_command(options, argv[argc - 1], problem);
}

void
options_free(struct options *options)
{
	free(options->logs);
	free(options->budget);
	free(options->style.state);
	free(options->policy.backoff.values);
	for (size_t i = 0; i < options->preset_count; i++) {
		free((char *)options->presets[i].name);
		free((char *)options->presets[i].text);
	}
	free(options->presets);
	free(options->policy.rules.presets);
	free(options->patterns.clues);
}
