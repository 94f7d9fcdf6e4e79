/* SPDX-License-Identifier: MIT */

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "options/help.h"
#include "options/options.h"
#include "report/report.h"
#include "core/signals.h"
#include "core/text.h"

/* The columns between which the text beside an option is printed. */
#define TEXT_COLUMN 29
#define TEXT_END 80

/* The same for the options of a preset. */
#define PRESET_COLUMN 14
#define PRESET_END 80

/* The column behind "TOPIC: ". */
#define TOPIC_COLUMN 7

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
	    "in CI: a JUnit report of flaky and failed runs" },
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

void
help_usage(FILE *file)
{
	fprintf(file,
	    "usage: " PROGRAM " [OPTION]... [--] COMMAND [ARG]...\n"
	    "       " PROGRAM
	    " --plan[=SCRIPT] [OPTION]... [COMMAND [ARG]...]\n"
	    "Run COMMAND until it succeeds, waiting longer after each "
	    "failure.\n");
}

static void
print_options(void)
{
	char topics[256] = "";
	int group = -1;

	help_usage(stdout);
	for (int id = 0; id < OPTIONS; id++) {
		if ((int)option_rows[id].group != group) {
			group = (int)option_rows[id].group;
			printf("\n%s:\n", option_groups[group]);
		}
		print_option(&option_rows[id]);
	}
	printf("\nDUR is in seconds unless it has a unit: 250ms, 1m30s, 1h.\n"
	       "COMMAND is run without a shell; for pipes and shell syntax: "
	       "%s sh -c '...';\nfor an exported function of bash: "
	       "%s bash -c '...'\nTOPIC: ",
	    PROGRAM, PROGRAM);
	for (const struct help_topic *row = help_topics; row->name != NULL;
	     row++)
		text_append(topics, sizeof(topics), " %s", row->name);
	print_wrapped(topics + strspn(topics, " "), TOPIC_COLUMN, TEXT_END);
	printf("\nExamples:\n");
	for (int i = 0; i < FEW_EXAMPLES; i++)
		printf("  %s\n", examples[i].text);
	printf("Full documentation: man " PROGRAM ", man retry-cookbook\n");
}

static void
print_backoff(void)
{
	printf("-b STRATEGY[:NAME=VALUE,...], the nominal delay before retry "
	       "n; d is --delay,\ncap is --max-delay, u is uniform in "
	       "[0,1).\nA level starts at d, rises with each failure and falls "
	       "with each success.\n\n");
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
		    row->doc, row->alias == NULL ? "" : "; alias: ",
		    row->alias == NULL ? "" : row->alias);
}

static void
print_presets(void)
{
	printf("--preset=NAME is for a system or a tool; options given "
	       "explicitly override it.\n\nSystems, with the options that they "
	       "set:\n");
	for (const struct preset *row = presets; row->lasting == NULL; row++) {
		char text[256] = "";

		for (int i = 1; row->words[i] != NULL; i++)
			text_append(text, sizeof(text), "%s ", row->words[i]);
		printf("\n  %-11s %s (%s)\n%*s", row->words[0], row->doc,
		    row->source, PRESET_COLUMN, "");
		print_wrapped(text, PRESET_COLUMN, PRESET_END);
	}
	printf("\nTools, with the temporary failures, which are retried, and "
	       "the permanent ones,\nwhich end the run.  Unknown failures are "
	       "retried too.  A run makes at most three\nattempts, with curl "
	       "five.\n");
	for (const struct preset *row = presets; row->doc != NULL; row++) {
		if (row->lasting == NULL)
			continue;
		printf("\n  %-11s %s (%s)\n%*s", row->words[0], row->doc,
		    row->source, PRESET_COLUMN, "");
		print_wrapped(row->permanent, PRESET_COLUMN, PRESET_END);
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
	       "the option's default;\n\"none\" clears the list, the "
	       "default items included.\n");
}

