/* SPDX-License-Identifier: MIT */

/*
 * A run, told in words: its options as a user types them, after -a 0 -j none,
 * and steps, one to a line or with ";" between them:
 *
 *	[@TIME|+TIME] EVENT [VALUE] [NAME VALUE...] [: FACT VALUE...]
 *
 *	STORY(a_timeout_sends_its_signal, "-t 5 -s HUP",
 *	    "@1 start: run until 6, timeout 5\n"
 *	    "timer: kill HUP until 16; ends timeout: wait, failures 1, not final")
 *
 * @5 sets the clock to 5 s, +5 adds 5 s, and `timer` without a time goes on to
 * what is waited for.  Once the event has happened, each fact must hold: first
 * what the run asks for, from actions[], then any of facts[]; a step without an
 * event has more of them.  "~" before a number allows a difference of 1e-12,
 * "=high" is the value of another fact, and commas are for the eye.  "9 times"
 * before a line repeats it.  $1 stands for the first word of a row; rows are
 * divided by ";", too.
 *
 * Besides events[] there are `start`, which begins a run, or another one, and
 * `delays 1 2`: attempts exit with 1, and are followed by these waits.  Before
 * `start`, `chance 0.5` is what each draw gives, `takes 3` the seconds of each
 * signal, lock and delivery, and with `cannot-save` no state can be written.
 */

#ifndef STORY_H
#define STORY_H

#include <inttypes.h>
#include <stddef.h>

#include "drive.h"
#include "plans.h"

#define STORY_TEXT 4096

/* STORY(name, options, steps), or more such pairs. */
#define STORY(name, ...) \
	TEST(name) \
	{ \
		static const char *const texts[] = { __VA_ARGS__ }; \
\
		for (size_t i = 0; i < COUNT(texts); i += 2) \
			story_play(__FILE__, __LINE__, texts[i], texts[i + 1], \
			    ""); \
	}

/* STORIES(name, options, steps, rows): the same story for each row. */
#define STORIES(name, options, steps, rows) \
	TEST(name) \
	{ \
		story_play_rows(__FILE__, __LINE__, options, steps, rows); \
	}

/* --- words --- */

enum value {
	VALUE_FLAG, /* bool: the name alone, after "not" if it is false */
	VALUE_SECONDS,
	VALUE_COUNT,   /* uint64_t, or int64_t */
	VALUE_INT,     /* int */
	VALUE_SIGNAL,  /* int: "TERM"; 0 is none */
	VALUE_OUTCOME, /* "9", "KILL", "timeout", "ENOENT" */
	VALUE_WORD     /* an enum, of which `words` has the names */
};

/* A member of struct drive or struct step. */
struct member {
	const char *name;
	enum value value;
	size_t offset;
	const char *const *words; /* the first of them; each is so far away: */
	size_t stride;
};

#define WORDS(table) VALUE_WORD, .words = (table), .stride = sizeof((table)[0])
#define AT(member) .offset = offsetof(struct drive, member)
#define IN(member) .offset = offsetof(struct step, member)

/* In the order of their enums. */
static const char *const cuts[] = { "nothing", "attempt", "check", "gate",
	"input" };
static const char *const extents[] = { "unknown", "whole", "unread",
	"unsearched" };
static const char *const question_names[] = { "nothing", "state", "input",
	"check", "budget", "gate", "hook" };
static const char *const answers[] = { "none", "yes", "again", "no" };

/* What the run asks for, and the facts whose values follow. */
static const struct {
	const char *name, *facts[2];
} actions[] = {
	[ACTION_NONE] = { "nothing" },
	[ACTION_RUN] = { "run" },
	[ACTION_PROBE] = { "probe" },
	[ACTION_END_PROBE] = { "end-probe" },
	[ACTION_ASK] = { "ask", { "asks" } },
	[ACTION_WAIT] = { "wait" },
	[ACTION_KILL] = { "kill", { "sends" } },
	[ACTION_LOOK] = { "look" },
	[ACTION_ABANDON] = { "abandon" },
	[ACTION_COLLECT] = { "collect" },
	[ACTION_DROP] = { "drop" },
	[ACTION_DELIVER] = { "deliver" },
	[ACTION_FINISH] = { "finish", { "reason", "status" } },
};

