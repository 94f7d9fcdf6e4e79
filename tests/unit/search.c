/* SPDX-License-Identifier: MIT */

#include <time.h>

#include "core/random.h"
#include "core/search.h"
#include "core/sieve.h"
#include "tap.h"

#define EMPTY "an empty alternative or group, which matches any line"

#define TEN(text) text text text text text text text text text text
#define FIFTY(text) TEN(text) TEN(text) TEN(text) TEN(text) TEN(text)
#define THOUSAND TEN(TEN(TEN("x")))
#define QUARTER "xxxxxxxxxxxxxxxxxxxxxxxx"

/* What is wrong with a pattern, or NULL. */
static const char *
check(const char *text, bool is_hint)
{
	const char *where;

	return search_check(text, is_hint, &where);
}

/* Searches a whole stream, in pieces of so many bytes, as far as it goes. */
static struct found
search_pieces(const struct patterns *patterns, const char *bytes, size_t size,
    size_t piece)
{
	struct found found = { 0 };
	struct stream_line line = { .length = 0 };
	struct search search;

	search_begin(&search, patterns, &found);
	while (size > 0) {
		const size_t taken = piece < size ? piece : size;

		const ssize_t done = search_some(&search, &line, bytes, taken);
		bytes += done;
		size -= (size_t)done;
		search_was_slow(&search);
	}
	search_end(&search, &line);
	search_close(&search);
	return found;
}

static struct found
search_text(const struct patterns *patterns, const char *text)
{
	return search_pieces(patterns, text, strlen(text), SIZE_MAX);
}

TEST(lines_are_the_same_wherever_the_pieces_end)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *yes, *no;
	} rows[] = {
		{ "", 0, NULL, "^" },
		{ "\n", 1, "^$", "." },
		{ "a", 1, "^a$", "^$" },
		{ "a\n", 2, "^a$", "^$" },
		{ "\n\na", 3, "^$", "aa" },
		{ "one\ntwo\r\n\nfour", 14, "^two$", "onetwo|twofour|\r" },
		{ "a\r\nb", 4, "^a$", "^$|\r" },
		{ "0%\r99%\rE: x\n", 11, "^E: x$", "%.*E|\r" },
		{ "a\r", 2, "^a$", "^$" },
		{ "\n\r\nb", 4, "^$", "\r" },
		{ "one\ntwo\r\n\nfour", 14, "^four$", "^our|^wo" },
		{ "a\0b\n\0", 6, "^a\1b$", "^b$" },
		{ "\xff\xc3\n\xa9", 4, "^\xa9$", "\xc3\xa9" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (size_t piece = 1; piece <= rows[i].size + 1; piece++) {
			const struct patterns patterns = {
				.match = { [MATCH_FAIL] = rows[i].yes,
				    [MATCH_STOP] = rows[i].no },
			};

			ROW("row %zu in pieces of %zu", i, piece);
			CHECK_INT(search_pieces(&patterns, rows[i].bytes,
				      rows[i].size, piece)
				      .matched,
			    rows[i].yes == NULL ? 0 : MATCH_BIT(MATCH_FAIL));
		}
}

TEST(only_the_beginning_of_a_long_line_is_searched)
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
	static const struct patterns patterns = {
		.match = { [MATCH_FAIL] = "z", [MATCH_STOP] = "[az]$" },
	};
	char text[3 * LINE_MOST + 1];

	for (size_t i = 0; i < COUNT(rows); i++) {
		ROW("%zu bytes", rows[i].length);
		memset(text, 'a', rows[i].length);
		text[rows[i].length - 1] = 'z';
		text[rows[i].length] = '\0';
		const struct found found = search_text(&patterns, text);
		CHECK_INT(found.matched & MATCH_BIT(MATCH_FAIL),
		    rows[i].early ? MATCH_BIT(MATCH_FAIL) : 0);
		CHECK_INT(found.matched & MATCH_BIT(MATCH_STOP),
		    rows[i].end ? MATCH_BIT(MATCH_STOP) : 0);
	}
}

