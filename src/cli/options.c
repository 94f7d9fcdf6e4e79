#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/presets.h"
#include "cli/report.h"
#include "cli/script.h"
#include "core/duration.h"
#include "core/number.h"
#include "core/signals.h"
#include "core/text.h"

/* Where no cap is given: this, or so many times the longest delay named. */
#define DEFAULT_CAP 60.0
#define DEFAULT_CAP_FACTOR 16.0

/* A hint beyond this gives up where no cap is given. */
#define DEFAULT_HINT_LIMIT 3600.0

/* How far chance spreads a hint where the jitter has no ratio. */
#define DEFAULT_HINT_SPREAD 0.2

#define MEMBER(type, options, offset) \
	((type *)(void *)((char *)(options) + (offset)))

static const char *
parse_flag(struct options *options, size_t offset, const char *text)
{
	(void)text;
	*MEMBER(bool, options, offset) = true;
	return NULL;
}

static const char *
parse_text(struct options *options, size_t offset, const char *text)
{
	*MEMBER(const char *, options, offset) = text;
	return NULL;
}

static const char *
parse_seconds(struct options *options, size_t offset, const char *text)
{
	return duration_parse(text, MEMBER(double, options, offset));
}

static const char *
parse_count(struct options *options, size_t offset, const char *text)
{
	const char *problem;

	if (strspn(text, "0123456789") != strlen(text))
		return "is not a whole number";
	*MEMBER(uint64_t, options, offset) =
	    (uint64_t)strtonum(text, 0, INT64_MAX, &problem);
	return problem == NULL ? NULL : "is too large";
}

static const char *
parse_seed(struct options *options, size_t offset, const char *text)
{
	options->random.seeded = true;
	return parse_count(options, offset, text);
}

/* A duration, or "50%" of what is left; the later one replaces the other. */
static const char *
parse_timeout(struct options *options, size_t offset, const char *text)
{
	struct policy *policy = &options->policy;
	const char *end, *problem;
	double percent;

	policy->timeout = policy->timeout_share = 0;
	if (strchr(text, '%') == NULL)
		return parse_seconds(options, offset, text);
	problem = duration_number(text, &percent, &end);
	if (problem != NULL)
		return problem;
	if (strcmp(end, "%") != 0)
		return "is neither a duration nor a percentage";
	if (!(percent > 0 && percent <= 100))
		return "is not above 0% and at most 100%";
	policy->timeout_share = percent / 100;
	return NULL;
}

static const char *
parse_signal(struct options *options, size_t offset, const char *text)
{
	const int number = signal_parse(text, true);

	if (number == -1)
		return "is no signal";
	if (!signal_is_deadly(number))
		return "is a signal that ends nothing";
	*MEMBER(int, options, offset) = number;
	return NULL;
}

static const char *
parse_backoff(struct options *options, size_t offset, const char *text)
{
	return backoff_parse(text, MEMBER(struct backoff, options, offset),
	    &options->item);
}

static const char *
parse_jitter(struct options *options, size_t offset, const char *text)
{
	return jitter_parse(text, MEMBER(struct jitter, options, offset));
}

/* Where in the list, which ends in NULL, the text is; -1: nowhere. */
static int
find_name(const char *text, const char *const *names)
{
	for (int i = 0; names[i] != NULL; i++)
		if (strcmp(names[i], text) == 0)
			return i;
	return -1;
}

static const char *
parse_jitter_order(struct options *options, size_t offset, const char *text)
{
	static const char *const names[] = {
		[JITTER_INSIDE] = "inside",
		[JITTER_BEFORE_CAP] = "before-cap",
		[JITTER_AFTER_CAP] = "after-cap",
		NULL,
	};
	const int found = find_name(text, names);

	if (found == -1)
		return "is none of inside, before-cap, after-cap";
	*MEMBER(enum jitter_order, options, offset) = (enum jitter_order)found;
	return NULL;
}

static const char *
parse_pace(struct options *options, size_t offset, const char *text)
{
	const bool start = strcmp(text, "start") == 0;

	*MEMBER(bool, options, offset) = start;
	return start || strcmp(text, "end") == 0 ? NULL
						 : "is neither end nor start";
}

static const char *
parse_set(struct options *options, size_t offset, const char *text)
{
	return set_parse(MEMBER(struct set, options, offset), text,
	    &options->item);
}

/* What is named here leaves the default of --stop-on. */
static const char *
parse_success_on(struct options *options, size_t offset, const char *text)
{
	const char *problem = parse_set(options, offset, text);

	return problem != NULL ? problem : set_apply(&options->named, text);
}

static const char *
parse_retry_on(struct options *options, size_t offset, const char *text)
{
	options->policy.rules.retry_listed = true;
	return parse_success_on(options, offset, text);
}

static const char *
parse_stop_on(struct options *options, size_t offset, const char *text)
{
	const char *problem = parse_set(options, offset, text);

	return problem != NULL ? problem : set_apply(&options->stop_most, text);
}

static const char *
parse_match(struct options *options, size_t offset, const char *text)
{
	const size_t first = offsetof(struct options, patterns.found);

	return patterns_match(&options->patterns,
	    (enum match)((offset - first) / sizeof(regex_t)), text);
}

static const char *
parse_delay_match(struct options *options, size_t offset, const char *text)
{
	return patterns_hint(MEMBER(struct patterns, options, offset), text);
}

static const char *
parse_check(struct options *options, size_t offset, const char *text)
{
	options->policy.rules.check = true;
	return parse_text(options, offset, text);
}

