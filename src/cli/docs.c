#include <err.h>
#include <stdio.h>
#include <string.h>

#include "cli/docs.h"
#include "cli/options.h"
#include "cli/presets.h"
#include "core/jitter.h"

/* Where the text beside an option begins. */
#define TEXT_COLUMN 29

static void
print_option(const struct option_row *row)
{
	char words[64];
	int length = 0;

	if (row->letter != 0)
		length = snprintf(words, sizeof(words), "  -%c, ", row->letter);
	else
		length = snprintf(words, sizeof(words), "      ");
	length += snprintf(words + length, sizeof(words) - (size_t)length,
	    row->takes == VALUE_NONE	       ? "--%s"
		: row->takes == VALUE_OPTIONAL ? "--%s[=%s]"
					       : "--%s=%s",
	    row->name, row->value);
	if (length >= TEXT_COLUMN)
		printf("%s\n%*s", words, TEXT_COLUMN, "");
	else
		printf("%-*s", TEXT_COLUMN, words);
	if (row->initial != NULL && strcmp(row->initial, "0") != 0)
		printf("%s [%s]\n", row->doc, row->initial);
	else
		printf("%s\n", row->doc);
}

static void
print_options(void)
{
	int group = -1;

	printf("usage: retry [OPTION]... [--] COMMAND [ARG]...\n"
	       "       retry --plan[=SCRIPT] [OPTION]... [COMMAND [ARG]...]\n"
	       "Run COMMAND until it succeeds.\n");
	for (int id = 0; id < OPTIONS; id++) {
		if ((int)option_rows[id].group != group) {
			group = (int)option_rows[id].group;
			printf("\n%s:\n", option_groups[group]);
		}
		print_option(&option_rows[id]);
	}
	printf("\nDUR is a number of seconds, or has units: 250ms, 1m30s, 1h.\n"
	       "The manual, retry(1), has the rest.\n");
}

static void
print_param(const struct param *param)
{
	char initial[32];

	if (param->name == NULL)
		return;
	if (param->initial == PARAM_IS_BASE)
		strlcpy(initial, "d", sizeof(initial));
	else if (param->initial == PARAM_REQUIRED)
		strlcpy(initial, "must be given", sizeof(initial));
	else
		snprintf(initial, sizeof(initial), "%g", param->initial);
	printf("      %s: %s [%s]\n", param->name, param->doc, initial);
}

static void
print_backoff(void)
{
	printf("-b STRATEGY[:NAME=VALUE,...], the nominal delay before retry "
	       "n; d is --delay,\ncap is --max-delay, u is uniform in "
	       "[0,1).\n\n");
	for (const struct strategy *row = strategies; row->name != NULL;
	     row++) {
		printf("  %-13s %s\n      %s", row->name, row->formula,
		    row->doc);
		if (!row->random)
			printf(": %s", row->example);
		printf("\n");
		for (int i = 0; i < BACKOFF_PARAMS; i++)
			print_param(&row->params[i]);
	}
}

static void
print_jitter(void)
{
	printf("-j KIND; x is the nominal delay, u is uniform in [0,1).\n\n");
	for (const struct jitter_kind *row = jitter_kinds; row->name != NULL;
	     row++)
		printf("  %-6s %-20s %s%s%s\n", row->name, row->formula,
		    row->doc, row->alias == NULL ? "" : "; also ",
		    row->alias == NULL ? "" : row->alias);
}

static void
print_presets(void)
{
	printf("--preset=NAME stands for these options; options beside it "
	       "win.\n");
	for (const struct preset *row = presets; row->name != NULL; row++) {
		int column = 0;

		printf("\n  %-11s %s\n", row->name, row->doc);
		for (const char *const *word = row->words; *word != NULL;
		     word++) {
			const int length = (int)strlen(*word) + 1;

			if (column > 0 && column + length > 66) {
				printf("\n");
				column = 0;
			}
			printf("%s%s", column == 0 ? "             " : "",
			    column == 0 ? "" : " ");
			printf("%s", *word);
			column += length;
		}
		printf("\n");
	}
}

static void
print_sets(void)
{
	printf("A SET is a comma list, read from left to right, of:\n\n"
	       "  an exit status or a range (1, 100-110),\n"
	       "  a signal by name (TERM, SIGKILL, RTMIN+1),\n"
	       "  a class:\n");
	for (const struct set_word *word = set_classes; word->name != NULL;
	     word++)
		printf("    %-12s %s\n", word->name, word->doc);
	printf("  a name of sysexits(3):\n");
	for (const struct set_word *word = set_sysexits; word->name != NULL;
	     word++)
		printf("    %-12s %s\n", word->name, word->doc);
	printf("\n\"!\" or \"^\" before an item takes it out.  A list is added "
	       "to the option's default.\n");
}

static void
print_exit(void)
{
	printf("  0        the run succeeded; or a signal ended it and the "
	       "attempt exited 0\n"
	       "  1-255    the last attempt's own, where it was stopped or "
	       "given up\n"
	       "  75       it is too early, with --early=skip\n"
	       "  124      the last attempt timed out, or --max-time ended it\n"
	       "  125      retry itself failed, or an option was wrong\n"
	       "  126      the command was found but could not be executed\n"
	       "  127      the command was not found\n"
	       "  128+N    the last attempt died of signal N, or N ended a "
	       "wait\n");
}

/* One row a topic of --help=TOPIC. */
static const struct {
	const char *name;
	void (*print)(void);
} topics[] = {
	{ "backoff", print_backoff },
	{ "jitter", print_jitter },
	{ "presets", print_presets },
	{ "sets", print_sets },
	{ "exit", print_exit },
};

int
docs_help(const char *topic)
{
	if (topic == NULL) {
		print_options();
		return 0;
	}
	for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++)
		if (strcmp(topics[i].name, topic) == 0) {
			topics[i].print();
			return 0;
		}
	warnx("--help: %s: is none of backoff, jitter, presets, sets, exit",
	    topic);
	return STATUS_OWN_FAILURE;
}
