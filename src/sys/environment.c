#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/environment.h"

/* How many variables `retry` sets, and room for one of them. */
#define VARIABLES 8
#define ENTRY 128

/*
 * Writes a variable to its entry, which environ then points to.  The run that
 * `retry` is an attempt of may have exported the variable too.
 */
static int __attribute__((format(printf, 4, 5))) set(char entry[ENTRY],
    const char *name, bool has_value, const char *format, ...)
{
	va_list arguments;

	unsetenv(name);
	if (!has_value)
		return 0;
	const int length = snprintf(entry, ENTRY, "%s=", name);
	va_start(arguments, format);
	vsnprintf(entry + length, (size_t)(ENTRY - length), format, arguments);
	va_end(arguments);
	return putenv(entry) == 0 ? 0 : -1;
}

int
environment_set(const struct record *record, const char *control)
{
	/* As lasting as environ; setenv(3) would never free an old value. */
	static char entries[VARIABLES][ENTRY];
	const struct outcome last = record->outcome;
	const bool ended = last.kind != OUTCOME_NONE;
	int result = 0;

	result |=
	    set(entries[0], "RETRY_ATTEMPT", true, "%" PRIu64, record->attempt);
	result |=
	    set(entries[1], "RETRY_ATTEMPTS", true, "%" PRIu64, record->limit);
	result |=
	    set(entries[2], "RETRY_ELAPSED", true, "%.3f", record->elapsed);
	result |=
	    set(entries[3], "RETRY_LAST", ended, "%s", outcome_name(last.kind));
	result |= set(entries[4], "RETRY_LAST_STATUS",
	    ended && last.kind != OUTCOME_TIMEOUT, "%d", last.code);
	result |= set(entries[5], "RETRY_DELAY", record->just_waited >= 0,
	    "%.3f", record->just_waited);
	result |= set(entries[6], "RETRY_FINAL", record->final, "1");
	result |= set(entries[7], "RETRY_CONTROL", control != NULL, "%s",
	    control != NULL ? control : "");
	return result;
}

/* Whether systemd gave the variable to the process of this pid. */
static bool
has_pid(const char *name, pid_t pid)
{
	const char *value = getenv(name);
	char digits[ENTRY];

	if (value == NULL)
		return false;
	snprintf(digits, sizeof(digits), "%ld", (long)pid);
	return strcmp(value, digits) == 0;
}

/* Returns 0, or -1 with errno set. */
static int
set_own_pid(const char *name)
{
	char digits[ENTRY];

	snprintf(digits, sizeof(digits), "%ld", (long)getpid());
	return setenv(name, digits, 1);
}

int
environment_set_pid(pid_t retry)
{
	if (has_pid("WATCHDOG_PID", retry) && set_own_pid("WATCHDOG_PID") == -1)
		return -1;
	if (!has_pid("LISTEN_PID", retry))
		return 0;
	unsetenv("LISTEN_PIDFDID");
	return set_own_pid("LISTEN_PID");
}
