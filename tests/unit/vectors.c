/* SPDX-License-Identifier: MIT */

/*
 * The figures that other implementations of the same strategies computed: see
 * data/README.  Rows that retry rules out are counted, so that no more of them
 * go by unseen.
 */

#include "drive.h"
#include "tap.h"

#define MOST 64

/* The events of the longest series. */
#define EVENTS_MOST 1100

static struct {
	int checked, ruled_out;
} rows;

/* How far `got` is from `want`, as a share of it. */
static double
distance(double got, double want)
{
	if (got == want)
		return 0;
	return fabs(got - want) / fabs(want);
}

#define NEAR(got, want, tolerance) \
	do { \
		if (!CHECK(distance((got), (want)) <= (tolerance))) \
			printf("#     got: %.17g\n#     wanted: %.17g\n", \
			    (got), (want)); \
	} while (0)

/* The number of `name` in "name=value;name=value", or `otherwise`. */
static double
param(const char *params, const char *name, double otherwise)
{
	const size_t length = strlen(name);

	for (; params != NULL; params = strchr(params, ';')) {
		params += *params == ';';
		if (strncmp(params, name, length) == 0 && params[length] == '=')
			return strtod(params + length + 1, NULL);
	}
	return otherwise;
}

static size_t
numbers(const char *list, double values[MOST])
{
	size_t count = 0;

	while (count < MOST && tsv_number(&list, &values[count]))
		count++;
	return count;
}

static void
count_rows(int checked, int ruled_out)
{
	tap.row[0] = '\0';
	CHECK_INT(rows.checked, checked);
	CHECK_INT(rows.ruled_out, ruled_out);
	rows.checked = rows.ruled_out = 0;
}

/*
 * Algorithm::Backoff: each row is a series of failures (0) and successes (1)
 * with the time of each, and the delay after it or -1 to give up.
 */
struct perl {
	const char *file, *strategy, *base, *params[BACKOFF_PARAMS];
};

static struct policy
perl_policy(const struct perl *perl, const char *params)
{
	struct policy policy = drive_policy(perl->strategy);
	const double ratio = param(params, "jitter_factor", 0);
	struct backoff *backoff = &policy.backoff;

	backoff->base = param(params, perl->base, 1);
	/* The module limits a jittered delay after the draw alone. */
	backoff->min = ratio > 0 ? 0 : param(params, "min_delay", 0);
	backoff->cap =
	    ratio > 0 ? DURATION_MAX : param(params, "max_delay", DURATION_MAX);
	backoff->most = backoff->cap < DURATION_MAX ? backoff->cap : 0;
	for (int i = 0; i < BACKOFF_PARAMS; i++)
		if (perl->params[i] != NULL) {
			backoff->params[i] =
			    param(params, perl->params[i], NAN);
			backoff->param_given[i] = !isnan(backoff->params[i]);
		}
	if (ratio > 0) {
		policy.jitter = drive_jitter("1", JITTER_BEFORE_CAP);
		policy.jitter.amount = ratio;
	}
	policy.limits.attempts = (uint64_t)param(params, "max_attempts", 0);
	policy.max_time = param(params, "max_actual_duration", 0);
	policy.success_delay = param(params, "delay_on_success", 0);
	policy.repeat = true;
	return policy;
}

/* Whether retry does what the row asks for; else data/README says why not. */
static bool
perl_applies(const struct perl *perl, char **fields)
{
	const double jitter = param(fields[1], "jitter_factor", 0);

	if (param(fields[1], "consider_actual_delay", 0) != 0)
		return false;
	if (param(fields[1], "min_delay", 0) >
	    param(fields[1], "max_delay", INFINITY))
		return false;
	if (jitter > 0 && drive_strategy(perl->strategy)->keeps_level)
		return false;
	return jitter <= 1 && strstr(fields[4], "DIE") == NULL;
}

/*
 * Ends the attempt at the row's time, whatever was to be waited before: a
 * signal cuts the wait short.  True if the run goes on.
 */
