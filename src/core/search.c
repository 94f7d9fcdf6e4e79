/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"
#include "sieve.h"
#include "text.h"

/*
 * glibc's matcher keeps each state that it builds, at worst several hundred
 * bytes for each byte of a line, until the pattern is freed.  So the patterns
 * are compiled afresh after so many bytes.
 */
#define REFRESH (1 << 15)

/*
 * The most that repetitions may add to a pattern.  regcomp(3) makes copies of
 * what is repeated, and of copies that may be empty it keeps lists whose length
 * is the square of their number, or the third power: "x{0,9999}" takes 1.5 GB,
 * and "(x*){0,1000}" 5 GB.
 */
#define GROWTH_MOST 1024

/* What may be empty counts this many times: see GROWTH_MOST. */
#define EMPTY_WEIGHT 4

/* What a scan of a pattern finds, other than errors. */
struct scan {
	bool unopened; /* a parenthesis is closed that none opened */
	bool piped;    /* it has "\|", which matches a | */
};

/* Returns the end of the bracket expression that begins here. */
static const char *
skip_bracket(const char *text)
{
	text++;
	if (*text == '^')
		text++;
	if (*text == ']')
		text++;
	while (*text != '\0' && *text != ']') {
		const char kind = text[1];

		if (*text == '[' && kind != '\0' && strchr(".:=", kind)) {
			const char end[] = { kind, ']', '\0' };
			const char *close = strstr(text + 2, end);

			text = close == NULL ? text : close + 1;
		}
		text++;
	}
	return *text == ']' ? text + 1 : text;
}

/*
 * The factor by which the repetition that begins here makes its atom larger.
 * Counts that regcomp(3) would refuse need no care.
 */
static size_t
growth(const char *text)
{
	char *end;

	if (*text == '+')
		return 2;
	if (*text != '{')
		return EMPTY_WEIGHT;
	const unsigned long low = strtoul(text + 1, &end, 10);
	const unsigned long high =
	    *end == ',' ? strtoul(end + 1, NULL, 10) : low;
	const size_t copies = high > low ? high : low + (*end == ',');
	if (copies == 0 || copies > RE_DUP_MAX)
		return 1;
	return low == 0 ? copies * EMPTY_WEIGHT : copies;
}

/*
 * Returns the problem that regcomp(3) does not see in the pattern, or that it
 * has no words for; *where points to it.
 */
static const char *
scan(const char *text, struct scan *result, const char **where)
{
	const char *opened[PATTERN_MOST];
	size_t sizes[PATTERN_MOST + 1] = { 0 }; /* of the groups around it */
	size_t depth = 0, grown = 0, last = 0;	/* the size of the last atom */
	bool repeated = false, begun = *text == '\0', empty = false;

	*result = (struct scan){ 0 };
	while (*text != '\0') {
		const char *start = text++;
		const bool repeats = strchr("*+?{", *start) != NULL;
		const bool closes = *start == ')' && depth > 0;

		*where = start;
		if (repeats && repeated)
			return "a repetition of a repetition, "
			       "such as *?, is not POSIX";
		repeated = repeats;
		empty |= (*start == '|' || closes) && !begun;
		begun = *start != '|' && *start != '(';
		if (repeats) {
			const size_t factor = growth(start);

			grown += last * (factor - 1);
			if (grown > GROWTH_MOST)
				return "its repetitions would "
				       "take too much memory";
			sizes[depth] += last * (factor - 1);
			last *= factor;
			if (*start == '{')
				text += strcspn(text, "}");
			text += *start == '{' && *text == '}';
			continue;
		}
		last = 1;
		if (*start == '[') {
			text = skip_bracket(start);
		} else if (*start == '\\' && *text != '\0') {
			result->piped |= *text == '|';
			if (isalnum((unsigned char)*text) ||
			    strchr("<>`'", *text) != NULL)
				return "this backslash has no "
				       "meaning in POSIX";
			text++;
		} else if (*start == '(') {
			if (*text == '?')
				return "(? is not POSIX, except "
				       "(?i) at the beginning";
			opened[depth++] = start;
			sizes[depth] = last = 0;
		} else if (closes) {
			last = sizes[depth--];
		} else if (*start == ')') {
			result->unopened = true;
		}
		sizes[depth] += last;
	}
	if (depth > 0) {
		*where = opened[depth - 1];
		return "unmatched (; write \\( for the character";
	}
	return empty || !begun
	    ? "an empty alternative or group, which matches any line"
	    : NULL;
}

