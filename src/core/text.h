#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

/*
 * Copies the text, made harmless for a terminal by vis(3), into a buffer of
 * `size` bytes (at least 8); what does not fit ends in "...".  Returns
 * `buffer`.
 */
char *text_safe(const char *text, char *buffer, size_t size);

#endif
