/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/budget_file.h"
#include "sys/events.h"
#include "sys/file.h"

/* How long others may have the lock, in seconds. */
#define LOCK_PATIENCE 0.1

/* What is done to the bucket: tokens are taken, or given back. */
struct change {
	bool takes;
	bool throttled; /* takes: after a throttled attempt */
	bool taken;	/* takes: there were enough */
	bool locked;	/* another process has the file: not made */
};

void
budget_file_open(struct budget_file *budget, const struct options *options,
    struct messages *messages)
{
	*budget = (struct budget_file){ .name = options->budget,
		.messages = messages,
		.rules = options->budget_rules };
	if (budget->name == NULL)
		return;
	const int file = file_open(budget->name, O_RDWR | O_CREAT | O_EXCL);
	if (file != -1)
		close(file);
}

/* The name of this boot, or BUDGET_NO_BOOT if the kernel does not tell it. */
static void
read_boot(char boot[BUDGET_BOOT])
{
	file_read("/proc/sys/kernel/random/boot_id", boot, BUDGET_BOOT);
	if (strlen(boot) != BUDGET_BOOT - 1)
		strlcpy(boot, BUDGET_NO_BOOT, BUDGET_BOOT);
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
 * Opens the file and takes its lock.  With O_CREAT the kernel would refuse a
 * file of another user's in a folder for all (fs.protected_regular), which may
 * be meant to be shared; so that comes second.
 */
static int
open_locked(const char *name)
{
	const int file = file_lock(name, O_NONBLOCK);

	if (file != -1 || errno != ENOENT)
		return file;
	return file_lock(name, O_NONBLOCK | O_CREAT);
}

/*
 * Makes the change in the file, whose lock we have.  Returns NULL, or what is
 * wrong.  A text that is damaged, but was a bucket once, is replaced by that of
 * a full one.
 */
static const char *
change_locked(struct budget_file *budget, int file, struct change *change)
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
		read_boot(boot);
	budget_refill(&bucket, rules, read_time(), boot);
	if (budget->owes)
		budget_give(&bucket, rules, budget->owed);
	budget->owes = false;
	if (change->takes)
		change->taken = budget_take(&bucket, rules, change->throttled);

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
 * Makes the change, and gives back what is owed.  Returns NULL, or what is
 * wrong.
 *
 * The file is opened again each time, since it may have been removed.
 */
static const char *
make_change(struct budget_file *budget, struct change *change)
{
	const int file = open_locked(budget->name);

	change->locked = file == -1 && errno == EWOULDBLOCK;
	if (file == -1)
		return file_problem(errno);
	const char *problem = file_check(file);
	if (problem == NULL)
		problem = change_locked(budget, file, change);
	close(file);
	return problem;
}

static void
budget_complain(const struct budget_file *budget, const char *problem,
    const char *consequence)
{
	char safe[128];

	say(budget->messages, "--budget: %s: %s; %s",
	    text_safe(budget->name, safe, sizeof(safe)), problem, consequence);
}

enum answer
budget_file_take(struct budget_file *budget, bool throttled, int64_t *paid)
{
	struct change change = { .takes = true, .throttled = throttled };
	const double now = events_time(CLOCK_MONOTONIC);
	const char *problem = make_change(budget, &change);

	if (change.locked) {
		if (budget->give_up_at == 0)
			budget->give_up_at = now + LOCK_PATIENCE;
		if (now < budget->give_up_at)
			return ANSWER_AGAIN;
	}
	budget->give_up_at = 0;
	*paid = 0;
	if (problem != NULL) {
		budget_complain(budget, problem, "the retry is allowed");
		return ANSWER_YES;
	}
	if (!change.taken)
		return ANSWER_NO;
	*paid = budget_price(&budget->rules, throttled);
	return ANSWER_YES;
}

/* Gives back what is owed; says so if that fails, and then owes nothing. */
static void
settle_budget(struct budget_file *budget, bool waits)
{
	struct change change = { .takes = false };
	const char *problem = make_change(budget, &change);

	if (problem == NULL || (waits && change.locked))
		return;
	budget->owes = false;
	budget_complain(budget, problem, "nothing is given back");
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
