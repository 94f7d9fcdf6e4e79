#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plan.h"
#include "core/duration.h"
#include "core/engine.h"
#include "core/number.h"
#include "core/text.h"

/* A plan without an end stops after the last item came this many times. */
#define PLAN_ATTEMPTS 100

/* The largest draw. */
#define ALMOST_1 (1 - 0x1p-53)

/* Between two columns of the table. */
#define GAP 2

/* How short and how long a bar may be. */
#define BAR_LEAST 8
#define BAR_MOST 100

/* A comma list of OUTCOME[:DURATION][*COUNT]; the last item is repeated. */
struct script {
	const char *rest; /* the items that were not read; NULL: none is left */

	/* The item that was read last. */
	struct outcome outcome;
	double duration; /* seconds, at least: a timeout lasts to its limit */
	bool counted;
	uint64_t left;	   /* of the count, if it has one */
	uint64_t repeated; /* how often it came as the last one, without */
};

/* The columns of the table; bars take what is left of the screen. */
enum column {
	COLUMN_ATTEMPT,
	COLUMN_START,
	COLUMN_OUTCOME,
	COLUMN_VERDICT,
	COLUMN_NOMINAL,
	COLUMN_RANGE,
	COLUMN_DELAY,
	COLUMNS
};

static const struct {
	const char *name;
	bool to_the_left;
} columns[COLUMNS] = {
	[COLUMN_ATTEMPT] = { "#", false },
	[COLUMN_START] = { "starts at", false },
	[COLUMN_OUTCOME] = { "outcome", true },
	[COLUMN_VERDICT] = { "verdict", true },
	[COLUMN_NOMINAL] = { "nominal", false },
	[COLUMN_RANGE] = { "range", false },
	[COLUMN_DELAY] = { "delay", false },
};

static const char *const verdict_colours[] = {
	[VERDICT_NONE] = "",
	[VERDICT_SUCCESS] = "\033[32m",
	[VERDICT_RETRY] = "",
	[VERDICT_STOP] = "\033[31m",
};

/* What a bar is made of, with and without Unicode; one column each. */
enum cell { CELL_CERTAIN, CELL_RANGE, CELL_DRAWN, CELLS };

static const struct {
	const char *unicode;
	const char *ascii;
	const char *colour;
} cells[CELLS] = {
	[CELL_CERTAIN] = { "█", "=", "\033[36m" },
	[CELL_RANGE] = { "░", "-", "\033[36m" },
	[CELL_DRAWN] = { "◆", "*", "\033[1;33m" },
};

/* All rows are measured before any is printed. */
struct table {
	const struct screen *screen;
	int widths[COLUMNS];
	double longest; /* the longest delay that chance allows, in seconds */
	int blanks;	/* to be printed before what follows in the line */
};

/* One way through the run. */
struct plan {
	struct table *table;   /* NULL: none */
	struct report *report; /* NULL: the table is only measured */
	bool slow;	       /* attempts take as long as they may */

	struct policy policy;
	struct engine *engine;
	struct script script;
	struct event event; /* the next one */
	struct outcome outcome;
	bool unlimited; /* slow: something may take as long as it likes */
	struct record end;
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
		if (strspn(star, "0123456789") != strlen(star))
			return "not a count";
		script->left = (uint64_t)strtonum(star, 1, INT64_MAX, &problem);
		if (problem != NULL)
			return "not a count";
	}
	if (colon != NULL) {
		*colon++ = '\0';
		problem = duration_parse(colon, &script->duration);
		if (problem != NULL)
			return problem;
	}
	problem = set_item(&set, item);
	if (problem == NULL)
		script->outcome = example_of(&set);
	return problem;
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

