/* SPDX-License-Identifier: MIT */

#include <stdlib.h>
#include <string.h>

#include "report/report.h"

const struct failures *
report_failures_add(struct sink *sink, const struct record *record)
{
	const bool failed = record->kind == RECORD_OUTCOME &&
	    record->judgement.verdict != VERDICT_SUCCESS;
	struct failures *failures = sink->memory;

	if (failed && failures == NULL)
		sink->memory = failures = calloc(1, sizeof(*failures));
	if (failed && failures != NULL) {
		if (failures->kept < FAILURES_KEPT) {
			struct record *kept =
			    &failures->records[failures->kept++];

			*kept = *record;
			kept->output =
			    sink->format->keeps_output && record->output != NULL
			    ? strdup(record->output)
			    : NULL;
		}
		failures->count++;
	}
	return failures;
}

void
report_failures_free(struct sink *sink)
{
	struct failures *failures = sink->memory;

	for (size_t i = 0; failures != NULL && i < failures->kept; i++)
		free((char *)failures->records[i].output);
	free(failures);
	sink->memory = NULL;
}
