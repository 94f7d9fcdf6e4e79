#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "core/number.h"
#include "core/signals.h"

/* Stands for a byte that belongs to no character. */
#define REPLACEMENT 0xfffd

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

/*
 * The shortest text that reads back as the same double; null for what is not
 * finite.
 */
static void
put_number(FILE *file, double number)
{
	char text[32];

	if (!isfinite(number)) {
		fputs("null", file);
		return;
	}
	/* Whole numbers, which most are in a plan, take the short way. */
	if (fabs(number) < 1e15 && number == number_floor(number)) {
		fprintf(file, "%" PRId64, (int64_t)number);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	fputs(text, file);
}

/* Numbers and texts that are not simply members of the record. */

static double
next_attempt(const struct record *record)
{
	return (double)record->attempt + 1;
}

static double
outcome_code(const struct record *record)
{
	return record->outcome.kind == OUTCOME_TIMEOUT
	    ? NAN
	    : (double)record->outcome.code;
}

static double
exit_status(const struct record *record)
{
	return record->status;
}

/* The name that goes with an outcome's number. */
static const char *
code_name(const struct record *record, char name[SIGNAL_NAME])
{
	switch (record->outcome.kind) {
	case OUTCOME_SIGNAL:
		return signal_name(record->outcome.code, name);
	case OUTCOME_UNSTARTABLE:
	case OUTCOME_UNFORKED:
		return strerrorname_np(record->outcome.code);
	case OUTCOME_NONE:
	case OUTCOME_EXIT:
	case OUTCOME_TIMEOUT:
		break;
	}
	return NULL;
}

static const char *
outcome_text(const struct record *record, char name[SIGNAL_NAME])
{
	(void)name;
	return outcome_name(record->outcome.kind);
}

static const char *
verdict_text(const struct record *record, char name[SIGNAL_NAME])
{
	(void)name;
	return verdict_name(record->judgement.verdict);
}

static const char *
rule_text(const struct record *record, char name[SIGNAL_NAME])
{
	(void)name;
	return rule_name(record->judgement.rule);
}

static const char *
reason_text(const struct record *record, char name[SIGNAL_NAME])
{
	(void)name;
	return reason_name(record->reason);
}

static const char *
signal_text(const struct record *record, char name[SIGNAL_NAME])
{
	return signal_name(record->signal, name);
}

static bool
is_flaky(const struct record *record)
{
	return record->reason == REASON_SUCCESS && record->failures > 0;
}

enum type {
	COUNT,	  /* a uint64_t */
	LIMIT,	  /* the same; 0 is null */
	PID,	  /* a long; 0 is null */
	SECONDS,  /* a double; null if it is not finite */
	POSITIVE, /* the same; null if it is not above 0 */
	OPTIONAL, /* the same; null if it is negative */
	BOOL,
	FLAG,	/* what a function says */
	NUMBER, /* the same */
	TEXT	/* the same; NULL is null */
};

#define AT(member) .offset = offsetof(struct record, member)

/* One row per field of a record; the order is theirs in the line. */
static const struct field {
	enum record_kind kind;
	const char *name;
	enum type type;
	size_t offset;
	bool (*flag)(const struct record *record);
	double (*number)(const struct record *record);
	const char *(*text)(const struct record *record, char *name);
} fields[] = {
	{ RECORD_START, "attempts", LIMIT, AT(limit) },
	{ RECORD_START, "max_time", POSITIVE, AT(max_time) },

	{ RECORD_ATTEMPT, "attempt", COUNT, AT(attempt) },
	{ RECORD_ATTEMPT, "pid", PID, AT(pid) },
	{ RECORD_ATTEMPT, "timeout", SECONDS, AT(timeout) },

	{ RECORD_OUTCOME, "attempt", COUNT, AT(attempt) },
	{ RECORD_OUTCOME, "outcome", TEXT, .text = outcome_text },
	{ RECORD_OUTCOME, "status", NUMBER, .number = outcome_code },
	{ RECORD_OUTCOME, "name", TEXT, .text = code_name },
	{ RECORD_OUTCOME, "verdict", TEXT, .text = verdict_text },
	{ RECORD_OUTCOME, "rule", TEXT, .text = rule_text },
	{ RECORD_OUTCOME, "duration", SECONDS, AT(duration) },
	{ RECORD_OUTCOME, "user", SECONDS, AT(user) },
	{ RECORD_OUTCOME, "system", SECONDS, AT(system) },

	{ RECORD_WAIT, "attempt", NUMBER, .number = next_attempt },
	{ RECORD_WAIT, "nominal", SECONDS, AT(delay.nominal) },
	{ RECORD_WAIT, "low", SECONDS, AT(delay.low) },
	{ RECORD_WAIT, "high", SECONDS, AT(delay.high) },
	{ RECORD_WAIT, "delay", SECONDS, AT(delay.seconds) },
	{ RECORD_WAIT, "hint", OPTIONAL, AT(delay.hint) },

	{ RECORD_SIGNAL, "signal", TEXT, .text = signal_text },
	{ RECORD_SIGNAL, "forwarded", BOOL, AT(forwarded) },

	{ RECORD_END, "reason", TEXT, .text = reason_text },
	{ RECORD_END, "status", NUMBER, .number = exit_status },
	{ RECORD_END, "attempts", COUNT, AT(attempt) },
	{ RECORD_END, "failures", COUNT, AT(failures) },
	{ RECORD_END, "flaky", FLAG, .flag = is_flaky },
	{ RECORD_END, "waited", SECONDS, AT(waited) },
};

static void
put_value(FILE *file, const struct field *field, const struct record *record)
{
	const void *member = (const char *)record + field->offset;
	const char *text;
	char name[SIGNAL_NAME];
	double number = NAN;

	switch (field->type) {
	case COUNT:
		fprintf(file, "%" PRIu64, *(const uint64_t *)member);
		return;
	case LIMIT:
		if (*(const uint64_t *)member > 0)
			number = (double)*(const uint64_t *)member;
		break;
	case PID:
		if (*(const long *)member > 0)
			number = (double)*(const long *)member;
		break;
	case SECONDS:
		number = *(const double *)member;
		break;
	case POSITIVE:
		if (*(const double *)member > 0)
			number = *(const double *)member;
		break;
	case OPTIONAL:
		if (*(const double *)member >= 0)
			number = *(const double *)member;
		break;
	case BOOL:
		fputs(*(const bool *)member ? "true" : "false", file);
		return;
	case FLAG:
		fputs(field->flag(record) ? "true" : "false", file);
		return;
	case NUMBER:
		number = field->number(record);
		break;
	case TEXT:
		text = field->text(record, name);
		if (text != NULL) {
			put_string(file, text);
			return;
		}
		break;
	}
	put_number(file, number);
}

static void
put_command(FILE *file, const struct options *options)
{
	const char *joint = "";

	fputs(",\"command\":[", file);
	for (const char *const *word = options->command; *word != NULL;
	     word++) {
		fputs(joint, file);
		put_string(file, *word);
		joint = ",";
	}
	putc(']', file);
}

void
report_json(struct sink *sink, const struct report *report,
    const struct record *record)
{
	FILE *file = sink->file;

	fprintf(file, "{\"event\":\"%s\",\"time\":", record_name(record->kind));
	put_number(file, record->time);
	fputs(",\"elapsed\":", file);
	put_number(file, record->elapsed);
	if (record->kind == RECORD_START)
		put_command(file, report->options);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i].kind != record->kind)
			continue;
		fprintf(file, ",\"%s\":", fields[i].name);
		put_value(file, &fields[i], record);
	}
	fputs("}\n", file);
}