static const char *
parse_output(struct options *options, size_t offset, const char *text)
{
	static const char *const names[] = {
		[OUTPUT_STREAM] = "stream",
		[OUTPUT_HOLD] = "hold",
		[OUTPUT_LAST] = "last",
		[OUTPUT_CHRONIC] = "chronic",
		NULL,
	};
	const int found = find_name(text, names);

	if (found == -1)
		return "is none of stream, hold, last, chronic";
	*MEMBER(enum output_mode, options, offset) = (enum output_mode)found;
	return NULL;
}

static const char *
parse_stdin(struct options *options, size_t offset, const char *text)
{
	static const char *const names[] = {
		[INPUT_AUTO] = "auto",
		[INPUT_REPLAY] = "replay",
		[INPUT_INHERIT] = "inherit",
		[INPUT_NULL] = "null",
		NULL,
	};
	const int found = find_name(text, names);

	if (found == -1)
		return "is none of auto, replay, inherit, null";
	*MEMBER(enum input_mode, options, offset) = (enum input_mode)found;
	return NULL;
}

static const char *
parse_before_retry(struct options *options, size_t offset, const char *text)
{
	options->policy.gate = true;
	return parse_text(options, offset, text);
}

static const char *
parse_repeat(struct options *options, size_t offset, const char *text)
{
	options->policy.repeat = true;
	if (text == NULL)
		return NULL;
	const char *problem = parse_count(options, offset, text);
	if (problem == NULL && options->policy.repeats == 0)
		return "is too small";
	return problem;
}

static const char *
parse_state(struct options *options, size_t offset, const char *text)
{
	options->policy.remember = true;
	return parse_text(options, offset, text);
}

static const char *
parse_early(struct options *options, size_t offset, const char *text)
{
	const bool skip = strcmp(text, "skip") == 0;

	*MEMBER(bool, options, offset) = skip;
	return skip || strcmp(text, "wait") == 0 ? NULL
						 : "is neither wait nor skip";
}

/* FILE, and behind its last colon, if no slash follows, the parameters. */
static const char *
parse_budget(struct options *options, size_t offset, const char *text)
{
	const char *slash = strrchr(text, '/');
	const char *colon = strrchr(slash == NULL ? text : slash, ':');
	const size_t length =
	    colon == NULL ? strlen(text) : (size_t)(colon - text);

	if (length == 0)
		return "names no file";
	free(options->budget);
	options->budget = strndup(text, length);
	if (options->budget == NULL)
		return "is too long for the memory there is";
	options->policy.budget = true;
	return bucket_rules_parse(colon == NULL ? NULL : colon + 1,
	    MEMBER(struct bucket_rules, options, offset), &options->item);
}

/* FORMAT[:FILE], one more each time. */
static const char *
parse_log(struct options *options, size_t offset, const char *text)
{
	const char *colon = strchr(text, ':');
	char name[16];
	struct log *logs;

	(void)offset;
	if (colon != NULL && colon[1] == '\0')
		return "names no file";
	if (colon == NULL)
		colon = text + strlen(text);
	snprintf(name, sizeof(name), "%.*s", (int)(colon - text), text);
	const struct format *format = report_format(name);
	if (format == NULL)
		return "is none of text, tty, journal, json, junit, github, auto";
	logs =
	    reallocarray(options->logs, options->log_count + 1, sizeof(*logs));
	if (logs == NULL)
		return "is too much for the memory";
	options->logs = logs;
	logs[options->log_count++] = (struct log){ .format = format,
		.file = *colon == '\0' ? NULL : colon + 1 };
	return NULL;
}

static const char *
parse_plan(struct options *options, size_t offset, const char *text)
{
	struct script script;

	options->plan = true;
	if (text == NULL)
		return NULL;
	parse_text(options, offset, text);
	return script_open(&script, text);
}

static const char *
parse_help(struct options *options, size_t offset, const char *text)
{
	options->help = true;
	return text == NULL ? NULL : parse_text(options, offset, text);
}

static const char *parse_preset(struct options *options, size_t offset,
    const char *text);

#define AT(member) offsetof(struct options, member)

const char *const option_groups[GROUPS] = {
	[GROUP_LIMITS] = "Limits",
	[GROUP_WAITING] = "Waiting",
	[GROUP_VERDICT] = "Verdict",
	[GROUP_STREAMS] = "Streams",
	[GROUP_BETWEEN] = "Between attempts, and after",
	[GROUP_REPORTING] = "Reporting",
};

