/* SPDX-License-Identifier: MIT */

/*
 * The presets of tools, by data/failures: how tools failed, and whether that
 * was worth a retry.  Each file is searched as an attempt's output is, and
 * classified by its status and its lines.
 */

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/search.h"
#include "options/argv.h"
#include "options/presets.h"
#include "tap.h"

/* The search of the presets that were parsed last, which compiles them once. */
static struct search search;
static struct found found;

/* What the presets of these names mean. */
static void
parse(struct options *options, const char *names)
{
	static char option[512];
	char problem[ARGV_PROBLEM];
	char name[] = "retry", command[] = "true";
	char *argv[] = { name, option, command, NULL };

	snprintf(option, sizeof(option), "--preset=%s", names);
	if (argv_parse(3, argv, options, problem) == -1)
		tap_bail_out(names, problem);
	search_begin(&search, &options->patterns, &found);
}

static void
release(struct options *options)
{
	search_close(&search);
	options_free(options);
}

static enum failure_class
classify(const struct options *options, int status, const char *output,
    size_t length)
{
	static struct stream_line line;

	line = (struct stream_line){ .length = 0 };
	search_again(&search);
	while (length > 0) {
		const ssize_t done =
		    search_some(&search, &line, output, length);

		if (done == -1)
			tap_bail_out("search", "not enough memory");
		output += done;
		length -= (size_t)done;
	}
	search_end(&search, &line);
	struct ended ended = {
		.outcome = { .kind = OUTCOME_EXIT, .code = status },
		.by_line = found.class,
		.hint = -1,
	};
	verdict_classify(&options->policy.rules, &ended);
	return ended.outcome.class;
}

static enum failure_class
classify_file(const struct options *options, const char *path)
{
	static char text[1 << 20];
	FILE *file = fopen(path, "r");
	int status, start;

	if (file == NULL)
		tap_bail_out(path, "cannot be opened");
	const size_t length = fread(text, 1, sizeof(text) - 1, file);

	fclose(file);
	text[length] = '\0';
	if (sscanf(text, "status %d;%*[^\n]\n%n", &status, &start) != 1)
		tap_bail_out(path, "names no status");
	return classify(options, status, text + start, length - (size_t)start);
}

static const char *
data(void)
{
	const char *folder = getenv("TEST_DATA");

	return folder == NULL ? "data" : folder;
}

/* The folders retry and unknown, without glibc's {A,B}. */
#define GO_ON "??[tk]*"

/* Files below data/failures; there are some. */
static glob_t
files(const char *tool, const char *verdict)
{
	char pattern[4096];
	glob_t paths;

	snprintf(pattern, sizeof(pattern), "%s/failures/%s/%s/*", data(), tool,
	    verdict);
	if (glob(pattern, 0, NULL, &paths) != 0)
		tap_bail_out(pattern, "no files");
	return paths;
}

/* Some presets are made from documentation alone. */
static bool
has_failures(const char *tool)
{
	char folder[4096];

	snprintf(folder, sizeof(folder), "%s/failures/%s", data(), tool);
	return access(folder, F_OK) == 0;
}

/* Each file of the tool has, or has not, the class; returns how many have. */
static size_t
count_some(const struct options *options, const char *tool, const char *verdict,
    enum failure_class class, bool wanted, size_t first, size_t step)
{
	glob_t paths = files(tool, verdict);
	size_t count = 0;

	for (size_t i = first; i < paths.gl_pathc; i += step) {
		const bool has =
		    classify_file(options, paths.gl_pathv[i]) == class;

		ROW("%s", strstr(paths.gl_pathv[i], "failures/"));
		CHECK(has == wanted);
		count += has;
	}
	globfree(&paths);
	return count;
}

static size_t
count_class(const struct options *options, const char *tool,
    const char *verdict, enum failure_class class, bool wanted)
{
	return count_some(options, tool, verdict, class, wanted, 0, 1);
}

TEST(a_preset_knows_each_failure_of_its_tool)
{
	for (const struct preset *preset = presets; preset->name != NULL;
	     preset++) {
		struct options options;
		char unknown[64];

		if (!has_failures(preset->name))
			continue;
		parse(&options, preset->name);
		snprintf(unknown, sizeof(unknown), "%s/unknown", preset->name);
		if (has_failures(unknown))
			count_class(&options, preset->name, "unknown",
			    CLASS_UNKNOWN, true);
		count_class(&options, preset->name, "stop", CLASS_PERMANENT,
		    true);
		count_class(&options, preset->name, "retry", CLASS_TRANSIENT,
		    true);
		release(&options);
	}
}

/* All presets that know failures, as --preset has them. */
static char *
all_presets(char all[512])
{
	*all = '\0';
	for (const struct preset *preset = presets; preset->name != NULL;
	     preset++)
		if (preset_classifies(preset)) {
			if (*all != '\0')
				strlcat(all, ",", 512);
			strlcat(all, preset->name, 512);
		}
	return all;
}

/*
 * If output shows both classes, the failure is transient: so if all presets
 * together know each failure, any few of them stop none that may pass.
 */
TEST(no_preset_contradicts_that_of_another_tool)
{
	char all[512];
	struct options options;

	parse(&options, all_presets(all));
	count_class(&options, "*", "stop", CLASS_TRANSIENT, false);
	count_class(&options, "*", GO_ON, CLASS_PERMANENT, false);
	release(&options);
}

