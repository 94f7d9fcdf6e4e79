/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <unistd.h>

#include "options/argv.h"
#include "options/presets.h"
#include "options/suggest.h"
#include "options/help.h"
#include "drive.h"
#include "tap.h"

#define WORDS 64
#define PRESETS \
	"network, apk, apt, aws, bun, cargo, composer, conda, curl, dnf, " \
	"docker, gem, git, go, gradle, helm, kubectl, maven, npm, nuget, " \
	"pip, pnpm, psql, ssh, terraform, wget, yarn, ethernet, " \
	"eventsauce, grpc, kubernetes, poll"

/* A command line, cut at its blanks; a lone _ stands for an empty word. */
struct line {
	char text[1024];
	char *argv[WORDS];
	int argc;
	struct options options;
	char problem[ARGV_PROBLEM];
	int result;
};

/* The options that were read last, to be released. */
static struct options read_last;

static struct options *
parse(struct line *line, const char *text)
{
	static char name[] = "retry";
	char *save = NULL;

	*line = (struct line){ .argc = 1, .argv = { name } };
	snprintf(line->text, sizeof(line->text), "%s", text);
	for (char *word = strtok_r(line->text, " ", &save); word != NULL;
	     word = strtok_r(NULL, " ", &save)) {
		if (strcmp(word, "_") == 0)
			*word = '\0';
		line->argv[line->argc++] = word;
	}
	line->result =
	    argv_parse(line->argc, line->argv, &line->options, line->problem);
	options_free(&read_last);
	read_last = line->options;
	return &line->options;
}

/* The same, of a line that must be right. */
static struct options *
parsed(struct line *line, const char *text)
{
	parse(line, text);
	CHECK_STR(line->problem, "");
	CHECK_INT(line->result, 0);
	return &line->options;
}

/* The same, of a row of options. */
static struct options *
parsed_row(struct line *line, const char *options)
{
	char text[128];

	snprintf(text, sizeof(text), "%s cmd", options);
	ROW("%s", text);
	return parsed(line, text);
}

static bool
stops(const struct options *options, enum outcome_kind kind, int code)
{
	const struct rules *rules = &options->policy.rules;
	const struct outcome outcome = { kind, code };

	return set_has(&rules->stop, outcome) ||
	    set_has(&rules->hopeless, outcome);
}

TEST(the_defaults_are_those_of_the_manual)
{
	struct line line;
	const struct options *options = parsed(&line, "true");
	const struct policy *policy = &options->policy;

	CHECK_INT(policy->limits.attempts, 5);
	CHECK_DBL(policy->max_time, 0, 0);
	CHECK_DBL(policy->timeout, 0, 0);
	CHECK_DBL(policy->timeout_share, 0, 0);
	CHECK_DBL(policy->kill_after, 10, 0);
	CHECK_INT(policy->signal, SIGTERM);
	CHECK_STR(policy->backoff.strategy->name, "exponential");
	CHECK_DBL(policy->backoff.base, 1, 0);
	CHECK_DBL(policy->backoff.cap, 60, 0);
	CHECK_DBL(policy->backoff.most, 0, 0);
	CHECK_DBL(policy->backoff.min, 0, 0);
	CHECK_STR(policy->jitter.kind->name, "RATIO");
	CHECK_DBL(policy->jitter.amount, 0.2, 0);
	CHECK_INT(policy->jitter.order, JITTER_INSIDE);
	CHECK(
	    policy->pace == PACE_END && !policy->wait_first && !policy->repeat);
	CHECK_DBL(policy->splay, 0, 0);
	CHECK_DBL(policy->success_delay, 0, 0);
	CHECK_DBL(policy->hint_limit, 3600, 0);
	CHECK(!policy->gate && !policy->rules.check && !policy->budget);
	CHECK(set_has(&policy->rules.success,
	    (struct outcome){ OUTCOME_EXIT, 0 }));
	CHECK(stops(options, OUTCOME_UNSTARTABLE, 2));
	CHECK(stops(options, OUTCOME_SIGNAL, SIGINT));
	CHECK(stops(options, OUTCOME_SIGNAL, SIGQUIT));
	CHECK(stops(options, OUTCOME_EXIT, 130));
	CHECK(!stops(options, OUTCOME_EXIT, 143));
	CHECK(!stops(options, OUTCOME_SIGNAL, SIGTERM));
	CHECK(!stops(options, OUTCOME_EXIT, 1));
	CHECK(!stops(options, OUTCOME_TIMEOUT, 0));
	CHECK(!stops(options, OUTCOME_UNFORKED, 11));
	CHECK_STR(options->command[0], "true");
	CHECK(options->command[1] == NULL);
}

/* The row's default is what the parser takes where nothing is given. */
TEST(every_default_can_be_written)
{
	for (int id = 0; id < OPTIONS; id++) {
		const struct option_row *row = &option_rows[id];
		char text[128];
		struct line line;

		if (row->initial == NULL)
			continue;
		snprintf(text, sizeof(text), "--%s=%s%s true", row->name,
		    row->initial,
		    id == OPTION_SUCCESS_DELAY ? " --repeat"
			: strncmp(row->name, "health-", 7) == 0
			? " --health=true"
			: "");
		ROW("%s", text);
		parsed(&line, text);
	}
}