const struct option_row option_rows[OPTIONS] = {
	[OPTION_ATTEMPTS] = { "attempts", 'a', GROUP_LIMITS, VALUE_REQUIRED,
	    "N", "most times the command runs in all; 0: no limit",
	    "Run the command at most\n.Ar N\ntimes in all; 0 sets no limit.",
	    "5", parse_count, AT(policy.attempts) },
	[OPTION_MAX_TIME] = { "max-time", 'T', GROUP_LIMITS, VALUE_REQUIRED,
	    "DUR", "limit on the whole run",
	    "Limit the whole run, in elapsed time; what the machine sleeps\n"
	    "does not count.\n"
	    "A wait that would end at or past the limit is not begun:\n"
	    ".Nm\n"
	    "gives up at once.\n"
	    "An attempt, a check or a gate that still runs then is ended as\n"
	    "a timed-out attempt is.",
	    NULL, parse_seconds, AT(policy.max_time) },
	[OPTION_TIMEOUT] = { "timeout", 't', GROUP_LIMITS, VALUE_REQUIRED,
	    "DUR|P%", "limit on one attempt; 50%: half of what is left",
	    "Limit one attempt;\n.Ql 50%\n"
	    "is half of what is left of\n.Fl -max-time .",
	    NULL, parse_timeout, AT(policy.timeout) },
	[OPTION_KILL_AFTER] = { "kill-after", 'k', GROUP_LIMITS, VALUE_REQUIRED,
	    "DUR", "SIGKILL, so long after a timeout; 0: never",
	    "Send\n.Dv SIGKILL\nthis long after\n.Nm Ns 's\n"
	    "own first signal (at a timeout, at the end of\n"
	    ".Fl -max-time ) ,\n"
	    "if the attempt still runs; never after a signal that was\n"
	    "forwarded.\n0 means never.",
	    "10s", parse_seconds, AT(policy.kill_after) },
	[OPTION_SIGNAL] = { "signal", 's', GROUP_LIMITS, VALUE_REQUIRED, "SIG",
	    "what ends a timed-out attempt",
	    "End a timed-out attempt with this signal: a name, with or\n"
	    "without SIG and in any case, or a number.",
	    "TERM", parse_signal, AT(policy.signal) },

	[OPTION_BACKOFF] = { "backoff", 'b', GROUP_WAITING, VALUE_REQUIRED,
	    "STRATEGY[:NAME=VALUE,...]", "how the delay grows (--help=backoff)",
	    "The strategy that says how the delay grows, and its parameters;\n"
	    "see\n.Sx BACKOFF .",
	    "exponential", parse_backoff, AT(policy.backoff) },
	[OPTION_DELAY] = { "delay", 'd', GROUP_WAITING, VALUE_REQUIRED, "DUR",
	    "base delay", "The base delay, from which the strategy starts.",
	    "1s", parse_seconds, AT(policy.backoff.base) },
	[OPTION_MAX_DELAY] = { "max-delay", 'm', GROUP_WAITING, VALUE_REQUIRED,
	    "DUR", "cap on a delay; 0: none [1m or 16 x longest given]",
	    "The cap on a delay; 0 means none.\n"
	    "The default is\n.Ql 1m ,\n"
	    "or sixteen times the longest delay that an option names, if\n"
	    "that is longer.",
	    NULL, parse_seconds, AT(policy.backoff.cap) },
	[OPTION_MIN_DELAY] = { "min-delay", 0, GROUP_WAITING, VALUE_REQUIRED,
	    "DUR", "floor under a delay",
	    "The floor under a delay, also under the one that was drawn.", "0",
	    parse_seconds, AT(policy.backoff.min) },
	[OPTION_JITTER] = { "jitter", 'j', GROUP_WAITING, VALUE_REQUIRED,
	    "KIND", "how chance spreads a delay (--help=jitter) [20%]",
	    "How chance spreads the delay; see\n.Sx BACKOFF .\n"
	    "The default is\n.Ql 20% ,\n"
	    "and\n.Ql none\nfor a strategy that is random itself.",
	    NULL, parse_jitter, AT(policy.jitter) },
	[OPTION_JITTER_ORDER] = { "jitter-order", 0, GROUP_WAITING,
	    VALUE_REQUIRED, "inside|before-cap|after-cap",
	    "where the cap binds",
	    "Where the cap stands, for a jitter that goes above the nominal\n"
	    "delay:\n.Ql inside\n"
	    "leaves the jitter its room below the cap,\n"
	    ".Ql before-cap\ncuts what was drawn at the cap, and\n"
	    ".Ql after-cap\nlets the draw pass it.",
	    "inside", parse_jitter_order, AT(policy.jitter.order) },
	[OPTION_PACE] = { "pace", 0, GROUP_WAITING, VALUE_REQUIRED, "end|start",
	    "delay from an attempt's end, or its start",
	    "Count the delay from the end of the attempt, or from its start:\n"
	    "then an attempt that outlasts its delay is followed at once.",
	    "end", parse_pace, AT(policy.pace_start) },
	[OPTION_MIN_TIMEOUT] = { "min-timeout", 0, GROUP_WAITING,
	    VALUE_REQUIRED, "DUR", "what an attempt has at least",
	    "With\n.Fl -pace Ns = Ns Cm start\n"
	    "an attempt is ended when the next one is due, but not before it\n"
	    "has had this long.\nWith\n.Fl -timeout Ns = Ns Ar P%\n"
	    "the floor of the limit that is computed.",
	    NULL, parse_seconds, AT(policy.min_timeout) },
	[OPTION_RESET_AFTER] = { "reset-after", 0, GROUP_WAITING,
	    VALUE_REQUIRED, "DUR",
	    "a failure after so long counts as the first",
	    "An attempt that ran at least this long, and was not timed out,\n"
	    "was healthy: its failure counts as the first, for the delay and\n"
	    "for\n.Fl -attempts .",
	    NULL, parse_seconds, AT(policy.reset_after) },
	[OPTION_WAIT_FIRST] = { "wait-first", 0, GROUP_WAITING, VALUE_NONE,
	    NULL, "wait before the first attempt too (polling)",
	    "Wait before the first attempt too, as polling does: it takes\n"
	    "the first delay, and the first retry the second.",
	    NULL, parse_flag, AT(policy.wait_first) },
	[OPTION_SPLAY] = { "splay", 0, GROUP_WAITING, VALUE_REQUIRED, "DUR",
	    "first wait a random time up to this",
	    "Wait a uniform random time up to this before the first attempt.",
	    "0", parse_seconds, AT(policy.splay) },
	[OPTION_SEED] = { "seed", 0, GROUP_WAITING, VALUE_REQUIRED, "N",
	    "make every random draw repeatable",
	    "Make every random draw repeatable: each is a function of the\n"
	    "seed and of the attempt's number, the same in every release of\n"
	    "a major version.",
	    NULL, parse_seed, AT(random.seed) },
	[OPTION_DELAY_MATCH] = { "delay-match", 0, GROUP_WAITING,
	    VALUE_REQUIRED, "ERE",
	    "wait at least what the output says (Retry-After)",
	    "Take a hint from the attempt's output: the first group of the\n"
	    "last match is a number of seconds, a duration, or a date as HTTP\n"
	    "has them, and no retry comes earlier; see\n.Sx STREAMS .",
	    NULL, parse_delay_match, AT(patterns) },
	[OPTION_PRESET] = { "preset", 0, GROUP_WAITING, VALUE_REQUIRED, "NAME",
	    "options of a known system (--help=presets)",
	    "The options of a known system; see\n.Sx PRESETS .\n"
	    "Options beside it win, in either order.",
	    NULL, parse_preset, 0 },

	[OPTION_SUCCESS_ON] = { "success-on", 0, GROUP_VERDICT, VALUE_REQUIRED,
	    "SET", "these outcomes are success (--help=sets)",
	    "These outcomes are success.", "0", parse_success_on,
	    AT(policy.rules.success) },
	[OPTION_RETRY_ON] = { "retry-on", 0, GROUP_VERDICT, VALUE_REQUIRED,
	    "SET", "only these failures are retried",
	    "Only these failures are retried; without it and\n"
	    ".Fl -retry-match\nall are that do not stop.",
	    NULL, parse_retry_on, AT(policy.rules.retry) },
	[OPTION_STOP_ON] = { "stop-on", 0, GROUP_VERDICT, VALUE_REQUIRED, "SET",
	    "these are not retried [unstartable,INT,QUIT]",
	    "These failures are not retried.\n"
	    "The list is added to the default,\n"
	    ".Ql unstartable,INT,QUIT .\n"
	    "What\n.Fl -retry-on\nor\n.Fl -success-on\n"
	    "names is no longer in that default.",
	    NULL, parse_stop_on, AT(stop_least) },
	[OPTION_FREE_ON] = { "free-on", 0, GROUP_VERDICT, VALUE_REQUIRED, "SET",
	    "these failures use up no attempt",
	    "These failures use up no attempt (an eviction, a preemption);\n"
	    "the delay grows all the same.",
	    NULL, parse_set, AT(policy.free) },
	[OPTION_THROTTLE_ON] = { "throttle-on", 0, GROUP_VERDICT,
	    VALUE_REQUIRED, "SET", "these are retried with --throttle-delay",
	    "These failures are retried with\n.Fl -throttle-delay\n"
	    "as the base delay, or, by a strategy that has none, after at\n"
	    "least that.",
	    NULL, parse_set, AT(policy.rules.throttle) },
	[OPTION_THROTTLE_DELAY] = { "throttle-delay", 0, GROUP_VERDICT,
	    VALUE_REQUIRED, "DUR", "base delay after a throttled attempt",
	    "The base delay after an attempt that was throttled.", NULL,
	    parse_seconds, AT(policy.throttle_delay) },
	[OPTION_SUCCESS_MATCH] = { "success-match", 0, GROUP_VERDICT,
	    VALUE_REQUIRED, "ERE", "a success must say this",
	    "An attempt is a success only if a line of its output matches,\n"
	    "too; see\n.Sx STREAMS .",
	    NULL, parse_match, AT(patterns.found[MATCH_SUCCESS]) },
	[OPTION_FAIL_MATCH] = { "fail-match", 0, GROUP_VERDICT, VALUE_REQUIRED,
	    "ERE", "what says this is no success",
	    "An attempt is no success if a line of its output matches.", NULL,
	    parse_match, AT(patterns.found[MATCH_FAIL]) },
	[OPTION_RETRY_MATCH] = { "retry-match", 0, GROUP_VERDICT,
	    VALUE_REQUIRED, "ERE", "only failures that say this are retried",
	    "A failure is retried only if a line of its output matches, or\n"
	    ".Fl -retry-on\nnames it.",
	    NULL, parse_match, AT(patterns.found[MATCH_RETRY]) },
	[OPTION_STOP_MATCH] = { "stop-match", 0, GROUP_VERDICT, VALUE_REQUIRED,
	    "ERE", "failures that say this are not retried",
	    "A failure is not retried if a line of its output matches.", NULL,
	    parse_match, AT(patterns.found[MATCH_STOP]) },
	[OPTION_THROTTLE_MATCH] = { "throttle-match", 0, GROUP_VERDICT,
	    VALUE_REQUIRED, "ERE",
	    "failures that say this use --throttle-delay",
	    "A failure is retried with\n.Fl -throttle-delay\n"
	    "if a line of its output matches.",
	    NULL, parse_match, AT(patterns.found[MATCH_THROTTLE]) },
	[OPTION_CHECK] = { "check", 0, GROUP_VERDICT, VALUE_REQUIRED, "COMMAND",
	    "decides by status: 0 success, 1 retry, else stop",
	    "A shell command that is run after each attempt and decides by\n"
	    "its exit status: 0 is success, 1 is retry, anything else, a\n"
	    "signal too, is stop.",
	    NULL, parse_check, AT(check) },
	[OPTION_CONTROL] = { "control", 0, GROUP_VERDICT, VALUE_NONE, NULL,
	    "the attempt may decide, in $RETRY_CONTROL",
	    "The attempt may decide, by lines that it appends to the file\n"
	    "that\n.Ev RETRY_CONTROL\nnames:\n.Ql success ,\n.Ql retry\nand\n"
	    ".Ql stop\nare verdicts, of which the last counts,\n"
	    ".Ql delay Ar DUR\nis a hint, as of\n.Fl -delay-match ,\nand\n"
	    ".Ql reset\nsays that the attempt was healthy: its failure\n"
	    "counts as the first.",
	    NULL, parse_flag, AT(control) },

	[OPTION_OUTPUT] = { "output", 0, GROUP_STREAMS, VALUE_REQUIRED,
	    "stream|hold|last|chronic", "what becomes of output",
	    "What becomes of the attempts' output.\n"
	    "With\n.Ql stream\nthey have\n.Nm Ns 's\n"
	    "own descriptors, and nothing is copied.\n"
	    "With\n.Ql hold\n"
	    "standard output comes only from the attempt that succeeds; that\n"
	    "of one that fails goes to standard error instead, once it has\n"
	    "ended; standard error itself is not held.\n"
	    "With\n.Ql last\n"
	    "only the last attempt's output comes out, when the run ends.\n"
	    "With\n.Ql chronic\n"
	    "nothing comes out, messages included, unless the run gives up\n"
	    "or a signal ends it: then everything does, in order, each byte\n"
	    "where it was written to.",
	    "stream", parse_output, AT(output) },
	[OPTION_STDIN] = { "stdin", 0, GROUP_STREAMS, VALUE_REQUIRED,
	    "auto|replay|inherit|null", "what the attempts read",
	    "What the attempts read.\n"
	    "With\n.Ql auto\n"
	    "a standard input that is a file, open for reading only, is put\n"
	    "back before each retry to where it stood when\n.Nm\nstarted;\n"
	    "anything else is left alone.\n"
	    "With\n.Ql replay\n"
	    "all of standard input is read once, before the first attempt,\n"
	    "and each attempt reads it from the start.\n"
	    "With\n.Ql inherit\nthe attempts read on where the last one\n"
	    "stopped, and with\n.Ql null\nthey read\n.Pa /dev/null .\n"
	    "Only with\n.Ql replay\ndoes\n.Nm\nitself read anything.",
	    "auto", parse_stdin, AT(input) },

	[OPTION_BEFORE_RETRY] = { "before-retry", 0, GROUP_BETWEEN,
	    VALUE_REQUIRED, "COMMAND",
	    "run after the wait; give up if it fails",
	    "A shell command that is run after the wait, before each retry:\n"
	    "a gate, or a clean-up.\nIf it fails,\n.Nm\ngives up.",
	    NULL, parse_before_retry, AT(before_retry) },
	[OPTION_ON_SUCCESS] = { "on-success", 0, GROUP_BETWEEN, VALUE_REQUIRED,
	    "COMMAND", "run at the end of a run that succeeded",
	    "A shell command that is run at the end, if the run succeeded.\n"
	    "Its own failure is reported and changes nothing.",
	    NULL, parse_text, AT(on_success) },
	[OPTION_ON_GIVE_UP] = { "on-give-up", 0, GROUP_BETWEEN, VALUE_REQUIRED,
	    "COMMAND", "run at the end of a run that did not succeed",
	    "A shell command that is run at the end, if the run did not\n"
	    "succeed.\nIts own failure is reported and changes nothing.",
	    NULL, parse_text, AT(on_give_up) },
	[OPTION_REPEAT] = { "repeat", 0, GROUP_BETWEEN, VALUE_OPTIONAL, "N",
	    "go on after success; end after N in a row",
	    "Go on after success too: the count of attempts starts afresh,\n"
	    "so that\n.Fl -attempts\ncounts failures in a row.\n"
	    "The wait after a success is\n.Fl -success-delay ,\n"
	    "or the level of a strategy that keeps one.\n"
	    ".Ar N\nsuccesses in a row end the run; without\n.Ar N\n"
	    "it ends when it gives up, by a signal, or at\n"
	    ".Fl -max-time ,\nwhere it is a success if its last attempt was.",
	    NULL, parse_repeat, AT(policy.repeats) },
	[OPTION_SUCCESS_DELAY] = { "success-delay", 0, GROUP_BETWEEN,
	    VALUE_REQUIRED, "DUR", "with --repeat: the wait after a success",
	    "With\n.Fl -repeat :\n"
	    "the wait after a success, for a strategy that says nothing of\n"
	    "it; held and jittered like any delay.",
	    "0", parse_seconds, AT(policy.success_delay) },
	[OPTION_STATE] = { "state", 0, GROUP_BETWEEN, VALUE_REQUIRED, "FILE",
	    "remember the backoff from one run to the next",
	    "Remember the backoff in this file from one run to the next; see\n"
	    ".Sx STATE .",
	    NULL, parse_state, AT(state) },
	[OPTION_EARLY] = { "early", 0, GROUP_BETWEEN, VALUE_REQUIRED,
	    "wait|skip", "if it is too early: wait, or exit 75 at once",
	    "With\n.Fl -state :\n"
	    "where it is too early for an attempt, or another run is under\n"
	    "way,\n.Ql wait ,\nor\n.Ql skip\n"
	    "this run: exit at once with status 75.",
	    "wait", parse_early, AT(early_skip) },
	[OPTION_BUDGET] = { "budget", 0, GROUP_BETWEEN, VALUE_REQUIRED,
	    "FILE[:NAME=VALUE,...]",
	    "share a retry budget with other processes",
	    "Share a retry budget with all processes that name this file;\n"
	    "see\n.Sx BUDGET .",
	    NULL, parse_budget, AT(budget_rules) },

	[OPTION_QUIET] = { "quiet", 'q', GROUP_REPORTING, VALUE_NONE, NULL,
	    "say nothing but retry's own errors",
	    "Say nothing of the run, not even that it gave up; only\n"
	    ".Nm Ns 's\nown errors are reported, of which one is that the\n"
	    "command cannot be executed.",
	    NULL, parse_flag, AT(quiet) },
	[OPTION_VERBOSE] = { "verbose", 'v', GROUP_REPORTING, VALUE_NONE, NULL,
	    "tell starts, signals and how delays came about",
	    "Tell also of the attempts' starts, of signals and of the\n"
	    "numbers behind each delay.",
	    NULL, parse_flag, AT(verbose) },
	[OPTION_LOG] = { "log", 0, GROUP_REPORTING, VALUE_REQUIRED,
	    "FORMAT[:FILE]", "text, tty, journal, json, junit, github or auto",
	    "Report in this format, on standard error or to a file; see\n"
	    ".Sx REPORTS .\n"
	    "The option may be given several times.\n"
	    "The file is appended to, and created for its owner alone; it may\n"
	    "be a device or a pipe, but no symbolic link, as\n"
	    ".Pa /dev/stdout\nis.",
	    NULL, parse_log, 0 },
	[OPTION_PLAN] = { "plan", 0, GROUP_REPORTING, VALUE_OPTIONAL, "SCRIPT",
	    "show what would happen, and run nothing",
	    "Run nothing: show what would happen if the attempts had the\n"
	    "outcomes of the script; see\n.Sx PLAN .",
	    NULL, parse_plan, AT(plan_script) },
	[OPTION_HELP] = { "help", 'h', GROUP_REPORTING, VALUE_OPTIONAL, "TOPIC",
	    "of backoff, jitter, presets, sets, exit",
	    "Print a help text, or one on\n.Cm backoff , jitter , presets ,\n"
	    ".Cm sets\nor\n.Cm exit .",
	    NULL, parse_help, AT(help_topic) },
	[OPTION_VERSION] = { "version", 'V', GROUP_REPORTING, VALUE_NONE, NULL,
	    "print the version", "Print the version.", NULL, parse_flag,
	    AT(version) },
};

