/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "options/suggest.h"
#include "core/duration.h"
#include "core/signals.h"
#include "core/text.h"

/* Where a word stands, if it is not the value of an option: see OPTIONS. */
enum {
	PLACE_OPTION = OPTIONS, /* an option's name, or its letter */
	PLACE_VALUE,		/* the value of any option */
	PLACE_DURATION,
	PLACE_SET,
	PLACE_PATTERN,
	PLACE_PARAMETER, /* of a strategy or a budget */
	PLACE_COMMAND	 /* instead of a command */
};

/*
 * The names, and the letters, of other programs' options, as patterns of
 * fnmatch(3) with blanks between them, and what to type instead; in its place @
 * stands for what was typed, or # for that with another mark: add_instead().
 */
static const struct {
	const char *typed;
	const char *instead;
} foreign[] = {
	{ "retries retry max-retries max-retry num-retries retry-count reruns "
	  "retry-limit retry-max backoff-limit fetch-retries r",
	    "use --attempts=N, which counts the first attempt too" },
	{ "tries max-tries max-attempts times count retry-times retry-attempts "
	  "num-attempts stop-after-attempt max-failures aws-max-attempts "
	  "failure-threshold loops max-retry-attempts",
	    "use --attempts=N" },
	{ "start-limit-*", "use --attempts=N/DUR" },
	{ "n", "for attempts, use -a N; for an interval, -d DUR" },
	{ "no-retry", "use --attempts=1" },
	{ "forever infinite unlimited retry-forever", "use --attempts=0" },
	{ "restart restart-policy respawn",
	    "use --attempts=N, or --attempts=0 to never give up" },
	{ "f", "for no limit, use -a 0" },
	{ "foreground", "COMMAND stays in the foreground" },
	{ "i interval wait sleep pause every period* poll* retry-delay "
	  "retry-interval retry-wait retry-sleep wait-time sleep-time "
	  "retry-*-seconds wait-seconds delay-seconds wait-fixed wait-retry "
	  "restart-sec restart-delay reruns-delay wait-duration sleep-dur* "
	  "wait-and-retry",
	    "for an interval, use -b constant -j none -d DUR; from start to "
	    "start, add --pace=start" },
	{ "initial-delay* base-delay initial-interval initial-backoff "
	  "min-backoff backoff-delay fetch-retry-mintimeout "
	  "median-first-retry-delay",
	    "use --delay=DUR; a number alone is seconds" },
	{ "max-interval max-wait max-retry-delay retry-max-delay max-backoff "
	  "backoff-max fetch-retry-maxtimeout waitretry cap",
	    "use --max-delay=DUR; a number alone is seconds" },
	{ "constant exponential linear fibonacci", "use --backoff=@" },
	{ "factor multiplier backoff-factor backoff-multiplier backoff-base "
	  "fetch-retry-factor",
	    "use --backoff=exponential:factor=F" },
	{ "exponential-backoff wait-exponential* wait-random-exponential",
	    "waits double, unless --backoff says otherwise" },
	{ "jitter-factor randomiz* max-jitter", "use --jitter=RATIO" },
	{ "no-jitter", "use --jitter=none" },
	{ "deadline retry-max-time total-timeout max-retry-time "
	  "max-elapsed-time max-duration overall-timeout "
	  "active-deadline-seconds stop-after-delay timeout-start-sec "
	  "global-timeout total-time",
	    "use --max-time=DUR" },
	{ "hard-timeout per-try-timeout attempt-timeout request-timeout "
	  "timeout-minutes timeout-seconds per-attempt-timeout slow-timeout "
	  "runtime-max-sec time*limit command-timeout",
	    "use --timeout=DUR, as 10m, or --max-time=DUR for the whole run" },
	{ "no-output-timeout inactivity-timeout stall-timeout hang-timeout",
	    "use --idle-timeout=DUR" },
	{ "grace grace-period termination-grace-period*",
	    "use --kill-after=DUR, or --stop-timeout=DUR if retry is stopped" },
	{ "stop-signal kill-signal", "use --signal=SIG" },
	{ "fail connect-timeout", "give it to curl: retry curl --@ ..." },
	{ "port tcp host wait-for",
	    "for a port: " PROGRAM " --preset=poll -T 1m nc -z HOST PORT" },
	{ "url http",
	    "for a page: " PROGRAM " --preset=poll -T 1m curl -fsSo "
	    "/dev/null URL" },
	{ "loop watch",
	    "to run again after a success: --repeat; to never give up: -a 0" },
	{ "until",
	    "use --success-on=SET, or --success-match=ERE; for a time, -T" },
	{ "while", "use --retry-on=SET, or --retry-match=ERE" },
	{ "u", "only Debian's retry has it; use --success-on='!0,STATUS'" },
	{ "w", "only Debian's retry has it; use --retry-on=STATUS" },
	{ "fail-on", "use --stop-on=SET, or --fail-match=ERE for output" },
	{ "failed-when", "use --fail-match=ERE, or --check=COMMAND" },
	{ "abort-on stop-if", "use --stop-on=SET, or --stop-match=ERE" },
	{ "on on-codes retry-on-exit-code on-exit-code retry-codes "
	  "retry-on-status retry-on-code retry-status retry-if retry-when "
	  "retry-if-exception* retry-if-result",
	    "use --retry-on=SET" },
	{ "exit-code exit-codes status codes if-exit",
	    "use --retry-on=SET, --stop-on=SET or --success-on=SET" },
	{ "ok ok-codes success-codes expected-status", "use --success-on=SET" },
	{ "ignore-exit-code ignore-errors ignore-failures continue-on-error "
	  "keep-going no-fail",
	    "add \"|| true\" after COMMAND" },
	{ "match grep regex regexp pattern expect contains retry-if-contains",
	    "use --retry-match=ERE, --stop-match=ERE or --success-match=ERE" },
	{ "retry-all-errors retry-on-timeout",
	    "every failure is retried, unless --retry-on limits it" },
	{ "retry-connrefused http-codes", "use --preset=curl" },
	{ "retry-on-http-error",
	    "it is wget's: " PROGRAM " --preset=wget wget ..." },
	{ "retry-after", "use --delay-match=ERE, or --preset=curl" },
	{ "circuit-breaker break-duration",
	    "see \"A circuit breaker\" in retry-cookbook(7)" },
	{ "bulkhead rate-limit*", "use --budget=FILE" },
	{ "retry-mode adaptive", "use --preset=aws" },
	{ "fallback", "add \"|| COMMAND\" after COMMAND" },
	{ "probe healthcheck health-check health-cmd liveness-probe "
	  "readiness-probe startup-probe watchdog-sec",
	    "use --health=COMMAND" },
	{ "lock lock-file single-instance exclusive",
	    "use --state=FILE, which is locked" },
	{ "transient-on transient-match permanent-on permanent-match",
	    "files for --preset have transient-on and -match, permanent-on "
	    "and -match" },
	{ "on-retry on-retry-command cleanup before-sleep new-command-on-retry",
	    "use --before-retry=COMMAND" },
	{ "on-failure on-fail on-error notify webhook slack mail email",
	    "use --on-give-up=COMMAND" },
	{ "clients", "use --plan=clients=N" },
	{ "dry-run dryrun noop no-op simulate", "use --plan" },
	{ "flaky flaky-result", "use --flaky-status=N" },
	{ "command cmd run exec c shell",
	    "COMMAND is the last argument: " PROGRAM " sh -c '...'" },
	{ "P jobs max-procs parallel I replace joblog halt bar",
	    "a run has one command: xargs ... " PROGRAM " COMMAND" },
	{ "e env", "for variables: " PROGRAM " env NAME=VALUE ..." },
	{ "C chdir cwd workdir working-directory",
	    "use " PROGRAM " env -C FOLDER COMMAND" },
	{ "silent warning-on-retry", "use --quiet" },
	{ "debug trace log-level", "use --verbose or --quiet" },
	{ "log*file output-file timestamps", "use --log=auto --log=text:FILE" },
	{ "json junit", "use --log=auto --log=@:FILE" },
	{ "no-color", "use --color=never" },
	{ "config", "use --preset=./FILE" },
	{ "*[[:space:]]*", "write the option and its value as two words" },
};

