#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/environment.h"

static const char *const own_names[] = {
	"RETRY_ATTEMPT",
	"RETRY_ATTEMPTS",
	"RETRY_ELAPSED",
	"RETRY_LAST",
	"RETRY_LAST_STATUS",
	"RETRY_DELAY",
	"RETRY_FINAL",
	"RETRY_CONTROL",
};

/* "NAME=value": the value, if the name is this one; else NULL. */
static const char *
value_of(const char *entry, const char *name)
{
	const size_t length = strlen(name);

	if (strncmp(entry, name, length) != 0 || entry[length] != '=')
		return NULL;
	return entry + length + 1;
}

static bool
is_own(const char *entry)
{
	if (strncmp(entry, "RETRY_", 6) != 0)
		return false;
	for (size_t i = 0; i < sizeof(own_names) / sizeof(own_names[0]); i++)
		if (value_of(entry, own_names[i]) != NULL)
			return true;
	return false;
}

/* systemd gave it to the process of this pid: `retry`. */
static bool
names_pid(const char *name, pid_t pid)
{
	const char *value = getenv(name);
	char digits[ENVIRONMENT_TEXT];

	if (value == NULL)
		return false;
	snprintf(digits, sizeof(digits), "%ld", (long)pid);
	return strcmp(value, digits) == 0;
}

int
environment_init(struct environment *environment, pid_t pid)
{
	const bool listens = names_pid("LISTEN_PID", pid);
	const bool watched = names_pid("WATCHDOG_PID", pid);
	size_t count = 0;

	*environment = (struct environment){ .inherited = 0 };
	while (environ[count] != NULL)
		count++;
	char **list =
	    reallocarray(NULL, count + ENVIRONMENT_OWN + 1, sizeof(*list));
	if (list == NULL)
		return -1;
	environment->list = list;
	for (char **entry = environ; *entry != NULL; entry++) {
		if (is_own(*entry) ||
		    (listens && value_of(*entry, "LISTEN_PIDFDID") != NULL))
			continue;
		if (listens && value_of(*entry, "LISTEN_PID") != NULL)
			*list++ = environment->listen;
		else if (watched && value_of(*entry, "WATCHDOG_PID") != NULL)
			*list++ = environment->watchdog;
		else
			*list++ = *entry;
	}
	environment->inherited = (size_t)(list - environment->list);
	return 0;
}

void
environment_free(struct environment *environment)
{
	free(environment->list);
	environment->list = NULL;
}

static void __attribute__((format(printf, 3, 4)))
add(struct environment *environment, int *used, const char *format, ...)
{
	char *text = environment->own[*used];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, ENVIRONMENT_TEXT, format, arguments);
	va_end(arguments);
	environment->list[environment->inherited + (size_t)(*used)++] = text;
}

void
environment_set(struct environment *environment, const struct record *record)
{
	const struct outcome last = record->outcome;
	int used = 0;

	add(environment, &used, "RETRY_ATTEMPT=%" PRIu64, record->attempt);
	add(environment, &used, "RETRY_ATTEMPTS=%" PRIu64, record->limit);
	add(environment, &used, "RETRY_ELAPSED=%.3f", record->elapsed);
	if (last.kind != OUTCOME_NONE)
		add(environment, &used, "RETRY_LAST=%s",
		    outcome_name(last.kind));
	if (last.kind != OUTCOME_NONE && last.kind != OUTCOME_TIMEOUT)
		add(environment, &used, "RETRY_LAST_STATUS=%d", last.code);
	if (record->just_waited >= 0)
		add(environment, &used, "RETRY_DELAY=%.3f",
		    record->just_waited);
	if (record->final)
		add(environment, &used, "RETRY_FINAL=1");
	if (environment->control != NULL)
		add(environment, &used, "RETRY_CONTROL=%s",
		    environment->control);
	environment->list[environment->inherited + (size_t)used] = NULL;
}

void
environment_set_pid(struct environment *environment, pid_t pid)
{
	snprintf(environment->listen, ENVIRONMENT_TEXT, "LISTEN_PID=%ld",
	    (long)pid);
	snprintf(environment->watchdog, ENVIRONMENT_TEXT, "WATCHDOG_PID=%ld",
	    (long)pid);
}
