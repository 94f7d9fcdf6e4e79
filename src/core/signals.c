/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "signals.h"

/* What a signal does, to a process by default and to a run of `retry`. */
enum effect {
	DEADLY,	  /* ends a process, and is passed on to an attempt */
	ENDS_RUN, /* ends a process, and the run */
	HARMLESS, /* is passed on, and a program may take it for a request to
		     end */
	CONTROLS  /* stops, continues or informs: cannot ask for an end */
};

/* Signals without a fixed name are real-time signals, or unused. */
static const struct {
	const char *name;
	const char *doc;
	enum effect effect;
} names[] = {
	[SIGHUP] = { "HUP", "terminal closed, or reload", ENDS_RUN },
	[SIGINT] = { "INT", "interrupt, as by ^C", ENDS_RUN },
	[SIGQUIT] = { "QUIT", "quit with a core dump", ENDS_RUN },
	[SIGILL] = { "ILL", "illegal instruction", DEADLY },
	[SIGTRAP] = { "TRAP", "trace trap", DEADLY },
	[SIGABRT] = { "ABRT", "abort(3)", ENDS_RUN },
	[SIGBUS] = { "BUS", "bad memory access", DEADLY },
	[SIGFPE] = { "FPE", "arithmetic error", DEADLY },
	[SIGKILL] = { "KILL", "kill, which nothing can catch", DEADLY },
	[SIGUSR1] = { "USR1", "the program's own", DEADLY },
	[SIGSEGV] = { "SEGV", "invalid memory reference", DEADLY },
	[SIGUSR2] = { "USR2", "the program's own", DEADLY },
	[SIGPIPE] = { "PIPE", "write to a pipe without a reader", DEADLY },
	[SIGALRM] = { "ALRM", "timer of alarm(2)", DEADLY },
	[SIGTERM] = { "TERM", "termination", ENDS_RUN },
	[SIGSTKFLT] = { "STKFLT", "unused", DEADLY },
	[SIGCHLD] = { "CHLD", "a child stopped or ended", CONTROLS },
	[SIGCONT] = { "CONT", "continue if stopped", CONTROLS },
	[SIGSTOP] = { "STOP", "stop, which nothing can catch", CONTROLS },
	[SIGTSTP] = { "TSTP", "stop from the terminal, as by ^Z", CONTROLS },
	[SIGTTIN] = { "TTIN", "terminal read from the background", CONTROLS },
	[SIGTTOU] = { "TTOU", "terminal write from the background", CONTROLS },
	[SIGURG] = { "URG", "urgent data on a socket", CONTROLS },
	[SIGXCPU] = { "XCPU", "CPU time limit exceeded", DEADLY },
	[SIGXFSZ] = { "XFSZ", "file size limit exceeded", DEADLY },
	[SIGVTALRM] = { "VTALRM", "virtual timer expired", DEADLY },
	[SIGPROF] = { "PROF", "profiling timer expired", DEADLY },
	[SIGWINCH] = { "WINCH", "window size changed", HARMLESS },
	[SIGPOLL] = { "POLL", "I/O is possible", DEADLY },
	[SIGPWR] = { "PWR", "power failure", DEADLY },
	[SIGSYS] = { "SYS", "bad system call", DEADLY },
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
		return from_end ? SIGRTMAX : SIGNAL_RTMIN;
	if (*text != (from_end ? '-' : '+') || !isdigit((unsigned char)text[1]))
		return -1;
	offset = (int)strtonum(text + 1, 0, SIGRTMAX - SIGNAL_RTMIN, &problem);
	if (problem != NULL)
		return -1;
	return from_end ? SIGRTMAX - offset : SIGNAL_RTMIN + offset;
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
	for (int number = 1; number < SIGNAL_RTMIN; number++) {
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
	else if (number == SIGNAL_RTMIN)
		snprintf(name, SIGNAL_NAME, "SIGRTMIN");
	else if (number > SIGNAL_RTMIN && number <= SIGRTMAX)
		snprintf(name, SIGNAL_NAME, "SIGRTMIN+%d",
		    number - SIGNAL_RTMIN);
	else
		snprintf(name, SIGNAL_NAME, "signal %d", number);
	return name;
}

static enum effect
effect_of(int number)
{
	return signal_abbreviation(number) == NULL ? DEADLY
						   : names[number].effect;
}

bool
signal_is_deadly(int number)
{
	const enum effect effect = effect_of(number);

	return effect == DEADLY || effect == ENDS_RUN;
}

bool
signal_may_ask(int number)
{
	return effect_of(number) != CONTROLS;
}

bool
signal_ends_run(int number)
{
	return effect_of(number) == ENDS_RUN;
}
