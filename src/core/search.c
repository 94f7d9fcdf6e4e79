#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"

/*
 * glibc's matcher keeps each state that it builds, at worst several hundred
 * bytes for each byte of a line, until the pattern is freed.  So the patterns
 * are compiled afresh after so many bytes.
 */
#define REFRESH (1 << 15)

/* Parts of a pattern that regcomp(3) takes, but that need care here. */
struct scan {
	bool refers;   /* it has a back-reference */
	bool unopened; /* a parenthesis is closed that none opened */
	bool doubled;  /* a repetition is repeated, which POSIX leaves undefined
			  and regcomp(3) makes copies for: 2^n of "x" + n "+" */
	bool marked;   /* a parenthesis begins with a question mark */
	bool empty;    /* an alternative or a group is, and matches anywhere */
	char escaped;  /* the first character that POSIX gives no meaning after
			  a backslash, or 0 */
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

static struct scan
scan(const char *text)
{
	struct scan result = { .refers = false };
	int depth = 0;
	bool repeated = false, begun = *text == '\0';

	while (*text != '\0') {
		const bool repeats = strchr("*+?{", *text) != NULL;
		const bool closes = *text == '|' || (*text == ')' && depth > 0);

		result.empty |= closes && !begun;
		begun = *text != '|' && *text != '(';
		result.doubled |= repeats && repeated;
		repeated = repeats;
		if (*text == '{')
			text += strcspn(text, "}");
		if (*text == '\0')
			break;
		if (*text == '[') {
			text = skip_bracket(text);
			continue;
		}
		if (*text == '\\' && text[1] != '\0') {
			text++;
			result.refers |= isdigit((unsigned char)*text) != 0;
			if (result.escaped == '\0' &&
			    strchr("^.[$()|*+?{\\", *text) == NULL)
				result.escaped = *text;
		} else if (*text == '(') {
			depth++;
			result.marked |= text[1] == '?';
		} else if (*text == ')' && --depth < 0) {
			result.unopened = true;
			depth = 0;
		}
		text++;
	}
	result.empty |= !begun;
	return result;
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

	if (scan(text).unopened)
		return regcomp(pattern, text, flags);
	snprintf(anchored, sizeof(anchored), "^.*(%s)", text);
	return regcomp(pattern, anchored, flags);
}

/* Returns NULL, or why this character may not follow a backslash. */
static const char *
undefined_escape(char escaped)
{
	static const struct {
		char escaped;
		const char *problem;
	} rows[] = {
		{ 'd', "\\d is not POSIX: use [0-9]" },
		{ 'D', "\\D is not POSIX: use [^0-9]" },
		{ 'w', "\\w is not POSIX: use [[:alnum:]_]" },
		{ 'W', "\\W is not POSIX: use [^[:alnum:]_]" },
		{ 's', "\\s is not POSIX: use [[:space:]]" },
		{ 'S', "\\S is not POSIX: use [^[:space:]]" },
		{ 'h', "\\h is not POSIX: use [[:blank:]]" },
		{ 'n', "\\n is not POSIX: a line is searched without its end" },
		{ 't', "\\t is not POSIX: use [[:blank:]]" },
		{ 'b',
		    "\\b is not POSIX: use (^|[^[:alnum:]_]) before a word, "
		    "([^[:alnum:]_]|$) after it" },
		{ '<', "\\< is not POSIX: use (^|[^[:alnum:]_])" },
		{ '>', "\\> is not POSIX: use ([^[:alnum:]_]|$)" },
		{ 'A', "\\A is not POSIX: use ^" },
		{ '`', "\\` is not POSIX: use ^" },
		{ 'z', "\\z is not POSIX: use $" },
		{ 'Z', "\\Z is not POSIX: use $" },
		{ '\'', "\\' is not POSIX: use $" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].escaped == escaped)
			return rows[i].problem;
	return "a backslash before a character that is not special is not "
	       "POSIX: leave it out";
}

const char *
search_check(const char *text, bool is_hint)
{
	static const struct {
		int code;
		const char *problem;
	} rows[] = {
		{ REG_BADBR, "bad repetition count" },
		{ REG_BADRPT, "nothing to repeat" },
		{ REG_EBRACE, "unmatched brace" },
		{ REG_EBRACK, "unmatched bracket" },
		{ REG_ECOLLATE, "unknown collating element" },
		{ REG_ECTYPE, "unknown character class" },
		{ REG_EESCAPE, "backslash at the end" },
		{ REG_EPAREN, "unmatched parenthesis" },
		{ REG_ERANGE, "a range runs backwards" },
		{ REG_ESIZE, "too large" },
		{ REG_ESPACE, "too large" },
		{ REG_ESUBREG, "back-reference" },
	};
	regex_t pattern;

	if (strlen(text) > PATTERN_MOST)
		return "longer than 1024 bytes";
	const int flags = read_flags(&text);
	const struct scan parts = scan(text);
	if (parts.refers)
		return "back-reference";
	if (parts.escaped != '\0')
		return undefined_escape(parts.escaped);
	if (parts.marked)
		return "(? is not POSIX, except (?i) at the beginning";
	if (parts.doubled)
		return "repetition of a repetition, which POSIX does not "
		       "define";
	if (parts.empty)
		return "an empty alternative or group, which matches any line";
	int code = regcomp(&pattern, text, flags);
	if (code == 0) {
		const size_t groups = pattern.re_nsub;

		regfree(&pattern);
		if (is_hint && groups == 0)
			return "no group holds the delay";
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

unsigned int
search_matches(const struct patterns *patterns)
{
	unsigned int matches = 0;

	for (unsigned int match = 0; match < MATCHES; match++)
		if (patterns->match[match] != NULL)
			matches |= MATCH_BIT(match);
	return matches;
}

int
search_begin(struct search *search, const struct patterns *patterns,
    struct found *found)
{
	*search = (struct search){ .patterns = patterns, .found = found };
	for (unsigned int match = 0; match < MATCHES; match++)
		if (patterns->match[match] != NULL &&
		    compile_anchored(&search->match[match],
			patterns->match[match]) != 0)
			return -1;
	if (patterns->hint == NULL)
		return 0;
	const char *hint = patterns->hint;
	const int flags = read_flags(&hint);
	if (compile_anchored(&search->hinted, patterns->hint) != 0 ||
	    regcomp(&search->hint, hint, flags) != 0)
		return -1;
	return 0;
}

void
search_close(struct search *search)
{
	for (unsigned int match = 0; match < MATCHES; match++)
		if (search->patterns->match[match] != NULL)
			regfree(&search->match[match]);
	if (search->patterns->hint != NULL) {
		regfree(&search->hinted);
		regfree(&search->hint);
	}
}

/* Compiles the patterns afresh, if there is memory for both at once. */
static void
refresh(struct search *search)
{
	struct search fresh;

	search->searched = 0;
	if (search_begin(&fresh, search->patterns, search->found) == -1)
		return;
	search_close(search);
	*search = fresh;
}

static void
search_line(struct search *search, const struct stream_line *line)
{
	const struct patterns *patterns = search->patterns;
	struct found *found = search->found;
	const int flags = line->cut ? REG_NOTEOL : 0;
	regmatch_t groups[2];

	for (unsigned int match = 0; match < MATCHES; match++)
		if (patterns->match[match] != NULL &&
		    !(found->matched & MATCH_BIT(match)) &&
		    regexec(&search->match[match], line->text, 0, NULL,
			flags) == 0)
			found->matched |= MATCH_BIT(match);
	if (patterns->hint != NULL &&
	    regexec(&search->hinted, line->text, 0, NULL, flags) == 0 &&
	    regexec(&search->hint, line->text, 2, groups, flags) == 0 &&
	    groups[1].rm_so != -1) {
		found->hinted = true;
		snprintf(found->hint, sizeof(found->hint), "%.*s",
		    (int)(groups[1].rm_eo - groups[1].rm_so),
		    line->text + groups[1].rm_so);
	}
	search->searched += line->length;
	if (search->searched >= REFRESH)
		refresh(search);
}

void
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
		for (size_t i = 0; i < kept; i++)
			if (text[i] == '\0')
				text[i] = '\1';
		text[kept] = '\0';
		line->length += kept;
		line->cut |= kept < length;
		line->begun = true;
		bytes += length;
		size -= length;
		if (end != NULL) {
			search_end(search, line);
			bytes++;
			size--;
		}
	}
}

void
search_end(struct search *search, struct stream_line *line)
{
	if (line->begun)
		search_line(search, line);
	line->begun = line->cut = false;
	line->length = 0;
}