TEST(network_knows_failures_of_the_network_and_no_others)
{
	struct options options;

	parse(&options, "network");
	count_class(&options, "*", "stop", CLASS_UNKNOWN, true);
	count_class(&options, "*", GO_ON, CLASS_PERMANENT, false);

	glob_t paths = files("*", "retry");
	size_t known = 0;

	for (size_t i = 0; i < paths.gl_pathc; i++)
		known += classify_file(&options, paths.gl_pathv[i]) ==
		    CLASS_TRANSIENT;
	globfree(&paths);
	ROW("all");
	CHECK(known > 470);
	release(&options);
}

/* Lines of test runners and compilers, about time-outs, resets and the like. */
static void
check_assertions(const struct options *options, const char *names)
{
	char path[4096], *line = NULL;
	size_t size = 0, count = 0;
	ssize_t length;

	snprintf(path, sizeof(path), "%s/assertions", data());
	FILE *file = fopen(path, "r");

	if (file == NULL)
		tap_bail_out(path, "cannot be opened");
	while ((length = getline(&line, &size, file)) != -1) {
		ROW("%s: %.*s", names, (int)length - 1, line);
		CHECK_INT(classify(options, 1, line, (size_t)length),
		    CLASS_UNKNOWN);
		count++;
	}
	CHECK(count > 70);
	free(line);
	fclose(file);
}

/* Whole outputs of red tests, after a line of a service that they waited for. */
static void
check_runners(const struct options *options, const char *names)
{
	static const char line[] =
	    "dial tcp 127.0.0.1:5432: connect: connection refused\n";
	static char text[1 << 16];
	const size_t waited = strlen(line);
	char pattern[4096];
	glob_t paths;

	memcpy(text, line, waited);
	snprintf(pattern, sizeof(pattern), "%s/runners/*.log", data());
	if (glob(pattern, 0, NULL, &paths) != 0)
		tap_bail_out(pattern, "no files");
	for (size_t i = 0; i < paths.gl_pathc; i++) {
		FILE *file = fopen(paths.gl_pathv[i], "r");

		if (file == NULL)
			tap_bail_out(paths.gl_pathv[i], "cannot be opened");
		const size_t length =
		    fread(text + waited, 1, sizeof(text) - waited, file);
		fclose(file);
		ROW("%s: %s", names, paths.gl_pathv[i]);
		/* terraform alone knows what it cannot validate. */
		const bool knows =
		    strstr(paths.gl_pathv[i], "/terraform-") != NULL &&
		    (strcmp(names, "terraform") == 0 ||
			strcmp(names, "all") == 0);
		CHECK_INT(classify(options, 1, text, waited + length),
		    knows ? CLASS_PERMANENT : CLASS_UNKNOWN);
	}
	globfree(&paths);
}

TEST(a_line_that_states_an_expectation_is_no_evidence)
{
	char all[512];
	struct options options;

	for (const struct preset *preset = presets; preset->name != NULL;
	     preset++) {
		if (!preset_classifies(preset))
			continue;
		parse(&options, preset->name);
		check_assertions(&options, preset->name);
		check_runners(&options, preset->name);
		release(&options);
	}
	parse(&options, all_presets(all));
	check_assertions(&options, "all");
	check_runners(&options, "all");
	release(&options);
}

/* One text that is in another of its kind makes that one needless. */
static void
check_apart(const struct clue *one, const struct clue *other)
{
	if (one == other || one->kind != other->kind ||
	    one->class != other->class ||
	    (one->kind != CLUE_TEXT && one->kind != CLUE_IGNORE))
		return;
	ROW("%.*s", (int)other->length, other->text);
	CHECK(
	    memmem(other->text, other->length, one->text, one->length) == NULL);
}

TEST(no_text_of_a_preset_has_another_in_it)
{
	for (const struct preset *preset = presets; preset->name != NULL;
	     preset++) {
		struct options options;

		if (!preset_classifies(preset))
			continue;
		parse(&options, preset->name);
		const struct patterns *all = &options.patterns;
		for (size_t i = 0; i < all->clue_count; i++)
			for (size_t j = 0; j < all->clue_count; j++)
				check_apart(&all->clues[i], &all->clues[j]);
		release(&options);
	}
}

/*
 * With two presets, neither makes the other one's failures what they are not.
 * Each pair is held against a quarter of the failures, in turn.
 */
TEST(no_preset_contradicts_one_other)
{
	char names[128];
	size_t pair = 0;

	for (const struct preset *one = presets; one->name != NULL; one++)
		for (const struct preset *two = presets; two < one; two++) {
			const char *tools[] = { one->name, two->name };
			struct options options;

			if (!preset_classifies(one) || !preset_classifies(two))
				continue;
			snprintf(names, sizeof(names), "%s,%s", one->name,
			    two->name);
			parse(&options, names);
			for (size_t i = 0; i < 2; i++) {
				if (!has_failures(tools[i]))
					continue;
				count_some(&options, tools[i], "stop",
				    CLASS_TRANSIENT, false, pair % 4, 4);
				count_some(&options, tools[i], GO_ON,
				    CLASS_PERMANENT, false, pair % 4, 4);
			}
			pair++;
			release(&options);
		}
}

int
main(void)
{
	return RUN_ALL();
}