TEST(words_are_read_as_in_other_programs)
{
	static const struct {
		const char *text;
		uint64_t attempts;
		bool quiet;
		const char *command;
	} rows[] = {
		{ "-a3 cmd", 3, false, "cmd" },
		{ "-a 3 cmd", 3, false, "cmd" },
		{ "--attempts=3 cmd", 3, false, "cmd" },
		{ "--attempts 3 cmd", 3, false, "cmd" },
		{ "-qa3 cmd", 3, true, "cmd" },
		{ "-qa 3 cmd", 3, true, "cmd" },
		{ "-qqa3 cmd", 3, true, "cmd" },
		{ "-a3 -q -- cmd", 3, true, "cmd" },
		{ "-a3 -- -q", 3, false, "-q" },
		{ "-a3 cmd -q -a 7", 3, false, "cmd" },
		{ "cmd -a 7 --help --bogus", 5, false, "cmd" },
		{ "-a3 -a 9 cmd", 9, false, "cmd" },
		{ "-a 0 cmd", 0, false, "cmd" },
		{ "-a 3 -", 3, false, "-" },
		{ "-a 3 _", 3, false, "" },
		{ "-a 9223372036854775807 cmd", INT64_MAX, false, "cmd" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct line line;
		const struct options *options = parsed(&line, rows[i].text);

		ROW("%s", rows[i].text);
		CHECK_INT(options->policy.limits.attempts, rows[i].attempts);
		CHECK_INT(options->style.quiet, rows[i].quiet);
		CHECK_STR(options->command[0], rows[i].command);
	}
}

TEST(the_commands_words_are_left_as_they_are)
{
	struct line line;
	const struct options *options =
	    parsed(&line, "-q -- cmd -a 7 -- --plan _");

	CHECK_STR(options->command[0], "cmd");
	CHECK_STR(options->command[1], "-a");
	CHECK_STR(options->command[3], "--");
	CHECK_STR(options->command[4], "--plan");
	CHECK_STR(options->command[5], "");
	CHECK(options->command[6] == NULL);
	CHECK(!options->plan);
}

TEST(an_option_with_a_value_that_may_be_missing_takes_it_attached)
{
	struct line line;
	const struct options *options = parsed(&line, "--repeat 3");

	CHECK(options->policy.repeat);
	CHECK_INT(options->policy.repeats, 0);
	CHECK_STR(options->command[0], "3");
	options = parsed(&line, "--repeat=3 cmd");
	CHECK_INT(options->policy.repeats, 3);
	options = parsed(&line, "--plan");
	CHECK(options->plan && options->text[OPTION_PLAN] == NULL);
	options = parsed(&line, "--plan=1,0");
	CHECK_STR(options->text[OPTION_PLAN], "1,0");
	options = parsed(&line, "--help");
	CHECK(options->help && options->text[OPTION_HELP] == NULL);
	options = parsed(&line, "-h");
	CHECK(options->help);
	options = parsed(&line, "--help=sets");
	CHECK_STR(options->text[OPTION_HELP], "sets");
	options = parsed(&line, "-V");
	CHECK(options->version);
}

TEST(the_last_one_wins_with_a_value_or_without)
{
	struct line line;
	const struct options *options =
	    parsed(&line, "--repeat=3 --repeat cmd");

	CHECK_INT(options->policy.repeats, 0);
	options = parsed(&line, "--plan=0 --plan");
	CHECK_STR(options->text[OPTION_PLAN], NULL);
	options = parsed(&line, "--help=sets --help");
	CHECK(options->text[OPTION_HELP] == NULL);
}

TEST(values_arrive_where_they_belong)
{
	struct line line;
	const struct options *options = parsed(&line,
	    "-T 10m -t 90s -k 0 -s usr1 -b linear:step=2 -d 3s -m 1h "
	    "--min-delay=500ms -j +5 --jitter-order=before-cap --pace=start "
	    "--min-timeout=20 --reset-after=1m --wait-first --splay=30 "
	    "--seed=42 --free-on=KILL --throttle-on=75 --throttle-delay=30 "
	    "--check=c --before-retry=b --on-success=s --on-give-up=g "
	    "--repeat --success-delay=7 -v cmd");
	const struct policy *policy = &options->policy;

	CHECK_DBL(policy->max_time, 600, 0);
	CHECK_DBL(policy->timeout, 90, 0);
	CHECK_DBL(policy->kill_after, 0, 0);
	CHECK_INT(policy->signal, SIGUSR1);
	CHECK_STR(policy->backoff.strategy->name, "linear");
	CHECK_DBL(policy->backoff.params[0], 2, 0);
	CHECK_DBL(policy->backoff.base, 3, 0);
	CHECK_DBL(policy->backoff.cap, 3600, 0);
	CHECK_DBL(policy->backoff.most, 3600, 0);
	CHECK_DBL(policy->backoff.min, 0.5, 0);
	CHECK_STR(policy->jitter.kind->name, "+DUR");
	CHECK_DBL(policy->jitter.amount, 5, 0);
	CHECK_INT(policy->jitter.order, JITTER_BEFORE_CAP);
	CHECK(
	    policy->pace == PACE_START && policy->wait_first && policy->repeat);
	CHECK_DBL(policy->min_timeout, 20, 0);
	CHECK_DBL(policy->reset_after, 60, 0);
	CHECK_DBL(policy->splay, 30, 0);
	CHECK_INT(options->style.seed, 42);
	CHECK(set_has(&policy->free,
	    (struct outcome){ OUTCOME_SIGNAL, SIGKILL }));
	CHECK(set_has(&policy->rules.throttle,
	    (struct outcome){ OUTCOME_EXIT, 75 }));
	CHECK_DBL(policy->throttle_delay, 30, 0);
	CHECK(policy->rules.check && policy->gate);
	CHECK_STR(options->text[OPTION_CHECK], "c");
	CHECK_STR(options->text[OPTION_BEFORE_RETRY], "b");
	CHECK_STR(options->text[OPTION_ON_SUCCESS], "s");
	CHECK_STR(options->text[OPTION_ON_GIVE_UP], "g");
	CHECK_DBL(policy->success_delay, 7, 0);
	CHECK(options->style.verbose);
}

TEST(a_share_and_a_duration_replace_each_other)
{
	struct line line;
	const struct policy *policy = &line.options.policy;

	parsed(&line, "-T 60 -t 5 -t 50% cmd");
	CHECK_DBL(policy->timeout, 0, 0);
	CHECK_DBL(policy->timeout_share, 0.5, 0);
	parsed(&line, "-T 60 -t 50% -t 5 cmd");
	CHECK_DBL(policy->timeout, 5, 0);
	CHECK_DBL(policy->timeout_share, 0, 0);
	parsed(&line, "-T 60 -t 100% cmd");
	CHECK_DBL(policy->timeout_share, 1, 0);
}

static void
write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Of a row's options: the number of attempts, and how many kinds are limited. */
TEST(a_total_time_lifts_a_number_of_attempts_that_nobody_typed)
{
	static const struct {
		const char *text;
		int attempts, kinds;
	} rows[] = {
		{ "", 5, 0 },
		{ "-T 0", 5, 0 },
		{ "-T 4m", 0, 0 },
		{ "-T 4m -T 0", 5, 0 },
		{ "-a 5 -T 4m", 5, 0 },
		{ "-T 4m -a 9", 9, 0 },
		{ "-T 4m -a 0", 0, 0 },
		{ "-a timeout:2 -T 4m", 0, 1 },
		{ "-a 3,unknown:2 -T 4m", 3, 1 },
		{ "-a 5/10m -T 4m", 0, 1 },
		{ "--repeat -T 4m", 0, 0 },
		{ "--preset=npm", 6, 1 },
		{ "--preset=npm -T 4m", 0, 1 },
		{ "-T 4m --preset=npm,docker", 0, 1 },
		{ "--preset=npm -a 2 -T 4m", 2, 0 },
		{ "--preset=aws -T 4m", 0, 0 },
		{ "--preset=poll -T 4m", 0, 0 },
		{ "--preset=./number", 3, 0 },
		{ "--preset=./number -T 4m", 3, 0 },
		{ "--preset=./number,npm -T 4m", 0, 1 },
		{ "--preset=npm,./number -T 4m", 3, 0 },
		{ "--preset=./time", 0, 1 },
		{ "--preset=./time -T 0", 6, 1 },
		{ "--preset=./both", 3, 0 },
		{ "--preset=./both -a 7", 7, 0 },
	};

	write_file("number", "attempts = 3\n");
	write_file("time", "max-time = 4m\npreset = npm\n");
	write_file("both", "max-time = 4m\nattempts = 3\npreset = npm\n");
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct line line;

		parsed_row(&line, rows[i].text);
		CHECK_INT(line.options.policy.limits.attempts,
		    rows[i].attempts);
		CHECK_INT(line.options.policy.limits.count, rows[i].kinds);
	}
	CHECK(unlink("number") == 0 && unlink("time") == 0 &&
	    unlink("both") == 0);
}

/* The longest delay that an option names raises it, times 16. */
TEST(the_cap_that_is_not_given_follows_the_longest_delay)
{
	static const struct {
		const char *text;
		double cap;
		bool given;
	} rows[] = {
		{ "-d 1", 60, false },
		{ "-d 3.75", 60, false },
		{ "-d 4", 64, false },
		{ "-d 5m", 4800, false },
		{ "--min-delay=10", 160, false },
		{ "-b list:1s,2m,5s", 1920, false },
		{ "-b list:2m,1s", 1920, false },
		{ "-b linear:step=10s", 160, false },
		{ "-b fibonacci:second=10s", 160, false },
		{ "-b lild:up=10s,down=-1m", 160, false },
		{ "--throttle-on=9 --throttle-delay=10", 160, false },
		{ "--repeat --success-delay=10", 160, false },
		{ "--splay=1h -T 1d -t 1h", 60, false },
		{ "-d 10000d", DURATION_MAX, false },
		{ "-m 5", 5, true },
		{ "-m 0", DURATION_MAX, false },
		{ "--preset=aws", 20, true },
		{ "--preset=ethernet", 60, false },
		{ "--preset=aws -m 30", 30, true },
		{ "-m 30 --preset=aws", 30, true },
		{ "--preset=aws -d 30", 30, true },
		{ "--preset=poll -d 5", 5, true },
		{ "--preset=poll -j +5", 1, false },
		{ "--preset=kubernetes -m 5", 5, true },
		{ "--preset=aws -m 0.5", 0.5, true },
		{ "--preset=./uncapped", DURATION_MAX, false },
		{ "--preset=./uncapped -m 5", 5, true },
	};

	write_file("uncapped", "max-delay = 0\n");
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct line line;

		parsed_row(&line, rows[i].text);
		CHECK_DBL(line.options.policy.backoff.cap, rows[i].cap, 0);
		CHECK_INT(line.options.policy.backoff.most > 0, rows[i].given);
	}
	CHECK(unlink("uncapped") == 0);
}

