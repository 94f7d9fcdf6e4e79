/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "report/page.h"
#include "core/outcome.h"

/* The columns of text up to `end`; a colour takes none. */
static int
columns(const char *text, const char *end)
{
	int count = 0;

	for (; text < end; text++)
		if (*text == '\033')
			text += strcspn(text, "m");
		else if ((*text & 0xc0) != 0x80)
			count++;
	return count;
}

/*
 * Two blanks or more end a label, such as "  -q, -v    ".  Blanks at the end of
 * the line are left out.
 */
static void
print_line(FILE *file, const char *line, const char *end, int width)
{
	const char *begin = line + strspn(line, " ");
	const char *gap = memmem(begin, (size_t)(end - begin), "  ", 2);
	const char *start, *stop, *from = line;
	int left = columns(line, gap == NULL ? begin : gap + strspn(gap, " "));

	if (left > width / 2)
		left = 4;
	for (const char *text = line; text < end; text = stop) {
		start = text + strspn(text, " ");
		if (start == end)
			break;
		stop = start + strcspn(start, " \n");
		if (text > from && columns(from, stop) > width) {
			fprintf(file, "\n%*s", left, "");
			if (from == line)
				width -= left;
			from = text = start;
		}
		fwrite(text, 1, (size_t)(stop - text), file);
	}
	putc('\n', file);
}

void
page_open(struct page *page, const struct screen *screen)
{
	page->screen = screen;
	page->file = open_memstream(&page->text, &page->size);
	if (page->file == NULL)
		err(STATUS_OWN_FAILURE, NULL);
}

void
page_print(struct page *page, FILE *file, int most)
{
	const struct screen *screen = page->screen;
	const int limit = most > 0 ? most : INT_MAX;
	const int width =
	    screen->terminal && screen->width < limit ? screen->width : limit;

	if (fclose(page->file) == EOF)
		err(STATUS_OWN_FAILURE, NULL);
	for (const char *line = file == NULL ? "" : page->text;
	     *line != '\0';) {
		const char *end = strchrnul(line, '\n');

		print_line(file, line, end, width);
		line = *end == '\n' ? end + 1 : end;
	}
	free(page->text);
}