#define ESCAPE "this backslash has no meaning in POSIX"
#define OPEN_GROUP "unmatched (; write \\( for the character"
#define LARGE "its repetitions expand to more than 250 characters"
#define MARKED "(? is not POSIX, except (?i) at the beginning"

TEST(an_expression_is_taken_or_refused_in_words)
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
		{ "[[a]\\2", ESCAPE },
		{ "[[:]\\2", ESCAPE },
		{ "[[", "unmatched [; write \\[ for the character" },
		{ "x)", NULL },
		{ "\\\\1", NULL },
		{ "(a)\\1", ESCAPE },
		{ "[a](b)\\1", ESCAPE },
		{ "[[:alpha:]](b)\\1", ESCAPE },
		{ "\\9", ESCAPE },
		{ "\\d+", ESCAPE },
		{ "(a|\\w)", ESCAPE },
		{ "\\S", ESCAPE },
		{ "x\\bx", ESCAPE },
		{ "\\<x", ESCAPE },
		{ "\\B", ESCAPE },
		{ "(?i)\\d", ESCAPE },
		{ "\\[a\\]", NULL },
		{ "\\{a\\}", NULL },
		{ "\\/a\\-b\\\"", NULL },
		{ "[\\d\\w]", NULL },
		{ "[[:alpha:]\\d]", NULL },
		{ "\\\\d", NULL },
		{ "\\^\\.\\[\\$\\(\\)\\|\\*\\+\\?\\{\\\\", NULL },
		{ "(?i)error|warning", NULL },
		{ "(?i)", EMPTY },
		{ "(?i)(a", OPEN_GROUP },
		{ "(?:a)", MARKED },
		{ "x(?i)a", MARKED },
		{ "(?I)a", MARKED },
		{ "(?i)(?i)a", MARKED },
		{ "[(?]", NULL },
		{ "\\(?", NULL },
		{ "(a", OPEN_GROUP },
		{ "[a", "unmatched [; write \\[ for the character" },
		{ "[[:none:]]", "unknown character class" },
		{ "[[.none.]]", "unknown collating element" },
		{ "[z-a]", "a range that runs backwards" },
		{ "a\\", "backslash at the end" },
		{ "a{2,1}", "bad repetition count" },
		{ "(*)", "nothing to repeat" },
		{ "a++",
		    "a repetition of a repetition, such as *?, is not POSIX" },
		{ "a|", EMPTY },
		{ "|a", EMPTY },
		{ "a||b", EMPTY },
		{ "x(|a)", EMPTY },
		{ "x(a|)", EMPTY },
		{ "x()", EMPTY },
		{ "(?i)a|", EMPTY },
		{ "(^|a)([|]|$)\\|", NULL },
		{ "a+?",
		    "a repetition of a repetition, such as *?, is not POSIX" },
		{ "a{2}*",
		    "a repetition of a repetition, such as *?, is not POSIX" },
		{ "(a+)+[+]+[*]*a\\++", NULL },
		{ "[0-9]{1,3}([.][0-9]{1,3}){3}", NULL },
		{ "a{0,3}b{2,}[{]", NULL },
		{ "foo(", OPEN_GROUP },
		{ "((x{0,20}){0,20}){0,20}", LARGE },
		{ "((((((((((x+)+)+)+)+)+)+)+)+)+)+", LARGE },
		{ "x{0,250}", NULL },
		{ ".*a.*b.*c.*d.*e.*f", NULL },
		{ "a{245}(b*c)*(d*e)*(f*g)+", NULL },
		{ "((a|b)*c){9}", NULL },
		{ THOUSAND QUARTER, NULL },
		{ THOUSAND QUARTER "x", "longer than 1024 bytes" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		ROW("%s", rows[i].text);
		CHECK_STR(check(rows[i].text, false), rows[i].problem);
	}
}

/*
 * musl knows neither collating elements nor "{,3}", counts to 255, and has one
 * word for braces.
 */
