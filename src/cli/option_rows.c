#include <stdlib.h>
#include <string.h>

#include "cli/help.h"
#include "cli/options.h"
#include "cli/plan.h"
#include "cli/report.h"
#include "core/duration.h"
#include "core/signals.h"

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
	const char *end, *problem;
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
	if (!signal_is_deadly(number))
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

static const char *
parse_delay_match(struct options *options, const char *text)
{
	const char *problem = search_check(text, true);

	if (problem == NULL)
		options->patterns.hint = text;
	return problem;
}

/* FILE, and behind its last colon, if no slash follows, the parameters. */
static const char *
parse_budget(struct options *options, const char *text)
{
	const char *slash = strrchr(text, '/');
	const char *colon = strrchr(slash == NULL ? text : slash, ':');
	const size_t length =
	    colon == NULL ? strlen(text) : (size_t)(colon - text);

	if (length == 0)
		return "no file is named";
	free(options->budget);
	options->budget = strndup(text, length);
	if (options->budget == NULL)
		return "too long: out of memory";
	return budget_rules_parse(colon == NULL ? NULL : colon + 1,
	    &options->budget_rules, &options->item);
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
		return "a format precedes the file, as in text:FILE";
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
	options->plan_script = text;
	return plan_check(text);
}

const struct preset presets[] = {
	{ "gRPC's connection backoff", "grpc/grpc, doc/connection-backoff.md",
	    { "grpc", "--attempts=0", "--backoff=exponential:factor=1.6",
		"--delay=1s", "--max-delay=120s", "--jitter=20%",
		"--jitter-order=after-cap", "--pace=start", "--min-timeout=20s",
		NULL } },
	{ "Retries 2.1 of the AWS SDKs", "aws/aws-sdk-go-v2#3416, #3400",
	    { "aws", "--attempts=3", "--backoff=exponential", "--delay=50ms",
		"--max-delay=20s", "--jitter=full", "--throttle-delay=1s",
		"--throttle-match=Throttl|tExceeded|TooManyRequests|SlowDown",
		NULL } },
	{ "truncated binary exponential backoff at 10 Mb/s", "IEEE 802.3",
	    { "ethernet", "--attempts=16", "--backoff=slots:ceiling=10",
		"--delay=51.2us", NULL } },
	{ "the defaults of EventSauce's BackOff", "EventSauce/BackOff 1.2.0",
	    { "eventsauce", "--attempts=16", "--backoff=exponential",
		"--delay=100ms", "--max-delay=2.5s", "--jitter=none", NULL } },
	{ "a crashing container's restarts", "kubernetes.io, Pod Lifecycle",
	    { "kubernetes", "--attempts=0", "--backoff=exponential",
		"--delay=10s", "--max-delay=300s", "--jitter=none",
		"--reset-after=10m", NULL } },
	{ "as curl --retry --retry-connrefused", "curl 8, tool_operate.c",
	    { "curl", "--backoff=exponential", "--delay=1s", "--max-delay=10m",
		"--jitter=none", "--retry-on=5,6,7,12,28",
		"--retry-match=^curl:.*error:.(408|429|50[0234]|52[24])",
		"--delay-match=(?i)^retry-after:(.*)", NULL } },
	{ "poll until something is ready", "retry's own",
	    { "poll", "--attempts=0", "--backoff=exponential", "--delay=100ms",
		"--jitter=none", "--wait-first", NULL } },
	{ .doc = NULL },
};