/* Skips "(?i)" at the start of a pattern; returns the flags for regcomp(3). */
static int
read_flags(const char **text)
{
	if (strncmp(*text, "(?i)", 4) != 0)
		return REG_EXTENDED;
	*text += 4;
	return REG_EXTENDED | REG_ICASE;
}

/*
 * Compiles a pattern to find whether a line matches, not where: tried at each
 * byte of a line a pattern takes the square of its length, from its beginning
 * alone hardly more than its length.  Returns what regcomp(3) does.
 */
static int
compile_anchored(regex_t *pattern, const char *text)
{
	const int flags = read_flags(&text) | REG_NOSUB;
	char anchored[PATTERN_MOST + sizeof("^.*()")];
	struct scan parts;
	const char *where;

	scan(text, &parts, &where);
	if (parts.unopened)
		return regcomp(pattern, text, flags);
	snprintf(anchored, sizeof(anchored), "^.*(%s)", text);
	return regcomp(pattern, anchored, flags);
}

const char *
search_check(const char *text, bool is_hint, const char **where)
{
	static const struct {
		int code;
		const char *problem;
	} rows[] = {
		{ REG_BADBR, "bad repetition count" },
		{ REG_BADRPT, "nothing to repeat" },
		{ REG_EBRACE, "unmatched {; write \\{ for the character" },
		{ REG_EBRACK, "unmatched [; write \\[ for the character" },
		{ REG_ECOLLATE, "unknown collating element" },
		{ REG_ECTYPE, "unknown character class" },
		{ REG_EESCAPE, "backslash at the end" },
		{ REG_EPAREN, "unmatched (; write \\( for the character" },
		{ REG_ERANGE, "a range that runs backwards" },
		{ REG_ESIZE, "its repetitions would take too much memory" },
		{ REG_ESPACE, "its repetitions would take too much memory" },
	};
	struct scan parts;
	regex_t pattern;

	*where = text;
	if (strlen(text) > PATTERN_MOST)
		return "longer than 1024 bytes";
	const int flags = read_flags(&text);
	const char *const problem = scan(text, &parts, where);
	if (problem != NULL)
		return problem;
	*where = text;
	int code = regcomp(&pattern, text, flags);
	if (code == 0) {
		const size_t groups = pattern.re_nsub;

		regfree(&pattern);
		if (is_hint && groups == 0)
			return "put ( ) around the delay, "
			       "as in 'Retry-After: (.*)'";
		code = compile_anchored(&pattern, text);
		if (code == 0) {
			regfree(&pattern);
			return NULL;
		}
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].code == code)
			return rows[i].problem;
	return "not a regular expression";
}

bool
search_has_pipe(const char *text)
{
	struct scan parts;
	const char *where;

	read_flags(&text);
	scan(text, &parts, &where);
	return parts.piped;
}

bool
search_is_needed(const struct patterns *patterns)
{
	return search_matches(patterns) != 0 || patterns->hint != NULL ||
	    patterns->class_count > 0;
}

unsigned int
search_matches(const struct patterns *patterns)
{
	unsigned int matches = 0;

	for (unsigned int match = 0; match < MATCHES; match++)
		if (patterns->match[match] != NULL)
			matches |= MATCH_BIT(match);
	return matches;
}

/* The number of the hint, and of the first class, among the expressions. */
#define HINT MATCHES
#define CLASSES (MATCHES + 1)

