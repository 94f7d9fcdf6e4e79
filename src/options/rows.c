/* SPDX-License-Identifier: MIT */

#include <stdlib.h>
#include <string.h>

#include "options/help.h"
#include "options/options.h"
#include "options/presets.h"
#include "options/suggest.h"
#include "plan/script.h"
#include "report/report.h"
#include "core/duration.h"
#include "core/signals.h"
#include "core/text.h"

static const char *
parse_attempts(struct options *options, const char *text)
{
	return limits_parse(&options->policy.limits, text, &options->item);
}

/* A duration, or "50%" of the time that is left; the later option wins. */
static const char *
parse_timeout(struct options *options, const char *text)
{
	struct policy *policy = &options->policy;
	const char *problem;
	const char *end;
	double percent;

	policy->timeout = policy->timeout_share = 0;
	if (strchr(text, '%') == NULL)
		return duration_parse(text, &policy->timeout);
	problem = duration_number(text, &percent, &end);
	if (problem != NULL)
		return problem;
	if (strcmp(end, "%") != 0)
		return "neither a duration nor a percentage";
	if (!(percent > 0 && percent <= 100))
		return "not above 0% and at most 100%";
	policy->timeout_share = percent / 100;
	return NULL;
}

static const char *
parse_signal(struct options *options, const char *text)
{
	const int number = signal_parse(text);

	if (number == -1)
		return "unknown signal";
	if (!signal_may_ask(number))
		return "this signal ends nothing";
	options->policy.signal = number;
	return NULL;
}

static const char *
parse_backoff(struct options *options, const char *text)
{
	return backoff_parse(text, &options->policy.backoff, &options->item);
}

static const char *
parse_jitter(struct options *options, const char *text)
{
	return jitter_parse(text, &options->policy.jitter);
}

/*
 * Divides FILE[:WORDS]: the words follow the last colon, if no slash follows
 * it; without a colon they are NULL.  *file is replaced.
 */
static const char *
divide_file(const char *text, char **file, const char **words)
{
	const char *slash = strrchr(text, '/');
	const char *colon = strrchr(slash == NULL ? text : slash, ':');
	const size_t length =
	    colon == NULL ? strlen(text) : (size_t)(colon - text);

	*words = colon == NULL ? NULL : colon + 1;
	if (length == 0)
		return "no file is named";
	free(*file);
	*file = strndup(text, length);
	return *file == NULL ? "too long: out of memory" : NULL;
}

static const char *
parse_state(struct options *options, const char *text)
{
	const char *word;
	const char *const problem =
	    divide_file(text, &options->style.state, &word);

	if (problem != NULL)
		return problem;
	options->policy.early_skip = word != NULL;
	if (word == NULL || strcmp(word, "skip") == 0)
		return NULL;
	options->item = word;
	return "unknown word";
}

static const char *
parse_budget(struct options *options, const char *text)
{
	const char *words;
	const char *const problem = divide_file(text, &options->budget, &words);

	return problem != NULL
	    ? problem
	    : budget_rules_parse(words, &options->policy.budget_rules,
		  &options->item);
}

/* FORMAT[:FILE], one more each time. */
static const char *
parse_log(struct options *options, const char *text)
{
	const char *colon = strchr(text, ':');
	struct log log = { .file = colon == NULL ? NULL : colon + 1 };
	struct log *logs;
	char name[16];

	if (log.file != NULL && *log.file == '\0')
		return "no file is named";
	if (log.file == NULL && strpbrk(text, "./") != NULL)
		return "name the format first, as in text:FILE";
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, ":"), text);
	log.format = report_format(name);
	if (log.format == NULL)
		return "unknown format";
	logs =
	    reallocarray(options->logs, options->log_count + 1, sizeof(*logs));
	if (logs == NULL)
		return "too long: out of memory";
	options->logs = logs;
	logs[options->log_count++] = log;
	return NULL;
}

static const char *
parse_plan(struct options *options, const char *text)
{
	return script_check(text, &options->item);
}

static const char *
parse_help(struct options *options, const char *text)
{
	(void)options;
	return help_has(text) ? NULL : "unknown topic or option";
}

