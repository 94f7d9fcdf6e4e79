#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Copies the text, made harmless for a terminal by vis(3), into a buffer of
 * `size` bytes (at least 8); what does not fit ends in "...".  Returns
 * `buffer`.
 */
char *text_safe(const char *text, char *buffer, size_t size);

/*
 * Copies the text, without the blanks that it begins and ends with, into a
 * buffer of `size` bytes.  False, and nothing copied, if it does not fit.
 */
bool text_trim(const char *text, const char *blanks, char *buffer, size_t size);

/*
 * FNV-1a, of 64 bits: tells a file that was cut or changed by accident, not
 * one that was changed on purpose.
 */
uint64_t text_checksum(const void *data, size_t length);

#endif
