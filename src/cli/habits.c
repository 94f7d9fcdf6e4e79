#include <ctype.h>
#include <signal.h>
#include <string.h>
#include <strings.h>

#include "cli/habits.h"
#include "core/duration.h"
#include "core/signals.h"
#include "core/text.h"

/* Longer words are not compared. */
#define WORD_MOST 32

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * The number of letters to add, take out, replace or swap with the next one
 * (the distance of Damerau and Levenshtein).  Words are shorter than WORD_MOST.
 */
static size_t
distance(const char *a, const char *b)
{
	size_t counts[WORD_MOST][WORD_MOST] = { { 0 } };
	const size_t rows = strlen(a), columns = strlen(b);

	for (size_t i = 0; i <= rows; i++)
		for (size_t j = 0; j <= columns; j++) {
			size_t *count = &counts[i][j];

			if (i == 0 || j == 0) {
				*count = i + j;
				continue;
			}
			const int x = tolower((unsigned char)a[i - 1]),
				  y = tolower((unsigned char)b[j - 1]);
			*count = counts[i - 1][j - 1] + (x != y);
			*count = least(*count, counts[i - 1][j] + 1);
			*count = least(*count, counts[i][j - 1] + 1);
			if (i > 1 && j > 1 &&
			    x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				*count =
				    least(*count, counts[i - 2][j - 2] + 1);
		}
	return counts[rows][columns];
}

void
habits_compare(struct nearest *nearest, const char *word)
{
	const char *typed = nearest->typed;
	const size_t length = strlen(typed);

	if (length >= WORD_MOST || strlen(word) >= WORD_MOST)
		return;
	/* Three letters are enough for the beginning of a word. */
	const size_t away = length >= 3 && strncasecmp(word, typed, length) == 0
	    ? 1
	    : distance(typed, word);
	if (away > length / 3 ||
	    (nearest->word != NULL && away >= nearest->distance))
		return;
	nearest->word = word;
	nearest->distance = away;
}

void
habits_compare_outcomes(struct nearest *nearest, bool sets)
{
	const char *typed = nearest->typed;

	nearest->typed += strspn(typed, "!^");
	if (strncasecmp(nearest->typed, "SIG", 3) == 0 ||
	    strncasecmp(nearest->typed, "EX_", 3) == 0)
		nearest->typed += 3;
	for (int number = 1; number < NSIG; number++)
		if (signal_abbreviation(number) != NULL)
			habits_compare(nearest, signal_abbreviation(number));
	for (size_t i = 0; sets && set_classes[i].name != NULL; i++)
		habits_compare(nearest, set_classes[i].name);
	for (size_t i = 0; sets && set_sysexits[i].name != NULL; i++)
		habits_compare(nearest, set_sysexits[i].name);
	nearest->typed = typed;
}

struct habit {
	const char *typed;
	const char *instead;
};

#define TRIES "use --attempts=N, which counts the first attempt too"
#define EVEN \
	"use --delay=DUR, and --backoff=constant for delays that do not grow"

static const struct habit option_habits[] = {
	{ "retries", TRIES },
	{ "retry", TRIES },
	{ "max-retries", TRIES },
	{ "tries", "use --attempts=N" },
	{ "max-tries", "use --attempts=N" },
	{ "max-attempts", "use --attempts=N" },
	{ "times", "use --attempts=N" },
	{ "count", "use --attempts=N" },
	{ "n", "use -a N" },
	{ "forever", "use --attempts=0" },
	{ "infinite", "use --attempts=0" },
	{ "unlimited", "use --attempts=0" },
	{ "f", "use -a 0" },
	{ "interval", EVEN },
	{ "wait", EVEN },
	{ "sleep", EVEN },
	{ "retry-delay", EVEN },
	{ "i", "use -d DUR, and -b constant for delays that do not grow" },
	{ "fixed", "use --backoff=constant" },
	{ "no-backoff", "use --backoff=constant" },
	{ "factor", "use --backoff=exponential:factor=F" },
	{ "multiplier", "use --backoff=exponential:factor=F" },
	{ "max-interval", "use --max-delay=DUR" },
	{ "max-wait", "use --max-delay=DUR" },
	{ "no-jitter", "use --jitter=none" },
	{ "deadline", "use --max-time=DUR" },
	{ "retry-max-time", "use --max-time=DUR" },
	{ "total-timeout", "use --max-time=DUR" },
	{ "until", "use --success-on=SET, or --success-match=ERE" },
	{ "while", "use --retry-on=SET, or --retry-match=ERE" },
	{ "u", "only Debian's retry has it; use --success-on='!0,STATUS'" },
	{ "w", "only Debian's retry has it; use --retry-on=STATUS" },
	{ "on-retry", "use --before-retry=COMMAND" },
	{ "on-failure", "use --on-give-up=COMMAND" },
	{ "on-error", "use --on-give-up=COMMAND" },
	{ "dry-run", "use --plan" },
	{ "silent", "use --quiet" },
	{ "debug", "use --verbose" },
	{ "json", "use --log=json" },
	{ "junit", "use --log=junit:FILE" },
	{ "color", "colours are for terminals; NO_COLOR=1 turns them off" },
	{ "no-color", "set NO_COLOR=1" },
};

const char *
habits_option(const char *name)
{
	const size_t count = sizeof(option_habits) / sizeof(option_habits[0]);

	for (size_t i = 0; i < count; i++)
		if (strcmp(option_habits[i].typed, name) == 0)
			return option_habits[i].instead;
	return NULL;
}

const char *
habits_value(enum option_id id, const char *value)
{
	static const struct {
		enum option_id id;
		struct habit habit;
	} rows[] = {
		{ OPTION_ATTEMPTS, { "inf", "0" } },
		{ OPTION_ATTEMPTS, { "infinite", "0" } },
		{ OPTION_ATTEMPTS, { "unlimited", "0" } },
		{ OPTION_ATTEMPTS, { "forever", "0" } },
		{ OPTION_MAX_TIME, { "inf", "0" } },
		{ OPTION_TIMEOUT, { "inf", "0" } },
		{ OPTION_BACKOFF, { "fixed", "constant" } },
		{ OPTION_BACKOFF, { "none", "constant" } },
		{ OPTION_BACKOFF, { "random", "decorrelated" } },
		{ OPTION_JITTER, { "no", "none" } },
		{ OPTION_JITTER, { "off", "none" } },
		{ OPTION_PRESET, { "k8s", "kubernetes" } },
		{ OPTION_OUTPUT, { "quiet", "chronic" } },
		{ OPTION_OUTPUT, { "buffer", "hold" } },
		{ OPTION_STDIN, { "/dev/null", "null" } },
		{ OPTION_STDIN, { "none", "null" } },
		{ OPTION_LOG, { "xml", "junit" } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].id == id && strcmp(rows[i].habit.typed, value) == 0)
			return rows[i].habit.instead;
	return NULL;
}

/* Blanks, and the signs of a shell's syntax. */
#define BLANKS " \t\n"
#define SYNTAX "|&;<>()$`\\\"'*?[]{}~#"

#define LETTERS "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

static bool
is_shell_word(const char *name)
{
	static const char *const words[] = { "[[", "alias", "case", "cd",
		"declare", "eval", "exec", "export", "for", "function", "if",
		"local", "read", "set", "source", "time", "type", "ulimit",
		"umask", "unset", "until", "wait", "while", "{" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i], name) == 0)
			return true;
	return false;
}

