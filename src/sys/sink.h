/* SPDX-License-Identifier: MIT */

#ifndef SINK_H
#define SINK_H

#include "report/report.h"

/* Writes to a sink's descriptor without waiting for its reader. */

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
