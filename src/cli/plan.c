#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plan.h"
#include "cli/plan_table.h"
#include "core/duration.h"
#include "core/engine.h"
#include "core/number.h"
#include "core/text.h"

/* A plan without an end stops after the last item came this many times. */
#define PLAN_ATTEMPTS 100

/* The largest draw. */
#define ALMOST_1 (1 - 0x1p-53)

/* A plan with a chance goes on until an attempt is this unlikely. */
#define PLAN_CHANCE 1e-9
#define PLAN_ATTEMPTS_MOST 100000

/*
 * A comma list of OUTCOME[:DURATION][*COUNT]; the last item is repeated.
 * "p=CHANCE" in place of an outcome: it fails with this chance, or else
 * succeeds.
 */
struct script {
	const char *rest; /* the items that were not read; NULL: none is left */
	struct outcome failure; /* of an item that names none */

	/* The item that was read last. */
	struct outcome outcome;
	double chance;	 /* of this outcome */
	double duration; /* seconds, at least: a timeout lasts to its limit */
	bool counted;
	uint64_t left;	   /* of the count, if it has one */
	uint64_t repeated; /* how often the last one, without a count, came */
};

/* One way through the run, on which every attempt that may fail does. */
struct plan {
	struct plan_table *table; /* NULL: none */
	struct report *report;	  /* NULL: the table is only measured */
	bool slow;		  /* attempts take as long as they may */

	struct policy policy;
	struct engine *engine;
	struct script script;
	struct event event; /* the next one */
	struct outcome outcome;
	struct outcome returned; /* by the process, even after a timeout */
	bool unlimited; /* slow: something may take as long as it likes */
	struct record end;

	/* Of a script with chances. */
	const struct plan *expected; /* tells the end what to expect */
	double chance;		     /* that the run comes to this point */
	double attempts;	     /* how many there are on average */
	double elapsed; /* the average of the runs that have ended, in
			    seconds, weighed by their chance */
};

/* Any outcome that is in the set. */
static struct outcome
example_of(const struct set *set)
{
	static const struct {
		enum outcome_kind kind;
		int first, count; /* codes; after 255 comes 0 */
		bool hinted;
	} rows[] = {
		{ OUTCOME_EXIT, 1, 256, false },
		{ OUTCOME_SIGNAL, 1, 64, false },
		{ OUTCOME_TIMEOUT, 0, 1, false },
		{ OUTCOME_UNFORKED, EAGAIN, 1, false },
		{ OUTCOME_UNSTARTABLE, ENOENT, 1, false },
		{ OUTCOME_EXIT, 1, 256, true },
	};
	struct outcome outcome = { .kind = OUTCOME_NONE };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int j = 0; j < rows[i].count; j++) {
			outcome.kind = rows[i].kind;
			outcome.code = (rows[i].first + j) % 256;
			outcome.hinted = rows[i].hinted;
			if (set_has(set, outcome))
				return outcome;
		}
	return outcome;
}

/* Reads the next item, which there must be. */
static const char *
read_item(struct script *script)
{
	char item[TEXT_ITEM];
	struct set set;
	const char *problem = text_item(&script->rest, item);

	if (problem != NULL)
		return problem;
	char *star = strchr(item, '*'), *colon = strchr(item, ':');
	script->duration = 0;
	script->counted = star != NULL;
	if (star != NULL) {
		*star++ = '\0';
		if (text_count(star, &script->left) != NULL ||
		    script->left == 0)
			return "not a count";
	}
	if (colon != NULL) {
		*colon++ = '\0';
		problem = duration_parse(colon, &script->duration);
		if (problem != NULL)
			return problem;
	}
	script->chance = 1;
	script->outcome = script->failure;
	if (strncmp(item, "p=", 2) == 0)
		return duration_ratio(item + 2, &script->chance);
	problem = set_item(&set, item);
	if (problem == NULL)
		script->outcome = example_of(&set);
	return problem;
}

/* An outcome that is retried, if there is one; exit status 1, if it is. */
static struct outcome
find_failure(const struct rules *rules)
{
	struct set set = rules->retry;

	if (!rules->retry_listed)
		set_parse(&set, "any", NULL);
	set_remove(&set, &rules->success);
	set_remove(&set, &rules->stop);
	const struct outcome outcome = example_of(&set);
	return outcome.kind != OUTCOME_NONE
	    ? outcome
	    : (struct outcome){ .kind = OUTCOME_EXIT, .code = 1 };
}

