/* SPDX-License-Identifier: MIT */

#ifndef SINK_H
#define SINK_H

#include "report/report.h"
#include "sys/messages.h"
#include "sys/output.h"

/*
 * Writes what a format has written to the sink's memory, without waiting for
 * the reader of a log.  If it begins a line, the line that the attempts' output
 * or another program has begun is ended first.
 */
void sink_flush(struct sink *sink, struct output *output, bool begins_line);

/* Waits for a moment for the reader of half a line. */
void sink_finish(struct sink *sink, struct messages *messages);

/* Says once per log that it cannot be written, which changes nothing else. */
void sink_complain(struct sink *sink, struct messages *messages, int error);

/* Looks how the sink's descriptor can be written to without waiting. */
void sink_begin(struct sink *sink);

/*
 * Writes as many of the bytes as there is room for now.  Returns how many are
 * left, with errno set.
 */
size_t sink_write(const struct sink *sink, const char *bytes, size_t size);

/* Keeps the end of a line, which comes before all else, in place of another. */
void sink_keep(struct sink *sink, const char *bytes, size_t size);

#endif
