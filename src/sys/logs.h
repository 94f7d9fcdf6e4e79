#ifndef LOGS_H
#define LOGS_H

#include "cli/report.h"

/*
 * Opens the logs that the options name, and finds out what `auto` means; what
 * cannot be opened ends the program.  A log without a file is written to
 * stderr, a plan's to stdout.  A plan without one has no log.
 */
void logs_open(struct report *report, const struct options *options);

/* Empties the files that a document replaces, once all else is open. */
void logs_begin(const struct report *report);

/* What this descriptor can show; 80 columns if its width is unknown. */
struct screen logs_screen(int descriptor);

/* Tells all logs, once it is known which of them are terminals. */
void logs_tell(struct report *report, const struct record *record);

/*
 * Draws the status line of a wait on each log that is a terminal.  Returns the
 * seconds since the start of the run at which there is more to draw, or
 * INFINITY.
 */
double logs_tick(struct report *report, const struct record *record);

#endif