static bool
perl_event(struct drive *drive, int succeeds, double when)
{
	if (drive->action.kind == ACTION_WAIT) {
		drive->now = fmin(when, drive->action.wake);
		drive_signal(drive, SIGURG);
	}
	CHECK_INT(drive->action.kind, ACTION_RUN);
	drive->now = when;
	return drive_exit(drive, succeeds ? 0 : 1) == ACTION_WAIT;
}

static void
perl_row(const struct perl *perl, char **fields)
{
	struct drive drive = { .policy = perl_policy(perl, fields[1]) };
	const double end =
	    drive.policy.max_time > 0 ? drive.policy.max_time : INFINITY;
	const char *events = fields[2], *expected = fields[4];
	double chances[MOST] = { 0.5 }, drawn[EVENTS_MOST] = { 0 }, want;
	size_t used = 0, event = 0, count = numbers(fields[3], chances);

	drive.random.script = drawn;
	drive.random.script_length = EVENTS_MOST;
	drive_start(&drive);
	while (tsv_number(&expected, &want)) {
		char *at;
		const bool succeeds = strtol(events, &at, 10) == 1;
		const double when = strtod(at + 1, &at);

		events = at;
		drawn[event++] = chances[count > 0 ? used % count : 0];
		/* It draws nothing for a delay of 0. */
		used += (succeeds ? drive.policy.success_delay
				  : drive.policy.backoff.base) != 0;
		const bool goes_on = perl_event(&drive, succeeds, when);
		/* retry begins no wait that would end past its limit. */
		if (!CHECK_INT(goes_on, want >= 0 && when + want < end) ||
		    !goes_on)
			return;
		const double delay = fmax(drive.run.wait.delay.seconds,
		    param(fields[1], "min_delay", 0));
		NEAR(fmin(delay, param(fields[1], "max_delay", INFINITY)), want,
		    1e-12);
	}
}

TEST(algorithm_backoff_computed_the_same_delays)
{
	static const struct perl perls[] = {
		{ "perl-constant.tsv", "constant", "delay", { NULL } },
		{ "perl-exponential.tsv", "exponential", "initial_delay",
		    { "exponent_base" } },
		{ "perl-fibonacci.tsv", "fibonacci", "initial_delay1",
		    { "initial_delay2" } },
		{ "perl-lild.tsv", "lild", "initial_delay",
		    { "delay_increment_on_failure",
			"delay_increment_on_success" } },
		{ "perl-limd.tsv", "limd", "initial_delay",
		    { "delay_increment_on_failure",
			"delay_multiple_on_success" } },
		{ "perl-mild.tsv", "mild", "initial_delay",
		    { "delay_multiple_on_failure",
			"delay_increment_on_success" } },
		{ "perl-mimd.tsv", "mimd", "initial_delay",
		    { "delay_multiple_on_failure",
			"delay_multiple_on_success" } },
	};

	for (size_t i = 0; i < COUNT(perls); i++) {
		struct tsv tsv = tsv_open(perls[i].file);

		while (tsv_next(&tsv))
			if (perl_applies(&perls[i], tsv.fields)) {
				perl_row(&perls[i], tsv.fields);
				rows.checked++;
			} else
				rows.ruled_out++;
	}
	count_rows(225, 90);
}

/*
 * Algorithm::Backoff::RetryTimeouts: the limits of attempts, each a share of
 * what is left.  The delays are taken from the row, since it shrinks them.
 */