static void
complain(char problem[OPTIONS_PROBLEM], const char *name, const char *text,
    const char *what)
{
	char safe[128];

	if (text == NULL || *text == '\0')
		snprintf(problem, OPTIONS_PROBLEM, "--%s: %s", name, what);
	else
		snprintf(problem, OPTIONS_PROBLEM, "--%s: %s: %s", name,
		    text_safe(text, safe, sizeof(safe)), what);
}

/* Of a list the item that is wrong, or all of it where that is empty. */
static void
complain_of_value(char problem[OPTIONS_PROBLEM], const struct options *options,
    enum option_id id, const char *what)
{
	const char *text = options->text[id];
	size_t length = options->item == NULL ? 0 : strcspn(options->item, ",");
	char item[128];

	if (length > 0 && length < sizeof(item)) {
		strlcpy(item, options->item, length + 1);
		text = item;
	}
	complain(problem, option_rows[id].name, text, what);
}

/* Which help text tells what a value may be. */
static const char *
topic_of(const struct option_row *row)
{
	static const struct {
		const char *value, *topic;
	} rows[] = {
		{ "STRATEGY", "backoff" },
		{ "KIND", "jitter" },
		{ "NAME", "presets" },
		{ "SET", "sets" },
		{ "SCRIPT", "sets" },
	};
	const size_t length = row->value == NULL ? 0 : strcspn(row->value, "[");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strlen(rows[i].value) == length &&
		    strncmp(rows[i].value, row->value, length) == 0)
			return rows[i].topic;
	return NULL;
}

