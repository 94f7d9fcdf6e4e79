#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "cli/message.h"

struct report;
struct sink;

/* One row per format: to add one, add a row. */
struct format {
	const char *name;
	const char *doc;
	bool for_people;     /* --quiet silences it, apart from errors */
	bool has_priorities; /* each line begins with its priority */
	bool whole; /* one document, which replaces the file's content */
	void (*tell)(struct sink *sink, const struct report *report,
	    const struct record *record);

	/*
	 * Called before an attempt starts, and before its held output is shown;
	 * NULL if the format needs neither.
	 */
	void (*begin)(struct sink *sink, const struct report *report,
	    const struct record *record);

	/*
	 * For a format that draws during waits, else NULL: draws, and returns
	 * the seconds since the start of the run at which to draw again.
	 */
	double (*tick)(struct sink *sink, const struct report *report,
	    const struct record *record);
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

/* Where a format is written to. */
struct sink {
	const struct format *format;
	FILE *file;
	const char *name;   /* the file's; NULL: stdout or stderr */
	char *buffer;	    /* of the named file */
	bool failed;	    /* a write did, which was told */
	bool undecided;	    /* tty, if this turns out to be a terminal */
	bool replaced;	    /* a document replaces what its file held */
	bool has_output;    /* the attempts' output goes there too */
	uint64_t group;	    /* github: the last attempt that had a group */
	bool grouped;	    /* github: it is open */
	struct record last; /* text: the attempt's that ended last */
	double told;   /* text: when a failure was last told, not counted */
	uint64_t more; /* text: failures since, which are like it */
	struct screen screen;
	int drawn;    /* tty: the length of the status line, or 0 */
	void *memory; /* the format's own; freed at the end */
};

/* So many failed attempts are kept, and the others counted. */
#define FAILURES_KEPT 1000

/* What a sink keeps until the end of the run. */
struct failures {
	uint64_t count;
	size_t kept;
	struct record records[FAILURES_KEPT];
};

/* All that a run reports to. */
struct report {
	const struct options *options;
	struct sink *sinks;
	size_t count;
	long pid;     /* retry's own */
	bool *ragged; /* standard output ends in half a line; or NULL */
};

/* The sequence for text of this verdict, and the one after it, or "". */
const char *report_colour(const struct screen *screen, enum verdict verdict);
const char *report_colour_end(const struct screen *screen);

/* Tells all sinks; lines are written at once, except those of a plan. */
void report_tell(struct report *report, const struct record *record);

/* Tells the sinks that an attempt starts, or that held output goes out. */
void report_begin(struct report *report, const struct record *record);

/*
 * Keeps the record if an attempt failed.  Returns all that failed so far, or
 * NULL: none has, or there is no memory.
 */
const struct failures *report_remember(struct sink *sink,
    const struct record *record);

/*
 * Draws the status line of a wait; returns the seconds since the run began
 * at which there is more to draw, or INFINITY.
 */
double report_tick(struct report *report, const struct record *record);

/* Removes the drawing, before anything else may be written. */
void report_hide(struct report *report);

/* Closes the files, except stdout and stderr. */
void report_close(struct report *report);

/*
 * What GitHub's runner reads beside the log, each from the file that the
 * variable of this name has.  Ends with a NULL name.
 */
#define GITHUB_FILES 2
extern const struct format report_github_files[GITHUB_FILES + 1];

/* The formats that have a file of their own, or are a part of another. */
double report_tty_tick(struct sink *sink, const struct report *report,
    const struct record *record);
void report_tty_hide(struct sink *sink);
void report_text(struct sink *sink, const struct report *report,
    const struct record *record);

/* Tells of the failures that were counted: "... and 28 more like it". */
void report_more(struct sink *sink, const struct report *report);
void report_github(struct sink *sink, const struct report *report,
    const struct record *record);
void report_github_begin(struct sink *sink, const struct report *report,
    const struct record *record);
void report_junit(struct sink *sink, const struct report *report,
    const struct record *record);
void report_json(struct sink *sink, const struct report *report,
    const struct record *record);

#endif
