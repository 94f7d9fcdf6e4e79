#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/file.h"
#include "sys/logs.h"
#include "sys/state_file.h"

#define DEFAULT_WIDTH 80
#define WIDEST 1000

/* A line up to this long is written at once: other runs may share the file. */
#define LOG_LINE_MOST (1 << 18)

/* Finds out what `auto` means; look() finds out if it is a terminal. */
static void
settle_format(struct sink *sink)
{
	const char *journal = getenv("JOURNAL_STREAM");
	const char *github = getenv("GITHUB_ACTIONS");
	const int descriptor = fileno(sink->file);
	struct stat status;
	char socket[64];

	if (sink->format != report_format("auto"))
		return;

	/* systemd gives the device and the inode of the journal's socket. */
	if (journal != NULL && fstat(descriptor, &status) == 0) {
		snprintf(socket, sizeof(socket), "%ju:%ju",
		    (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
		if (strcmp(journal, socket) == 0) {
			sink->format = report_format("journal");
			return;
		}
	}
	if (github != NULL && strcmp(github, "true") == 0 &&
	    !isatty(descriptor))
		sink->format = report_format("github");
	else
		sink->undecided = true;
}

/* Returns NULL, or which other log or option has the file too. */
static const char *
find_same(const struct report *report, const char *file, int descriptor)
{
	const char *state = report->options->state;
	const char *budget = report->options->budget;
	struct stat own, other;

	if (fstat(descriptor, &own) == -1)
		return NULL;
	for (size_t i = 0; i < report->count; i++) {
		const struct sink *sink = &report->sinks[i];

		if (sink->name != NULL &&
		    fstat(fileno(sink->file), &other) == 0 &&
		    file_is_same(&own, &other))
			return "is also the file of another log";
	}
	if (state != NULL && state_file_uses(state, file))
		return "is also the file of the state";
	if (budget != NULL && stat(budget, &other) == 0 &&
	    file_is_same(&own, &other))
		return "is also the file of the budget";
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
open_sink(const struct report *report, struct sink *sink, const struct log *log)
{
	const char *problem;
	int inherited;

	*sink = (struct sink){ .format = log->format, .name = log->file };
	if (log->file == NULL) {
		sink->file = report->options->plan ? stdout : stderr;
		return;
	}
	problem = file_descriptor(log->file, &inherited);
	if (problem != NULL)
		refuse(log->file, problem);
	const int file = inherited == -1
	    ? file_open(log->file, O_WRONLY | O_APPEND | O_CREAT)
	    : file_share(inherited);
	if (file == -1)
		refuse(log->file, file_problem(errno));
	const char *same = find_same(report, log->file, file);
	if (same != NULL)
		refuse(log->file, same);
	if (inherited == STDERR_FILENO ||
	    (inherited == STDOUT_FILENO && report->options->plan)) {
		/* Others write there too, through the one buffer there is. */
		close(file);
		sink->file = inherited == STDERR_FILENO ? stderr : stdout;
		sink->name = NULL;
		return;
	}
	sink->replaced = sink->format->whole && inherited == -1;
	file_widen_pipe(file);
	sink->file = fdopen(file, "w");
	sink->buffer = malloc(LOG_LINE_MOST);
	if (sink->file == NULL || sink->buffer == NULL)
		refuse(log->file, strerror(errno));
	setvbuf(sink->file, sink->buffer, _IOFBF, LOG_LINE_MOST);
}

/* What GitHub's runner reads beside a log; without it the run is the same. */
static void
open_github_files(struct report *report)
{
	for (const struct format *row = report_github_files; row->name != NULL;
	     row++) {
		const char *name = getenv(row->name);
		char safe[128];

		if (name == NULL || *name == '\0')
			continue;
		const int file = file_open(name, O_WRONLY | O_APPEND | O_CREAT);
		if (file == -1) {
			warnx("%s: %s: %s", row->name,
			    text_safe(name, safe, sizeof(safe)),
			    file_problem(errno));
			continue;
		}
		report->sinks[report->count] = (struct sink){ .format = row,
			.name = name,
			.file = fdopen(file, "w") };
		if (report->sinks[report->count].file == NULL)
			err(STATUS_OWN_FAILURE, "%s", row->name);
		report->count++;
	}
}

/* Whether the sink's file is standard output too. */
static bool
has_output(const struct sink *sink)
{
	struct stat own, output;

	return fstat(fileno(sink->file), &own) == 0 &&
	    fstat(STDOUT_FILENO, &output) == 0 && file_is_same(&own, &output);
}

void
logs_open(struct report *report, const struct options *options)
{
	const struct log by_default = { .format = report_format("auto") };
	const struct log *logs = options->logs;
	size_t count = options->log_count;
	bool is_github = false;

	if (count == 0 && !options->plan) {
		logs = &by_default;
		count = 1;
	}
	*report = (struct report){ .options = options };
	report->sinks =
	    reallocarray(NULL, count + GITHUB_FILES, sizeof(*report->sinks));
	if (report->sinks == NULL)
		err(STATUS_OWN_FAILURE, "--log");
	for (; report->count < count; report->count++) {
		struct sink *sink = &report->sinks[report->count];

		open_sink(report, sink, &logs[report->count]);
		settle_format(sink);
		const bool github = sink->format == report_format("github");
		sink->has_output =
		    (github || sink->name != NULL) && has_output(sink);
		is_github |= github;
	}
	if (is_github && !options->plan)
		open_github_files(report);
}

void
logs_begin(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct sink *sink = &report->sinks[i];

		if (sink->replaced && ftruncate(fileno(sink->file), 0) == -1 &&
		    errno != EINVAL)
			refuse(sink->name, strerror(errno));
	}
}

/* The first of the variables that is set decides on characters. */
static bool
has_unicode(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *locale = getenv(names[i]);

		if (locale != NULL && *locale != '\0')
			return strcasestr(locale, "UTF-8") != NULL ||
			    strcasestr(locale, "UTF8") != NULL;
	}
	return false;
}

struct screen
logs_screen(int descriptor)
{
	const char *columns = getenv("COLUMNS");
	const char *type = getenv("TERM");
	const char *no_colour = getenv("NO_COLOR");
	const bool plain = type == NULL || strcmp(type, "dumb") == 0;
	const bool terminal = isatty(descriptor);
	const char *problem;
	struct winsize size;
	int width = 0;

	if (ioctl(descriptor, TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	const bool sized = width > 0;
	if (width == 0 && columns != NULL)
		width = (int)strtonum(columns, 1, WIDEST, &problem);
	return (struct screen){
		.width = width == 0 ? DEFAULT_WIDTH : width,
		.terminal = terminal,
		.unicode = has_unicode(),
		.colour = terminal && !plain &&
		    (no_colour == NULL || *no_colour == '\0'),
		.plain = plain,
		.sized = sized,
	};
}

/* Finds out which logs are terminals, and what can be shown there now. */
static void
look(struct report *report)
{
	const bool held = report->options->output == OUTPUT_CHRONIC;

	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];
		const int own = fileno(sink->file);
		const int descriptor = own == -1 ? STDERR_FILENO : own;

		if (sink->undecided && isatty(descriptor))
			sink->format = report_format("tty");
		sink->undecided = false;
		if (!sink->format->for_people || sink->format->has_priorities)
			continue;
		sink->screen = (struct screen){ .width = 0 };
		if (held && descriptor == STDERR_FILENO)
			continue;
		sink->screen = logs_screen(descriptor);

		/* The terminal of another job is not drawn on. */
		const pid_t foreground =
		    sink->screen.terminal ? tcgetpgrp(descriptor) : -1;
		if (sink->screen.terminal && foreground != getpgrp())
			sink->screen.width = 0;
	}
}

double
logs_tick(struct report *report, const struct record *record)
{
	if (!record->waits && record->locked == 0)
		return INFINITY;
	look(report);
	return report_tick(report, record);
}

void
logs_tell(struct report *report, const struct record *record)
{
	/* A run that succeeds at once says nothing, and so need not look. */
	if (record->failures > 0 || record->reason > REASON_SUCCESS ||
	    report->options->verbose)
		look(report);
	report_tell(report, record);
}