/* Sets the option from a text; `problem` stays as it is where all is well. */
static int
set_option(struct options *options, enum option_id id, const char *text,
    enum option_origin origin, char problem[OPTIONS_PROBLEM])
{
	const struct option_row *row = &option_rows[id];
	const char *what;

	options->text[id] = text;
	options->item = NULL;
	if (text != NULL && *text == '\0')
		what = "is empty";
	else
		what = row->parse(options, row->offset, text);
	if (what == NULL) {
		options->origin[id] = origin;
		return 0;
	}
	options->topic = topic_of(row);
	complain_of_value(problem, options, id, what);
	return -1;
}

static enum option_id
find_option(const char *name, size_t length)
{
	int id = 0;

	while (id < OPTIONS &&
	    (strncmp(option_rows[id].name, name, length) != 0 ||
		option_rows[id].name[length] != '\0'))
		id++;
	return id;
}

static const char *
parse_preset(struct options *options, size_t offset, const char *text)
{
	const struct preset *preset = presets;
	char problem[OPTIONS_PROBLEM];

	(void)offset;
	while (preset->name != NULL && strcmp(preset->name, text) != 0)
		preset++;
	if (preset->name == NULL)
		return "is no preset";
	for (const char *const *word = preset->words; *word != NULL; word++) {
		const char *name = *word + 2;
		const size_t length = strcspn(name, "=");
		const char *value =
		    name[length] == '=' ? name + length + 1 : NULL;

		if (set_option(options, find_option(name, length), value,
			ORIGIN_PRESET, problem) == -1)
			return "is a preset that this release cannot read";
	}
	return NULL;
}

