/* SPDX-License-Identifier: MIT */

#include "core/control.h"
#include "tap.h"

static void
each_word_says_its_own(void)
{
	struct control control = { .healthy = false };

	CHECK_STR(control_read(&control, "", 0), NULL);
	CHECK_STR(control_read(&control, "  ", 0), NULL);
	CHECK_INT(control.verdict, VERDICT_NONE);
	CHECK_STR(control_read(&control, "success", 0), NULL);
	CHECK_INT(control.verdict, VERDICT_SUCCESS);
	CHECK_STR(control_read(&control, " stop\r", 0), NULL);
	CHECK_INT(control.verdict, VERDICT_STOP);
	CHECK(!control.healthy && control.hint.kind == HINT_NONE);
	CHECK_STR(control_read(&control, "delay 1m30s", 0), NULL);
	CHECK_DBL(control.hint.seconds, 90, 0);
	CHECK_STR(control_read(&control, "delay\t 2 ", 0), NULL);
	CHECK_DBL(control.hint.seconds, 2, 0);
	CHECK_STR(control_read(&control, "delay 7pm (Europe/Oslo)", 0), NULL);
	CHECK_INT(control.hint.kind, HINT_CLOCK);
	CHECK_STR(control.hint.zone, "Europe/Oslo");
	CHECK_STR(control_read(&control, "reset", 0), NULL);
	CHECK(control.healthy);
	CHECK_INT(control.verdict, VERDICT_STOP);
	CHECK_STR(control_read(&control, "retry", 0), NULL);
	CHECK_INT(control.verdict, VERDICT_RETRY);
}

static void
anything_else_changes_nothing(void)
{
	static const char *const rows[] = { "Success", "succes", "retry now",
		"delay", "delay ", "delay soon", "delay -1", "delay 1 2",
		"delays 1", "resets", "\1",
		("a line that is much too long to be any of the words of"
		 " control there are") };
	struct control control = { .healthy = false };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i]);
		CHECK(control_read(&control, rows[i], 0) != NULL);
		CHECK_INT(control.verdict, VERDICT_NONE);
		CHECK(control.hint.kind == HINT_NONE && !control.healthy);
	}
}

int
main(void)
{
	RUN(each_word_says_its_own);
	RUN(anything_else_changes_nothing);
	return DONE();
}
