/* SPDX-License-Identifier: MIT */

#ifndef END_H
#define END_H

#include "record.h"

/* Each sets reason, status, death and ended_by of a struct end. */

/*
 * As the last attempt ended.  With SIGNAL the attempt is not judged: if it
 * exited 0, so does the run.
 */
struct end end_as_last(const struct record *record, enum reason reason);

/*
 * --max-time ended the attempt, its check or its gate, or left no time for any
 * of them.
 */
struct end end_cut_short(const struct record *record);

/* The run dies of the signal itself, whatever its attempts returned. */
struct end end_by_signal(int signal);

/* `retry` itself failed, and dies of this signal, if it is not 0. */
struct end end_by_error(int death);

#endif
