/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/file.h"
#include "sys/messages.h"

/* Seconds that a message waits for its reader. */
#define PATIENCE 1.0

/* As much of a message of say() as is written: a name, and more. */
#define SAID_MOST (PATH_MAX + 512)

struct messages messages;

/* Writes the lines to standard error, or counts them as lost. */
static void
write_out(const char *lines, size_t size)
{
	struct sink *sink = &messages.sink;
	const bool mid_line = sink->mid_line && *lines != '\n';
	char note[SAID_MOST] = "", *text;

	sink_open(sink, STDERR_FILENO);
	if (messages.lost > 0)
		snprintf(note, sizeof(note),
		    "%s: %" PRIu64
		    " line%s lost: standard error was not read\n",
		    program_invocation_name, messages.lost,
		    messages.lost == 1 ? " was" : "s were");
	if (asprintf(&text, "%s%s%.*s", mid_line ? "\n" : "", note, (int)size,
		lines) == -1)
		text = NULL;
	/* Any error but EAGAIN cannot be reported to anybody. */
	const bool lost = text == NULL ||
	    (!sink_write(sink, text, strlen(text),
		 messages.stuck ? 0 : PATIENCE) &&
		errno == EAGAIN);
	free(text);
	messages.stuck = lost || sink->rest_size > 0;
	for (size_t i = 0; lost && i < size; i++)
		messages.lost += lines[i] == '\n';
	if (lost)
		return;
	messages.lost = 0;
	sink->mid_line = false;
}

void
messages_write(const char *lines, size_t size)
{
	if (!messages.held) {
		write_out(lines, size);
		return;
	}
	char *text = realloc(messages.text, messages.size + size);
	if (text == NULL)
		return;
	memcpy(text + messages.size, lines, size);
	messages.text = text;
	messages.size += size;
}

void
messages_draw(const char *text, size_t size)
{
	sink_open(&messages.sink, STDERR_FILENO);
	sink_write(&messages.sink, text, size, 0);
}

void
say(const char *format, ...)
{
	const int error = errno;
	char line[SAID_MOST], safe[SAID_MOST];
	va_list arguments;

	snprintf(line, sizeof(line), "%s: ", program_invocation_name);
	size_t length = strlen(line);
	va_start(arguments, format);
	vsnprintf(line + length, sizeof(line) - length, format, arguments);
	va_end(arguments);
	length = strlen(text_safe(line, safe, sizeof(safe) - 1));
	safe[length] = '\n';
	messages_write(safe, length + 1);
	errno = error;
}

void
say_error(const char *format, ...)
{
	const int error = errno;
	char text[SAID_MOST];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	say("%s: %s", text, strerror(error));
	errno = error;
}

void
messages_close(void)
{
	if (messages.lost > 0 || messages.sink.rest_size > 0)
		write_out("", 0);
	sink_close(&messages.sink);
	free(messages.text);
	messages = (struct messages){ .held = false };
}
