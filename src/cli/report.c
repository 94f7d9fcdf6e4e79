#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "core/number.h"
#include "core/text.h"

const struct format formats[] = {
	{ .name = "text",
	    .doc = "a line for each failed attempt and one for the end",
	    .for_people = true,
	    .tell = report_text },
	{ .name = "tty",
	    .doc = "text, and a status line that counts down a wait",
	    .for_people = true,
	    .tell = report_tty,
	    .tick = report_tty_tick,
	    .hide = report_tty_hide },
	{ .name = "journal",
	    .doc = "text with the priorities of systemd's journal",
	    .for_people = true,
	    .tell = report_journal },
	{ .name = "json",
	    .doc = "an object a line, one for each event",
	    .tell = report_json },
	{ .name = "junit",
	    .doc = "a test report at the end, which replaces what FILE held",
	    .whole = true,
	    .tell = report_junit },
	{ .name = "github",
	    .doc = "text in groups, and an annotation, for GitHub's logs",
	    .for_people = true,
	    .tell = report_github },
	{ .name = "auto",
	    .doc = "journal, tty, github or text, as the place asks for",
	    .for_people = true,
	    .tell = report_text },
	{ .name = NULL },
};

const struct format *
report_format(const char *name)
{
	for (const struct format *row = formats; row->name != NULL; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

/* Said once for each file, and of no consequence. */
static void
complain(struct sink *sink)
{
	const int error = errno;
	char safe[128];

	if (!sink->failed && sink->file != stderr)
		fprintf(stderr, "retry: --log: %s: %s\n",
		    text_safe(sink->name, safe, sizeof(safe)), strerror(error));
	sink->failed = true;
}

void
report_close(struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];

		if (sink->file != stderr && sink->file != stdout &&
		    fclose(sink->file) == EOF)
			complain(sink);
		free(sink->memory);
	}
	free(report->sinks);
	report->count = 0;
}

/*
 * --quiet leaves what is for programs, and an error of retry's own: what ends
 * the run as 125, 126 or 127 nobody else can tell.
 */
static bool
is_told(const struct report *report, const struct format *format,
    const struct news *news)
{
	const struct engine *engine = report->engine;

	if (!report->options->quiet || !format->for_people)
		return true;
	return news->kind == NEWS_OUTCOME &&
	    (engine->evidence.outcome.kind == OUTCOME_UNSTARTABLE ||
		engine->evidence.outcome.kind == OUTCOME_UNFORKED) &&
	    (engine->state == STATE_DELIVERING ||
		engine->state == STATE_FINISHED);
}

void
report_tell(struct report *report, const struct news *news)
{
	const struct options *options = report->options;

	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];

		if (!is_told(report, sink->format, news))
			continue;
		sink->format->tell(sink, report, news);
		if (ferror(sink->file) ||
		    (!options->plan && fflush(sink->file) == EOF)) {
			complain(sink);
			clearerr(sink->file);
		}
	}
}

void
report_step(struct report *report, struct action action, struct news news)
{
	if (action.kind != ACTION_NONE)
		report_hide(report);
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

double
report_tick(struct report *report, double now)
{
	double next = INFINITY;

	for (size_t i = 0; i < report->count; i++) {
		struct sink *sink = &report->sinks[i];

		if (sink->format->tick != NULL && !report->options->quiet)
			next = number_min(next,
			    sink->format->tick(sink, report, now));
	}
	return next;
}

void
report_hide(struct report *report)
{
	for (size_t i = 0; i < report->count; i++)
		if (report->sinks[i].format->hide != NULL)
			report->sinks[i].format->hide(&report->sinks[i]);
}