const char *
plan_check(const char *script)
{
	struct script whole = { .rest = script };
	const char *problem = NULL;

	while (problem == NULL && whole.rest != NULL)
		problem = read_item(&whole);
	return problem;
}

bool
plan_has_chances(const char *script)
{
	return script != NULL && strstr(script, "p=") != NULL;
}

static bool
script_ended(const struct script *script)
{
	return script->rest == NULL && script->counted && script->left == 0;
}

/* Moves to the outcome of the next attempt. */
static void
script_next(struct script *script)
{
	if (script_ended(script))
		return;
	if ((!script->counted || script->left == 0) && script->rest != NULL)
		read_item(script);
	if (script->counted)
		script->left--;
	else if (script->rest == NULL)
		script->repeated++;
}

/*
 * The attempt ends by itself, or at its deadline.  Only one that times out is
 * silent until `silence`, when --idle-timeout ends it.
 */
static void
run_attempt(struct plan *plan, double silence)
{
	double end = plan->event.now;
	double deadline = end + engine_record(plan->engine, end).timeout;

	script_next(&plan->script);
	plan->outcome = plan->returned = plan->script.outcome;
	if (plan->outcome.kind == OUTCOME_TIMEOUT)
		deadline = silence;
	const bool limited = deadline < INFINITY;
	end += plan->script.duration;
	if (plan->outcome.kind == OUTCOME_TIMEOUT && limited)
		end = number_max(end, deadline);
	if (end >= deadline) {
		end = deadline;
		plan->outcome = (struct outcome){ .kind = OUTCOME_TIMEOUT };
		plan->returned = (struct outcome){ .kind = OUTCOME_SIGNAL,
			.code = plan->policy.signal };
		engine_step(plan->engine,
		    (struct event){ .kind = EVENT_TIMER, .now = end });
	}
	if (plan->slow && limited)
		end = deadline + plan->policy.kill_after;
	if (!limited || plan->policy.kill_after == 0)
		plan->unlimited = true;
	plan->event = (struct event){ .kind = EVENT_EXITED, .now = end };
}

/*
 * A run may go on for ever even if attempts are limited: successes and some
 * failures use up none.
 */
static bool
goes_on(const struct plan *plan)
{
	const struct script *script = &plan->script;

	if (script->chance < 1 && plan->outcome.kind != OUTCOME_TIMEOUT &&
	    plan->chance > PLAN_CHANCE && script->repeated < PLAN_ATTEMPTS_MOST)
		return false;
	return script->repeated >= PLAN_ATTEMPTS &&
	    script->repeated >= plan->policy.limits.attempts;
}

/* Finds the event that the action leads to on the imaginary clock. */
static void
follow(struct plan *plan, const struct action *action)
{
	const struct outcome outcome = plan->outcome;
	struct event event = { .now = plan->event.now };

	switch (action->kind) {
	case ACTION_RUN:
		run_attempt(plan, action->wake);
		return;
	case ACTION_ASK:
		/* A check agrees with the status; nothing else says no. */
		event.kind = EVENT_ANSWER;
		event.answer = VERDICT_SUCCESS;
		if (action->question == ASK_CHECK &&
		    !(outcome.kind == OUTCOME_EXIT && outcome.code == 0))
			event.answer = VERDICT_RETRY;
		break;
	case ACTION_CLEAN:
	case ACTION_ABANDON:
		event.kind = EVENT_CLEAN;
		break;
	case ACTION_COLLECT:
		event.kind = EVENT_ENDED;
		event.hint = outcome.hinted ? 0 : -1;
		event.evidence.outcome = plan->returned;
		event.evidence.matched =
		    set_has(&plan->policy.rules.success, outcome)
		    ? MATCH_BIT(MATCH_SUCCESS)
		    : MATCH_BIT(MATCH_RETRY);
		break;
	case ACTION_DELIVER:
		event.kind = EVENT_DELIVERED;
		break;
	case ACTION_WAIT:
		/* A wait is the last thing that a plan shows. */
		event.kind = EVENT_PLANNED;
		if (!script_ended(&plan->script) && !goes_on(plan)) {
			event.kind = EVENT_TIMER;
			event.now = action->wake;
		}
		break;
	case ACTION_NONE:
	case ACTION_KILL:
	case ACTION_FINISH:
		return;
	}
	plan->event = event;
}