TEST(what_libcs_see_in_different_ways_has_a_problem_of_either)
{
	static const struct {
		const char *text, *problem, *in_musl;
	} rows[] = {
		{ "[[.].]\\1]", NULL, "unknown collating element" },
		{ "a{1", "unmatched {; write \\{ for the character",
		    "bad repetition count" },
		{ "a{99999}", LARGE, "bad repetition count" },
		{ "x{250}", NULL, NULL },
		{ "x{251}", LARGE, LARGE },
		{ "x{0,250}", NULL, NULL },
		{ "x{0,251}", LARGE, LARGE },
		{ "(ab){125}", NULL, NULL },
		{ "(ab){126}", LARGE, LARGE },
		{ "(x*){0,63}", NULL, NULL },
		{ "(x*){0,64}", LARGE, LARGE },
		{ "x{0,9999}", LARGE, "bad repetition count" },
		{ "(x*){0,1000}", LARGE, "bad repetition count" },
		{ "a{,3}", NULL, "bad repetition count" },
	};

	const bool in_musl = check("a{,3}", false) != NULL;
	for (size_t i = 0; i < COUNT(rows); i++) {
		ROW("%s", rows[i].text);
		CHECK_STR(check(rows[i].text, false),
		    in_musl ? rows[i].in_musl : rows[i].problem);
	}
}

TEST(a_line_is_matched_as_grep_does_it)
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
		{ "(?i)B", "abc", true },
		{ "(?i)^b", "ABC", false },
		{ "(?i)x|^A", "abc", true },
		{ "(?i)x)", "X)", true },
		{ "(?i)[[:lower:]]", "A", true },
		{ "x)", "x)", true },
		{ "x)", "x", false },
		{ "^x)", "ax)", false },
		{ "x)y", "x)y", true },
		{ "x)y", "xy)", false },
		{ "(?i)error:? (408|5[0-9][0-9])( |$)", "ERROR 503", true },
		{ "(?i)error:? (408|5[0-9][0-9])( |$)", "ERROR 603", false },
		{ "(ab|cd)(ef|gh) [5-7]", "cdgh 6", true },
		{ "(ab|cd)(ef|gh) [5-7]", "cdgh 8", false },
		{ "[1-35]0x", "50x", true },
		{ "[1-35]0x", "40x", false },
		{ "[0-]b", "-b", true },
		{ "[+-0]b", ".b", true },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct patterns patterns = {
			.match = { [MATCH_THROTTLE] = rows[i].expression },
		};

		ROW("%s in %s", rows[i].expression, rows[i].line);
		CHECK_INT(search_text(&patterns, rows[i].line).matched,
		    rows[i].found ? MATCH_BIT(MATCH_THROTTLE) : 0);
	}
}

