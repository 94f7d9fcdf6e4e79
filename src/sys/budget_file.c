/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sys/budget_file.h"
#include "sys/events.h"
#include "sys/file.h"

/* How long others may have the lock, in seconds. */
#define LOCK_PATIENCE 0.1

void
budget_file_open(struct budget_file *budget, const struct options *options)
{
	*budget = (struct budget_file){ .name = options->budget,
		.rules = options->policy.budget_rules };
	if (budget->name == NULL)
		return;
	int file = file_open(budget->name, O_RDWR | O_CREAT | O_EXCL);
	file_close(&file);
}

/*
 * Nanoseconds since the machine was started.  A time namespace adds an offset
 * to the clock, which is taken off again, as processes in other namespaces may
 * share the bucket.
 */
static int64_t
read_time(void)
{
	struct timespec time;
	int64_t seconds = 0, nanoseconds = 0;
	char text[128];

	file_read("/proc/self/timens_offsets", text, sizeof(text));
	const char *line = strstr(text, "boottime ");
	if (line != NULL &&
	    sscanf(line, "boottime %" SCNd64 " %" SCNd64, &seconds,
		&nanoseconds) != 2)
		seconds = nanoseconds = 0;
	clock_gettime(CLOCK_BOOTTIME, &time);
	return (time.tv_sec - seconds) * INT64_C(1000000000) + time.tv_nsec -
	    nanoseconds;
}

/*
 * Makes the change in the file, whose lock we have.  Returns NULL, or what is
 * wrong.  A text that is damaged, but was a bucket once, is replaced by that of
 * a full one.
 */
static const char *
change_locked(struct budget_file *budget, int file, bool throttled,
    int64_t *paid, bool *taken)
{
	const struct budget_rules *rules = &budget->rules;
	char text[BUDGET_TEXT + 1], boot[BUDGET_BOOT] = BUDGET_NO_BOOT;
	struct bucket bucket = budget_full(rules);
	const char *problem = NULL;
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
		file_read("/proc/sys/kernel/random/boot_id", boot, BUDGET_BOOT);
	/* A sandbox may hide it. */
	if (strlen(boot) != BUDGET_BOOT - 1)
		strlcpy(boot, BUDGET_NO_BOOT, BUDGET_BOOT);
	budget_refill(&bucket, rules, read_time(), boot);
	if (budget->owes)
		budget_give(&bucket, rules, budget->owed);
	budget->owes = false;
	if (paid != NULL)
		*taken = budget_take(&bucket, rules, throttled, paid);

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
 * Takes tokens, unless `paid` is NULL, after a throttled attempt or not, and
 * gives back what is owed.  Sets *problem to NULL, or to what is wrong.
 *
 * The file is opened again each time, since it may have been removed.  With
 * O_CREAT the kernel would refuse a file of another user's in a folder for all
 * (fs.protected_regular), which may be meant to be shared: that comes second.
 */
static enum answer
change(struct budget_file *budget, bool throttled, int64_t *paid,
    const char **problem)
{
	bool taken = true;
	int file = file_lock(budget->name, 0);

	if (file == -1 && errno == ENOENT)
		file = file_lock(budget->name, O_CREAT);
	if (file == -1) {
		const bool locked = errno == EWOULDBLOCK;

		*problem = file_problem(errno);
		return locked ? ANSWER_AGAIN : ANSWER_YES;
	}
	*problem = file_check(file);
	if (*problem == NULL)
		*problem = change_locked(budget, file, throttled, paid, &taken);
	close(file);
	return taken ? ANSWER_YES : ANSWER_NO;
}

enum answer
budget_file_take(struct budget_file *budget, bool throttled, int64_t *paid)
{
	const double now = events_time(CLOCK_MONOTONIC);
	const char *problem;
	const enum answer answer = change(budget, throttled, paid, &problem);

	if (answer == ANSWER_AGAIN) {
		if (budget->give_up_at == 0)
			budget->give_up_at = now + LOCK_PATIENCE;
		if (now < budget->give_up_at)
			return ANSWER_AGAIN;
	}
	budget->give_up_at = 0;
	if (problem == NULL)
		return answer;
	*paid = 0;
	say("--budget: %s: %s; the retry is allowed", budget->name, problem);
	return ANSWER_YES;
}

/* Gives back what is owed; says so if that fails, and then owes nothing. */
static void
settle_budget(struct budget_file *budget, bool waits)
{
	const char *problem;
	const bool locked =
	    change(budget, false, NULL, &problem) == ANSWER_AGAIN;

	if (problem == NULL || (waits && locked))
		return;
	budget->owes = false;
	say("--budget: %s: %s; nothing is given back", budget->name, problem);
}

void
budget_file_give(struct budget_file *budget, int64_t paid)
{
	if (budget->owes)
		settle_budget(budget, false);
	budget->owes = true;
	budget->owed = paid;
	settle_budget(budget, true);
}

void
budget_file_close(struct budget_file *budget)
{
	const double end = events_time(CLOCK_MONOTONIC) + LOCK_PATIENCE;

	while (budget->owes) {
		settle_budget(budget, events_time(CLOCK_MONOTONIC) < end);
		if (budget->owes)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 },
			    NULL);
	}
}