const struct output_row output_rows[] = {
	[OUTPUT_STREAM] = { .name = "stream", .doc = "as it is written" },
	[OUTPUT_HOLD] = { .name = "hold",
	    .doc = "the successful attempt's stdout; that of others goes to "
		   "stderr",
	    .delivery = DELIVERY_EACH,
	    .holds_stdout = true },
	[OUTPUT_ALL] = { .name = "all",
	    .doc = "each attempt's, in one piece when the attempt has ended",
	    .delivery = DELIVERY_EACH,
	    .holds_stdout = true,
	    .holds_stderr = true,
	    .takes_turns = true,
	    .lets_go = true },
	[OUTPUT_LAST] = { .name = "last",
	    .doc = "the last attempt's, at the end of the run",
	    .delivery = DELIVERY_LAST,
	    .holds_stdout = true,
	    .holds_stderr = true,
	    .forgets = true },
	[OUTPUT_CHRONIC] = { .name = "chronic",
	    .doc = "for cron: all, and messages, if the run gives up or a "
		   "signal ends it",
	    .delivery = DELIVERY_LAST,
	    .holds_stdout = true,
	    .holds_stderr = true,
	    .holds_messages = true,
	    .lets_go = true },
	[OUTPUT_FAILED] = { .name = "failed",
	    .doc = "all of each failed attempt, when the attempt has ended",
	    .delivery = DELIVERY_EACH,
	    .holds_stdout = true,
	    .holds_stderr = true,
	    .forgets = true,
	    .lets_go = true },
	{ .name = NULL },
};

/* In the order of enum input_mode. */
const struct word input_words[] = {
	{ "auto", "a file or a here-document anew each time; else inherit" },
	{ "replay", "the same input each time, kept in a file" },
	{ "inherit", "retry's own; an attempt may use it up" },
	{ "null", "nothing" },
	{ .name = NULL },
};

const char *const option_groups[GROUPS] = {
	[GROUP_LIMITS] = "Limits",
	[GROUP_WAITING] = "Waiting",
	[GROUP_VERDICT] = "Verdict (success, retry or stop)",
	[GROUP_STREAMS] = "Streams",
	[GROUP_BETWEEN] = "Between attempts, and after",
	[GROUP_REPORTING] = "Reporting",
	[GROUP_SELDOM] = "Seldom needed",
};

#define AT(member) offsetof(struct options, member)
#define WORDS(...) \
	.words = (const char *const[]){ __VA_ARGS__, NULL }, \
	.stride = sizeof(const char *)
#define TABLE(table) .words = &(table)[0].name, .stride = sizeof((table)[0])

