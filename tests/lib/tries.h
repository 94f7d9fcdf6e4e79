/* SPDX-License-Identifier: MIT */

/*
 * A driver that chooses what happens, and when, and the laws that must hold in
 * each run.  Who includes this defines MUST(condition), which says that a law
 * was broken, and choose(count), a number below `count`: 0 is what usually
 * happens.  try.left is where a run is left that lasts too long.
 */

#ifndef TRIES_H
#define TRIES_H

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#include "options/options.h"
#include "core/run.h"

/* What is going on, of which only one thing is at a time. */
enum doing {
	DOING_NOTHING,
	DOING_PROCESS, /* it runs, or something that it has left */
	DOING_COLLECTION,
	DOING_DROPPED, /* one of which nothing more is heard */
	DOING_READING, /* standard input */
	DOING_DELIVERY,
	DOING_WAIT
};

static struct {
	struct options options;
	const struct policy *policy;
	struct run *run;
	jmp_buf left;
	/* A run is left after so many seconds or attempts. */
	double seconds_most;
	uint64_t attempts_most;
	size_t events; /* of all runs */

	double now;
	enum doing doing;
	enum task task;
	bool exited, probes, killed;
	int asked;	/* signals that asked the process to end */
	bool signalled; /* by what ends the run */
	bool failed;	/* `retry` itself */
	bool locked;	/* the state, by another run */
	uint64_t attempts, ended, judged;
	int64_t paid; /* for what has not succeeded yet */
	int ends;
} try;

static int choose(int count);

/* --- laws --- */

static double
end_of_run(void)
{
	return try.policy->max_time > 0
	    ? try.policy->splay + try.policy->max_time
	    : INFINITY;
}

static void
check_attempt(const struct record *record)
{
	const uint64_t limit = record->policy->limits.attempts;

	MUST(record->attempt.number == ++try.attempts);
	MUST(limit == 0 || record->used <= limit);
	MUST(!try.signalled && !try.failed && try.ends == 0);
	MUST(try.now < end_of_run());
	MUST(record->attempt.timeout > 0);
	MUST(try.now + record->attempt.timeout <= end_of_run() + 1e-9);
	MUST(record->end.ended_by == 0);
}

static void
check_wait(const struct record *record)
{
	const struct delay *delay = &record->wait.delay;

	MUST(record->wait.lasts);
	MUST(delay->nominal >= 0 && isfinite(delay->nominal));
	MUST(delay->low >= 0 && delay->low <= delay->seconds);
	MUST(delay->seconds <= delay->high && isfinite(delay->high));
	MUST(delay->seconds >= record->last.hint);
	MUST(record->wait.due < end_of_run());
	MUST(record->wait.due <= try.now + delay->seconds);
	MUST(isfinite(record->wait.total) && record->wait.total >= 0);
}

static void
check_end(const struct record *record)
{
	const bool preserves = try.policy->preserve_status;

	MUST(++try.ends == 1);
	MUST(record->end.reason != REASON_NONE);
	MUST(record->end.status >= 0 && record->end.status <= 255);
	MUST(record->end.death == 0 ||
	    record->end.status == 128 + record->end.death);
	if (record->end.status == 0 && !preserves)
		MUST(record->end.reason == REASON_SUCCESS ||
		    record->end.reason == REASON_SIGNAL ||
		    (record->end.reason == REASON_GATE &&
			record->last.judgement.verdict == VERDICT_SUCCESS) ||
		    record->end.tolerated);
	if (record->end.reason == REASON_SUCCESS)
		MUST(record->end.status == 0 || preserves);
	if (record->end.reason == REASON_ERROR)
		MUST(record->end.death == 0 || record->end.death == SIGPIPE);
	/* The last of them decides. */
	if (try.failed || try.signalled)
		MUST((try.failed && record->end.reason == REASON_ERROR) ||
		    (try.signalled && record->end.reason == REASON_SIGNAL));
	MUST(record->failures <= record->attempt.number);
	/* Each attempt that has an outcome is told once. */
	MUST(try.judged == try.ended);
}

