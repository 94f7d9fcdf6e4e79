/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "options/suggest.h"
#include "core/duration.h"
#include "core/signals.h"
#include "core/text.h"

/* Where a word stands, if it is not the value of an option: see OPTIONS. */
enum {
	PLACE_OPTION = OPTIONS, /* an option's name, or its letter */
	PLACE_SET,		/* in a SET */
	PLACE_UNIT,		/* behind a number */
	PLACE_ESCAPE,		/* in a pattern, behind a backslash */
	PLACE_COMMAND		/* a command that only this shell knows */
};

/*
 * What people type from habit, separated by commas, and what to type instead.
 * A unit's `instead` is the unit.
 */
static const struct {
	int place; /* the number of an option whose value it is, or PLACE_* */
	const char *typed;
	const char *instead;
} habits[] = {
	{ PLACE_OPTION, "retries,retry,max-retries",
	    "use --attempts=N, which counts the first attempt too" },
	{ PLACE_OPTION, "tries,max-tries,max-attempts,times,count",
	    "use --attempts=N" },
	{ PLACE_OPTION, "limit", "use --attempts=N, or --max-time=DUR" },
	{ PLACE_OPTION, "n", "use -a N" },
	{ PLACE_OPTION, "r", "use -a N, which counts the first attempt too" },
	{ PLACE_OPTION, "forever,infinite,unlimited", "use --attempts=0" },
	{ PLACE_OPTION, "f",
	    "COMMAND stays in the foreground; for no limit, use -a 0" },
	{ PLACE_OPTION, "interval,wait,sleep,pause,every,retry-delay",
	    "use --delay=DUR, and --backoff=constant for delays that do not "
	    "grow" },
	{ PLACE_OPTION, "i",
	    "use -d DUR, and -b constant for delays that do not grow" },
	{ PLACE_OPTION, "initial-delay,base-delay", "use --delay=DUR" },
	{ PLACE_OPTION, "max-interval,max-wait,max-retry-delay",
	    "use --max-delay=DUR" },
	{ PLACE_OPTION, "min-wait", "use --min-delay=DUR" },
	{ PLACE_OPTION, "fixed,constant,no-backoff", "use --backoff=constant" },
	{ PLACE_OPTION, "exponential", "use --backoff=exponential" },
	{ PLACE_OPTION, "factor,multiplier",
	    "use --backoff=exponential:factor=F" },
	{ PLACE_OPTION, "no-jitter", "use --jitter=none" },
	{ PLACE_OPTION,
	    "deadline,retry-max-time,total-timeout,end-at,max-retry-time,"
	    "max-elapsed-time,max-duration",
	    "use --max-time=DUR" },
	{ PLACE_OPTION, "timelimit",
	    "use --timeout=DUR, or --max-time=DUR for the whole run" },
	{ PLACE_OPTION, "until-success",
	    "this is the default; to never give up: -a 0" },
	{ PLACE_OPTION, "until",
	    "use --success-on=SET, or --success-match=ERE" },
	{ PLACE_OPTION, "while", "use --retry-on=SET, or --retry-match=ERE" },
	{ PLACE_OPTION, "u",
	    "only Debian's retry has it; use --success-on='!0,STATUS'" },
	{ PLACE_OPTION, "w",
	    "only Debian's retry has it; use --retry-on=STATUS" },
	{ PLACE_OPTION, "abort-on,stop-if-status", "use --stop-on=SET" },
	{ PLACE_OPTION, "fail-on",
	    "use --stop-on=SET, or --fail-match=ERE for lines of output" },
	{ PLACE_OPTION, "status,retry-on-exit-code", "use --retry-on=SET" },
	{ PLACE_OPTION, "exit-code",
	    "use --retry-on=SET, --stop-on=SET or --success-on=SET" },
	{ PLACE_OPTION, "retry-if-contains", "use --retry-match=ERE" },
	{ PLACE_OPTION, "retry-all-errors",
	    "every failure is retried, unless --retry-on limits it" },
	{ PLACE_OPTION, "retry-connrefused", "use --preset=curl" },
	{ PLACE_OPTION, "retry-after",
	    "use --delay-match=ERE, or --preset=curl" },
	{ PLACE_OPTION, "probe,healthcheck", "use --health=COMMAND" },
	{ PLACE_OPTION, "lock", "use --state=FILE, which is locked" },
	{ PLACE_OPTION, "config", "use --preset=./FILE" },
	{ PLACE_OPTION,
	    "transient-on,transient-match,permanent-on,permanent-match",
	    "files for --preset have transient-on, transient-match, "
	    "permanent-on, permanent-match" },
	{ PLACE_OPTION, "on-retry", "use --before-retry=COMMAND" },
	{ PLACE_OPTION, "on-failure,on-error", "use --on-give-up=COMMAND" },
	{ PLACE_OPTION, "dry-run,simulate", "use --plan" },
	{ PLACE_OPTION, "flaky", "use --flaky-status=N" },
	{ PLACE_OPTION, "trials",
	    "use --repeat=N --success-on=any --log=json:FILE" },
	{ PLACE_OPTION, "hold", "use --output=hold" },
	{ PLACE_OPTION, "chronic", "use --output=chronic" },
	{ PLACE_OPTION, "replay", "use --stdin=replay" },
	{ PLACE_OPTION, "c,shell", "for shell code: " PROGRAM " sh -c '...'" },
	{ PLACE_OPTION, "init",
	    "nothing is needed: " PROGRAM " works as process 1" },
	{ PLACE_OPTION, "foreground",
	    "nothing is needed: COMMAND stays in the foreground" },
	{ PLACE_OPTION, "silent", "use --quiet" },
	{ PLACE_OPTION, "debug", "use --verbose" },
	{ PLACE_OPTION, "json", "use --log=json" },
	{ PLACE_OPTION, "junit", "use --log=auto --log=junit:FILE" },
	{ PLACE_OPTION, "no-color", "use --color=never" },
	{ PLACE_OPTION, "force-color", "use --color=always" },

	{ OPTION_ATTEMPTS, "inf,infinite,unlimited,forever",
	    "did you mean 0?" },
	{ OPTION_MAX_TIME, "inf", "did you mean 0?" },
	{ OPTION_TIMEOUT, "inf", "did you mean 0?" },
	{ OPTION_BACKOFF, "fixed,none", "did you mean constant?" },
	{ OPTION_BACKOFF, "random", "did you mean decorrelated?" },
	{ OPTION_JITTER, "no,off", "did you mean none?" },
	{ OPTION_PRESET, "k8s", "did you mean kubernetes?" },
	{ OPTION_PRESET, "podman,skopeo,buildah", "did you mean docker?" },
	{ OPTION_PRESET, "rsync,scp,sftp", "did you mean ssh?" },
	{ OPTION_PRESET, "apt-get", "did you mean apt?" },
	{ OPTION_PRESET, "mvn", "did you mean maven?" },
	{ OPTION_PRESET, "mamba", "did you mean conda?" },
	{ OPTION_PRESET, "pip3", "did you mean pip?" },
	{ OPTION_PRESET, "postgres", "did you mean psql?" },
	{ OPTION_OUTPUT, "quiet", "did you mean chronic?" },
	{ OPTION_OUTPUT, "buffer", "did you mean hold?" },
	{ OPTION_STDIN, "/dev/null,none", "did you mean null?" },
	{ OPTION_LOG, "xml", "did you mean junit?" },

	{ PLACE_SET, "all", "did you mean any?" },

	/* Lower case, and without the s of a plural. */
	{ PLACE_UNIT, "usec,microsecond,µ,μ", "us" },
	{ PLACE_UNIT, "msec,milli,millisecond", "ms" },
	{ PLACE_UNIT, "sec,second", "s" },
	{ PLACE_UNIT, "min,minute", "m" },
	{ PLACE_UNIT, "hr,hour", "h" },
	{ PLACE_UNIT, "day", "d" },

	{ PLACE_ESCAPE, "d", "use [0-9]" },
	{ PLACE_ESCAPE, "w", "use [[:alnum:]_]" },
	{ PLACE_ESCAPE, "s", "use [[:space:]]" },
	{ PLACE_ESCAPE, "b",
	    "use (^|[^[:alnum:]_]) before a word, ([^[:alnum:]_]|$) after it" },

	{ PLACE_COMMAND, "alias,case,cd,eval,exec,export,for,if,read,set",
	    "sh" },
	{ PLACE_COMMAND, "time,type,ulimit,umask,unset,until,wait,while,{",
	    "sh" },
	{ PLACE_COMMAND, "((,[[,declare,dirs,function,let,local,mapfile,popd",
	    "bash" },
	{ PLACE_COMMAND, "pushd,readarray,select,shopt,source,typeset",
	    "bash" },
};

