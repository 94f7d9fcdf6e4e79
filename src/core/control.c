/* SPDX-License-Identifier: MIT */

#include <string.h>

#include "control.h"
#include "text.h"

#define BLANKS " \t\r"

/* Room for a line without the blanks around it. */
#define LINE_ROOM 64

const char *
control_read(struct control *control, const char *line, double now)
{
	static const struct {
		const char *word;
		enum verdict verdict;
	} rows[] = {
		{ "success", VERDICT_SUCCESS },
		{ "retry", VERDICT_RETRY },
		{ "stop", VERDICT_STOP },
	};
	char text[LINE_ROOM];

	if (!text_trim(line, BLANKS, text, sizeof(text)))
		return "is too long";
	if (*text == '\0')
		return NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].word, text) == 0) {
			control->verdict = rows[i].verdict;
			return NULL;
		}
	if (strcmp(text, "reset") == 0) {
		control->healthy = true;
		return NULL;
	}
	if (strncmp(text, "delay", 5) == 0 && text[5] != '\0' &&
	    strchr(BLANKS, text[5]) != NULL)
		return hint_parse(text + 5, now, &control->hint);
	return "is not success, retry, stop, delay HINT or reset";
}