/* What reports show of this moment, if something else happens next. */
static void
check_moment(void)
{
	const struct record record = run_record(try.run, try.now);
	const bool busy =
	    try.doing == DOING_PROCESS || try.doing == DOING_COLLECTION;

	MUST(record.attempt.runs == (busy && try.task == TASK_ATTEMPT));
	MUST(record.wait.lasts == (try.doing == DOING_WAIT));
	if (record.locked)
		MUST(!busy && try.attempts == 0);
}

/* --- the driver --- */

/* What may happen next. */
struct hap {
	struct event event;
	double after; /* seconds */
};

#define HAPS 40

struct haps {
	struct hap rows[HAPS];
	int count;
};

/* At once, or after a while; not after the timer. */
static void
add(struct haps *haps, double until, struct event event)
{
	static const double afters[] = { 0, 0.5, 1 };

	event.active = -1;
	for (size_t i = 0; i < sizeof(afters) / sizeof(*afters); i++)
		if (afters[i] == 0 || try.now + afters[i] < until)
			haps->rows[haps->count++] =
			    (struct hap){ event, afters[i] };
}

static void
add_timer(struct haps *haps, double until)
{
	if (until < INFINITY)
		haps->rows[haps->count++] =
		    (struct hap){ { .kind = EVENT_TIMER, .active = -1 },
			    fmax(until - try.now, 0) };
}

static struct event
next(struct host *host, double until)
{
	static const struct {
		int number;
		bool ends_run;
	} signals[] = {
		{ SIGTERM, true }, { SIGURG, false },
		{ SIGHUP, false }, /* a reload */
	};
	struct haps haps = { .count = 0 };

	(void)host;
	MUST(!isnan(until));
	check_moment();
	if (try.now > try.seconds_most || try.attempts > try.attempts_most)
		longjmp(try.left, 1);
	if (try.doing == DOING_WAIT)
		add_timer(&haps, until);
	if (try.doing == DOING_PROCESS)
		add(&haps, until,
		    (struct event){
			.kind = try.exited ? EVENT_REAPED : EVENT_EXITED });
	if (try.doing == DOING_COLLECTION || try.doing == DOING_DELIVERY ||
	    try.doing == DOING_READING)
		add(&haps, until, (struct event){ .kind = EVENT_DONE });
	if (try.doing != DOING_WAIT)
		add_timer(&haps, until);
	/* What is waited for may come, or the run never ends. */
	MUST(haps.count > 0);
	if (try.doing == DOING_WAIT)
		add(&haps, until, (struct event){ .kind = EVENT_DATE });
	for (int status = 0; try.probes && status < 2; status++)
		add(&haps, until,
		    (struct event){ .kind = EVENT_PROBED,
			.probe = { .kind = OUTCOME_EXIT, .code = status } });
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		add(&haps, until,
		    (struct event){ .kind = EVENT_SIGNAL,
			.signal = signals[i].number,
			.ends_run = signals[i].ends_run });
	add(&haps, until, (struct event){ .kind = EVENT_ERROR });
	add(&haps, until,
	    (struct event){ .kind = EVENT_ERROR, .signal = SIGPIPE });
	if (try.doing != DOING_PROCESS || !try.exited)
		add(&haps, until, (struct event){ .kind = EVENT_REAPED });

	struct hap hap = haps.rows[choose(haps.count)];
	try.now += hap.after;
	if (hap.event.kind == EVENT_TIMER)
		try.now = fmax(try.now, until);
	hap.event.now = try.now;
	try.events++;
	switch (hap.event.kind) {
	case EVENT_EXITED:
		try.exited = true;
		break;
	case EVENT_PROBED:
		try.probes = false;
		break;
	case EVENT_SIGNAL:
		/* A success stays one if all of its output goes out. */
		try.signalled |= hap.event.ends_run && try.ends == 0 &&
		    (try.doing != DOING_DELIVERY ||
			run_record(try.run, try.now).end.reason !=
			    REASON_SUCCESS);
		break;
	case EVENT_ERROR:
		try.failed |= try.ends == 0;
		break;
	case EVENT_DONE:
	case EVENT_TIMER:
	case EVENT_REAPED:
	case EVENT_DATE:
	case EVENT_PLANNED:
		break;
	}
	return hap.event;
}

