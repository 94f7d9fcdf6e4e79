#include <errno.h>
#include <fcntl.h>
#include <libutil.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "sys/budget_file.h"
#include "sys/descriptor.h"

/* The lock is asked for so often, a millisecond apart: 100 ms with overhead. */
#define LOCK_TRIES 90
#define LOCK_PAUSE 1000000 /* ns */

#define FLAGS (O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
#define MODE 0600

void
budget_file_make(const struct budget_file *budget)
{
	const int file = open(budget->file, FLAGS, MODE);

	if (file != -1)
		close(file);
}

/*
 * Opened anew each time, so that a bucket that was removed meanwhile is not
 * shared with nobody.  The kernel takes the lock back from a process that dies.
 */
static int
open_locked(const char *name)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE };
	int file = -1;

	for (int tries = 0; file == -1; tries++) {
		file = flopen(name, FLAGS, MODE);
		if (file == -1 && (errno != EWOULDBLOCK || tries == LOCK_TRIES))
			return -1;
		if (file == -1)
			nanosleep(&pause, NULL);
	}
	return descriptor_raise(file);
}

/* The name of this boot; none, where it has none. */
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

static void
refill(struct bucket *bucket, const struct budget_rules *rules)
{
	char boot[BUDGET_BOOT] = BUDGET_NO_BOOT;
	struct timespec time;

	if (rules->rate > 0)
		read_boot(boot);
	clock_gettime(CLOCK_BOOTTIME, &time);
	budget_refill(bucket, rules,
	    (int64_t)time.tv_sec * 1000000000 + time.tv_nsec, boot);
}

/* Reads the bucket; an empty file is a full one, and so is a damaged one. */
static const char *
load(int file, struct bucket *bucket, const struct budget_rules *rules,
    bool *usable)
{
	char text[BUDGET_TEXT + 1];
	const char *problem = NULL;
	const ssize_t length = pread(file, text, BUDGET_TEXT, 0);

	*usable = length == 0;
	*bucket = budget_full(rules);
	if (length == -1)
		return strerror(errno);
	text[length] = '\0';
	if (length > 0)
		problem = budget_parse(text, bucket);
	if (problem == NULL)
		*usable = true;
	else if (budget_was(text)) {
		*bucket = budget_full(rules);
		*usable = true;
	}
	return problem;
}

static const char *
save(int file, const struct bucket *bucket)
{
	char text[BUDGET_TEXT];

	budget_format(bucket, text);
	const ssize_t length = pwrite(file, text, BUDGET_LENGTH, 0);
	if (length == -1)
		return strerror(errno);
	return length == BUDGET_LENGTH ? NULL : strerror(ENOSPC);
}

static const char *
change_locked(int file, const struct budget_rules *rules, bool take, bool *paid)
{
	struct bucket bucket;
	bool usable;
	const char *problem = load(file, &bucket, rules, &usable);

	if (!usable)
		return problem;
	refill(&bucket, rules);
	if (take)
		*paid = budget_take(&bucket, rules);
	else
		budget_give(&bucket, rules);
	/* Only a damaged one can have another length. */
	if (problem != NULL && ftruncate(file, 0) == -1)
		return problem;
	const char *unsaved = save(file, &bucket);
	return problem != NULL ? problem : unsaved;
}

static const char *
change(const struct budget_file *budget, bool take, bool *paid)
{
	const int file = open_locked(budget->file);

	if (file == -1)
		return errno == EWOULDBLOCK ? "is locked"
					    : descriptor_problem(errno);
	const char *problem = descriptor_check_file(file);
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