/* Where the run stands. */
static const struct member facts[] = {
	{ "until", VALUE_SECONDS, AT(action.wake) },
	{ "asks", WORDS(question_names), AT(action.question) },
	{ "sends", VALUE_SIGNAL, AT(action.signal) },
	{ "now", VALUE_SECONDS, AT(now) },
	{ "elapsed", VALUE_SECONDS, AT(run.elapsed) },

	{ "attempt", VALUE_COUNT, AT(run.attempt.number) },
	{ "begun", VALUE_SECONDS, AT(run.attempt.begun) },
	{ "timeout", VALUE_SECONDS, AT(run.attempt.timeout) },
	{ "health", WORDS(health_names), AT(run.attempt.health) },
	{ "healthy-told", VALUE_FLAG, AT(run.attempt.healthy_told) },
	{ "probes-failed", VALUE_COUNT, AT(run.attempt.probes.failures) },

	{ "outcome", VALUE_OUTCOME, AT(run.last.outcome) },
	{ "returned", VALUE_OUTCOME, AT(run.last.returned) },
	{ "output", WORDS(extents), AT(run.last.extent) },
	{ "verdict", WORDS(verdict_names), AT(run.last.judgement.verdict) },
	{ "rule", WORDS(rule_names), AT(run.last.judgement.rule) },
	{ "throttled", VALUE_FLAG, AT(run.last.judgement.throttled) },
	{ "check-timed-out", VALUE_FLAG, AT(run.last.check_timed_out) },

	{ "delay", VALUE_SECONDS, AT(run.wait.delay.seconds) },
	{ "nominal", VALUE_SECONDS, AT(run.wait.delay.nominal) },
	{ "low", VALUE_SECONDS, AT(run.wait.delay.low) },
	{ "high", VALUE_SECONDS, AT(run.wait.delay.high) },
	{ "hint", VALUE_SECONDS, AT(run.last.hint) },
	{ "hint-is-longer", VALUE_FLAG, AT(run.wait.delay.hint_is_longer) },
	{ "lasts", VALUE_FLAG, AT(run.wait.lasts) },
	{ "kept", VALUE_FLAG, AT(run.wait.kept) },
	{ "due", VALUE_SECONDS, AT(run.wait.due) },
	{ "before", VALUE_SECONDS, AT(run.wait.before) },
	{ "waited", VALUE_SECONDS, AT(run.wait.total) },

	{ "user", VALUE_SECONDS, AT(run.seen.user) },
	{ "system", VALUE_SECONDS, AT(run.seen.system) },
	{ "used", VALUE_COUNT, AT(run.used) },
	{ "final", VALUE_FLAG, AT(run.final) },
	{ "reached", VALUE_COUNT, AT(reached) },
	{ "failures", VALUE_COUNT, AT(run.failures) },
	{ "paid", VALUE_COUNT, AT(run.paid) },
	{ "locked", VALUE_FLAG, AT(run.locked) },
	{ "signal", VALUE_SIGNAL, AT(run.signal) },
	{ "forwarded", VALUE_FLAG, AT(run.forwarded) },

	{ "reason", VALUE_WORD, .words = &reasons->name,
	    .stride = sizeof(reasons[0]), AT(run.end.reason) },
	{ "status", VALUE_INT, AT(run.end.status) },
	{ "death", VALUE_SIGNAL, AT(run.end.death) },
	{ "ended-by", VALUE_SIGNAL, AT(run.end.ended_by) },
	{ "cut", WORDS(cuts), AT(run.end.cut) },
	{ "in-a-wait", VALUE_FLAG, AT(run.end.in_a_wait) },
	{ "too-long", VALUE_SECONDS, AT(run.end.too_long) },
	{ "too-early", VALUE_SECONDS, AT(run.end.too_early) },
	{ "tolerated", VALUE_FLAG, AT(run.end.tolerated) },
	{ "given-up", VALUE_COUNT, AT(run.end.given_up) },

	/* What was told, and what is left to the next run. */
	{ "judged", VALUE_FLAG, AT(judged) },
	{ "told", VALUE_INT, AT(told) },
	{ "tells", WORDS(record_names), AT(told_last) },
	{ "ends", VALUE_INT, AT(ends) },
	{ "told-status", VALUE_INT, AT(end.end.status) },
	{ "saved", VALUE_FLAG, AT(was_saved) },
	{ "saved-n", VALUE_COUNT, AT(saved.n) },
	{ "saved-delay", VALUE_SECONDS, AT(saved.delay) },
	{ "saved-age", VALUE_SECONDS, AT(saved.age) },
	{ "saved-given-up", VALUE_COUNT, AT(saved.given_up) },
	{ "saved-level", VALUE_SECONDS, AT(saved.level.value) },
	{ "saved-previous", VALUE_SECONDS, AT(saved.level.previous) },
	{ .name = NULL },
};