static void
retry_timeouts_row(char **fields)
{
	struct drive drive = { .policy = drive_policy("list") };
	struct policy *policy = &drive.policy;
	double whens[MOST], delays[MOST], timeouts[MOST];
	const size_t count = numbers(fields[5], whens);
	double want = strtod(fields[4], NULL);

	numbers(fields[6], delays);
	numbers(fields[7], timeouts);
	policy->backoff.values = delays;
	policy->backoff.count = count;
	policy->max_time = param(fields[1], "max_actual_duration", 50);
	policy->timeout_share = param(fields[1], "adjust_timeout_factor", 0.5);
	policy->min_timeout = param(fields[1], "min_adjust_timeout", 5);
	drive_start(&drive);
	for (size_t i = 0; i < count; i++) {
		const double left = policy->max_time - drive.now;

		/* Without a limit on the run there is nothing to share. */
		if (want < 0)
			CHECK(isinf(drive.run.attempt.timeout));
		else
			CHECK_DBL(drive.run.attempt.timeout, fmin(want, left),
			    1e-12);
		if (delays[i] < 0)
			return;
		drive.now = whens[i];
		drive_exit(&drive, 1);
		drive_timer(&drive);
		want = timeouts[i];
	}
}

TEST(retry_timeouts_computed_the_same_limits)
{
	struct tsv tsv = tsv_open("perl-retrytimeouts.tsv");

	while (tsv_next(&tsv))
		if (param(tsv.fields[1], "timeout_jitter_factor", 0.1) > 0)
			rows.ruled_out++;
		else {
			retry_timeouts_row(tsv.fields);
			rows.checked++;
		}
	count_rows(9, 2);
}

/*
 * EventSauce counts in whole microseconds: it rounds down, and its draws have
 * one possible result more.
 */
static struct policy
eventsauce_policy(const char *name, const char *params)
{
	const char *jitter = strstr(params, "jitter=");
	const bool fails = strncmp(name, "fail", 4) == 0;
	struct policy policy = drive_policy("constant");
	double amount;

	for (const struct strategy *row = strategies; row->name != NULL; row++)
		if (strncmp(name, row->name, strlen(row->name)) == 0)
			policy.backoff.strategy = row;
	policy.backoff.base = param(params, "initial", 0);
	policy.backoff.cap = param(params, "maxDelay", 1e18);
	policy.backoff.most = policy.backoff.cap;
	policy.backoff.params[0] = param(params, "base", NAN);
	policy.backoff.param_given[0] = !isnan(policy.backoff.params[0]);
	policy.limits.attempts = (uint64_t)(param(params, "maxTries", 0) + 1);
	if (fails)
		policy.limits.attempts = 1;
	if (jitter == NULL)
		return policy;
	if (sscanf(jitter, "jitter=scattered(%lf)", &amount) == 1) {
		policy.jitter = drive_jitter("1", JITTER_AFTER_CAP);
		policy.jitter.amount = amount;
	} else
		policy.jitter =
		    drive_jitter(jitter + strlen("jitter="), JITTER_AFTER_CAP);
	return policy;
}

static void
eventsauce_row(char **fields)
{
	struct drive drive = { .policy =
				   eventsauce_policy(fields[0], fields[1]) };
	double chances[MOST];
	char *save = NULL;

	drive.random.script = chances;
	drive.random.script_length = numbers(fields[3], chances);
	drive_start(&drive);
	for (char *want = strtok_r(fields[4], " ", &save); want != NULL;
	     want = strtok_r(NULL, " ", &save)) {
		const bool gives_up = strcmp(want, "THROW") == 0;

		if (!CHECK_INT(drive_exit(&drive, 1),
			gives_up ? ACTION_FINISH : ACTION_WAIT) ||
		    gives_up)
			return;
		const double sleep =
		    strcmp(want, "nosleep") == 0 ? 0 : strtod(want, NULL);
		CHECK(fabs(drive.run.wait.delay.seconds - sleep) < 2);
		drive_timer(&drive);
	}
}

TEST(eventsauce_computed_the_same_delays)
{
	struct tsv tsv = tsv_open("eventsauce.tsv");

	while (tsv_next(&tsv))
		if (strstr(tsv.fields[1], "after_threshold") != NULL ||
		    strcmp(tsv.fields[0], "fibonacci-021") == 0)
			rows.ruled_out++;
		else {
			eventsauce_row(tsv.fields);
			rows.checked++;
		}
	count_rows(24, 4);
}