/*
 * Tells a record to the logs and to the table, and weighs the times at which
 * the run ends: by success after an attempt that may fail, or at its end.
 */
static void
tell(struct plan *plan, struct record *record)
{
	const bool is_outcome = record->kind == RECORD_OUTCOME;
	const bool may_succeed =
	    is_outcome && record->outcome.kind != OUTCOME_TIMEOUT;
	double ends = may_succeed ? 1 - plan->script.chance : 0;

	if (record->kind == RECORD_ATTEMPT)
		plan->attempts += plan->chance;
	if (record->kind == RECORD_END)
		ends = 1;
	plan->elapsed += plan->chance * ends * record->elapsed;

	record->time = record->elapsed;
	if (plan->expected != NULL) {
		record->chance = plan->chance;
		record->expected_attempts = plan->expected->attempts;
		record->expected_elapsed = plan->expected->elapsed;
		if (record->kind == RECORD_END &&
		    record->reason == REASON_SUCCESS)
			record->chance = 0;
	}
	if (is_outcome)
		plan->chance *= 1 - ends;
	if (record->kind == RECORD_END)
		plan->end = *record;
	if (plan->report != NULL)
		report_tell(plan->report, record);
	/* A row for each attempt, and for a wait before the first. */
	if (plan->table != NULL &&
	    (is_outcome ||
		(record->kind == RECORD_WAIT && record->attempt == 0)))
		plan_table_row(plan->table, record);
}

/*
 * Goes through the run; not on after a write to stdout failed, so that errno
 * still says why.
 */
static void
go(struct plan *plan, const struct options *options, struct random random)
{
	const char *script = options->plan_script;
	struct step step = { .count = 0 };

	plan->policy = options->policy;
	/* --max-time would hide how long the run takes without it. */
	if (plan->slow)
		plan->policy.max_time = 0;
	plan->script = (struct script){ .rest = script,
		.failure = find_failure(&plan->policy.rules),
		.chance = 1 };
	plan->script.outcome = plan->script.failure;
	plan->chance = 1;
	plan->event.kind = EVENT_START;
	plan->engine = engine_open(&plan->policy, random);
	if (plan->engine == NULL)
		abort();
	while (step.action.kind != ACTION_FINISH && !ferror(stdout)) {
		const double now = plan->event.now;

		step = engine_step(plan->engine, plan->event);
		/* No process is started: attempts are told as they begin. */
		if (step.action.kind == ACTION_RUN) {
			struct record *record = &step.records[step.count++];

			*record = engine_record(plan->engine, now);
			record->kind = RECORD_ATTEMPT;
		}
		for (int i = 0; i < step.count; i++)
			tell(plan, &step.records[i]);
		follow(plan, &step.action);
	}
	if (plan->table != NULL)
		plan_table_end(plan->table);
	engine_close(plan->engine);
}

/* The plan's heading, in the words of the options. */
static void
print_heading(const struct options *options)
{
	const struct policy *policy = &options->policy;
	const char *jitter = options->text[OPTION_JITTER];
	char text[MESSAGE_PART];

	printf("Plan");
	if (*options->command != NULL)
		printf(" for %s", message_name(options, text));
	if (policy->limits.attempts > 0)
		printf(": at most %ju attempt%s",
		    (uintmax_t)policy->limits.attempts,
		    policy->limits.attempts == 1 ? "" : "s");
	else
		printf(": attempts without limit");
	for (size_t i = 0; i < policy->limits.count; i++)
		printf(", %.*s", policy->limits.rows[i].length,
		    policy->limits.rows[i].text);
	if (policy->max_time > 0)
		printf(" within %s", duration_text(policy->max_time, text));
	printf(", %s",
	    text_safe(options->text[OPTION_BACKOFF], text, sizeof(text)));
	if (!policy->backoff.strategy->listed)
		printf(" from %s", duration_text(policy->backoff.base, text));
	if (policy->jitter.kind->fixed)
		printf(", no jitter");
	else
		printf(", jitter %s",
		    jitter == NULL ? "20%"
				   : text_safe(jitter, text, sizeof(text)));
	printf("\n\n");
}