/* What happens: the step, and the member whose value follows. */
static const struct {
	const char *name;
	struct step step;
	struct member value;
} events[] = {
	{ "timer", { STEP_TIMER } },
	{ "ends", { STEP_ENDED, .hint = -1 },
	    { "", VALUE_OUTCOME, IN(outcome) } }, /* the attempt */
	{ "answer", { STEP_ANSWER },
	    { "", WORDS(answers), IN(answer) } }, /* to a question */
	/* `retry` itself, in place of an answer: it may die of a signal. */
	{ "no-answer", { STEP_ANSWER, .answer = ANSWER_NO, .failed = true },
	    { "", VALUE_SIGNAL, IN(signal) } },
	{ "error", { STEP_ERROR }, { "", VALUE_SIGNAL, IN(signal) } },
	{ "signal", { STEP_SIGNAL }, { "", VALUE_SIGNAL, IN(signal) } },
	{ "probed", { STEP_PROBED }, { "", VALUE_OUTCOME, IN(outcome) } },
	{ "exited", { STEP_EXITED } }, /* the process, but not what it left */
	{ "reaped", { STEP_REAPED } },
	{ "gone", { STEP_GONE } }, /* all of that, or it was abandoned */
	{ "date", { STEP_DATE } },
	{ "progress", { STEP_PROGRESS } },
	{ "blocked", { STEP_BLOCKED } },
	{ "delivered", { STEP_DELIVERED } },
	{ .name = NULL },
};

/* More that an event may say: of `ends`, `timer`, and the state's answer. */
static const struct member details[] = {
	{ "hint", VALUE_SECONDS, IN(hint) },
	{ "active", VALUE_SECONDS, IN(active) },
	{ "n", VALUE_COUNT, IN(state.n) },
	{ "delay", VALUE_SECONDS, IN(state.delay) },
	{ "given-up", VALUE_COUNT, IN(state.given_up) },
	{ "previous", VALUE_SECONDS, IN(state.level.previous) },
	{ .name = NULL },
};

/* --- a step --- */

struct story {
	struct drive drive;
	const char *file;
	int line;
	double chance;
	char *rest;  /* of the step */
	bool failed; /* what follows makes no sense */
};

static void
story_fail(struct story *story, const char *what, const char *word)
{
	char text[256];

	snprintf(text, sizeof(text), "%s: '%s'", what, word);
	story->failed = !tap_check(false, story->file, story->line, text);
}

/* Takes the next word of the step; "" is its end. */
static const char *
story_word(struct story *story)
{
	const char *word = "";

	while (story->rest != NULL && *word == '\0')
		word = strsep(&story->rest, " ,");
	return word;
}

