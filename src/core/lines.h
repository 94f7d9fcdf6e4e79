#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stddef.h>

/* How many bytes of a line are kept. */
#define LINE_MOST 4096

/*
 * Cuts a stream into lines, wherever its pieces end.  Only '\n' ends a line.
 * A NUL reads as '\1', so that it does not end the text: a control character
 * like any other.
 */
struct lines {
	char text[LINE_MOST + 1]; /* of the line, without its end */
	size_t length;
	bool cut;   /* the line is longer */
	bool ended; /* what comes next begins another line */
};

/*
 * Takes bytes off the front of *data.  True as soon as a line is complete;
 * false when all are taken.
 */
bool lines_take(struct lines *lines, const char **data, size_t *size);

/*
 * The stream has ended.  True if that completes a line; the next byte begins
 * another.
 */
bool lines_end(struct lines *lines);

#endif