#define HABITS (sizeof(habits) / sizeof(habits[0]))

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

/* A search for the word that is nearest to the one that was typed. */
struct nearest {
	const char *typed;
	const char *word;    /* of ours, or NULL */
	const char *instead; /* of another program's word, or NULL */
	size_t distance;
};

/* Takes the word if it is near, and nearer than the one so far. */
static void
try_word(struct nearest *nearest, const char *word, const char *instead)
{
	const char *typed = nearest->typed;
	const size_t length = strlen(typed);

	if (length >= WORD_MOST || strlen(word) >= WORD_MOST)
		return;
	/* Three letters are enough for the beginning of a word. */
	const size_t away = length >= 3 && strncasecmp(word, typed, length) == 0
	    ? 1
	    : distance(typed, word);
	if (away > length / 3 || away >= nearest->distance)
		return;
	nearest->word = instead == NULL ? word : NULL;
	nearest->instead = instead;
	nearest->distance = away;
}

/*
 * The `instead` of a word that stands at this place, or NULL.  If `nearest` is
 * not NULL, tries all words of the place up to that one.
 */
static const char *
find_habit(int place, const char *word, struct nearest *nearest)
{
	for (size_t i = 0; i < HABITS; i++)
		for (const char *list = habits[i].typed;
		     habits[i].place == place && list != NULL;) {
			char typed[TEXT_ITEM];

			text_item(&list, typed);
			if (nearest != NULL)
				try_word(nearest, typed, habits[i].instead);
			if (strcmp(typed, word) == 0)
				return habits[i].instead;
		}
	return NULL;
}

