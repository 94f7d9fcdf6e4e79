/* SPDX-License-Identifier: MIT */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vis.h>

#include "text.h"

/* The most characters that vis(3) makes of one byte. */
#define VIS_MOST 4

bool
text_is_harmful(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == TEXT_REPLACEMENT ||
	    c == 0x61c || c == 0x200e || c == 0x200f ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

bool
text_is_ci_command(uint32_t c, int *hashes)
{
	const bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
	const bool is_command = c == '[' && *hashes >= 2;

	if (c == '#')
		++*hashes;
	else if (*hashes < 2 || !is_letter)
		*hashes = 0;
	return is_command;
}

char *
text_safe(const char *text, char *buffer, size_t size)
{
	const int flags =
	    VIS_CSTYLE | VIS_NL | VIS_TAB | VIS_GLOB | VIS_NOLOCALE;
	char *end = buffer;
	int hashes = 0;

	while (*text != '\0') {
		const char *byte = text;
		const uint32_t c = text_next(&text);
		const bool command = text_is_ci_command(c, &hashes);
		const bool harmful = command || text_is_harmful(c);
		const long most = (harmful ? VIS_MOST : 1) * (text - byte);

		if ((size_t)(end - buffer + most) + sizeof("...") > size) {
			memcpy(end, "...", 4);
			return buffer;
		}
		for (; byte < text; byte++)
			if (harmful)
				end = vis(end, (unsigned char)*byte, flags,
				    (unsigned char)byte[1]);
			else
				*end++ = *byte;
	}
	*end = '\0';
	return buffer;
}

bool
text_trim(const char *text, const char *blanks, char *buffer, size_t size)
{
	text += strspn(text, blanks);
	size_t length = strlen(text);
	while (length > 0 && strchr(blanks, text[length - 1]) != NULL)
		length--;
	if (length >= size)
		return false;
	memmove(buffer, text, length);
	buffer[length] = '\0';
	return true;
}

const char *
text_item(const char **list, char item[TEXT_ITEM])
{
	const size_t length = strcspn(*list, ",");

	if (length == 0)
		return "empty item";
	if (length >= TEXT_ITEM)
		return "too long";
	memcpy(item, *list, length);
	item[length] = '\0';
	*list = (*list)[length] == ',' ? *list + length + 1 : NULL;
	return NULL;
}

const char *
text_count(const char *text, uint64_t *count)
{
	const char *invalid;

	if (*text == '-')
		return "negative";
	if (*text == '\0' || text[strspn(text, "0123456789")] != '\0')
		return "not a whole number";
	*count = (uint64_t)strtonum(text, 0, INT64_MAX, &invalid);
	return invalid == NULL ? NULL : "too large";
}

bool
text_is(const char *text, size_t length, const char *name)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] != name[i])
			return false;
	return name[length] == '\0';
}

void
text_mask_nul(char *text, size_t length, char mask)
{
	char *end = text + length;

	while ((text = memchr(text, '\0', (size_t)(end - text))) != NULL)
		*text++ = mask;
}

bool
text_append(char *buffer, size_t size, const char *format, ...)
{
	const size_t length = strlen(buffer);
	va_list arguments;

	va_start(arguments, format);
	const int added =
	    vsnprintf(buffer + length, size - length, format, arguments);
	va_end(arguments);
	return added >= 0 && (size_t)added < size - length;
}

uint64_t
text_checksum(const void *data, size_t length)
{
	const unsigned char *bytes = data;
	uint64_t sum = 0xcbf29ce484222325;

	while (length-- > 0)
		sum = (sum ^ *bytes++) * 0x100000001b3;
	return sum;
}

uint32_t
text_next(const char **text)
{
	/*
	 * The lowest code point that needs this many bytes: lower ones have a
	 * shorter form.
	 */
	static const uint32_t lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *byte = (const unsigned char *)*text;
	const int length = *byte < 0x80 ? 1
	    : *byte < 0xc2		? 0
	    : *byte < 0xe0		? 2
	    : *byte < 0xf0		? 3
	    : *byte < 0xf5		? 4
					: 0;
	uint32_t c = *byte;

	*text += 1;
	if (length == 1)
		return c;
	if (length == 0)
		return TEXT_REPLACEMENT;
	c &= 0xffu >> (length + 1);
	for (int i = 1; i < length; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return TEXT_REPLACEMENT;
		c = c << 6 | (byte[i] & 0x3fu);
	}
	if (c < lowest[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return TEXT_REPLACEMENT;
	*text += length - 1;
	return c;
}

/*
 * The columns that a character takes at most.  The ranges are coarse: some of
 * what is in them takes one column, or is drawn upon another character.
 */
static int
columns_of(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} wide[] = {
		{ 0x1100, 0x115f },   /* Hangul Jamo */
		{ 0x2300, 0x23ff },   /* watches, among technical signs */
		{ 0x25fd, 0x27bf },   /* signs that may be emoji */
		{ 0x2b00, 0x2bff },   /* arrows and stars, likewise */
		{ 0x2e80, 0xa4cf },   /* Chinese, Japanese, Yi */
		{ 0xa960, 0xa97f },   /* Hangul Jamo */
		{ 0xac00, 0xd7a3 },   /* Hangul */
		{ 0xf900, 0xfaff },   /* Chinese */
		{ 0xfe10, 0xfe6f },   /* vertical and small forms */
		{ 0xff00, 0xffe6 },   /* full-width forms */
		{ 0x16fe0, 0x18dff }, /* Tangut */
		{ 0x1aff0, 0x1b2ff }, /* Kana */
		{ 0x1f000, 0x1faff }, /* emoji */
		{ 0x20000, 0x3fffd }, /* Chinese */
	};

	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		if (c >= wide[i].first && c <= wide[i].last)
			return 2;
	return 1;
}

int
text_width(const char *text)
{
	int width = 0;

	while (*text != '\0')
		width += columns_of(text_next(&text));
	return width;
}

void
text_cut(char *text, int width)
{
	const char *end = text, *next = text;

	while (*next != '\0' && (width -= columns_of(text_next(&next))) >= 0)
		end = next;
	text[end - text] = '\0';
}
