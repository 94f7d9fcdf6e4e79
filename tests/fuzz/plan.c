/* SPDX-License-Identifier: MIT */

/*
 * Lines: the words behind the program's name and --plan.  The plan is printed,
 * and told in all formats.
 */

#include "options/argv.h"
#include "plan/plan.h"
#include "plan/script.h"
#include "fuzz.h"

/* More take too long, and rightly. */
#define CLIENTS 20

int LLVMFuzzerInitialize(int *argc, char ***argv);

/* What is printed is not of interest; libFuzzer has its own way out. */
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	stdout = stderr = fopen("/dev/null", "w");
	MUST(stdout != NULL);
	return 0;
}

/* One sink for each format. */
static struct report
open_report(const struct options *options)
{
	struct report report = { .style = options->style };

	while (formats[report.count].name != NULL)
		report.count++;
	report.sinks = calloc(report.count, sizeof(struct sink));
	MUST(report.sinks != NULL);
	for (size_t i = 0; i < report.count; i++)
		report.sinks[i] =
		    (struct sink){ .format = &formats[i], .file = stdout };
	return report;
}

static uint64_t
count_clients(const struct options *options)
{
	struct script script;
	const char *where;

	script_parse(options->text[OPTION_PLAN], &script, &where);
	script_free(&script);
	return script.clients;
}

static void
plan(const struct options *options, size_t size)
{
	const struct screen screen = { .width = (int)(size % 200),
		.terminal = size % 2 == 0,
		.unicode = size % 3 == 0,
		.colour = size % 5 == 0 };
	struct report report = open_report(options);

	plan_run(options->text[OPTION_PLAN], &report, &screen, 20000);
	for (size_t i = 0; i < report.count; i++)
		report_attempts_free(&report.sinks[i]);
	free(report.sinks);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char word[] = "--plan=1";
	char *text = fuzz_text(data, size), *rest = text;
	char *words[FUZZ_WORDS + 1], problem[ARGV_PROBLEM];
	const int count = fuzz_words(&rest, words + 1);
	struct options options;

	words[0] = words[1];
	words[1] = word;
	if (argv_parse(count + 1, words, &options, problem) == 0 &&
	    options.plan && !options.help && !options.version &&
	    count_clients(&options) <= CLIENTS)
		plan(&options, size);
	options_free(&options);
	free(text);
	return 0;
}
