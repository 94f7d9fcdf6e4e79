/* SPDX-License-Identifier: MIT */

#include "record.h"

const struct reason_row reasons[REASONS] = {
	[REASON_NONE] = { "none", false, false, NULL },
	[REASON_SUCCESS] = { "success", false, true, NULL },
	[REASON_ATTEMPTS] = { "attempts", true, true,
	    "after the last attempt" },
	[REASON_MAX_TIME] = { "max-time", true, true, "out of time" },
	[REASON_STOP] = { "stop", false, true,
	    "at a failure that ends the run" },
	[REASON_SIGNAL] = { "signal", false, false, NULL },
	[REASON_BUDGET] = { "budget", true, true, "for lack of budget" },
	[REASON_GATE] = { "gate", true, true, "as --before-retry failed" },
	[REASON_HINT] = { "hint", true, true, "asked to wait too long" },
	[REASON_EARLY] = { "early", false, false, NULL },
	[REASON_PLAN] = { "plan", false, false, NULL },
	[REASON_ERROR] = { "error", false, true, NULL },
};

const char *const record_names[] = {
	[RECORD_START] = "start",
	[RECORD_ATTEMPT] = "attempt",
	[RECORD_OUTCOME] = "outcome",
	[RECORD_LOCK] = "lock",
	[RECORD_HEALTH] = "health",
	[RECORD_WAIT] = "wait",
	[RECORD_SIGNAL] = "signal",
	[RECORD_END] = "end",
};

bool
record_is_flaky(const struct record *record)
{
	return record->end.reason == REASON_SUCCESS && record->failures > 0;
}

bool
record_has_class(const struct record *record)
{
	return record->last.outcome.class != CLASS_NONE &&
	    record->last.judgement.verdict != VERDICT_SUCCESS;
}
