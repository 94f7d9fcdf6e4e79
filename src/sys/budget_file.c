#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/budget_file.h"
#include "sys/file.h"

/* The lock is asked for so often, a millisecond apart: 100 ms with overhead. */
#define LOCK_TRIES 90
#define LOCK_PAUSE 1000000 /* ns */

void
budget_file_make(const struct options *options)
{
	const int file = file_open(options->budget, O_RDWR | O_CREAT);

	if (file != -1)
		close(file);
}

/* The name of this boot, or BUDGET_NO_BOOT if the kernel does not tell it. */
static void
read_boot(char boot[BUDGET_BOOT])
{
	const int file =
	    open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t length = -1;

	if (file != -1) {
		length = read(file, boot, BUDGET_BOOT - 1);
		close(file);
	}
	if (length != BUDGET_BOOT - 1)
		strlcpy(boot, BUDGET_NO_BOOT, BUDGET_BOOT);
	boot[BUDGET_BOOT - 1] = '\0';
}

/*
 * Takes or gives tokens in the file, whose lock we have.  Returns NULL, or what
 * is wrong.  A text that is damaged, but was a bucket once, is replaced by that
 * of a full one.
 */
static const char *
change_locked(int file, const struct budget_rules *rules, bool take, bool *paid)
{
	char text[BUDGET_TEXT + 1], boot[BUDGET_BOOT] = BUDGET_NO_BOOT;
	struct bucket bucket = budget_full(rules);
	const char *problem = NULL;
	struct timespec time;
	ssize_t length = pread(file, text, BUDGET_TEXT, 0);

	if (length == -1)
		return strerror(errno);
	text[length] = '\0';
	if (length > 0)
		problem = budget_parse(text, &bucket);
	if (problem != NULL && !budget_was(text))
		return problem;
	if (problem != NULL)
		bucket = budget_full(rules);
	if (rules->rate > 0)
		read_boot(boot);
	clock_gettime(CLOCK_BOOTTIME, &time);
	budget_refill(&bucket, rules,
	    (int64_t)time.tv_sec * 1000000000 + time.tv_nsec, boot);
	if (take)
		*paid = budget_take(&bucket, rules);
	else
		budget_give(&bucket, rules);

	/* Only a damaged one can have another length. */
	if (problem != NULL && ftruncate(file, 0) == -1)
		return problem;
	budget_format(&bucket, text);
	length = pwrite(file, text, BUDGET_LENGTH, 0);
	if (problem == NULL && length != BUDGET_LENGTH)
		problem = strerror(length == -1 ? errno : ENOSPC);
	return problem;
}

/*
 * Takes or gives tokens; warns of a problem, with what then happens.  Returns
 * false if nothing could be taken.
 *
 * The file is opened each time, so that one that was removed meanwhile is not
 * shared with nobody.
 */
static bool
change(const struct options *options, bool take, const char *consequence)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE };
	const char *problem;
	bool paid = true;
	char safe[128];
	int file;

	for (int tries = 0;; tries++) {
		file = file_lock(options->budget, false);
		if (file != -1 || errno != EWOULDBLOCK || tries == LOCK_TRIES)
			break;
		nanosleep(&pause, NULL);
	}
	problem = file == -1 ? file_problem(errno) : file_check(file);
	if (problem == NULL)
		problem =
		    change_locked(file, &options->budget_rules, take, &paid);
	if (file != -1)
		close(file);
	if (problem == NULL)
		return paid;
	warnx("--budget: %s: %s; %s",
	    text_safe(options->budget, safe, sizeof(safe)), problem,
	    consequence);
	return true;
}

bool
budget_file_take(const struct options *options)
{
	return change(options, true, "the retry is allowed");
}

void
budget_file_give(const struct options *options)
{
	change(options, false, "nothing is given back");
}