/* The same of other words that people type from habit. */
static const struct {
	int place; /* the number of an option whose value it is, or PLACE_* */
	const char *typed;
	const char *instead;
} habits[] = {
	{ OPTION_ATTEMPTS, "-1 inf* unlimited forever", "did you mean 0?" },
	{ OPTION_MAX_TIME, "[0-2][0-9]:[0-9][0-9]",
	    "-T takes a duration; for a time of day: "
	    "-T $(( ($(date -d @ +%s) - $(date +%s) + 86400) % 86400 ))" },
	{ OPTION_DELAY, "*,*", "for a list, use --backoff=list:@" },
	{ OPTION_BACKOFF, "fixed none", "did you mean constant?" },
	{ OPTION_BACKOFF, "random full*", "use --jitter=full" },
	{ OPTION_BACKOFF, "*,*=*", "write #" },
	{ OPTION_BACKOFF, "[.0-9]*:*",
	    "use --delay=DUR, and --max-delay=DUR for the longest" },
	{ OPTION_BACKOFF, "[0-9]*,*", "did you mean list:@?" },
	{ OPTION_BACKOFF, "[2-9]", "use --delay=@ or exponential:factor=@" },
	{ OPTION_BACKOFF, "[.0-9]*[0-9smhd] 1", "did you mean --delay=@?" },
	{ OPTION_JITTER, "decorrelated", "use --backoff=@" },
	{ OPTION_JITTER, "[2-9]", "use a ratio (20%) or +@s" },
	{ OPTION_JITTER, "[1-9][0-9] 100", "did you mean @%?" },
	{ OPTION_JITTER, "[.0-9]*[a-z]", "use a ratio (20%) or +@" },
	{ OPTION_PRESET, "k8s", "did you mean kubectl?" },
	{ OPTION_PRESET, "podman skopeo buildah", "did you mean docker?" },
	{ OPTION_PRESET, "rsync scp sftp", "did you mean ssh?" },
	{ OPTION_PRESET, "apt-get", "did you mean apt?" },
	{ OPTION_PRESET, "mvn java", "did you mean maven?" },
	{ OPTION_PRESET, "pip3 pipenv poetry python*", "did you mean pip?" },
	{ OPTION_PRESET, "nod[e] nodejs", "did you mean npm?" },
	{ OPTION_PRESET, "postgres*", "did you mean psql?" },
	{ OPTION_OUTPUT, "quiet silent", "did you mean chronic?" },
	{ OPTION_OUTPUT, "buffer* success", "did you mean hold?" },
	{ OPTION_OUTPUT, "text json junit github", "for messages: --log=@" },
	{ OPTION_LOG, "*=*", "write FORMAT:FILE" },
	{ OPTION_PLAN, "p=[2-9] p=[1-9][0-9]", "did you mean @%?" },
	{ OPTION_PLAN, "0.* .[0-9]* [1-9]*%", "did you mean p=@?" },

	{ PLACE_VALUE, "[[:space:]]*",
	    "write the option and its value as two words" },
	{ PLACE_VALUE, "=", "write no blanks around =" },
	{ PLACE_DURATION, "inf* never forever unlimited", "did you mean 0?" },
	{ PLACE_DURATION, "[0-9]*:[0-9]*", "write it as 1h2m3s" },
	{ PLACE_PARAMETER, "max", "use --max-delay" },

	{ PLACE_SET, "all always", "did you mean any?" },
	{ PLACE_SET, "error* fail*", "did you mean nonzero?" },
	{ PLACE_SET, "-1", "did you mean 255?" },
	{ PLACE_SET, "oom killed", "did you mean KILL?" },
	{ PLACE_SET,
	    "[45][0-9x][0-9x] [45][0-9x][0-9x]-??? [1-3][0-9x]x [1-3]00-?99",
	    "for an HTTP status, match the output: --help=http" },
	{ PLACE_SET, "network connection* econn* dns http",
	    "use transient, and --preset=network" },
	{ PLACE_SET, "*[[:space:]]*", "a SET has no blanks" },

	{ PLACE_PATTERN, "\\\\d*", "use [0-9]" },
	{ PLACE_PATTERN, "\\\\w*", "use [[:alnum:]_]" },
	{ PLACE_PATTERN, "\\\\s*", "use [[:space:]]" },
	{ PLACE_PATTERN, "\\\\b*",
	    "use (^|[^[:alnum:]_]) before a word, ([^[:alnum:]_]|$) after it" },

	{ PLACE_COMMAND, "!",
	    "to wait for a failure: --success-on=none,nonzero" },
	{ PLACE_COMMAND, "-*", "options go before --" },
	{ PLACE_COMMAND,
	    "\342\200\220* \342\200\221* \342\200\222* \342\200\223* "
	    "\342\200\224* \342\200\225* \342\210\222*",
	    "it starts with a typographic dash; type \"-\"" },
	{ PLACE_COMMAND, "gti", "did you mean git?" },
	{ PLACE_COMMAND, ".",
	    "\".\" is a shell word: " PROGRAM " sh -c '. ./FILE'" },
	{ PLACE_COMMAND, "until while", PROGRAM " is the loop: leave out @" },
	{ PLACE_COMMAND, "help version", "did you mean " PROGRAM " --@?" },
	{ PLACE_COMMAND, "http://* https://*",
	    "for a page: " PROGRAM " --preset=poll -T 1m curl -fsSo "
	    "/dev/null @" },
	{ PLACE_COMMAND, "tcp:*",
	    "for a port: " PROGRAM " --preset=poll -T 1m nc -z HOST PORT" },
	{ PLACE_COMMAND, "[!:/]*:[0-9]*",
	    "for a port: " PROGRAM " --preset=poll -T 1m nc -z #" },
	{ PLACE_COMMAND, "[A-Za-z_]*=*",
	    "did you mean " PROGRAM " env @ ...?" },
	{ PLACE_COMMAND, "~* $*",
	    "only a shell expands ~ and $NAME: " PROGRAM " sh -c '...'" },
	{ PLACE_COMMAND,
	    "ms s sec secs second seconds m min mins minute minutes h hour "
	    "hours d day days",
	    "write a duration in one word, such as 5m" },
	{ PLACE_COMMAND,
	    "alias case cd eval exec export for if read set time type ulimit "
	    "umask unset wait {",
	    "the shell knows this word: " PROGRAM " sh -c '@ ...'" },
	{ PLACE_COMMAND,
	    "(( \\[\\[ declare dirs function let local mapfile popd pushd "
	    "readarray select shopt source typeset",
	    "bash knows this word: " PROGRAM " bash -c '@ ...'" },
};

