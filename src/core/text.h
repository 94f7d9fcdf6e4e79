/* SPDX-License-Identifier: MIT */

#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether a character is harmful: a terminal obeys it, it turns the direction
 * of text, it ends a line somewhere, or it belongs to no character.
 */
bool text_is_harmful(uint32_t c);

/*
 * Whether the character is the bracket of "##[", "##vso[" or "##teamcity[",
 * which a CI's runner obeys anywhere in a line.  `hashes`, 0 at first, is kept
 * from one character of a text to the next.
 */
bool text_is_ci_command(uint32_t c, int *hashes);

/*
 * Copies UTF-8 text into a buffer of `size` bytes (at least 4).  vis(3) makes
 * harmful characters and the brackets of a CI's commands visible.  A text that
 * does not fit ends in "...".  Returns `buffer`.
 */
char *text_safe(const char *text, char *buffer, size_t size);

/*
 * Copies the text, without the blanks that it begins and ends with, into a
 * buffer of `size` bytes, which it may be in.  False, and nothing copied, if it
 * does not fit.
 */
bool text_trim(const char *text, const char *blanks, char *buffer, size_t size);

/* Room for an item of a comma list, with its NUL. */
#define TEXT_ITEM 64

/*
 * Copies the first item of a comma list, and moves *list behind the comma that
 * follows it, or to NULL if the item is the last one.  If the item is wrong,
 * *list stays where it is.
 */
const char *text_item(const char **list, char item[TEXT_ITEM]);

/*
 * Reads a whole number: digits alone, at most INT64_MAX.
 */
const char *text_count(const char *text, uint64_t *count);

/* Whether this many bytes of text, without a NUL, are the name. */
bool text_is(const char *text, size_t length, const char *name);

/* Replaces each NUL in this many bytes; a NUL would end the text. */
void text_mask_nul(char *text, size_t length, char mask);

/*
 * Adds to the text in a buffer of `size` bytes, as printf(3) would; what does
 * not fit is cut off.  Returns whether all of it fits.
 */
bool text_append(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * FNV-1a, 64 bits: detects that a file was cut or changed by accident, not that
 * it was changed on purpose.
 */
uint64_t text_checksum(const void *data, size_t length);

/* Stands for a byte that belongs to no character. */
#define TEXT_REPLACEMENT 0xfffd

/*
 * Takes the next character off UTF-8 text that is not at its end; a bad byte is
 * one TEXT_REPLACEMENT.
 */
uint32_t text_next(const char **text);

/* The columns that UTF-8 text takes on a screen at most. */
int text_width(const char *text);

/* Cuts UTF-8 text after this many columns, between two characters. */
void text_cut(char *text, int width);

#endif