/* How far hints are spread, and how long they may be. */
TEST(jitter_and_cap_decide_about_hints)
{
	static const struct {
		const char *text, *jitter;
		double spread, limit;
	} rows[] = {
		{ "", "RATIO", 0.2, 3600 },
		{ "-j none", "none", 0, 3600 },
		{ "-j full", "full", 0.2, 3600 },
		{ "-j 0.5", "RATIO", 0.5, 3600 },
		{ "-j +5", "+DUR", 0.2, 3600 },
		{ "-b slots", "none", 0.2, 3600 },
		{ "-b slots -j none", "none", 0, 3600 },
		{ "-m 2m", "RATIO", 0.2, 120 },
		{ "-m 0", "RATIO", 0.2, DURATION_MAX },
		{ "-d 5m", "RATIO", 0.2, 3600 },
		{ "--preset=kubernetes", "none", 0, 3600 },
		{ "--preset=poll", "none", 0, 3600 },
		{ "--preset=poll -m 2s", "none", 0, 2 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct line line;

		parsed_row(&line, rows[i].text);
		CHECK_STR(line.options.policy.jitter.kind->name,
		    rows[i].jitter);
		CHECK_DBL(line.options.policy.hint_spread, rows[i].spread, 0);
		CHECK_DBL(line.options.policy.hint_limit, rows[i].limit, 0);
	}
}

TEST(sets_amend_the_defaults)
{
	static const struct {
		const char *text;
		/* Which of these outcomes stop. */
		bool two, seven, unstartable, interrupt, quit;
	} rows[] = {
		{ "", false, false, true, true, true },
		{ "--stop-on=2", true, false, true, true, true },
		{ "--stop-on=2 --stop-on=7", true, true, true, true, true },
		{ "--stop-on=2,7 --stop-on=!2", false, true, true, true, true },
		{ "--stop-on=!unstartable", false, false, false, true, true },
		{ "--stop-on=!signal,2", true, false, true, false, false },
		{ "--stop-on=any,!any", false, false, false, false, false },
		{ "--stop-on=!any,unstartable", false, false, true, false,
		    false },
		{ "--stop-on=any", true, true, true, true, true },
		{ "--stop-on=none", false, false, false, false, false },
		{ "--stop-on=7,none,2", true, false, false, false, false },
		{ "--stop-on=INT --stop-on=none --stop-on=2,QUIT", true, false,
		    false, false, true },
		/* What is named as retried or as success stops no more. */
		{ "--retry-on=INT", false, false, true, false, true },
		{ "--retry-on=any", false, false, false, false, false },
		{ "--retry-on=any,!INT", false, false, false, true, false },
		{ "--success-on=unstartable", false, false, false, true, true },
		{ "--success-on=7", false, false, true, true, true },
		/* Only the default yields. */
		{ "--retry-on=INT,2 --stop-on=INT,2", true, false, true, true,
		    true },
		{ "--stop-on=INT --retry-on=INT", false, false, true, true,
		    true },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct line line;
		const struct options *options = &line.options;

		parsed_row(&line, rows[i].text);
		CHECK_INT(stops(options, OUTCOME_EXIT, 2), rows[i].two);
		CHECK_INT(stops(options, OUTCOME_EXIT, 7), rows[i].seven);
		CHECK_INT(stops(options, OUTCOME_UNSTARTABLE, 2),
		    rows[i].unstartable);
		CHECK_INT(stops(options, OUTCOME_SIGNAL, SIGINT),
		    rows[i].interrupt);
		CHECK_INT(stops(options, OUTCOME_SIGNAL, SIGQUIT),
		    rows[i].quit);
	}
}

TEST(lists_of_one_option_add_up)
{
	struct line line;
	const struct rules *rules = &line.options.policy.rules;
	const struct outcome zero = { OUTCOME_EXIT, 0 };
	const struct outcome seven = { OUTCOME_EXIT, 7 };
	const struct outcome eight = { OUTCOME_EXIT, 8 };

	parsed(&line, "--success-on=7 --retry-on=8 --retry-on=9,!8 cmd");
	CHECK(set_has(&rules->success, zero));
	CHECK(set_has(&rules->success, seven));
	CHECK(rules->retry_listed);
	CHECK(!set_has(&rules->retry, eight));
	CHECK(set_has(&rules->retry, (struct outcome){ OUTCOME_EXIT, 9 }));
	parsed(&line, "--success-on=!0,7 cmd");
	CHECK(!set_has(&rules->success, zero));
	CHECK(!rules->retry_listed);
}

/* What is said of arguments; NULL: nothing is wrong. */
struct wrong {
	const char *text, *problem;
};

static void
check_problems(const struct wrong *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *problem = rows[i].problem;
		struct line line;

		ROW("%s", rows[i].text);
		parse(&line, rows[i].text);
		CHECK_INT(line.result, problem == NULL ? 0 : -1);
		CHECK_STR(line.problem, problem == NULL ? "" : problem);
		CHECK(strchr(line.problem, '\n') == NULL);
	}
}

