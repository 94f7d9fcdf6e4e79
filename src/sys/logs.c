/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/file.h"
#include "sys/events.h"
#include "sys/logs.h"
#include "sys/messages.h"
#include "sys/output.h"
#include "sys/terminal.h"
#include "sys/state_file.h"

/* Seconds that the end of a run waits for a reader of half a line. */
#define REST_PATIENCE 1.0

/* What `auto` means for this descriptor. */
static const char *
auto_format(int descriptor)
{
	const char *github = getenv("GITHUB_ACTIONS");

	if (file_is_journal(descriptor))
		return "journal";
	if (isatty(descriptor))
		return "tty";
	return github != NULL && strcmp(github, "true") == 0 ? "github"
							     : "text";
}

/* Returns NULL, or which other log or option has the file too. */
static const char *
find_same(const struct report *report, const struct options *options,
    const char *file, int descriptor)
{
	const char *state = options->style.state;
	const char *budget = options->budget;
	struct stat own, other;

	if (fstat(descriptor, &own) == -1)
		return NULL;
	for (size_t i = 0; i < report->count; i++) {
		const struct sink *sink = &report->sinks[i];

		if (sink->name != NULL &&
		    fstat(sink->descriptor, &other) == 0 &&
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

void
logs_remove(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++)
		if (report->sinks[i].made)
			unlink(report->sinks[i].name);
}

static _Noreturn void
refuse(const struct report *report, const struct sink *sink,
    const char *problem)
{
	char safe[128];

	/* The sink may not be among those of the report yet. */
	if (sink->made)
		unlink(sink->name);
	logs_remove(report);
	errx(STATUS_OWN_FAILURE, "--log: %s: %s",
	    text_safe(sink->name, safe, sizeof(safe)), problem);
}

/*
 * The formats write to memory, from where flush() takes each line whole; those
 * of a plan write to the file, as nobody waits for a plan's lines.
 */
static void
open_text(struct sink *sink, bool plan)
{
	if (plan)
		sink->file =
		    sink->name == NULL ? stdout : fdopen(sink->descriptor, "w");
	else
		sink->file = open_memstream(&sink->text, &sink->size);
	if (sink->file == NULL)
		err(STATUS_OWN_FAILURE, "--log");
	sink_begin(sink);
}

static void
open_log(const struct report *report, const struct options *options,
    struct sink *sink, const struct log *log)
{
	const char *problem;
	int inherited;

	*sink = (struct sink){ .format = log->format,
		.name = log->file,
		.option = "--log",
		.descriptor = options->plan ? STDOUT_FILENO : STDERR_FILENO };
	if (log->file == NULL)
		return;
	problem = file_descriptor(log->file, &inherited);
	if (problem != NULL)
		refuse(report, sink, problem);
	const bool is_new = inherited == -1 && access(log->file, F_OK) == -1;
	const int file = inherited == -1
	    ? file_open(log->file, O_WRONLY | O_APPEND | O_CREAT)
	    : file_share(inherited);
	if (file == -1)
		refuse(report, sink, file_problem(errno));
	sink->made = is_new;
	const char *same = find_same(report, options, log->file, file);
	if (same != NULL)
		refuse(report, sink, same);
	if (inherited == sink->descriptor) {
		/* Messages go there, too. */
		close(file);
		sink->name = NULL;
		return;
	}
	sink->descriptor = file;
	sink->replaced = sink->format->whole && inherited == -1;
	sink->by_name = inherited == -1;
	file_widen_pipe(file);
}

/* What GitHub's runner reads besides a log; the run can do without. */
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
		struct sink *sink = &report->sinks[report->count++];

		*sink = (struct sink){ .format = row,
			.name = name,
			.option = row->name,
			.descriptor = file,
			.by_name = true };
		open_text(sink, false);
	}
}

/* Whether another log writes the same lines to the same place. */
static bool
is_written(const struct report *report, const struct sink *sink)
{
	for (size_t i = 0; i < report->count && sink->name == NULL; i++)
		if (report->sinks[i].name == NULL &&
		    report->sinks[i].format == sink->format)
			return true;
	return false;
}