#define FOREIGN (sizeof(foreign) / sizeof(foreign[0]))
#define HABITS (sizeof(habits) / sizeof(habits[0]))

/* Longer words are not compared. */
#define WORD_MOST 32

#define BLANKS " \t\n"
#define DIGITS "0123456789"
#define NAMES "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool
is_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
 * The number of letters to add, take out, replace or swap with the next one
 * (the distance of Damerau and Levenshtein); WORD_MOST if the words are not
 * near each other.
 */
static size_t
distance(const char *a, const char *b)
{
	const size_t rows = strlen(a), columns = strlen(b);
	size_t counts[WORD_MOST][WORD_MOST], count = 0;

	if (rows >= WORD_MOST || columns >= WORD_MOST)
		return WORD_MOST;
	for (size_t i = 0; i <= rows; i++)
		for (size_t j = 0; j <= columns; j++) {
			count = i + j;
			if (i > 0 && j > 0) {
				count = counts[i - 1][j - 1] +
				    !is_same(a[i - 1], b[j - 1]);
				count = least(count, counts[i - 1][j] + 1);
				count = least(count, counts[i][j - 1] + 1);
			}
			if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) &&
			    is_same(a[i - 2], b[j - 1]))
				count = least(count, counts[i - 2][j - 2] + 1);
			counts[i][j] = count;
		}
	const size_t most = rows < 3 ? 0 : rows < 12 ? 1 : 2;
	return count <= most ? count : WORD_MOST;
}

