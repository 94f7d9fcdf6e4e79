#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "core/lines.h"
#include "core/text.h"
#include "sys/descriptor.h"
#include "sys/events.h"
#include "sys/word.h"

/* How much of the file is read, wherever an attempt wrote. */
#define WORD_MOST 65536

int
word_begin(struct word *word)
{
	word->fd = descriptor_in_memory("retry-control");
	if (word->fd == -1) {
		const int error = errno;

		warn("--control");
		errno = error;
		return -1;
	}
	snprintf(word->name, sizeof(word->name), "/proc/%ld/fd/%d",
	    (long)word->pid, word->fd);
	return 0;
}

static void
read_line(struct word *word, struct control *control, const char *line)
{
	const char *problem = control_read(control, line);
	char safe[64];

	if (problem == NULL || word->complained)
		return;
	word->complained = true;
	warnx("--control: %s: %s", text_safe(line, safe, sizeof(safe)),
	    problem);
}

/* Not inlined, so that those without a word do not pay for its stack. */
static __attribute__((noinline)) void
read_lines(struct word *word, struct control *control)
{
	struct lines lines = { .ended = true };
	char buffer[LINE_MOST];
	const char *data = buffer;
	off_t offset = 0;
	ssize_t length;

	while ((length = pread(word->fd, buffer, sizeof(buffer), offset)) > 0) {
		size_t size = (size_t)length;

		if (offset >= WORD_MOST) {
			warnx("--control: only the first 64 KiB are read");
			return;
		}
		offset += length;
		for (data = buffer; lines_take(&lines, &data, &size);)
			read_line(word, control, lines.text);
	}
	if (length == -1)
		events_fail("--control");
	if (lines_end(&lines))
		read_line(word, control, lines.text);
}

struct control
word_ended(struct word *word)
{
	struct control control = { .delay = -1 };

	if (word->fd == -1)
		return control;
	read_lines(word, &control);
	close(word->fd);
	word->fd = -1;
	return control;
}