static int
set_defaults(struct options *options, char problem[OPTIONS_PROBLEM])
{
	*options = (struct options){ .help = false };
	set_apply(&options->stop_most, "any");
	for (int id = 0; id < OPTIONS; id++)
		if (option_rows[id].initial != NULL &&
		    set_option(options, id, option_rows[id].initial,
			ORIGIN_DEFAULT, problem) == -1)
			return -1;
	options->named = (struct set){ .timeout = false };
	return 0;
}

/* The table as getopt_long(3) wants it; `val` is the row's number + 256. */
#define VAL_BASE 256

static void
getopt_tables(struct option long_options[OPTIONS + 1],
    char letters[3 * OPTIONS + 3])
{
	*letters++ = '+';
	*letters++ = ':';
	for (int id = 0; id < OPTIONS; id++) {
		const struct option_row *row = &option_rows[id];

		long_options[id] = (struct option){ .name = row->name,
			.has_arg = (int)row->takes,
			.val = VAL_BASE + id };
		if (row->letter == 0)
			continue;
		*letters++ = row->letter;
		if (row->takes == VALUE_REQUIRED)
			*letters++ = ':';
	}
	*letters = '\0';
	long_options[OPTIONS] = (struct option){ .name = NULL };
}

/* A name that getopt_long(3) did not take; without the value behind it. */
static int
complain_of_name(const char *word, char problem[OPTIONS_PROBLEM])
{
	const size_t length = strcspn(word, "=");
	char name[64], safe[128];
	int count = 0;

	for (int id = 0; id < OPTIONS; id++)
		count += strncmp(option_rows[id].name, word, length) == 0;
	snprintf(name, sizeof(name), "%.*s", (int)length, word);
	snprintf(problem, OPTIONS_PROBLEM, "--%s: %s",
	    text_safe(name, safe, sizeof(safe)),
	    count > 1 ? "is short for more than one option" : "is no option");
	return -1;
}