static double
now(struct host *host)
{
	(void)host;
	return try.now;
}

static void
tell(struct host *host, struct record *record)
{
	(void)host;
	MUST(try.ends == 0);
	if (record->kind == RECORD_OUTCOME) {
		MUST(record->last.judgement.verdict != VERDICT_NONE);
		try.judged++;
	}
	if (record->kind == RECORD_WAIT) {
		try.doing = DOING_WAIT;
		check_wait(record);
	}
	if (record->kind == RECORD_END)
		check_end(record);
	if (record->kind == RECORD_END || record->kind == RECORD_WAIT)
		MUST(record->paid == try.paid);
}

static struct started
start(struct host *host, enum task task, struct record *record)
{
	(void)host;
	if (task == TASK_PROBE) {
		MUST(!try.probes && try.doing == DOING_PROCESS);
		MUST(try.task == TASK_ATTEMPT && !try.exited);
		if (choose(2) == 1)
			return (struct started){ .error = EAGAIN };
		try.probes = true;
		return (struct started){ .runs = true };
	}
	MUST(!try.probes);
	if (task == TASK_ATTEMPT)
		check_attempt(record);
	switch (choose(3)) {
	case 1:
		if (task == TASK_ATTEMPT)
			try.ended++;
		else
			try.failed |= try.ends == 0;
		try.doing = DOING_NOTHING;
		return (struct started){ .error = EAGAIN };
	case 2:
		try.failed |= try.ends == 0;
		try.doing = DOING_NOTHING;
		return (struct started){ .death = SIGPIPE };
	}
	try.doing = DOING_PROCESS;
	try.task = task;
	try.exited = try.killed = false;
	try.asked = 0;
	return (struct started){ .runs = true };
}

static void
signal_process(struct host *host, int number)
{
	(void)host;
	MUST(try.doing == DOING_PROCESS && !try.probes);
	MUST(number == SIGKILL || number == try.policy->signal);
	/* It has got the signal that ends the run, and drains. */
	if (number != SIGKILL)
		MUST(++try.asked == 1 && !try.killed &&
		    (!try.signalled || try.failed || try.exited));
	try.killed |= number == SIGKILL;
}

static bool
is_gone(struct host *host)
{
	(void)host;
	MUST(try.doing == DOING_PROCESS && try.exited);
	return choose(2) == 0;
}

static void
abandon(struct host *host)
{
	(void)host;
	MUST(try.doing == DOING_PROCESS);
}

static bool
collect(struct host *host)
{
	(void)host;
	MUST(try.doing == DOING_PROCESS && !try.probes);
	try.doing = DOING_COLLECTION;
	return choose(2) == 0;
}

static void
drop_output(struct host *host)
{
	(void)host;
	MUST(try.doing == DOING_COLLECTION);
	try.doing = DOING_DROPPED;
}

static bool
is_collected(void)
{
	return try.doing == DOING_COLLECTION || try.doing == DOING_DROPPED;
}

static void
note_attempt(struct host *host, struct ended *ended)
{
	static const struct outcome outcomes[] = {
		{ .kind = OUTCOME_EXIT, .code = 1 },
		{ .kind = OUTCOME_EXIT, .code = 0 },
		{ .kind = OUTCOME_EXIT, .code = 4 },
		{ .kind = OUTCOME_EXIT, .code = 9 },
		{ .kind = OUTCOME_SIGNAL, .code = SIGTERM },
		{ .kind = OUTCOME_UNSTARTABLE, .code = ENOENT },
	};
	const unsigned int matches = try.policy->rules.matches;

	(void)host;
	MUST(is_collected() && try.task == TASK_ATTEMPT);
	try.doing = DOING_NOTHING;
	try.ended++;
	ended->returned =
	    outcomes[choose(sizeof(outcomes) / sizeof(*outcomes))];
	if (matches != 0)
		ended->matched =
		    (unsigned int)choose((int)matches + 1) & matches;
	if (try.policy->hints)
		ended->hint = (const double[]){ -1, 2, 5000 }[choose(3)];
}