/* What was typed, and what is meant; at first only `typed` is set. */
struct guess {
	const char *typed;
	const char *word;    /* of ours, or NULL */
	const char *instead; /* of a habit, or NULL */
	bool fits;	     /* the habit is what was typed */
	size_t distance;     /* of the word or the habit; WORD_MOST: no guess */
	char tried[512];     /* all words so far: ", end, start" */
};

/* Takes the word if it is the nearest so far. */
static void
try_word(struct guess *guess, const char *word)
{
	const size_t length = strlen(guess->typed);
	size_t away = distance(guess->typed, word);

	text_append(guess->tried, sizeof(guess->tried), ", %s", word);
	/* Three letters are enough for the beginning of a word. */
	if (away > 1 && length >= 3 &&
	    strncasecmp(word, guess->typed, length) == 0)
		away = 1;
	if (away >= guess->distance)
		return;
	guess->word = word;
	guess->distance = away;
}

/* A table of words: rows of `stride` bytes; a NULL ends it. */
static void
try_table(struct guess *guess, const char *const *first, size_t stride)
{
	for (const char *row = (const char *)first;
	     *(const char *const *)(const void *)row != NULL; row += stride)
		try_word(guess, *(const char *const *)(const void *)row);
}

/*
 * Takes a word of a habit if it fits, or is nearer than what was found so far.
 * One of fewer letters than `least_near` must fit: too much is near it.
 */
