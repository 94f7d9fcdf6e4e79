/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "line.h"

#define BLANKS " \t"
#define DIGITS "0123456789"
#define NAME "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_./"

size_t
line_uncolour(char *text, size_t length)
{
	size_t kept = 0;

	for (size_t i = 0; i < length; i++) {
		size_t end = i + 2;

		if (text[i] != '\033' || text[i + 1] != '[') {
			text[kept++] = text[i];
			continue;
		}
		/* Parameters are below '@', and the end is not. */
		while (end < length && text[end] >= ' ' && text[end] < '@')
			end++;
		i = end;
	}
	text[kept] = '\0';
	return kept;
}

/* Whether a time or a date begins: digits with ':', '-' or '/' between them. */
static size_t
time_length(const char *text)
{
	const size_t length = strspn(text, DIGITS ":-/.,TZ+");
	int parts = 0;

	for (size_t i = 1; i < length; i++)
		parts += strchr(":-/", text[i]) != NULL;
	return parts >= 2 && text[length] == ' ' &&
		isdigit((unsigned char)*text)
	    ? length
	    : 0;
}

/* "Nov 25 10:15:02 host name[12]: ", as syslog has it. */
static size_t
syslog_length(const char *text)
{
	size_t length = 4;

	if (!isupper((unsigned char)text[0]) || strlen(text) < 16 ||
	    text[3] != ' ')
		return 0;
	length += strspn(text + length, " ");
	length += strspn(text + length, DIGITS);
	if (text[length++] != ' ' || time_length(text + length) == 0)
		return 0;
	length += time_length(text + length) + 1;
	length += strcspn(text + length, " ");
	length += strspn(text + length, " ");
	length += strspn(text + length, NAME DIGITS "[]");
	return text[length] == ':' ? length + 1 : 0;
}

/* The length of one prefix, without the blanks behind it, or 0. */
static size_t
prefix_length(const char *text)
{
	const size_t digits = strspn(text, DIGITS);
	const size_t name = strspn(text, NAME DIGITS);
	size_t length;

	/* Frames, such as those of terraform and uv. */
	if (strncmp(text, "\xe2\x94", 2) == 0 ||
	    strncmp(text, "\xe2\x95", 2) == 0 ||
	    strncmp(text, "\xe2\x96\xb6", 3) == 0)
		return text[2] == '\0' ? 2 : 3;
	if (*text == '#' && isdigit((unsigned char)text[1])) {
		length = 1 + strspn(text + 1, DIGITS);
		return text[length] == ' ' ? length : 0;
	}
	if (*text == '[' && isalnum((unsigned char)text[1])) {
		length = strcspn(text, "]");
		return length <= 40 && strncmp(text + length, "] ", 2) == 0
		    ? length + 1
		    : 0;
	}
	if (digits > 0 && text[digits] == '.') {
		length = digits + 1 + strspn(text + digits + 1, DIGITS);
		if (text[length] == ' ')
			return length;
	}
	if (strncmp(text, "stderr: ", 8) == 0 ||
	    strncmp(text, "stdout: ", 8) == 0)
		return 7;
	/* Compose's; a line of source begins with a digit. */
	if (name > 0 && isalpha((unsigned char)*text)) {
		length = name + strspn(text + name, " ");
		if (length > name && strncmp(text + length, "| ", 2) == 0)
			return length + 1;
	}
	length = time_length(text);
	return length > 0 ? length : syslog_length(text);
}