/* The sieve looks for a literal of each alternative, wherever it stands. */
TEST(a_pattern_is_found_by_its_literals_at_any_place)
{
	static const struct {
		const char *text, *yes[3], *no;
	} rows[] = {
		{ "error", { "error", "an error", "errors" }, "erro" },
		{ "(?i)error", { "ERROR", "x eRrOr", "Errors" }, "errr" },
		{ "[Ss]ocket time-?out",
		    { "socket timeout", "Socket time-out",
			"a socket timeouts" },
		    "socket time out" },
		{ "(code )?E(404|ACCES)", { "E404", "code EACCES", "EACCES" },
		    "E40 code" },
		{ "^(could|can)( not|'t) (read|write)x*$",
		    { "could not read", "can't writexx", "can not readx" },
		    "could not rea" },
		{ "(ab){0,2}|longer word", { "longer word", "", "ab" }, NULL },
		{ "(abc)*defg", { "defg", "abcdefg", "abcabcdefg" }, "abcdef" },
		{ "aaaab", { "aaaab", "aaaaaab", "aaabaaaab" }, "aaab" },
		{ "a)(xyz)?foo", { "a)foo", "a)xyzfoo", "xa)foo" }, "a)xyfo" },
		{ "no|yes, indeed", { "no", "yes, indeed", "know" }, "yes" },
		{ "[[:digit:]]+ failed",
		    { "1 failed", "22 failed tests", "x3 failed" }, " failed" },
		{ "Fehler: \xc3\xbc",
		    { "Fehler: \xc3\xbc", "xFehler: \xc3\xbc",
			"Fehler: \xc3\xbcx" },
		    "Fehler: \xc3\xa4" },
		{ "abcdefghijklmnopqrstuvwxyz",
		    { "abcdefghijklmnopqrstuvwxyz",
			"abcdefghijklmnopqrstuvwxyzz",
			"aabcdefghijklmnopqrstuvwxyz" },
		    "abcdefghijklmnopqrstuvwxy" },
		/* A control character that folds to a digit. */
		{ "a\x19zzz", { "a\x19zzz", "xa\x19zzz", "a\x19zzzz" },
		    "a0zzz" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct patterns patterns = {
			.match = { [MATCH_FAIL] = rows[i].text },
		};

		for (size_t k = 0; k < COUNT(rows[i].yes); k++) {
			char line[64];

			snprintf(line, sizeof(line), "%s\n", rows[i].yes[k]);
			ROW("%s in %s", rows[i].text, line);
			CHECK_INT(search_text(&patterns, line).matched,
			    MATCH_BIT(MATCH_FAIL));
		}
		ROW("%s in %s", rows[i].text, rows[i].no);
		if (rows[i].no != NULL)
			CHECK_INT(search_text(&patterns, rows[i].no).matched,
			    0);
	}
}

static size_t
draw(uint64_t *number, size_t below)
{
	const struct random random = { .seed = 1 };

	return random_seed(&random, (*number)++) % below;
}

/* Texts of few letters have much in common. */
static size_t
draw_text(uint64_t *number, const char *letters, char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		text[i] = letters[draw(number, strlen(letters))];
	text[length] = '\0';
	return length;
}

TEST(a_sieve_finds_what_a_look_at_each_place_finds)
{
	uint64_t number = 0;

	for (int i = 0; i < 30000; i++) {
		char stream[200], texts[12][16];
		struct sieve_text rows[12];
		struct sieve_place place = { 0 };
		const size_t size = draw_text(&number, "abcABx\n", stream,
		    draw(&number, sizeof(stream)));
		const size_t count = 1 + (size_t)i % COUNT(rows);
		size_t there = 0, found = 0, first = 0;

		for (size_t k = 0; k < count; k++) {
			rows[k] = (struct sieve_text){ .text = texts[k],
				.length = draw_text(&number, "abcAB", texts[k],
				    3 + draw(&number, 7)) };
			for (const char *at = stream;
			     (at = strcasestr(at, texts[k])) != NULL; at++)
				there++;
			first += k == 0 && there > 0;
		}
		struct sieve *sieve = sieve_open(rows, count);
		while (sieve_next(sieve, stream, size, &place))
			found +=
			    strncasecmp(stream + place.at, texts[place.number],
				rows[place.number].length) == 0;
		sieve_close(sieve);
		ROW("%d: %s in %s", i, texts[0], stream);
		CHECK_INT(found, there);

		/* The same, whatever pieces it comes in. */
		char pattern[32];
		snprintf(pattern, sizeof(pattern), "(?i)%s", texts[0]);
		const struct patterns patterns = {
			.match = { [MATCH_FAIL] = pattern },
		};
		CHECK_INT(search_pieces(&patterns, stream, size,
			      1 + draw(&number, 40))
			      .matched,
		    first > 0 ? MATCH_BIT(MATCH_FAIL) : 0);
	}
}

TEST(what_is_found_stays_found)
{
	const struct patterns patterns = {
		.match = { [MATCH_FAIL] = "bad",
		    [MATCH_SUCCESS] = "good",
		    [MATCH_STOP] = "none" },
		.hint = "wait ([0-9]+)|(wait)",
	};
	const struct found found =
	    search_text(&patterns, "bad\ngood\nwait 1\nwait 2\nwait\n");

	CHECK_INT(search_matches(&patterns),
	    MATCH_BIT(MATCH_FAIL) | MATCH_BIT(MATCH_SUCCESS) |
		MATCH_BIT(MATCH_STOP));
	CHECK_INT(found.matched,
	    MATCH_BIT(MATCH_FAIL) | MATCH_BIT(MATCH_SUCCESS));
	CHECK(found.hinted);
	CHECK_STR(found.hint, "2");
}

TEST(a_hint_is_the_first_group_and_is_cut_to_its_room)
{
	const struct patterns patterns = { .hint = "after (.*)" };
	const struct patterns any_case = { .hint = "(?i)after (.*)" };
	char text[2 * HINT_TEXT];

	CHECK_STR(check("wait", true),
	    "put ( ) around the delay, as in 'Retry-After: (.*)'");
	CHECK_STR(check("(a", true), OPEN_GROUP);
	CHECK_STR(check("(a)\\1", true), ESCAPE);
	CHECK_STR(check(patterns.hint, true), NULL);
	CHECK(!search_text(&patterns, "before").hinted);
	CHECK_STR(search_text(&patterns, "after 3s").hint, "3s");
	CHECK(!search_text(&patterns, "AFTER 3s").hinted);
	CHECK_STR(search_text(&any_case, "AFTER 3s").hint, "3s");
	memset(text, '9', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(text, "after ", strlen("after "));
	const struct found found = search_text(&patterns, text);
	CHECK(found.hinted);
	CHECK_INT(strlen(found.hint), HINT_TEXT - 1);
}

/* Patterns are compiled afresh now and then, which no result may show. */
TEST(much_is_searched_as_little_is)
{
	const struct patterns patterns = {
		.match = { [MATCH_FAIL] = "^x{7}y$", [MATCH_STOP] = "xyx" },
		.hint = "(x)y",
	};
	struct found found = { 0 };
	struct stream_line line = { .length = 0 };
	struct search search;

	search_begin(&search, &patterns, &found);
	for (int i = 0; i < 40000; i++)
		search_some(&search, &line, "xxxxxxxx\n", 9);
	CHECK(!found.hinted);
	CHECK_INT(found.matched, 0);
	search_some(&search, &line, "xxxxxxxy\n", 9);
	CHECK(found.hinted);
	CHECK_INT(found.matched, MATCH_BIT(MATCH_FAIL));
	search_close(&search);
}

/* Tried at each place of such a line, these would take minutes. */
TEST(no_line_takes_the_square_of_its_length)
{
	static const char *const slow[] = { "(a|b)*c", "(a|aa)+$b",
		"(.*)(.*)(.*)x", "(a|aa|aaa)*(b|c)" };
	static char text[LINE_MOST + 1];
	const clock_t begun = clock();

	memset(text, 'a', LINE_MOST);
	text[LINE_MOST] = '\n';
	for (size_t i = 0; i < COUNT(slow); i++) {
		const struct patterns patterns = {
			.match = { [MATCH_FAIL] = slow[i] },
			.hint = slow[i],
		};
		struct found found = { 0 };
		struct stream_line line = { .length = 0 };
		struct search search;

		search_begin(&search, &patterns, &found);
		for (int count = 0; count < 512; count++)
			search_some(&search, &line, text, sizeof(text));
		CHECK_INT(found.matched, 0);
		search_close(&search);
	}
	CHECK(clock() - begun < 20 * CLOCKS_PER_SEC);
}

static const char presets[][8] = { "npm", "pip", "./own" };

#define CLUE(clue_kind, string, its_class, number) \
	{ \
		.kind = (clue_kind), .text = (string), \
		.length = sizeof(string) - 1, .class = (its_class), \
		.preset = presets[number], \
		.words = \
		    (clue_kind) == CLUE_WORD || (clue_kind) == CLUE_PATTERN \
	}
#define TRANSIENT(string, number) \
	CLUE(CLUE_TEXT, string, CLASS_TRANSIENT, number)
#define PERMANENT(string, number) \
	CLUE(CLUE_TEXT, string, CLASS_PERMANENT, number)

/* What presets look for: 0 and 1 are built in, 2 is a user's file. */
static struct clue clues[] = {
	TRANSIENT("connection reset", 0),
	TRANSIENT("timestamp was expected but", 0),
	PERMANENT("no such package", 0),
	CLUE(CLUE_IGNORE, "localhost:8080", CLASS_NONE, 0),
	CLUE(CLUE_MENDED, "(yet)", CLASS_NONE, 1),
	TRANSIENT("rate limit", 1),
	PERMANENT("not allowed", 1),
	CLUE(CLUE_WORD, "denied", CLASS_NONE, 1),
	CLUE(CLUE_WORD, "E: ", CLASS_NONE, 1),
	CLUE(CLUE_PATTERN, "^E: .*(denied|bad)", CLASS_PERMANENT, 1),
	{ .kind = CLUE_TEXT,
	    .text = "our own",
	    .length = 7,
	    .class = CLASS_PERMANENT,
	    .preset = presets[2],
	    .from_user = true },
};

static const struct patterns classes = { .clues = clues,
	.clue_count = COUNT(clues),
	.mends = true };

/* Each is a sentence of retry-presets(7). */
TEST(lines_tell_the_class_of_a_failure)
{
	static const struct {
		const char *output;
		enum failure_class class;
		int preset;
		const char *line;
	} rows[] = {
		{ "nothing\n", CLASS_NONE, 0, "" },
		/* A text is found at any place and in any case. */
		{ "x: Connection Reset by peer", CLASS_TRANSIENT, 0,
		    "x: Connection Reset by peer" },
		{ "No such package: x", CLASS_PERMANENT, 0,
		    "No such package: x" },
		{ "no such packag", CLASS_NONE, 0, "" },
		{ "con\033[1mnection reset", CLASS_TRANSIENT, 0,
		    "connection reset" },
		/* The first line is shown. */
		{ "rate limit 1\nrate limit 2\n", CLASS_TRANSIENT, 1,
		    "rate limit 1" },
		/* Both mean transient, within a preset and across presets. */
		{ "no such package\nconnection reset", CLASS_TRANSIENT, 0,
		    "connection reset" },
		{ "connection reset\nno such package", CLASS_TRANSIENT, 0,
		    "connection reset" },
		{ "connection reset\nnot allowed", CLASS_TRANSIENT, 0,
		    "connection reset" },
		{ "not allowed\nconnection reset", CLASS_TRANSIENT, 0,
		    "connection reset" },
		{ "not allowed: rate limit", CLASS_TRANSIENT, 1,
		    "not allowed: rate limit" },
		/* An ignored line is no transient failure. */
		{ "connection reset by localhost:8080", CLASS_NONE, 0, "" },
		{ "no such package at localhost:8080", CLASS_PERMANENT, 0,
		    "no such package at localhost:8080" },
		/* A pattern needs a whole word, and sees no prefix. */
		{ "E: denied", CLASS_PERMANENT, 1, "E: denied" },
		{ "#9 3.1 E: was denied  ", CLASS_PERMANENT, 1,
		    "E: was denied" },
		{ "[builder] e: denied", CLASS_NONE, 0, "" },
		{ "E:denied", CLASS_NONE, 0, "" },
		{ "E: bad", CLASS_PERMANENT, 1, "E: bad" },
		/* An expectation is no evidence, of either class. */
		{ "expected 'connection reset'", CLASS_NONE, 0, "" },
		{ "ok 3 - connection reset", CLASS_NONE, 0, "" },
		{ "AssertionError: not allowed", CLASS_NONE, 0, "" },
		{ "an unexpected connection reset", CLASS_TRANSIENT, 0,
		    "an unexpected connection reset" },
		{ "A timestamp was expected but was not found.",
		    CLASS_TRANSIENT, 0,
		    "A timestamp was expected but was not found." },
		{ "expected: connection reset\nconnection reset",
		    CLASS_TRANSIENT, 0, "connection reset" },
		{ "src/a.ts(3,14): error TS2322: 'rate limit'", CLASS_NONE, 0,
		    "" },
		/* A warning proves nothing, but may show what passes. */
		{ "npm warn EBADENGINE not allowed", CLASS_NONE, 0, "" },
		{ "W: No such package: x", CLASS_NONE, 0, "" },
		{ "12:30:00 [WARN] not allowed", CLASS_NONE, 0, "" },
		{ "W: connection reset", CLASS_TRANSIENT, 0,
		    "W: connection reset" },
		{ "warning: our own", CLASS_PERMANENT, 2, "warning: our own" },
		/* If a test failed, what is built in knows no reason. */
		{ "connection reset\n--- FAIL: TestX (0.1s)\n", CLASS_NONE, 0,
		    "" },
		{ "Tests:  1 failed, 2 total\nnot allowed", CLASS_NONE, 0, "" },
		{ "FAILED (failures=1)\nour own", CLASS_PERMANENT, 2,
		    "our own" },
		{ "our own\nFAILED (failures=1)", CLASS_PERMANENT, 2,
		    "our own" },
		{ "Tests:  3 passed, 3 total\nrate limit", CLASS_TRANSIENT, 1,
		    "rate limit" },
		{ "no such package\nour own\nFAILED (failures=1)",
		    CLASS_PERMANENT, 2, "our own" },
		/* If the source is wrong, no failure is transient. */
		{ "connection reset\na.c:3:1: error: x\n", CLASS_NONE, 0, "" },
		{ "a.ts(3,1): error TS1: x\nnot allowed\nrate limit",
		    CLASS_PERMANENT, 1, "not allowed" },
		/* What --before-retry may mend is not permanent. */
		{ "not allowed (yet)", CLASS_NONE, 0, "" },
		{ "rate limit (yet)", CLASS_TRANSIENT, 1, "rate limit (yet)" },
		/* Words of names are no expectations. */
		{ "GET https://example.org/expect/-/expect-29.tgz: rate limit",
		    CLASS_TRANSIENT, 1,
		    "GET https://example.org/expect/-/expect-29.tgz: "
		    "rate limit" },
		{ "mock-server.example.org: connection reset", CLASS_TRANSIENT,
		    0, "mock-server.example.org: connection reset" },
		{ "mock server: connection reset", CLASS_NONE, 0, "" },
		/* Each text of a line counts, however many there are. */
		{ FIFTY("not allowed ") "rate limit", CLASS_TRANSIENT, 1,
		    "... " TEN("not allowed ") "not allowed not allowed "
					       "rate limit" },
		{ FIFTY("rate limit ") "our own localhost:8080",
		    CLASS_PERMANENT, 2,
		    "... limit " TEN("rate limit ") "rate limit rate limit "
						    "our own localhost:8080" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct found found =
		    search_text(&classes, rows[i].output);

		ROW("%s", rows[i].output);
		CHECK_INT(found.class.class, rows[i].class);
		if (rows[i].class == CLASS_NONE)
			continue;
		CHECK_STR(found.class.preset, presets[rows[i].preset]);
		CHECK_STR(found.class_line, rows[i].line);
	}
}

TEST(nothing_is_made_before_there_is_a_line)
{
	struct found found = { 0 };
	struct stream_line line = { .length = 0 };
	struct search search;

	search_begin(&search, &classes, &found);
	search_some(&search, &line, "not allowed", strlen("not allowed"));
	CHECK(search.sieve == NULL && search.expressions == NULL);
	search_end(&search, &line);
	CHECK(search.sieve != NULL);
	CHECK_INT(found.class.class, CLASS_PERMANENT);
	search_close(&search);
}

int
main(void)
{
	return RUN_ALL();
}