static void
try_habit(struct guess *guess, const char *typed, const char *instead,
    int flags, size_t least_near)
{
	char pattern[TEXT_ITEM];

	while (*typed != '\0' && !guess->fits) {
		const size_t length = strcspn(typed, " ");
		const bool may_be_near =
		    length >= least_near && strpbrk(instead, "@#") == NULL;

		strlcpy(pattern, typed, length + 1);
		typed += length + strspn(typed + length, " ");
		guess->fits = *guess->typed != '\0' &&
		    fnmatch(pattern, guess->typed, flags) == 0;
		const size_t away = guess->fits ? 0
		    : may_be_near ? distance(guess->typed, pattern)
				  : WORD_MOST;
		if (!guess->fits && (away > 1 || away >= guess->distance))
			continue;
		guess->word = NULL;
		guess->instead = instead;
		guess->distance = away;
	}
}

/* All habits of this place. */
static void
try_habits(struct guess *guess, int place)
{
	/* Upper case is a letter of its own: -P is not -p. */
	for (size_t i = 0; i < FOREIGN && place == PLACE_OPTION; i++)
		try_habit(guess, foreign[i].typed, foreign[i].instead, 0, 6);
	for (size_t i = 0; i < HABITS; i++)
		if (habits[i].place == place)
			try_habit(guess, habits[i].typed, habits[i].instead,
			    FNM_CASEFOLD, 4);
}

