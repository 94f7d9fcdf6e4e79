/* SPDX-License-Identifier: MIT */

#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/report.h"
#include "core/policy.h"
#include "core/search.h"

/* The options, in the order in which they are shown. */
enum option_id {
	OPTION_ATTEMPTS,
	OPTION_MAX_TIME,
	OPTION_TIMEOUT,
	OPTION_IDLE_TIMEOUT,
	OPTION_KILL_AFTER,
	OPTION_STOP_TIMEOUT,
	OPTION_SIGNAL,
	OPTION_LEFTOVERS,

	OPTION_HEALTH,
	OPTION_HEALTH_INTERVAL,
	OPTION_HEALTH_TIMEOUT,
	OPTION_HEALTH_RETRIES,
	OPTION_HEALTH_START_PERIOD,

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
	OPTION_PRESERVE_STATUS,
	OPTION_TRANSIENT_STATUS,
	OPTION_FLAKY_STATUS,

	OPTION_OUTPUT,
	OPTION_STDIN,
	OPTION_SEARCH,

	OPTION_BEFORE_RETRY,
	OPTION_ON_SUCCESS,
	OPTION_ON_GIVE_UP,
	OPTION_REPEAT,
	OPTION_SUCCESS_DELAY,
	OPTION_STATE,
	OPTION_TOLERATE,
	OPTION_BUDGET,

	OPTION_QUIET,
	OPTION_VERBOSE,
	OPTION_LOG,
	OPTION_NAME,
	OPTION_COLOR,
	OPTION_PLAN,
	OPTION_HELP,
	OPTION_VERSION,
	OPTIONS
};

/*
 * Who set an option: nobody, a preset that is built in, a preset of the user's
 * in a file, or the command line.  A preset that is applied later wins over an
 * earlier one, and the command line over all of them.
 */
enum option_origin {
	ORIGIN_DEFAULT,
	ORIGIN_BUILT_IN,
	ORIGIN_FILE,
	ORIGIN_USER
};

enum option_group {
	GROUP_LIMITS,
	GROUP_WAITING,
	GROUP_VERDICT,
	GROUP_STREAMS,
	GROUP_BETWEEN,
	GROUP_REPORTING,
	GROUP_SELDOM,
	GROUPS
};

/* The value of --log. */
struct log {
	const struct format *format;
	const char *file; /* or NULL */
};

/*
 * A preset is a list of lines, without blanks at their ends: "NAME = VALUE" of
 * an option, NAME alone of one without a value, or one of the keys that
 * classify failures; "#" begins a comment.  The first line of a built-in one
 * says in a comment what the preset is for.
 */
struct preset {
	const char *name; /* or that of its file */
	const char *text; /* a NUL ends each line */
	size_t size;
};

/* The words of options that take one of a few, in the order of their rows. */
enum output_mode {
	OUTPUT_STREAM,
	OUTPUT_HOLD,
	OUTPUT_ALL,
	OUTPUT_LAST,
	OUTPUT_CHRONIC,
	OUTPUT_FAILED
};
enum input_mode { INPUT_AUTO, INPUT_REPLAY, INPUT_INHERIT, INPUT_NULL };

/* The default of --stop-on, to which its lists add. */
#define OPTIONS_STOP_ON "unstartable,INT,QUIT,130"

/* Room for a line that says what is wrong with an option. */
#define ARGV_PROBLEM 512

/* All that the user asked for; a member that is NULL was not given. */
struct options {
	struct policy policy;
	enum option_origin origin[OPTIONS];
	const char *text[OPTIONS]; /* as it was given last, or NULL */
	const char *item;	   /* the wrong part of a value, or NULL */
	const char *topic;	   /* of --help, that helps; or NULL */
	const char *warning;	   /* of a probable mistake, or NULL */

	struct preset *presets; /* those that files name come last */
	size_t preset_count;
	struct patterns patterns;
	int search; /* the descriptor that they look at; 0: 1 and 2 */
	enum output_mode output;
	enum input_mode input;
	char *budget; /* its file */
	struct report_style style;
	struct log *logs;
	size_t log_count;
	bool plan;
	bool help;
	bool version;
	const char *path; /* where commands are searched for, or NULL */
	/* Ends with NULL; may be empty with --plan and --help. */
	const char *const *command;
};

