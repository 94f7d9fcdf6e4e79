/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <signal.h>

#include "core/outcome.h"
#include "tap.h"

#define NO_OUTCOME "unknown outcome"
#define OVER "exit statuses end at 255"
#define NO_STATUS "not an exit status (use 1, 1-5 or 1,5)"

static const struct {
	struct outcome outcome;
	const char *name;
	int status;
} endings[] = {
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

TEST(an_outcome_has_a_name_and_never_the_status_of_success)
{
	for (size_t i = 0; i < COUNT(endings); i++) {
		ROW("%s %d", endings[i].name, endings[i].outcome.code);
		CHECK_STR(outcome_names[endings[i].outcome.kind],
		    endings[i].name);
		CHECK_INT(outcome_status(endings[i].outcome),
		    endings[i].status);
	}
}

/* All outcomes that the tests look at, one letter or number each. */
static const struct sample {
	const char *name;
	struct outcome outcome;
} samples[] = {
	{ "0", { OUTCOME_EXIT, 0 } },
	{ "1", { OUTCOME_EXIT, 1 } },
	{ "2", { OUTCOME_EXIT, 2 } },
	{ "63", { OUTCOME_EXIT, 63 } },
	{ "64", { OUTCOME_EXIT, 64 } },
	{ "69", { OUTCOME_EXIT, 69 } },
	{ "71", { OUTCOME_EXIT, 71 } },
	{ "75", { OUTCOME_EXIT, 75 } },
	{ "78", { OUTCOME_EXIT, 78 } },
	{ "124", { OUTCOME_EXIT, 124 } },
	{ "137", { OUTCOME_EXIT, 137 } },
	{ "255", { OUTCOME_EXIT, 255 } },
	{ "HUP", { OUTCOME_SIGNAL, SIGHUP } },
	{ "KILL", { OUTCOME_SIGNAL, SIGKILL } },
	{ "TERM", { OUTCOME_SIGNAL, SIGTERM } },
	{ "64th", { OUTCOME_SIGNAL, 64 } },
	{ "T", { OUTCOME_TIMEOUT, 0 } },
	{ "S", { OUTCOME_UNSTARTABLE, ENOENT } },
	{ "F", { OUTCOME_UNFORKED, EAGAIN } },
};

/* The same of attempts that gave a hint. */
TEST(a_class_makes_an_outcome_another_where_classes_are_named)
{
	static const struct {
		const char *list;
		bool unknown, transient, permanent; /* status 1 of each class */
	} rows[] = {
		{ "1", true, true, true },
		{ "2", false, false, false },
		{ "any", true, true, true },
		{ "transient", false, true, false },
		{ "Permanent", false, false, true },
		{ "unknown", true, false, false },
		{ "transient,unknown", true, true, false },
		{ "1,!transient", true, false, true },
		{ "!transient,1", true, true, true },
		{ "transient,!1", false, false, false },
		{ "transient,!2", false, true, false },
		{ "nonzero,!permanent", true, true, false },
		{ "transient,none", false, false, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct outcome outcome = { OUTCOME_EXIT, 1, CLASS_UNKNOWN };
		struct set set = { 0 };

		ROW("%s", rows[i].list);
		CHECK(set_parse(&set, rows[i].list, NULL) == NULL);
		CHECK_INT(set_has(&set, outcome), rows[i].unknown);
		outcome.class = CLASS_TRANSIENT;
		CHECK_INT(set_has(&set, outcome), rows[i].transient);
		outcome.class = CLASS_PERMANENT;
		CHECK_INT(set_has(&set, outcome), rows[i].permanent);
		outcome.class = CLASS_NONE;
		CHECK_INT(set_has(&set, outcome),
		    rows[i].unknown && rows[i].transient && rows[i].permanent);
		CHECK_INT(set_has_class(&set),
		    strstr(rows[i].list, "none") == NULL &&
			strpbrk(rows[i].list, "Ptu") != NULL &&
			strcmp(rows[i].list, "!transient,1") != 0);
	}
}

TEST(a_class_holds_every_kind_of_outcome)
{
	static const struct {
		const char *name;
		enum failure_class class;
	} rows[] = {
		{ "unknown", CLASS_UNKNOWN },
		{ "transient", CLASS_TRANSIENT },
		{ "permanent", CLASS_PERMANENT },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct set set = { 0 };

		CHECK_STR(class_names[rows[i].class], rows[i].name);
		set_parse(&set, rows[i].name, NULL);
		for (size_t j = 0; j < COUNT(samples); j++) {
			struct outcome outcome = samples[j].outcome;

			ROW("%s, %s", rows[i].name, samples[j].name);
			outcome.class = rows[i].class;
			CHECK(set_has(&set, outcome));
		}
	}
}

/* "(out of memory)" is for people; no set tells it apart. */
TEST(an_outcome_that_memory_may_have_run_out_for_is_known)
{
	CHECK(outcome_may_be_oom((struct outcome){ OUTCOME_EXIT, 137 }));
	CHECK(outcome_may_be_oom((struct outcome){ OUTCOME_SIGNAL, SIGKILL }));
	CHECK(!outcome_may_be_oom((struct outcome){ OUTCOME_EXIT, SIGKILL }));
	CHECK(!outcome_may_be_oom((struct outcome){ OUTCOME_SIGNAL, SIGTERM }));
	CHECK(!outcome_may_be_oom((struct outcome){ OUTCOME_TIMEOUT, 0 }));
}

/* The names of the samples that are in the set. */
static const char *
members(const struct set *set, char text[256])
{
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; i < COUNT(samples); i++)
		if (set_has(set, samples[i].outcome))
			length += (size_t)snprintf(text + length, 256 - length,
			    "%s%s", length > 0 ? " " : "", samples[i].name);
	return text;
}

TEST(a_list_is_applied_from_left_to_right)
{
	static const struct {
		const char *list, *members;
	} rows[] = {
		{ "0", "0" },
		{ "1,255", "1 255" },
		{ "1-2", "1 2" },
		{ "2-2", "2" },
		{ "62-65,255", "63 64 255" },
		{ "0-255", "0 1 2 63 64 69 71 75 78 124 137 255" },
		{ "nonzero", "1 2 63 64 69 71 75 78 124 137 255" },
		{ "signal", "HUP KILL TERM 64th" },
		{ "timeout", "T" },
		{ "unstartable", "S" },
		{ "unforked", "F" },
		{ "any",
		    "0 1 2 63 64 69 71 75 78 124 137 255 "
		    "HUP KILL TERM 64th T S F" },
		{ "tempfail", "75" },
		{ "TempFail,usage", "64 75" },
		{ "ok,config", "0 78" },
		{ "EX_TEMPFAIL,ex_usage", "64 75" },
		{ "any,none", "" },
		{ "1,NONE,2", "2" },
		{ "SIGKILL", "KILL" },
		{ "hup,term", "HUP TERM" },
		{ "RTMAX", "64th" },
		{ "any,!any", "" },
		{ "any,!nonzero,^signal", "0 T S F" },
		{ "!1", "" },
		{ "!1,1", "1" },
		{ "1,!1", "" },
		{ "0-2,!1", "0 2" },
		{ "any,!any,timeout", "T" },
		{ "any,!unstartable,!unforked,!timeout,!0-255,!KILL",
		    "HUP TERM 64th" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct set set = { 0 };
		char text[256];

		ROW("%s", rows[i].list);
		CHECK(set_parse(&set, rows[i].list, NULL) == NULL);
		CHECK_STR(members(&set, text), rows[i].members);
	}
}

TEST(a_bad_item_is_refused_and_leaves_the_set_alone)
{
	static const struct {
		const char *list, *problem;
	} rows[] = {
		{ "", "empty item" },
		{ "1,", "empty item" },
		{ ",1", "empty item" },
		{ "1,,2", "empty item" },
		{ "!", "empty item" },
		{ "256", OVER },
		{ "1-256", OVER },
		{ "99999999999999999999", OVER },
		{ "3-1", "a range that runs backwards" },
		{ "1-", "not a range of exit statuses" },
		{ "1-x", "not a range of exit statuses" },
		{ "1--2", "not a range of exit statuses" },
		{ "1-2-3", "not a range of exit statuses" },
		{ "1x", NO_STATUS },
		{ "1 ", NO_STATUS },
		{ "1.5", NO_STATUS },
		{ "0x1", NO_STATUS },
		{ "-1", NO_OUTCOME },
		{ " 1", NO_OUTCOME },
		{ "!!1", NO_OUTCOME },
		{ "s", NO_OUTCOME },
		{ "sig", NO_OUTCOME },
		{ "EX_KILL", NO_OUTCOME },
		{ "EX_any", NO_OUTCOME },
		{ "EX_", NO_OUTCOME },
		{ "!none", NO_OUTCOME },
		{ "any thing", NO_OUTCOME },
		{ "a-name-that-is-longer-than-any-outcome", NO_OUTCOME },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct set set = { 0 };
		char list[64], text[256];

		snprintf(list, sizeof(list), "7,%s", rows[i].list);
		ROW("%s", rows[i].list);
		set_parse(&set, "timeout", NULL);
		CHECK_STR(set_parse(&set, rows[i].list, NULL), rows[i].problem);
		CHECK_STR(set_parse(&set, list, NULL), rows[i].problem);
		CHECK_STR(members(&set, text), "T");
	}
}

TEST(a_list_amends_what_was_there)
{
	struct set set = { 0 };
	char text[256];

	CHECK(set_parse(&set, "unstartable,HUP", NULL) == NULL);
	CHECK(set_parse(&set, "2,!unstartable", NULL) == NULL);
	CHECK_STR(members(&set, text), "2 HUP");
}

TEST(sets_are_added_taken_out_and_cut)
{
	struct set all = { 0 }, some = all, few = all, set = all;
	char text[256];

	set_parse(&all, "any", NULL);
	set_parse(&some, "2,255,TERM,timeout,unforked", NULL);
	set_add(&set, &some);
	CHECK_STR(members(&set, text), "2 255 TERM T F");
	set_parse(&few, "timeout,signal", NULL);
	set_keep(&set, &few);
	CHECK_STR(members(&set, text), "TERM T");
	set_parse(&few, "!signal", NULL);
	set_remove(&set, &few);
	CHECK_STR(members(&set, text), "TERM");
	set_add(&set, &all);
	set_remove(&set, &some);
	CHECK(!set_has(&set, (struct outcome){ OUTCOME_EXIT, 2 }));
	CHECK(set_has(&set, (struct outcome){ OUTCOME_EXIT, 3 }));
	CHECK(!set_has(&set, (struct outcome){ OUTCOME_UNFORKED, EAGAIN }));
	CHECK(set_has(&set, (struct outcome){ OUTCOME_UNSTARTABLE, EACCES }));
}

TEST(what_has_not_ended_is_in_no_set)
{
	struct set set = { 0 };

	set_parse(&set, "any", NULL);
	CHECK(!set_has(&set, (struct outcome){ OUTCOME_NONE, 0 }));
}

TEST(every_word_that_help_lists_can_be_written)
{
	const struct set_word *const tables[] = { set_classes, set_sysexits };

	for (size_t i = 0; i < COUNT(tables); i++)
		for (const struct set_word *word = tables[i];
		     word->name != NULL; word++) {
			static const struct set none;
			struct set set;
			char name[16];

			ROW("%s", word->name);
			snprintf(name, sizeof(name), "%s", word->name);
			CHECK(set_item(&set, name) == NULL);
			CHECK(memcmp(&set, &none, sizeof(set)) != 0);
		}
}

/* Each says its number first: "75: temporary failure". */
TEST(a_sysexits_name_is_the_status_that_it_says)
{
	for (const struct set_word *word = set_sysexits; word->name != NULL;
	     word++) {
		struct set set = { 0 };

		ROW("%s", word->name);
		set_parse(&set, word->name, NULL);
		for (int status = 0; status <= 255; status++)
			CHECK_INT(set_has(&set,
				      (struct outcome){ OUTCOME_EXIT, status }),
			    status == atoi(word->doc));
	}
}

/* Of libc, if it has names. */
extern const char *strerrorname_np(int error) __attribute__((weak));

TEST(an_error_has_its_name_or_none)
{
	CHECK_STR(outcome_error(ENOENT), "ENOENT");
	CHECK_STR(outcome_error(EACCES), "EACCES");
	CHECK_STR(outcome_error(EAGAIN), "EAGAIN");
	CHECK_STR(outcome_error(-1), NULL);
	CHECK_STR(outcome_error(0), NULL);
	CHECK_STR(outcome_error(100000), NULL);
	if (strerrorname_np == NULL)
		SKIP("libc has no names");
	for (int error = 0; error < 200; error++) {
		const char *name = outcome_error(error);

		ROW("%d", error);
		if (name != NULL)
			CHECK_STR(name, strerrorname_np(error));
	}
}

int
main(void)
{
	return RUN_ALL();
}
