#include <string.h>

#include "control.h"
#include "duration.h"
#include "text.h"

#define BLANKS " \t\r"

/* Room for a line without the blanks around it. */
#define LINE_ROOM 64

static const char *
read_delay(struct control *control, const char *text)
{
	double seconds;
	const char *problem =
	    duration_parse(text + strspn(text, BLANKS), &seconds);

	if (problem == NULL)
		control->delay = seconds;
	return problem;
}

const char *
control_read(struct control *control, const char *line)
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
		return read_delay(control, text + 5);
	return "is none of success, retry, stop, delay DUR, reset";
}