static void
print_plan(void)
{
	printf(
	    "--plan=SCRIPT, a dry run.  The script is a comma-separated list "
	    "of\nITEM[:DUR][*COUNT], and the last item is repeated:\n\n"
	    "  1:2s*3        three attempts of 2 s that exit 1 (any item of a "
	    "SET)\n"
	    "  p=0.2         fails one time in five\n"
	    "  down=90s@30s  fails for 90 s, from the 30th second on, or from "
	    "the start\n"
	    "\nThe table shows one run, and \"longest\" is the worst case; the "
	    "figures below it\nare of 10,000 simulated runs.\n"
	    "--clients=N simulates N runs against one service at the same "
	    "time.\n");
}

static void
print_limits(void)
{
	printf(
	    "--attempts=N, -a N: give up after N attempts; 0: never.  N can "
	    "be followed, or\nreplaced, by a comma-separated list of:\n\n"
	    "  timeout:2    give up at the second timeout (or another item "
	    "of a SET)\n"
	    "  5/10m        give up at the fifth failure within 10 minutes\n"
	    "  signal:3/1h  give up at the third death by a signal within an "
	    "hour\n"
	    "\nThe limit that is reached first counts: -a 10,timeout:2,75:5\n\n"
	    "--timeout=DUR, -t DUR: limit the time of each attempt.\n"
	    "--idle-timeout=DUR: limit the time without output.\n"
	    "--max-time=DUR, -T DUR: limit the time of the whole run, waits "
	    "included.\n"
	    "--plan shows how long a run with these limits can take.\n");
}

static void
print_health(void)
{
	printf(
	    "--health=COMMAND: while an attempt runs, /bin/sh runs COMMAND "
	    "again and again.\nExit status 0 means healthy, any other is a "
	    "failure.  After %s failures in a row\n(--health-retries) the "
	    "attempt is unhealthy: retry ends it as after a timeout,\nand "
	    "retries it.\n\n"
	    "  retry -a 0 --health='curl -fs localhost/health' -- server\n"
	    "  retry --health='test -n \"$(find job.log -mmin -5)\"' ./job\n\n"
	    "--health-interval [%s] is the time between probes, "
	    "--health-timeout [%s] the\nlimit for a probe.  With "
	    "--health-start-period, failures do not count for this\nlong after "
	    "the start of an attempt, until a probe succeeds.\n",
	    option_rows[OPTION_HEALTH_RETRIES].initial,
	    option_rows[OPTION_HEALTH_INTERVAL].initial,
	    option_rows[OPTION_HEALTH_TIMEOUT].initial);
}

static void
print_verdict(void)
{
	printf(
	    "An attempt is judged by the first of these rules that applies:\n\n"
	    "  1. --check: the exit status of a command\n"
	    "  2. --success-on, --success-match, --fail-match: success\n"
	    "  3. --stop-on, --stop-match: give up at once\n"
	    "  4. --throttle-on, --throttle-match: retry, after "
	    "--throttle-delay\n"
	    "  5. --preset of a tool: give up at once at a permanent failure\n"
	    "  6. --retry-on, --retry-match: retry if either applies, else "
	    "give up at once\n"
	    "  7. any other failure: retry\n\n"
	    "The options that end in -on take exit statuses, signals and other "
	    "outcomes\n(--help=sets), those in -match a regular expression "
	    "for a line of the output.\n");
}

static void
print_state(void)
{
	printf(
	    "--state=FILE[:skip] lets runs that are started again and again, "
	    "as by cron, back\noff together:\n\n"
	    "  delays      a run that gives up saves the next delay, and the "
	    "next run waits\n              for the end of that delay\n"
	    "  lock        one run (instance) at a time; another waits\n"
	    "  :skip       exit with 75 instead of either wait\n"
	    "  --tolerate=N\n"
	    "              exit with 0 until N runs in a row have given up\n\n"
	    "  retry --state=sync.state:skip -a 1 -d 1m -m 1h ./sync\n");
}

static void
print_budget(void)
{
	printf("--budget=FILE[:NAME=VALUE,...]: a limit on retries that "
	       "processes share.\nA retry takes tokens from a bucket; if too "
	       "few are left, retry gives up at once.\n\n");
	for (const struct budget_param *row = budget_params; row->name != NULL;
	     row++) {
		char initial[16] = "cost";

		if (row->initial != BUDGET_IS_COST)
			snprintf(initial, sizeof(initial), "%g",
			    (double)row->initial / 1000);
		printf("  %-10s %s [%s]\n", row->name, row->doc, initial);
	}
	printf("\nExample: retry --budget=/var/lib/sync/budget:tokens=20,"
	       "rate=0.5 ./sync\n");
}

