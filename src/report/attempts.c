/* SPDX-License-Identifier: MIT */

#include <stdlib.h>
#include <string.h>

#include "report/report.h"

static void
free_row(struct failed *row)
{
	free(row->outcome);
	free(row->sentence);
	free(row->output);
}

void
report_attempts_add(struct sink *sink, const struct record *record)
{
	struct attempts *attempts = &sink->attempts;

	if (record->kind != RECORD_OUTCOME ||
	    record->last.judgement.verdict == VERDICT_SUCCESS)
		return;
	attempts->count++;
	if (attempts->rows == NULL)
		attempts->rows =
		    reallocarray(NULL, FAILURES_KEPT, sizeof(*attempts->rows));
	if (attempts->rows == NULL || attempts->kept == FAILURES_KEPT)
		return;
	struct failed *row = &attempts->rows[attempts->kept];
	*row = (struct failed){
		.attempt = record->attempt.number,
		.duration = record->last.duration,
		.waited = record->wait.before,
		.kind = record->last.outcome.kind,
		.outcome = strdup(message_part(record, "short").text),
		.sentence = strdup(message_part(record, "long").text),
	};
	if (row->outcome == NULL || row->sentence == NULL) {
		free_row(row);
		return;
	}
	if (sink->format->keeps_output && record->seen.output != NULL)
		row->output = strdup(record->seen.output);
	attempts->kept++;
}

void
report_attempts_free(struct sink *sink)
{
	struct attempts *attempts = &sink->attempts;

	for (size_t i = 0; i < attempts->kept; i++)
		free_row(&attempts->rows[i]);
	free(attempts->rows);
}
