/* SPDX-License-Identifier: MIT */

/*
 * The first line is an expression, what follows an attempt's output.  However
 * that is cut into pieces, the same is found in the same lines, and it is what
 * regexec(3) alone would find.
 */

#include "core/search.h"
#include "fuzz.h"

#define EXPRESSION_MOST 40

/* What the output must give. */
struct plain {
	bool matched;
};

/* One line, without its end. */
static void
plain_line(struct plain *plain, const regex_t *pattern, const char *line,
    size_t length)
{
	const size_t kept = length < LINE_MOST ? length : LINE_MOST;
	char *text = fuzz_text((const uint8_t *)line, kept);

	for (size_t i = 0; i < kept; i++)
		if (text[i] == '\0')
			text[i] = '\1';
	plain->matched |= regexec(pattern, text, 0, NULL,
			      length > kept ? REG_NOTEOL : 0) == 0;
	free(text);
}

static struct plain
plain_search(const regex_t *pattern, const char *data, size_t size)
{
	struct plain plain = { 0 };

	while (size > 0) {
		const char *end = memchr(data, '\n', size);
		const size_t length = end == NULL ? size : (size_t)(end - data);

		plain_line(&plain, pattern, data, length);
		data += length + (end != NULL);
		size -= length + (end != NULL);
	}
	return plain;
}

/* In pieces of so many bytes. */
static struct found
search(const struct patterns *patterns, const char *data, size_t size,
    size_t piece)
{
	struct stream_line *line = calloc(1, sizeof(*line));
	struct found found = { 0 };
	struct search search;

	MUST(line != NULL);
	search_begin(&search, patterns, &found);
	while (size > 0) {
		const ssize_t taken = search_some(&search, line, data,
		    piece < size ? piece : size);

		MUST(taken > 0);
		MUST(line->length <= LINE_MOST);
		MUST(line->length == 0 || strlen(line->text) == line->length);
		data += taken;
		size -= (size_t)taken;
	}
	search_end(&search, line);
	MUST(!line->begun);
	search_close(&search);
	free(line);
	return found;
}

static void
check_output(const struct patterns *patterns, const regex_t *pattern,
    const char *data, size_t size)
{
	static const size_t pieces[] = { SIZE_MAX, 1, 2, 7, LINE_MOST };
	const struct plain plain = plain_search(pattern, data, size);
	struct found first = { 0 };

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		const struct found found =
		    search(patterns, data, size, pieces[i]);

		MUST((found.matched != 0) == plain.matched);
		MUST(strlen(found.hint) < HINT_TEXT);
		MUST(!found.hinted || plain.matched);
		if (i == 0)
			first = found;
		MUST(found.hinted == first.hinted);
		MUST(strcmp(found.hint, first.hint) == 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text;
	const char *expression = fuzz_line(&rest);
	const char *problem;
	const char *where;
	regex_t pattern;

	if (strlen(expression) <= EXPRESSION_MOST &&
	    !fuzz_is_heavy(expression)) {
		problem = search_check(expression, false, &where);
		if (problem != NULL)
			fuzz_problem(problem);
		else {
			const struct patterns patterns = {
				.match = { [MATCH_FAIL] = expression },
				.hint = search_check(expression, true,
					    &where) == NULL
				    ? expression
				    : NULL,
			};

			const bool icase = strncmp(expression, "(?i)", 4) == 0;

			MUST(regcomp(&pattern, expression + (icase ? 4 : 0),
				 REG_EXTENDED | REG_NOSUB |
				     (icase ? REG_ICASE : 0)) == 0);
			check_output(&patterns, &pattern, rest,
			    size - (size_t)(rest - text));
			regfree(&pattern);
		}
	}
	free(text);
	return 0;
}
