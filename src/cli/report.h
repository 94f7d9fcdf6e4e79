#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"
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
	double user, system; /* OUTCOME: processor time in seconds */
	int signal;	     /* SIGNAL: received */
	bool forwarded;	     /* SIGNAL */
};

struct report;
struct sink;

/* One row a format: nothing else in the source names it. */
struct format {
	const char *name;
	const char *doc;
	bool for_people; /* --quiet silences it */
	void (*tell)(struct sink *sink, const struct report *report,
	    const struct news *news);
};

/* Ends with a NULL name. */
extern const struct format formats[];

/* Where a format is written to. */
struct sink {
	const struct format *format;
	FILE *file;
	bool failed; /* a write did; that was told */
};

struct report {
	const struct options *options;
	const struct engine *engine;
	struct sink *sinks;
	size_t count;
};

/*
 * Opens the logs that the options name.  Returns 0, or -1 with errno set and
 * *file the one that cannot be opened.
 */
int report_open(struct report *report, const struct options *options,
    const struct engine *engine, const char **file);

void report_close(struct report *report);

/* Tells all sinks. */
void report_tell(struct report *report, const struct news *news);

/*
 * Tells what a step of the engine brought (an outcome, a wait, the end); the
 * news hold the time and, for an outcome, what the processor was used for.
 */
void report_step(struct report *report, struct action action, struct news news);

#endif
