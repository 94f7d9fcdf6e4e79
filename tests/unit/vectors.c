/* SPDX-License-Identifier: MIT */

/*
 * The figures that other implementations of the same strategies computed: see
 * data/README.
 */

#include "drive.h"
#include "plans.h"
#include "tap.h"

#define MOST 64

static size_t
numbers(const char *list, double values[MOST])
{
	size_t count = 0;

	while (count < MOST && tsv_number(&list, &values[count]))
		count++;
	return count;
}

/*
 * Ends the next attempt as `events` says, by STATUS or STATUS@TIME; the last
 * repeats.  A time within the wait before that attempt cuts the wait short.
 */
static int
note_attempt(struct drive *drive, const char **events)
{
	char *rest;
	const int status = (int)strtol(*events, &rest, 10);
	const double when = *rest == '@' ? strtod(rest + 1, &rest) : INFINITY;

	if (*rest != '\0')
		*events = rest;
	if (drive->action.kind == ACTION_WAIT && when < drive->action.wake) {
		drive->now = when;
		drive_signal(drive, SIGURG);
	} else if (drive->action.kind == ACTION_WAIT)
		drive_timer(drive);
	CHECK_INT(drive->action.kind, ACTION_RUN);
	if (when < INFINITY)
		drive->now = when;
	drive_exit(drive, status);
	return status;
}

/* A delay may differ from its figure by this share of it, or by so much. */
static void
check_row(char **fields, double share, double most)
{
	const char *events = fields[3], *delays = fields[4];
	double chances[MOST], want = 0;
	int status = 0;
	struct planned planned;

	planned_open(&planned, fields[1]);
	if (!CHECK(planned.valid))
		return;
	struct drive drive = { .policy = planned.options.policy };
	drive.random.script = chances;
	drive.random.script_length = numbers(fields[2], chances);
	drive_start(&drive);
	if (!drive.policy.wait_first)
		status = note_attempt(&drive, &events);
	while (tsv_number(&delays, &want) && want >= 0) {
		if (!CHECK_INT(drive.action.kind, ACTION_WAIT))
			break;
		const double delay = drive.run.wait.delay.seconds;
		if (!CHECK(fabs(delay - want) <= fmax(share * want, most)))
			printf("#     got: %.17g\n#     wanted: %.17g\n", delay,
			    want);
		status = note_attempt(&drive, &events);
	}
	if (want < 0) {
		CHECK_INT(drive.action.kind, ACTION_FINISH);
		CHECK_INT(drive.run.end.status, status);
	}
	planned_close(&planned);
}

TEST(each_delay_is_that_of_its_original)
{
	static const struct {
		const char *file;
		double share, most;
	} files[] = {
		{ "aws-jitter.tsv", 1e-12, 0 },
		{ "aws-sdk-standard.tsv", 1e-12, 0 },
		{ "ethernet-beb-samples.tsv", 1e-12, 0 },
		/* They count in whole microseconds, and round down. */
		{ "eventsauce.tsv", 0, 2 },
		{ "systemd-restartsteps.tsv", 0, 1 },
		{ "grpc-backoff.tsv", 1e-12, 0 },
		{ "incremental-polling.tsv", 1e-12, 0 },
		{ "perl-constant.tsv", 1e-12, 0 },
		{ "perl-exponential.tsv", 1e-12, 0 },
		{ "perl-fibonacci.tsv", 1e-12, 0 },
		{ "perl-lild.tsv", 1e-12, 0 },
		{ "perl-limd.tsv", 1e-12, 0 },
		{ "perl-mild.tsv", 1e-12, 0 },
		{ "perl-mimd.tsv", 1e-12, 0 },
		/* The figures have twelve digits. */
		{ "polly-v2.tsv", 1e-11, 0 },
	};

	for (size_t i = 0; i < COUNT(files); i++) {
		struct tsv tsv = tsv_open(files[i].file);

		CHECK(tsv_next(&tsv));
		do
			check_row(tsv.fields, files[i].share, files[i].most);
		while (tsv_next(&tsv));
	}
}

int
main(void)
{
	return RUN_ALL();
}
