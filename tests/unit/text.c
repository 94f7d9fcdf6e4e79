/* SPDX-License-Identifier: MIT */

#include "core/text.h"
#include "tap.h"

TEST(items_come_one_by_one)
{
	const char *list = "one,2,!three=x:y";
	char item[TEXT_ITEM];

	CHECK(text_item(&list, item) == NULL);
	CHECK_STR(item, "one");
	CHECK(text_item(&list, item) == NULL);
	CHECK_STR(item, "2");
	CHECK(text_item(&list, item) == NULL);
	CHECK_STR(item, "!three=x:y");
	CHECK(list == NULL);
}

TEST(an_item_that_is_empty_or_too_long_is_refused_where_it_stands)
{
	static const char *const rows[] = { "", ",", ",1" };
	char item[TEXT_ITEM], text[TEXT_ITEM + 1];
	const char *list;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		list = rows[i];
		CHECK_STR(text_item(&list, item), "empty item");
		CHECK_STR(list, rows[i]);
	}
	list = "1,";
	CHECK(text_item(&list, item) == NULL);
	CHECK_STR(text_item(&list, item), "empty item");

	memset(text, 'x', TEXT_ITEM);
	text[TEXT_ITEM] = '\0';
	list = text;
	CHECK_STR(text_item(&list, item), "too long");
	CHECK(text_item(&(const char *){ text + 1 }, item) == NULL);
	CHECK_STR(item, text + 1);
}

TEST(a_count_is_of_digits_alone)
{
	static const struct {
		const char *text;
		uint64_t count;
		const char *problem;
	} rows[] = {
		{ "0", 0, NULL },
		{ "007", 7, NULL },
		{ "9223372036854775807", INT64_MAX, NULL },
		{ "9223372036854775808", 0, "too large" },
		{ "-1", 0, "negative" },
		{ "", 0, "not a whole number" },
		{ "+1", 0, "not a whole number" },
		{ " 1", 0, "not a whole number" },
		{ "1.5", 0, "not a whole number" },
		{ "0x10", 0, "not a whole number" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t count = 0;

		ROW("%s", rows[i].text);
		CHECK_STR(text_count(rows[i].text, &count), rows[i].problem);
		CHECK(count == rows[i].count);
	}
}

TEST(characters_come_one_by_one_and_a_bad_byte_alone)
{
	static const struct {
		const char *text;
		uint32_t first;
		size_t length; /* of the first in bytes */
	} rows[] = {
		{ "a", 'a', 1 },
		{ "\303\244", 0xe4, 2 },
		{ "\342\202\254", 0x20ac, 3 },
		{ "\360\237\230\200", 0x1f600, 4 },
		{ "\303", TEXT_REPLACEMENT, 1 },	 /* cut off */
		{ "\244", TEXT_REPLACEMENT, 1 },	 /* no beginning */
		{ "\300\200", TEXT_REPLACEMENT, 1 },	 /* too long */
		{ "\340\200\200", TEXT_REPLACEMENT, 1 }, /* too long */
		{ "\355\240\200", TEXT_REPLACEMENT, 1 }, /* a surrogate */
		{ "\355\237\277", 0xd7ff, 3 }, /* what comes before them */
		{ "\356\200\200", 0xe000, 3 }, /* and after */
		{ "\364\220\200\200", TEXT_REPLACEMENT, 1 }, /* too high */
		{ "\377", TEXT_REPLACEMENT, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *text = rows[i].text;

		CHECK(text_next(&text) == rows[i].first);
		CHECK((size_t)(text - rows[i].text) == rows[i].length);
	}
}

TEST(text_is_shown_and_all_else_made_visible)
{
	static const struct {
		const char *text, *safe;
	} rows[] = {
		{ "", "" },
		{ "a b\\c", "a b\\c" },
		{ "gr\303\266\303\237e", "gr\303\266\303\237e" },
		{ "\342\202\254", "\342\202\254" },
		{ "a\nb\tc\033[m", "a\\nb\\tc\\^[[m" },
		{ "\302\233", "\\M-B\\M^[" },
		{ "\377", "\\M^?" },
		{ "\342\200\256x", "\\M-b\\M^@\\M-.x" },
		{ "#[##]a##[###[", "#[##]a##\\[###\\[" },
		{ "##vso[#vso[## a[##a b[", "##vso\\[#vso[## a[##a b[" },
		{ "##teamCity[##1[", "##teamCity\\[##1[" },
	};
	char safe[64], cut[8];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%zu", i);
		CHECK_STR(text_safe(rows[i].text, safe, sizeof(safe)),
		    rows[i].safe);
	}
	CHECK_STR(text_safe("0123456789", cut, sizeof(cut)), "0123...");
}

TEST(the_ends_of_what_is_harmful_are_known)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0, 0x1f },
		{ 0x7f, 0x9f },
		{ 0x61c, 0x61c },
		{ 0x200e, 0x200f },
		{ TEXT_REPLACEMENT, TEXT_REPLACEMENT },
		{ 0x2028, 0x202e },
		{ 0x2066, 0x2069 },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		ROW("%x", (unsigned int)ranges[i].first);
		CHECK(text_is_harmful(ranges[i].first));
		CHECK(text_is_harmful(ranges[i].last));
		CHECK(ranges[i].first == 0 ||
		    !text_is_harmful(ranges[i].first - 1));
		CHECK(!text_is_harmful(ranges[i].last + 1));
	}
}

/* Values of FNV-1a, which its authors published. */
TEST(a_checksum_counts_every_byte)
{
	CHECK(text_checksum("", 0) == 0xcbf29ce484222325);
	CHECK(text_checksum("a", 1) == 0xaf63dc4c8601ec8c);
	CHECK(text_checksum("foobar", 6) == 0x85944171f73967e8);
}

TEST(text_is_measured_and_cut_by_characters)
{
	static const struct {
		const char *text;
		int width, columns;
		const char *cut;
	} rows[] = {
		{ "", 0, 3, "" },
		{ "abc", 3, 3, "abc" },
		{ "abc", 3, 2, "ab" },
		{ "abc", 3, 0, "" },
		{ "\303\244\342\202\254x", 3, 2, "\303\244\342\202\254" },
		{ "\303\244\342\202\254x", 3, 1, "\303\244" },
		{ "a\346\227\245\346\234\254b", 6, 4, "a\346\227\245" },
		{ "\360\237\230\200", 2, 1, "" },
		{ "\377x", 2, 1, "\377" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[16];

		ROW("%zu", i);
		CHECK_INT(text_width(rows[i].text), rows[i].width);
		strlcpy(text, rows[i].text, sizeof(text));
		text_cut(text, rows[i].columns);
		CHECK_STR(text, rows[i].cut);
	}
}

int
main(void)
{
	return RUN_ALL();
}