/* Fails over and over; each wait is held against the list. */
static void
check_waits(struct drive *drive, const char *chances, const char *delays,
    double tolerance)
{
	double script[MOST], want;

	drive->random.script = script;
	drive->random.script_length = numbers(chances, script);
	drive_start(drive);
	while (tsv_number(&delays, &want)) {
		CHECK_INT(drive_exit(drive, 1), ACTION_WAIT);
		NEAR(drive->run.wait.delay.seconds, want, tolerance);
		drive_timer(drive);
	}
}

static void
grpc_row(char **fields)
{
	struct drive drive = { .policy = drive_policy("exponential") };
	struct policy *policy = &drive.policy;

	policy->backoff.base = param(fields[2], "initial", 1);
	policy->backoff.cap = param(fields[2], "max", 120);
	policy->backoff.most = policy->backoff.cap;
	policy->backoff.params[0] = param(fields[2], "multiplier", 1.6);
	policy->backoff.param_given[0] = true;
	policy->jitter = drive_jitter("1", JITTER_AFTER_CAP);
	policy->jitter.amount = param(fields[2], "jitter", 0.2);
	check_waits(&drive, fields[3], fields[4], 1e-12);
}

/* The document jitters and caps all but the first delay, its code all. */
static bool
grpc_applies(char **fields)
{
	const char *params = fields[2];

	if (strcmp(fields[1], "core") == 0)
		return true;
	if (param(params, "initial", 0) > param(params, "max", 0))
		return false;
	return param(params, "jitter", 0) == 0 || strcmp(fields[3], "0.5") == 0;
}

TEST(grpc_computed_the_same_delays)
{
	struct tsv tsv = tsv_open("grpc-backoff.tsv");

	while (tsv_next(&tsv))
		if (grpc_applies(tsv.fields)) {
			grpc_row(tsv.fields);
			rows.checked++;
		} else
			rows.ruled_out++;
	count_rows(33, 7);
}

/* Attempts begin, are limited and end when gRPC's do. */
static void
grpc_deadline_row(char **fields)
{
	struct drive drive = { .policy = drive_policy("exponential") };
	struct policy *policy = &drive.policy;
	double durations[MOST], starts[MOST], timeouts[MOST], ends[MOST],
	    nexts[MOST];
	const size_t count = numbers(fields[2], durations);

	numbers(fields[3], starts);
	numbers(fields[4], timeouts);
	numbers(fields[5], ends);
	numbers(fields[6], nexts);
	policy->backoff.cap = param(fields[1], "max", 0);
	policy->backoff.most = policy->backoff.cap;
	policy->backoff.params[0] = param(fields[1], "multiplier", 0);
	policy->backoff.param_given[0] = true;
	policy->pace_start = true;
	policy->min_timeout = param(fields[1], "min_connect_timeout", 0);
	drive_start(&drive);
	for (size_t i = 0; i < count; i++) {
		struct outcome outcome = { OUTCOME_EXIT, 1 };

		CHECK_INT(drive.action.kind, ACTION_RUN);
		CHECK_DBL(drive.now, starts[i], 1e-9);
		CHECK_DBL(drive.run.attempt.timeout, timeouts[i], 1e-9);
		if (drive.now + durations[i] >= drive.action.wake) {
			CHECK_INT(drive_timer(&drive), ACTION_KILL);
			outcome.kind = OUTCOME_TIMEOUT;
		} else
			drive.now += durations[i];
		CHECK_DBL(drive.now, ends[i], 1e-9);
		CHECK_INT(drive_end(&drive, outcome, -1), ACTION_WAIT);
		CHECK_DBL(drive.action.wake, nexts[i], 1e-9);
		drive_timer(&drive);
	}
}

TEST(grpc_began_and_ended_its_attempts_at_the_same_times)
{
	struct tsv tsv = tsv_open("grpc-deadline.tsv");

	while (tsv_next(&tsv)) {
		grpc_deadline_row(tsv.fields);
		rows.checked++;
	}
	count_rows(5, 0);
}