static double
story_number(struct story *story, const char *word)
{
	char *end;
	const double number = strtod(word, &end);

	if (strcmp(word, "never") == 0)
		return INFINITY;
	if (end == word || *end != '\0')
		story_fail(story, "not a number", word);
	return number;
}

static uint64_t
story_count(struct story *story, const char *word)
{
	char *end;
	const uint64_t count = strtoumax(word, &end, 10);

	if (end == word || *end != '\0')
		story_fail(story, "not a count", word);
	return count;
}

static int
story_signal(struct story *story, const char *word)
{
	const bool is_none = *word == '\0' || strcmp(word, "none") == 0;
	const int number = is_none ? 0 : signal_parse(word);

	if (number == -1)
		story_fail(story, "not a signal", word);
	return number;
}

static struct outcome
story_outcome(struct story *story, const char *word)
{
	static const struct {
		const char *name;
		struct outcome outcome;
	} rows[] = {
		{ "timeout", { OUTCOME_TIMEOUT, 0 } },
		{ "unhealthy", { OUTCOME_UNHEALTHY, 0 } },
		{ "unforked", { OUTCOME_UNFORKED, EAGAIN } },
		{ "ENOENT", { OUTCOME_UNSTARTABLE, ENOENT } },
		{ "EACCES", { OUTCOME_UNSTARTABLE, EACCES } },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(word, rows[i].name) == 0)
			return rows[i].outcome;
	if (strspn(word, "0123456789") > 0)
		return (struct outcome){ OUTCOME_EXIT,
			(int)story_count(story, word) };
	return (struct outcome){ OUTCOME_SIGNAL, story_signal(story, word) };
}

static int
story_answer(struct story *story, const char *word)
{
	int number = COUNT(answers);

	while (--number > 0 && strcmp(answers[number], word) != 0)
		continue;
	if (strcmp(answers[number], word) != 0)
		story_fail(story, "not an answer", word);
	return number;
}

/* The row with this name, or the last. */
static const struct member *
story_member(const struct member *rows, const char *name)
{
	while (rows->name != NULL && strcmp(rows->name, name) != 0)
		rows++;
	return rows;
}

/* Reads the next word into the member of the step. */
static void
story_read(struct story *story, const struct member *member, struct step *step)
{
	void *place = (char *)step + member->offset;
	const char *word = story_word(story);

	switch (member->value) {
	case VALUE_SECONDS:
		*(double *)place = story_number(story, word);
		break;
	case VALUE_COUNT:
		*(uint64_t *)place = story_count(story, word);
		break;
	case VALUE_INT:
	case VALUE_SIGNAL:
		*(int *)place = story_signal(story, word);
		break;
	case VALUE_OUTCOME:
		*(struct outcome *)place = story_outcome(story, word);
		break;
	case VALUE_FLAG:
	case VALUE_WORD:
		*(enum answer *)place = (enum answer)story_answer(story, word);
	}
}

/* The name of this value of an enum. */
static const char *
story_name(const struct member *member, int number)
{
	const char *first = (const char *)member->words;

	return *(const char *const *)(const void *)(first +
	    (size_t)number * member->stride);
}

/* Seconds: a number, or "=NAME" for another fact. */
static double
story_seconds(struct story *story, const char *word)
{
	const struct member *fact = story_member(facts, word + (*word == '='));

	return *word == '=' && fact->value == VALUE_SECONDS
	    ? *(const double *)(const void *)((const char *)&story->drive +
		  fact->offset)
	    : story_number(story, word);
}

static bool
story_is(struct story *story, const struct member *fact, intmax_t got,
    intmax_t want)
{
	return tap_check_int(got, want, story->file, story->line, fact->name);
}

