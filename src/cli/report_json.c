#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "core/number.h"
#include "core/signals.h"

/* Stands for a byte that belongs to no character. */
#define REPLACEMENT 0xfffd

/* Room for a number. */
#define NUMBER 32

/* The lowest code points of 2, 3 and 4 bytes: a shorter form would do below. */
static const uint32_t lowest[] = { 0x80, 0x800, 0x10000 };

/* How many bytes follow this one in UTF-8; -1 for one that begins nothing. */
static int
followers(unsigned char byte)
{
	if (byte < 0x80)
		return 0;
	if (byte >= 0xc2 && byte < 0xe0)
		return 1;
	if (byte >= 0xe0 && byte < 0xf0)
		return 2;
	if (byte >= 0xf0 && byte < 0xf5)
		return 3;
	return -1;
}

/* Takes the next character off the text; a bad byte is one REPLACEMENT. */
static uint32_t
next_character(const char **text)
{
	const unsigned char *byte = (const unsigned char *)*text;
	const int count = followers(*byte);
	uint32_t c = *byte;

	*text += 1;
	if (count == 0)
		return c;
	if (count == -1)
		return REPLACEMENT;
	c &= 0x3fu >> count;
	for (int i = 1; i <= count; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return REPLACEMENT;
		c = c << 6 | (byte[i] & 0x3fu);
	}
	if (c < lowest[count - 1] || c > 0x10ffff ||
	    (c >= 0xd800 && c < 0xe000))
		return REPLACEMENT;
	*text += count;
	return c;
}

/*
 * Beside what JSON must not hold: what a terminal would obey, what turns the
 * direction of the text, and what ends a line in JavaScript.
 */
