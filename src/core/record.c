/* SPDX-License-Identifier: MIT */

#include "record.h"

const char *
record_name(enum record_kind kind)
{
	static const char *const names[] = {
		[RECORD_START] = "start",
		[RECORD_ATTEMPT] = "attempt",
		[RECORD_OUTCOME] = "outcome",
		[RECORD_LOCK] = "lock",
		[RECORD_HEALTH] = "health",
		[RECORD_WAIT] = "wait",
		[RECORD_SIGNAL] = "signal",
		[RECORD_END] = "end",
	};

	return names[kind];
}

const char *
reason_name(enum reason reason)
{
	static const char *const names[] = {
		[REASON_NONE] = "none",
		[REASON_SUCCESS] = "success",
		[REASON_ATTEMPTS] = "attempts",
		[REASON_MAX_TIME] = "max-time",
		[REASON_STOP] = "stop",
		[REASON_SIGNAL] = "signal",
		[REASON_BUDGET] = "budget",
		[REASON_GATE] = "gate",
		[REASON_HINT] = "hint",
		[REASON_EARLY] = "early",
		[REASON_PLAN] = "plan",
		[REASON_ERROR] = "error",
	};

	return names[reason];
}

bool
record_is_flaky(const struct record *record)
{
	return record->reason == REASON_SUCCESS && record->failures > 0;
}
