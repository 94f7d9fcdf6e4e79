#include <string.h>

#include "cli/report.h"
#include "core/duration.h"
#include "core/signals.h"
#include "core/text.h"

static void
compose_attempt(struct line *line, const struct engine *engine,
    const struct news *news)
{
	const double timeout = engine_timeout(engine);
	char attempt[PHRASE], limit[PHRASE];
	const int length =
	    snprintf(line->text, sizeof(line->text), "%s starts as process %ld",
		phrase_attempt(engine, attempt), news->pid);

	line->priority = PRIORITY_INFO;
	if (timeout <= DURATION_MAX)
		snprintf(line->text + length,
		    sizeof(line->text) - (size_t)length, ", for %s at most",
		    phrase_seconds(timeout, limit));
}

/* The command's first word; the others may hold secrets. */
static void
compose_unstartable(struct line *line, const struct report *report)
{
	const struct outcome outcome = report->engine->evidence.outcome;
	const char *command = report->options->command[0];
	char safe[PHRASE] = "''";

	if (command != NULL && *command != '\0')
		text_safe(command, safe, sizeof(safe));
	snprintf(line->text, sizeof(line->text), "cannot execute %s: %s",
	    command == NULL ? "it" : safe, strerror(outcome.code));
}

static void
compose_outcome(struct line *line, const struct report *report)
{
	const struct engine *engine = report->engine;
	const struct outcome outcome = engine->evidence.outcome;
	char attempt[PHRASE], what[PHRASE], time[PHRASE], rule[PHRASE];

	line->priority = PRIORITY_WARNING;
	if (outcome.kind == OUTCOME_UNSTARTABLE) {
		compose_unstartable(line, report);
		return;
	}
	snprintf(line->text, sizeof(line->text), "%s %s after %s%s",
	    phrase_attempt(engine, attempt), phrase_outcome(outcome, what),
	    phrase_seconds(engine->attempt_ended - engine->attempt_begun, time),
	    phrase_rule(engine->judgement, rule));
}

static void
compose_numbers(struct line *line, const struct delay *delay)
{
	char nominal[PHRASE], low[PHRASE], high[PHRASE], hint[PHRASE];
	char text[2 * PHRASE];

	snprintf(text, sizeof(text), " (nominal %.20s, range %.20s to %.20s",
	    phrase_seconds(delay->nominal, nominal),
	    phrase_seconds(delay->low, low), phrase_seconds(delay->high, high));
	strlcat(line->text, text, sizeof(line->text));
	if (delay->hint >= 0) {
		snprintf(text, sizeof(text), ", asked for %.20s",
		    phrase_seconds(delay->hint, hint));
		strlcat(line->text, text, sizeof(line->text));
	}
	strlcat(line->text, ")", sizeof(line->text));
}

/* What is added to the outcome, or stands alone before the first attempt. */
static void
compose_wait(struct line *line, const struct report *report)
{
	const struct delay *delay = &report->engine->delay;
	char text[PHRASE], time[PHRASE];

	snprintf(text, sizeof(text), "next in %.20s",
	    phrase_seconds(delay->seconds, time));
	strlcat(line->text, delay->seconds > 0 ? text : "next at once",
	    sizeof(line->text));
	if (report->options->verbose)
		compose_numbers(line, delay);
}

static bool
failed(const struct engine *engine)
{
	return engine->judgement.verdict != VERDICT_SUCCESS;
}

/*
 * The end needs no line of its own: the first attempt succeeded, or its line
 * said that the command cannot be executed, or what failed has been told.
 */
static bool
says_enough(const struct engine *engine)
{
	if (engine->reason == REASON_SUCCESS)
		return engine->failures == 0;
	if (engine->reason == REASON_ERROR)
		return true;
	return engine->reason == REASON_STOP &&
	    engine->evidence.outcome.kind == OUTCOME_UNSTARTABLE;
}

void
report_line(const struct report *report, const struct news *news,
    struct line *line)
{
	const struct engine *engine = report->engine;
	const bool verbose = report->options->verbose;
	char name[SIGNAL_NAME];

	*line = (struct line){ .priority = PRIORITY_INFO };
	switch (news->kind) {
	case NEWS_START:
		break;
	case NEWS_ATTEMPT:
		if (verbose)
			compose_attempt(line, engine, news);
		break;
	case NEWS_OUTCOME:
		if ((!failed(engine) || engine->judgement.rule == RULE_ERROR) &&
		    !verbose)
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

bool
report_status(const struct report *report, const struct action *action,
    double elapsed, struct line *line)
{
	const struct engine *engine = report->engine;
	char attempt[PHRASE], end[PHRASE_END], word[PHRASE];
	struct line state;

	switch (action->kind) {
	case ACTION_NONE:
	case ACTION_ASK:
	case ACTION_KILL:
	case ACTION_DELIVER:
		return false;
	case ACTION_RUN:
		snprintf(state.text, sizeof(state.text), "%s runs",
		    phrase_attempt(engine, attempt));
		break;
	case ACTION_WAIT:
		*state.text = '\0';
		if (engine->attempt > 0) {
			compose_outcome(&state, report);
			strlcat(state.text, "; ", sizeof(state.text));
		}
		compose_wait(&state, report);
		break;
	case ACTION_FINISH:
		strlcpy(state.text, phrase_end(engine, elapsed, end),
		    sizeof(state.text));
		break;
	}
	snprintf(line->text, sizeof(line->text), "%.40s: %.400s",
	    text_safe(report->options->command[0], word, 41), state.text);
	return true;
}

void
report_text(struct sink *sink, const struct report *report,
    const struct news *news)
{
	struct line line;

	report_line(report, news, &line);
	if (*line.text != '\0')
		fprintf(sink->file, "retry: %s\n", line.text);
}

void
report_journal(struct sink *sink, const struct report *report,
    const struct news *news)
{
	struct line line;

	report_line(report, news, &line);
	if (*line.text != '\0')
		fprintf(sink->file, "<%d>retry: %s\n", line.priority,
		    line.text);
}