const char *
habits_command(const struct options *options, char *text, size_t size)
{
	const char *name = *options->command;
	const size_t word = strspn(name, LETTERS DIGITS);
	const char *before = "did you mean ", *after = " ...?";
	char safe[128];
	double number;

	text_safe(name, safe, sizeof(safe));
	if (strcmp(name, "!") == 0)
		return "to wait for a failure: --success-on=none,nonzero";
	if (is_shell_word(name)) {
		before = "the shell knows this word: " PROGRAM " sh -c '";
		after = " ...'";
	} else if (strcmp(name, "help") == 0 || strcmp(name, "version") == 0) {
		before = "did you mean " PROGRAM " --";
		after = "?";
	} else if (word > 0 && name[word] == '=') {
		before = "did you mean " PROGRAM " env ";
	} else if (strpbrk(name, BLANKS) != NULL) {
		if (strpbrk(name, SYNTAX) != NULL)
			return "did you mean " PROGRAM " sh -c '...'?";
		before = "did you mean " PROGRAM " ";
		after = ", without the quotes?";
	} else if (*name != '\0' && name[strspn(name, DIGITS)] == '\0') {
		before = options->policy.repeat && options->policy.repeats == 0
		    ? "did you mean " PROGRAM " --repeat="
		    : "did you mean " PROGRAM " -a ";
	} else if (duration_parse(name, &number) == NULL) {
		before = "did you mean " PROGRAM " -T ";
	} else if (word > 0 && name[word] == '\0') {
		before =
		    "for a function of bash, export -f it and type: " PROGRAM
		    " bash -c '";
		after = "'";
	} else {
		return NULL;
	}
	snprintf(text, size, "%s%s%s", before, safe, after);
	return text;
}
