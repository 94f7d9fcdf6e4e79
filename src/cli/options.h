#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/bucket.h"
#include "core/engine.h"
#include "core/match.h"

/* The options, in the order in which they are shown. */
enum option_id {
	OPTION_ATTEMPTS,
	OPTION_MAX_TIME,
	OPTION_TIMEOUT,
	OPTION_KILL_AFTER,
	OPTION_SIGNAL,

	OPTION_BACKOFF,
	OPTION_DELAY,
	OPTION_MAX_DELAY,
	OPTION_MIN_DELAY,
	OPTION_JITTER,
	OPTION_JITTER_ORDER,
	OPTION_PACE,
	OPTION_MIN_TIMEOUT,
	OPTION_RESET_AFTER,
	OPTION_WAIT_FIRST,
	OPTION_SPLAY,
	OPTION_SEED,
	OPTION_DELAY_MATCH,
	OPTION_PRESET,

	OPTION_SUCCESS_ON,
	OPTION_RETRY_ON,
	OPTION_STOP_ON,
	OPTION_FREE_ON,
	OPTION_THROTTLE_ON,
	OPTION_THROTTLE_DELAY,
	OPTION_SUCCESS_MATCH,
	OPTION_FAIL_MATCH,
	OPTION_RETRY_MATCH,
	OPTION_STOP_MATCH,
	OPTION_THROTTLE_MATCH,
	OPTION_CHECK,
	OPTION_CONTROL,

	OPTION_OUTPUT,
	OPTION_STDIN,

	OPTION_BEFORE_RETRY,
	OPTION_ON_SUCCESS,
	OPTION_ON_GIVE_UP,
	OPTION_REPEAT,
	OPTION_SUCCESS_DELAY,
	OPTION_STATE,
	OPTION_EARLY,
	OPTION_BUDGET,

	OPTION_QUIET,
	OPTION_VERBOSE,
	OPTION_LOG,
	OPTION_PLAN,
	OPTION_HELP,
	OPTION_VERSION,
	OPTIONS
};

/* Who set an option; who sets it last wins, and the user after a preset. */
enum option_origin { ORIGIN_DEFAULT, ORIGIN_PRESET, ORIGIN_USER };

enum option_group {
	GROUP_LIMITS,
	GROUP_WAITING,
	GROUP_VERDICT,
	GROUP_STREAMS,
	GROUP_BETWEEN,
	GROUP_REPORTING,
	GROUPS
};

struct format;
struct preset;

/* What --log names. */
struct log {
	const struct format *format;
	const char *file; /* or NULL */
};

/* What becomes of the attempts' output. */
enum output_mode { OUTPUT_STREAM, OUTPUT_HOLD, OUTPUT_LAST, OUTPUT_CHRONIC };

/* What the attempts read. */
enum input_mode { INPUT_AUTO, INPUT_REPLAY, INPUT_INHERIT, INPUT_NULL };

/* All that the user asked for; what is NULL was not given. */
struct options {
	struct policy policy;
	struct random random;
	struct set stop_least; /* --stop-on's list, applied to nothing */
	struct set stop_most;  /* and to everything */
	struct set named;      /* by --success-on and --retry-on */
	enum option_origin origin[OPTIONS];
	const char *text[OPTIONS]; /* as it was given last */
	const char *item;	   /* of that list, where it is wrong */
	const char *topic;	   /* of --help, that helps; or NULL */
	const char *warning;	   /* about options that are right, or NULL */

	const struct preset *preset; /* whose words come before the user's */
	struct patterns patterns;
	bool control;
	enum output_mode output;
	enum input_mode input;
	const char *check;
	const char *before_retry;
	const char *on_success;
	const char *on_give_up;
	const char *state; /* its file */
	bool early_skip;
	char *budget; /* its file */
	struct bucket_rules budget_rules;
	bool quiet;
	bool verbose;
	struct log *logs;
	size_t log_count;
	bool plan;
	const char *plan_script;
	bool help;
	const char *help_topic;
	bool version;
	const char *const
	    *command; /* ends with NULL; empty with --plan and --help */
};

/* What --stop-on holds before its lists are added. */
#define OPTIONS_STOP_ON "unstartable,INT,QUIT,130"

/* How an option takes its value. */
enum option_value { VALUE_NONE, VALUE_REQUIRED, VALUE_OPTIONAL };

/* One row an option: parser, --help, manual and completions read it. */
struct option_row {
	const char *name;
	char letter; /* or 0 */
	enum option_group group;
	enum option_value takes;
	const char *value;   /* how its value is called: "DUR" */
	const char *doc;     /* for --help */
	const char *manual;  /* the paragraph in mdoc, or NULL: doc alone */
	const char *initial; /* the default, parsed like a value, or NULL */

	/* NULL, or what is wrong with the text (which may be NULL if optional) */
	const char *(
	    *parse)(struct options *options, size_t offset, const char *text);
	size_t offset; /* in struct options, of what the parser sets */
};

extern const struct option_row option_rows[OPTIONS];
extern const char *const option_groups[GROUPS];

#define OPTIONS_PROBLEM 512

/*
 * Reads the command line.  Returns 0, or -1 with one line in `problem` that
 * names the option, its text and what is wrong with it, safe to print.
 */
int options_parse(int argc, char **argv, struct options *options,
    char problem[OPTIONS_PROBLEM]);

/* Releases what options_parse() allocated. */
void options_free(struct options *options);

#endif
