/* SPDX-License-Identifier: MIT */

#ifndef SINK_H
#define SINK_H

#include "report/report.h"
#include "sys/output.h"

/*
 * Writes what a format has written to the sink's memory, without waiting for
 * the reader of a log.  If it begins a line, the line that the attempts' output
 * or another program has begun is ended first.
 */
void sink_flush(struct sink *sink, struct output *output, bool begins_line);

/* Waits for a moment for the reader of half a line. */
void sink_finish(struct sink *sink);

/* Says once per log that it cannot be written, which changes nothing else. */
void sink_complain(struct sink *sink, int error);

#endif