/* Looks through the words of signals, or through all that a SET may hold. */
static void
try_outcomes(struct nearest *nearest, bool sets)
{
	const char *typed = nearest->typed;

	nearest->typed += strspn(typed, "!^");
	if (strncasecmp(nearest->typed, "SIG", 3) == 0 ||
	    strncasecmp(nearest->typed, "EX_", 3) == 0)
		nearest->typed += 3;
	for (int number = 1; number < NSIG; number++)
		if (signal_abbreviation(number) != NULL)
			try_word(nearest, signal_abbreviation(number), NULL);
	for (size_t i = 0; sets && set_classes[i].name != NULL; i++)
		try_word(nearest, set_classes[i].name, NULL);
	for (size_t i = 0; sets && set_sysexits[i].name != NULL; i++)
		try_word(nearest, set_sysexits[i].name, NULL);
	nearest->typed = typed;
}

/* The word that is nearest to what was typed at this place. */
static struct nearest
find_nearest(int place, const char *typed)
{
	struct nearest nearest = { .typed = typed, .distance = WORD_MOST };
	const char *word;

	if (place == PLACE_OPTION) {
		for (int id = 0; id < OPTIONS; id++)
			try_word(&nearest, option_rows[id].name, NULL);
	} else if (option_rows[place].words != NULL) {
		for (int i = 0;
		     (word = option_word(&option_rows[place], i)) != NULL; i++)
			try_word(&nearest, word, NULL);
		for (int id = 0; place == OPTION_HELP && id < OPTIONS; id++)
			try_word(&nearest, option_rows[id].name, NULL);
	} else {
		try_outcomes(&nearest, place != OPTION_SIGNAL);
	}
	find_habit(place, typed, &nearest);
	return nearest;
}

#define BLANKS " \t\n"
#define LETTERS "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

bool
suggest_knows(const char *name)
{
	return find_habit(PLACE_OPTION, name, NULL) != NULL;
}

/* A time of day, with which a limit is to end: "18:00". */
static bool
suggest_time(const char *typed, char *text, size_t size)
{
	if (*typed > '2' || strspn(typed, DIGITS) != 2 || typed[2] != ':' ||
	    strspn(typed + 3, DIGITS) != 2 || typed[5] != '\0')
		return false;
	text_append(text, size,
	    "-T takes a duration; for a time of day: "
	    "-T $(( $(date -d %s +%%s) - $(date +%%s) ))",
	    typed);
	return true;
}

