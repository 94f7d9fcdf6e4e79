#include <errno.h>
#include <signal.h>

#include "core/outcome.h"
#include "tap.h"

static const struct {
	struct outcome outcome;
	const char *name;
	int status;
} rows[] = {
	{ { OUTCOME_NONE, 0 }, "none", STATUS_OWN_FAILURE },
	{ { OUTCOME_EXIT, 0 }, "exit", 1 },
	{ { OUTCOME_EXIT, 1 }, "exit", 1 },
	{ { OUTCOME_EXIT, 7 }, "exit", 7 },
	{ { OUTCOME_EXIT, 127 }, "exit", 127 },
	{ { OUTCOME_EXIT, 255 }, "exit", 255 },
	{ { OUTCOME_SIGNAL, SIGTERM }, "signal", 143 },
	{ { OUTCOME_SIGNAL, SIGKILL }, "signal", 137 },
	{ { OUTCOME_TIMEOUT, 0 }, "timeout", 124 },
	{ { OUTCOME_TIMEOUT, 9 }, "timeout", 124 },
	{ { OUTCOME_UNSTARTABLE, ENOENT }, "unstartable", 127 },
	{ { OUTCOME_UNSTARTABLE, EACCES }, "unstartable", 126 },
	{ { OUTCOME_UNSTARTABLE, ENOEXEC }, "unstartable", 126 },
	{ { OUTCOME_UNSTARTABLE, ENOTDIR }, "unstartable", 126 },
	{ { OUTCOME_UNFORKED, EAGAIN }, "unforked", 125 },
};

static void
an_outcome_has_a_name_and_never_the_status_of_success(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s %d", rows[i].name, rows[i].outcome.code);
		CHECK_STR(outcome_name(rows[i].outcome.kind), rows[i].name);
		CHECK_INT(outcome_status(rows[i].outcome), rows[i].status);
	}
}

int
main(void)
{
	RUN(an_outcome_has_a_name_and_never_the_status_of_success);
	return DONE();
}
