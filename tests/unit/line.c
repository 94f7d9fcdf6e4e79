/* SPDX-License-Identifier: MIT */

#include "core/line.h"
#include "tap.h"

TEST(a_body_is_what_follows_the_prefixes)
{
	static const struct {
		const char *line, *body;
	} rows[] = {
		{ "", "" },
		{ "E: x", "E: x" },
		{ "  \tE: x", "E: x" },
		{ "#9 3.1 E: x", "E: x" },
		{ "#12 E: x", "E: x" },
		{ "#9 [2/3] RUN x", "RUN x" },
		{ "# x", "# x" },
		{ "320.0 error: x", "error: x" },
		{ "3.1", "3.1" },
		{ "404 Not Found", "404 Not Found" },
		{ "[builder] [ERROR] x", "x" },
		{ "[x] [y] E: x", "E: x" },
		{ "[ RUN      ] x", "[ RUN      ] x" },
		{ "[28] x", "x" },
		{ "[x", "[x" },
		{ "17:00:17:803 [ERROR] x", "x" },
		{ "10:15:02 x", "x" },
		{ "10:15:02.123 x", "x" },
		{ "2024-04-15T10:00:00Z x", "x" },
		{ "2024/10/07 09:40:40 x", "x" },
		{ "2026-11-24T12:01:58+01:00 x", "x" },
		{ "127.0.0.1:80 x", "127.0.0.1:80 x" },
		{ "12/5 x", "12/5 x" },
		{ "Nov 25 10:15:02 host app[12]: x", "x" },
		{ "Nov  5 10:15:02 host app: x", "x" },
		{ "Nov 5 1:02:03 h a: x", "x" },
		{ "Not 25 apples x y z, I say", "Not 25 apples x y z, I say" },
		{ "web-1  | x", "x" },
		{ " 2 | x", "2 | x" },
		{ "web | x", "x" },
		{ "stderr: stdout: x", "x" },
		{ "\xe2\x94\x82 Error: x", "Error: x" },
		{ "  \xe2\x94\x9c\xe2\x94\x80\xe2\x96\xb6 x", "x" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		ROW("%s", rows[i].line);
		CHECK_STR(line_body(rows[i].line), rows[i].body);
	}
}

TEST(colours_are_taken_out_of_a_line)
{
	static const struct {
		const char *line, *plain;
	} rows[] = {
		{ "a", "a" },
		{ "\033[31mred\033[0m", "red" },
		{ "con\033[7mnect\033[27mion \033[1;38;5;9mx", "connection x" },
		{ "\033[2K\033[1Gx", "x" },
		{ "\033[2 qx", "x" },
		{ "\033x \033[", "\033x " },
		{ "x\033[12", "x" },
		{ "x\033", "x\033" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[64];

		strlcpy(text, rows[i].line, sizeof(text));
		ROW("row %zu", i);
		CHECK_INT(line_uncolour(text, strlen(text)),
		    strlen(rows[i].plain));
		CHECK_STR(text, rows[i].plain);
	}
}

#define TEN(text) text text text text text text text text text text

TEST(a_quote_is_around_what_was_found_and_cuts_no_word)
{
	static const struct {
		const char *line, *found, *quote;
	} rows[] = {
		{ "a b c", "b", "a b c" },
		{ "  a b ", "b", "a b" },
		{ "", "", "" },
		{ TEN("0123456 ") TEN("0123456 ") TEN("0123456 ") "found",
		    "found",
		    "... " TEN("0123456 ") "0123456 0123456 0123456 0123456 "
					   "0123456 0123456 0123456 0123456 "
					   "0123456 found" },
		{ "found " TEN("0123456 ") TEN("0123456 ") TEN("0123456 "),
		    "found",
		    "found " TEN("0123456 ") "0123456 0123456 0123456 0123456 "
					     "0123456 0123456 0123456 0123456 "
					     "0123456 ..." },
		/* A long word is whole; one that has no room is left out. */
		{ "a " TEN("0123456789") TEN("0123456789") "found b", "found",
		    "... " TEN("0123456789") TEN("0123456789") "found ..." },
		{ "a " TEN(TEN("0123456789")) "found b", "found", "..." },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *found = strstr(rows[i].line, rows[i].found);
		const size_t start = (size_t)(found - rows[i].line);
		char quote[512];

		ROW("row %zu", i);
		line_quote(quote, sizeof(quote), rows[i].line, start,
		    start + strlen(rows[i].found));
		CHECK_STR(quote, rows[i].quote);
	}
}

int
main(void)
{
	return RUN_ALL();
}
