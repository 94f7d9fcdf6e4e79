/* SPDX-License-Identifier: MIT */

#include <signal.h>

#include "core/signals.h"
#include "tap.h"

TEST(a_signal_is_read_by_name_in_any_case_or_by_number)
{
	const struct {
		const char *text;
		int number;
	} rows[] = {
		{ "TERM", SIGTERM },
		{ "SIGTERM", SIGTERM },
		{ "sigterm", SIGTERM },
		{ "tErM", SIGTERM },
		{ "usr1", SIGUSR1 },
		{ "KILL", SIGKILL },
		{ "CLD", SIGCHLD },
		{ "SIGIOT", SIGABRT },
		{ "io", SIGPOLL },
		{ "POLL", SIGPOLL },
		{ "STKFLT", SIGSTKFLT },
		{ "RTMIN", SIGNAL_RTMIN },
		{ "sigrtmin+0", SIGNAL_RTMIN },
		{ "RTMIN+1", SIGNAL_RTMIN + 1 },
		{ "RTMIN+3", 37 },
		{ "RTMAX", SIGRTMAX },
		{ "RTMAX-2", SIGRTMAX - 2 },
		{ "9", SIGKILL },
		{ "64", 64 },

		{ "", -1 },
		{ "SIG", -1 },
		{ "SIGSIGTERM", -1 },
		{ "TER", -1 },
		{ "TERMS", -1 },
		{ " TERM", -1 },
		{ "RTMIN-1", -1 },
		{ "RTMAX+1", -1 },
		{ "RTMIN+", -1 },
		{ "RTMIN+x", -1 },
		{ "RTMIN+-1", -1 },
		{ "RTMIN+31", -1 },
		{ "RTMAX-31", -1 },
		{ "RTMINX", -1 },
		{ "0", -1 },
		{ "65", -1 },
		{ "-9", -1 },
		{ "9x", -1 },
		{ "99999999999999999999", -1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		ROW("%s", rows[i].text);
		CHECK_INT(signal_parse(rows[i].text), rows[i].number);
	}
}

TEST(every_signal_has_a_name_that_reads_back)
{
	char name[SIGNAL_NAME];

	for (int number = 1; number <= SIGRTMAX; number++) {
		ROW("%d", number);
		signal_name(number, name);
		/* 32 and 33 belong to the threads library. */
		if (number < SIGNAL_RTMIN && number >= 32)
			CHECK(strncmp(name, "signal ", 7) == 0);
		else
			CHECK_INT(signal_parse(name), number);
	}
	CHECK_STR(signal_name(SIGTERM, name), "SIGTERM");
	CHECK_STR(signal_name(SIGNAL_RTMIN, name), "SIGRTMIN");
	CHECK_STR(signal_name(SIGNAL_RTMIN + 3, name), "SIGRTMIN+3");
	CHECK_STR(signal_name(77, name), "signal 77");
}

/* Of libc, if it has names. */
extern const char *sigabbrev_np(int number) __attribute__((weak));

TEST(names_are_those_of_the_system)
{
	if (sigabbrev_np == NULL)
		SKIP("libc has no names");
	for (int number = -1; number <= SIGRTMAX + 1; number++) {
		ROW("%d", number);
		CHECK_STR(signal_abbreviation(number), sigabbrev_np(number));
	}
}

TEST(each_signal_has_its_effect)
{
	const struct {
		int number;
		bool deadly, may_ask, ends_run;
	} rows[] = {
		{ SIGHUP, true, true, true },
		{ SIGINT, true, true, true },
		{ SIGQUIT, true, true, true },
		{ SIGABRT, true, true, true },
		{ SIGTERM, true, true, true },
		{ SIGCHLD, false, false, false },
		{ SIGCONT, false, false, false },
		{ SIGSTOP, false, false, false },
		{ SIGTSTP, false, false, false },
		{ SIGTTIN, false, false, false },
		{ SIGTTOU, false, false, false },
		{ SIGURG, false, false, false },
		{ SIGWINCH, false, true, false },
	};

	for (int number = 1; number <= SIGRTMAX; number++) {
		bool deadly = true, may_ask = true, ends_run = false;

		ROW("%d", number);
		for (size_t i = 0; i < COUNT(rows); i++)
			if (rows[i].number == number) {
				deadly = rows[i].deadly;
				may_ask = rows[i].may_ask;
				ends_run = rows[i].ends_run;
			}
		CHECK_INT(signal_is_deadly(number), deadly);
		CHECK_INT(signal_may_ask(number), may_ask);
		CHECK_INT(signal_ends_run(number), ends_run);
	}
}

int
main(void)
{
	return RUN_ALL();
}