/* The simulator of "Exponential Backoff And Jitter"; its first n is 0 or 1. */
static void
aws_jitter_row(char **fields)
{
	static const struct {
		const char *algorithm, *strategy, *jitter;
		double params[BACKOFF_PARAMS];
	} kinds[] = {
		{ "Exponential", "exponential", "none", { 2 } },
		{ "EqualJitter", "exponential", "equal", { 2 } },
		{ "FullJitter", "exponential", "full", { 2 } },
		{ "Decorr", "decorrelated", "none", { 3, 1 } },
		{ "None", "constant", "none", { 0 } },
	};
	struct backoff backoff = { .base = param(fields[2], "base", 0),
		.cap = param(fields[2], "cap", 0),
		.most = param(fields[2], "cap", 0) };
	const char *exponents = fields[3], *delays = fields[5];
	struct level level = { 0 };
	struct jitter jitter;
	double chances[MOST], exponent, want;
	const size_t count = numbers(fields[4], chances);
	size_t kind = 0;

	while (strcmp(kinds[kind].algorithm, fields[1]) != 0)
		kind++;
	backoff.strategy = drive_strategy(kinds[kind].strategy);
	for (int i = 0; i < BACKOFF_PARAMS; i++) {
		backoff.params[i] = kinds[kind].params[i];
		backoff.param_given[i] = true;
	}
	if (backoff.strategy == drive_strategy("constant"))
		backoff.base = 0;
	jitter = drive_jitter(kinds[kind].jitter, JITTER_INSIDE);
	for (size_t i = 0; tsv_number(&exponents, &exponent); i++) {
		const uint64_t n =
		    backoff.strategy->random ? i + 1 : (uint64_t)exponent + 1;
		const double u = chances[i % count];

		CHECK(tsv_number(&delays, &want));
		NEAR(jitter_delay(&jitter, &backoff,
			 backoff_nominal(&backoff, &level, n, u), u),
		    want, 1e-12);
	}
}

TEST(the_simulator_of_aws_computed_the_same_delays)
{
	struct tsv tsv = tsv_open("aws-jitter.tsv");

	while (tsv_next(&tsv)) {
		aws_jitter_row(tsv.fields);
		rows.checked++;
	}
	count_rows(210, 0);
}

/* A hint of the server is a minimum; the SDK also holds it to 5 s more. */
static void
aws_sdk_hint(char **fields)
{
	struct drive drive = { .policy = drive_policy("exponential") };
	const double hint = param(fields[1], "retry_after", 0);

	if (hint > 5) {
		rows.ruled_out++;
		return;
	}
	drive.policy.backoff.base = 0.05;
	drive_start(&drive);
	drive_end(&drive, (struct outcome){ OUTCOME_EXIT, 1 }, hint);
	NEAR(drive.run.wait.delay.seconds, strtod(fields[3], NULL), 1e-12);
	rows.checked++;
}

TEST(the_sdk_of_aws_computed_the_same_delays)
{
	struct tsv tsv = tsv_open("aws-sdk-standard.tsv");

	while (tsv_next(&tsv)) {
		struct drive drive = { .policy = drive_policy("exponential") };
		struct backoff *backoff = &drive.policy.backoff;

		if (strcmp(tsv.fields[0], "retry_after") == 0) {
			aws_sdk_hint(tsv.fields);
			continue;
		}
		backoff->base = param(tsv.fields[1], "base",
		    param(tsv.fields[1], "scale", 0));
		backoff->cap = param(tsv.fields[1], "max", 0);
		backoff->most = backoff->cap;
		drive.policy.jitter = drive_jitter("full", JITTER_INSIDE);
		check_waits(&drive, tsv.fields[2], tsv.fields[3], 1e-12);
		rows.checked++;
	}
	count_rows(11, 1);
}

TEST(ethernet_draws_the_same_slots)
{
	struct tsv tsv = tsv_open("ethernet-beb-samples.tsv");

	while (tsv_next(&tsv)) {
		struct drive drive = { .policy = drive_policy("slots") };

		drive.policy.backoff.base = 51.2;
		check_waits(&drive, tsv.fields[0], tsv.fields[2], 1e-12);
		rows.checked++;
	}
	count_rows(7, 0);
}

