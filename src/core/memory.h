#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "backoff.h"
#include "engine.h"

/* Room for the text of a strategy and its parameters. */
#define MEMORY_STRATEGY 128

/* Room for what is remembered, as text. */
#define MEMORY_TEXT 512

/* The backoff, from one run to the next. */
struct memory {
	char strategy[MEMORY_STRATEGY]; /* of which the rest is */
	struct level level;
	uint64_t n;	   /* the number of the last retry's delay */
	uint64_t failures; /* in a row */
	double delay;	   /* seconds that the next attempt was put off by */
	double next;	   /* the earliest time for it, seconds since 1970 */
};

/* What a run remembers that had none before it. */
struct memory memory_none(const struct backoff *backoff);

/* It is of this strategy, with these parameters. */
bool memory_is_of(const struct memory *memory, const struct backoff *backoff);

/*
 * How long the first attempt must wait at this time, in seconds since 1970.
 * Never longer than the delay that was recorded, wherever the clock was set.
 */
double memory_wait(const struct memory *memory, double time);

/*
 * What the engine's last step, at this time, is to later runs.  True if it is
 * to be kept: a success, or the end of a run that gave up.  A stop and a signal
 * leave what was kept before.
 */
bool memory_note(struct memory *memory, const struct engine *engine,
    const struct action *action, double time);

/* Writes it as a few lines with a version and a checksum. */
void memory_format(const struct memory *memory, char text[MEMORY_TEXT]);

/* Reads it again.  Returns NULL, or what is wrong with the text. */
const char *memory_parse(const char *text, struct memory *memory);

/* The text, which cannot be read, is whole but of a later version. */
bool memory_is_newer(const char *text);

#endif