TEST(what_is_wrong_is_said_in_one_line)
{
	static const struct wrong rows[] = {
		{ "_", NULL },
		{ "", "there is no command to run" },
		{ "--", "there is no command to run" },
		{ "-a 3", "there is no command to run" },

		{ "-x cmd", "unknown option -x" },
		{ "-qx cmd", "unknown option -x" },
		{ "--bogus cmd", "unknown option --bogus" },
		{ "--bogus=text cmd", "unknown option --bogus" },
		{ "--max cmd",
		    "unknown option --max; did you mean --max-time?" },
		{ "--max=3 cmd",
		    "unknown option --max; did you mean --max-time?" },
		{ "--=3 cmd", "unknown option --" },
		{ "--fail-match=(a)\\1 cmd",
		    "invalid --fail-match '(a)\\1': this backslash has no meaning in POSIX" },
		{ "-a", "-a needs a value" },
		{ "--attempts", "--attempts needs a value" },
		{ "-t sh -c cmd", "invalid --timeout 'sh': not a number" },
		{ "--preset=none -x cmd",
		    "invalid --preset 'none': unknown preset (use " PRESETS
		    ")" },
		{ "-x --preset=none cmd", "unknown option -x" },
		{ "--quiet=yes cmd", "--quiet takes no value" },
		{ "--help=exot",
		    "invalid --help 'exot': unknown topic or option; did you mean exit?" },
		{ "--help=", "invalid --help '': empty (an unset variable?)" },

		{ "-a _ cmd",
		    "invalid --attempts '': empty (an unset variable?)" },
		{ "--attempts= cmd",
		    "invalid --attempts '': empty (an unset variable?)" },
		{ "-d _ cmd",
		    "invalid --delay '': empty (an unset variable?)" },
		{ "--repeat= cmd",
		    "invalid --repeat '': empty (an unset variable?)" },
		{ "-a -1 cmd",
		    "invalid --attempts '-1': negative; did you mean 0?" },
		{ "-a --help", "--attempts needs a value before --help" },
		{ "-d -a 1 cmd", "--delay needs a value before -a" },
		{ "-a -y cmd", "invalid --attempts '-y': negative" },
		{ "-a 1.5 cmd",
		    "invalid --attempts '1.5': not a whole number" },
		{ "-a 0x10 cmd",
		    "invalid --attempts '0x10': not a whole number" },
		{ "-a 9223372036854775808 cmd",
		    "invalid --attempts '9223372036854775808': too large" },
		{ "--seed=x cmd", "invalid --seed 'x': not a whole number" },
		{ "--repeat=0 cmd", "invalid --repeat '0': too small" },
		{ "-d 3x cmd",
		    "invalid --delay '3x': unknown unit (use us, ms, s, m, h, d)" },
		{ "-d -1 cmd", "invalid --delay '-1': negative" },
		{ "-T nan cmd", "invalid --max-time 'nan': not a number" },
		{ "-T 10001d cmd",
		    "invalid --max-time '10001d': longer than 10000 days" },
		{ "-k 1s1s cmd",
		    "invalid --kill-after '1s1s': units out of order (largest first)" },
		{ "-s BOGUS cmd", "invalid --signal 'BOGUS': unknown signal" },
		{ "-s 0 cmd", "invalid --signal '0': unknown signal" },
		{ "-s 65 cmd", "invalid --signal '65': unknown signal" },
		{ "-s CHLD cmd",
		    "invalid --signal 'CHLD': this signal ends nothing" },
		{ "-s 18 cmd",
		    "invalid --signal '18': this signal ends nothing" },
		{ "-s stop cmd",
		    "invalid --signal 'stop': this signal ends nothing" },
		{ "--pace=middle cmd",
		    "invalid --pace 'middle': must be end, start" },
		{ "--jitter-order=outside cmd",
		    "invalid --jitter-order 'outside': must be inside, before-cap, after-cap" },
		{ "-j 1.5 cmd", "invalid --jitter '1.5': more than 1" },
		{ "-j twice cmd",
		    "invalid --jitter 'twice': unknown jitter (use none, full, equal, RATIO, +DUR)" },
		{ "-b exp cmd",
		    "invalid --backoff 'exp': unknown strategy; "
		    "did you mean exponential?" },
		{ "-b exponential:factor=0 cmd",
		    "invalid --backoff 'factor=0': not more than 0" },
		{ "-b exponential:power=2 cmd",
		    "invalid --backoff 'power=2': unknown parameter (use factor)" },
		{ "-b mimd:up=2 cmd",
		    "invalid --backoff 'mimd:up=2': needs its parameters up and down" },
		{ "-b linear:step=1,step=2 cmd",
		    "invalid --backoff 'step=2': given twice" },
		{ "-b slots:ceiling=53 cmd",
		    "invalid --backoff 'ceiling=53': too large" },
		{ "--flaky-status=+75 cmd",
		    "invalid --flaky-status '+75': not an exit status from 1 to 255" },
		{ "--flaky-status=256 cmd",
		    "invalid --flaky-status '256': not an exit status from 1 to 255" },
		{ "--preset=bogus cmd",
		    "invalid --preset 'bogus': unknown preset (use " PRESETS
		    ")" },
		{ "--stop-on=256 cmd",
		    "invalid --stop-on '256': exit statuses end at 255" },
		{ "--retry-on=3-1 cmd",
		    "invalid --retry-on '3-1': a range that runs backwards" },
		{ "--success-on=sometimes cmd",
		    "invalid --success-on 'sometimes': unknown outcome" },
		{ "--stop-on=1,!oops,2 cmd",
		    "invalid --stop-on '!oops': unknown outcome" },
		{ "-b list:1x,2 cmd",
		    "invalid --backoff '1x': unknown unit (use us, ms, s, m, h, d)" },
		{ "-b list:1,,2 cmd",
		    "invalid --backoff 'list:1,,2': empty item" },
		{ "--budget=f: cmd", "invalid --budget 'f:': empty item" },
		{ "--free-on=1,, cmd", "invalid --free-on '1,,': empty item" },

		{ "-t 50% cmd",
		    "--timeout=50% is a share of --max-time, which is not given" },
		{ "-t 50% -T 0 cmd",
		    "--timeout=50% is a share of --max-time, which is not given" },
		{ "-T 9 -t 0% cmd",
		    "invalid --timeout '0%': not above 0% and at most 100%" },
		{ "-T 9 -t 101% cmd",
		    "invalid --timeout '101%': not above 0% and at most 100%" },
		{ "-T 9 -t 50%% cmd",
		    "invalid --timeout '50%%': neither a duration nor a percentage" },
		{ "-T 9 -t x% cmd", "invalid --timeout 'x%': not a number" },
		{ "--min-timeout=5 cmd",
		    "--min-timeout=5 needs --pace=start or --timeout=P%" },
		{ "--throttle-on=9 cmd",
		    "--throttle-on=9 needs --throttle-delay" },
		{ "--throttle-delay=9 cmd",
		    "--throttle-delay=9 needs --throttle-on or --throttle-match" },
		{ "--success-delay=9 cmd", "--success-delay=9 needs --repeat" },
		{ "-d 5 -m 3 cmd", "--delay=5 is above --max-delay" },
		{ "--budget=a$b:tokens=9,throttled=5 cmd",
		    "--budget='a$b:tokens=9,throttled=5' has a cost after throttled attempts, which needs --throttle-on or --throttle-match" },
		{ "-m 500ms cmd", "--delay=1s is above --max-delay" },
		{ "-m 20 -d 30 cmd", "--delay=30 is above --max-delay" },
		{ "--min-delay=5 -m 3 cmd",
		    "--min-delay=5 is above --max-delay" },
		{ "-m 60 --min-delay=55 cmd",
		    "--min-delay=55 leaves the jitter no room below --max-delay" },
		{ "-m 60 -j +61 cmd",
		    "--jitter=+61 is more than --max-delay leaves room for" },
		{ "-m 60 -j +20 --min-delay=50 cmd",
		    "--min-delay=50 leaves the jitter no room below --max-delay" },
		{ "-m 3 -b list:1,5 cmd",
		    "--backoff=list:1,5 has a delay above --max-delay" },
		{ "-m 3 -b linear:step=4 cmd",
		    "--backoff=linear:step=4 has a delay above --max-delay" },
		{ "-m 9 --throttle-on=1 --throttle-delay=10 cmd",
		    "--throttle-delay=10 is above --max-delay" },
		{ "-m 9 --repeat --success-delay=10 cmd",
		    "--success-delay=10 is above --max-delay" },
		{ "-b list:1,2 -d 1 cmd",
		    "--delay=1 cannot be combined with a list of delays" },
		{ "-b steps -d 0 cmd",
		    "--backoff=steps needs a base delay and a cap" },
		{ "-b steps -m 0 cmd",
		    "--backoff=steps needs a base delay and a cap" },
		{ "--budget=:tokens=1 cmd",
		    "invalid --budget ':tokens=1': no file is named" },
		{ "--budget=f:bogus=1 cmd",
		    "invalid --budget 'bogus=1': unknown parameter (use tokens, success, rate, cost, throttled, refund)" },
		{ "--budget=f:cost=-1 cmd",
		    "invalid --budget 'cost=-1': negative" },
		{ "--log=bogus cmd",
		    "invalid --log 'bogus': unknown format (use text, tty, journal, json, junit, github, auto)" },
		{ "--log=text: cmd",
		    "invalid --log 'text:': no file is named" },
		{ "--plan --log=json --log=json",
		    "--log=json is a second log on a plan's standard output" },
		{ "-b slots -j full cmd",
		    "--jitter=full cannot be combined with a random strategy" },
		{ "-b smooth -j 20% cmd",
		    "--jitter=20% cannot be combined with a random strategy" },
		{ "-j 20% -b decorrelated cmd",
		    "--jitter=20% cannot be combined with a random strategy" },
	};

	check_problems(rows, COUNT(rows));
}

TEST(a_word_that_is_nearly_right_is_told_the_right_one)
{
	static const struct wrong rows[] = {
		{ "--atempts 3 cmd",
		    "unknown option --atempts; did you mean --attempts?" },
		{ "--Timeuot=3 cmd",
		    "unknown option --Timeuot; did you mean --timeout?" },
		{ "--mn-delay=3 cmd",
		    "unknown option --mn-delay; did you mean --min-delay?" },
		{ "--jittre=full cmd",
		    "unknown option --jittre; did you mean --jitter?" },
		{ "-b exponental:factor=3 cmd",
		    "invalid --backoff 'exponental:factor=3': unknown strategy; did you mean exponential?" },
		{ "-b 2 cmd",
		    "invalid --backoff '2': unknown strategy; use --delay=2 or exponential:factor=2" },
		{ "-j ful cmd",
		    "invalid --jitter 'ful': unknown jitter; did you mean full?" },
		{ "--preset=kuberntes cmd",
		    "invalid --preset 'kuberntes': unknown preset; did you mean kubernetes?" },
		{ "--log=jsno:f cmd",
		    "invalid --log 'jsno:f': unknown format; did you mean json?" },
		{ "--search=1 cmd",
		    "invalid --search '1': must be both, stdout, stderr" },
		{ "--search=stderr cmd",
		    "--search=stderr needs a pattern, or a preset with one" },
		{ "--search=stderr --preset=poll cmd",
		    "--search=stderr needs a pattern, or a preset with one" },
		{ "--stdin=reply cmd",
		    "invalid --stdin 'reply': must be auto, replay, inherit, null; did you mean replay?" },
		{ "-s KIL cmd",
		    "invalid --signal 'KIL': unknown signal; did you mean KILL?" },
		{ "-s sigtrem cmd",
		    "invalid --signal 'sigtrem': unknown signal; did you mean TERM?" },
		{ "--stop-on=1,tempfial cmd",
		    "invalid --stop-on 'tempfial': unknown outcome; did you mean tempfail?" },
		{ "--stop-on=!HPU cmd",
		    "invalid --stop-on '!HPU': unknown outcome; did you mean HUP?" },
		{ "--plan=timout",
		    "invalid --plan 'timout': unknown outcome; did you mean timeout?" },
		/* Words that are near to nothing, or too long to compare. */
		{ "--x=3 cmd", "unknown option --x" },
		{ "--dleya=3 cmd", "unknown option --dleya" },
		{ "--attemptsattemptsattemptsattempts=3 cmd",
		    "unknown option --attemptsattemptsattemptsattempts" },
	};

	check_problems(rows, COUNT(rows));
}

