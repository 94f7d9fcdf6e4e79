/* SPDX-License-Identifier: MIT */

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "options/help.h"
#include "options/options.h"
#include "options/presets.h"
#include "report/page.h"
#include "report/report.h"
#include "core/signals.h"
#include "core/text.h"

/* The level of an option's piece of the manual; those of headings are below. */
#define LEVEL_OPTION '3'

/* Bytes of the manual that begin a style. */
#define BOLD '\1'
#define UNDERLINED '\2'
#define PLAIN '\3'

/* The column at which the text of an option begins. */
#define TEXT_COLUMN 29

/* The columns of a line, on a wider terminal, too. */
#define WIDTH 80

/* "  -s, --signal=SIG           signal sent on timeout [TERM]" */
static void
print_option(FILE *file, const struct option_row *row)
{
	const char letter[] = { '-', row->letter, ',', '\0' };
	char value[64] = "";

	if (row->value != NULL)
		strlcpy(value, row->value, sizeof(value));
	else if (row->words != NULL)
		for (int i = 0; option_word(row, i) != NULL; i++)
			text_append(value, sizeof(value), "%s%s",
			    i == 0 ? "" : "|", option_word(row, i));
	const int length = fprintf(file,
	    row->type == TYPE_FLAG ? "  %3s --%s"
		: row->optional	   ? "  %3s --%s[=%s]"
				   : "  %3s --%s=%s",
	    row->letter == 0 ? "" : letter, row->name, value);
	if (length < TEXT_COLUMN - 1)
		fprintf(file, "%*s", TEXT_COLUMN - length, "");
	else
		fprintf(file, "\n%*s", TEXT_COLUMN, "");

	/* A default of 0 for a time is not worth saying. */
	const bool says_default = row->initial != NULL &&
	    (row->type != TYPE_DURATION || strcmp(row->initial, "0") != 0);
	fprintf(file, says_default ? "%s [%s]\n" : "%s\n", row->doc,
	    row->initial);
}

void
help_usage(FILE *file)
{
	fprintf(file,
	    "usage: " PROGRAM " [OPTION]... [--] COMMAND [ARG]...\n"
	    "Run COMMAND until it succeeds, waiting longer after each "
	    "failure.\n");
}

/* With the prompt a screen of 24 lines: what nearly all runs need. */
static const char screen_text[] =
    "\n"
    "  -a, --attempts=N       give up after N attempts; 0 = no limit [5]\n"
    "  -t, --timeout=DUR      time limit per attempt; kills all it started\n"
    "  -T, --max-time=DUR     total time with waits; lifts the limit of 5\n"
    "  -d, --delay=DUR        first wait; the next ones double, up to -m [1s]\n"
    "  -b, --backoff=NAME     how the waits grow; fixed: -b constant -j none\n"
    "      --retry-on=SET     retry only these: 7, 100-110, timeout, ...\n"
    "      --stop-on=SET      never retry these\n"
    "      --retry-match=ERE, --stop-match=ERE    the same, by its output\n"
    "      --success-on=SET, --success-match=ERE  what is a success\n"
    "      --preset=NAME,...  know which npm, curl ... failures are permanent\n"
    "      --output=MODE      when to show output: hold, chronic ... [stream]\n"
    "      --plan             show the waits and the worst case; run nothing\n"
    "  -q, -v                 quieter, more verbose\n"
    "\n"
    "  " PROGRAM " -a 3 -t 10m make check\n"
    "  " PROGRAM " --preset=npm npm ci\n"
    "  " PROGRAM " -T 2m pg_isready -q\n"
    "DUR: 5 = 5s, 250ms, 1m30s. COMMAND runs without a shell. See man " PROGRAM
    ".\n"
    "More, by --help=TOPIC: examples options -a npm exit signals environment "
    "topics.\n"
    "Recipes, by --help=PLACE: ci cron systemd docker compose kubernetes "
    "shell http.\n";

static void
print_options(FILE *file)
{
	fprintf(file, "usage: " PROGRAM " [OPTION]... [--] COMMAND [ARG]...\n");
	for (int group = 0; group < GROUPS; group++) {
		fprintf(file, "\n%s:\n", option_groups[group]);
		for (int id = 0; id < OPTIONS; id++)
			if ((int)option_rows[id].group == group)
				print_option(file, &option_rows[id]);
	}
	fprintf(file,
	    "\nTo explain an option: --help=-a; to list the topics: "
	    "--help=topics.\n");
}

