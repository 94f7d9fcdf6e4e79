#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sys/budget_file.h"
#include "sys/file.h"

/* The lock is asked for so often, a millisecond apart: 100 ms with overhead. */
#define LOCK_TRIES 90
#define LOCK_PAUSE 1000000 /* ns */

void
budget_file_make(const struct budget_file *budget)
{
	const int file = file_open(budget->file, O_RDWR | O_CREAT);

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
 * Reads the bucket; an empty file is a full one.  Returns NULL, or what is wrong
 * with it.  Then *usable says whether it was a bucket before it was damaged, and
 * counts as a full one.
 */
static const char *
load(int file, struct bucket *bucket, const struct budget_rules *rules,
    bool *usable)
{
	char text[BUDGET_TEXT + 1];
	const ssize_t length = pread(file, text, BUDGET_TEXT, 0);

	*usable = length == 0;
	*bucket = budget_full(rules);
	if (length == -1)
		return strerror(errno);
	if (length == 0)
		return NULL;
	text[length] = '\0';
	const char *problem = budget_parse(text, bucket);
	*usable = problem == NULL || budget_was(text);
	if (problem != NULL)
		*bucket = budget_full(rules);
	return problem;
}

/* Takes or gives tokens in the file, whose lock we have. */
static const char *
change_locked(int file, const struct budget_rules *rules, bool take, bool *paid)
{
	char boot[BUDGET_BOOT] = BUDGET_NO_BOOT, text[BUDGET_TEXT];
	struct timespec time;
	struct bucket bucket;
	bool usable;
	const char *problem = load(file, &bucket, rules, &usable);

	if (!usable)
		return problem;
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
	const ssize_t length = pwrite(file, text, BUDGET_LENGTH, 0);
	if (problem == NULL && length != BUDGET_LENGTH)
		problem = strerror(length == -1 ? errno : ENOSPC);
	return problem;
}

/*
 * The file is opened each time, so that one that was removed meanwhile is not
 * shared with nobody.
 */
static const char *
change(const struct budget_file *budget, bool take, bool *paid)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE };
	int file;

	for (int tries = 0;; tries++) {
		file = file_lock(budget->file, false);
		if (file != -1 || errno != EWOULDBLOCK || tries == LOCK_TRIES)
			break;
		nanosleep(&pause, NULL);
	}
	if (file == -1)
		return file_problem(errno);
	const char *problem = file_check(file);
	if (problem == NULL)
		problem = change_locked(file, &budget->rules, take, paid);
	close(file);
	return problem;
}

bool
budget_file_take(const struct budget_file *budget, const char **problem)
{
	bool paid = true;

	*problem = change(budget, true, &paid);
	return paid || *problem != NULL;
}

const char *
budget_file_give(const struct budget_file *budget)
{
	bool paid;

	return change(budget, false, &paid);
}
