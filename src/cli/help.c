#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/options.h"
#include "cli/report.h"
#include "core/signals.h"
#include "core/text.h"

/* The columns between which the text beside an option is printed. */
#define TEXT_COLUMN 29
#define TEXT_END 80

/* The same for the options of a preset. */
#define PRESET_COLUMN 13
#define PRESET_END 78

/* Prints words between two columns; the cursor is at the first one. */
static void
print_wrapped(const char *text, int first, int end)
{
	int column = first;

	while (*text != '\0') {
		const int length = (int)strcspn(text, " ");

		if (column > first && column + 1 + length > end) {
			printf("\n%*s", first, "");
			column = first;
		} else if (column > first) {
			putchar(' ');
			column++;
		}
		printf("%.*s", length, text);
		column += length;
		text += length + (int)strspn(text + length, " ");
	}
	putchar('\n');
}

/* "  -s, --signal=SIG           signal sent on timeout [TERM]" */
static void
print_option(const struct option_row *row)
{
	const char letter[] = { '-', row->letter, ',', '\0' };
	char value[64] = "", text[256];

	if (row->value != NULL)
		strlcpy(value, row->value, sizeof(value));
	else if (row->words != NULL)
		for (int i = 0; option_word(row, i) != NULL; i++)
			text_append(value, sizeof(value), "%s%s",
			    i == 0 ? "" : "|", option_word(row, i));
	const int length = printf(row->type == TYPE_FLAG ? "  %3s --%s"
		: row->optional				 ? "  %3s --%s[=%s]"
							 : "  %3s --%s=%s",
	    row->letter == 0 ? "" : letter, row->name, value);
	if (length < TEXT_COLUMN)
		printf("%*s", TEXT_COLUMN - length, "");
	else
		printf("\n%*s", TEXT_COLUMN, "");

	/* A default of 0 for a time is not worth saying. */
	const bool says_default = row->initial != NULL &&
	    (row->type != TYPE_DURATION || strcmp(row->initial, "0") != 0);
	snprintf(text, sizeof(text), says_default ? "%s [%s]" : "%s", row->doc,
	    row->initial);
	print_wrapped(text, TEXT_COLUMN, TEXT_END);
}

/* How many of the examples --help shows. */
#define FEW_EXAMPLES 3

static const struct {
	const char *text, *doc;
} examples[] = {
	{ PROGRAM " -a 3 -t 10m make check",
	    "three attempts of at most ten minutes each" },
	{ PROGRAM " --preset=poll -T 2m pg_isready -q",
	    "wait until a server is ready, for at most two minutes" },
	{ PROGRAM " --stop-match='error: 404' curl -fsS https://example.org/",
	    "fetch a page, but do not retry an HTTP 404" },
	{ PROGRAM " --delay-match='^[Rr]etry-[Aa]fter: *(.*)' curl -fsS -D "
		  "/dev/stderr URL",
	    "wait for as long as the server says" },
	{ PROGRAM " --retry-on=7 ./sync", "retry only exit status 7" },
	{ PROGRAM " --retry-match='timed? ?out' ./sync",
	    "retry only if the output says so" },
	{ PROGRAM " bash -o pipefail -c './fetch | sort'", "retry a pipeline" },
	{ "./fetch | " PROGRAM " --stdin=replay --output=hold ./convert | sort",
	    "retry one command of a pipeline" },
	{ PROGRAM " --log=auto --log=junit:retry.xml make check",
	    "in CI: report what needed a retry" },
	{ PROGRAM " --output=chronic -T 50m --splay=1m ./feed",
	    "in cron: mail only if all attempts failed" },
	{ PROGRAM " -a 5 --reset-after=10m ./collector",
	    "a service: restart it, until it fails five times in a row" },
	{ PROGRAM " -a 1 --repeat ./test", "run a test until it fails" },
	{ PROGRAM " --plan -T 10m -t 2m make check",
	    "dry run: show what would happen" },
	{ .text = NULL },
};

static void
print_examples(void)
{
	for (int i = 0; examples[i].text != NULL; i++)
		printf("  %s\n      %s\n", examples[i].text, examples[i].doc);
}