static void
print_formats(void)
{
	printf("--log=FORMAT[:FILE] writes to standard error, or to FILE; FILE "
	       "may be -\n(standard output) or fd:N (an open descriptor).\n\n");
	for (const struct format *row = formats; row->name != NULL; row++)
		printf("  %-8s %s\n", row->name, row->doc);
}

static void
print_trials(void)
{
	printf(
	    "--trials=N runs COMMAND N times, whatever happens, and says how "
	    "often it failed:\n\n"
	    "  retry: make: 7 of 200 trials failed: 3.5 %% (95 %% interval "
	    "1.7 %% to 7.0 %%);\n"
	    "  exited 1: 5, timed out: 2; with -a 3 one run in 23,000 would "
	    "fail at 3.5 %%\n\n"
	    "  verdict   each trial is judged as an attempt; stop ends the "
	    "run\n"
	    "  delay     none, or that of --delay\n"
	    "  output    only that of failed trials, unless --output says "
	    "otherwise\n"
	    "  limits    -t for each trial, -T for all\n"
	    "  interval  the score interval of Wilson; if no trial failed, "
	    "the rule of three\n            gives an upper bound\n"
	    "  forecast  assumes that attempts fail independently, as often "
	    "as the trials did\n"
	    "  --state   the trials of all runs with the same FILE are added "
	    "up\n"
	    "  status    0 if all N trials succeeded, or that of the last one "
	    "that failed\n");
}

static void
print_exit(void)
{
	printf("  0        the run succeeded; or a signal ended the run, and "
	       "its attempt exited\n"
	       "           0; or the run gave up, as --tolerate allows\n"
	       "  75       with --state=FILE:skip: too early, or another run "
	       "is active\n"
	       "  124      the last attempt timed out or was unhealthy, or "
	       "--max-time ended it;\n"
	       "           if --max-time ran out in a wait: the status of the "
	       "last attempt\n"
	       "  125      retry itself failed, or an option was wrong\n"
	       "  126      the command was found but could not be executed\n"
	       "  127      the command was not found\n"
	       "  128+N    the last attempt died of signal N, or N ended a "
	       "wait: retry then dies\n"
	       "           of N too, which shells report as 128+N\n"
	       "  others   the command's own, from the last attempt; 1 if that "
	       "was 0 but counted\n"
	       "           as a failure\n");
}

static void
print_output(void)
{
	printf("--output=MODE: when to show the attempts' output\n\n");
	for (int i = 0; output_rows[i].name != NULL; i++)
		printf("  %-9s %s\n", output_rows[i].name, output_rows[i].doc);
	printf(
	    "\nWith any mode but stream, output is kept in unnamed temporary "
	    "files in $TMPDIR,\nand the attempts do not write to a "
	    "terminal.\n\n"
	    "--stdin=MODE: what the attempts read\n\n");
	for (int i = 0; input_words[i].name != NULL; i++)
		printf("  %-9s %s\n", input_words[i].name, input_words[i].doc);
}

static void
print_signals(void)
{
	printf(
	    "What retry does with a signal:\n\n"
	    "  TERM, INT and other terminating signals\n"
	    "               end the run: retry forwards the signal, waits for "
	    "the attempt,\n"
	    "               and exits as the attempt did; in a wait retry dies "
	    "of it at once\n"
	    "  USR1 USR2    are forwarded, and do not end the run; so are "
	    "real-time signals,\n"
	    "               and HUP if there is no terminal\n"
	    "  TSTP CONT    stop and continue the attempt and retry\n"
	    "  URG          ends a wait: retry now\n\n"
	    "^C in a terminal ends the attempt and retry.  After a timeout the "
	    "attempt and\neverything that it started get --signal [%s], and "
	    "KILL after --kill-after\n[%s].  The signals:\n\n",
	    option_rows[OPTION_SIGNAL].initial,
	    option_rows[OPTION_KILL_AFTER].initial);
	for (int number = 1; number < NSIG; number++)
		if (signal_abbreviation(number) != NULL)
			printf("    %-7s %2d  %s\n",
			    signal_abbreviation(number), number,
			    signal_meaning(number));
}