const char *const option_groups[GROUPS] = {
	[GROUP_LIMITS] = "Limits",
	[GROUP_WAITING] = "Waiting",
	[GROUP_VERDICT] = "Verdict (success, retry or stop)",
	[GROUP_STREAMS] = "Streams",
	[GROUP_BETWEEN] = "Between attempts, and after",
	[GROUP_REPORTING] = "Reporting",
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
	    "time limit for each attempt and check; 50%: half of "
	    "what is left of --max-time",
	    .parse = parse_timeout },
	[OPTION_IDLE_TIMEOUT] = { "idle-timeout", 0, GROUP_LIMITS,
	    TYPE_DURATION, "DUR",
	    "end an attempt that writes nothing for this long",
	    .offset = AT(policy.idle_timeout) },
	[OPTION_KILL_AFTER] = { "kill-after", 'k', GROUP_LIMITS, TYPE_DURATION,
	    "DUR", "follow a timeout with SIGKILL; 0: never", .initial = "10s",
	    .offset = AT(policy.kill_after) },
	[OPTION_SIGNAL] = { "signal", 's', GROUP_LIMITS, TYPE_OTHER, "SIG",
	    "signal sent on timeout", .initial = "TERM", .topic = "sets",
	    .parse = parse_signal },

	[OPTION_BACKOFF] = { "backoff", 'b', GROUP_WAITING, TYPE_OTHER,
	    "STRATEGY[:NAME=VALUE,...]", "how the delay grows (--help=backoff)",
	    .initial = "exponential", TABLE(strategies), .topic = "backoff",
	    .parse = parse_backoff },
	[OPTION_DELAY] = { "delay", 'd', GROUP_WAITING, TYPE_DURATION, "DUR",
	    "base delay: the first wait", .initial = "1s",
	    .offset = AT(policy.backoff.base) },
	[OPTION_MAX_DELAY] = { "max-delay", 'm', GROUP_WAITING, TYPE_DURATION,
	    "DUR", "longest delay; 0: no cap [1m or 16 x longest given]",
	    .offset = AT(policy.backoff.cap) },
	[OPTION_MIN_DELAY] = { "min-delay", 0, GROUP_WAITING, TYPE_DURATION,
	    "DUR", "shortest delay, jitter included", .initial = "0",
	    .offset = AT(policy.backoff.min) },
	[OPTION_JITTER] = { "jitter", 'j', GROUP_WAITING, TYPE_OTHER, "KIND",
	    "randomize delays (--help=jitter) [20%]", TABLE(jitter_kinds),
	    .topic = "jitter", .parse = parse_jitter },
	[OPTION_JITTER_ORDER] = { "jitter-order", 0, GROUP_WAITING, TYPE_CHOICE,
	    NULL, "how jitter and --max-delay combine", .initial = "inside",
	    WORDS("inside", "before-cap", "after-cap"),
	    .offset = AT(policy.jitter.order) },
	[OPTION_PACE] = { "pace", 0, GROUP_WAITING, TYPE_CHOICE, NULL,
	    "count delays from an attempt's end or start", .initial = "end",
	    WORDS("end", "start"), .offset = AT(pace) },
	[OPTION_MIN_TIMEOUT] = { "min-timeout", 0, GROUP_WAITING, TYPE_DURATION,
	    "DUR", "least time for an attempt (--pace=start, -t P%)",
	    .offset = AT(policy.min_timeout) },
	[OPTION_RESET_AFTER] = { "reset-after", 0, GROUP_WAITING, TYPE_DURATION,
	    "DUR", "start over after an attempt that ran this long",
	    .offset = AT(policy.reset_after) },
	[OPTION_WAIT_FIRST] = { "wait-first", 0, GROUP_WAITING, TYPE_FLAG, NULL,
	    "wait before the first attempt too",
	    .offset = AT(policy.wait_first) },
	[OPTION_SPLAY] = { "splay", 0, GROUP_WAITING, TYPE_DURATION, "DUR",
	    "first wait a random time of up to DUR", .initial = "0",
	    .offset = AT(policy.splay) },
	[OPTION_SEED] = { "seed", 0, GROUP_WAITING, TYPE_COUNT, "N",
	    "make the random delays repeatable", .offset = AT(random.seed) },
	[OPTION_DELAY_MATCH] = { "delay-match", 0, GROUP_WAITING, TYPE_OTHER,
	    "ERE", "take the least delay from output (Retry-After)",
	    .parse = parse_delay_match },
	[OPTION_PRESET] = { "preset", 0, GROUP_WAITING, TYPE_CHOICE, "NAME",
	    "settings of a known system (--help=presets)",
	    .words = presets[0].words, .stride = sizeof(presets[0]),
	    .topic = "presets", .offset = AT(preset) },

	[OPTION_SUCCESS_ON] = { "success-on", 0, GROUP_VERDICT, TYPE_SET, "SET",
	    "treat these outcomes as success (--help=sets)", .initial = "0",
	    .topic = "sets", .offset = AT(policy.rules.success) },
	[OPTION_RETRY_ON] = { "retry-on", 0, GROUP_VERDICT, TYPE_SET, "SET",
	    "retry only these failures", .topic = "sets",
	    .offset = AT(policy.rules.retry) },
	[OPTION_STOP_ON] = { "stop-on", 0, GROUP_VERDICT, TYPE_SET, "SET",
	    "never retry these [" OPTIONS_STOP_ON "]", .topic = "sets",
	    .offset = AT(stop_least), .second = AT(stop_most) },
	[OPTION_FREE_ON] = { "free-on", 0, GROUP_VERDICT, TYPE_SET, "SET",
	    "do not count these failures as attempts", .topic = "sets",
	    .offset = AT(policy.free) },
	[OPTION_THROTTLE_ON] = { "throttle-on", 0, GROUP_VERDICT, TYPE_SET,
	    "SET", "retry these with --throttle-delay", .topic = "sets",
	    .offset = AT(policy.rules.throttle) },
	[OPTION_THROTTLE_DELAY] = { "throttle-delay", 0, GROUP_VERDICT,
	    TYPE_DURATION, "DUR", "base delay after a throttled attempt",
	    .offset = AT(policy.throttle_delay) },
	[OPTION_SUCCESS_MATCH] = { "success-match", 0, GROUP_VERDICT, TYPE_ERE,
	    "ERE", "succeed only if a line of output matches",
	    .offset = AT(patterns.match[MATCH_SUCCESS]) },
	[OPTION_FAIL_MATCH] = { "fail-match", 0, GROUP_VERDICT, TYPE_ERE, "ERE",
	    "fail if a line of output matches",
	    .offset = AT(patterns.match[MATCH_FAIL]) },
	[OPTION_RETRY_MATCH] = { "retry-match", 0, GROUP_VERDICT, TYPE_ERE,
	    "ERE", "retry only if a line of output matches",
	    .offset = AT(patterns.match[MATCH_RETRY]) },
	[OPTION_STOP_MATCH] = { "stop-match", 0, GROUP_VERDICT, TYPE_ERE, "ERE",
	    "stop if a line of output matches",
	    .offset = AT(patterns.match[MATCH_STOP]) },
	[OPTION_THROTTLE_MATCH] = { "throttle-match", 0, GROUP_VERDICT,
	    TYPE_ERE, "ERE", "use --throttle-delay if a line of output matches",
	    .offset = AT(patterns.match[MATCH_THROTTLE]) },
	[OPTION_CHECK] = { "check", 0, GROUP_VERDICT, TYPE_TEXT, "COMMAND",
	    "let COMMAND decide: 0 success, 1 retry, else stop",
	    .offset = AT(check) },
	[OPTION_CONTROL] = { "control", 0, GROUP_VERDICT, TYPE_FLAG, NULL,
	    "let the attempt decide, through $RETRY_CONTROL",
	    .offset = AT(control) },
	[OPTION_PRESERVE_STATUS] = { "preserve-status", 0, GROUP_VERDICT,
	    TYPE_FLAG, NULL, "exit as COMMAND did, even after a timeout",
	    .offset = AT(policy.preserve_status) },

	[OPTION_OUTPUT] = { "output", 0, GROUP_STREAMS, TYPE_CHOICE, NULL,
	    "when to show the attempts' output", .initial = "stream",
	    WORDS("stream", "hold", "last", "chronic"), .offset = AT(output) },
	[OPTION_STDIN] = { "stdin", 0, GROUP_STREAMS, TYPE_CHOICE, NULL,
	    "what attempts read; replay: all, each time", .initial = "auto",
	    WORDS("auto", "replay", "inherit", "null"), .offset = AT(input) },

	[OPTION_BEFORE_RETRY] = { "before-retry", 0, GROUP_BETWEEN, TYPE_TEXT,
	    "COMMAND", "run before each retry; give up if it fails",
	    .offset = AT(before_retry) },
	[OPTION_ON_SUCCESS] = { "on-success", 0, GROUP_BETWEEN, TYPE_TEXT,
	    "COMMAND", "run once, after a run that succeeded",
	    .offset = AT(on_success) },
	[OPTION_ON_GIVE_UP] = { "on-give-up", 0, GROUP_BETWEEN, TYPE_TEXT,
	    "COMMAND", "run once, after a run that gave up",
	    .offset = AT(on_give_up) },
	[OPTION_REPEAT] = { "repeat", 0, GROUP_BETWEEN, TYPE_COUNT, "N",
	    "keep going after a success; end after N in a row",
	    .optional = true, .offset = AT(policy.repeats) },
	[OPTION_SUCCESS_DELAY] = { "success-delay", 0, GROUP_BETWEEN,
	    TYPE_DURATION, "DUR", "with --repeat: the wait after a success",
	    .initial = "0", .offset = AT(policy.success_delay) },
	[OPTION_STATE] = { "state", 0, GROUP_BETWEEN, TYPE_TEXT, "FILE",
	    "keep the backoff from one run to the next", .offset = AT(state) },
	[OPTION_EARLY] = { "early", 0, GROUP_BETWEEN, TYPE_CHOICE, NULL,
	    "with --state: if too early, wait, or exit 75", .initial = "wait",
	    WORDS("wait", "skip"), .offset = AT(early) },
	[OPTION_TOLERATE] = { "tolerate", 0, GROUP_BETWEEN, TYPE_COUNT, "N",
	    "with --state: exit 0 until N runs in a row gave up",
	    .offset = AT(policy.tolerate) },
	[OPTION_BUDGET] = { "budget", 0, GROUP_BETWEEN, TYPE_OTHER,
	    "FILE[:NAME=VALUE,...]",
	    "share a limit on retries with other processes", .topic = "budget",
	    .parse = parse_budget },

	[OPTION_QUIET] = { "quiet", 'q', GROUP_REPORTING, TYPE_FLAG, NULL,
	    "print only errors of retry itself", .offset = AT(quiet) },
	[OPTION_VERBOSE] = { "verbose", 'v', GROUP_REPORTING, TYPE_FLAG, NULL,
	    "also print starts, signals, how delays are found",
	    .offset = AT(verbose) },
	[OPTION_LOG] = { "log", 0, GROUP_REPORTING, TYPE_OTHER, "FORMAT[:FILE]",
	    "how to report, and where (--help=formats)", TABLE(formats),
	    .topic = "formats", .parse = parse_log },
	[OPTION_NAME] = { "name", 0, GROUP_REPORTING, TYPE_TEXT, "TEXT",
	    "name of the run in messages and reports", .offset = AT(name) },
	[OPTION_PLAN] = { "plan", 0, GROUP_REPORTING, TYPE_OTHER, "SCRIPT",
	    "dry run: show what would happen", .optional = true,
	    .topic = "sets", .offset = AT(plan_script), .parse = parse_plan },
	[OPTION_HELP] = { "help", 'h', GROUP_REPORTING, TYPE_CHOICE, "TOPIC",
	    "print this, or help on a topic (see below)", TABLE(help_topics),
	    .optional = true, .offset = AT(help_topic) },
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
