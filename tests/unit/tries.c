/* SPDX-License-Identifier: MIT */

/*
 * Runs of policies that use each option, with all that may happen in them: what
 * a driver answers, and what happens when, is chosen by a sequence of numbers.
 * After each run the last number that has a successor is raised, what follows
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

#include "drive.h"
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

struct dice;

static struct {
	const char *words; /* of the policy */
	int choices[CHOICES_MOST], counts[CHOICES_MOST];
	int length, at;
	struct dice *dice; /* chooses, if it is not NULL */
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

/* A small generator of its own, so that a failing seed can be run again. */
struct dice {
	struct random random;
	uint64_t rolled;
};

static double
roll(struct dice *dice)
{
	return random_uniform(&dice->random, ++dice->rolled, DRAW_DELAY);
}

static int
pick(struct dice *dice, int count)
{
	return (int)(roll(dice) * count);
}

static bool
often(struct dice *dice, double share)
{
	return roll(dice) < share;
}

/* Any numbers, with each strategy and jitter. */
static struct policy
any_policy(struct dice *dice, double values[3])
{
	static const char *const jitters[] = { "none", "full", "equal", "20%",
		"+1s" };
	int count = 0;

	while (strategies[count].name != NULL)
		count++;
	struct policy policy = drive_policy(strategies[pick(dice, count)].name);
	policy.limits.attempts = (uint64_t)pick(dice, 8);
	policy.max_time = often(dice, 0.5) ? 100 * roll(dice) : 0;
	policy.timeout = often(dice, 0.5) ? 10 * roll(dice) : 0;
	if (policy.max_time > 0 && often(dice, 0.3)) {
		policy.timeout = 0;
		policy.timeout_share = 1 - roll(dice);
	}
	policy.min_timeout = often(dice, 0.3) ? 5 * roll(dice) : 0;
	policy.kill_after = often(dice, 0.7) ? 3 * roll(dice) : 0;
	policy.backoff.base = often(dice, 0.9) ? 2 * roll(dice) : 0;
	policy.backoff.min = often(dice, 0.2) ? roll(dice) : 0;
	policy.backoff.cap = 1 + policy.backoff.base + 60 * roll(dice);
	policy.backoff.most = often(dice, 0.5) ? policy.backoff.cap : 0;
	policy.backoff.values = values;
	policy.backoff.count = 3;
	for (int i = 0; i < BACKOFF_PARAMS; i++) {
		const struct param *row = &policy.backoff.strategy->params[i];

		policy.backoff.param_given[i] = row->initial == PARAM_REQUIRED;
		policy.backoff.params[i] = row->kind == PARAM_CHANGE
		    ? 4 * roll(dice) - 2
		    : 2 * roll(dice) + 1e-3;
	}
	if (!policy.backoff.strategy->random)
		policy.jitter = drive_jitter(jitters[pick(dice, 5)],
		    (enum jitter_order)pick(dice, 3));
	policy.pace = often(dice, 0.3) ? PACE_START : PACE_END;
	policy.reset_after = often(dice, 0.3) ? 5 * roll(dice) : 0;
	policy.wait_first = often(dice, 0.2);
	policy.splay = often(dice, 0.2) ? 5 * roll(dice) : 0;
	policy.throttle_delay = 5 * roll(dice);
	policy.hint_limit = 30;
	policy.hint_spread = often(dice, 0.5) ? 0.2 : 0;
	policy.rules.check = often(dice, 0.3);
	policy.gate = often(dice, 0.3);
	policy.budget = often(dice, 0.3);
	policy.repeat = often(dice, 0.3);
	policy.repeats = (uint64_t)pick(dice, 4);
	policy.success_delay = roll(dice);
	policy.remember = often(dice, 0.3);
	policy.delivery = (enum delivery)pick(dice, 3);
	policy.early_skip = often(dice, 0.3);
	policy.on_success = often(dice, 0.3);
	policy.on_give_up = often(dice, 0.3);
	policy.preserve_status = often(dice, 0.1);
	policy.input = often(dice, 0.1);
	policy.hints = often(dice, 0.5);
	policy.health = (struct health_rules){ .used = often(dice, 0.3),
		.interval = 2 * roll(dice),
		.timeout = 2 * roll(dice),
		.retries = 1 + (uint64_t)pick(dice, 2) };
	policy.idle_timeout = often(dice, 0.2) ? 5 * roll(dice) : 0;
	policy.stop_timeout = often(dice, 0.2) ? 2 * roll(dice) : 0;
	policy.leftovers = (enum leftovers)pick(dice, 2);
	set_parse(&policy.rules.stop, "unstartable,5", NULL);
	set_parse(&policy.rules.throttle, "6", NULL);
	set_parse(&policy.free, "KILL", NULL);
	return policy;
}

/* --- choices --- */

/* A number below `count`; 0 is what usually happens. */
static int
choose(int count)
{
	if (all.dice != NULL)
		return often(all.dice, 0.1) ? pick(all.dice, count) : 0;
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

TEST(the_laws_hold_in_each_run_with_a_few_surprises)
{
	const size_t count = sizeof(policies) / sizeof(*policies);

	try.seconds_most = 12;
	try.attempts_most = 3;
	for (size_t i = 0; i < count; i++)
		try_all(policies[i]);
	printf("# %zu policies, %d surprises, %zu runs, %zu events\n", count,
	    all.most, all.runs, try.events);
}

TEST(the_laws_hold_in_runs_of_any_policy)
{
	try.seconds_most = INFINITY;
	try.attempts_most = 100;
	for (uint64_t seed = 0; seed < 20000; seed++) {
		struct dice dice = { .random = { .seed = seed } };
		double values[] = { roll(&dice), 5 * roll(&dice), 0 };
		char words[32];

		snprintf(words, sizeof(words), "of seed %ju", (uintmax_t)seed);
		const struct policy policy = any_policy(&dice, values);
		all.words = words;
		all.dice = &dice;
		try.policy = &policy;
		try.options.style.seed = seed;
		try_run();
	}
	all.dice = NULL;
}

int
main(int argc, char **argv)
{
	all.most = argc > 1 ? atoi(argv[1]) : 2;
	return RUN_ALL();
}