/* The words and habits of a place, and of the option whose value it is. */
static struct guess
find_guess(const struct options *options, int id, int place, const char *typed)
{
	struct guess guess = { .typed = typed, .distance = WORD_MOST };

	for (int i = 0; place == PLACE_OPTION && i < OPTIONS; i++)
		try_word(&guess, option_rows[i].name);
	for (int number = 1; number < NSIG; number++)
		if ((place == PLACE_SET || id == OPTION_SIGNAL) &&
		    signal_abbreviation(number) != NULL)
			try_word(&guess, signal_abbreviation(number));
	if (place == PLACE_SET) {
		try_table(&guess, &set_classes[0].name, sizeof(set_classes[0]));
		try_table(&guess, &set_sysexits[0].name,
		    sizeof(set_sysexits[0]));
	} else if (place == PLACE_PARAMETER) {
		const struct param *params =
		    options->policy.backoff.strategy->params;

		try_table(&guess, &params[0].name, sizeof(params[0]));
	} else if (id < OPTIONS && option_rows[id].words != NULL) {
		try_table(&guess, option_rows[id].words,
		    option_rows[id].stride);
	}
	/* A parameter has habits of its own. */
	if (place != PLACE_PARAMETER)
		try_habits(&guess, id);
	try_habits(&guess, place);
	try_habits(&guess, PLACE_VALUE);
	return guess;
}

/*
 * Adds what to type instead, with what was typed in the place of @; in that of
 * # its first colon becomes a blank, or its first comma a colon.
 */
static void
add_instead(const char *instead, const char *typed, char *text, size_t size)
{
	char safe[5 * TEXT_ITEM];

	text_safe(typed, safe, sizeof(safe));
	char *mark = safe + strcspn(safe, ":,");
	if (strchr(instead, '#') != NULL && *mark != '\0')
		*mark = *mark == ':' ? ' ' : ':';
	for (; *instead != '\0'; instead++)
		if (*instead == '@' || *instead == '#')
			text_append(text, size, "%s", safe);
		else
			text_append(text, size, "%c", *instead);
}

/*
 * An option's name as ours are written: max_retries and maxRetries become
 * max-retries.  A single letter stays as it is.
 */
static void
respell_name(const char *name, char typed[TEXT_ITEM])
{
	const bool is_letter = strlen(name) < 2;
	size_t length = 0;

	for (size_t i = 0; name[i] != '\0' && length < TEXT_ITEM - 2; i++) {
		const unsigned char c = (unsigned char)name[i];

		if (i > 0 && isupper(c) && islower((unsigned char)name[i - 1]))
			typed[length++] = '-';
		typed[length++] = (char)(is_letter ? c
			: c == '_'		   ? '-'
						   : tolower(c));
	}
	typed[length] = '\0';
}

void
suggest_option(const char *name, char *text, size_t size)
{
	char typed[TEXT_ITEM];

	respell_name(name, typed);
	const struct guess guess =
	    find_guess(NULL, PLACE_OPTION, PLACE_OPTION, typed);
	if (*name != '\0' && *name != '0' && name[strspn(name, DIGITS)] == '\0')
		text_append(text, size, "; use -a %s", name);
	else if (guess.word != NULL)
		text_append(text, size, "; did you mean --%s?", guess.word);
	else if (guess.instead != NULL) {
		text_append(text, size, "; ");
		add_instead(guess.instead, typed, text, size);
	}
}

const char *
suggest_topic(const char *typed)
{
	return find_guess(NULL, OPTION_HELP, PLACE_VALUE, typed).word;
}

/* The place of the wrong part of a value, or of the whole value. */
static int
place_of(const struct options *options, enum option_id id, const char *part)
{
	const enum option_type type = option_rows[id].type;

	if (id == OPTION_BACKOFF && part != options->text[id])
		return PLACE_PARAMETER;
	if (type == TYPE_SET || id == OPTION_PLAN ||
	    (id == OPTION_ATTEMPTS && strchr(part, ':') != NULL))
		return PLACE_SET;
	if (type == TYPE_ERE)
		return PLACE_PATTERN;
	if (type == TYPE_DURATION || id == OPTION_TIMEOUT)
		return PLACE_DURATION;
	return id == OPTION_HELP ? PLACE_OPTION : PLACE_VALUE;
}