bool
suggest_option(const char *name, const char *value, char *text, size_t size)
{
	const char *instead = find_habit(PLACE_OPTION, name, NULL);
	const struct nearest nearest = find_nearest(PLACE_OPTION, name);

	if (instead == NULL)
		instead = nearest.instead;
	if (*name != '\0' && name[strspn(name, DIGITS)] == '\0')
		text_append(text, size, "use -a %s", name);
	else if ((strcmp(name, "until") == 0 || strcmp(name, "end-at") == 0) &&
	    value != NULL && suggest_time(value, text, size))
		return true;
	else if (instead != NULL)
		text_append(text, size, "%s", instead);
	else if (nearest.word != NULL)
		text_append(text, size, "did you mean --%s?", nearest.word);
	else
		return false;
	return true;
}

const char *
suggest_topic(const char *typed)
{
	return find_nearest(OPTION_HELP, typed).word;
}

/*
 * Writes a duration as it is read here: "5 minutes", "1:30" and "2 Hours 5min"
 * become "5m", "1m30s" and "2h5m".  Returns whether the result is a duration.
 */
static bool
respell_duration(const char *typed, char *text, size_t size)
{
	unsigned int first, second, third;
	double seconds;

	*text = '\0';
	if (typed[strspn(typed, DIGITS ":")] == '\0') {
		const int count =
		    sscanf(typed, "%4u:%4u:%4u", &first, &second, &third);

		if (count == 3)
			snprintf(text, size, "%uh%um%us", first, second, third);
		else if (count == 2)
			snprintf(text, size, "%um%us", first, second);
		return count >= 2;
	}
	while (*typed != '\0') {
		const size_t digits = strspn(typed, DIGITS ".");
		const char *name = typed + digits;
		name += strspn(name, BLANKS);
		const size_t length = strcspn(name, DIGITS "." BLANKS);
		char word[WORD_MOST] = "", singular[WORD_MOST];

		if (digits == 0 || length == 0 || length >= sizeof(word))
			return false;
		for (size_t i = 0; i < length; i++)
			word[i] = (char)tolower((unsigned char)name[i]);
		strlcpy(singular, word,
		    word[length - 1] == 's' ? length : length + 1);
		const char *unit = find_habit(PLACE_UNIT, singular, NULL);
		text_append(text, size, "%.*s%s", (int)digits, typed,
		    unit == NULL ? word : unit);
		typed = name + length;
		typed += strspn(typed, BLANKS);
	}
	return duration_parse(text, &seconds) == NULL;
}

/* Lists words: " (use end, start)". */
static void
list_words(const char *(*word)(const void *of, int number), const void *of,
    char *text, size_t size)
{
	const char *before = " (use ";

	for (int i = 0; word(of, i) != NULL; i++, before = ", ")
		text_append(text, size, "%s%s", before, word(of, i));
	if (word(of, 0) != NULL)
		text_append(text, size, ")");
}

static const char *
value_word(const void *row, int number)
{
	return option_word(row, number);
}

static const char *
strategy_param(const void *strategy, int number)
{
	const struct param *params =
	    ((const struct strategy *)strategy)->params;

	return number < BACKOFF_PARAMS ? params[number].name : NULL;
}

static const char *
budget_param(const void *params, int number)
{
	return ((const struct budget_param *)params)[number].name;
}

/* A word that is unknown. */
static void
suggest_word(const struct options *options, enum option_id id,
    const char *typed, char *text, size_t size)
{
	const struct option_row *row = &option_rows[id];
	const char *whole = options->text[id];
	char list[TEXT_ITEM];
	const char *where;
	struct backoff backoff = { 0 };
	double seconds;

	if (row->type == TYPE_SET && typed[strcspn(typed, BLANKS)] != '\0') {
		text_append(text, size, "; a SET has no blanks");
		return;
	}
	if (id == OPTION_BACKOFF && strchr(whole, ',') != NULL) {
		snprintf(list, sizeof(list), "list:%s", whole);
		const char *const problem =
		    backoff_parse(list, &backoff, &where);

		free(backoff.values);
		if (problem == NULL) {
			text_append(text, size, "; did you mean %s?", list);
			return;
		}
	} else if (id == OPTION_BACKOFF &&
	    duration_parse(typed, &seconds) == NULL) {
		text_append(text, size, "; did you mean --delay=%s?", typed);
		return;
	}
	if (id == OPTION_HELP)
		typed += strspn(typed, "-");
	const struct nearest nearest = find_nearest((int)id, typed);
	const char *const habit =
	    id == OPTION_HELP ? find_habit(PLACE_OPTION, typed, NULL) : NULL;
	if (habit != NULL)
		text_append(text, size, "; %s", habit);
	else if (nearest.instead != NULL)
		text_append(text, size, "; %s", nearest.instead);
	else if (nearest.word != NULL)
		text_append(text, size, "; did you mean %s?", nearest.word);
	else if (id == OPTION_HELP)
		text_append(text, size, "; --help=topics lists them");
	else if (row->words != NULL && row->type != TYPE_CHOICE)
		list_words(value_word, row, text, size);
}