const struct option_row option_rows[OPTIONS] = {
	[OPTION_ATTEMPTS] = { "attempts", 'a', GROUP_LIMITS, TYPE_OTHER, "N",
	    "at most N attempts; 0: forever (--help=limits)", .initial = "5",
	    .topic = "limits", .parse = parse_attempts },
	[OPTION_MAX_TIME] = { "max-time", 'T', GROUP_LIMITS, TYPE_DURATION,
	    "DUR", "time limit for the whole run, waits included",
	    .offset = AT(policy.max_time) },
	[OPTION_TIMEOUT] = { "timeout", 't', GROUP_LIMITS, TYPE_OTHER, "DUR|P%",
	    "time limit for each attempt, and for --check; 50%: half "
	    "of what is left of --max-time",
	    .parse = parse_timeout },
	[OPTION_IDLE_TIMEOUT] = { "idle-timeout", 0, GROUP_LIMITS,
	    TYPE_DURATION, "DUR",
	    "kill an attempt that writes nothing for this long",
	    .offset = AT(policy.idle_timeout) },
	[OPTION_KILL_AFTER] = { "kill-after", 'k', GROUP_LIMITS, TYPE_DURATION,
	    "DUR", "SIGKILL DUR after a timeout; 0: never", .initial = "10s",
	    .offset = AT(policy.kill_after) },
	[OPTION_STOP_TIMEOUT] = { "stop-timeout", 0, GROUP_LIMITS,
	    TYPE_DURATION, "DUR",
	    "SIGKILL the attempt DUR after retry itself got TERM",
	    .offset = AT(policy.stop_timeout) },
	[OPTION_SIGNAL] = { "signal", 's', GROUP_LIMITS, TYPE_OTHER, "SIG",
	    "signal sent on timeout", .initial = "TERM", .topic = "signals",
	    .parse = parse_signal },
	[OPTION_LEFTOVERS] = { "leftovers", 0, GROUP_LIMITS, TYPE_CHOICE, NULL,
	    "spare what an attempt leaves running, or kill it; "
	    "with --health: end",
	    .initial = "spare", WORDS("spare", "end"),
	    .offset = AT(policy.leftovers) },

	[OPTION_HEALTH] = { "health", 0, GROUP_LIMITS, TYPE_TEXT, "COMMAND",
	    "probe the attempt; kill it if COMMAND keeps failing",
	    .given = AT(policy.health.used) },
	[OPTION_HEALTH_INTERVAL] = { "health-interval", 0, GROUP_LIMITS,
	    TYPE_DURATION, "DUR", "time from one probe to the next",
	    .initial = "30s", .offset = AT(policy.health.interval),
	    .positive = true, .needs = { OPTION_HEALTH } },
	[OPTION_HEALTH_TIMEOUT] = { "health-timeout", 0, GROUP_LIMITS,
	    TYPE_DURATION, "DUR", "a probe that takes longer has failed",
	    .initial = "30s", .offset = AT(policy.health.timeout),
	    .positive = true, .needs = { OPTION_HEALTH } },
	[OPTION_HEALTH_RETRIES] = { "health-retries", 0, GROUP_LIMITS,
	    TYPE_COUNT, "N", "failures in a row that end the attempt",
	    .initial = "3", .offset = AT(policy.health.retries),
	    .positive = true, .needs = { OPTION_HEALTH } },
	[OPTION_HEALTH_START_PERIOD] = { "health-start-period", 0, GROUP_LIMITS,
	    TYPE_DURATION, "DUR",
	    "ignore failures for this long after an attempt starts",
	    .initial = "0", .offset = AT(policy.health.start_period),
	    .needs = { OPTION_HEALTH } },

	[OPTION_BACKOFF] = { "backoff", 'b', GROUP_WAITING, TYPE_OTHER,
	    "STRATEGY[:NAME=VALUE,...]", "how the delay grows (--help=backoff)",
	    .initial = "exponential", TABLE(strategies), .topic = "backoff",
	    .parse = parse_backoff },
	[OPTION_DELAY] = { "delay", 'd', GROUP_WAITING, TYPE_DURATION, "DUR",
	    "base delay: the first wait", .initial = "1s",
	    .offset = AT(policy.backoff.base) },
	[OPTION_MAX_DELAY] = { "max-delay", 'm', GROUP_WAITING, TYPE_DURATION,
	    "DUR", "longest delay; 0: no cap [1m, or 16 times --delay]",
	    .offset = AT(policy.backoff.cap) },
	[OPTION_MIN_DELAY] = { "min-delay", 0, GROUP_WAITING, TYPE_DURATION,
	    "DUR", "shortest delay, jitter included", .initial = "0",
	    .offset = AT(policy.backoff.min) },
	[OPTION_JITTER] = { "jitter", 'j', GROUP_WAITING, TYPE_OTHER, "KIND",
	    "randomize delays (--help=jitter) [" JITTER_DEFAULT "]",
	    TABLE(jitter_kinds), .topic = "jitter", .parse = parse_jitter },
	[OPTION_JITTER_ORDER] = { "jitter-order", 0, GROUP_SELDOM, TYPE_CHOICE,
	    NULL, "how jitter and --max-delay combine", .initial = "inside",
	    .words = jitter_orders, .stride = sizeof(*jitter_orders),
	    .offset = AT(policy.jitter.order) },
	[OPTION_PACE] = { "pace", 0, GROUP_SELDOM, TYPE_CHOICE, NULL,
	    "count delays from an attempt's end or start", .initial = "end",
	    WORDS("end", "start"), .offset = AT(policy.pace) },
	[OPTION_MIN_TIMEOUT] = { "min-timeout", 0, GROUP_SELDOM, TYPE_DURATION,
	    "DUR", "with -t P% or --pace=start: shortest time limit",
	    .offset = AT(policy.min_timeout) },
	[OPTION_RESET_AFTER] = { "reset-after", 0, GROUP_WAITING, TYPE_DURATION,
	    "DUR", "start over after an attempt that ran this long",
	    .offset = AT(policy.reset_after) },
	[OPTION_WAIT_FIRST] = { "wait-first", 0, GROUP_SELDOM, TYPE_FLAG, NULL,
	    "wait before the first attempt too",
	    .offset = AT(policy.wait_first) },
	[OPTION_SPLAY] = { "splay", 0, GROUP_WAITING, TYPE_DURATION, "DUR",
	    "random wait before the first attempt, up to DUR", .initial = "0",
	    .offset = AT(policy.splay) },
	[OPTION_SEED] = { "seed", 0, GROUP_SELDOM, TYPE_COUNT, "N",
	    "make the random delays repeatable (-v prints N)",
	    .offset = AT(style.seed) },
	[OPTION_DELAY_MATCH] = { "delay-match", 0, GROUP_WAITING, TYPE_ERE,
	    "ERE", "wait at least as long as output says (Retry-After)",
	    .offset = AT(patterns.hint), .given = AT(policy.hints),
	    .has_group = true },
	[OPTION_PRESET] = { "preset", 0, GROUP_WAITING, TYPE_OTHER,
	    "NAME|FILE,...",
	    "know which npm, curl ... failures are permanent (--help=presets)",
	    TABLE(presets), .topic = "presets", .parse = presets_parse },

	[OPTION_SUCCESS_ON] = { "success-on", 0, GROUP_VERDICT, TYPE_SET, "SET",
	    "treat these, too, as success (--help=sets)", .initial = "0",
	    .topic = "sets", .offset = AT(policy.rules.success),
	    .fails_zero = true },
	[OPTION_RETRY_ON] = { "retry-on", 0, GROUP_VERDICT, TYPE_SET, "SET",
	    "retry only these (or if --retry-match matches)", .topic = "sets",
	    .offset = AT(policy.rules.retry),
	    .given = AT(policy.rules.retry_listed) },
	[OPTION_STOP_ON] = { "stop-on", 0, GROUP_VERDICT, TYPE_SET, "SET",
	    "never retry these [" OPTIONS_STOP_ON "]", .topic = "sets",
	    .offset = AT(policy.rules.stop),
	    .second = AT(policy.rules.hopeless) },
	[OPTION_FREE_ON] = { "free-on", 0, GROUP_SELDOM, TYPE_SET, "SET",
	    "do not count these failures as attempts", .topic = "sets",
	    .offset = AT(policy.free) },
	[OPTION_THROTTLE_ON] = { "throttle-on", 0, GROUP_SELDOM, TYPE_SET,
	    "SET", "retry these with --throttle-delay", .topic = "sets",
	    .offset = AT(policy.rules.throttle),
	    .needs = { OPTION_THROTTLE_DELAY } },
	[OPTION_THROTTLE_DELAY] = { "throttle-delay", 0, GROUP_SELDOM,
	    TYPE_DURATION, "DUR", "base delay after a throttled attempt",
	    .offset = AT(policy.throttle_delay),
	    .needs = { OPTION_THROTTLE_ON, OPTION_THROTTLE_MATCH } },
	[OPTION_SUCCESS_MATCH] = { "success-match", 0, GROUP_VERDICT, TYPE_ERE,
	    "ERE", "succeed only if a line of output matches",
	    .offset = AT(patterns.match[MATCH_SUCCESS]), .fails_zero = true },
	[OPTION_FAIL_MATCH] = { "fail-match", 0, GROUP_VERDICT, TYPE_ERE, "ERE",
	    "fail if a line of output matches",
	    .offset = AT(patterns.match[MATCH_FAIL]), .fails_zero = true },
	[OPTION_RETRY_MATCH] = { "retry-match", 0, GROUP_VERDICT, TYPE_ERE,
	    "ERE", "retry only if a line matches (or in --retry-on)",
	    .offset = AT(patterns.match[MATCH_RETRY]) },
	[OPTION_STOP_MATCH] = { "stop-match", 0, GROUP_VERDICT, TYPE_ERE, "ERE",
	    "do not retry if a line of output matches",
	    .offset = AT(patterns.match[MATCH_STOP]) },
	[OPTION_THROTTLE_MATCH] = { "throttle-match", 0, GROUP_SELDOM, TYPE_ERE,
	    "ERE", "use --throttle-delay if a line of output matches",
	    .offset = AT(patterns.match[MATCH_THROTTLE]),
	    .needs = { OPTION_THROTTLE_DELAY } },
	[OPTION_CHECK] = { "check", 0, GROUP_VERDICT, TYPE_TEXT, "COMMAND",
	    "exit status decides: 0 success, 1 retry, else stop",
	    .given = AT(policy.rules.check) },
	[OPTION_PRESERVE_STATUS] = { "preserve-status", 'p', GROUP_VERDICT,
	    TYPE_FLAG, NULL, "exit as COMMAND did, even after a timeout",
	    .offset = AT(policy.preserve_status) },
	[OPTION_TRANSIENT_STATUS] = { "transient-status", 0, GROUP_VERDICT,
	    TYPE_STATUS, "N", "exit with N if the last failure was transient",
	    .offset = AT(policy.transient_status) },
	[OPTION_FLAKY_STATUS] = { "flaky-status", 0, GROUP_VERDICT, TYPE_STATUS,
	    "N", "exit with N after a success that took retries",
	    .offset = AT(policy.flaky_status) },

	[OPTION_OUTPUT] = { "output", 0, GROUP_STREAMS, TYPE_CHOICE, NULL,
	    "when to show output (--help=output)", .initial = "stream",
	    TABLE(output_rows), .topic = "output", .offset = AT(output) },
	[OPTION_STDIN] = { "stdin", 0, GROUP_STREAMS, TYPE_CHOICE, NULL,
	    "what attempts read (--help=output)", .initial = "auto",
	    TABLE(input_words), .topic = "output", .offset = AT(input) },
	[OPTION_SEARCH] = { "search", 0, GROUP_STREAMS, TYPE_CHOICE, NULL,
	    "which stream patterns and presets look at", .initial = "both",
	    WORDS("both", "stdout", "stderr"), .offset = AT(search) },

	[OPTION_BEFORE_RETRY] = { "before-retry", 0, GROUP_BETWEEN, TYPE_TEXT,
	    "COMMAND", "run before each retry; give up if it exits 1",
	    .given = AT(policy.gate) },
	[OPTION_ON_SUCCESS] = { "on-success", 0, GROUP_BETWEEN, TYPE_TEXT,
	    "COMMAND", "run once if the run succeeds",
	    .given = AT(policy.on_success) },
	[OPTION_ON_GIVE_UP] = { "on-give-up", 0, GROUP_BETWEEN, TYPE_TEXT,
	    "COMMAND", "run once if the run gives up",
	    .given = AT(policy.on_give_up) },
	[OPTION_REPEAT] = { "repeat", 0, GROUP_BETWEEN, TYPE_COUNT, "N",
	    "keep going; end after N successes in a row", .optional = true,
	    .offset = AT(policy.repeats), .positive = true,
	    .given = AT(policy.repeat) },
	[OPTION_SUCCESS_DELAY] = { "success-delay", 0, GROUP_BETWEEN,
	    TYPE_DURATION, "DUR", "with --repeat: the wait after a success",
	    .initial = "0", .offset = AT(policy.success_delay),
	    .needs = { OPTION_REPEAT } },
	[OPTION_STATE] = { "state", 0, GROUP_BETWEEN, TYPE_OTHER, "FILE[:skip]",
	    "remember the delay between runs; one run at a time", WORDS("skip"),
	    .topic = "state", .parse = parse_state,
	    .given = AT(policy.remember) },
	[OPTION_TOLERATE] = { "tolerate", 0, GROUP_BETWEEN, TYPE_COUNT, "N",
	    "with --state: fail only at the Nth failed run in a row",
	    .offset = AT(policy.tolerate), .positive = true,
	    .needs = { OPTION_STATE } },
	[OPTION_BUDGET] = { "budget", 0, GROUP_BETWEEN, TYPE_OTHER,
	    "FILE[:NAME=VALUE,...]",
	    "share a limit on retries with other processes",
	    TABLE(budget_params), .topic = "budget", .parse = parse_budget,
	    .given = AT(policy.budget) },

	[OPTION_QUIET] = { "quiet", 'q', GROUP_REPORTING, TYPE_FLAG, NULL,
	    "print only retry's own errors", .not_with = OPTION_VERBOSE,
	    .offset = AT(style.quiet) },
	[OPTION_VERBOSE] = { "verbose", 'v', GROUP_REPORTING, TYPE_FLAG, NULL,
	    "also print starts, signals, how delays are computed",
	    .not_with = OPTION_QUIET, .offset = AT(style.verbose) },
	[OPTION_LOG] = { "log", 0, GROUP_REPORTING, TYPE_OTHER, "FORMAT[:FILE]",
	    "format of messages, and a file (--help=formats)", TABLE(formats),
	    .topic = "formats", .parse = parse_log },
	[OPTION_NAME] = { "name", 0, GROUP_REPORTING, TYPE_TEXT, "TEXT",
	    "name of the run in messages and reports",
	    .given = AT(style.name_given) },
	[OPTION_COLOR] = { "color", 0, GROUP_REPORTING, TYPE_CHOICE, NULL,
	    "colour messages and plans; auto: on terminals", .initial = "auto",
	    WORDS("auto", "always", "never"), .offset = AT(style.color) },
	[OPTION_PLAN] = { "plan", 0, GROUP_REPORTING, TYPE_OTHER, "SCRIPT",
	    "dry run: schedule and worst case (--help=plan)", .optional = true,
	    .topic = "plan", .parse = parse_plan, .given = AT(plan) },
	[OPTION_HELP] = { "help", 'h', GROUP_REPORTING, TYPE_OTHER, "TOPIC",
	    "explain TOPIC or an option (--help=topics)", TABLE(help_topics),
	    .optional = true, .parse = parse_help, .given = AT(help) },
	[OPTION_VERSION] = { "version", 'V', GROUP_REPORTING, TYPE_FLAG, NULL,
	    "print the version", .offset = AT(version) },
};

