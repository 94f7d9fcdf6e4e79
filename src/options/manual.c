/* SPDX-License-Identifier: MIT */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/manual.h"
#include "options/manual_text.h"

#define WIDTH_MOST 80
#define WIDTH_LEAST 30

/* The level of an option's paragraph; those of headings are below. */
#define LEVEL_OPTION '3'

/* Bytes in a text that begin a style. */
#define BOLD '\1'
#define UNDERLINED '\2'
#define PLAIN '\3'

/* What ASCII has not. */
static const struct {
	char code;
	const char *unicode, *ascii;
} specials[] = {
	{ 5, "\u00b1", "+-" },
	{ 6, "\u2013", "-" },
	{ 7, "\u2588", "#" },
	{ 8, "\u2591", ":" },
	{ 11, "\u25c6", "*" },
};
#define SPECIALS (sizeof(specials) / sizeof(specials[0]))

/* Where the printing is. */
struct printer {
	bool unicode;
	bool styled; /* bold and underlined words can be shown */
	int width;
	int column;
	char style;
	bool blank; /* the last line was empty, or there was none */
};

static void
set_style(struct printer *printer, char style)
{
	if (printer->styled && style != printer->style)
		printf("%s",
		    style == BOLD	      ? "\033[0;1m"
			: style == UNDERLINED ? "\033[0;4m"
					      : "\033[0m");
	printer->style = style;
}

/* How many columns the character takes. */
static int
width_of(const struct printer *printer, char character)
{
	if (character <= PLAIN)
		return 0;
	for (size_t i = 0; i < SPECIALS; i++)
		if (specials[i].code == character)
			return printer->unicode
			    ? 1
			    : (int)strlen(specials[i].ascii);
	return 1;
}

static void
print_character(struct printer *printer, char character)
{
	printer->column += width_of(printer, character);
	if (character >= BOLD && character <= PLAIN) {
		set_style(printer, character);
		return;
	}
	for (size_t i = 0; i < SPECIALS; i++)
		if (specials[i].code == character) {
			fputs(printer->unicode ? specials[i].unicode
					       : specials[i].ascii,
			    stdout);
			return;
		}
	putchar(character);
}

static void
indent(struct printer *printer, int column)
{
	printf("%*s", column - printer->column, "");
	printer->column = column;
}

static void
end_line(struct printer *printer)
{
	set_style(printer, PLAIN);
	putchar('\n');
	printer->column = 0;
	printer->blank = false;
}

static void
print_line(struct printer *printer, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		print_character(printer, text[i]);
}

/* Fills lines with the words, from this column to the width. */
static void
print_words(struct printer *printer, const char *text, size_t length,
    int column)
{
	const char *const end = text + length;

	indent(printer, column);
	while (text < end) {
		const char *const blank =
		    memchr(text, ' ', (size_t)(end - text));
		const size_t size =
		    (size_t)((blank == NULL ? end : blank) - text);
		int columns = 0;

		for (size_t i = 0; i < size; i++)
			columns += width_of(printer, text[i]);
		if (printer->column > column) {
			if (printer->column + 1 + columns > printer->width) {
				const char style = printer->style;

				end_line(printer);
				indent(printer, column);
				set_style(printer, style);
			} else {
				print_character(printer, ' ');
			}
		}
		print_line(printer, text, size);
		text += size + (blank == NULL ? 0 : 1);
	}
	end_line(printer);
}

/* An item: its text begins next to the tag, or below it. */
static void
print_item(struct printer *printer, const char *line, size_t length)
{
	const int at = line[1] - '0', body = line[2] - '0';
	const char *const tag = line + 3;
	const char *const tab = memchr(tag, '\t', length - 3);
	const size_t tag_length = (size_t)(tab - tag);
	const size_t text_length = length - 3 - tag_length - 1;

	indent(printer, at);
	print_line(printer, tag, tag_length);
	if (text_length == 0 || printer->column >= body)
		end_line(printer);
	if (text_length > 0)
		print_words(printer, tab + 1, text_length, body);
}

static void
print_block(struct printer *printer, const char *line, size_t length)
{
	switch (*line) {
	case 'b':
		if (!printer->blank)
			putchar('\n');
		printer->blank = true;
		return;
	case 'h':
		if (!printer->blank)
			putchar('\n');
		set_style(printer, BOLD);
		print_line(printer, line + 1, length - 1);
		end_line(printer);
		printer->blank = true;
		return;
	case 'p':
		print_words(printer, line + 2, length - 2, line[1] - '0');
		return;
	case 't':
		print_item(printer, line, length);
		return;
	case 'l':
		if (length > 2)
			indent(printer, line[1] - '0');
		print_line(printer, line + 2, length - 2);
		end_line(printer);
		return;
	}
}

static void
unpack(FILE *file, unsigned char byte)
{
	if (manual_pairs[byte][0] == 0) {
		putc(byte, file);
		return;
	}
	unpack(file, manual_pairs[byte][0]);
	unpack(file, manual_pairs[byte][1]);
}

/* The pieces, one after the other; an empty one ends them.  NULL: no memory. */
static char *
unpack_all(void)
{
	char *text = NULL;
	size_t size;
	FILE *const file = open_memstream(&text, &size);

	if (file == NULL)
		return NULL;
	for (size_t i = 0; i < manual_packed_size; i++)
		unpack(file, manual_packed[i]);
	if (fclose(file) == EOF) {
		free(text);
		return NULL;
	}
	return text;
}

/* The piece behind this one. */
static const char *
next_piece(const char *piece)
{
	piece += strlen(piece) + 1;
	return piece + strlen(piece) + 1;
}

bool
manual_print(enum manual_kind kind, const char *name,
    const struct screen *screen)
{
	char *const text = unpack_all();
	const char *piece = text;
	struct printer printer = {
		.unicode = screen->unicode,
		.styled = screen->terminal && !screen->plain,
		.width = screen->width > WIDTH_MOST ? WIDTH_MOST
		    : screen->width < WIDTH_LEAST   ? WIDTH_LEAST
						    : screen->width,
		.style = PLAIN,
		.blank = true,
	};

	if (text == NULL)
		return false;
	while (*piece != '\0' &&
	    ((*piece == LEVEL_OPTION) != (kind == MANUAL_OPTION) ||
		strcmp(piece + 1, name) != 0))
		piece = next_piece(piece);
	const char level = *piece;
	bool more = level != '\0';

	while (more) {
		const char *line = piece + strlen(piece) + 1;

		while (*line != '\0') {
			const size_t length = strcspn(line, "\n");

			print_block(&printer, line, length);
			line += length + 1;
		}
		piece = next_piece(piece);
		more = *piece > level;
	}
	free(text);
	return level != '\0';
}