/* "20" and "0.5s" as jitter. */
static void
suggest_jitter(const char *problem, const char *typed, char *text, size_t size)
{
	const char *end;
	double number;

	if (problem == problem_over_1 &&
	    duration_number(typed, &number, &end) == NULL && *end == '\0' &&
	    number >= 2 && number <= 100)
		text_append(text, size, "; did you mean %s%%?", typed);
	else if (problem == problem_not_a_ratio &&
	    duration_parse(typed, &number) == NULL)
		text_append(text, size, "; use a ratio (20%%) or +%s", typed);
}

/* A status that is too large, and may be one of HTTP. */
static void
suggest_match(enum option_id id, const char *typed, char *text, size_t size)
{
	static const struct {
		enum option_id set, match;
	} rows[] = {
		{ OPTION_SUCCESS_ON, OPTION_SUCCESS_MATCH },
		{ OPTION_RETRY_ON, OPTION_RETRY_MATCH },
		{ OPTION_STOP_ON, OPTION_STOP_MATCH },
		{ OPTION_THROTTLE_ON, OPTION_THROTTLE_MATCH },
	};
	const char *status = typed + strspn(typed, "!^");

	if (strspn(status, DIGITS) != 3 || status[3] != '\0' || *status < '4' ||
	    *status > '5')
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].set == id) {
			text_append(text, size,
			    "; for an HTTP status, use --%s='error: %s'",
			    option_rows[rows[i].match].name, status);
			return;
		}
}

/* A parameter that is unknown, or that has no name. */
static void
suggest_param(const struct options *options, enum option_id id,
    const char *problem, const char *typed, char *text, size_t size)
{
	const struct strategy *strategy = options->policy.backoff.strategy;
	const bool budget = id == OPTION_BUDGET;
	const char *(*word)(const void *, int) =
	    budget ? budget_param : strategy_param;
	const void *of =
	    budget ? (const void *)budget_params : (const void *)strategy;
	struct nearest nearest = { .typed = typed, .distance = WORD_MOST };
	double number;
	const char *end;

	if (problem == problem_not_name_value) {
		if (budget || word(of, 0) == NULL ||
		    duration_number(typed, &number, &end) != NULL)
			return;
		text_append(text, size, "; did you mean %s:%s=%s?",
		    strategy->name, word(of, 0), typed);
		return;
	}
	for (int i = 0; word(of, i) != NULL; i++)
		try_word(&nearest, word(of, i), NULL);
	if (nearest.word != NULL)
		text_append(text, size, "; did you mean %s?", nearest.word);
	else if (word(of, 0) != NULL)
		list_words(word, of, text, size);
	else
		text_append(text, size, "; %s has none", strategy->name);
}

/* The format that the name of a file for --log names. */
static const char *
log_format(const char *file)
{
	const char *end = strrchr(file, '.');

	if (end != NULL && strncmp(end, ".json", 5) == 0)
		return "json";
	return end != NULL && strcmp(end, ".xml") == 0 ? "junit" : "text";
}

