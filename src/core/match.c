#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "match.h"
#include "number.h"

/* How deep groups may be in each other. */
#define DEPTH_MOST 64

/*
 * What an expression may weigh: some tenths of a second and 400 MB at worst.
 */
#define NODES_MOST 1000
#define NESTS_MOST 10

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

/* What regcomp(3) makes of an expression, or of a part. */
struct weight {
	double nodes; /* it copies what is repeated: "x++++" are 2^4 of "x" */
	double nests; /* loops around what repeats, each of which takes twice */
	bool repeats;
};

/* What it lets pass, or takes memory and time without end for. */
struct scan {
	bool refers;   /* it has a back-reference */
	bool unopened; /* a parenthesis is closed that none opened */
	bool deep;     /* there are too many in each other */
	int depth;
	struct weight last; /* of the last item, which is in its group's too */
	struct weight groups[DEPTH_MOST]; /* that are open */
};

static void
scan_item(struct scan *scan, struct weight weight)
{
	struct weight *group = &scan->groups[scan->depth];

	scan->last = weight;
	group->nodes += weight.nodes;
	group->nests += weight.nests;
	group->repeats |= weight.repeats;
}

/* The last item is written so many times; in a loop it comes any number. */
static void
repeat(struct scan *scan, double times, bool loops)
{
	struct weight *group = &scan->groups[scan->depth];
	const struct weight last = scan->last;

	group->nodes -= last.nodes;
	group->nests -= last.nests;
	scan_item(scan,
	    (struct weight){
		.nodes = last.nodes * number_max(times, 2),
		.nests = last.nests * times + (loops && last.repeats),
		.repeats = true,
	    });
}

/* "{2}", "{2,}" or "{2,5}"; returns what is behind it. */
static const char *
scan_interval(struct scan *scan, const char *text)
{
	char *end;
	const double least = (double)strtoul(text + 1, &end, 10);
	const bool comma = *end == ',';
	const double most = comma ? (double)strtoul(end + 1, &end, 10) : least;
	const bool loops = most < least;

	repeat(scan, loops ? least + 1 : most, loops);
	return *end == '}' ? end + 1 : end;
}

static void
scan_parenthesis(struct scan *scan, char parenthesis)
{
	if (parenthesis == '(' && scan->depth + 1 == DEPTH_MOST) {
		scan->deep = true;
	} else if (parenthesis == '(') {
		scan->groups[++scan->depth] = (struct weight){ .nodes = 1 };
		scan->last = (struct weight){ .nodes = 0 };
	} else if (scan->depth == 0) {
		scan->unopened = true;
	} else {
		scan->depth--;
		scan_item(scan, scan->groups[scan->depth + 1]);
	}
}

static struct scan
scan(const char *text)
{
	const struct weight one = { .nodes = 1 };
	struct scan result = { .refers = false };

	while (*text != '\0' && !result.deep) {
		const char character = *text;

		if (character == '[') {
			text = skip_bracket(text);
			scan_item(&result, one);
			continue;
		}
		if (character == '{' && strchr("0123456789,", text[1])) {
			text = scan_interval(&result, text);
			continue;
		}
		if (character == '\\' && text[1] != '\0') {
			text++;
			result.refers |= isdigit((unsigned char)*text) != 0;
			scan_item(&result, one);
		} else if (character == '(' || character == ')') {
			scan_parenthesis(&result, character);
		} else if (strchr("+*?", character) != NULL) {
			repeat(&result, character == '+' ? 2 : 1,
			    character != '?');
		} else
			scan_item(&result, one);
		text++;
	}
	return result;
}

/* Whether it is more than is compiled; the weight may be infinite. */
static bool
is_large(const struct scan *scan)
{
	double nodes = 0, nests = 0;

	for (int i = 0; i <= scan->depth; i++) {
		nodes += scan->groups[i].nodes;
		nests += scan->groups[i].nests;
	}
	return scan->deep || !(nodes <= NODES_MOST) || !(nests <= NESTS_MOST);
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
compile_anchored(regex_t *pattern, const char *text, const struct scan *found)
{
	char *anchored;
	const char *problem;

	if (found->unopened)
		return compile(pattern, text, REG_NOSUB);
	if (asprintf(&anchored, "^.*(%s)", text) == -1)
		return "is too large";
	problem = compile(pattern, anchored, REG_NOSUB);
	free(anchored);
	return problem;
}

/* NULL, or why the text is not to be compiled. */
static const char *
refuse(const struct scan *found)
{
	if (found->refers)
		return "has a back-reference";
	return is_large(found) ? "is too large" : NULL;
}

const char *
patterns_match(struct patterns *patterns, enum match match, const char *text)
{
	const struct scan found = scan(text);
	const char *problem = refuse(&found);
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
	problem = compile_anchored(&patterns->found[match], text, &found);
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
	const struct scan found = scan(text);
	const char *problem = refuse(&found);

	if (problem != NULL)
		return problem;
	free_hint(patterns);
	problem = compile(&patterns->hint, text, 0);
	if (problem != NULL)
		return problem;
	if (patterns->hint.re_nsub == 0)
		problem = "has no group that could hold the delay";
	else
		problem = compile_anchored(&patterns->hint_found, text, &found);
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
