#ifndef PHRASE_H
#define PHRASE_H

#include <stddef.h>

#include "core/engine.h"

/* Room for a phrase, and for the longest one. */
#define PHRASE 128
#define PHRASE_END (3 * PHRASE)

/* duration_text(), with the room for a phrase. */
const char *phrase_seconds(double seconds, char text[PHRASE]);

/* How an outcome reads: "exited 7", "died of SIGKILL", "timed out". */
const char *phrase_outcome(struct outcome outcome, char text[PHRASE]);

/*
 * What made a retry of an attempt whose outcome alone does not tell that it
 * failed: " (check)"; else "".
 */
const char *phrase_rule(struct judgement judgement, char text[PHRASE]);

/* The last attempt and the limit: "attempt 2/5", "attempt 7 (2/5 used)". */
const char *phrase_attempt(const struct engine *engine, char text[PHRASE]);

/* How the run ended: "giving up after 5 attempts in 31s: exited 7". */
const char *phrase_end(const struct engine *engine, double elapsed,
    char text[PHRASE_END]);

#endif
