/* SPDX-License-Identifier: MIT */

#ifndef LOGS_H
#define LOGS_H

#include "options/options.h"

/*
 * Opens the logs that the options name, and finds out what `auto` means; what
 * cannot be opened ends the program.  A log without a file is written to
 * stderr, a plan's to stdout.  A plan without one has no log.  The files that a
 * plan's documents replace are emptied once all are open, those of a run when
 * the run has a document to write.
 */
void logs_open(struct report *report, const struct options *options);

struct output;

/*
 * Writes the record to all logs, once it is known which of them are terminals.
 * If the attempts' output ended in the middle of a line, that line is ended
 * first.
 */
void logs_tell(struct report *report, struct output *output,
    const struct record *record);

/* To be called before an attempt starts or held output goes out. */
void logs_begin_output(struct report *report, struct output *output,
    const struct record *record);

/*
 * Writes what is due, and draws the status line of a wait on each log that is a
 * terminal.  Returns when there is more to write or draw, in seconds since the
 * run began, or INFINITY.
 */
double logs_tick(struct report *report, struct output *output,
    const struct record *record);

/* Writes a line for people, after a label such as "health check: ". */
void logs_note(struct report *report, struct output *output, const char *label,
    const char *line);

/* Removes the status line, before anything else may be written. */
void logs_hide(struct report *report, struct output *output);

/* The line is refused: removes the files that were made for logs. */
void logs_remove(const struct report *report);

/* Writes what is left of all logs, and closes them. */
void logs_close(struct report *report);

#endif