static enum answer
answer(struct host *host)
{
	static const enum answer answers[] = { ANSWER_YES, ANSWER_AGAIN,
		ANSWER_NO, ANSWER_NONE };
	(void)host;
	MUST(is_collected() && try.task != TASK_ATTEMPT);
	try.doing = DOING_NOTHING;
	const enum answer given = answers[choose(4)];
	try.failed |= given == ANSWER_NONE && try.ends == 0;
	return given;
}

static void
end_probe(struct host *host, bool waits)
{
	(void)host;
	MUST(try.probes || !waits);
	try.probes &= waits;
}

static enum answer
lock(struct host *host, struct state *state)
{
	static const enum answer answers[] = { ANSWER_YES, ANSWER_AGAIN,
		ANSWER_NO, ANSWER_NONE };
	(void)host;
	const int choice = choose(5);

	if (choice == 4)
		*state = (struct state){ .n = 2,
			.given_up = 1,
			.delay = 2,
			.level = { .value = 2, .previous = 2, .begun = true } };
	if (choice == 3)
		try.failed = true;
	return answers[choice % 4];
}

static bool
save(struct host *host, const struct state *state)
{
	(void)host;
	MUST(try.policy->remember && try.ends == 0);
	MUST(state->age >= 0);
	const bool saved = choose(2) == 0;

	try.failed |= !saved;
	return saved;
}

static bool
read_input(struct host *host)
{
	(void)host;
	MUST(try.attempts == 0);
	try.doing = DOING_READING;
	return choose(2) == 0;
}

static enum answer
pay(struct host *host, bool throttled, int64_t *paid)
{
	static const enum answer answers[] = { ANSWER_YES, ANSWER_NO,
		ANSWER_AGAIN };
	(void)host, (void)throttled;
	const enum answer given = answers[choose(3)];

	if (given != ANSWER_AGAIN)
		*paid = try.paid = given == ANSWER_YES ? 1000 : 0;
	return given;
}

static void
give(struct host *host, int64_t paid)
{
	(void)host;
	MUST(try.policy->budget && paid == try.paid);
	try.paid = 0;
}

static bool
deliver(struct host *host, struct record *record)
{
	(void)host;
	MUST(try.policy->delivery != DELIVERY_NONE && !record->wait.lasts);
	try.doing = DOING_DELIVERY;
	return choose(2) == 0;
}

static double
unread_since(struct host *host)
{
	(void)host;
	MUST(try.doing == DOING_COLLECTION || try.doing == DOING_DELIVERY);
	if (choose(2) == 1)
		return try.now;
	return try.doing == DOING_COLLECTION ? INFINITY : -INFINITY;
}

static void
begin_wait(struct host *host, bool hint_decides, double seconds)
{
	(void)host, (void)hint_decides;
	MUST(isfinite(seconds));
}

static const struct driver driver = {
	.next = next,
	.now = now,
	.tell = tell,
	.start = start,
	.signal = signal_process,
	.is_gone = is_gone,
	.abandon = abandon,
	.drop_output = drop_output,
	.collect = collect,
	.note_attempt = note_attempt,
	.answer = answer,
	.end_probe = end_probe,
	.lock = lock,
	.save = save,
	.read_input = read_input,
	.pay = pay,
	.give = give,
	.deliver = deliver,
	.unread_since = unread_since,
	.begin_wait = begin_wait,
};

/* Makes one run of the policy. */
static inline void
try_run(void)
{
	try.now = 0;
	try.doing = DOING_NOTHING;
	try.task = TASK_ATTEMPT;
	try.exited = try.probes = try.signalled = try.failed = false;
	try.attempts = try.ended = try.judged = 0;
	try.ends = 0;
	try.paid = 0;
	const struct random random = { .seed = try.options.style.seed };
	try.run = run_open(try.policy, random, &driver, NULL);
	if (try.run == NULL)
		abort();
	if (setjmp(try.left) == 0) {
		while (run_step(try.run))
			continue;
		MUST(try.ends == 1);
	}
	run_close(try.run);
}

#endif
