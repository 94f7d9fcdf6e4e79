/* SPDX-License-Identifier: MIT */

/*
 * Runs of policies that use each option, with all that may happen in them: what
 * a driver answers, and what happens when, is chosen by a sequence of numbers.
 * After each run the last number that has a successor is raised, what follows it
 * is dropped, and the run is made again.  Any choice but the usual one is a
 * surprise, of which a run has a few at most; the argument says how many.
 */

#include <stdio.h>
#include <string.h>

#include "options/argv.h"
#include "tap.h"

static void try_failed(const char *file, int line, const char *text);

#define MUST(condition) \
	do { \
		if (!(condition)) \
			try_failed(__FILE__, __LINE__, #condition); \
	} while (0)

#include "tries.h"

#define POLICY_WORDS 16

/* A run is left after so many choices. */
#define CHOICES_MOST 400

static const char *const policies[] = {
	"",
	"-a1",
	"-a2 -T3 -k0",
	"-a2 --check=x -k0 --stop-timeout=1s --on-give-up=x",
	"-a2 --health=x --health-interval=2s --health-retries=2 -k1",
	"-a2 --leftovers=end -T3 -k1",
	"-a2 --leftovers=end --stop-timeout=1s -k0",
	"-a2 --check=x",
	"-a2 --before-retry=x --stop-timeout=1s",
	"-a2 --on-success=x --on-give-up=x",
	"-a2 --output=hold",
	"-a2 --output=hold -t2 -k0",
	"-a2 --stdin=replay",
	"-a2 --repeat",
	"-a2 --state=x --tolerate=2 -T4 -t2 -k1",
	"-a2 --budget=x",
	"-a2 -b constant",
	"-a0 -T4",
	"-a3,timeout:2 -t2",
	"-a0,2/3s -t2 -k1",
	"-a2 -t2 -k0",
	"-a2 -t2 -k1 -s INT",
	"-a2 -t2 -T5 -k2",
	"-a2 -t 50% -T6 -k1 --min-timeout=2s",
	"-a2 --idle-timeout=2s -k1",
	"-a2 -t2 -k2 --stop-timeout=1s",
	"-a2 --leftovers=end -t2 -T4 -k1 --output=hold",
	"-a2 --leftovers=end -k1 --check=x --state=x",
	"-a2 --idle-timeout=1s -T4 --output=hold",
	"-a3 -b linear -m2s",
	"-a3 -b decorrelated -j none",
	"-a3 -b lild:up=1s,down=1s --repeat -T7",
	"-a3 -j full --seed=7",
	"-a3 --pace=start --min-timeout=2s",
	"-a3 --pace=start --throttle-on=4 --throttle-delay=3s",
	"-a2 --reset-after=2s",
	"-a2 --wait-first --splay=2s -j none",
	"-a2 --splay=2s -T3",
	"-a2 --delay-match=(x) -T6",
	"-a3 --stop-on=9 --retry-on=1,timeout -t2",
	"-a2 --free-on=1 -T4",
	"-a2 --health=x --health-interval=1s --health-timeout=1s -t4 -k1",
	("-a2 --health=x --health-interval=2s --health-retries=1 "
	 "--health-start-period=3s --reset-after=3s -T9 -k0"),
	"-a3 --throttle-on=4 --throttle-delay=2s --success-on=0,9",
	"-a2 --success-match=x --output=hold",
	"-a2 --fail-match=x --retry-match=y --stop-match=z",
	"-a2 --throttle-match=x --throttle-delay=2s",
	"-a2 --check=x -t2 -k1 -T5",
	"-a2 --check=x --output=chronic -T3 -k1",
	"-a2 --preserve-status -t2 -T4 -k1",
	"-a2 --before-retry=x -t2 -T5 -k1",
	"-a2 --on-give-up=x --output=chronic -t1 -k1",
	"-a2 --output=hold -T3 -t2 -k1",
	"-a2 --output=all -T3 -t2 -k1 --before-retry=x --on-give-up=x",
	"-a2 --output=last -T3",
	"-a2 --output=chronic --before-retry=x",
	"-a2 --stdin=replay -T2 --output=last",
	"-a2 --repeat=2 --success-delay=1s",
	"-a2 --repeat --output=hold -T4",
	"-a2 --repeat --before-retry=x --state=x",
	"-a2 --state=x",
	"-a2 --state=x:skip",
	"-a2 --state=x --splay=1s -T3",
	"-a2 --state=x --repeat --success-delay=1s",
	"-a2 --state=x --output=last --on-give-up=x -T3",
	"-a2 --state=x -b mimd:up=2,down=2",
	"-a2 --budget=x -T3 --before-retry=x --output=chronic",
	"-a2 --state=x --budget=x --stdin=replay --check=x",
	"-a2 --state=x --budget=x --before-retry=x -t2 -k1 -T4",
	"-a2 --pace=start -T4 --output=hold --check=x -t2 -k0",
};

static struct {
	const char *words; /* of the policy */
	int choices[CHOICES_MOST], counts[CHOICES_MOST];
	int length, at;
	int surprises, most;
	size_t runs;
} all;

static void
try_failed(const char *file, int line, const char *text)
{
	static int told;

	tap.failed = true;
	printf("# %s:%d: %s\n#     retry %s\n#    ", file, line, text,
	    all.words);
	for (int i = 0; i < all.at; i++)
		printf(" %d", all.choices[i]);
	printf("\n");
	if (told++ == 5)
		exit(1);
}

/* --- choices --- */

/* A number below `count`; 0 is what usually happens. */
static int
choose(int count)
{
	if (all.at == CHOICES_MOST)
		longjmp(try.left, 1);
	if (all.at == all.length) {
		all.choices[all.length] = 0;
		all.counts[all.length++] = all.surprises < all.most ? count : 1;
	}
	const int choice = all.choices[all.at++];

	all.surprises += choice > 0;
	return choice;
}

/* The next run's choices; false: all have been made. */
static bool
choose_next(void)
{
	while (all.length > 0 &&
	    all.choices[all.length - 1] + 1 >= all.counts[all.length - 1])
		all.length--;
	if (all.length == 0)
		return false;
	all.choices[all.length - 1]++;
	return true;
}

/* --- runs --- */

static void
try_all(const char *text)
{
	char words[256], problem[ARGV_PROBLEM];
	char *argv[POLICY_WORDS] = { (char[]){ "retry" } }, *rest = words;
	int argc = 1;

	snprintf(words, sizeof(words), "-j none %s%s-- true", text,
	    *text == '\0' ? "" : " ");
	while ((argv[argc] = strsep(&rest, " ")) != NULL)
		argc++;
	if (!CHECK(argv_parse(argc, argv, &try.options, problem) == 0)) {
		printf("# %s: %s\n", text, problem);
		return;
	}
	all.words = text;
	try.policy = &try.options.policy;
	all.length = 0;
	do {
		all.at = all.surprises = 0;
		all.runs++;
		try_run();
	} while (choose_next());
	options_free(&try.options);
}

static void
the_laws_hold_in_each_run_with_a_few_surprises(void)
{
	const size_t count = sizeof(policies) / sizeof(*policies);

	for (size_t i = 0; i < count; i++)
		try_all(policies[i]);
	printf("# %zu policies, %d surprises, %zu runs, %zu events\n", count,
	    all.most, all.runs, try.events);
}

int
main(int argc, char **argv)
{
	all.most = argc > 1 ? atoi(argv[1]) : 2;
	RUN(the_laws_hold_in_each_run_with_a_few_surprises);
	return DONE();
}