const char *
option_word(const struct option_row *row, int number)
{
	const char *first = (const char *)row->words;

	return *(const char *const *)(const void *)(first +
	    (size_t)number * row->stride);
}

enum option_id
option_find(const char *name, size_t length)
{
	int id = 0;

	while (id < OPTIONS && !text_is(name, length, option_rows[id].name))
		id++;
	return (enum option_id)id;
}

/* Whether the word would be an option, if it were not a value. */
static bool
is_option(const char *word)
{
	for (int id = 0; *word == '-' && id < OPTIONS; id++)
		if (word[1] == '-' ||
		    (word[1] != '\0' && word[1] == option_rows[id].letter))
			return true;
	return false;
}

/*
 * Writes what is wrong with a value, and which value was meant, or which ones
 * exist.  Only the wrong item of a list is shown, unless that item is empty.
 */
static void
complain_of_value(char text[ARGV_PROBLEM], struct options *options,
    enum option_id id, const char *problem)
{
	const struct option_row *row = &option_rows[id];
	const bool in_list = options->item != NULL && row->type != TYPE_ERE;
	const char *value = options->text[id];
	const char *part = options->item != NULL ? options->item : value;
	const size_t length = in_list ? strcspn(part, ",") : 0;
	char item[128], safe[128];

	if (length > 0 && length < sizeof(item)) {
		strlcpy(item, part, length + 1);
		value = item;
	}
	options->topic = row->topic;
	text_safe(value, safe, sizeof(safe));
	if (is_option(value) && !row->optional) {
		snprintf(text, ARGV_PROBLEM, "--%s needs a value before %s",
		    row->name, safe);
		return;
	}
	snprintf(text, ARGV_PROBLEM, "invalid --%s '%s': %s", row->name, safe,
	    problem);
	for (int i = 0; row->type == TYPE_CHOICE && *value != '\0' &&
	     option_word(row, i) != NULL;
	     i++)
		text_append(text, ARGV_PROBLEM, "%s %s", i == 0 ? "" : ",",
		    option_word(row, i));
	suggest_value(options, id, part, text, ARGV_PROBLEM);
}

