#include "cli/report.h"

void
report_text(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct message message = message_of(report->options, record);

	if (*message.text != '\0')
		fprintf(sink->file, "retry: %s\n", message.text);
}

void
report_journal(struct sink *sink, const struct report *report,
    const struct record *record)
{
	const struct message message = message_of(report->options, record);

	if (*message.text != '\0')
		fprintf(sink->file, "<%d>retry: %s\n", message.priority,
		    message.text);
}