/* Whether the sink's file is standard output too. */
static bool
shares_stdout(const struct sink *sink)
{
	struct stat own, output;

	return fstat(sink->descriptor, &own) == 0 &&
	    fstat(STDOUT_FILENO, &output) == 0 && file_is_same(&own, &output);
}

void
logs_open(struct report *report, const struct options *options)
{
	const struct log by_default = { .format = report_format("auto") };
	const char *ci = getenv("CI");
	const struct log *logs = options->logs;
	size_t count = options->log_count;
	bool is_github = false;

	if (count == 0 && !options->plan) {
		logs = &by_default;
		count = 1;
	}
	*report = (struct report){ .style = options->style };
	report->style.ci =
	    ci != NULL && *ci != '\0' && strcmp(ci, "false") != 0;
	report->sinks =
	    reallocarray(NULL, count + GITHUB_FILES, sizeof(*report->sinks));
	if (report->sinks == NULL)
		err(STATUS_OWN_FAILURE, "--log");
	for (size_t i = 0; i < count; i++) {
		struct sink *sink = &report->sinks[report->count];

		open_log(report, options, sink, &logs[i]);
		if (sink->format == report_format("auto"))
			sink->format =
			    report_format(auto_format(sink->descriptor));
		if (is_written(report, sink))
			continue;
		open_text(sink, options->plan);
		const bool github = sink->format == report_format("github");
		sink->shares_stdout =
		    (github || sink->name != NULL) && shares_stdout(sink);
		is_github |= github;
		report->shares_stdout |= sink->shares_stdout;
		report->keeps_output |= sink->format->keeps_output;
		report->count++;
	}
	if (is_github && !options->plan)
		open_github_files(report);
	for (size_t i = 0; i < report->count && options->plan; i++) {
		const struct sink *sink = &report->sinks[i];

		if (sink->replaced && ftruncate(sink->descriptor, 0) == -1 &&
		    errno != EINVAL)
			refuse(report, sink, strerror(errno));
	}
}

/* Finds out which logs are terminals, and what can be shown there now. */
static void
look_at_logs(struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];
		const int descriptor = sink->descriptor;

		if (!sink->format->for_people || sink->format->has_priorities)
			continue;
		/* It was looked at before, and was no terminal. */
		if (sink->screen.width > 0 && !sink->screen.terminal)
			continue;
		sink->screen = screen_of(descriptor, report->style.color);
		/* A file of messages alone is for programs, too. */
		if (sink->name != NULL && !sink->shares_stdout &&
		    !sink->screen.terminal)
			sink->screen.colour = false;

		/*
		 * The terminal of another job is not drawn on, nor one that
		 * has no control sequences or that CI keeps as a log.
		 */
		const pid_t foreground =
		    sink->screen.terminal ? tcgetpgrp(descriptor) : -1;
		if (sink->screen.terminal &&
		    (report->style.ci || sink->screen.plain ||
			foreground != getpgrp()))
			sink->screen.width = 0;
	}
}

/* Says once per log that it cannot be written, which changes nothing else. */
static void
complain(struct sink *sink, int error)
{
	if (!sink->failed)
		say("%s: %s: %s", sink->option, sink->name,
		    error == EAGAIN ? "lines are left out: nobody reads them"
				    : strerror(error));
	sink->failed = true;
}

/*
 * Whether the file that the log goes to, if it is one, ends in the middle of a
 * line, as it can only if another program has written to it.  If logrotate(8)
 * has moved the file, or it was removed, the log goes on in a new one of that
 * name.
 */
static bool
file_ends_mid_line(struct sink *sink)
{
	struct stat own, named = { .st_size = 0 };
	char last;

	if (!sink->by_name || fstat(sink->descriptor, &own) == -1 ||
	    !S_ISREG(own.st_mode))
		return false;
	if (lstat(sink->name, &named) == -1 ? errno == ENOENT
					    : !file_is_same(&own, &named)) {
		int file = file_open(sink->name, O_WRONLY | O_APPEND | O_CREAT);

		dup3(file, sink->descriptor, O_CLOEXEC);
		file_close(&file);
	} else if (own.st_size == sink->end)
		return false;
	sink->end = named.st_size;
	int reader = file_open(sink->name, O_RDONLY);
	const bool ends =
	    pread(reader, &last, 1, sink->end - 1) == 1 && last != '\n';
	file_close(&reader);
	return ends;
}