/* An exit status that `retry` does not use for itself. */
static const char *
parse_status(const char *text, int *status)
{
	const char *invalid;
	const long long number = strtonum(text, 1, 255, &invalid);

	if (text[strspn(text, "0123456789")] != '\0' || invalid != NULL)
		return "not an exit status from 1 to 255";
	if (number >= STATUS_TIMEOUT && number <= STATUS_NOT_FOUND)
		return "retry uses 124 to 127 itself";
	*status = (int)number;
	return NULL;
}

/*
 * Reads a value; NULL: the option is given without its optional value.  A
 * built-in pattern is not checked here: tests have checked all of them.
 */
static const char *
read_value(struct options *options, const struct option_row *row,
    const char *text, enum option_origin origin)
{
	void *member = (char *)options + row->offset;
	const char *problem = NULL;
	const char *word;

	if (row->type == TYPE_FLAG) {
		*(bool *)member = true;
		return NULL;
	}
	if (text == NULL) {
		if (row->type == TYPE_COUNT)
			*(uint64_t *)member = 0;
		return NULL;
	}
	if (*text == '\0')
		return "empty (an unset variable?)";
	switch (row->type) {
	case TYPE_DURATION:
		problem = duration_parse(text, member);
		if (problem == NULL && row->positive && *(double *)member == 0)
			return "too small";
		return problem;
	case TYPE_COUNT:
		problem = text_count(text, member);
		if (problem == NULL && row->positive &&
		    *(uint64_t *)member == 0)
			return "too small";
		return problem;
	case TYPE_STATUS:
		return parse_status(text, member);
	case TYPE_SET:
		problem = set_parse(member, text, &options->item);
		if (problem == NULL && row->second != 0)
			set_parse((void *)((char *)options + row->second), text,
			    NULL);
		return problem;
	case TYPE_ERE:
		if (origin != ORIGIN_BUILT_IN)
			problem =
			    search_check(text, row->has_group, &options->item);
		if (problem == NULL)
			*(const char **)member = text;
		return problem;
	case TYPE_CHOICE:
		for (int i = 0; (word = option_word(row, i)) != NULL; i++)
			if (strcmp(word, text) == 0) {
				*(int *)member = i;
				return NULL;
			}
		return "must be";
	case TYPE_OTHER:
		return row->parse(options, text);
	case TYPE_TEXT:
	case TYPE_FLAG:
		break;
	}
	return NULL;
}

int
options_set(struct options *options, enum option_id id, const char *text,
    enum option_origin origin, char problem[ARGV_PROBLEM])
{
	const struct option_row *row = &option_rows[id];
	const enum option_id other = row->not_with != 0 ? row->not_with : id;

	/* The user's value stays, but presets add up. */
	if (origin != ORIGIN_USER && id != OPTION_PRESET &&
	    (options->origin[id] == ORIGIN_USER ||
		options->origin[other] == ORIGIN_USER))
		return 0;
	options->text[id] = text;
	options->item = NULL;
	const char *const what = read_value(options, row, text, origin);
	if (what != NULL) {
		complain_of_value(problem, options, id, what);
		return -1;
	}
	options->origin[id] = origin;
	if (origin != ORIGIN_DEFAULT && row->given != 0)
		*(bool *)((char *)options + row->given) = true;
	return 0;
}