/* A pattern, compiled when a line first needs it. */
struct expression {
	const char *text;
	bool compiled;
	bool over; /* it was found, and is not looked for again */
	regex_t regex;
	size_t searched; /* bytes since it was compiled */
	char *line;	 /* of a class: the first that matched */
};

int
search_begin(struct search *search, const struct patterns *patterns,
    struct found *found)
{
	const size_t count = CLASSES + patterns->class_count;
	const char **texts = calloc(count, sizeof(*texts));

	*search = (struct search){
		.patterns = patterns,
		.found = found,
		.expressions = calloc(count, sizeof(*search->expressions)),
		.numbers = calloc(count, sizeof(*search->numbers)),
	};
	if (texts == NULL || search->expressions == NULL ||
	    search->numbers == NULL) {
		free(texts);
		free(search->expressions);
		free(search->numbers);
		return -1;
	}
	search->count = count;
	for (size_t i = 0; i < count; i++)
		search->expressions[i].text = texts[i] = i < MATCHES
		    ? patterns->match[i]
		    : i == HINT ? patterns->hint
				: patterns->classes[i - CLASSES].text;
	search->sieve = sieve_open(texts, count);
	free(texts);
	if (search->sieve != NULL)
		return 0;
	search_close(search);
	return -1;
}

void
search_close(struct search *search)
{
	for (size_t i = 0; i < search->count; i++) {
		struct expression *expression = &search->expressions[i];

		if (expression->compiled && i == HINT)
			regfree(&search->hint);
		if (expression->compiled)
			regfree(&expression->regex);
		free(expression->line);
	}
	free(search->expressions);
	free(search->numbers);
	sieve_close(search->sieve);
}

/* Compiles an expression, afresh if it has searched much. */
static int
compile(struct search *search, struct expression *expression)
{
	const bool is_hint = expression == &search->expressions[HINT];
	const char *text = expression->text;
	const int flags = read_flags(&text);
	regex_t regex, hint;

	if (expression->compiled && expression->searched < REFRESH)
		return 0;
	const bool had = expression->compiled;
	bool fresh = compile_anchored(&regex, expression->text) == 0;
	if (fresh && is_hint && regcomp(&hint, text, flags) != 0) {
		regfree(&regex);
		fresh = false;
	}
	expression->searched = 0;
	/* The old one goes on if there is no memory for both at once. */
	if (!fresh)
		return had ? 0 : -1;
	if (had)
		regfree(&expression->regex);
	if (had && is_hint)
		regfree(&search->hint);
	expression->regex = regex;
	if (is_hint)
		search->hint = hint;
	expression->compiled = true;
	return 0;
}

/* Copies a line to show: without a CR at its end, or a part of a character. */
static void
copy_line(char copy[DECIDING_LINE], const char *line)
{
	size_t length = strlcpy(copy, line, DECIDING_LINE);

	if (length < DECIDING_LINE) {
		if (length > 0 && copy[length - 1] == '\r')
			copy[length - 1] = '\0';
		return;
	}
	length = DECIDING_LINE - 1;
	while (length > 0 && ((unsigned char)line[length] & 0xc0) == 0x80)
		length--;
	copy[length] = '\0';
}

/* The first line of this class that the preset has seen, or NULL. */
static const char *
class_line(const struct search *search, int preset, enum failure_class class)
{
	const struct patterns *patterns = search->patterns;

	for (size_t i = 0; i < patterns->class_count; i++)
		if (patterns->classes[i].preset == preset &&
		    patterns->classes[i].class == class &&
		    search->expressions[CLASSES + i].line != NULL)
			return search->expressions[CLASSES + i].line;
	return NULL;
}