/*
 * How the runs end by the chances of the script, and how often the command runs
 * on average.
 */
static void
print_chances(const struct plan *plan, const struct options *options)
{
	const struct policy *policy = &options->policy;
	const double chance = plan->end.chance;
	const bool draws = !policy->jitter.kind->fixed || policy->splay > 0;
	bool window = false;

	for (size_t i = 0; i < policy->limits.count; i++)
		if (policy->limits.rows[i].window < INFINITY)
			window = true;
	/*
	 * If draws are cut, or decide which attempts are made, the average draw
	 * does not give the average.
	 */
	const bool exact = !policy->backoff.strategy->random &&
	    (!draws ||
		(policy->max_time == 0 && policy->backoff.min == 0 && !window &&
		    !policy->pace_start &&
		    policy->jitter.order != JITTER_BEFORE_CAP));

	if (chance <= PLAN_CHANCE)
		printf("\nresult    all runs succeed");
	else
		printf("\nresult    %.3g%% of the runs %s", 100 * chance,
		    plan->end.reason == REASON_PLAN ? "go on after the plan"
						    : "give up");
	if (chance > PLAN_CHANCE && chance < 0.1)
		printf(", 1 in %.0f", 1 / chance);
	printf("\nexpected  %s%.3g attempt%s, ", exact ? "" : "about ",
	    plan->expected->attempts, plan->expected->attempts == 1 ? "" : "s");
}

static void
print_time(double elapsed, const struct record *end)
{
	const bool waits = end->elapsed > 0 && end->elapsed == end->waited;
	char text[MESSAGE_PART];

	printf("%s%s", duration_text(elapsed, text),
	    waits ? " of waiting" : "");
}

/* The longest that the run can take. */
static void
print_longest(const struct options *options)
{
	const double max_time = options->policy.max_time;
	const double last = max_time + options->policy.kill_after;
	const double most = ALMOST_1;
	struct plan longest = { .slow = true };
	char text[MESSAGE_PART];

	go(&longest, options,
	    (struct random){ .script = &most, .script_length = 1 });
	const bool endless =
	    longest.end.reason == REASON_PLAN && goes_on(&longest);
	printf("longest   ");
	if (max_time > 0 &&
	    (endless || longest.unlimited || longest.end.elapsed > last)) {
		printf("%s, by --max-time%s\n", duration_text(last, text),
		    last > max_time ? " and --kill-after" : "");
		return;
	}
	if (endless) {
		printf("forever: no limit on attempts or time\n");
		return;
	}
	print_time(longest.end.elapsed, &longest.end);
	printf("%s\n",
	    longest.unlimited ? "; attempts have no time limit"
			      : ", every attempt ended by its timeout");
}

void
plan_run(const struct options *options, struct report *report,
    const struct screen *screen)
{
	const bool chances = plan_has_chances(options->plan_script);
	const double middle = 0.5;
	struct plan_table table = plan_table_open(screen, chances);
	struct plan expected = { .table = NULL };
	struct plan measured = { .table = &table };
	struct plan plan = { .report = report };
	bool log_on_stdout = false;

	for (size_t i = 0; i < report->count; i++)
		if (report->sinks[i].file == stdout)
			log_on_stdout = true;
	/* The delays are linear in their draws, or nearly so. */
	if (chances || !log_on_stdout)
		go(&expected, options,
		    (struct random){ .script = &middle, .script_length = 1 });
	if (chances)
		measured.expected = plan.expected = &expected;
	if (log_on_stdout) {
		go(&plan, options, options->random);
		return;
	}
	go(&measured, options, options->random);
	print_heading(options);
	plan_table_print(&table);
	plan.table = &table;
	go(&plan, options, options->random);
	if (ferror(stdout))
		return;
	if (chances)
		print_chances(&plan, options);
	else
		printf("\nresult    %s\nexpected  ",
		    message_end(&plan.end).text);
	print_time(expected.elapsed, &expected.end);
	putchar('\n');
	print_longest(options);
}
