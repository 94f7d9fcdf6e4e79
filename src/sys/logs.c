#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/file.h"
#include "sys/logs.h"
#include "sys/state_file.h"
#include "sys/terminal.h"

/* $JOURNAL_STREAM is the device and the inode of the journal's socket. */
static bool
is_journal(int descriptor)
{
	const char *stream = getenv("JOURNAL_STREAM");
	struct stat status;
	char name[64];

	if (stream == NULL || fstat(descriptor, &status) == -1)
		return false;
	snprintf(name, sizeof(name), "%ju:%ju", (uintmax_t)status.st_dev,
	    (uintmax_t)status.st_ino);
	return strcmp(name, stream) == 0;
}

static bool
is_github(void)
{
	const char *value = getenv("GITHUB_ACTIONS");

	return value != NULL && strcmp(value, "true") == 0;
}

/*
 * A terminal is looked for only once it matters: at the first wait, or where
 * something else is likely.
 */
static void
settle_format(struct sink *sink)
{
	const int descriptor = fileno(sink->file);

	if (sink->format != report_format("auto"))
		return;
	if (is_journal(descriptor))
		sink->format = report_format("journal");
	else if (is_github() && !isatty(descriptor))
		sink->format = report_format("github");
	else
		sink->undecided = true;
}

/* What is wrong if one of the first `count` sinks, or an option, has it too. */
static const char *
find_same(const struct report *report, size_t count, const char *file,
    int descriptor)
{
	const char *state = report->options->state;
	const char *budget = report->options->budget;
	struct stat own, other;

	if (fstat(descriptor, &own) == -1)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const struct sink *sink = &report->sinks[i];

		if (sink->name != NULL &&
		    fstat(fileno(sink->file), &other) == 0 &&
		    file_is_same(&own, &other))
			return "is another log's file too";
	}
	if (state != NULL && state_file_uses(state, file))
		return "is the state's file too";
	if (budget != NULL && stat(budget, &other) == 0 &&
	    file_is_same(&own, &other))
		return "is the budget's file too";
	return NULL;
}

static _Noreturn void
refuse(const char *file, const char *problem)
{
	char safe[128];

	errx(STATUS_OWN_FAILURE, "--log: %s: %s",
	    text_safe(file, safe, sizeof(safe)), problem);
}

static void
open_sink(struct report *report, size_t index, const struct log *log)
{
	struct sink *sink = &report->sinks[index];

	*sink = (struct sink){ .format = log->format, .name = log->file };
	if (log->file == NULL) {
		sink->file = report->options->plan ? stdout : stderr;
		return;
	}
	const int file = file_open(log->file, O_WRONLY | O_APPEND | O_CREAT);
	if (file == -1)
		refuse(log->file, file_problem(errno));
	const char *same = find_same(report, index, log->file, file);
	if (same != NULL)
		refuse(log->file, same);
	sink->file = fdopen(file, "a");
	if (sink->file == NULL)
		refuse(log->file, strerror(errno));
}

void
logs_open(struct report *report, const struct options *options)
{
	const struct log by_default = { .format = report_format("auto") };
	const bool silent = options->plan && options->log_count == 0;
	const struct log *logs =
	    options->log_count > 0 ? options->logs : &by_default;
	const size_t count =
	    options->log_count > 0 || silent ? options->log_count : 1;

	*report = (struct report){ .options = options };
	setvbuf(stderr, NULL, _IOLBF, 0);
	report->sinks = reallocarray(NULL, count + 1, sizeof(*report->sinks));
	if (report->sinks == NULL)
		err(STATUS_OWN_FAILURE, "--log");
	for (; report->count < count; report->count++)
		open_sink(report, report->count, &logs[report->count]);
	for (size_t i = 0; i < count; i++)
		settle_format(&report->sinks[i]);
}

void
logs_begin(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct sink *sink = &report->sinks[i];

		if (sink->format->whole && sink->name != NULL &&
		    ftruncate(fileno(sink->file), 0) == -1 && errno != EINVAL)
			refuse(sink->name, strerror(errno));
	}
}

/*
 * In the background the terminal is not to be drawn on, and what is held shows
 * nothing now.
 */
static struct screen
look(int descriptor, const struct options *options)
{
	struct screen screen = terminal_look(descriptor);
	const pid_t foreground = screen.terminal ? tcgetpgrp(descriptor) : -1;

	if ((foreground != -1 && foreground != getpgrp()) ||
	    (descriptor == STDERR_FILENO && options->output == OUTPUT_CHRONIC))
		screen.width = 0;
	return screen;
}

double
logs_tick(struct report *report, const struct record *record)
{
	if (!record->waits)
		return INFINITY;
	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];
		const int descriptor =
		    sink->file == stderr ? STDERR_FILENO : fileno(sink->file);

		if (sink->undecided && isatty(descriptor))
			sink->format = report_format("tty");
		sink->undecided = false;
		if (sink->format->tick != NULL)
			sink->screen = look(descriptor, report->options);
	}
	return report_tick(report, record);
}