/* The attempt ends by itself, or at its deadline. */
static void
run_attempt(struct plan *plan, double deadline)
{
	const bool limited = deadline < INFINITY;
	double end = plan->event.now;

	script_next(&plan->script);
	plan->outcome = plan->script.outcome;
	end += plan->script.duration;
	if (plan->outcome.kind == OUTCOME_TIMEOUT && limited)
		end = number_max(end, deadline);
	if (end >= deadline) {
		end = deadline;
		plan->outcome = (struct outcome){ OUTCOME_TIMEOUT, 0 };
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
	return plan->script.repeated >= PLAN_ATTEMPTS &&
	    plan->script.repeated >= plan->policy.limits.attempts;
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
		event.evidence.outcome = outcome;
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

/* Columns on the screen: bytes that begin a character. */
static int
width_of(const char *text)
{
	int width = 0;

	for (; *text != '\0'; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static void
fill(const struct table *table, const struct record *record,
    char row[COLUMNS][MESSAGE_PART])
{
	const struct outcome outcome = record->outcome;
	const struct delay *delay = &record->delay;
	const bool ran = outcome.kind != OUTCOME_UNSTARTABLE &&
	    outcome.kind != OUTCOME_UNFORKED;
	char text[MESSAGE_PART], low[MESSAGE_PART], high[MESSAGE_PART];

	duration_text(record->started, row[COLUMN_START]);
	if (record->attempt == 0) {
		strlcpy(row[COLUMN_OUTCOME], "waits first", MESSAGE_PART);
	} else {
		snprintf(row[COLUMN_ATTEMPT], MESSAGE_PART, "%" PRIu64,
		    record->attempt);
		strlcpy(row[COLUMN_OUTCOME],
		    ran ? message_outcome(record, text)
			: outcome_name(outcome.kind),
		    MESSAGE_PART);
		strlcpy(row[COLUMN_VERDICT],
		    verdict_name(record->judgement.verdict), MESSAGE_PART);
	}
	if (!record->waits)
		return;
	duration_text(delay->nominal, row[COLUMN_NOMINAL]);
	duration_text(delay->seconds, row[COLUMN_DELAY]);
	if (delay->low < delay->high)
		snprintf(row[COLUMN_RANGE], MESSAGE_PART, "%.60s%s%.60s",
		    duration_text(delay->low, low),
		    table->screen->unicode ? "–" : "-",
		    duration_text(delay->high, high));
	else
		strlcpy(row[COLUMN_RANGE], row[COLUMN_DELAY], MESSAGE_PART);
}

static void
measure_row(struct table *table, const struct record *record)
{
	char row[COLUMNS][MESSAGE_PART] = { "" };

	fill(table, record, row);
	for (int i = 0; i < COLUMNS; i++) {
		const int width = width_of(row[i]);

		if (width > table->widths[i])
			table->widths[i] = width;
	}
	if (record->waits)
		table->longest = number_max(table->longest, record->delay.high);
}

static void
print_text(struct table *table, enum column column, const char *text,
    const char *colour)
{
	const bool coloured = table->screen->colour && *colour != '\0';
	const bool to_the_left = columns[column].to_the_left;
	const int room = table->widths[column] - width_of(text);

	table->blanks += (column > 0 ? GAP : 0) + (to_the_left ? 0 : room);
	if (*text != '\0') {
		printf("%*s%s%s%s", table->blanks, "", coloured ? colour : "",
		    text, coloured ? "\033[m" : "");
		table->blanks = 0;
	}
	table->blanks += to_the_left ? room : 0;
}

/* Shows the range of a delay, and the draw, beside that of the longest one. */
static void
print_bar(const struct table *table, const struct delay *delay)
{
	const struct screen *screen = table->screen;
	enum cell last = CELLS;
	int count = screen->width - 1;

	for (int i = 0; i < COLUMNS; i++)
		count -= table->widths[i] + GAP;
	if (count > BAR_MOST)
		count = BAR_MOST;
	if (count < BAR_LEAST || !(table->longest > 0))
		return;

	const double scale = count / table->longest;
	const int low = (int)(delay->low * scale);
	const int high = (int)number_ceil(delay->high * scale);
	const int drawn = (int)number_min(delay->seconds * scale, count - 1);

	printf("%*s", table->blanks + GAP, "");
	for (int i = 0; i < count && (i < high || i == drawn); i++) {
		const enum cell cell = i == drawn ? CELL_DRAWN
		    : i < low			  ? CELL_CERTAIN
						  : CELL_RANGE;

		if (screen->colour && cell != last)
			fputs(cells[cell].colour, stdout);
		fputs(screen->unicode ? cells[cell].unicode : cells[cell].ascii,
		    stdout);
		last = cell;
	}
	if (screen->colour)
		fputs("\033[m", stdout);
}

static void
print_row(struct table *table, const struct record *record)
{
	const char *colour = verdict_colours[record->judgement.verdict];
	char row[COLUMNS][MESSAGE_PART] = { "" };

	fill(table, record, row);
	for (int i = 0; i < COLUMNS; i++)
		print_text(table, i, row[i], i == COLUMN_VERDICT ? colour : "");
	if (record->waits)
		print_bar(table, &record->delay);
	putchar('\n');
	table->blanks = 0;
}

/* Tells a record to the logs and to the table. */
static void
tell(const struct plan *plan, struct record *record)
{
	record->time = record->elapsed;
	if (plan->report != NULL)
		report_tell(plan->report, record);

	/* A row for each attempt, and for a wait before the first. */
	if (plan->table == NULL ||
	    (record->kind != RECORD_OUTCOME &&
		(record->kind != RECORD_WAIT || record->attempt > 0)))
		return;
	if (plan->report == NULL)
		measure_row(plan->table, record);
	else
		print_row(plan->table, record);
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
	/* It would end a slow run before the run's own limit is known. */
	if (plan->slow)
		plan->policy.max_time = 0;
	plan->script.rest = script == NULL ? "1" : script;
	plan->event.kind = EVENT_START;
	plan->engine = engine_open(&plan->policy, random);
	if (plan->engine == NULL)
		abort();
	while (step.action.kind != ACTION_FINISH && !ferror(stdout)) {
		const double now = plan->event.now;

		step = engine_step(plan->engine, plan->event);
		/* A plan has no process: its attempts are told as they begin. */
		if (step.action.kind == ACTION_RUN) {
			struct record *record = &step.records[step.count++];

			*record = engine_record(plan->engine, now);
			record->kind = RECORD_ATTEMPT;
		}
		for (int i = 0; i < step.count; i++)
			tell(plan, &step.records[i]);
		follow(plan, &step.action);
	}
	plan->end = engine_record(plan->engine, plan->event.now);
	engine_close(plan->engine);
}

/* What is planned, in the words of the options. */
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

static void
print_time(const struct record *end)
{
	const bool waits = end->elapsed > 0 && end->elapsed == end->waited;
	char text[MESSAGE_PART];

	printf("%s%s", duration_text(end->elapsed, text),
	    waits ? " of waiting" : "");
}

static void
print_totals(const struct record *end, const struct options *options)
{
	const double max_time = options->policy.max_time;
	const double last = max_time + options->policy.kill_after;
	const double middle = 0.5, most = ALMOST_1;
	struct plan expected = { .table = NULL }, longest = { .slow = true };
	char text[MESSAGE_PART];

	printf("\nresult    %s\n", message_end(end).text);

	/* The delays are linear in their draws, or nearly so. */
	go(&expected, options,
	    (struct random){ .script = &middle, .script_length = 1 });
	printf("expected  ");
	print_time(&expected.end);

	go(&longest, options,
	    (struct random){ .script = &most, .script_length = 1 });
	const bool endless =
	    longest.end.reason == REASON_PLAN && goes_on(&longest);
	printf("\nlongest   ");
	if (max_time > 0 &&
	    (endless || longest.unlimited || longest.end.elapsed > last)) {
		printf("%s, by --max-time%s\n", duration_text(last, text),
		    last > max_time ? " and --kill-after" : "");
		return;
	}
	if (endless) {
		printf("for ever: no limit on attempts or time is reached\n");
		return;
	}
	print_time(&longest.end);
	printf("%s\n",
	    longest.unlimited ? "; nothing limits the attempts themselves"
			      : ", each attempt being ended by its timeout");
}

void
plan_run(const struct options *options, struct report *report,
    const struct screen *screen)
{
	struct table table = { .screen = screen };
	struct plan plan = { .report = report };
	struct plan measured = { .table = &table };
	bool silent = false;

	for (size_t i = 0; i < report->count; i++)
		if (report->sinks[i].file == stdout)
			silent = true;
	if (silent) {
		go(&plan, options, options->random);
		return;
	}
	for (int i = 0; i < COLUMNS; i++)
		table.widths[i] = width_of(columns[i].name);
	go(&measured, options, options->random);
	print_heading(options);
	for (int i = 0; i < COLUMNS; i++)
		print_text(&table, i, columns[i].name, "\033[1m");
	putchar('\n');
	plan.table = &table;
	go(&plan, options, options->random);
	if (!ferror(stdout))
		print_totals(&plan.end, options);
}
