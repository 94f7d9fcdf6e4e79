#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"
#include "cli/phrase.h"
#include "cli/screen.h"
#include "core/engine.h"

/* What there is to tell of a run, in the order in which it happens. */
enum news_kind {
	NEWS_START,
	NEWS_ATTEMPT,
	NEWS_OUTCOME,
	NEWS_WAIT,
	NEWS_SIGNAL,
	NEWS_END
};

/* What the engine does not know; the rest is read off it. */
struct news {
	enum news_kind kind;
	double time;	     /* seconds since 1970; in a plan since the start */
	double elapsed;	     /* seconds since the start */
	long pid;	     /* ATTEMPT; 0 in a plan */
	double user, system; /* OUTCOME: processor time in seconds, or NAN */
	int signal;	     /* SIGNAL: received */
	bool forwarded;	     /* SIGNAL */
};

struct report;
struct sink;

/* One row a format: nothing else in the source names it. */
struct format {
	const char *name;
	const char *doc;
	bool for_people; /* --quiet silences it, errors apart */
	bool whole;	 /* one document, which replaces what the file held */
	void (*tell)(struct sink *sink, const struct report *report,
	    const struct news *news);

	/* For a format that draws during waits; else NULL. */
	double (
	    *tick)(struct sink *sink, const struct report *report, double now);
	void (*hide)(struct sink *sink);
};

/* Ends with a NULL name. */
extern const struct format formats[];

/* The row of this name, or NULL. */
const struct format *report_format(const char *name);

/* Where a format is written to. */
struct sink {
	const struct format *format;
	FILE *file;
	const char *name; /* the file's */
	bool failed;	  /* a write did; that was told */
	bool undecided;	  /* tty, should this be a terminal */
	bool grouped;	  /* github: a group is open */
	struct screen screen;
	int drawn;    /* tty: the status line's length, or 0 */
	void *memory; /* of the format's own; freed in the end */
};

struct report {
	const struct options *options;
	const struct engine *engine;
	struct sink *sinks;
	size_t count;
	long pid; /* `retry`'s own */
};

/* Closes the files, but for stdout and stderr. */
void report_close(struct report *report);

/* Tells all sinks; each line is written at once, but for a plan's. */
void report_tell(struct report *report, const struct news *news);

/*
 * Tells what a step of the engine brought (an outcome, a wait, the end); the
 * news hold the time and, for an outcome, what the processor was used for.
 */
void report_step(struct report *report, struct action action, struct news news);

/*
 * Draws what is due in a wait, and returns when there will be more to draw;
 * INFINITY for never.
 */
double report_tick(struct report *report, double now);

/* Removes what was drawn; to be called before anything else may be written. */
void report_hide(struct report *report);

/* Priorities of sd-daemon(3). */
enum priority { PRIORITY_ERROR = 3, PRIORITY_WARNING = 4, PRIORITY_INFO = 6 };

/* A line for people, without its end and without "retry: ". */
struct line {
	enum priority priority;
	char text[PHRASE_END + PHRASE]; /* "" where there is nothing to say */
};

void report_line(const struct report *report, const struct news *news,
    struct line *line);

/*
 * Where the run stands after an action, in one line that names the command;
 * false where the action changes nothing of that.
 */
bool report_status(const struct report *report, const struct action *action,
    double elapsed, struct line *line);

/* The formats that need a file of their own; told as `tell` above is. */
void report_text(struct sink *sink, const struct report *report,
    const struct news *news);
void report_journal(struct sink *sink, const struct report *report,
    const struct news *news);
void report_tty(struct sink *sink, const struct report *report,
    const struct news *news);
double report_tty_tick(struct sink *sink, const struct report *report,
    double now);
void report_tty_hide(struct sink *sink);
void report_junit(struct sink *sink, const struct report *report,
    const struct news *news);
void report_github(struct sink *sink, const struct report *report,
    const struct news *news);
void report_json(struct sink *sink, const struct report *report,
    const struct news *news);

#endif
