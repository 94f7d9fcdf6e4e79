#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/lines.h"
#include "core/text.h"
#include "sys/descriptor.h"
#include "sys/word.h"

/* Newer than Debian 12's headers; some systems insist on it. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int
word_begin(struct word *word)
{
	const char *name = "retry-control";
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd == -1 && errno == EINVAL)
		fd = memfd_create(name, MFD_CLOEXEC);
	word->fd = descriptor_raise(fd);
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

		offset += length;
		for (data = buffer; lines_take(&lines, &data, &size);)
			read_line(word, control, lines.text);
	}
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
