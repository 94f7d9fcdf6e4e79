/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "line.h"
#include "search.h"
#include "sieve.h"
#include "text.h"

/*
 * glibc's matcher keeps each state that it builds, at worst several hundred
 * bytes for each byte of a line, until the pattern is freed.  So the patterns
 * are compiled afresh after so many bytes.
 */
#define REFRESH (1 << 15)

/* So many bytes of lines on which expressions are tried at once. */
#define SOME 256

/*
 * The most that repetitions may add to a pattern.  regcomp(3) makes copies of
 * what is repeated, and a line takes the longer the more there are.  Of copies
 * that may be empty it keeps lists whose length is the square of their number,
 * or the third power: "(x*){0,1000}" takes 5 GB.
 */
#define GROWTH_MOST 250
#define LARGE "its repetitions expand to more than 250 characters"

/* What may be empty counts this many times where it is repeated itself. */
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
 * How many copies of its atom the repetition that begins here makes; *empty is
 * whether it may be none.  Counts that regcomp(3) would refuse need no care.
 */
static size_t
count_copies(const char *text, bool *empty)
{
	char *end;

	*empty = *text == '*' || *text == '?';
	if (*text != '{')
		return *text == '+' ? 2 : 1;
	const unsigned long low = strtoul(text + 1, &end, 10);
	const unsigned long high =
	    *end == ',' ? strtoul(end + 1, NULL, 10) : low;
	const size_t copies = high > low ? high : low + (*end == ',');
	*empty = low == 0;
	return copies == 0 || copies > RE_DUP_MAX ? 1 : copies;
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
	bool repeated = false, begun = false, empty = false;

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
			bool may_be_empty;
			const size_t once = last;

			last *= count_copies(start, &may_be_empty);
			grown += last - once;
			if (grown >= GROWTH_MOST)
				return LARGE;
			if (may_be_empty)
				last *= EMPTY_WEIGHT;
			sizes[depth] += last - once;
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

/*
 * Finds the longest part of the first alternative that each line has that
 * matches it.  Returns the end of the alternative.
 */
static const char *
find_literal(const char *text, struct sieve_text *best)
{
	const char *begun = text;
	int depth = 0;

	while (*text != '\0' && (*text != '|' || depth > 0)) {
		bool is_plain = depth == 0 && (unsigned char)*text < 0x80 &&
		    strchr("^$.()[]{}*+?\\|", *text) == NULL;

		depth += (*text == '(') - (*text == ')' && depth > 0);
		if (*text == '[')
			text = skip_bracket(text);
		else if (*text == '{')
			text += strcspn(text, "}");
		else
			text += *text == '\\' && text[1] != '\0' ? 2 : 1;
		if (is_plain && *text != '\0' && strchr("*?{", *text) != NULL)
			is_plain = false;
		if (!is_plain)
			begun = text;
		else if ((size_t)(text - begun) > best->length)
			*best = (struct sieve_text){ begun,
				(size_t)(text - begun), best->of };
	}
	return text;
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
		{ REG_ESIZE, LARGE },
		{ REG_ESPACE, LARGE },
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

const char *
search_check_text(size_t length)
{
	return length < SIEVE_LEAST ? "shorter than 3 bytes"
	    : length > PATTERN_MOST ? "longer than 1024 bytes"
				    : NULL;
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
	    patterns->clue_count > 0;
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

/* --- the expressions and the texts of a search --- */

/* A pattern, compiled when a line first needs it. */
struct expression {
	enum line_kind kind;
	const char *text;
	const struct clue *clue; /* of a CLUE; or NULL */
	bool always;		 /* it has no literals: each line is tried */
	bool compiled, placed;
	bool over; /* it was found, and is not looked for again */
	regex_t regex;
	regex_t place;	 /* finds where in a line the match is */
	size_t searched; /* bytes since it was compiled */
	uint64_t line;	 /* the number of the last that may match */
};

/* The line that is looked through. */
struct look {
	struct search *search;
	const struct stream_line *line;
	size_t skipped; /* before the body of the line */
	uint64_t words; /* a bit for each list of which it has a word */
	bool wanted;	/* it has what some expression needs */
	bool ignored, mended;
	char *rest; /* the line without what was found in it */
	bool found; /* there is a rest */

	/*
	 * The transient text and the permanent one that come first in the
	 * presets; the user's are first.
	 */
	struct hit {
		const struct clue *clue;
		size_t at;
	} hits[2];
};

static int
add_text(struct search *search, struct sieve_text text)
{
	if (search->text_count == search->room) {
		const size_t room = 2 * search->room + 64;
		struct sieve_text *texts =
		    reallocarray(search->texts, room, sizeof(*texts));

		if (texts == NULL)
			return -1;
		search->texts = texts;
		search->room = room;
	}
	search->texts[search->text_count++] = text;
	return 0;
}

/* Whether only a line with a word of its clue's list is tried. */
static bool
needs_word(const struct expression *expression)
{
	return expression->clue != NULL && expression->clue->words > 0;
}

/*
 * Adds the longest literal of each alternative of a pattern: a line that has
 * none of them cannot match.  If an alternative has none, each line is tried.
 */
static int
add_literals(struct search *search, struct expression *expression)
{
	const size_t before = search->text_count;
	const char *text = expression->text;

	read_flags(&text);
	for (const char *end = text; *end != '\0';) {
		struct sieve_text best = { .of = expression };

		end = find_literal(text, &best);
		if (best.length < SIEVE_LEAST) {
			search->text_count = before;
			expression->always = true;
			search->always |= !needs_word(expression);
			return 0;
		}
		if (add_text(search, best) == -1)
			return -1;
		text = end + 1;
	}
	return 0;
}

/* Adds an expression, if there is one, by its literals. */
static int
add_expression(struct search *search, enum line_kind kind, const char *text,
    const struct clue *clue)
{
	struct expression *expression = &search->expressions[search->count++];

	*expression = (struct expression){ kind, text, clue };
	return text == NULL || kind > LINE_CLUE
	    ? 0
	    : add_literals(search, expression);
}

/*
 * Makes the sieve, once there is a line to look through.  hit() knows the texts
 * of clues by their numbers, which come before those of expressions.
 */
static int
prepare(struct search *search)
{
	const struct patterns *patterns = search->patterns;
	size_t own = 0;
	int result = 0;

	while (line_patterns[own].text != NULL)
		own++;
	search->expressions = calloc(MATCHES + 1 + own + patterns->clue_count,
	    sizeof(*search->expressions));
	if (search->expressions == NULL)
		return -1;
	for (size_t i = 0; i < patterns->clue_count; i++) {
		struct clue *clue = &patterns->clues[i];

		if (clue->kind != CLUE_PATTERN &&
		    add_text(search,
			(struct sieve_text){ clue->text, clue->length,
			    clue }) == -1)
			return -1;
	}
	search->clue_texts = search->text_count;
	for (size_t i = 0; i < MATCHES; i++)
		result |= add_expression(search, LINE_MATCH, patterns->match[i],
		    NULL);
	result |= add_expression(search, LINE_HINT, patterns->hint, NULL);
	for (size_t i = 0; i < own && patterns->clue_count > 0; i++)
		result |= add_expression(search, line_patterns[i].kind,
		    line_patterns[i].text, NULL);
	for (size_t i = 0; i < patterns->clue_count; i++) {
		const struct clue *clue = &patterns->clues[i];

		if (clue->kind == CLUE_PATTERN)
			result |=
			    add_expression(search, LINE_CLUE, clue->text, clue);
	}
	if (result == 0)
		search->sieve = sieve_open(search->texts, search->text_count);
	return search->sieve == NULL ? -1 : 0;
}

void
search_begin(struct search *search, const struct patterns *patterns,
    struct found *found)
{
	*search = (struct search){ .patterns = patterns, .found = found };
}

void
search_close(struct search *search)
{
	for (size_t i = 0; i < search->count; i++) {
		struct expression *expression = &search->expressions[i];

		if (expression->compiled)
			regfree(&expression->regex);
		if (expression->placed)
			regfree(&expression->place);
	}
	free(search->expressions);
	free(search->texts);
	sieve_close(search->sieve);
}

/*
 * Whether the text matches: 1, 0, or -1 if there is not enough memory.  What
 * has searched much is compiled afresh.
 */
static int
matches(struct expression *expression, const char *text, int flags)
{
	regex_t *regex = &expression->regex;

	if (expression->compiled && expression->searched >= REFRESH) {
		regfree(regex);
		expression->compiled = false;
	}
	if (!expression->compiled) {
		if (compile_anchored(regex, expression->text) != 0)
			return -1;
		expression->compiled = true;
		expression->searched = 0;
	}
	expression->searched += strlen(text);
	return regexec(regex, text, 0, NULL, flags) == 0;
}

/* Where a text that matches does, and its first group. */
static int
locate(struct expression *expression, const char *text, int flags,
    regmatch_t groups[2])
{
	const char *pattern = expression->text;
	const int how = read_flags(&pattern);

	if (!expression->placed && regcomp(&expression->place, pattern, how))
		return -1;
	expression->placed = true;
	if (regexec(&expression->place, text, 2, groups, flags) != 0)
		groups[0] = groups[1] = (regmatch_t){ 0, 0 };
	return 0;
}

/* Takes what was found out of the rest of the line. */
static void
take_out(struct look *look, size_t at, size_t length)
{
	if (!look->found)
		memcpy(look->rest, look->line->text, look->line->length + 1);
	look->found = true;
	memset(look->rest + at, '\1', length);
}

/* Whether the line warns, or its rest proves nothing: 1, 0, or -1. */
static int
is_no_evidence(const struct look *look, const struct clue *clue)
{
	const bool may_warn =
	    clue->class == CLASS_PERMANENT && !clue->from_user;
	const struct search *search = look->search;
	int result = 0;

	for (size_t i = 0; i < search->count && result == 0; i++) {
		struct expression *expression = &search->expressions[i];

		if (expression->kind == LINE_DOUBT)
			result =
			    matches(expression, look->rest + look->skipped, 0);
		else if (expression->kind == LINE_WARNING && may_warn)
			result = matches(expression, look->line->text, 0);
	}
	return result;
}

/* Whether a line of the output makes this clue prove nothing. */
static bool
is_refuted(const struct found *found, const struct clue *clue)
{
	return !clue->from_user &&
	    (clue->class == CLASS_TRANSIENT ? found->not_transient
					    : found->not_permanent);
}

/* Whether a line with this clue would change the class. */
static bool
is_news(const struct search *search, const struct clue *clue)
{
	const struct found *found = search->found;
	const enum failure_class had = found->class.class;

	if (is_refuted(found, clue))
		return false;
	if (had == clue->class)
		return clue->from_user && !search->told->from_user;
	return had != CLASS_TRANSIENT;
}

/* Takes a class from what was found in the line, unless it is no evidence. */
static int
note_class(const struct look *look, const struct clue *clue, size_t at,
    size_t length)
{
	struct found *found = look->search->found;
	const size_t skipped = at < look->skipped ? 0 : look->skipped;

	if (!is_news(look->search, clue) ||
	    (clue->class == CLASS_TRANSIENT ? look->ignored : look->mended))
		return 0;
	const int no_evidence = is_no_evidence(look, clue);
	if (no_evidence != 0)
		return no_evidence == -1 ? -1 : 0;
	look->search->told = clue;
	found->class = (struct class_known){ .class = clue->class,
		.preset = clue->preset,
		.from_line = true };
	line_quote(found->class_line, DECIDING_LINE, look->line->text + skipped,
	    at - skipped, at - skipped + length);
	return 0;
}

/* A line matches an expression. */
static int
note(struct look *look, size_t number)
{
	struct expression *expression = &look->search->expressions[number];
	const struct stream_line *line = look->line;
	const enum line_kind kind = expression->kind;
	const size_t skipped = kind == LINE_CLUE ? look->skipped : 0;
	const char *text = line->text + skipped;
	struct found *found = look->search->found;
	regmatch_t groups[2];

	if (kind == LINE_COMPILER || kind == LINE_TEST) {
		expression->over = found->not_transient = true;
		found->not_permanent |= kind == LINE_TEST;
		if (look->search->told != NULL &&
		    is_refuted(found, look->search->told))
			found->class =
			    (struct class_known){ .class = CLASS_NONE };
		return 0;
	}
	if (locate(expression, text, line->cut ? REG_NOTEOL : 0, groups) == -1)
		return -1;
	const size_t from = skipped + (size_t)groups[0].rm_so;
	const size_t to = skipped + (size_t)groups[0].rm_eo;
	if (kind == LINE_CLUE) {
		take_out(look, from, to - from);
		return note_class(look, expression->clue, from, to - from);
	}
	if (kind == LINE_MATCH) {
		expression->over = true;
		found->matched |= MATCH_BIT(number);
		line_quote(found->lines[number], DECIDING_LINE, line->text,
		    from, to);
		return 0;
	}
	if (groups[1].rm_so == -1 || groups[0].rm_eo == 0)
		return 0;
	found->hinted = true;
	snprintf(found->hint, sizeof(found->hint), "%.*s",
	    (int)(groups[1].rm_eo - groups[1].rm_so),
	    line->text + groups[1].rm_so);
	return 0;
}

/* Whether these bytes of the line are not a part of a longer word. */
static bool
is_whole(const struct stream_line *line, size_t at, size_t length)
{
	const unsigned char *first = (const unsigned char *)line->text + at;
	const unsigned char *end = first + length;

	return !(at > 0 && isalnum(first[-1]) && isalnum(first[0])) &&
	    !(isalnum(end[-1]) && isalnum(end[0]));
}

/* The line has a text. */
static void
hit(struct look *look, size_t number, size_t at)
{
	const struct search *search = look->search;
	const struct clue *clue = search->texts[number].of;

	if (number >= search->clue_texts) {
		struct expression *expression = search->texts[number].of;

		expression->line = search->lines;
		look->wanted = true;
	} else if (clue->kind == CLUE_IGNORE)
		look->ignored = true;
	else if (clue->kind == CLUE_MENDED)
		look->mended = search->patterns->mends;
	else if (clue->kind == CLUE_WORD)
		look->words |= (uint64_t)is_whole(look->line, at, clue->length)
		    << clue->words;
	else {
		struct hit *hit = &look->hits[clue->class == CLASS_PERMANENT];
		const struct clue *other = hit->clue;

		take_out(look, at, clue->length);
		if (other == NULL ||
		    (clue->from_user == other->from_user ? clue < other
							 : clue->from_user))
			*hit = (struct hit){ clue, at };
	}
}

static int
look_through(struct search *search, struct stream_line *line)
{
	char rest[LINE_MOST + 1];
	struct look look = { .search = search, .line = line, .rest = rest };
	int result = 0;

	if (search->sieve == NULL && prepare(search) == -1)
		return -1;
	search->lines++;
	if (memchr(line->text, '\033', line->length) != NULL)
		line->length = line_uncolour(line->text, line->length);
	for (struct sieve_place place = { 0 };
	     sieve_next(search->sieve, line->text, line->length, &place);)
		hit(&look, place.number, place.at);
	const bool tries = search->always || look.wanted || look.words != 0;
	if (tries || look.found)
		search->tried += line->length + 1;
	if (!tries && !look.found)
		return 0;
	look.skipped = (size_t)(line_body(line->text) - line->text);
	for (size_t i = 0; i < 2 && result == 0; i++)
		if (look.hits[i].clue != NULL)
			result = note_class(&look, look.hits[i].clue,
			    look.hits[i].at, look.hits[i].clue->length);
	for (size_t i = 0; tries && i < search->count && result == 0; i++) {
		struct expression *expression = &search->expressions[i];
		const bool has_word = !needs_word(expression) ||
		    look.words >> expression->clue->words & 1;

		if (expression->text == NULL || expression->over || !has_word ||
		    !(expression->always || expression->line == search->lines))
			continue;
		result = matches(expression,
		    line->text +
			(expression->kind <= LINE_HINT ? 0 : look.skipped),
		    line->cut ? REG_NOTEOL : 0);
		if (result == 1)
			result = note(&look, i);
	}
	return result;
}

/*
 * Most lines have no text that is looked for.  Returns the size of those that
 * come before the first one that has, or whose end is not there yet.
 */
static size_t
skip_lines(const struct search *search, const char *bytes, size_t size)
{
	struct sieve_place place = { 0 };
	const char *end = memrchr(bytes, '\n', size);

	if (end != NULL &&
	    sieve_next(search->sieve, bytes, (size_t)(end - bytes), &place))
		end = memrchr(bytes, '\n', place.at);
	return end == NULL ? 0 : (size_t)(end + 1 - bytes);
}

void
search_again(struct search *search)
{
	for (size_t i = 0; i < search->count; i++)
		search->expressions[i].over = false;
	search->told = NULL;
	*search->found = (struct found){ 0 };
}

void
search_was_slow(struct search *search)
{
	/* An expression that has searched less may have just been compiled. */
	for (size_t i = 0; i < search->count; i++)
		if (search->expressions[i].searched >= 2 * SOME)
			search->expressions[i].searched = REFRESH;
}

ssize_t
search_some(struct search *search, struct stream_line *line, const char *bytes,
    size_t size)
{
	const char *first = bytes;
	/* Colours and NULs are taken out of a line first. */
	const bool plain = memchr(bytes, '\033', size) == NULL &&
	    memchr(bytes, '\0', size) == NULL;

	search->tried = 0;
	while (size > 0 && search->tried < SOME) {
		if (plain && !line->begun && search->sieve != NULL &&
		    !search->always) {
			const size_t skipped = skip_lines(search, bytes, size);

			bytes += skipped;
			size -= skipped;
		}
		/* CR LF is one end. */
		if (line->returned && size > 0 && *bytes == '\n') {
			bytes++;
			size--;
		}
		line->returned = false;
		if (size == 0)
			break;
		const char *end = memchr(bytes, '\n', size);
		size_t length = end == NULL ? size : (size_t)(end - bytes);
		end = memchr(bytes, '\r', length);
		if (end != NULL)
			length = (size_t)(end - bytes);
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
		if (size > 0) {
			if (search_end(search, line) == -1)
				return -1;
			line->returned = end != NULL;
			bytes++;
			size--;
		}
	}
	return bytes - first;
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
search_line(const struct found *found, enum rule rule, bool from_line)
{
	const enum match match = verdict_match(rule, found->matched);

	if (match < MATCHES)
		return found->lines[match];
	return from_line ? found->class_line : NULL;
}