/* What getopt_long(3) could not read, by name. */
static int
complain_of_word(char **argv, int result, char problem[OPTIONS_PROBLEM])
{
	const char *word = argv[optind - 1];
	const char letter[2] = { (char)optopt, '\0' };
	const char *what = result == ':' ? "needs a value" : "is no option";
	char safe[8];

	if (optopt >= VAL_BASE) {
		complain(problem, option_rows[optopt - VAL_BASE].name, NULL,
		    result == ':' ? what : "takes no value");
		return -1;
	}
	if (optopt == 0 && strncmp(word, "--", 2) == 0)
		return complain_of_name(word + 2, problem);
	snprintf(problem, OPTIONS_PROBLEM, "-%s: %s",
	    text_safe(letter, safe, sizeof(safe)), what);
	return -1;
}

static enum option_id
letter_option(int letter)
{
	int id = 0;

	while (option_rows[id].letter != letter)
		id++;
	return id;
}

/* Goes through argv once, for the preset alone or for all other options. */
static int
read_words(int argc, char **argv, struct options *options, bool preset,
    char problem[OPTIONS_PROBLEM])
{
	struct option long_options[OPTIONS + 1];
	char letters[3 * OPTIONS + 3];
	int result;

	getopt_tables(long_options, letters);
	opterr = 0;
	optind = 0;
	while ((result = getopt_long(argc, argv, letters, long_options,
		    NULL)) != -1) {
		if (result == '?' || result == ':')
			return complain_of_word(argv, result, problem);
		const enum option_id id = result >= VAL_BASE
		    ? (enum option_id)(result - VAL_BASE)
		    : letter_option(result);
		if ((id == OPTION_PRESET) != preset)
			continue;
		/* Of several presets the last one stands alone. */
		if (preset && set_defaults(options, problem) == -1)
			return -1;
		if (set_option(options, id, optarg, ORIGIN_USER, problem) == -1)
			return -1;
	}
	options->command = (const char *const *)argv + optind;
	return 0;
}

static bool
given(const struct options *options, enum option_id id)
{
	return options->origin[id] != ORIGIN_DEFAULT;
}

static void
settle_cap(struct options *options)
{
	const struct policy *policy = &options->policy;
	struct backoff *backoff = &options->policy.backoff;
	double longest = backoff_longest(backoff);

	backoff->cap_given =
	    given(options, OPTION_MAX_DELAY) && backoff->cap > 0;
	if (given(options, OPTION_MAX_DELAY)) {
		if (backoff->cap == 0)
			backoff->cap = DURATION_MAX;
		return;
	}
	longest = number_max(longest, backoff->base);
	longest = number_max(longest, backoff->min);
	longest = number_max(longest, policy->throttle_delay);
	longest = number_max(longest, policy->success_delay);
	backoff->cap =
	    number_min(number_max(DEFAULT_CAP, DEFAULT_CAP_FACTOR * longest),
		DURATION_MAX);
}

static void
settle_jitter(struct options *options)
{
	struct policy *policy = &options->policy;
	const bool random = policy->backoff.strategy->random;

	if (!given(options, OPTION_JITTER) ||
	    (random && options->origin[OPTION_JITTER] == ORIGIN_PRESET))
		jitter_parse(random ? "none" : "20%", &policy->jitter);
	policy->hint_spread = DEFAULT_HINT_SPREAD;
	if (policy->jitter.kind->fixed && given(options, OPTION_JITTER))
		policy->hint_spread = 0;
	else if (policy->jitter.kind->relative)
		policy->hint_spread = policy->jitter.amount;
}

/* What follows from the options together. */
static void
settle(struct options *options)
{
	struct policy *policy = &options->policy;
	struct rules *rules = &policy->rules;

	settle_cap(options);
	settle_jitter(options);
	/* A preset's floor goes with the preset's pace. */
	if (!policy->pace_start && policy->timeout_share == 0)
		policy->min_timeout = 0;
	policy->hint_limit = given(options, OPTION_MAX_DELAY)
	    ? policy->backoff.cap
	    : DEFAULT_HINT_LIMIT;
	policy->input = options->input == INPUT_REPLAY;
	policy->holds = options->output != OUTPUT_STREAM ||
	    patterns_any(&options->patterns);
	rules->matches = options->patterns.given;
	set_apply(&rules->stop, "unstartable,INT,QUIT");
	set_remove(&rules->stop, &options->named);
	set_keep(&rules->stop, &options->stop_most);
	set_add(&rules->stop, &options->stop_least);
}