void
suggest_value(const struct options *options, enum option_id id,
    const char *problem, const char *part, char *text, size_t size)
{
	char item[TEXT_ITEM], word[TEXT_ITEM], respelt[2 * TEXT_ITEM] = "";
	char safe[5 * TEXT_ITEM];
	struct set set;

	snprintf(item, sizeof(item), "%.*s", (int)strcspn(part, ","), part);
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(item, ":="), item);
	if (*item == '=' && option_rows[id].letter != 0) {
		text_append(text, size, "; did you mean -%c %s?",
		    option_rows[id].letter,
		    text_safe(item + 1, safe, sizeof(safe)));
		return;
	}
	const char *instead =
	    find_habit(option_rows[id].type == TYPE_SET ? PLACE_SET : (int)id,
		word, NULL);
	if (instead == NULL && problem == problem_escape) {
		word[0] = part[1];
		word[1] = '\0';
		instead = find_habit(PLACE_ESCAPE, word, NULL);
	}
	if (instead != NULL) {
		text_append(text, size, "; %s", instead);
		return;
	}
	/* What is suggested may repeat the item. */
	if (strcmp(text_safe(item, safe, sizeof(safe)), item) != 0)
		return;
	if (problem == problem_unit && id == OPTION_MAX_TIME &&
	    suggest_time(item, respelt, sizeof(respelt)))
		text_append(text, size, "; %s", respelt);
	else if (problem == problem_no_format)
		text_append(text, size, ": --log=%s:%s", log_format(item),
		    item);
	else if (problem == problem_unknown)
		suggest_word(options, id, word, text, size);
	else if (problem == problem_param || problem == problem_not_name_value)
		suggest_param(options, id, problem, word, text, size);
	else if (problem == problem_unit &&
	    respell_duration(item, respelt, sizeof(respelt)))
		text_append(text, size, "; did you mean %s?", respelt);
	else if (problem == problem_unit && id == OPTION_DELAY &&
	    strchr(part, ',') != NULL)
		text_append(text, size, "; for a list, use --backoff=list:...");
	else if (problem == problem_unit)
		text_append(text, size, " (use us, ms, s, m, h, d)");
	else if (problem == problem_not_whole && id == OPTION_ATTEMPTS &&
	    set_item(&set, word) == NULL)
		text_append(text, size, "; did you mean %s:N?", word);
	else if (problem == problem_over_255)
		suggest_match(id, item, text, size);
	else if (id == OPTION_JITTER)
		suggest_jitter(problem, item, text, size);
}

/* The signs of a shell's syntax. */
#define SYNTAX "|&;<>()$`\\\"'*?[]{}~#"

/* The option whose value is the word before the command, or OPTIONS. */
static int
option_before(const struct options *options)
{
	const char *before = options->command[-1];

	for (int id = 0; id < OPTIONS; id++) {
		const char *text = options->text[id];

		if (text != NULL && options->origin[id] == ORIGIN_USER &&
		    text + strlen(text) == before + strlen(before))
			return id;
	}
	return OPTIONS;
}

/* "--delay 500 ms": the unit is taken for the command. */
static bool
suggest_unit(const struct options *options, char *text, size_t size)
{
	const char *name = *options->command;
	const int id = option_before(options);
	char typed[TEXT_ITEM], respelt[2 * TEXT_ITEM];

	if (id == OPTIONS || option_rows[id].value == NULL ||
	    strncmp(option_rows[id].value, "DUR", 3) != 0 ||
	    options->text[id][strspn(options->text[id], DIGITS ".")] != '\0' ||
	    *name == '\0' || strpbrk(name, DIGITS BLANKS) != NULL)
		return false;
	snprintf(typed, sizeof(typed), "%s %s", options->text[id], name);
	if (!respell_duration(typed, respelt, sizeof(respelt)))
		return false;
	text_append(text, size, "did you mean --%s=%s?", option_rows[id].name,
	    respelt);
	return true;
}

/* "--retry-on 1 2 3": the second status is taken for the command. */
static bool
suggest_list(const struct options *options, char *text, size_t size)
{
	const int id = option_before(options);
	size_t i = 0;

	if (id == OPTIONS || option_rows[id].type != TYPE_SET)
		return false;
	for (const char *word; (word = options->command[i]) != NULL; i++) {
		char item[TEXT_ITEM];
		struct set set;

		strlcpy(item, word, sizeof(item));
		if (set_item(&set, item) != NULL)
			break;
		if (i == 0)
			text_append(text, size, "separate with commas: --%s=%s",
			    option_rows[id].name, options->text[id]);
		text_append(text, size, ",%s", word);
	}
	return i > 0;
}

/* The dashes of typography, in UTF-8: U+2010 to U+2015 and U+2212. */
static bool
has_long_dash(const char *word)
{
	return (strncmp(word, "\342\200", 2) == 0 && word[2] >= '\220' &&
		   word[2] <= '\225') ||
	    strncmp(word, "\342\210\222", 3) == 0;
}

/* ". x.sh", the script of which a shell finds only with a slash. */
static void
suggest_dot(const char *script, char *text, size_t size)
{
	char safe[128];

	text_append(text, size,
	    "\".\" is a shell word: " PROGRAM " sh -c '. %s%s'",
	    script == NULL || strchr(script, '/') == NULL ? "./" : "",
	    text_safe(script == NULL ? "..." : script, safe, sizeof(safe)));
}