/* The type of an option's value, and of its member in struct options. */
enum option_type {
	TYPE_FLAG,     /* none: a bool that becomes true */
	TYPE_DURATION, /* a double, seconds */
	TYPE_COUNT,    /* a uint64_t */
	TYPE_TEXT,     /* the text as it is, without such a member */
	TYPE_STATUS,   /* an int: an exit status that retry has no use for */
	TYPE_SET,      /* a struct set, to which each list is applied */
	TYPE_ERE,      /* a const char *: a pattern */
	TYPE_CHOICE,   /* an int or an enum: the number of the word */
	TYPE_OTHER     /* what the row's function reads */
};

/* One row an option: the parser, --help and conflicts read it. */
struct option_row {
	const char *name;
	char letter; /* or 0 */
	enum option_group group;
	enum option_type type;
	const char *value; /* the name of its value, "DUR"; NULL: its words */
	const char *doc;
	const char *initial; /* the default, parsed like a value, or NULL */
	const char *topic;   /* of --help, that says more of its value; NULL */
	bool optional;	     /* it may be given without its value */
	bool positive;	     /* TYPE_COUNT, TYPE_DURATION: 0 is too small */
	bool has_group;	     /* TYPE_ERE: the pattern must have one */

	/* It contradicts one option, and needs one of two others; 0: none. */
	enum option_id not_with, needs[2];

	size_t offset;	 /* of its member in struct options */
	size_t given;	 /* of a bool that says whether it is given, or 0 */
	size_t second;	 /* TYPE_SET: of another one, or 0 */
	bool fails_zero; /* it can make exit status 0 a failure */

	/*
	 * The words that the value may be or begin with: members of a table
	 * with rows of `stride` bytes; a NULL ends them.
	 */
	const char *const *words;
	size_t stride;

	/* TYPE_OTHER: reads the text; what is wrong may begin at .item. */
	const char *(*parse)(struct options *options, const char *text);
};

/* A word that a value may be, and what it means; a NULL name ends a table. */
struct word {
	const char *name;
	const char *doc;
};

extern const struct word input_words[];

/* One row per mode of --output; a NULL name ends the table. */
struct output_row {
	const char *name;
	const char *doc;
	enum delivery delivery;
	bool holds_stdout, holds_stderr; /* of the attempts */
	bool forgets;	     /* an attempt's output at the next attempt */
	bool holds_messages; /* of `retry`'s own */
	bool takes_turns;    /* with other runs that write to the same file */
	bool lets_go;	     /* what cannot be held is passed on at once */
};

extern const struct output_row output_rows[];

extern const struct option_row option_rows[OPTIONS];
extern const char *const option_groups[GROUPS];

/* The word of this number that the row's value may be; NULL after the last. */
const char *option_word(const struct option_row *row, int number);

/* The option whose name these bytes are; OPTIONS if there is none. */
enum option_id option_find(const char *name, size_t length);

/*
 * Sets an option from a text, or from NULL if it has no value; a preset leaves
 * what the user gave, and what contradicts it.  Returns 0, or -1 with one line
 * in `problem`.
 */
int options_set(struct options *options, enum option_id id, const char *text,
    enum option_origin origin, char problem[ARGV_PROBLEM]);

/* Releases what argv_parse() allocated. */
void options_free(struct options *options);

/* Whether the user or a preset gave the option. */
static inline bool
options_given(const struct options *options, enum option_id id)
{
	return options->origin[id] != ORIGIN_DEFAULT;
}

/*
 * Whether the attempts' output goes through a collector, which holds it,
 * searches it, or sees when an attempt wrote last.
 */
bool options_collects(const struct options *options);

/*
 * Derives the rest of the policy and of the style from the options.  Some
 * options set the default of another.
 */
void derive_policy(struct options *options);

/* Options that contradict each other: the one to blame, and why. */
struct conflict {
	enum option_id id;
	char what[128]; /* "": there are none */
};

/* The first contradiction, once the policy is derived. */
struct conflict conflicts_find(const struct options *options);

/* A warning about what is probably a mistake, or NULL. */
const char *conflicts_warning(const struct options *options);

#endif