static void
print_backoff(FILE *file)
{
	fprintf(file,
	    "-b STRATEGY[:NAME=VALUE,...], the nominal delay before retry "
	    "n; d is --delay,\ncap is --max-delay, u is uniform in "
	    "[0,1).\nA level starts at d, rises with each failure and falls "
	    "with each success.\n\n");
	for (const struct strategy *row = strategies; row->name != NULL;
	     row++) {
		fprintf(file, "  %-13s %s\n      %s", row->name, row->formula,
		    row->doc);
		if (row->random)
			fprintf(file, "\n      for u = 1/2");
		else if (row->sample != NULL)
			fprintf(file, "\n      for %s%s", row->sample,
			    row->needs_ends ? " and a cap of 16s" : "");
		fprintf(file, ": %s\n", row->example);
		for (const struct param *param = row->params;
		     param->name != NULL; param++) {
			fprintf(file, "      %s: %s [", param->name,
			    param->doc);
			if (param->initial == PARAM_IS_BASE)
				fprintf(file, "d]\n");
			else if (param->initial == PARAM_REQUIRED)
				fprintf(file, "required]\n");
			else
				fprintf(file, "%g]\n", param->initial);
		}
	}
}

/* A table whose rows begin with a name and a sentence. */
static void
print_table(FILE *file, const char *format, const char *const *first,
    size_t stride)
{
	for (const char *row = (const char *)first;; row += stride) {
		const char *const *pair = (const void *)row;

		if (pair[0] == NULL)
			return;
		fprintf(file, format, pair[0], pair[1]);
	}
}
#define PRINT_TABLE(format, table) \
	print_table(file, format, &(table)[0].name, sizeof((table)[0]))

static void
print_jitter(FILE *file)
{
	fprintf(file,
	    "-j KIND; x is the nominal delay, u is uniform in [0,1).\n\n");
	for (const struct jitter_kind *row = jitter_kinds; row->name != NULL;
	     row++)
		fprintf(file, "  %-6s %-20s %s%s%s\n", row->name, row->formula,
		    row->doc, row->alias == NULL ? "" : "; alias: ",
		    row->alias == NULL ? "" : row->alias);
}

/* The presets that are, or are not, for tools. */
static void
list_presets(FILE *file, bool tools)
{
	for (const struct preset *row = presets; row->name != NULL; row++)
		if (preset_classifies(row) == tools)
			fprintf(file, "  %-11s %s\n", row->name,
			    row->text + strlen("# "));
}

static void
print_presets(FILE *file)
{
	fprintf(file,
	    "A preset, by --preset=NAME,..., knows how a tool fails, or has "
	    "the delays of a\nsystem; --preset=./FILE reads your own file; "
	    "--help=NAME prints a preset.\n\n"
	    "Tools, with the failures that are transient:\n");
	list_presets(file, true);
	fprintf(file, "\nSystems:\n");
	list_presets(file, false);
}

static void
print_sets(FILE *file)
{
	fprintf(file,
	    "A SET is a comma-separated list, read from left to right, of:\n\n"
	    "  an exit status or a range (1, 100-110),\n"
	    "  a class:\n");
	PRINT_TABLE("    %-12s %s\n", set_classes);
	fprintf(file, "  a name of sysexits(3), with or without EX_:\n");
	PRINT_TABLE("    %-12s %s\n", set_sysexits);
	fprintf(file,
	    "  a signal by name, with or without SIG, or as RTMIN+n:\n   ");
	for (int number = 1, column = 0; number < NSIG; number++) {
		const char *name = signal_abbreviation(number);

		if (name == NULL || !signal_is_deadly(number))
			continue;
		if (++column == 13)
			fprintf(file, "\n   ");
		fprintf(file, " %s", name);
	}
	fprintf(file,
	    "\n\n\"!\" or \"^\" before an item removes it.  A list adds to "
	    "the option's default;\n\"none\" clears the list, the "
	    "default items included.\n");
}

static void
print_formats(FILE *file)
{
	fprintf(file,
	    "--log=FORMAT[:FILE] writes to standard error, or to FILE; FILE "
	    "may be -\n(standard output) or fd:N (an open descriptor).\n\n");
	PRINT_TABLE("  %-8s %s\n", formats);
}