void
suggest_value(const struct options *options, enum option_id id,
    const char *part, char *text, size_t size)
{
	const struct option_row *row = &option_rows[id];
	const int place = place_of(options, id, part);
	const bool is_set = place == PLACE_SET || id == OPTION_SIGNAL;
	char item[TEXT_ITEM], word[TEXT_ITEM];
	struct guess guess = { .fits = false };

	snprintf(item, sizeof(item), "%.*s", (int)strcspn(part, ","), part);
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(item, ":="), item);
	if (*item == '=' && item[1] != '\0' && row->letter != 0) {
		text_append(text, size, "; did you mean -%c ", row->letter);
		add_instead("@?", item + 1, text, size);
		return;
	}
	const char *bare = word + strspn(word, "!^-");
	if (is_set &&
	    (strncasecmp(bare, "SIG", 3) == 0 ||
		strncasecmp(bare, "EX_", 3) == 0))
		bare += 3;
	const char *const texts[] = { part, item, word, bare };
	for (size_t i = 0; i < 4 && !guess.fits; i++)
		guess = find_guess(options, (int)id, place, texts[i]);

	if (guess.instead != NULL) {
		text_append(text, size, "; ");
		add_instead(guess.instead, guess.typed, text, size);
	} else if (guess.word != NULL) {
		/* If the word is right, something else is wrong. */
		if (is_set ? guess.distance > 0 : strcmp(guess.word, bare) != 0)
			text_append(text, size, "; did you mean %s?",
			    guess.word);
	} else if (id == OPTION_HELP && *bare != '\0') {
		text_append(text, size, "; --help=topics lists them");
	} else if (place == PLACE_PARAMETER && *guess.tried == '\0' &&
	    !options->policy.backoff.strategy->listed) {
		text_append(text, size, "; %s has none",
		    options->policy.backoff.strategy->name);
	} else if (!is_set && row->type != TYPE_CHOICE &&
	    *guess.tried != '\0' && *bare != '\0' &&
	    bare[strspn(bare,
		place == PLACE_PARAMETER ? NAMES "-." : NAMES "-")] == '\0') {
		text_append(text, size, " (use %s)", guess.tried + 2);
	}
}

/* A whole command in one word, as "make && ls". */
static const char *
split_quoted(const char *command, const char *habit)
{
	if (habit != NULL && strstr(habit, " bash ") != NULL)
		return "did you mean " PROGRAM " bash -c '...'?";
	return habit != NULL ||
		strpbrk(command, "|&;<>()$`\\\"'*?[]{}~#") != NULL
	    ? "did you mean " PROGRAM " sh -c '...'?"
	    : "did you mean " PROGRAM " @, without the quotes?";
}