TEST(the_words_of_other_programs_are_known)
{
	/* Not each: suggest.c has them as a table. */
	static const struct wrong rows[] = {
		{ "--retries 3 cmd",
		    "unknown option --retries; use --attempts=N, which counts the first attempt too" },
		/* Not taken for --wait-first cut short. */
		{ "--wait 3 cmd",
		    "unknown option --wait; for an interval, use -b constant -j none -d DUR; from start to start, add --pace=start" },
		{ "--wait-f cmd",
		    "unknown option --wait-f; did you mean --wait-first?" },
		{ "--retires 3 cmd",
		    "unknown option --retires; use --attempts=N, which counts the first attempt too" },
		{ "--max-retry=3 cmd",
		    "unknown option --max-retry; use --attempts=N, which counts the first attempt too" },
		{ "--retry-count=3 cmd",
		    "unknown option --retry-count; use --attempts=N, which counts the first attempt too" },
		{ "--backoffLimit=3 cmd",
		    "unknown option --backoffLimit; use --attempts=N, which counts the first attempt too" },
		{ "--timeout_minutes=10 cmd",
		    "unknown option --timeout_minutes; use --timeout=DUR, as 10m, or --max-time=DUR for the whole run" },
		{ "--retry_wait_seconds=10 cmd",
		    "unknown option --retry_wait_seconds; for an interval, use -b constant -j none -d DUR; from start to start, add --pace=start" },
		{ "--retry_on=3 cmd",
		    "unknown option --retry_on; did you mean --retry-on?" },
		{ "--retry_on_exit_code=3 cmd",
		    "unknown option --retry_on_exit_code; use --retry-on=SET" },
		{ "-P 4 cmd",
		    "unknown option -P; a run has one command: xargs ... retry COMMAND" },
		{ "--expect=x cmd",
		    "unknown option --expect; use --retry-match=ERE, --stop-match=ERE or --success-match=ERE" },
		{ "--linear cmd",
		    "unknown option --linear; use --backoff=linear" },
		{ "--retry-on=error cmd",
		    "invalid --retry-on 'error': unknown outcome; did you mean nonzero?" },
		{ "--plan=p=20 cmd",
		    "invalid --plan 'p=20': more than 1; did you mean p=20%?" },
		{ "-3 cmd", "unknown option -3; use -a 3" },
		{ "-30 cmd", "unknown option -30; use -a 30" },
		{ "-p cmd", NULL },
		{ "-d 1:30 cmd",
		    "invalid --delay '1:30': unknown unit (use us, ms, s, m, h, d); write it as 1h2m3s" },
		{ "-d 5min cmd",
		    "invalid --delay '5min': unknown unit (use us, ms, s, m, h, d)" },
		{ "-T 1Hour30sec cmd",
		    "invalid --max-time '1Hour30sec': unknown unit (use us, ms, s, m, h, d)" },
		{ "-d 1,5,30 cmd",
		    "invalid --delay '1,5,30': unknown unit (use us, ms, s, m, h, d); for a list, use --backoff=list:1,5,30" },
		{ "-j 20 cmd",
		    "invalid --jitter '20': more than 1; did you mean 20%?" },
		{ "-j 0.5s cmd",
		    "invalid --jitter '0.5s': not a ratio; use a ratio (20%) or +0.5s" },
		{ "-b 5s cmd",
		    "invalid --backoff '5s': unknown strategy; did you mean --delay=5s?" },
		{ "-b 1,2,3 cmd",
		    "invalid --backoff '1': unknown strategy; did you mean list:1,2,3?" },
		{ "-b linear:10 cmd",
		    "invalid --backoff '10': not NAME=VALUE (use step)" },
		{ "-b linear:stp=2 cmd",
		    "invalid --backoff 'stp=2': unknown parameter; did you mean step?" },
		{ "-b constant:step=2 cmd",
		    "invalid --backoff 'step=2': unknown parameter; constant has none" },
		{ "-a timeout cmd",
		    "invalid --attempts 'timeout': not a whole number" },
		{ "-a timeout:3= cmd",
		    "invalid --attempts 'timeout:3=': not a whole number" },
		{ "-a timeout:3\37= cmd",
		    "invalid --attempts 'timeout:3\\^_=': not a whole number" },
		{ "-b mimd:5s\377 cmd",
		    "invalid --backoff '5s\\M^?': not NAME=VALUE" },
		{ "--retry-on=503 cmd",
		    "invalid --retry-on '503': exit statuses end at 255; for an HTTP status, match the output: --help=http" },
		{ "--fail-match=\\d+ cmd",
		    "invalid --fail-match '\\d+': this backslash has no meaning in POSIX; use [0-9]" },
		{ "--state=x:skp cmd",
		    "invalid --state 'skp': unknown word; did you mean skip?" },
		{ "--state=:skip cmd",
		    "invalid --state ':skip': no file is named" },
		{ "-a inf cmd",
		    "invalid --attempts 'inf': not a whole number; did you mean 0?" },
		{ "--preset=k8s cmd",
		    "invalid --preset 'k8s': unknown preset; did you mean kubectl?" },
		{ "--log=run.log cmd",
		    "invalid --log 'run.log': name the format first, as in text:FILE" },
		{ "--state true",
		    "there is no command to run: 'true' is the value of --state" },
		{ "--state=true", "there is no command to run" },
	};

	check_problems(rows, COUNT(rows));
}

TEST(what_people_type_first_is_put_right)
{
	static const struct wrong rows[] = {
		{ "--until 3 cmd",
		    "unknown option --until; use --success-on=SET, or --success-match=ERE; for a time, -T" },
		{ "-T 18:00 cmd",
		    "invalid --max-time '18:00': unknown unit (use us, ms, s, m, h, d); -T takes a duration; for a time of day: -T $(( ($(date -d 18:00 +%s) - $(date +%s) + 86400) % 86400 ))" },
		{ "-T 1:30 cmd",
		    "invalid --max-time '1:30': unknown unit (use us, ms, s, m, h, d); write it as 1h2m3s" },
		{ "--flaky=3 cmd",
		    "unknown option --flaky; use --flaky-status=N" },
		{ "--flaky-st=3 cmd",
		    "unknown option --flaky-st; did you mean --flaky-status?" },
		{ "-attempts 3 cmd",
		    "unknown option -attempts; did you mean --attempts?" },
		{ "-q -timeout=3 cmd",
		    "unknown option -timeout; did you mean --timeout?" },
		{ "-quiet cmd",
		    "unknown option -quiet; did you mean --quiet?" },
		{ "-a=10 cmd",
		    "invalid --attempts '=10': not a whole number; did you mean -a 10?" },
		{ "-b=constant cmd",
		    "invalid --backoff '=constant': unknown strategy; did you mean -b constant?" },
		{ "--stop-on=all cmd",
		    "invalid --stop-on 'all': unknown outcome; did you mean any?" },
		{ "--log=out.json cmd",
		    "invalid --log 'out.json': name the format first, as in text:FILE" },
		{ "--retry-on=1,0 cmd",
		    "--retry-on=1,0 names 0: 0 is a success and is never retried; did you mean --success-on='!0'?" },
		{ "--stop-on=0 cmd",
		    "--stop-on=0 names 0: 0 is a success and is never retried; did you mean --success-on='!0'?" },
		{ "--success-on=!0 --retry-on=0 cmd", NULL },
		{ "--fail-match=x --stop-on=0 cmd", NULL },
		{ "--retry-on=any cmd", NULL },
		{ "-q -v cmd", "--quiet cannot be combined with --verbose" },
		{ "--arg-file=f cmd", "unknown option --arg-file" },
		{ "--maxTimeout=3 cmd", "unknown option --maxTimeout" },
		{ "--kill-after=never cmd",
		    "invalid --kill-after 'never': not a number; did you mean 0?" },
		{ "--retry-on=5xx cmd",
		    "invalid --retry-on '5xx': not an exit status (use 1, 1-5 or 1,5); for an HTTP status, match the output: --help=http" },
		{ "--attempts = 3 cmd",
		    "invalid --attempts '=': not a whole number; write no blanks around =" },
	};

	check_problems(rows, COUNT(rows));
}

