/* SPDX-License-Identifier: MIT */

/*
 * TAP for C tests.
 *
 *	TEST(a_wait_is_never_negative)
 *	{
 *		CHECK(backoff_nominal(&backoff, &level, 1) >= 0);
 *	}
 *
 *	int
 *	main(void)
 *	{
 *		return RUN_ALL();
 *	}
 *
 * A failed check is reported and the test goes on. Each check says whether it
 * held, so that a test can stop where the rest would make no sense:
 *
 *		if (!CHECK(file != NULL))
 *			return;
 *
 * If $TEST_STOP is set, the first test that fails is the last.
 */

#ifndef TAP_H
#define TAP_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Begins a test; `name`, with blanks for underscores, is its name in TAP. */
#define TEST(name) \
	static void name(void); \
	__attribute__((constructor)) static void tap_add_##name(void) \
	{ \
		tap_add(name, #name, __LINE__); \
	} \
	static void name(void)

/*
 * Runs the tests in the order of the file and prints the plan. The value is the
 * exit status for main.
 */
#define RUN_ALL() tap_run_all()

/* Leaves the test: it is neither passed nor failed, because of `why`. */
#define SKIP(why) \
	do { \
		tap.skipped = (why); \
		return; \
	} while (0)

/* Says, printf-like, which row the following checks are about. */
#define ROW(...) snprintf(tap.row, sizeof tap.row, __VA_ARGS__)

#define CHECK(condition) tap_check((condition), __FILE__, __LINE__, #condition)

/* These show both values when they differ. */
#define CHECK_INT(got, want) \
	tap_check_int((got), (want), __FILE__, __LINE__, #got)
#define CHECK_STR(got, want) \
	tap_check_str((got), (want), __FILE__, __LINE__, #got)

/*
 * Doubles: apart by no more than `tolerance` times the wanted value, or
 * `tolerance` itself where that is below 1. NaN equals nothing.
 */
#define CHECK_DBL(got, want, tolerance) \
	tap_check_dbl((got), (want), (tolerance), __FILE__, __LINE__, #got)

/* The number of elements. */
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct {
	struct tap_test {
		void (*function)(void);
		const char *name;
		int line;
	} tests[256];
	const char *skipped;
	char row[256];
	int count;
	int failures;
	bool failed;
} tap;

static inline bool
tap_check(bool held, const char *file, int line, const char *text)
{
	if (held)
		return true;
	tap.failed = true;
	printf("# %s:%d: %s\n", file, line, text);
	if (tap.row[0] != '\0')
		printf("#     row: %s\n", tap.row);
	return false;
}

static inline bool
tap_check_int(intmax_t got, intmax_t want, const char *file, int line,
    const char *text)
{
	if (tap_check(got == want, file, line, text))
		return true;
	printf("#     got: %jd\n#     wanted: %jd\n", got, want);
	return false;
}

/* A text may have several lines; each must stay a TAP comment. */
static inline void
tap_show(const char *label, const char *text)
{
	printf("#     %s: ", label);
	for (text = text == NULL ? "NULL" : text; *text != '\0'; text++) {
		putchar(*text);
		if (*text == '\n')
			printf("#     ");
	}
	putchar('\n');
}

static inline bool
tap_check_str(const char *got, const char *want, const char *file, int line,
    const char *text)
{
	const bool same =
	    got == NULL || want == NULL ? got == want : strcmp(got, want) == 0;

	if (tap_check(same, file, line, text))
		return true;
	tap_show("got", got);
	tap_show("wanted", want);
	return false;
}

static inline bool
tap_check_dbl(double got, double want, double tolerance, const char *file,
    int line, const char *text)
{
	const double size = want < 0 ? -want : want;
	const double margin = size > 1 ? tolerance * size : tolerance;
	const bool same =
	    got == want || (got >= want - margin && got <= want + margin);

	if (tap_check(same, file, line, text))
		return true;
	printf("#     got: %.17g\n#     wanted: %.17g\n", got, want);
	return false;
}

_Noreturn static inline void
tap_bail_out(const char *name, const char *why)
{
	printf("Bail out! %s: %s\n", name, why);
	exit(1);
}

/* Constructors may run in any order. */
static inline void
tap_add(void (*function)(void), const char *name, int line)
{
	int i = tap.count++;

	if (tap.count > (int)COUNT(tap.tests))
		tap_bail_out(name, "there are too many tests");
	for (; i > 0 && tap.tests[i - 1].line > line; i--)
		tap.tests[i] = tap.tests[i - 1];
	tap.tests[i] = (struct tap_test){ function, name, line };
}

static inline void
tap_run(int number, const struct tap_test *test)
{
	tap.skipped = NULL;
	tap.row[0] = '\0';
	tap.failed = false;
	test->function();
	tap.failures += tap.failed;

	printf("%s %d - ", tap.failed ? "not ok" : "ok", number);
	for (const char *c = test->name; *c != '\0'; c++)
		putchar(*c == '_' ? ' ' : *c);
	if (tap.skipped != NULL && !tap.failed)
		printf(" # SKIP %s", tap.skipped);
	putchar('\n');
	fflush(stdout);
	if (tap.failed && getenv("TEST_STOP") != NULL)
		tap_bail_out("TEST_STOP", "stopped at the first failure");
}

static inline int
tap_run_all(void)
{
	for (int i = 0; i < tap.count; i++)
		tap_run(i + 1, &tap.tests[i]);
	printf("1..%d\n", tap.count);
	return tap.failures > 0 || tap.count == 0;
}

/*
 * The rows of a file of tab-separated values in $TEST_DATA; lines that are
 * empty or begin with # are passed over.
 *
 *	struct tsv tsv = tsv_open("backoff.tsv");
 *
 *	while (tsv_next(&tsv))
 *		CHECK_STR(tsv.fields[0], "linear");
 *
 * Fields beyond the last of a row are "". tsv_next sets ROW to the row's line
 * and first field, and closes the file after the last. A file that is missing
 * or breaks these limits ends the program as a failure.
 */
struct tsv {
	FILE *file;
	const char *name;
	int line;
	int count;
	char *fields[32];
	char text[65536];
};

static inline struct tsv
tsv_open(const char *name)
{
	struct tsv tsv = { .name = name };
	const char *folder = getenv("TEST_DATA");
	char path[4096];

	snprintf(path, sizeof path, "%s/%s", folder == NULL ? "data" : folder,
	    name);
	tsv.file = fopen(path, "r");
	if (tsv.file == NULL)
		tap_bail_out(path, strerror(errno));
	return tsv;
}

static inline bool
tsv_next(struct tsv *tsv)
{
	const int most = sizeof tsv->fields / sizeof tsv->fields[0];
	char *rest = tsv->text;

	do {
		if (fgets(tsv->text, sizeof tsv->text, tsv->file) == NULL) {
			fclose(tsv->file);
			return false;
		}
		tsv->line++;
		if (strlen(tsv->text) == sizeof tsv->text - 1)
			tap_bail_out(tsv->name, "a line is too long");
		tsv->text[strcspn(tsv->text, "\n")] = '\0';
	} while (tsv->text[0] == '\0' || tsv->text[0] == '#');

	for (tsv->count = 0; rest != NULL; tsv->count++) {
		char *tab = strchr(rest, '\t');

		if (tsv->count == most)
			tap_bail_out(tsv->name, "a row has too many fields");
		tsv->fields[tsv->count] = rest;
		rest = tab == NULL ? NULL : tab + 1;
		if (tab != NULL)
			*tab = '\0';
	}
	for (int i = tsv->count; i < most; i++)
		tsv->fields[i] = tsv->text + strlen(tsv->text);
	ROW("%s:%d: %.200s", tsv->name, tsv->line, tsv->fields[0]);
	return true;
}

/*
 * Takes the next number off a list separated by blanks, as golden files keep
 * them in one field:
 *
 *	const char *list = tsv.fields[5];
 *
 *	for (double want; tsv_number(&list, &want); )
 *		CHECK_DBL(next_delay(), want, 1e-9);
 *
 * False at the end of the list, or at something that is no number.
 */
static inline bool
tsv_number(const char **list, double *number)
{
	char *end;

	*number = strtod(*list, &end);
	if (end == *list)
		return false;
	*list = end;
	return true;
}

#endif