/* A command that could not be started, for this reason. */
static void
suggest_command(const struct options *options, const char *reason, char *text,
    size_t size)
{
	const char *name = *options->command, *before = options->command[-1];
	const bool is_number =
	    *name != '\0' && name[strspn(name, DIGITS)] == '\0';
	const bool limits_time = !options_given(options, OPTION_TIMEOUT) &&
	    (options_given(options, OPTION_KILL_AFTER) ||
		options_given(options, OPTION_SIGNAL) ||
		options_given(options, OPTION_PRESERVE_STATUS));
	char first[TEXT_ITEM];
	struct guess habit = { .typed = first };
	double seconds;

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(name, BLANKS ","),
	    name);
	try_habits(&habit, PLACE_COMMAND);
	const char *instead = habit.instead;
	const struct guess preset =
	    find_guess(options, OPTION_PRESET, PLACE_VALUE, first);
	if (strpbrk(name, BLANKS) != NULL)
		instead = split_quoted(name, instead);
	else if (is_number && strcmp(before, "--repeat") == 0)
		instead = "did you mean " PROGRAM " --repeat=@ ...?";
	else if (limits_time && duration_parse(name, &seconds) == NULL)
		instead = "did you mean " PROGRAM " -t @ ...?";
	else if (is_number)
		instead = "did you mean " PROGRAM " -a @ ...?";
	else if (strcmp(before, "-p") == 0 && preset.word != NULL &&
	    preset.distance == 0)
		instead = "did you mean --preset=@? (-p is --preserve-status)";
	else if (instead == NULL && duration_parse(name, &seconds) == NULL)
		instead = "did you mean " PROGRAM " -T @ ...?";

	/* "--retry-on=1 2": the command is more of the value. */
	for (int id = 0; is_number && id < OPTIONS; id++)
		if (option_rows[id].type == TYPE_SET &&
		    options->origin[id] == ORIGIN_USER &&
		    strchr(options->text[id], '\0') == strchr(before, '\0')) {
			text_append(text, size,
			    "separate with commas: --%s=%s,%s",
			    option_rows[id].name, options->text[id], name);
			return;
		}
	if (instead == NULL && options_given(options, OPTION_PRESET) &&
	    find_guess(options, OPTION_PRESET, PLACE_VALUE, before).word !=
		NULL) {
		text_append(text, size,
		    "'%s' is the value of --preset: use --preset=%s %s ",
		    before, before, before);
		instead = "@";
	}
	if (instead != NULL)
		add_instead(instead, name, text, size);
	else if (options->path != NULL && reason != NULL &&
	    strcmp(reason, "command not found") == 0)
		text_append(text, size,
		    "searched PATH=%s; functions and aliases: --help=shell",
		    text_safe(options->path, first, sizeof(first)));
}

/* What a list that lacks the outcome should name. */
static void
suggest_item(const struct options *options, const struct option_row *row,
    struct outcome outcome, char *text, size_t size)
{
	const struct set *set =
	    (const void *)((const char *)options + row->offset);
	const struct outcome status = { .kind = OUTCOME_EXIT,
		.code = outcome_status(outcome) };
	const struct outcome timeout = { .kind = OUTCOME_TIMEOUT };
	char name[SIGNAL_NAME];

	if (outcome.kind == OUTCOME_SIGNAL && set_has(set, status)) {
		signal_name(outcome.code, name);
		text_append(text, size,
		    "%d is what a shell reports for %s: use %s in --%s",
		    status.code, name, name + strlen("SIG"), row->name);
	} else if (outcome.kind == OUTCOME_EXIT &&
	    outcome.code == STATUS_TIMEOUT &&
	    strcmp(options->style.name, "timeout") == 0 &&
	    set_has(set, timeout)) {
		text_append(text, size,
		    "124 is the status of timeout(1): write 124, as timeout in "
		    "--%s means --timeout",
		    row->name);
	}
}

const char *
suggest_outcome(const struct options *options, struct outcome outcome,
    char *text, size_t size)
{
	const char *limit = options->text[OPTION_TIMEOUT];

	*text = '\0';
	/* Debian's retry has a -t that is a number of attempts. */
	if (outcome.kind == OUTCOME_TIMEOUT &&
	    options->origin[OPTION_TIMEOUT] == ORIGIN_USER &&
	    options->origin[OPTION_ATTEMPTS] != ORIGIN_USER &&
	    strlen(limit) == 1 && isdigit((unsigned char)*limit))
		snprintf(text, size, "-t %s is a time; for attempts, use -a %s",
		    limit, limit);
	if (outcome.kind == OUTCOME_UNSTARTABLE &&
	    (outcome.code == ENOENT || strcmp(*options->command, ".") == 0))
		suggest_command(options, outcome.reason, text, size);
	for (int id = 0; *text == '\0' && outcome.code != 0 && id < OPTIONS;
	     id++)
		if (option_rows[id].type == TYPE_SET &&
		    options->origin[id] == ORIGIN_USER &&
		    !set_has((const void *)((const char *)options +
				 option_rows[id].offset),
			outcome))
			suggest_item(options, &option_rows[id], outcome, text,
			    size);
	return *text == '\0' ? NULL : text;
}
