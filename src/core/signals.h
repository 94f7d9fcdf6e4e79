/* SPDX-License-Identifier: MIT */

#ifndef SIGNALS_H
#define SIGNALS_H

#include <stdbool.h>

/* The size of a buffer for signal_name(). */
#define SIGNAL_NAME 24

/*
 * The first real-time signal by the kernel's count, which systemd and docker
 * share.  That of a libc may be later: musl keeps this one to itself.
 */
#define SIGNAL_RTMIN 34

/*
 * Reads a signal: a name with or without SIG in any case ("TERM", "sigusr1",
 * "RTMIN+3"), or its number.  Returns it, or -1.
 */
int signal_parse(const char *text);

/* "TERM"; NULL for a number without a name, as real-time signals are. */
const char *signal_abbreviation(int number);

/* "termination"; NULL for a number without a name. */
const char *signal_meaning(int number);

/* Writes a signal's name: "SIGTERM", "SIGRTMIN+3", "signal 77". */
const char *signal_name(int number, char name[SIGNAL_NAME]);

/* Whether the signal's default action ends a process. */
bool signal_is_deadly(int number);

/* Whether --signal may be it: a request to end, to some program. */
bool signal_may_ask(int number);

/*
 * Whether the signal ends the run if `retry` gets it, as --signal does.  Others
 * mean something to the command.
 */
bool signal_ends_run(int number);

#endif
