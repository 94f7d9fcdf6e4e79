#include "cli/report.h"
#include "core/text.h"

/* What a workflow command's text must not hold. */
static void
put_escaped(FILE *file, const char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '%' || *text == '\r' || *text == '\n')
			fprintf(file, "%%%02X", (unsigned int)*text);
		else
			putc(*text, file);
}

/* Its first word; a plan may have none. */
static void
put_command(FILE *file, const struct report *report)
{
	const char *command = *report->options->command;
	char word[PHRASE];

	put_escaped(file,
	    text_safe(command == NULL ? "" : command, word, sizeof(word)));
}

static void
open_group(FILE *file, const struct report *report)
{
	char attempt[PHRASE];

	fprintf(file, "::group::%s: ", phrase_attempt(report->engine, attempt));
	put_command(file, report);
	putc('\n', file);
}

/* The run was given up, or was flaky. */
static bool
is_notable(const struct engine *engine)
{
	if (engine->reason == REASON_SUCCESS)
		return engine->failures > 0;
	return engine->reason != REASON_PLAN;
}

static void
annotate(FILE *file, const struct report *report, const struct news *news)
{
	const struct engine *engine = report->engine;
	char end[PHRASE_END];

	fputs(engine->reason == REASON_SUCCESS ? "::notice::" : "::error::",
	    file);
	put_command(file, report);
	fputs(": ", file);
	put_escaped(file, phrase_end(engine, news->elapsed, end));
	putc('\n', file);
}

void
report_github(struct sink *sink, const struct report *report,
    const struct news *news)
{
	if (news->kind == NEWS_ATTEMPT)
		open_group(sink->file, report);
	if (news->kind == NEWS_OUTCOME && sink->grouped)
		fputs("::endgroup::\n", sink->file);
	if (news->kind == NEWS_END && is_notable(report->engine))
		annotate(sink->file, report, news);
	else
		report_text(sink, report, news);
	sink->grouped = news->kind == NEWS_ATTEMPT ||
	    (sink->grouped && news->kind != NEWS_OUTCOME);
}
