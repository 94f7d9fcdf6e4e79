#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/presets.h"
#include "cli/report.h"
#include "cli/script.h"
#include "core/duration.h"
#include "core/signals.h"

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

	if (*text == '-')
		return "is negative";
	if (strspn(text, "0123456789") != strlen(text))
		return "is not a whole number";
	*MEMBER(uint64_t, options, offset) =
	    (uint64_t)strtonum(text, 0, INT64_MAX, &problem);
	return problem == NULL ? NULL : "is too large";
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

static const char *
parse_preset(struct options *options, size_t offset, const char *text)
{
	const struct preset *preset = presets;

	(void)offset;
	while (preset->name != NULL && strcmp(preset->name, text) != 0)
		preset++;
	if (preset->name == NULL)
		return "is no preset";
	options->preset = preset;
	return NULL;
}

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
	    NULL, parse_count, AT(random.seed) },
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
	    "these are not retried [" OPTIONS_STOP_ON "]",
	    "These failures are not retried.\n"
	    "The list is added to the default,\n"
	    ".Ql " OPTIONS_STOP_ON " .\n"
	    "130 is how a shell says that its command was interrupted.\n"
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