static void
print_output(FILE *file)
{
	fprintf(file, "\n--output=MODE\n\n");
	PRINT_TABLE("  %-9s %s\n", output_rows);
	fprintf(file, "\n--stdin=MODE\n\n");
	PRINT_TABLE("  %-9s %s\n", input_words);
}

static void
print_signals(FILE *file)
{
	fprintf(file, "\n");
	for (int number = 1; number < NSIG; number++)
		if (signal_abbreviation(number) != NULL)
			fprintf(file, "    %-7s %2d  %s\n",
			    signal_abbreviation(number), number,
			    signal_meaning(number));
}

/* Prints a piece of the manual, with bold words if the screen can show them. */
static void
print_piece(FILE *file, const char *text, const struct screen *screen)
{
	static const char *const
	    codes[] = { [BOLD] = "0;1", [UNDERLINED] = "0;4", [PLAIN] = "0" };
	const bool styled = screen->terminal && !screen->plain;

	for (; *text != '\0'; text++)
		if (*text > PLAIN)
			putc(*text, file);
		else if (styled)
			fprintf(file, "\033[%sm", codes[(int)*text]);
}

/* Prints the piece of an option, or that of a heading and all below it. */
static void
print_manual(FILE *file, bool is_option, const char *name,
    const struct screen *screen)
{
	const char *piece = manual_text, *text;
	char level = '\0';

	for (; *piece != '\0'; piece = text + strlen(text) + 1) {
		text = piece + strlen(piece) + 1;
		if (level != '\0' && *piece <= level)
			return;
		if (level != '\0')
			putc('\n', file);
		else if ((*piece == LEVEL_OPTION) == is_option &&
		    strcmp(piece + 1, name) == 0)
			level = *piece;
		if (level != '\0')
			print_piece(file, text, screen);
	}
}

static void
print_topics(FILE *file)
{
	PRINT_TABLE("  --help=%-12s %s\n", help_topics);
}

const struct help_topic help_topics[] = {
	{ "options", "all options", NULL, print_options, " all retry " },
	{ "topics", "this list", NULL, print_topics },
	{ "ci", "recipes for GitHub, GitLab, Jenkins", "CI", NULL,
	    " github gitlab jenkins actions summary " },
	{ "cron", "recipes for a crontab", "CRON", NULL, " crontab " },
	{ "systemd", "recipes for units", "SYSTEMD", NULL,
	    " daemon service unit timer reload ready notify " },
	{ "docker", "recipes for images", "DOCKER", NULL,
	    " container containers image dockerfile podman pid1 " },
	{ "compose", "recipes for docker compose", "COMPOSE", NULL,
	    " docker-compose postgres database " },
	{ "kubernetes", "recipes for pods", "KUBERNETES", NULL,
	    " k8s pod pods " },
	{ "shell", "recipes for scripts", "SHELL", NULL,
	    " bash function functions alias pipe pipeline stage loop "
	    "makefile " },
	{ "http", "recipes for downloads and servers", "HTTP", NULL,
	    " url download 404 429 503 retry-after rate-limit " },
	{ "limits", "limits on attempts and on time", "Limits", NULL },
	{ "backoff", "how delays grow", NULL, print_backoff },
	{ "jitter", "how delays are randomized", NULL, print_jitter,
	    " random " },
	{ "hints", "Retry-After, and other waits in output", "HINTS", NULL },
	{ "presets", "known tools and systems", NULL, print_presets },
	{ "verdict", "how success, retry or stop is decided", "VERDICT", NULL },
	{ "sets", "outcomes by number and name", NULL, print_sets },
	{ "patterns", "regular expressions", "Patterns", NULL },
	{ "output", "when output is shown", "Output", print_output,
	    " input stdout stderr " },
	{ "signals", "what signals do", "Signals", print_signals,
	    " ctrl-c ^c hup sighup sigterm " },
	{ "plan", "dry runs", "PLAN", NULL },
	{ "fleet", "many clients of one service", "WHAT TO DO FIRST", NULL },
	{ "state", "backoff from run to run", "STATE", NULL,
	    " lock instance single " },
	{ "budget", "a limit on retries that processes share", "BUDGET", NULL },
	{ "formats", "the formats of --log", NULL, print_formats,
	    " json junit " },
	{ "messages", "what the messages mean", "DIAGNOSTICS", NULL },
	{ "environment", "variables of the environment", "ENVIRONMENT", NULL,
	    " variables secret secrets retry_attempt " },
	{ "examples", "commands to copy", "EXAMPLES", NULL,
	    " cookbook recipes index tutorial slack mail sudo " },
	{ "exit", "exit statuses", "EXIT STATUS", NULL,
	    " status codes exit-code exit-codes exit-status 75 124 125 126 " },
	{ "security", "what to keep from untrusted users", "SECURITY", NULL },
	{ .name = NULL },
};