static bool
must_be_escaped(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == REPLACEMENT ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static void
put_string(FILE *file, const char *text)
{
	putc('"', file);
	while (*text != '\0') {
		const char *start = text;
		const uint32_t c = next_character(&text);

		if (c == '"' || c == '\\')
			fprintf(file, "\\%c", (int)c);
		else if (must_be_escaped(c))
			fprintf(file, "\\u%04" PRIx32, c);
		else
			fwrite(start, 1, (size_t)(text - start), file);
	}
	putc('"', file);
}

static void
text_field(FILE *file, const char *name, const char *text)
{
	fprintf(file, ",\"%s\":", name);
	if (text == NULL)
		fputs("null", file);
	else
		put_string(file, text);
}

/*
 * The shortest that reads back as the same double.  Whole numbers, which most
 * are in a plan, take the short way.
 */
static void
write_number(double number, char text[NUMBER])
{
	if (fabs(number) < 1e15 && number == number_floor(number)) {
		snprintf(text, NUMBER, "%" PRId64, (int64_t)number);
		return;
	}
	for (int digits = 15; digits < 17; digits++) {
		snprintf(text, NUMBER, "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			return;
	}
	snprintf(text, NUMBER, "%.17g", number);
}

/* What is not finite is absent. */
static void
number_field(FILE *file, const char *name, double number)
{
	char text[NUMBER] = "null";

	if (isfinite(number))
		write_number(number, text);
	fprintf(file, ",\"%s\":%s", name, text);
}

/* The same where 0, or a negative number, stands for none. */
static void
limit_field(FILE *file, const char *name, double number)
{
	number_field(file, name, number > 0 ? number : NAN);
}

static void
count_field(FILE *file, const char *name, uint64_t count)
{
	fprintf(file, ",\"%s\":%" PRIu64, name, count);
}

static void
bool_field(FILE *file, const char *name, bool value)
{
	fprintf(file, ",\"%s\":%s", name, value ? "true" : "false");
}

/* The last time that was written: events often share one. */
struct memory {
	double elapsed;
	char text[NUMBER];
};

static const char *
elapsed_text(struct sink *sink, double elapsed, char text[NUMBER])
{
	struct memory *memory = sink->memory;

	if (memory == NULL)
		sink->memory = memory = calloc(1, sizeof(*memory));
	if (memory == NULL) {
		write_number(elapsed, text);
		return text;
	}
	if (memory->elapsed != elapsed || *memory->text == '\0')
		write_number(elapsed, memory->text);
	memory->elapsed = elapsed;
	return memory->text;
}

static void
begin(struct sink *sink, const char *event, const struct news *news)
{
	char buffer[NUMBER], time[NUMBER];
	const char *elapsed = elapsed_text(sink, news->elapsed, buffer);
	const bool planned = news->time == news->elapsed;

	if (!planned)
		write_number(news->time, time);
	fprintf(sink->file, "{\"event\":\"%s\",\"time\":%s,\"elapsed\":%s",
	    event, planned ? elapsed : time, elapsed);
}

static void
tell_start(FILE *file, const struct report *report)
{
	const struct policy *policy = &report->options->policy;
	const char *joint = "";

	fputs(",\"command\":[", file);
	for (const char *const *word = report->options->command; *word != NULL;
	     word++) {
		fputs(joint, file);
		put_string(file, *word);
		joint = ",";
	}
	putc(']', file);
	limit_field(file, "attempts", (double)policy->attempts);
	limit_field(file, "max_time", policy->max_time);
}

static void
tell_attempt(FILE *file, const struct engine *engine, const struct news *news)
{
	count_field(file, "attempt", engine->attempt);
	limit_field(file, "pid", (double)news->pid);
	number_field(file, "timeout", engine_timeout(engine));
}

/* The name that goes with an outcome's number, or NULL. */
static const char *
code_name(struct outcome outcome, char name[SIGNAL_NAME])
{
	switch (outcome.kind) {
	case OUTCOME_SIGNAL:
		return signal_name(outcome.code, name);
	case OUTCOME_UNSTARTABLE:
	case OUTCOME_UNFORKED:
		return strerrorname_np(outcome.code);
	case OUTCOME_NONE:
	case OUTCOME_EXIT:
	case OUTCOME_TIMEOUT:
		break;
	}
	return NULL;
}

static void
tell_outcome(FILE *file, const struct engine *engine, const struct news *news)
{
	const struct outcome outcome = engine->evidence.outcome;
	const bool numbered = outcome.kind != OUTCOME_TIMEOUT;
	char name[SIGNAL_NAME];

	count_field(file, "attempt", engine->attempt);
	text_field(file, "outcome", outcome_name(outcome.kind));
	number_field(file, "status", numbered ? (double)outcome.code : NAN);
	text_field(file, "name", code_name(outcome, name));
	text_field(file, "verdict", verdict_name(engine->judgement.verdict));
	text_field(file, "rule", rule_name(engine->judgement.rule));
	number_field(file, "duration",
	    engine->attempt_ended - engine->attempt_begun);
	number_field(file, "user", news->user);
	number_field(file, "system", news->system);
}

static void
tell_wait(FILE *file, const struct engine *engine)
{
	const struct delay *delay = &engine->delay;

	count_field(file, "attempt", engine->attempt + 1);
	number_field(file, "nominal", delay->nominal);
	number_field(file, "low", delay->low);
	number_field(file, "high", delay->high);
	number_field(file, "delay", delay->seconds);
	number_field(file, "hint", delay->hint >= 0 ? delay->hint : NAN);
}

static void
tell_signal(FILE *file, const struct news *news)
{
	char name[SIGNAL_NAME];

	text_field(file, "signal", signal_name(news->signal, name));
	bool_field(file, "forwarded", news->forwarded);
}

static void
tell_end(FILE *file, const struct engine *engine)
{
	text_field(file, "reason", reason_name(engine->reason));
	number_field(file, "status", engine->status);
	count_field(file, "attempts", engine->attempt);
	count_field(file, "failures", engine->failures);
	bool_field(file, "flaky",
	    engine->reason == REASON_SUCCESS && engine->failures > 0);
	number_field(file, "waited", engine->waited);
}

void
report_json(struct sink *sink, const struct report *report,
    const struct news *news)
{
	static const char *const names[] = {
		[NEWS_START] = "start",
		[NEWS_ATTEMPT] = "attempt",
		[NEWS_OUTCOME] = "outcome",
		[NEWS_WAIT] = "wait",
		[NEWS_SIGNAL] = "signal",
		[NEWS_END] = "end",
	};
	FILE *file = sink->file;

	begin(sink, names[news->kind], news);
	switch (news->kind) {
	case NEWS_START:
		tell_start(file, report);
		break;
	case NEWS_ATTEMPT:
		tell_attempt(file, report->engine, news);
		break;
	case NEWS_OUTCOME:
		tell_outcome(file, report->engine, news);
		break;
	case NEWS_WAIT:
		tell_wait(file, report->engine);
		break;
	case NEWS_SIGNAL:
		tell_signal(file, news);
		break;
	case NEWS_END:
		tell_end(file, report->engine);
		break;
	}
	fputs("}\n", file);
}
