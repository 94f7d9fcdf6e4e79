#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "match.h"

/* How deep groups may be in each other. */
#define DEPTH_MOST 64

/* How many nodes an expression may have: 40 MB, with the worst of them. */
#define SIZE_MOST 5000

bool
patterns_any(const struct patterns *patterns)
{
	return patterns->given != 0 || patterns->hints;
}

/* Behind a bracket expression that begins here. */
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
 * What regcomp(3) lets pass, or takes memory and time without end for: it copies
 * what is repeated, so that "x++++" takes 2^4 times what "x" does.
 */
struct scan {
	bool refers;   /* it has a back-reference */
	bool unopened; /* a parenthesis is closed that none opened */
	bool deep;     /* there are too many in each other */
	int depth;
	double last;		  /* how many nodes the last item takes */
	double sizes[DEPTH_MOST]; /* of groups that are open */
};

/* The last item is there so many times. */
static void
repeat(struct scan *scan, double times)
{
	scan->sizes[scan->depth] += scan->last * (times - 1);
	scan->last *= times;
}

/* "{2}", "{2,}" or "{2,5}"; returns what is behind it. */
static const char *
scan_interval(struct scan *scan, const char *text)
{
	char *end;
	const double least = (double)strtoul(text + 1, &end, 10);
	const double most =
	    *end == ',' ? (double)strtoul(end + 1, &end, 10) : 0;

	repeat(scan, fmax(least + 1, most));
	return *end == '}' ? end + 1 : end;
}

static void
scan_item(struct scan *scan, double size)
{
	scan->last = size;
	scan->sizes[scan->depth] += size;
}

static void
scan_parenthesis(struct scan *scan, char parenthesis)
{
	if (parenthesis == '(' && scan->depth + 1 == DEPTH_MOST) {
		scan->deep = true;
	} else if (parenthesis == '(') {
		scan->sizes[++scan->depth] = 0;
		scan->last = 0;
	} else if (scan->depth == 0) {
		scan->unopened = true;
		scan_item(scan, 1);
	} else {
		scan->depth--;
		scan_item(scan, scan->sizes[scan->depth + 1] + 1);
	}
}

static struct scan
scan(const char *text)
{
	struct scan result = { .refers = false };

	while (*text != '\0' && !result.deep) {
		const char character = *text;

		if (character == '[') {
			text = skip_bracket(text);
			scan_item(&result, 1);
			continue;
		}
		if (character == '{' && strchr("0123456789,", text[1])) {
			text = scan_interval(&result, text);
			continue;
		}
		if (character == '\\' && text[1] != '\0') {
			text++;
			result.refers |= isdigit((unsigned char)*text) != 0;
			scan_item(&result, 1);
		} else if (character == '(' || character == ')') {
			scan_parenthesis(&result, character);
		} else if (strchr("+*?", character) != NULL) {
			repeat(&result, 2);
		} else
			scan_item(&result, 1);
		text++;
	}
	return result;
}

/* Whether all of it is more than is compiled; the size may be infinite. */
static bool
is_large(const struct scan *scan)
{
	return scan->deep || !(scan->sizes[0] <= SIZE_MOST);
}

static const char *
compile(regex_t *pattern, const char *text, int flags)
{
	static const struct {
		int code;
		const char *problem;
	} rows[] = {
		{ REG_BADBR, "has a bad repetition count" },
		{ REG_BADRPT, "repeats nothing" },
		{ REG_EBRACE, "has an unmatched brace" },
		{ REG_EBRACK, "has an unmatched bracket" },
		{ REG_ECOLLATE, "names an unknown collating element" },
		{ REG_ECTYPE, "names an unknown character class" },
		{ REG_EESCAPE, "ends with a backslash" },
		{ REG_EPAREN, "has an unmatched parenthesis" },
		{ REG_ERANGE, "has a range that runs backwards" },
		{ REG_ESIZE, "is too large" },
		{ REG_ESPACE, "is too large" },
		{ REG_ESUBREG, "has a back-reference" },
	};
	const int code = regcomp(pattern, text, REG_EXTENDED | flags);

	if (code == 0)
		return NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].code == code)
			return rows[i].problem;
	return "is no regular expression";
}