const char *
line_body(const char *text)
{
	for (;;) {
		text += strspn(text, BLANKS);
		const size_t length = prefix_length(text);
		if (length == 0)
			return text;
		text += length;
	}
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

void
line_quote(char *quote, size_t size, const char *line, size_t start, size_t end)
{
	size_t first = start, last = end + strcspn(line + end, BLANKS);

	/* The words that were found are whole; then words are added. */
	while (first > 0 && !is_blank(line[first - 1]))
		first--;
	for (bool grown = true; grown;) {
		size_t from = first, to = last + strspn(line + last, BLANKS);

		to += strcspn(line + to, BLANKS);
		grown = false;
		while (from > 0 && is_blank(line[from - 1]))
			from--;
		while (from > 0 && !is_blank(line[from - 1]))
			from--;
		if (from < first && last - from <= LINE_QUOTE) {
			first = from;
			grown = true;
		}
		if (to > last && to - first <= LINE_QUOTE) {
			last = to;
			grown = true;
		}
	}
	while (first < last && is_blank(line[first]))
		first++;
	while (first < last && is_blank(line[last - 1]))
		last--;
	/* A word without an end has no room, and is left out, too. */
	if (last - first + sizeof("... ... ") > size) {
		strlcpy(quote, "...", size);
		return;
	}
	const bool begins = first == strspn(line, BLANKS);
	const bool ends = line[last + strspn(line + last, BLANKS)] == '\0';
	snprintf(quote, size, "%s%.*s%s", begins ? "" : "... ",
	    (int)(last - first), line + first, ends ? "" : " ...");
}

/*
 * What runs of tests count.  Below, each alternative has some letters outside
 * groups: without, every line would be tried.
 */
#define TESTS \
	"((test|spec|example|scenario|case|assertion|suite|check|file)s? )?"

const struct line_pattern line_patterns[] = {
	{ LINE_COMPILER,
	    ":[0-9]+(:[0-9]+)?: (fatal )?error: |[0-9][)]: error "
	    "[A-Z]+[0-9]|^error\\[[A-Z]+[0-9]+\\]|[.]py:[0-9]+(:[0-9]+)?:? "
	    "[CEFRW][0-9]{3,4}:? |undeclared|: undefined: |annot find "
	    "(symbol|name|value|type)|[Uu]ndefined (reference|variable|name)"
	    "|^[^a-zA-Z]*(Found )?[1-9][0-9]* errors?( generated| in |[.,]| "
	    "\\(|$)|^[^a-zA-Z]*[1-9][0-9]* problems?([.,]| \\(|$)|"
	    "[Cc]ould(n't| not) find a config|SSL module is not available" },
	{ LINE_TEST,
	    "(?i)(^|[,|(:*=] *)[1-9][0-9]* " TESTS "fail(ed|ing|ures?)"
	    "?(\\.?$|[],;|)]| [|*=(]| in [0-9])" },
	{ LINE_TEST,
	    "(?i)(^|, |\xe2\x84\xb9 |# |- )fail(ed|ures?)? ?" TESTS ":? "
	    "*[1-9][0-9]*( *$|[,;|)])" },
	{ LINE_TEST, "^Tests run: .*(Failures|Errors): +[1-9]" },
	{ LINE_TEST, "^not ok [0-9]|^--- FAIL: |^FAIL\t|^test result: FAILED" },
	{ LINE_TEST,
	    "^\\[ +FAILED +\\]|^FAILED \\(|^Result: FAIL|^FAILURES!|^Failed "
	    "Tests " },
	{ LINE_TEST, "^FAIL(ED)?:? +[^ ]*(test|spec|Test|Spec)" },
	{ LINE_TEST,
	    "^Failed [0-9]+/[0-9]+ (subtests|test)|The following tests "
	    "FAILED:" },
	{ LINE_TEST, "^There (was|were) [1-9][0-9]* (failure|error)" },
	{ LINE_TEST, "^[*]{2} TEST FAILED [*]{2}" },
	{ LINE_TEST, "^AssertionError|[Aa]ssertion failed" },
	{ LINE_WARNING,
	    "(?i)^[^a-z]*(npm |(time=[^ ]+ )?level=)?(warn(ing)?|notice|"
	    "hint|w)[]: ]" },
	/* Echoed commands. */
	{ LINE_DOUBT,
	    "^([+]+ |\\$ |RUN |\\[command\\]|##\\[group\\]Run|> [a-z][^ :]* "
	    "[^\1])" },
	{ LINE_DOUBT,
	    "process \".*\1.*\" did not complete|command '.*\1.*' returned" },
	/* Options and usages. */
	{ LINE_DOUBT, "^(-[a-zA-Z0-9]([, =]|$)|--[a-z]|[Uu]sage: )" },
	/* How lines of test runners begin. */
	{ LINE_DOUBT,
	    "^((not )?ok [0-9]|(---|===) (PASS|FAIL|RUN|SKIP)|(PASS|FAIL|"
	    "FAILED)[: ]|# |>>> |E  |[0-9]+\\) |[0-9]+ *\\||\\[ +(RUN|OK|FAI"
	    "LED) )" },
	{ LINE_DOUBT,
	    "^(\xe2\x9c\x93|\xe2\x9c\x94|\xe2\x9c\x95|\xe2\x9c\x97|"
	    "\xe2\x97\x8f|\xe2\x88\x9a|\xe2\x9c\x98 [^[]|\xe2\x9c\x98 \\[f|"
	    "\xe2\x86\x92|\xe2\x9d\xaf)" },
	{ LINE_DOUBT,
	    "(?i)^(left|right|got|want|actual|expected|received|found) ?[:=]" },
	{ LINE_DOUBT, "^(test [^ ]+ \\.\\.\\.|test_[a-z0-9_]+|at [^ ]+ \\()" },
	/* A quoted text, but no member of JSON, unless a diff shows it. */
	{ LINE_DOUBT,
	    "^([-+] *[\"'`].*|\"([^\"\\]|\\.)*|'[^']*|`[^`]*)[\"'`],?$" },
	{ LINE_DOUBT,
	    "^(it )?(rejects|returns|throws|resolves|handles|retries|"
	    "reports) " },
	/* What they say; the word is not a part of a name, such as a path. */
	{ LINE_DOUBT,
	    "(?i)(^|[^a-z0-9@/:._\\-])(assert|expect|should |mock|simulat)"
	    "[a-z_]*([^a-z0-9@/:.-]|[@/:.-][^a-z0-9]|$)" },
	{ LINE_DOUBT,
	    "(?i)(assertion *(error|fail)|panicked at|to equal|tobe\\(|"
	    "unused|raise |describe\\(| it\\(|test\\()" },
	{ LINE_DOUBT,
	    "(, |[ :])want [^t]|['\"`] [!=]==? ['\"`]| ===? | left == right" },
	{ LINE_DOUBT,
	    "(?i)(_test\\.[a-z]+:[0-9]|[._](spec|test)\\.[a-z]+[:(]|"
	    "tests?\\.[a-z_]+:[0-9]| \xe2\x80\xba |::test_|[b-z]test\\.)" },
	{ LINE_DOUBT,
	    ":[0-9]+:? (warning|error|note)[:[]|[0-9][)]: error (TS|CS)[0-9]" },
	/* How they end. */
	{ LINE_DOUBT,
	    "(\\.\\.\\. (ok|FAIL|FAILED|ERROR)|(PASSED|FAILED)( +\\[ *[0-9]+"
	    "%\\])?|\\([0-9.]+ ?ms\\))$" },
	{ .text = NULL },
};
