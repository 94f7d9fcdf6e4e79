/* SPDX-License-Identifier: MIT */

#include <stdlib.h>
#include <string.h>

#include "report/report.h"

/* How many trials are kept. */
#define TRIALS_KEPT 100000

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
	const bool trial = record->trials != NULL;
	const bool judged = !trial || record->trials->count == record->attempt;
	const bool success =
	    judged && record->judgement.verdict == VERDICT_SUCCESS;
	char text[MESSAGE_PART];

	if (record->kind != RECORD_OUTCOME || (success && !trial))
		return;
	attempts->count++;
	attempts->failed += judged && !success;
	attempts->skipped += !judged;
	if (attempts->kept == (trial ? TRIALS_KEPT : FAILURES_KEPT))
		return;
	struct ended *row = new_row(attempts);
	if (row == NULL)
		return;
	row->attempt = record->attempt;
	row->duration = record->duration;
	row->waited = record->just_waited;
	row->kind = record->outcome.kind;
	row->success = success;
	row->judged = judged;
	row->outcome = strdup(
	    success ? message_outcome(record, text) : message_why(record).text);
	row->sentence = strdup(success ? "" : message_failure(record).text);
	if (row->outcome == NULL || row->sentence == NULL) {
		free_row(row);
		return;
	}
	if (keeps_output && !success && record->output != NULL &&
	    attempts->outputs < FAILURES_KEPT) {
		row->output = strdup(record->output);
		attempts->outputs++;
	}
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
