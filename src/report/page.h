/* SPDX-License-Identifier: MIT */

#ifndef PAGE_H
#define PAGE_H

#include <stdio.h>

#include "report/report.h"

/* Text that is kept until all of it is there, and then printed. */
struct page {
	FILE *file;		     /* takes the text */
	const struct screen *screen; /* that it is for */
	char *text;
	size_t size;
};

/* Ends the program if there is no memory. */
void page_open(struct page *page, const struct screen *screen);

/*
 * Prints the page on this file; NULL throws it away.  A line wider than `most`
 * columns, or than the terminal, is broken between words; what follows stands
 * below the text behind the line's label, or below its beginning.  0: only a
 * terminal limits lines.
 */
void page_print(struct page *page, FILE *file, int most);

#endif