static void
print_preset(FILE *file, const struct preset *preset)
{
	fprintf(file, "The preset %s %s\n\n", preset->name,
	    preset_classifies(preset)
		? "recognizes failures; its first line names transient ones."
		: "sets the delays of a known system.");
	for (const char *line = NULL;
	     (line = preset_line(preset, line)) != NULL;)
		fprintf(file, "%s\n", line);
}

/* What is meant; all members are NULL if the word names nothing. */
struct subject {
	const struct help_topic *topic;
	const struct preset *preset;
	const struct option_row *option;
};

/* The subject of this name, or the only one whose name begins so. */
static struct subject
find_subject(const char *typed)
{
	const char *name = typed + strspn(typed, "-");
	const bool dashed = name > typed;
	const size_t length = strlen(name);
	struct subject found = { .topic = NULL };
	char word[TEXT_ITEM];
	int count = 0;

	if (strncasecmp(name, "preset=", 7) == 0)
		return (struct subject){ .preset = preset_find(name + 7,
					     length - 7) };
	snprintf(word, sizeof(word), " %s ", name);
	for (const struct help_topic *row = help_topics;
	     !dashed && row->name != NULL; row++) {
		if (strcasecmp(row->name, name) == 0 ||
		    (row->words != NULL &&
			strcasestr(row->words, word) != NULL))
			return (struct subject){ .topic = row };
		if (strncasecmp(row->name, name, length) == 0 && count++ == 0)
			found.topic = row;
	}
	for (int id = 0; id < OPTIONS; id++) {
		const struct option_row *row = &option_rows[id];

		if (strcasecmp(row->name, name) == 0 ||
		    (length == 1 && *name == row->letter))
			return (struct subject){ .option = row };
		/* A topic goes before the option of its name. */
		if (strncasecmp(row->name, name, length) != 0 ||
		    (found.topic != NULL &&
			strcmp(found.topic->name, row->name) == 0))
			continue;
		if (count++ == 0)
			found.option = row;
	}
	const struct preset *preset = preset_find(name, length);
	if (!dashed && preset != NULL)
		return (struct subject){ .preset = preset };
	return count == 1 && length > 1 ? found
					: (struct subject){ .topic = NULL };
}

bool
help_has(const char *typed)
{
	const struct subject found = find_subject(typed);

	return found.topic != NULL || found.option != NULL ||
	    found.preset != NULL;
}

static void
print_subject(FILE *file, struct subject found, const struct screen *screen)
{
	const struct help_topic *const topic = found.topic;

	if (found.option != NULL) {
		print_manual(file, true, found.option->name, screen);
		if (found.option->topic != NULL)
			fprintf(file, "\n  More: " PROGRAM " --help=%s\n",
			    found.option->topic);
	}
	if (topic != NULL && topic->heading != NULL)
		print_manual(file, false, topic->heading, screen);
	if (topic != NULL && topic->print != NULL)
		topic->print(file);
	if (found.preset != NULL)
		print_preset(file, found.preset);
	else if (topic != NULL &&
	    preset_find(topic->name, strlen(topic->name)) != NULL)
		fprintf(file,
		    "\nThe preset of this name: " PROGRAM
		    " --help=--preset=%s.\n",
		    topic->name);
}

void
help_print(const char *typed, const struct screen *screen)
{
	struct subject found = { .preset = NULL };
	struct page page;

	page_open(&page, screen);
	if (typed != NULL) {
		found = find_subject(typed);
		print_subject(page.file, found, screen);
	} else {
		help_usage(page.file);
		fputs(screen_text, page.file);
	}
	/* A preset can be copied from a file: its lines stay whole there. */
	page_print(&page, stdout, found.preset == NULL ? WIDTH : 0);
}
