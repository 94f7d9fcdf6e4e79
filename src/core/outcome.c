#include <errno.h>

#include "outcome.h"

const char *
outcome_name(enum outcome_kind kind)
{
	switch (kind) {
	case OUTCOME_NONE:
		return "none";
	case OUTCOME_EXIT:
		return "exit";
	case OUTCOME_SIGNAL:
		return "signal";
	case OUTCOME_TIMEOUT:
		return "timeout";
	case OUTCOME_UNSTARTABLE:
		return "unstartable";
	case OUTCOME_UNFORKED:
		return "unforked";
	}
	return "none";
}

int
outcome_status(struct outcome outcome)
{
	switch (outcome.kind) {
	case OUTCOME_EXIT:
		return outcome.code != 0 ? outcome.code : 1;
	case OUTCOME_SIGNAL:
		return 128 + outcome.code;
	case OUTCOME_TIMEOUT:
		return STATUS_TIMEOUT;
	case OUTCOME_UNSTARTABLE:
		return outcome.code == ENOENT ? STATUS_NOT_FOUND
					      : STATUS_NOT_EXECUTABLE;
	case OUTCOME_NONE:
	case OUTCOME_UNFORKED:
		break;
	}
	return STATUS_OWN_FAILURE;
}
