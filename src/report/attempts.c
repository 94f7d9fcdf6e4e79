/* SPDX-License-Identifier: MIT */

#include <stdlib.h>
#include <string.h>

#include "report/report.h"

static void
free_row(struct ended *row)
{
	free(row->outcome);
	free(row->sentence);
	free(row->output);
}

/* Makes room for one more.  Returns it, empty, or NULL. */
static struct ended *
new_row(struct attempts *attempts)
{
	struct ended *rows = attempts->rows;

	if (attempts->kept == attempts->room) {
		const size_t room =
		    attempts->room == 0 ? 8 : attempts->room * 2;

		rows = reallocarray(rows, room, sizeof(*rows));
		if (rows == NULL)
			return NULL;
		attempts->rows = rows;
		attempts->room = room;
	}
	rows[attempts->kept] = (struct ended){ 0 };
	return &rows[attempts->kept];
}

void
report_attempts_add(struct attempts *attempts, const struct record *record,
    bool keeps_output)
{
	if (record->kind != RECORD_OUTCOME ||
	    record->judgement.verdict == VERDICT_SUCCESS)
		return;
	attempts->count++;
	if (attempts->kept == FAILURES_KEPT)
		return;
	struct ended *row = new_row(attempts);
	if (row == NULL)
		return;
	row->attempt = record->attempt;
	row->duration = record->duration;
	row->waited = record->just_waited;
	row->kind = record->outcome.kind;
	row->outcome = strdup(message_why(record).text);
	row->sentence = strdup(message_failure(record).text);
	if (row->outcome == NULL || row->sentence == NULL) {
		free_row(row);
		return;
	}
	if (keeps_output && record->output != NULL)
		row->output = strdup(record->output);
	attempts->kept++;
}

void
report_attempts_free(struct sink *sink)
{
	struct attempts *attempts = &sink->attempts;

	for (size_t i = 0; i < attempts->kept; i++)
		free_row(&attempts->rows[i]);
	free(attempts->rows);
	*attempts = (struct attempts){ 0 };
}
