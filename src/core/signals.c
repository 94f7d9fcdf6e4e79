/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "signals.h"

/* Signals without a fixed name are real-time signals, or unused. */
static const struct {
	const char *name;
	const char *doc;
} names[] = {
	[SIGHUP] = { "HUP", "terminal closed, or reload" },
	[SIGINT] = { "INT", "interrupt, as by ^C" },
	[SIGQUIT] = { "QUIT", "quit with a core dump" },
	[SIGILL] = { "ILL", "illegal instruction" },
	[SIGTRAP] = { "TRAP", "trace trap" },
	[SIGABRT] = { "ABRT", "abort(3)" },
	[SIGBUS] = { "BUS", "bad memory access" },
	[SIGFPE] = { "FPE", "arithmetic error" },
	[SIGKILL] = { "KILL", "kill, which nothing can catch" },
	[SIGUSR1] = { "USR1", "the program's own" },
	[SIGSEGV] = { "SEGV", "invalid memory reference" },
	[SIGUSR2] = { "USR2", "the program's own" },
	[SIGPIPE] = { "PIPE", "write to a pipe without a reader" },
	[SIGALRM] = { "ALRM", "timer of alarm(2)" },
	[SIGTERM] = { "TERM", "termination" },
	[SIGSTKFLT] = { "STKFLT", "unused" },
	[SIGCHLD] = { "CHLD", "a child stopped or ended" },
	[SIGCONT] = { "CONT", "continue if stopped" },
	[SIGSTOP] = { "STOP", "stop, which nothing can catch" },
	[SIGTSTP] = { "TSTP", "stop from the terminal, as by ^Z" },
	[SIGTTIN] = { "TTIN", "terminal read from the background" },
	[SIGTTOU] = { "TTOU", "terminal write from the background" },
	[SIGURG] = { "URG", "urgent data on a socket" },
	[SIGXCPU] = { "XCPU", "CPU time limit exceeded" },
	[SIGXFSZ] = { "XFSZ", "file size limit exceeded" },
	[SIGVTALRM] = { "VTALRM", "virtual timer expired" },
	[SIGPROF] = { "PROF", "profiling timer expired" },
	[SIGWINCH] = { "WINCH", "window size changed" },
	[SIGPOLL] = { "POLL", "I/O is possible" },
	[SIGPWR] = { "PWR", "power failure" },
	[SIGSYS] = { "SYS", "bad system call" },
};

/* Other names that signal(7) lists. */
static const struct {
	const char *name;
	int number;
} aliases[] = {
	{ "CLD", SIGCHLD },
	{ "IO", SIGPOLL },
	{ "IOT", SIGABRT },
};

const char *
signal_abbreviation(int number)
{
	const int count = sizeof(names) / sizeof(names[0]);

	return number > 0 && number < count ? names[number].name : NULL;
}

const char *
signal_meaning(int number)
{
	return signal_abbreviation(number) == NULL ? NULL : names[number].doc;
}

/* "RTMIN", "RTMIN+n", "RTMAX", "RTMAX-n"; -1 for any other text. */
static int
parse_realtime(const char *text)
{
	const bool from_end = strncasecmp(text, "RTMAX", 5) == 0;
	const char *problem;
	int offset;

	if (!from_end && strncasecmp(text, "RTMIN", 5) != 0)
		return -1;
	text += 5;
	if (*text == '\0')
		return from_end ? SIGRTMAX : SIGRTMIN;
	if (*text != (from_end ? '-' : '+') || !isdigit((unsigned char)text[1]))
		return -1;
	offset = (int)strtonum(text + 1, 0, SIGRTMAX - SIGRTMIN, &problem);
	if (problem != NULL)
		return -1;
	return from_end ? SIGRTMAX - offset : SIGRTMIN + offset;
}

int
signal_parse(const char *text)
{
	const char *problem;

	if (isdigit((unsigned char)*text)) {
		const int number = (int)strtonum(text, 1, SIGRTMAX, &problem);

		return problem == NULL ? number : -1;
	}
	if (strncasecmp(text, "SIG", 3) == 0)
		text += 3;
	for (int number = 1; number < SIGRTMIN; number++) {
		const char *name = signal_abbreviation(number);

		if (name != NULL && strcasecmp(name, text) == 0)
			return number;
	}
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcasecmp(aliases[i].name, text) == 0)
			return aliases[i].number;
	return parse_realtime(text);
}

const char *
signal_name(int number, char name[SIGNAL_NAME])
{
	const char *known = signal_abbreviation(number);

	if (known != NULL)
		snprintf(name, SIGNAL_NAME, "SIG%s", known);
	else if (number == SIGRTMIN)
		snprintf(name, SIGNAL_NAME, "SIGRTMIN");
	else if (number > SIGRTMIN && number <= SIGRTMAX)
		snprintf(name, SIGNAL_NAME, "SIGRTMIN+%d", number - SIGRTMIN);
	else
		snprintf(name, SIGNAL_NAME, "signal %d", number);
	return name;
}

bool
signal_is_deadly(int number)
{
	switch (number) {
	case SIGCHLD:
	case SIGCONT:
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
	case SIGURG:
	case SIGWINCH:
		return false;
	}
	return true;
}

bool
signal_ends_run(int number)
{
	return signal_is_deadly(number) && number != SIGUSR1 &&
	    number != SIGUSR2 && number < SIGRTMIN;
}