static const struct word variables_read[] = {
	{ "PATH", "where COMMAND is searched for" },
	{ "JOURNAL_STREAM", "whether standard error is systemd's journal" },
	{ "NOTIFY_SOCKET", "where systemd is told how the run stands" },
	{ "CI", "if set, and not \"false\": no status line" },
	{ "GITHUB_ACTIONS", "if \"true\": the format github" },
	{ "GITHUB_OUTPUT", "a file for the outputs of the step" },
	{ "GITHUB_STEP_SUMMARY", "a file for the summary of the step" },
	{ "TMPDIR", "where input and output are held [/tmp]" },
	{ "COLUMNS", "the width of a plan that goes to no terminal [80]" },
	{ "NO_COLOR", "no colours, unless --color=always" },
	{ "CLICOLOR_FORCE", "colours everywhere, unless --color=never" },
	{ "FORCE_COLOR", "the same" },
	{ "TERM", "no colours if unset or \"dumb\"" },
	{ "LC_ALL", "whether UTF-8 can be shown" },
	{ "LC_CTYPE", "the same, if LC_ALL is not set" },
	{ "LANG", "the same, if neither is set" },
	{ "TZ", "the time zone of times of day" },
	{ "LD_PRELOAD", "if set: processes start by a plain fork" },
	{ .name = NULL },
};

static const struct word variables_set[] = {
	{ "RETRY_ATTEMPT", "number of the attempt" },
	{ "RETRY_ATTEMPTS", "limit on attempts; 0: none" },
	{ "RETRY_ELAPSED", "seconds since the run began" },
	{ "RETRY_LAST",
	    "how the last attempt that is over ended: exit, "
	    "signal,\n                      timeout, unhealthy, "
	    "unstartable or unforked" },
	{ "RETRY_LAST_STATUS", "its exit status, signal or error number" },
	{ "RETRY_LAST_OOM", "1 if it was killed because memory ran out" },
	{ "RETRY_DELAY", "length of the wait that has just ended, in seconds" },
	{ "RETRY_REASON",
	    "for --on-success and --on-give-up: why the run "
	    "ended" },
	{ "RETRY_FINAL", "1 for the last attempt that --attempts allows" },
	{ "RETRY_PID", "for --health: process of the attempt" },
	{ .name = NULL },
};

static void
print_variables(const struct word *words)
{
	for (; words->name != NULL; words++)
		printf("  %-19s %s\n", words->name, words->doc);
}

static void
print_environment(void)
{
	printf("Attempts, probes and hooks get these variables, if they "
	       "apply:\n\n");
	print_variables(variables_set);
	printf("\nsudo(8) drops them, unless --preserve-env names them.\n\n"
	       "retry reads:\n\n");
	print_variables(variables_read);
}

static void
print_topics(void)
{
	for (const struct help_topic *row = help_topics; row->name != NULL;
	     row++)
		printf("  --help=%-12s %s\n", row->name, row->doc);
}

const struct help_topic help_topics[] = {
	{ "options", "all options", print_options },
	{ "limits", "limits on attempts and on time", print_limits },
	{ "health", "probe an attempt that runs", print_health },
	{ "backoff", "how delays grow", print_backoff },
	{ "jitter", "how delays are randomized", print_jitter },
	{ "presets", "settings of known systems and tools", print_presets },
	{ "verdict", "the order of the rules that judge", print_verdict },
	{ "sets", "outcomes by number and name", print_sets },
	{ "output", "when output is shown", print_output },
	{ "signals", "what signals do, and their names", print_signals },
	{ "plan", "dry runs", print_plan },
	{ "state", "backoff from run to run", print_state },
	{ "budget", "a limit that processes share", print_budget },
	{ "trials", "how often a command fails", print_trials },
	{ "formats", "the formats of --log", print_formats },
	{ "environment", "variables of the environment", print_environment },
	{ "examples", "commands to copy", print_examples },
	{ "exit", "exit statuses", print_exit },
	{ "topics", "this list", print_topics },
	{ .name = NULL },
};