/*
 * For whether a line matches, not where: tried at each of a line's bytes, an
 * expression takes the square of its length; from its beginning alone, hardly
 * more than its length.
 */
static const char *
compile_anchored(regex_t *pattern, const char *text)
{
	char *anchored;
	const char *problem;

	if (scan(text).unopened)
		return compile(pattern, text, REG_NOSUB);
	if (asprintf(&anchored, "^.*(%s)", text) == -1)
		return "is too large";
	problem = compile(pattern, anchored, REG_NOSUB);
	free(anchored);
	return problem;
}

/* NULL, or why the text is not to be compiled. */
static const char *
refuse(const char *text)
{
	const struct scan found = scan(text);

	if (found.refers)
		return "has a back-reference";
	return is_large(&found) ? "is too large" : NULL;
}

const char *
patterns_match(struct patterns *patterns, enum match match, const char *text)
{
	const char *problem = refuse(text);
	regex_t alone;

	if (problem != NULL)
		return problem;
	problem = compile(&alone, text, REG_NOSUB);
	if (problem != NULL)
		return problem;
	regfree(&alone);
	if (patterns->given & MATCH_BIT(match))
		regfree(&patterns->found[match]);
	patterns->given &= ~MATCH_BIT(match);
	problem = compile_anchored(&patterns->found[match], text);
	if (problem == NULL)
		patterns->given |= MATCH_BIT(match);
	return problem;
}

static void
free_hint(struct patterns *patterns)
{
	if (patterns->hints) {
		regfree(&patterns->hint);
		regfree(&patterns->hint_found);
	}
	patterns->hints = false;
}

const char *
patterns_hint(struct patterns *patterns, const char *text)
{
	const char *problem = refuse(text);

	if (problem != NULL)
		return problem;
	free_hint(patterns);
	problem = compile(&patterns->hint, text, 0);
	if (problem != NULL)
		return problem;
	if (patterns->hint.re_nsub == 0)
		problem = "has no group that could hold the delay";
	else
		problem = compile_anchored(&patterns->hint_found, text);
	patterns->hints = problem == NULL;
	if (problem != NULL)
		regfree(&patterns->hint);
	return problem;
}

void
patterns_free(struct patterns *patterns)
{
	for (unsigned int match = 0; match < MATCHES; match++)
		if (patterns->given & MATCH_BIT(match))
			regfree(&patterns->found[match]);
	patterns->given = 0;
	free_hint(patterns);
}

static void
search_hint(struct search *search, const struct lines *lines, int flags)
{
	const struct patterns *patterns = search->patterns;
	regmatch_t groups[2];

	if (regexec(&patterns->hint_found, lines->text, 0, NULL, flags) != 0 ||
	    regexec(&patterns->hint, lines->text, 2, groups, flags) != 0 ||
	    groups[1].rm_so == -1)
		return;
	search->hinted = true;
	snprintf(search->hint, sizeof(search->hint), "%.*s",
	    (int)(groups[1].rm_eo - groups[1].rm_so),
	    lines->text + groups[1].rm_so);
}

void
search_line(struct search *search, const struct lines *lines)
{
	const struct patterns *patterns = search->patterns;
	const unsigned int wanted = patterns->given & ~search->matched;
	const int flags = lines->cut ? REG_NOTEOL : 0;

	for (unsigned int match = 0; match < MATCHES; match++)
		if (wanted & MATCH_BIT(match) &&
		    regexec(&patterns->found[match], lines->text, 0, NULL,
			flags) == 0)
			search->matched |= MATCH_BIT(match);
	if (patterns->hints)
		search_hint(search, lines, flags);
}