/* Writes to a log that has a name. */
static void
write_log(struct sink *sink, struct output *output, bool is_drawing)
{
	const bool ends = file_ends_mid_line(sink);
	if (sink->replaced && ftruncate(sink->descriptor, 0) == -1 &&
	    errno != EINVAL)
		complain(sink, errno);
	bool *output_ends = output_mid_line(output, OUT);
	if (!is_drawing && *sink->text != '\n' && !sink->replaced &&
	    (sink->shares_stdout ? *output_ends : ends) &&
	    sink_write(sink, "\n", 1, 0) && sink->shares_stdout)
		*output_ends = false;
	if (!sink_write(sink, sink->text, sink->size, 0))
		complain(sink, errno);
	sink->end += (off_t)sink->size;
}

/*
 * Writes what the formats have written to memory, without waiting for the
 * reader of a log.  Unless it is a drawing, the line that the attempts' output
 * or another program has begun is ended first.
 */
static void
flush(struct report *report, struct output *output, bool is_drawing)
{
	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];

		fflush(sink->file);
		if (sink->size == 0)
			continue;
		if (sink->name != NULL)
			write_log(sink, output, is_drawing);
		else if (is_drawing)
			messages_draw(sink->text, sink->size);
		else
			messages_write(sink->text, sink->size);
		rewind(sink->file);
		sink->size = 0;
	}
}

double
logs_tick(struct report *report, struct output *output,
    const struct record *record)
{
	const bool shows_attempt =
	    record->attempt.runs && report->style.holds_stderr;
	double next = report_due(report);

	if (next <= record->elapsed) {
		logs_hide(report, output);
		look_at_logs(report);
		report->now = events_time(CLOCK_REALTIME);
		report_tell_due(report, record->elapsed);
		flush(report, output, false);
		next = report_due(report);
	}
	if (!record->wait.lasts && !record->locked && !shows_attempt)
		return next;
	/* The status line would cover an unfinished line of output. */
	if (shows_attempt && *output_mid_line(output, ERR))
		return next;
	look_at_logs(report);
	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];

		if (sink->format->tick != NULL && !report->style.quiet)
			next = fmin(next,
			    sink->format->tick(sink, report, record));
	}
	flush(report, output, true);
	return next;
}

void
logs_hide(struct report *report, struct output *output)
{
	for (size_t i = 0; i < report->count; i++)
		if (report->sinks[i].format->hide != NULL)
			report->sinks[i].format->hide(&report->sinks[i]);
	flush(report, output, true);
}

void
logs_note(struct report *report, struct output *output, const char *label,
    const char *line)
{
	logs_hide(report, output);
	look_at_logs(report);
	report->now = events_time(CLOCK_REALTIME);
	report_note(report, label, line);
	flush(report, output, false);
}

void
logs_tell(struct report *report, struct output *output,
    const struct record *record)
{
	logs_hide(report, output);
	if (!message_is_silent(&report->style, record))
		look_at_logs(report);
	report->now = record->seen.time;
	report_tell(report, record);
	flush(report, output, false);
}

void
logs_begin_output(struct report *report, struct output *output,
    const struct record *record)
{
	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];

		if (sink->format->begin != NULL && !report->style.quiet)
			sink->format->begin(sink, report, record);
	}
	flush(report, output, false);
}

void
logs_close(struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];
		const bool own = sink->name != NULL;
		const bool plan = report->pid == 0; /* nothing runs */

		if (plan && own &&
		    (fflush(sink->file) == EOF || ferror(sink->file)))
			complain(sink, errno);
		if (sink->rest_size > 0 &&
		    !sink_write(sink, "", 0, REST_PATIENCE))
			complain(sink, errno);
		if (!plan || own)
			fclose(sink->file);
		if (!plan && own && close(sink->descriptor) == -1)
			complain(sink, errno);
		report_attempts_free(sink);
		free(sink->text);
		free(sink->rest);
	}
	free(report->sinks);
	report->count = 0;
}