static bool
suggest_command(const struct options *options, struct outcome outcome,
    char *text, size_t size)
{
	const char *name = *options->command;
	const char *shell = find_habit(PLACE_COMMAND, name, NULL);
	const size_t word = strspn(name, LETTERS DIGITS);
	const bool forever =
	    options->policy.repeat && options->policy.repeats == 0;
	char safe[128];
	double number;

	if (strcmp(name, ".") == 0)
		suggest_dot(options->command[1], text, size);
	if (strcmp(name, ".") == 0 || outcome.code != ENOENT)
		return *text != '\0';
	text_safe(name, safe, sizeof(safe));
	if (suggest_unit(options, text, size) ||
	    suggest_list(options, text, size))
		return true;
	if (strcmp(name, "!") == 0)
		text_append(text, size,
		    "to wait for a failure: --success-on=none,nonzero");
	else if (*name == '-')
		text_append(text, size, "options go before --");
	else if (has_long_dash(name))
		text_append(text, size,
		    "it starts with a typographic dash; type \"-\"");
	else if (shell != NULL)
		text_append(text, size,
		    "%s knows this word: " PROGRAM " %s -c '%s ...'",
		    strcmp(shell, "sh") == 0 ? "the shell" : shell, shell,
		    safe);
	else if (strcmp(name, "help") == 0 || strcmp(name, "version") == 0)
		text_append(text, size, "did you mean " PROGRAM " --%s?", name);
	else if (word > 0 && name[word] == '=')
		text_append(text, size, "did you mean " PROGRAM " env %s ...?",
		    safe);
	else if (strpbrk(name, BLANKS) != NULL && strpbrk(name, SYNTAX) != NULL)
		text_append(text, size,
		    "did you mean " PROGRAM " sh -c '...'?");
	else if (strpbrk(name, BLANKS) != NULL)
		text_append(text, size,
		    "did you mean " PROGRAM " %s, without the quotes?", safe);
	else if (*name != '\0' && name[strspn(name, DIGITS)] == '\0')
		text_append(text, size, "did you mean " PROGRAM " %s%s ...?",
		    forever ? "--repeat=" : "-a ", safe);
	else if (duration_parse(name, &number) == NULL)
		text_append(text, size, "did you mean " PROGRAM " -T %s ...?",
		    safe);
	else if (name[word] == '\0' && outcome.reason != NULL &&
	    strcmp(outcome.reason, "command not found") == 0)
		text_append(text, size,
		    "a bash function? export -f %s; " PROGRAM " bash -c %s",
		    safe, safe);
	return *text != '\0';
}

/* The set that the user's lists of an option have made, or NULL. */
static const struct set *
given_set(const struct options *options, enum option_id id)
{
	const struct option_row *row = &option_rows[id];

	if (row->type != TYPE_SET || options->origin[id] != ORIGIN_USER)
		return NULL;
	return (const void *)((const char *)options + row->offset);
}

bool
suggest_outcome(const struct options *options, struct outcome outcome,
    char *text, size_t size)
{
	const bool died = outcome.kind == OUTCOME_SIGNAL;
	const struct outcome status = { .kind = OUTCOME_EXIT,
		.code = outcome_status(outcome) };
	const struct outcome timeout = { .kind = OUTCOME_TIMEOUT };
	char name[SIGNAL_NAME];

	if (outcome.kind == OUTCOME_UNSTARTABLE)
		return suggest_command(options, outcome, text, size);
	for (int id = 0; id < OPTIONS; id++) {
		const struct set *set = given_set(options, (enum option_id)id);

		if (set == NULL || set_has(set, outcome))
			continue;
		if (died && set_has(set, status)) {
			signal_name(outcome.code, name);
			text_append(text, size,
			    "%d is what a shell reports for %s: use %s in "
			    "--%s",
			    status.code, name, name + strlen("SIG"),
			    option_rows[id].name);
			return true;
		}
		if (outcome.kind == OUTCOME_EXIT &&
		    outcome.code == STATUS_TIMEOUT &&
		    strcmp(options->name, "timeout") == 0 &&
		    set_has(set, timeout)) {
			text_append(text, size,
			    "124 is the status of timeout(1): write 124, as "
			    "timeout in --%s means --timeout",
			    option_rows[id].name);
			return true;
		}
	}
	return false;
}
