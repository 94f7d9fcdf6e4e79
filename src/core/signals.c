#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "signals.h"

/* Those that have no fixed name are real-time signals, or unused. */
static const char *const names[] = {
	[SIGHUP] = "HUP",
	[SIGINT] = "INT",
	[SIGQUIT] = "QUIT",
	[SIGILL] = "ILL",
	[SIGTRAP] = "TRAP",
	[SIGABRT] = "ABRT",
	[SIGBUS] = "BUS",
	[SIGFPE] = "FPE",
	[SIGKILL] = "KILL",
	[SIGUSR1] = "USR1",
	[SIGSEGV] = "SEGV",
	[SIGUSR2] = "USR2",
	[SIGPIPE] = "PIPE",
	[SIGALRM] = "ALRM",
	[SIGTERM] = "TERM",
	[SIGSTKFLT] = "STKFLT",
	[SIGCHLD] = "CHLD",
	[SIGCONT] = "CONT",
	[SIGSTOP] = "STOP",
	[SIGTSTP] = "TSTP",
	[SIGTTIN] = "TTIN",
	[SIGTTOU] = "TTOU",
	[SIGURG] = "URG",
	[SIGXCPU] = "XCPU",
	[SIGXFSZ] = "XFSZ",
	[SIGVTALRM] = "VTALRM",
	[SIGPROF] = "PROF",
	[SIGWINCH] = "WINCH",
	[SIGPOLL] = "POLL",
	[SIGPWR] = "PWR",
	[SIGSYS] = "SYS",
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

	return number > 0 && number < count ? names[number] : NULL;
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
