#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/docs.h"
#include "cli/options.h"
#include "cli/presets.h"
#include "core/jitter.h"

/* Where the text beside an option begins, and where it ends. */
#define TEXT_COLUMN 29
#define TEXT_END 80

/* Prints words from TEXT_COLUMN on, where the cursor is. */
static void
print_wrapped(const char *text)
{
	size_t column = TEXT_COLUMN;

	while (*text != '\0') {
		const size_t length = strcspn(text, " ");

		if (column > TEXT_COLUMN && column + 1 + length > TEXT_END) {
			printf("\n%*s", TEXT_COLUMN, "");
			column = TEXT_COLUMN;
		} else if (column > TEXT_COLUMN) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)length, text);
		column += length;
		text += length + strspn(text + length, " ");
	}
	putchar('\n');
}

/* A limit that is none by default goes without saying. */
static bool
says_default(const struct option_row *row)
{
	return row->initial != NULL &&
	    (strcmp(row->initial, "0") != 0 || strcmp(row->value, "DUR") != 0);
}

static void
print_option(const struct option_row *row)
{
	const char letter[] = { '-', row->letter, ',', '\0' };
	char text[256];
	int length;

	length = printf(row->takes == VALUE_NONE ? "  %3s --%s"
		: row->takes == VALUE_OPTIONAL	 ? "  %3s --%s[=%s]"
						 : "  %3s --%s=%s",
	    row->letter == 0 ? "" : letter, row->name, row->value);
	if (length < TEXT_COLUMN)
		printf("%*s", TEXT_COLUMN - length, "");
	else
		printf("\n%*s", TEXT_COLUMN, "");
	snprintf(text, sizeof(text), says_default(row) ? "%s [%s]" : "%s",
	    row->doc, row->initial);
	print_wrapped(text);
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
		printf("%s%s\n", row->random ? "\n      for u = 1/2: " : ": ",
		    row->example);
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
	       "to what the option\nholds by default.\n");
}

static void
print_exit(void)
{
	printf("  0        the run succeeded; or a signal ended it and the "
	       "attempt exited 0\n"
	       "  1-255    the last attempt's own, where it was stopped or "
	       "given up; 1 for 0\n"
	       "  75       it is too early, with --early=skip\n"
	       "  124      the last attempt timed out, or --max-time ended it\n"
	       "  125      retry itself failed, or an option was wrong\n"
	       "  126      the command was found but could not be executed\n"
	       "  127      the command was not found\n"
	       "  128+N    the last attempt died of signal N, or N ended a "
	       "wait: so does\n"
	       "           retry, which a shell shows like this\n");
}

const struct topic docs_topics[] = {
	{ "backoff", "how delays grow", print_backoff },
	{ "jitter", "how chance spreads them", print_jitter },
	{ "presets", "options of known systems", print_presets },
	{ "sets", "how outcomes are named", print_sets },
	{ "exit", "exit statuses", print_exit },
	{ .name = NULL },
};

const char *
docs_help(const char *topic)
{
	const struct topic *row = docs_topics;

	if (topic == NULL) {
		print_options();
		return NULL;
	}
	while (row->name != NULL && strcmp(row->name, topic) != 0)
		row++;
	if (row->name == NULL)
		return "is none of backoff, jitter, presets, sets, exit";
	row->print();
	return NULL;
}