static void
print_options(void)
{
	int group = -1;

	printf("usage: " PROGRAM " [OPTION]... [--] COMMAND [ARG]...\n"
	       "       " PROGRAM
	       " --plan[=SCRIPT] [OPTION]... [COMMAND [ARG]...]\n"
	       "Run COMMAND until it succeeds, waiting longer after each "
	       "failure.\n");
	for (int id = 0; id < OPTIONS; id++) {
		if ((int)option_rows[id].group != group) {
			group = (int)option_rows[id].group;
			printf("\n%s:\n", option_groups[group]);
		}
		print_option(&option_rows[id]);
	}
	printf(
	    "\nDUR is in seconds, or has units: 250ms, 1m30s, 1h.  COMMAND is "
	    "run directly; for\npipes, functions and other shell syntax: "
	    "%s sh -c '...'\nTOPIC:",
	    PROGRAM);
	for (const struct help_topic *row = help_topics; row->name != NULL;
	     row++)
		printf(" %s", row->name);
	printf("\n\nExamples:\n");
	for (int i = 0; i < FEW_EXAMPLES; i++)
		printf("  %s\n", examples[i].text);
	printf("Full documentation: man " PROGRAM ", man retry-cookbook\n");
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
		if (row->random)
			printf("\n      for u = 1/2");
		else if (row->sample != NULL)
			printf("\n      for %s%s", row->sample,
			    row->needs_ends ? " and a cap of 16s" : "");
		printf(": %s\n", row->example);
		for (int i = 0; i < BACKOFF_PARAMS; i++) {
			const struct param *param = &row->params[i];

			if (param->name == NULL)
				continue;
			printf("      %s: %s [", param->name, param->doc);
			if (param->initial == PARAM_IS_BASE)
				printf("d]\n");
			else if (param->initial == PARAM_REQUIRED)
				printf("required]\n");
			else
				printf("%g]\n", param->initial);
		}
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
	printf("--preset=NAME sets these options; options given explicitly "
	       "win.\n");
	for (const struct preset *row = presets; row->doc != NULL; row++) {
		char text[256] = "";

		for (int i = 1; row->words[i] != NULL; i++)
			text_append(text, sizeof(text), "%s ", row->words[i]);
		printf("\n  %-11s %s (%s)\n%*s", row->words[0], row->doc,
		    row->source, PRESET_COLUMN, "");
		print_wrapped(text, PRESET_COLUMN, PRESET_END);
	}
}

static void
print_sets(void)
{
	printf(
	    "A SET is a comma-separated list, read from left to right, of:\n\n"
	    "  an exit status or a range (1, 100-110),\n"
	    "  a class:\n");
	for (const struct set_word *word = set_classes; word->name != NULL;
	     word++)
		printf("    %-12s %s\n", word->name, word->doc);
	printf("  a name of sysexits(3), with or without EX_:\n");
	for (const struct set_word *word = set_sysexits; word->name != NULL;
	     word++)
		printf("    %-12s %s\n", word->name, word->doc);
	printf("  a signal by name, with or without SIG, or as RTMIN+n:\n   ");
	for (int number = 1, column = 0; number < NSIG; number++) {
		const char *name = signal_abbreviation(number);

		if (name == NULL || !signal_is_deadly(number))
			continue;
		if (++column == 13)
			printf("\n   ");
		printf(" %s", name);
	}
	printf("\n\n\"!\" or \"^\" before an item removes it.  A list adds to "
	       "the option's default;\n\"none\" empties both.\n");
	printf("\nA plan's SCRIPT is a comma-separated list of "
	       "ITEM[:DUR][*COUNT], where ITEM may\nalso be a chance: p=0.2 "
	       "fails one time in five.\n");
}

static void
print_limits(void)
{
	printf(
	    "--attempts=N gives up after N attempts; --attempts=0 never does.  "
	    "These limits\nmay follow N, or stand without it, in a comma "
	    "list:\n\n"
	    "  timeout:2    give up at the second timeout (or another item "
	    "of a SET)\n"
	    "  5/10m        give up at the fifth failure within 10 minutes\n"
	    "  signal:3/1h  give up at the third death by a signal within an "
	    "hour\n"
	    "\nThe limit that is reached first counts: -a 10,timeout:2,75:5\n");
}

static void
print_budget(void)
{
	printf("--budget=FILE[:NAME=VALUE,...], a limit on retries that "
	       "processes share.\n\n");
	for (const struct budget_param *row = budget_params; row->name != NULL;
	     row++)
		printf("  %-8s %s [%g]\n", row->name, row->doc,
		    (double)row->initial / 1000);
}

static void
print_formats(void)
{
	printf("--log=FORMAT[:FILE], to standard error or the file; - is "
	       "standard output,\nfd:N a descriptor.\n\n");
	for (const struct format *row = formats; row->name != NULL; row++)
		printf("  %-8s %s\n", row->name, row->doc);
}

static void
print_exit(void)
{
	printf("  0        the run succeeded; or a signal ended it and the "
	       "attempt exited 0\n"
	       "  1-255    the command's own, from the last attempt; 1 if that "
	       "was 0 but counted\n"
	       "           as a failure\n"
	       "  75       with --early=skip: too early, or another run is "
	       "active\n"
	       "  124      the last attempt timed out, or --max-time ended it\n"
	       "  125      retry itself failed, or an option was wrong\n"
	       "  126      the command was found but could not be executed\n"
	       "  127      the command was not found\n"
	       "  128+N    the last attempt died of signal N, or N ended a "
	       "wait: retry then dies\n"
	       "           of N too, which shells report as 128+N\n");
}

const struct help_topic help_topics[] = {
	{ "options", print_options },
	{ "limits", print_limits },
	{ "backoff", print_backoff },
	{ "jitter", print_jitter },
	{ "presets", print_presets },
	{ "sets", print_sets },
	{ "budget", print_budget },
	{ "formats", print_formats },
	{ "examples", print_examples },
	{ "exit", print_exit },
	{ .name = NULL },
};
