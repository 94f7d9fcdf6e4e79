/* SPDX-License-Identifier: MIT */

#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>

#include "core/policy.h"
#include "core/record.h"

/* Priorities of sd-daemon(3). */
enum priority {
	PRIORITY_ERROR = 3,
	PRIORITY_WARNING = 4,
	PRIORITY_NOTICE = 5,
	PRIORITY_INFO = 6
};

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* How reports look, and what they say of a run besides its records. */
struct report_style {
	const char *name;	     /* of the run; NULL: it has none */
	bool name_given;	     /* by --name */
	const char *const *command;  /* ends with NULL */
	const struct policy *policy; /* as asked for: a plan has less of it */
	uint64_t seed;		     /* of the delays */
	char *state;		     /* its file, or NULL */
	bool holds_stderr;	     /* of the attempts */
	bool forgets; /* the output of some attempts is not shown */
	bool quiet;
	bool verbose;
	bool ci; /* $CI says so */
	enum color color;
};

/* A line for people, without "retry: " and without a newline. */
struct message {
	enum priority priority;
	enum verdict verdict; /* good or bad news; NONE: neither */
	char text[1008];      /* "": no message is due */
};

/*
 * The grammar of the messages.  A message is the first row of its name that
 * holds; so is each part that a row names as %PART.  What else is named is a
 * fact of the record.  What stands in brackets is left out if it names a fact
 * or a part that is absent; [?FACT TEXT] is the text, if the fact holds: from
 * "%how[?waits ; next in %delay]" comes "exited 1; next in 2s".
 */
struct message_row {
	const char *name; /* of a record, "line end", or of a part */
	const char *when; /* words that hold: "FACT", "!FACT", "FACT=TEXT" */
	const char *text;
	enum priority priority; /* 0: that of the first %PART that has one */
	enum verdict verdict;
};

/* Ends with a NULL name. */
extern const struct message_row message_rows[];

/* Room for the line that decided: 200 columns at most. */
#define MESSAGE_LINE 896

/* The line of output that decided, cut and made safe; NULL if none did. */
const char *message_line(const struct record *record, char text[MESSAGE_LINE]);

/*
 * Whether the record has no line without --verbose: each run or attempt has
 * such records.
 */
bool message_is_silent(const struct report_style *style,
    const struct record *record);

/* The line for this record, with the name of the run. */
struct message message_of(const struct report_style *style,
    const struct record *record);

/*
 * Where the run stands after this record, in a line that names the run;
 * empty if the record does not change that.
 */
struct message message_status(const struct report_style *style,
    const struct record *record);

/* Stands for this many failures: "make: (28 more identical failures)". */
struct message message_more(const struct report_style *style, uint64_t count);

/* A line with a label: "make: health check: ..." */
struct message message_note(const struct report_style *style, const char *label,
    const char *line);

/*
 * A part of a message, by the name of its rows: "short" for how an attempt
 * failed, and why ("exited 7, in --stop-on"), "long" for that after its number
 * and its duration, "last" for how the run ended ("giving up after 5 ...").
 */
struct message message_part(const struct record *record, const char *name);

/* Room for a part of a message. */
#define MESSAGE_PART 128

/* A duration as people want it: "2m05s", "31ms", "<1ms". */
const char *message_time(double seconds, char text[MESSAGE_PART]);

/* How the last outcome reads: "exited 7", "killed by SIGKILL", "timed out". */
const char *message_outcome(const struct record *record,
    char text[MESSAGE_PART]);

/*
 * The attempt, or one that is so many ahead, and the limit: "attempt 2/5",
 * "attempt 7 (2/5 used)".
 */
const char *message_attempt(const struct record *record, uint64_t ahead,
    char text[MESSAGE_PART]);

/*
 * The name of the run, made harmless, or "".  Unless --name says it, it is the
 * command's first word, without its folder: other words may hold secrets.
 */
const char *message_name(const struct report_style *style,
    char text[MESSAGE_PART]);

#endif