/* Works out what the lines tell so far. */
static void
find_class(struct search *search)
{
	const struct patterns *patterns = search->patterns;
	struct class_known known = { .source = SOURCE_LINE };
	const char *line = NULL;

	for (size_t i = 0; i < patterns->class_count; i++) {
		const int preset = patterns->classes[i].preset;
		const char *transient =
		    class_line(search, preset, CLASS_TRANSIENT);
		const char *permanent =
		    class_line(search, preset, CLASS_PERMANENT);

		if (permanent != NULL && transient == NULL) {
			known.class = CLASS_PERMANENT;
			known.preset = preset;
			line = permanent;
			break;
		}
		if (transient != NULL && known.class == CLASS_NONE) {
			known.class = CLASS_TRANSIENT;
			known.preset = preset;
			line = transient;
		}
	}
	if (line == NULL)
		return;
	search->found->class = known;
	copy_line(search->found->class_line, line);
}

/* A line matches a pattern for the first time, or has a hint. */
static int
note(struct search *search, size_t number, const struct stream_line *line)
{
	struct expression *expression = &search->expressions[number];
	struct found *found = search->found;
	regmatch_t groups[2];

	if (number == HINT) {
		if (regexec(&search->hint, line->text, 2, groups,
			line->cut ? REG_NOTEOL : 0) != 0 ||
		    groups[1].rm_so == -1)
			return 0;
		found->hinted = true;
		snprintf(found->hint, sizeof(found->hint), "%.*s",
		    (int)(groups[1].rm_eo - groups[1].rm_so),
		    line->text + groups[1].rm_so);
		return 0;
	}
	expression->over = true;
	if (number < MATCHES) {
		copy_line(found->lines[number], line->text);
		found->matched |= MATCH_BIT(number);
		return 0;
	}
	expression->line = malloc(DECIDING_LINE);
	if (expression->line == NULL)
		return -1;
	copy_line(expression->line, line->text);
	find_class(search);
	return 0;
}

static int
look_through(struct search *search, const struct stream_line *line)
{
	const int flags = line->cut ? REG_NOTEOL : 0;
	const size_t count = sieve_line(search->sieve, line->text, line->length,
	    search->numbers);

	for (size_t i = 0; i < count; i++) {
		struct expression *expression =
		    &search->expressions[search->numbers[i]];

		if (expression->over)
			continue;
		if (compile(search, expression) == -1)
			return -1;
		expression->searched += line->length;
		if (regexec(&expression->regex, line->text, 0, NULL, flags) ==
			0 &&
		    note(search, search->numbers[i], line) == -1)
			return -1;
	}
	return 0;
}

int
search_bytes(struct search *search, struct stream_line *line, const char *bytes,
    size_t size)
{
	while (size > 0) {
		const char *end = memchr(bytes, '\n', size);
		const size_t length =
		    end == NULL ? size : (size_t)(end - bytes);
		const size_t room = LINE_MOST - line->length;
		const size_t kept = length < room ? length : room;
		char *text = line->text + line->length;

		memcpy(text, bytes, kept);
		text_mask_nul(text, kept, '\1');
		text[kept] = '\0';
		line->length += kept;
		line->cut |= kept < length;
		line->begun = true;
		bytes += length;
		size -= length;
		if (end != NULL) {
			if (search_end(search, line) == -1)
				return -1;
			bytes++;
			size--;
		}
	}
	return 0;
}

int
search_end(struct search *search, struct stream_line *line)
{
	int result = 0;

	if (line->begun)
		result = look_through(search, line);
	line->begun = line->cut = false;
	line->length = 0;
	return result;
}

const char *
search_line(const struct found *found, enum rule rule, struct class_known known)
{
	static const struct {
		enum rule rule;
		enum match match;
	} rows[] = {
		{ RULE_FAIL_MATCH, MATCH_FAIL },
		{ RULE_STOP_MATCH, MATCH_STOP },
		{ RULE_THROTTLE_MATCH, MATCH_THROTTLE },
		{ RULE_RETRY_MATCH, MATCH_RETRY },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].rule == rule &&
		    found->matched & MATCH_BIT(rows[i].match))
			return found->lines[rows[i].match];
	return known.source == SOURCE_LINE ? found->class_line : NULL;
}
