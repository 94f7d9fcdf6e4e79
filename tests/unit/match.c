#include <time.h>

#include "core/match.h"
#include "tap.h"

#define TEN(text) text text text text text text text text text text
#define SIXTY(text) TEN(text) TEN(text) TEN(text) TEN(text) TEN(text) TEN(text)

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Feeds the bytes in pieces of so many; joins the lines, a '|' after each. */
static void
join_lines(const char *bytes, size_t size, size_t piece, char *joined)
{
	static const struct lines none = { .length = 0 };
	struct lines lines = none;

	*joined = '\0';
	while (size > 0) {
		size_t left = piece < size ? piece : size;

		size -= left;
		while (lines_take(&lines, &bytes, &left)) {
			strcat(joined, lines.text);
			strcat(joined, "|");
		}
	}
	if (lines_end(&lines)) {
		strcat(joined, lines.text);
		strcat(joined, "|");
	}
}

static void
lines_are_the_same_wherever_the_pieces_end(void)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *lines;
	} rows[] = {
		{ "", 0, "" },
		{ "\n", 1, "|" },
		{ "a", 1, "a|" },
		{ "a\n", 2, "a|" },
		{ "\n\na", 3, "||a|" },
		{ "one\ntwo\r\n\nfour", 14, "one|two\r||four|" },
		{ "a\0b\n\0", 5, "a\1b|\1|" },
		{ "\xff\xc3\n\xa9", 4, "\xff\xc3|\xa9|" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (size_t piece = 1; piece <= rows[i].size; piece++) {
			char joined[64];

			ROW("row %zu in pieces of %zu", i, piece);
			join_lines(rows[i].bytes, rows[i].size, piece, joined);
			CHECK_STR(joined, rows[i].lines);
		}
}

/* Looks in one line, or the beginning of one, that is `text`. */
static struct search
search_text(const struct patterns *patterns, const char *text)
{
	struct search search = { .patterns = patterns };
	struct lines lines = { .length = 0 };
	size_t size = strlen(text);

	if (lines_take(&lines, &text, &size) || lines_end(&lines))
		search_line(&search, &lines);
	return search;
}

static void
only_the_beginning_of_a_long_line_is_searched(void)
{
	static const struct {
		size_t length;
		bool early, end;
	} rows[] = {
		{ LINE_MOST - 1, true, true },
		{ LINE_MOST, true, true },
		{ LINE_MOST + 1, false, false },
		{ 3 * LINE_MOST, false, false },
	};
	char text[3 * LINE_MOST + 1];
	struct patterns patterns = { .given = 0 };

	CHECK_STR(patterns_match(&patterns, MATCH_FAIL, "z"), NULL);
	CHECK_STR(patterns_match(&patterns, MATCH_STOP, "[az]$"), NULL);
	for (size_t i = 0; i < COUNT(rows); i++) {
		ROW("%zu bytes", rows[i].length);
		memset(text, 'a', rows[i].length);
		text[rows[i].length - 1] = 'z';
		text[rows[i].length] = '\0';
		const struct search search = search_text(&patterns, text);
		CHECK_INT(search.matched & MATCH_BIT(MATCH_FAIL),
		    rows[i].early ? MATCH_BIT(MATCH_FAIL) : 0);
		CHECK_INT(search.matched & MATCH_BIT(MATCH_STOP),
		    rows[i].end ? MATCH_BIT(MATCH_STOP) : 0);
	}
	patterns_free(&patterns);
}

static void
an_expression_is_taken_or_refused_in_words(void)
{
	static const struct {
		const char *text, *problem;
	} rows[] = {
		{ "a|b", NULL },
		{ "a\\.b", NULL },
		{ "[\\1]", NULL },
		{ "[]\\1]", NULL },
		{ "[^]\\1]", NULL },
		{ "[[:digit:]\\1]", NULL },
		{ "[[.].]\\1]", NULL },
		{ "[[a]\\2", "has a back-reference" },
		{ "[[:]\\2", "has a back-reference" },
		{ "[[", "has an unmatched bracket" },
		{ "x)", NULL },
		{ "\\\\1", NULL },
		{ "(a)\\1", "has a back-reference" },
		{ "[a](b)\\1", "has a back-reference" },
		{ "[[:alpha:]](b)\\1", "has a back-reference" },
		{ "\\9", "has a back-reference" },
		{ "(a", "has an unmatched parenthesis" },
		{ "[a", "has an unmatched bracket" },
		{ "[[:none:]]", "names an unknown character class" },
		{ "[[.none.]]", "names an unknown collating element" },
		{ "[z-a]", "has a range that runs backwards" },
		{ "a\\", "ends with a backslash" },
		{ "a{2,1}", "has a bad repetition count" },
		{ "a{1", "has an unmatched brace" },
		{ "(*)", "repeats nothing" },
		{ "a{99999}", "is too large" },
		{ "[0-9]{1,3}([.][0-9]{1,3}){3}", NULL },
		{ "a{,3}b{2,}[{]", NULL },
		{ "a{255}(b*c)*(d*e)*(f*g)+", NULL },
		{ "((a|b)*c){9}", NULL },
		{ "((a*)*){50}", "is too large" },
		{ "((a?)+){2,11}", "is too large" },
		{ "(a|b?|c*){300}", "is too large" },
		{ "a{99}{99}{99}", "is too large" },
		{ "(a{200}){200}", "is too large" },
		{ "x++++++++++++++++++++++++++++++++", "is too large" },
		{ "x(x++++++++++++++++++++++++++++++", "is too large" },
		{ "x+*+*+*+*+*+*+*+*+*+*+*+*+*+*", "is too large" },
		{ "((((((((((((((((x+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+",
		    "is too large" },
		{ SIXTY("(") "x" SIXTY(")"), NULL },
		{ SIXTY("((") "x" SIXTY("))"), "is too large" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct patterns patterns = { .given = 0 };
		const char *problem =
		    patterns_match(&patterns, MATCH_RETRY, rows[i].text);

		ROW("%s", rows[i].text);
		CHECK_STR(problem, rows[i].problem);
		CHECK(patterns_any(&patterns) == (problem == NULL));
		patterns_free(&patterns);
		CHECK(!patterns_any(&patterns));
	}
}

static void
a_line_is_matched_as_grep_does_it(void)
{
	static const struct {
		const char *expression, *line;
		bool found;
	} rows[] = {
		{ "b", "abc", true },
		{ "^b", "abc", false },
		{ "^a", "abc", true },
		{ "c$", "abc", true },
		{ "b$", "abc", false },
		{ "x|^a", "abc", true },
		{ "x|^b", "abc", false },
		{ "^$", "", false },
		{ "^$", "\n", true },
		{ ".", "\n", false },
		{ "B", "abc", false },
		{ "x)", "x)", true },
		{ "x)", "x", false },
		{ "^x)", "ax)", false },
		{ "x)y", "x)y", true },
		{ "x)y", "xy)", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct patterns patterns = { .given = 0 };

		ROW("%s in %s", rows[i].expression, rows[i].line);
		CHECK_STR(patterns_match(&patterns, MATCH_THROTTLE,
			      rows[i].expression),
		    NULL);
		CHECK_INT(search_text(&patterns, rows[i].line).matched,
		    rows[i].found ? MATCH_BIT(MATCH_THROTTLE) : 0);
		patterns_free(&patterns);
	}
}

static void
the_expression_given_last_counts(void)
{
	struct patterns patterns = { .given = 0 };

	CHECK_STR(patterns_match(&patterns, MATCH_FAIL, "a"), NULL);
	CHECK_STR(patterns_match(&patterns, MATCH_FAIL, "b"), NULL);
	CHECK_INT(search_text(&patterns, "a").matched, 0);
	CHECK_INT(search_text(&patterns, "b").matched, MATCH_BIT(MATCH_FAIL));
	CHECK_STR(patterns_hint(&patterns, "(a)"), NULL);
	CHECK_STR(patterns_hint(&patterns, "(b)"), NULL);
	CHECK(!search_text(&patterns, "a").hinted);
	CHECK(search_text(&patterns, "b").hinted);
	patterns_free(&patterns);
}

static void
what_is_found_stays_found(void)
{
	struct patterns patterns = { .given = 0 };
	struct search search = { .patterns = &patterns };
	struct lines lines = { .length = 0 };
	const char *text = "bad\ngood\nwait 1\nwait 2\nwait\n";
	size_t size = strlen(text);

	CHECK_STR(patterns_match(&patterns, MATCH_FAIL, "bad"), NULL);
	CHECK_STR(patterns_match(&patterns, MATCH_SUCCESS, "good"), NULL);
	CHECK_STR(patterns_match(&patterns, MATCH_STOP, "none"), NULL);
	CHECK_STR(patterns_hint(&patterns, "wait ([0-9]+)|(wait)"), NULL);
	while (lines_take(&lines, &text, &size))
		search_line(&search, &lines);
	CHECK_INT(search.matched,
	    MATCH_BIT(MATCH_FAIL) | MATCH_BIT(MATCH_SUCCESS));
	CHECK(search.hinted);
	CHECK_STR(search.hint, "2");
	patterns_free(&patterns);
}

static void
a_hint_is_the_first_group_and_is_cut_to_its_room(void)
{
	struct patterns patterns = { .given = 0 };
	char text[2 * HINT_TEXT];

	CHECK_STR(patterns_hint(&patterns, "wait"),
	    "has no group that could hold the delay");
	CHECK_STR(patterns_hint(&patterns, "(a"),
	    "has an unmatched parenthesis");
	CHECK_STR(patterns_hint(&patterns, "(a)\\1"), "has a back-reference");
	CHECK(!patterns_any(&patterns));
	CHECK_STR(patterns_hint(&patterns, "after (.*)"), NULL);
	CHECK(patterns_any(&patterns));
	CHECK_STR(search_text(&patterns, "after 3s").hint, "3s");
	memset(text, '9', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(text, "after ", strlen("after "));
	const struct search search = search_text(&patterns, text);
	CHECK(search.hinted);
	CHECK_INT(strlen(search.hint), HINT_TEXT - 1);
	patterns_free(&patterns);
}

/* Tried at each place of such a line, these would take minutes. */
static void
no_line_takes_the_square_of_its_length(void)
{
	static const char *const slow[] = { "(a|b)*c", "(a|aa)+$b",
		"(.*)(.*)(.*)x", "(a|aa|aaa)*(b|c)" };
	static char text[LINE_MOST];
	struct lines lines = { .ended = true };
	const char *data = text;
	size_t size = sizeof(text);
	const clock_t begun = clock();

	memset(text, 'a', sizeof(text));
	lines_take(&lines, &data, &size);
	for (size_t i = 0; i < COUNT(slow); i++) {
		struct patterns patterns = { .given = 0 };
		struct search search = { .patterns = &patterns };

		patterns_match(&patterns, MATCH_FAIL, slow[i]);
		patterns_hint(&patterns, slow[i]);
		for (int line = 0; line < 512; line++)
			search_line(&search, &lines);
		CHECK_INT(search.matched, 0);
		patterns_free(&patterns);
	}
	CHECK(clock() - begun < 20 * CLOCKS_PER_SEC);
}

int
main(void)
{
	RUN(lines_are_the_same_wherever_the_pieces_end);
	RUN(only_the_beginning_of_a_long_line_is_searched);
	RUN(an_expression_is_taken_or_refused_in_words);
	RUN(a_line_is_matched_as_grep_does_it);
	RUN(the_expression_given_last_counts);
	RUN(what_is_found_stays_found);
	RUN(a_hint_is_the_first_group_and_is_cut_to_its_room);
	RUN(no_line_takes_the_square_of_its_length);
	return DONE();
}