/* Options that contradict each other: the one to blame, and why. */
struct conflict {
	enum option_id id;
	const char *what; /* NULL: none */
};

static struct conflict
find_wait_conflict(const struct options *options)
{
	const struct policy *policy = &options->policy;
	const struct backoff *backoff = &policy->backoff;

	if (backoff->strategy->listed && given(options, OPTION_DELAY) &&
	    options->origin[OPTION_DELAY] == ORIGIN_USER)
		return (struct conflict){ OPTION_DELAY,
			"has no place beside a list of delays" };
	if (backoff->strategy->needs_ends &&
	    (backoff->base == 0 || backoff->cap == DURATION_MAX))
		return (struct conflict){ OPTION_BACKOFF,
			"needs a base delay and a cap" };
	if (backoff->strategy->random && !policy->jitter.kind->fixed)
		return (struct conflict){ OPTION_JITTER,
			"has no place beside a strategy that is random" };
	if (backoff->min > backoff->cap)
		return (struct conflict){ OPTION_MIN_DELAY,
			"is above --max-delay" };
	if (!backoff->cap_given)
		return (struct conflict){ .what = NULL };
	if (!backoff->strategy->listed && backoff->base > backoff->cap)
		return (
		    struct conflict){ OPTION_DELAY, "is above --max-delay" };
	if (backoff_longest(backoff) > backoff->cap)
		return (struct conflict){ OPTION_BACKOFF,
			"names a delay above --max-delay" };
	if (policy->throttle_delay > backoff->cap)
		return (struct conflict){ OPTION_THROTTLE_DELAY,
			"is above --max-delay" };
	if (policy->success_delay > backoff->cap)
		return (struct conflict){ OPTION_SUCCESS_DELAY,
			"is above --max-delay" };
	if (jitter_room(&policy->jitter, backoff) < 0)
		return (struct conflict){ OPTION_JITTER,
			"is more than --max-delay leaves room for" };
	if (jitter_room(&policy->jitter, backoff) < backoff->min)
		return (struct conflict){ OPTION_MIN_DELAY,
			"leaves the jitter no room below --max-delay" };
	return (struct conflict){ .what = NULL };
}

/* A plan is one text: its table, or a log. */
static bool
logs_collide(const struct options *options)
{
	size_t count = 0;

	for (size_t i = 0; i < options->log_count; i++)
		count += options->logs[i].file == NULL;
	return options->plan && count > 1;
}

static struct conflict
find_throttle_conflict(const struct options *options)
{
	const bool delay = given(options, OPTION_THROTTLE_DELAY);
	const bool on = given(options, OPTION_THROTTLE_ON);
	const bool match = given(options, OPTION_THROTTLE_MATCH);

	if (on && !delay)
		return (struct conflict){ OPTION_THROTTLE_ON,
			"needs --throttle-delay" };
	if (match && !delay)
		return (struct conflict){ OPTION_THROTTLE_MATCH,
			"needs --throttle-delay" };
	if (delay && !on && !match)
		return (struct conflict){ OPTION_THROTTLE_DELAY,
			"needs --throttle-on or --throttle-match" };
	return (struct conflict){ .what = NULL };
}

static struct conflict
find_conflict(const struct options *options)
{
	const struct policy *policy = &options->policy;
	struct conflict conflict;

	if (policy->timeout_share > 0 && policy->max_time == 0)
		return (struct conflict){ OPTION_TIMEOUT,
			"is a share of --max-time, which is not given" };
	if (options->origin[OPTION_MIN_TIMEOUT] == ORIGIN_USER &&
	    !policy->pace_start && policy->timeout_share == 0)
		return (struct conflict){ OPTION_MIN_TIMEOUT,
			"needs --pace=start or --timeout=P%" };
	if (given(options, OPTION_SUCCESS_DELAY) && !policy->repeat)
		return (
		    struct conflict){ OPTION_SUCCESS_DELAY, "needs --repeat" };
	if (logs_collide(options))
		return (struct conflict){ OPTION_LOG,
			"is a second log on a plan's standard output" };
	if (options->early_skip && options->state == NULL)
		return (struct conflict){ OPTION_EARLY, "needs --state" };
	conflict = find_throttle_conflict(options);
	return conflict.what != NULL ? conflict : find_wait_conflict(options);
}

int
options_parse(int argc, char **argv, struct options *options,
    char problem[OPTIONS_PROBLEM])
{
	struct conflict conflict;

	if (set_defaults(options, problem) == -1 ||
	    read_words(argc, argv, options, true, problem) == -1 ||
	    read_words(argc, argv, options, false, problem) == -1)
		return -1;
	if (options->help || options->version)
		return 0;
	settle(options);
	conflict = find_conflict(options);
	if (conflict.what != NULL) {
		complain(problem, option_rows[conflict.id].name,
		    options->text[conflict.id], conflict.what);
		return -1;
	}
	if (*options->command == NULL && !options->plan) {
		strlcpy(problem, "there is no command to run", OPTIONS_PROBLEM);
		return -1;
	}
	return 0;
}

void
options_free(struct options *options)
{
	free(options->logs);
	free(options->budget);
	free(options->policy.backoff.values);
	patterns_free(&options->patterns);
}

const char *
options_warning(const struct options *options)
{
	const struct backoff *backoff = &options->policy.backoff;

	if (backoff->base == 0 && backoff->min == 0 &&
	    backoff->strategy->keeps_level &&
	    backoff->strategy->nominal(backoff,
		&(struct level){ .begun = true }, 2, 0) == 0)
		return "the delay starts at 0 and never leaves it";
	return NULL;
}