/* Compares the fact with `wanted`, or else with the next word. */
static void
story_compare(struct story *story, const struct member *fact, bool wanted)
{
	const void *place = (const char *)&story->drive + fact->offset;
	const bool *flag = place;
	const double *seconds = place;
	const uint64_t *count = place;
	const int *number = place;
	const struct outcome *got = place;
	const char *word = fact->value == VALUE_FLAG ? "" : story_word(story);
	const bool is_near = *word == '~';
	struct outcome want;
	bool held = false;

	switch (fact->value) {
	case VALUE_FLAG:
		held = story_is(story, fact, *flag, wanted);
		break;
	case VALUE_SECONDS:
		held = strcmp(word, "nan") == 0
		    ? tap_check(isnan(*seconds), story->file, story->line,
			  fact->name)
		    : tap_check_dbl(*seconds,
			  story_seconds(story, word + is_near),
			  is_near ? 1e-12 : 0, story->file, story->line,
			  fact->name);
		break;
	case VALUE_COUNT:
		held = story_is(story, fact, (intmax_t)*count,
		    (intmax_t)story_count(story, word));
		break;
	case VALUE_INT:
		held = story_is(story, fact, *number,
		    (intmax_t)story_count(story, word));
		break;
	case VALUE_SIGNAL:
		held =
		    story_is(story, fact, *number, story_signal(story, word));
		break;
	case VALUE_OUTCOME:
		want = story_outcome(story, word);
		held = tap_check_str(outcome_names[got->kind],
			   outcome_names[want.kind], story->file, story->line,
			   fact->name) &&
		    story_is(story, fact, got->code, want.code);
		break;
	case VALUE_WORD:
		held = tap_check_str(story_name(fact, *number), word,
		    story->file, story->line, fact->name);
	}
	story->failed |= !held;
}

/* Whether the run asks for this action; false: the word names none. */
static bool
story_asks(struct story *story, const char *word)
{
	size_t kind = 0;

	while (kind < COUNT(actions) && strcmp(actions[kind].name, word) != 0)
		kind++;
	if (kind == COUNT(actions))
		return false;
	story->failed |= !tap_check_str(actions[story->drive.action.kind].name,
	    word, story->file, story->line, "what the run does");
	for (int i = 0; i < 2 && actions[kind].facts[i] != NULL; i++)
		story_compare(story,
		    story_member(facts, actions[kind].facts[i]), true);
	return true;
}

static void
story_expect(struct story *story)
{
	const char *word;

	while (!story->failed && *(word = story_word(story)) != '\0') {
		const bool wanted = strcmp(word, "not") != 0;
		const char *name = wanted ? word : story_word(story);
		const struct member *fact = story_member(facts, name);

		if (fact->name != NULL && (wanted || fact->value == VALUE_FLAG))
			story_compare(story, fact, wanted);
		else if (!wanted || !story_asks(story, word))
			story_fail(story, "unknown fact", name);
	}
}

/* Attempts fail, and are followed by these delays. */
static void
story_delays(struct story *story)
{
	struct drive *drive = &story->drive;
	const char *word;

	while (!story->failed && *(word = story_word(story)) != '\0') {
		const double want = story_number(story, word);

		drive_exit(drive, 1);
		story->failed = story->failed ||
		    !CHECK_STR(actions[drive->action.kind].name, "wait") ||
		    !CHECK_DBL(drive->run.wait.delay.seconds, want, 1e-12) ||
		    !CHECK_DBL(drive->action.wake, drive->now + want, 1e-12) ||
		    !CHECK_INT(drive_timer(drive), ACTION_RUN);
	}
}

/* What happens. */
static void
story_event(struct story *story, const char *name, bool timed)
{
	struct drive *drive = &story->drive;
	size_t row = 0;
	const char *word;

	while (events[row].name != NULL && strcmp(events[row].name, name) != 0)
		row++;
	struct step step = events[row].step;
	if (events[row].name == NULL)
		story_fail(story, "unknown event", name);
	if (events[row].value.value != VALUE_FLAG)
		story_read(story, &events[row].value, &step);
	while (!story->failed && *(word = story_word(story)) != '\0') {
		const struct member *detail = story_member(details, word);

		if (detail->name == NULL)
			story_fail(story, "unknown word", word);
		else
			story_read(story, detail, &step);
	}
	if (step.kind == STEP_TIMER && !timed)
		drive->now = fmax(drive->now, drive->action.wake);
	if (isinf(drive->now))
		story_fail(story, "no time is waited for", name);
	if (!story->failed)
		drive_step(drive, step);
}