/* The figures have twelve digits. */
TEST(polly_computed_the_same_delays)
{
	struct tsv tsv = tsv_open("polly-v2.tsv");

	while (tsv_next(&tsv)) {
		struct drive drive = { .policy = drive_policy("smooth") };

		check_waits(&drive, tsv.fields[2], tsv.fields[3], 1e-11);
		rows.checked++;
	}
	count_rows(5, 0);
}

/* systemd counts in whole microseconds and rounds down. */
TEST(systemd_computed_the_same_steps)
{
	struct tsv tsv = tsv_open("systemd-restartsteps.tsv");

	while (tsv_next(&tsv)) {
		struct drive drive = { .policy = drive_policy("steps") };
		struct backoff *backoff = &drive.policy.backoff;
		const char *delays = tsv.fields[3];
		double want;

		backoff->base = strtod(tsv.fields[0], NULL);
		backoff->params[0] = strtod(tsv.fields[1], NULL);
		backoff->cap = strtod(tsv.fields[2], NULL);
		backoff->param_given[0] = true;
		if (backoff->params[0] < 1 || backoff->base > backoff->cap ||
		    backoff->base == 0) {
			rows.ruled_out++;
			continue;
		}
		drive_start(&drive);
		while (tsv_number(&delays, &want)) {
			drive_exit(&drive, 1);
			CHECK_DBL(floor(drive.run.wait.delay.seconds + 1e-6),
			    want, 0);
			drive_timer(&drive);
		}
		rows.checked++;
	}
	count_rows(4, 3);
}

/* What a poll answers, as exit statuses and the rules that fit them. */
static int
polling_status(const char *answer, size_t length)
{
	static const char *const answers[] = { "SUCCESS", "NOT_READY",
		"THROTTLED", "SERVER_ERROR", "OTHER_ERROR" };
	int status = 0;

	while (strlen(answers[status]) != length ||
	    strncmp(answers[status], answer, length) != 0)
		status++;
	return status;
}

static void
polling_row(char **fields)
{
	struct drive drive = { .policy = drive_policy("exponential") };
	const bool java = strcmp(fields[1], "java") == 0;
	const int retries = atoi(fields[2]);
	const char *answers = fields[4], *waits = fields[5];
	double want;
	int status = 0;

	drive.policy.wait_first = true;
	drive.policy.backoff.base = 100;
	if (java)
		drive.policy.backoff.cap = strtod(fields[3], NULL);
	drive.policy.limits.attempts = (uint64_t)(java ? retries + 1
		: retries > 1			       ? retries
						       : 1);
	set_parse(&drive.policy.rules.stop, java ? "4" : "3,4", NULL);
	drive_start(&drive);
	while (tsv_number(&waits, &want)) {
		const size_t length = strcspn(answers, " ");

		CHECK_INT(drive.action.kind, ACTION_WAIT);
		NEAR(drive.run.wait.delay.seconds, want, 1e-12);
		CHECK_INT(drive_timer(&drive), ACTION_RUN);
		status = polling_status(answers, length);
		if (answers[length] == ' ')
			answers += length + 1;
		drive_exit(&drive, status);
	}
	CHECK_INT(drive.action.kind, ACTION_FINISH);
	CHECK_INT(status, polling_status(fields[6], strlen(fields[6])));
	CHECK_INT(drive.run.end.status, status);
	CHECK_INT(drive.run.end.reason == REASON_ATTEMPTS,
	    strcmp(fields[7], "exhausted") == 0);
}

TEST(polling_waits_before_every_poll_and_ends_alike)
{
	struct tsv tsv = tsv_open("incremental-polling.tsv");

	while (tsv_next(&tsv)) {
		polling_row(tsv.fields);
		rows.checked++;
	}
	count_rows(105, 0);
}

int
main(void)
{
	return RUN_ALL();
}