/* What is said behind "; ", after what is wrong. */
struct hint {
	const char *text, *hint;
};

TEST(what_is_meant_is_told_after_what_is_wrong)
{
	static const struct hint rows[] = {
		/* A short name of another program leads nobody astray. */
		{ "--tail x", NULL },
		{ "--main x", NULL },
		{ "--await x", NULL },
		{ "--trace x", "use --verbose or --quiet" },
		{ "--noop x", "use --plan" },
		{ "--watch x",
		    "to run again after a success: --repeat; to never give up: -a 0" },
		{ "--no-retry x", "use --attempts=1" },
		{ "--hard-timeout=3 x",
		    "use --timeout=DUR, as 10m, or --max-time=DUR for the whole run" },

		{ "--stop-on=1,4xx,2 x",
		    "for an HTTP status, match the output: --help=http" },
		{ "--retry-on=!40x x",
		    "for an HTTP status, match the output: --help=http" },
		{ "--stop-on=400-499 x",
		    "for an HTTP status, match the output: --help=http" },

		{ "--preset curl --atempts 3 x", "did you mean --attempts?" },
		{ "-j 5 x", "use a ratio (20%) or +5s" },
		{ "-j4 x", "use a ratio (20%) or +4s" },
		{ "--log=junit=x.xml x", "write FORMAT:FILE" },
		{ "-b 2 x", "use --delay=2 or exponential:factor=2" },
		{ "-a -1 x", "did you mean 0?" },
		{ "--fail curl x", "give it to curl: retry curl --fail ..." },
		{ "--help=nosuch", "--help=topics lists them" },
		{ "--total-time=3 x", "use --max-time=DUR" },
		{ "--continue_on_error x", "add \"|| true\" after COMMAND" },
		{ "--retry-on-http-error=503 x",
		    "it is wget's: retry --preset=wget wget ..." },
		{ "--slow-timeout=9 x",
		    "use --timeout=DUR, as 10m, or --max-time=DUR for the whole run" },
		{ "--fetch-retries=3 x",
		    "use --attempts=N, which counts the first attempt too" },
		{ "--port=80 x",
		    "for a port: retry --preset=poll -T 1m nc -z HOST PORT" },
		{ "--url=http://x x",
		    "for a page: retry --preset=poll -T 1m curl -fsSo /dev/null URL" },
		{ "--circuit-breaker x",
		    "see \"A circuit breaker\" in retry-cookbook(7)" },
		{ "-b exponential,factor=2 x", "write exponential:factor=2" },
		{ "-b exponential:max=30 x", "use --max-delay" },
		{ "-b random x", "use --jitter=full" },
		{ "-b 1s:2s x",
		    "use --delay=DUR, and --max-delay=DUR for the longest" },
		{ "-b 1:factor=2 x",
		    "use --delay=DUR, and --max-delay=DUR for the longest" },
		{ "--plan=30% x", "did you mean p=30%?" },
		{ "--retry-on=oom x", "did you mean KILL?" },
		{ "-j decorrelated x", "use --backoff=decorrelated" },
		{ "--on-codes=7 x", "use --retry-on=SET" },
		{ "--no-fail x", "add \"|| true\" after COMMAND" },
		{ "--StartLimitIntervalSec=9 x", "use --attempts=N/DUR" },
		{ "--no-jitter x", "use --jitter=none" },
		{ "--wait-exponential x",
		    "waits double, unless --backoff says otherwise" },
		{ "--retry-if-exception-type x", "use --retry-on=SET" },
		{ "--no-color x", "use --color=never" },
		{ "--config=f x", "use --preset=./FILE" },
		{ "--json x", "use --log=auto --log=json:FILE" },
		{ "--abort-on=2 x", "use --stop-on=SET, or --stop-match=ERE" },
		{ "--RestartSec=3 x",
		    "for an interval, use -b constant -j none -d DUR; from start to start, add --pace=start" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct line line;

		ROW("%s", rows[i].text);
		parse(&line, rows[i].text);
		CHECK_INT(line.result, -1);
		const char *hint = strstr(line.problem, "; ");
		CHECK_STR(hint == NULL ? NULL : hint + 2, rows[i].hint);
	}
}

TEST(a_command_that_is_not_found_leads_to_what_was_meant)
{
	static const struct hint rows[] = {
		{ "-k 5 10 x", "did you mean retry -t 10 ...?" },
		{ "-s KILL 10s x", "did you mean retry -t 10s ...?" },
		{ "--signal=INT 30 x", "did you mean retry -t 30 ...?" },
		{ "--preserve-status 30 x", "did you mean retry -t 30 ...?" },
		{ "-k 5 -t 1 3 x", "did you mean retry -a 3 ...?" },
		{ "--preset npm ci",
		    "'npm' is the value of --preset: use --preset=npm npm ci" },
		{ "--preset=npm ci", NULL },
		{ "until ping x", "retry is the loop: leave out until" },
		{ "localhost:5432 -- x",
		    "for a port: retry --preset=poll -T 1m nc -z localhost 5432" },
		{ "tcp://db:5432 x",
		    "for a port: retry --preset=poll -T 1m nc -z HOST PORT" },
		{ "tcp:db:5432 x",
		    "for a port: retry --preset=poll -T 1m nc -z HOST PORT" },
		{ "http://host:80/x",
		    "for a page: retry --preset=poll -T 1m curl -fsSo /dev/null http://host:80/x" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct outcome missing = { .kind = OUTCOME_UNSTARTABLE,
			.code = ENOENT };
		struct line line;
		char text[512];

		ROW("%s", rows[i].text);
		CHECK_STR(suggest_outcome(parsed(&line, rows[i].text), missing,
			      text, sizeof(text)),
		    rows[i].hint);
	}
}

/* Debian's retry has -t 5 for five attempts. */
TEST(a_timeout_of_one_digit_may_be_a_number_of_attempts)
{
	static const struct hint rows[] = {
		{ "-t 5 x", "-t 5 is a time; for attempts, use -a 5" },
		{ "-t 5s x", NULL },
		{ "-t 50 x", NULL },
		{ "-t 5 -a 3 x", NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct outcome timeout = { .kind = OUTCOME_TIMEOUT };
		struct line line;
		char text[512];

		ROW("%s", rows[i].text);
		CHECK_STR(suggest_outcome(parsed(&line, rows[i].text), timeout,
			      text, sizeof(text)),
		    rows[i].hint);
	}
}

TEST(help_takes_its_topic_as_the_next_word_too)
{
	struct line line;

	parsed(&line, "--help jitter");
	CHECK_STR(line.options.text[OPTION_HELP], "jitter");
	parsed(&line, "-h sets");
	CHECK_STR(line.options.text[OPTION_HELP], "sets");
	parsed(&line, "--help make");
	CHECK(line.options.text[OPTION_HELP] == NULL);
	parsed(&line, "--help=sets jitter");
	CHECK_STR(line.options.text[OPTION_HELP], "sets");
}

TEST(a_bad_value_has_the_topic_of_help_that_tells_the_good_ones)
{
	static const struct {
		const char *text, *topic;
	} rows[] = {
		{ "-b exp cmd", "backoff" },
		{ "-b exponential:factor=0 cmd", "backoff" },
		{ "-j twice cmd", "jitter" },
		{ "--preset=bogus cmd", "presets" },
		{ "--free-on=bogus cmd", "sets" },
		{ "--plan=bogus", "plan" },
		{ "-d 3x cmd", NULL },
		{ "--log=bogus cmd", "formats" },
		{ "--budget=f:cost=-1 cmd", "budget" },
		{ "-q", NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct line line;

		ROW("%s", rows[i].text);
		parse(&line, rows[i].text);
		CHECK_INT(line.result, -1);
		CHECK_STR(line.options.topic, rows[i].topic);
	}
}

TEST(what_is_harmful_is_not_repeated_as_it_is)
{
	struct line line;

	parse(&line, "-d \033[31m\n cmd");
	CHECK_INT(line.result, -1);
	CHECK(strpbrk(line.problem, "\033\n") == NULL);
	parse(&line, "--bo\033gus cmd");
	CHECK(strpbrk(line.problem, "\033\n") == NULL);
	parse(&line, "-\033 cmd");
	CHECK(strpbrk(line.problem, "\033\n") == NULL);
}

/* These are no errors, though near to some. */
TEST(the_jitter_order_matters_only_below_a_cap_that_was_given)
{
	struct line line;
	static const struct {
		const char *text;
		double most;
	} rows[] = {
		{ "-d 9 cmd", 10.8 },
		{ "-d 9 -m 9 cmd", 9 },
		{ "-d 9 -m 9 --jitter-order=before-cap cmd", 9 },
		{ "-d 9 -m 9 --jitter-order=after-cap cmd", 10.8 },
		{ "-d 9 -m 0 --jitter-order=before-cap cmd", 10.8 },
		{ "-d 9 --jitter-order=before-cap cmd", 10.8 },
		{ "-d 9 --jitter-order=after-cap cmd", 10.8 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		ROW("%s", rows[i].text);
		const struct policy *policy =
		    &parsed(&line, rows[i].text)->policy;

		CHECK_DBL(jitter_delay(&policy->jitter, &policy->backoff, 9, 1),
		    rows[i].most, 1e-9);
	}
}

TEST(what_is_sensible_is_accepted)
{
	static const char *const rows[] = {
		"-b slots -j none cmd",
		"-b list:1,2 -m 2 -j none cmd",
		"-d 3 -m 3 cmd",
		"--min-delay=3 -m 3 -j none cmd",
		"--min-delay=3 -m 3 -j full cmd",
		"-m 60 -j +60 cmd",
		"-m 60 -j +90 --jitter-order=after-cap cmd",
		"-T 9 -t 50% --min-timeout=1 cmd",
		"--pace=start --min-timeout=1 cmd",
		"--plan",
		"--plan -b steps",
		"-b steps -m 10000d cmd",
		"-b steps -d 1000d cmd",
		"--plan --log=json --log=text:f",
		"--log=json --log=text cmd",
		"--budget=f cmd",
		"--budget=d:e/f:tokens=9,success=0.5,rate=1,cost=2 cmd",
		"--budget=a --budget=b cmd",
		"--preset=grpc -b list:1,2,5 cmd",
		"--preset=grpc -b decorrelated cmd",
		"--preset=grpc --pace=end cmd",
		"--pace=end --preset=grpc cmd",
		"-d 0 cmd",
		"--transient-status=255 --flaky-status=1 cmd",
		"--retry-on=0 --success-on=1 cmd",
		"--retry-on=0 --success-match=x cmd",
		"--stop-on=0 --fail-match=x cmd",
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct line line;

		ROW("%s", rows[i]);
		parsed(&line, rows[i]);
	}
}

TEST(what_is_hardly_meant_so_deserves_a_warning)
{
	static const struct {
		const char *text;
		bool warns;
	} rows[] = {
		{ "--plan 1,0", true },
		{ "--plan p=0.5", true },
		{ "--plan=1,0 1,0", false },
		{ "--plan 7z", false },
		{ "--plan timeout", false },
		{ "1,0", false },
		{ "./dep --plan", true },
		{ "./dep -x --attempts=3", true },
		{ "./dep --planet --attempts-most=3", false },
		{ "./dep -- --plan", false },
		{ "sudo /usr/bin/retry --plan", false },
		{ "true ::: 1 2", true },
		{ "::: 1 2", false },
		{ "parallel -j2 true ::: 1 2", false },
		{ "-p npm npm ci", true },
		{ "-p npm ci", false },
		{ "npm npm ci", false },
		{ "--fail-match=a\\|b", true },
		{ "--delay-match=(a)\\|b", true },
		{ "--fail-match=a[|]b", false },
		{ "--fail-match=a|b", false },
		{ "--fail-match=/usr/bin", false },
		{ "--fail-match=/usr/", false },
		{ "curl --retry 3", true },
		{ "curl -s", false },
		{ "--preset=curl curl -sS", true },
		{ "--preset=curl curl -fs", true },
		{ "--preset=curl curl -fsS", false },
		{ "--preset=npm /bin/curl --fail-with-body", false },
		{ "--preset=poll curl -fs", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct line line;

		parsed_row(&line, rows[i].text);
		CHECK_INT(line.options.warning != NULL, rows[i].warns);
	}
}

/* --- presets --- */

/* The first delays of a run with these options, or waits before it. */
static void
check_delays(const char *text, const char *chances, const char *delays)
{
	struct line line;
	struct drive drive = { .policy = parsed(&line, text)->policy };
	double script[32], want;

	drive.random.script = script;
	while (drive.random.script_length < COUNT(script) &&
	    tsv_number(&chances, &script[drive.random.script_length]))
		drive.random.script_length++;
	drive_start(&drive);
	if (drive.action.kind == ACTION_RUN)
		drive_exit(&drive, 1);
	while (tsv_number(&delays, &want)) {
		if (!CHECK_INT(drive.action.kind, ACTION_WAIT))
			return;
		CHECK_DBL(drive.run.wait.delay.seconds, want, 1e-12);
		drive_timer(&drive);
		drive_exit(&drive, 1);
	}
}

TEST(a_preset_behaves_as_its_original)
{
	static const struct {
		const char *text, *chances, *delays;
		uint64_t attempts;
	} rows[] = {
		/* Jittered from the first on, and beyond the cap. */
		{ "--preset=grpc", "0 0.25 0.5 0.75 1",
		    "0.8 1.44 2.56 4.5056 7.86432 8.388608 15.099494400 "
		    "26.8435456 47.244640256 82.4633720832 87.96093022208 108 "
		    "120 132 144",
		    0 },
		{ "--preset=aws", "0.5", "0.025 0.05", 3 },
		{ "--preset=aws -a 11", "1",
		    "0.05 0.1 0.2 0.4 0.8 1.6 3.2 6.4 12.8 20", 11 },
		{ "--preset=ethernet", "0.5",
		    "51.2e-6 102.4e-6 204.8e-6 409.6e-6 819.2e-6 1638.4e-6 "
		    "3276.8e-6 6553.6e-6 13107.2e-6 26214.4e-6 26214.4e-6 "
		    "26214.4e-6 26214.4e-6 26214.4e-6 26214.4e-6",
		    16 },
		{ "--preset=eventsauce", "0.5",
		    "0.1 0.2 0.4 0.8 1.6 2.5 2.5 2.5 2.5 2.5 2.5 2.5 2.5 2.5 "
		    "2.5",
		    16 },
		{ "--preset=kubernetes", "0.5", "10 20 40 80 160 300 300 300",
		    0 },
		{ "--preset=poll", "0.5", "0.1 0.2 0.4 0.8 1 1", 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[128];
		struct line line;

		snprintf(text, sizeof(text), "%s cmd", rows[i].text);
		ROW("%s", text);
		CHECK_INT(parsed(&line, text)->policy.limits.attempts,
		    rows[i].attempts);
		check_delays(text, rows[i].chances, rows[i].delays);
	}
}

/* What it says is right, and it runs no command and writes no file. */
TEST(a_built_in_preset_sets_delays_and_classes_alone)
{
	static const char *const may[] = { "attempts", "backoff", "delay",
		"delay-match", "jitter", "jitter-order", "max-delay",
		"ignore-text", "unless-before-retry", "min-timeout", "pace",
		"permanent-match", "permanent-on", "permanent-text", "preset",
		"reset-after", "throttle-delay", "throttle-match",
		"transient-match", "transient-on", "transient-text",
		"wait-first", "words" };

	for (const struct preset *row = presets; row->name != NULL; row++) {
		char text[64];
		struct line line;

		ROW("%s", row->name);
		CHECK(strncmp(row->text, "# ", 2) == 0);
		for (const char *name = NULL;
		     (name = preset_line(row, name)) != NULL;) {
			bool known = *name == '\0' || *name == '#';

			for (size_t j = 0; j < COUNT(may); j++)
				known |=
				    strlen(may[j]) == strcspn(name, " =") &&
				    strncmp(may[j], name, strlen(may[j])) == 0;
			ROW("%s: %s", row->name, name);
			CHECK(known);
		}
		snprintf(text, sizeof(text), "--preset=%s cmd", row->name);
		parsed(&line, text);
	}
}

TEST(what_is_special_about_a_preset_is_set)
{
	struct line line;
	const struct policy *policy = &line.options.policy;

	parsed(&line, "--preset=grpc cmd");
	CHECK(policy->pace == PACE_START);
	CHECK_DBL(policy->min_timeout, 20, 0);
	parsed(&line, "--preset=kubernetes cmd");
	CHECK_DBL(policy->reset_after, 600, 0);
	parsed(&line, "--preset=poll cmd");
	CHECK(policy->wait_first);
	CHECK_INT(policy->limits.attempts, 0);
}

TEST(options_beside_a_preset_win_in_either_order)
{
	static const char *const rows[] = {
		"--preset=grpc -a 3 -d 2 -j none -b linear --pace=end cmd",
		"-a 3 -d 2 -j none -b linear --pace=end --preset=grpc cmd",
		"-a 3 -d 2 --preset=grpc -j none -b linear --pace=end cmd",
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct line line;
		const struct policy *policy = &line.options.policy;

		ROW("%s", rows[i]);
		parsed(&line, rows[i]);
		CHECK_INT(policy->limits.attempts, 3);
		CHECK_DBL(policy->backoff.base, 2, 0);
		CHECK_DBL(policy->backoff.cap, 120, 0);
		CHECK_STR(policy->jitter.kind->name, "none");
		CHECK_STR(policy->backoff.strategy->name, "linear");
		CHECK(!policy->backoff.param_given[0]);
		CHECK(policy->pace == PACE_END);
	}
}

TEST(a_list_beside_a_preset_replaces_the_presets)
{
	static const char *const rows[] = {
		"--preset=curl --retry-on=28 --retry-on=9 cmd",
		"--retry-on=28 --preset=curl --retry-on=9 cmd",
		"--retry-on=28 --retry-on=9 --preset=curl cmd",
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct line line;
		const struct set *retry = &line.options.policy.rules.retry;

		ROW("%s", rows[i]);
		parsed(&line, rows[i]);
		CHECK(set_has(retry, (struct outcome){ OUTCOME_EXIT, 28 }));
		CHECK(set_has(retry, (struct outcome){ OUTCOME_EXIT, 9 }));
		CHECK(!set_has(retry, (struct outcome){ OUTCOME_EXIT, 7 }));
	}
}

/* Without --pace=start there is nothing that a least timeout refers to. */
TEST(a_presets_least_timeout_goes_with_its_pace)
{
	struct line line;
	struct drive drive = {
		.policy = parsed(&line, "--preset=grpc --pace=end cmd")->policy,
	};

	drive_start(&drive);
	CHECK(isinf(drive.run.attempt.timeout));
}

TEST(a_presets_jitter_yields_to_a_strategy_that_is_random)
{
	struct line line;

	parsed(&line, "--preset=aws -b decorrelated cmd");
	CHECK_STR(line.options.policy.jitter.kind->name, "none");
	parse(&line, "--preset=aws -b decorrelated -j full cmd");
	CHECK_INT(line.result, -1);
}

TEST(presets_add_up_and_the_later_wins)
{
	static const char *const rows[] = {
		"--preset=grpc --preset=ethernet cmd",
		"--preset=grpc,ethernet cmd",
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct line line;
		const struct policy *policy = &line.options.policy;

		ROW("%s", rows[i]);
		parsed(&line, rows[i]);
		CHECK_INT(policy->limits.attempts, 16);
		CHECK_STR(policy->backoff.strategy->name, "slots");
		CHECK(policy->pace == PACE_START);
		CHECK_DBL(policy->min_timeout, 20, 0);
	}
}

TEST(a_run_may_have_64_presets)
{
	char text[512] = "--preset=npm";
	struct line line;

	for (int i = 1; i < 64; i++)
		strlcat(text, ",npm", sizeof(text));
	parsed(&line, strcat(text, " cmd"));
	strcpy(strrchr(text, ' '), ",npm cmd");
	parse(&line, text);
	CHECK_STR(line.problem, "--preset=npm: there are more than 64 presets");
}

TEST(classes_of_all_presets_are_kept_apart)
{
	const struct outcome outcome = { OUTCOME_EXIT, 6 };
	struct line line;
	const struct rules *rules = &line.options.policy.rules;

	parsed(&line, "--preset=curl,wget,poll cmd");
	CHECK_INT(rules->preset_count, 3);
	CHECK_STR(rules->presets[0].name, "curl");
	CHECK(set_has(&rules->presets[0].transient, outcome));
	CHECK(!set_has(&rules->presets[0].permanent, outcome));
	CHECK(set_has(&rules->presets[1].permanent, outcome));
	CHECK(!set_has(&rules->presets[2].permanent, outcome));
	struct patterns *patterns = &read_last.patterns;
	CHECK_STR(patterns->clues[0].preset, "curl");
	CHECK_STR(patterns->clues[patterns->clue_count - 1].preset, "wget");
}

/* A list of the user's says what is retried. */
TEST(a_preset_stops_what_is_permanent_unless_the_user_says_otherwise)
{
	static const struct {
		const char *text;
		bool stops;
	} rows[] = {
		{ "cmd", false },
		{ "--preset=npm cmd", true },
		{ "--preset=npm --stop-on=7 cmd", true },
		{ "--preset=npm --stop-match=x cmd", true },
		{ "--preset=npm --stop-on=!permanent cmd", false },
		{ "--preset=npm --stop-on=none cmd", false },
		{ "--preset=npm --retry-on=1 cmd", false },
		{ "--preset=npm --retry-match=x cmd", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct line line;

		ROW("%s", rows[i].text);
		CHECK_INT(
		    set_has(&parsed(&line, rows[i].text)->policy.rules.hopeless,
			(struct outcome){ OUTCOME_EXIT, 1, CLASS_PERMANENT }),
		    rows[i].stops);
	}
}

/* A user's file is checked at each start; what is built in is checked here. */
TEST(what_built_in_presets_look_for_is_right)
{
	for (const struct preset *row = presets; row->name != NULL; row++) {
		char text[64];
		struct line line;
		bool has_pattern = false, has_word = false;

		snprintf(text, sizeof(text), "--preset=%s cmd", row->name);
		parsed(&line, text);
		struct patterns *patterns = &read_last.patterns;
		const char *place;

		ROW("%s: patterns of options", row->name);
		for (size_t i = 0; i < MATCHES; i++)
			CHECK(patterns->match[i] == NULL ||
			    search_check(patterns->match[i], false, &place) ==
				NULL);
		CHECK(patterns->hint == NULL ||
		    search_check(patterns->hint, true, &place) == NULL);
		for (size_t i = 0; i < patterns->clue_count; i++) {
			const struct clue *clue = &patterns->clues[i];
			const char *where;

			ROW("%s: %.*s", row->name, (int)clue->length,
			    clue->text);
			has_pattern |= clue->kind == CLUE_PATTERN;
			has_word |= clue->kind == CLUE_WORD;
			if (clue->kind == CLUE_PATTERN)
				CHECK_STR(search_check(clue->text, false,
					      &where),
				    NULL);
			else
				CHECK_STR(search_check_text(clue->length),
				    NULL);
		}
		ROW("%s: patterns need words", row->name);
		CHECK(has_word == has_pattern);
	}
}

int
main(void)
{
	const int status = RUN_ALL();

	options_free(&read_last);
	return status;
}
