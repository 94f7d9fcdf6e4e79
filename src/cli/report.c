#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/phrase.h"
#include "cli/report.h"
#include "cli/text.h"
#include "core/duration.h"
#include "core/signals.h"

/* Priorities of sd-daemon(3). */
enum priority { PRIORITY_ERROR = 3, PRIORITY_WARNING = 4, PRIORITY_INFO = 6 };

/* A line without its end, for text and journal. */
struct line {
	enum priority priority;
	char text[PHRASE_END + PHRASE];
};

static void
compose_attempt(struct line *line, const struct engine *engine,
    const struct news *news)
{
	const double timeout = engine_timeout(engine);
	char attempt[PHRASE], limit[DURATION_TEXT];
	const int length =
	    snprintf(line->text, sizeof(line->text), "%s starts as process %ld",
		phrase_attempt(engine, attempt), news->pid);

	line->priority = PRIORITY_INFO;
	if (timeout <= DURATION_MAX)
		snprintf(line->text + length,
		    sizeof(line->text) - (size_t)length, ", for %s at most",
		    duration_text(timeout, limit));
}

/* The command's first word; the others may hold secrets. */
static void
compose_unstartable(struct line *line, const struct report *report)
{
	const struct outcome outcome = report->engine->evidence.outcome;
	const char *command = report->options->command[0];
	char safe[PHRASE];

	snprintf(line->text, sizeof(line->text), "cannot execute %s: %s",
	    command == NULL ? "it" : text_safe(command, safe, sizeof(safe)),
	    strerror(outcome.code));
}

static void
compose_outcome(struct line *line, const struct report *report)
{
	const struct engine *engine = report->engine;
	const struct outcome outcome = engine->evidence.outcome;
	char attempt[PHRASE], what[PHRASE], time[DURATION_TEXT];

	line->priority = PRIORITY_WARNING;
	if (outcome.kind == OUTCOME_UNSTARTABLE) {
		compose_unstartable(line, report);
		return;
	}
	snprintf(line->text, sizeof(line->text), "%s %s after %s",
	    phrase_attempt(engine, attempt), phrase_outcome(outcome, what),
	    duration_text(engine->attempt_ended - engine->attempt_begun, time));
}

/* What is added to the outcome, or stands alone before the first attempt. */
static void
compose_wait(struct line *line, const struct report *report)
{
	const struct delay *delay = &report->engine->delay;
	const size_t length = strlen(line->text);
	char *end = line->text + length;
	const size_t room = sizeof(line->text) - length;
	char time[DURATION_TEXT], nominal[DURATION_TEXT];
	char low[DURATION_TEXT], high[DURATION_TEXT];
	int added;

	if (delay->seconds > 0)
		added = snprintf(end, room, "next in %s",
		    duration_text(delay->seconds, time));
	else
		added = snprintf(end, room, "next at once");
	if (report->options->verbose)
		snprintf(end + added, room - (size_t)added,
		    " (nominal %s, range %s to %s)",
		    duration_text(delay->nominal, nominal),
		    duration_text(delay->low, low),
		    duration_text(delay->high, high));
}

static bool
failed(const struct engine *engine)
{
	return engine->judgement.verdict != VERDICT_SUCCESS;
}

/*
 * The end needs no line of its own: the first attempt succeeded, or its line
 * said that the command cannot be executed.
 */
static bool
says_enough(const struct engine *engine)
{
	if (engine->reason == REASON_SUCCESS)
		return engine->failures == 0;
	return engine->reason == REASON_STOP &&
	    engine->evidence.outcome.kind == OUTCOME_UNSTARTABLE;
}

/* Fills the line; an empty one is not written. */
static void
compose(struct line *line, const struct report *report, const struct news *news)
{
	const struct engine *engine = report->engine;
	const bool verbose = report->options->verbose;
	char name[SIGNAL_NAME];

	*line->text = '\0';
	line->priority = PRIORITY_INFO;
	switch (news->kind) {
	case NEWS_START:
		break;
	case NEWS_ATTEMPT:
		if (verbose)
			compose_attempt(line, engine, news);
		break;
	case NEWS_OUTCOME:
		if (!failed(engine) && !verbose)
			break;
		compose_outcome(line, report);
		if (engine->state != STATE_WAITING)
			break;
		strlcat(line->text, "; ", sizeof(line->text));
		compose_wait(line, report);
		break;
	case NEWS_WAIT:
		if (engine->attempt == 0 && verbose)
			compose_wait(line, report);
		break;
	case NEWS_SIGNAL:
		if (verbose)
			snprintf(line->text, sizeof(line->text),
			    "received %s%s", signal_name(news->signal, name),
			    news->forwarded ? ", forwarded" : "");
		break;
	case NEWS_END:
		if (says_enough(engine) && !verbose)
			break;
		if (engine->reason != REASON_SUCCESS)
			line->priority = PRIORITY_ERROR;
		phrase_end(engine, news->elapsed, line->text);
		break;
	}
}

static void
tell_text(struct sink *sink, const struct report *report,
    const struct news *news)
{
	struct line line;

	compose(&line, report, news);
	if (*line.text != '\0')
		fprintf(sink->file, "retry: %s\n", line.text);
}

static void
tell_journal(struct sink *sink, const struct report *report,
    const struct news *news)
{
	struct line line;

	compose(&line, report, news);
	if (*line.text != '\0')
		fprintf(sink->file, "<%d>retry: %s\n", line.priority,
		    line.text);
}

const struct format formats[] = {
	{ "text", "a line for each failed attempt and one for the end", true,
	    tell_text },
	{ "journal", "text with the priorities of systemd's journal", true,
	    tell_journal },
	{ .name = NULL },
};

int
report_open(struct report *report, const struct options *options,
    const struct engine *engine, const char **file)
{
	*file = NULL;
	*report = (struct report){ .options = options, .engine = engine };
	report->sinks = calloc(1, sizeof(*report->sinks));
	if (report->sinks == NULL)
		return -1;
	report->sinks[0] = (struct sink){ .format = formats, .file = stderr };
	report->count = 1;
	setvbuf(stderr, NULL, _IOLBF, 0);
	return 0;
}

void
report_close(struct report *report)
{
	for (size_t i = 0; i < report->count; i++)
		if (report->sinks[i].file != stderr)
			fclose(report->sinks[i].file);
	free(report->sinks);
	report->count = 0;
}

void
report_tell(struct report *report, const struct news *news)
{
	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];

		if (report->options->quiet && sink->format->for_people)
			continue;
		sink->format->tell(sink, report, news);
	}
}

void
report_step(struct report *report, struct action action, struct news news)
{
	if (action.judged) {
		news.kind = NEWS_OUTCOME;
		report_tell(report, &news);
	}
	if (action.kind == ACTION_WAIT) {
		news.kind = NEWS_WAIT;
		report_tell(report, &news);
	}
	if (action.kind == ACTION_FINISH) {
		news.kind = NEWS_END;
		report_tell(report, &news);
	}
}
