/* SPDX-License-Identifier: MIT */

#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "report/message.h"

struct report;
struct sink;

/* One row per format: to add one, add a row. */
struct format {
	const char *name;
	const char *doc;
	bool for_people;     /* --quiet silences it, apart from errors */
	bool dated;	     /* in a file, a line begins with the time */
	bool has_priorities; /* each line begins with its priority */
	bool whole;	   /* one document, which replaces the file's content */
	bool keeps_output; /* of each attempt that failed, if it is held */
	/* Writes to the sink's file of an event of the run. */
	void (*tell)(struct sink *sink, const struct report *report,
	    const struct record *record);

	/*
	 * The others may be NULL.  `begin` is called before an attempt starts
	 * and before its held output is shown.
	 */
	void (*begin)(struct sink *sink, const struct report *report,
	    const struct record *record);

	/*
	 * Draws during a wait; returns the seconds since the start of the run
	 * at which to draw again, or INFINITY.
	 */
	double (*tick)(struct sink *sink, const struct report *report,
	    const struct record *record);

	/* Removes the drawing. */
	void (*hide)(struct sink *sink);
};

/* Ends with a NULL name. */
extern const struct format formats[];

/* The row of this name, or NULL. */
const struct format *report_format(const char *name);

/* What the place that a log is written to can show. */
struct screen {
	int width;     /* columns; 0 if nothing may be drawn now */
	bool terminal; /* or what looks like one */
	bool unicode;
	bool colour;
	bool plain; /* knows no control sequences */
	bool sized; /* the terminal said how wide it is */
};

/* How many failed attempts, or outputs, are kept; the others are counted. */
#define FAILURES_KEPT 1000

/* A failed attempt as text, which no later attempt changes. */
struct failed {
	uint64_t attempt;
	double duration;
	double waited; /* before it; negative: it did not wait */
	enum outcome_kind kind;
	char *outcome;	/* "exited 7" */
	char *sentence; /* "attempt 2/5 exited 7 after 31ms" */
	char *output; /* the end of what it wrote, if that was held; or NULL */
};

/* The failed attempts of a run. */
struct attempts {
	uint64_t count;
	size_t kept;	     /* rows that are in use */
	struct failed *rows; /* FAILURES_KEPT, or NULL before the first */
};

/* Identical failures; the first of them was printed. */
struct series {
	uint64_t attempt;   /* the last one; 0: there is no series */
	struct ended first; /* how the first one ended */
	double begun,
	    ended;	 /* by the first and the last, since the run began */
	uint64_t untold; /* failures that were counted, not printed */
	struct message second; /* the line of the first of these */
};

/* Where a format is written to. */
struct sink {
	const struct format *format;
	FILE *file;
	const char *name;     /* the file's; NULL: stdout or stderr */
	const char *option;   /* or variable, that gives the name */
	bool failed;	      /* a write failed, and was reported */
	bool made;	      /* the file did not exist */
	bool replaced;	      /* a document replaces what its file held */
	bool shares_stdout;   /* the attempts' output goes there too */
	uint64_t group;	      /* github: the last attempt that had a group */
	bool grouped;	      /* github: it is open */
	struct series series; /* text */
	struct screen screen;
	bool drawn;		  /* tty: there is a status line */
	struct attempts attempts; /* junit, GitHub's summary */

	/* In a run, where `file` is memory: what goes out next, and where. */
	char *text;
	size_t size;
	int descriptor;
	bool is_socket;
	bool is_pipe;
	bool blocks;  /* a write may wait for a reader */
	bool by_name; /* the descriptor was opened by the name */
	off_t end;    /* of its file, once the last line was written */
	char *rest;   /* of a line that was written in part */
	size_t rest_size;
	bool mid_line; /* the last byte of the attempts' output is no newline */
};

/* All that a run reports to. */
struct report {
	struct report_style style;
	struct sink *sinks;
	size_t count;
	long pid;	    /* retry's own; 0 in a plan */
	double begun;	    /* when the run began, in seconds since 1970 */
	double now;	    /* the same, of what is being told */
	char host[65];	    /* the machine's name, or empty */
	bool shares_stdout; /* a log goes to standard output; no message does */
	bool keeps_output;  /* a format has a use for that of each attempt */
};

/* Writes the record to all sinks. */
void report_tell(struct report *report, const struct record *record);

/* Writes a line for people, after a label such as "health check: ". */
void report_note(struct report *report, const char *label, const char *line);

/*
 * When, in seconds since the run began, there is something to tell even if
 * nothing happens; or INFINITY.
 */
double report_due(const struct report *report);

/* Writes what is due at this time. */
void report_tell_due(struct report *report, double elapsed);

/*
 * What GitHub's runner reads besides the log, each from the file that the
 * variable of this name has.  Ends with a NULL name.
 */
#define GITHUB_FILES 2
extern const struct format report_github_files[GITHUB_FILES + 1];

/* The formats; some build on others. */
void report_text(struct sink *sink, const struct report *report,
    const struct record *record);
double report_tty_tick(struct sink *sink, const struct report *report,
    const struct record *record);
void report_tty_hide(struct sink *sink);
void report_json(struct sink *sink, const struct report *report,
    const struct record *record);
void report_junit(struct sink *sink, const struct report *report,
    const struct record *record);
void report_github(struct sink *sink, const struct report *report,
    const struct record *record);
void report_github_begin(struct sink *sink, const struct report *report,
    const struct record *record);

/* Ends the series, and writes the message, if it has a text. */
void report_text_message(struct sink *sink, const struct report *report,
    struct message message);

/* Ends the series: writes how many failures were counted, if any were. */
void report_text_end_series(struct sink *sink, const struct report *report);

/* When the series must end; INFINITY if no failure was counted. */
double report_text_due(const struct sink *sink);

/* The sequence before text of this verdict, which "\033[m" ends; or "". */
const char *report_text_colour(const struct screen *screen,
    enum verdict verdict);

/* Keeps the attempt if the record is its end, and it failed. */
void report_attempts_add(struct sink *sink, const struct record *record);

void report_attempts_free(struct sink *sink);

/* How a language writes text in which some characters have a meaning. */
struct escape {
	const char *special;		/* ASCII characters that have one */
	bool (*is_special)(uint32_t c); /* whether another one has; or NULL */
	bool commands; /* text_is_ci_command() tells special ones, too */
	void (*put)(FILE *file, uint32_t c); /* writes a special one */
};

void escape_put(FILE *file, const char *text, const struct escape *escape);

#endif