static void
story_step(struct story *story, char *text)
{
	struct drive *drive = &story->drive;
	char *event = strsep(&text, ":");
	const char *word;
	bool timed = false;

	story->rest = event;
	word = story_word(story);
	if (*word == '@' || *word == '+') {
		timed = true;
		drive->now = story_number(story, word + 1) +
		    (*word == '+' ? drive->now : 0);
		word = story_word(story);
	}
	if (strcmp(word, "start") == 0)
		drive_start(drive);
	else if (strcmp(word, "chance") == 0) {
		story->chance = story_number(story, story_word(story));
		drive->random.script = &story->chance;
		drive->random.script_length = 1;
	} else if (strcmp(word, "takes") == 0)
		drive->takes = story_number(story, story_word(story));
	else if (strcmp(word, "cannot-save") == 0)
		drive->save_fails = true;
	else if (strcmp(word, "delays") == 0)
		story_delays(story);
	else if (*word != '\0')
		story_event(story, word, timed);
	story->rest = text;
	story_expect(story);
}

/* --- a story --- */

/* Replaces $1 by the first word of the row, and so on. */
static void
story_fill(const char *text, const char *row, char filled[STORY_TEXT])
{
	size_t length = 0;

	for (; *text != '\0'; text++) {
		const char *word = *text == '$' ? row : text;
		size_t size = *text == '$' ? strcspn(row, " ") : 1;

		if (*text == '$')
			for (int n = *++text - '1'; n > 0; n--) {
				word += size + (word[size] == ' ');
				size = strcspn(word, " ");
			}
		if (size == 0 || length + size >= STORY_TEXT)
			tap_bail_out(row, "a row lacks a word, or is too long");
		memcpy(filled + length, word, size);
		length += size;
	}
	filled[length] = '\0';
}

static void
story_line(struct story *story, const char *options, const char *line)
{
	char *rest;
	long times = strtol(line, &rest, 10);
	const bool repeats = strncmp(rest, " times ", 7) == 0;

	for (times = repeats ? times : 1; times > 0; times--) {
		char text[STORY_TEXT], *steps = text, *step;

		snprintf(text, sizeof(text), "%s", repeats ? rest + 7 : line);
		while (!story->failed && (step = strsep(&steps, ";")) != NULL) {
			ROW("retry %.90s: %.150s", options,
			    step + strspn(step, " "));
			story_step(story, step);
		}
	}
}

static void
story_play(const char *file, int line, const char *options, const char *steps,
    const char *row)
{
	char filled[STORY_TEXT], text[STORY_TEXT], words[512];
	char *rest = text, *next;
	struct planned planned;

	story_fill(options, row, filled);
	story_fill(steps, row, text);
	snprintf(words, sizeof(words), "-a 0 -j none %.400s -- true", filled);
	planned_open(&planned, words);
	struct story story = { .file = file, .line = line };
	story.drive.policy = planned.options.policy;
	story.drive.random.seed = planned.options.style.seed;
	ROW("retry %.200s", filled);
	if (!planned.valid)
		story_fail(&story, "refused", filled);
	while (!story.failed && (next = strsep(&rest, "\n")) != NULL)
		story_line(&story, filled, next);
	planned_close(&planned);
}

static void
story_play_rows(const char *file, int line, const char *options,
    const char *steps, const char *rows)
{
	char text[STORY_TEXT], *rest = text, *row;

	snprintf(text, sizeof(text), "%s", rows);
	while ((row = strsep(&rest, ";")) != NULL)
		story_play(file, line, options, steps, row + strspn(row, " "));
}

#endif
