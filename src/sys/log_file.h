/* SPDX-License-Identifier: MIT */

#ifndef LOG_FILE_H
#define LOG_FILE_H

#include "report/report.h"
#include "sys/messages.h"
#include "sys/output.h"

/*
 * Writes what a format has written to the sink's memory, without waiting for
 * the reader of a log.  If it begins a line, the line that the attempts' output
 * or another program has begun is ended first.
 */
void log_file_flush(struct sink *sink, struct output *output, bool begins_line);

/* Waits for a moment for the reader of half a line. */
void log_file_finish(struct sink *sink, struct messages *messages);

/* Says once per log that it cannot be written, which changes nothing else. */
void log_file_complain(struct sink *sink, struct messages *messages, int error);

#endif
