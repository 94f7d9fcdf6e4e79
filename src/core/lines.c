#include <string.h>

#include "lines.h"

static void
begin(struct lines *lines)
{
	lines->length = 0;
	lines->text[0] = '\0';
	lines->cut = false;
	lines->ended = false;
}

static void
add(struct lines *lines, const char *bytes, size_t size)
{
	const size_t room = LINE_MOST - lines->length;
	const size_t kept = size < room ? size : room;
	char *text = lines->text + lines->length;

	if (kept < size)
		lines->cut = true;
	memcpy(text, bytes, kept);
	for (size_t i = 0; i < kept; i++)
		if (text[i] == '\0')
			text[i] = '\1';
	text[kept] = '\0';
	lines->length += kept;
}

bool
lines_take(struct lines *lines, const char **data, size_t *size)
{
	const char *end;

	if (*size == 0)
		return false;
	if (lines->ended)
		begin(lines);
	end = memchr(*data, '\n', *size);
	const size_t length = end == NULL ? *size : (size_t)(end - *data);
	add(lines, *data, length);
	lines->ended = end != NULL;
	*data += length + lines->ended;
	*size -= length + lines->ended;
	return lines->ended;
}

bool
lines_end(struct lines *lines)
{
	const bool left = !lines->ended && lines->length > 0;

	lines->ended = true;
	return left;
}
