/* SPDX-License-Identifier: MIT */

/*
 * Every state that the engine can come to on a clock of whole seconds, for
 * policies that use each option, is visited, breadth first; in each state every
 * event happens that a driver may tell of, at once and some seconds later. A few
 * policies, which need a tenth of the time, are explored in each build; with the
 * argument `all` all of them are.
 */

#include "tap.h"

/* The path that leads to a law that does not hold is told. */
static void explore_failed(const char *file, int line, const char *text);

#define MUST(condition) \
	do { \
		if (!(condition)) \
			explore_failed(__FILE__, __LINE__, #condition); \
	} while (0)

/* The engine's own memory is what is compared. */
#include "options/argv.h"
#include "core/engine.c"
#include "laws.h"

#define POLICY_WORDS 16

/* The search within a policy ends at this many states. */
#define STATES_MOST 100000

/* States that are later than this are not followed. */
#define HORIZON 6.0

/* Nor are those of more attempts. */
#define ATTEMPTS_MOST 3

/* Failures that the first limit keeps in a copy of the engine. */
#define FAILURES_MOST 8

/* These meet each pair of a state and an event that any policy meets. */
static const char *const few[] = {
	"",
	"-a2 -T3 -k0",
	"-a2 --check=x -k0 --stop-timeout=1s --on-give-up=x",
	"-a2 --health=x --health-interval=2s --health-retries=2 -k1",
	"-a2 --leftovers=end -T3 -k1",
	"-a2 --leftovers=end --stop-timeout=1s -k0",
	"-a2 --check=x",
	"-a2 --before-retry=x --stop-timeout=1s",
	"-a2 --on-success=x --on-give-up=x",
	"-a2 --output=hold",
	"-a2 --output=hold -t2 -k0",
	"-a2 --stdin=replay",
	"-a2 --repeat",
	"-a2 --state=x --tolerate=2 -T4 -t2 -k1",
	"-a2 --budget=x",
};

/* With the argument `all` these follow. */
static const char *const more[] = {
	"-a1",
	"-a2 -b constant",
	"-a0 -T4",
	"-a3,timeout:2 -t2",
	"-a0,2/3s -t2 -k1",
	"-a2 -t2 -k0",
	"-a2 -t2 -k1 -s INT",
	"-a2 -t2 -T5 -k2",
	"-a2 -t 50% -T6 -k1 --min-timeout=2s",
	"-a2 --idle-timeout=2s -k1",
	"-a2 -t2 -k2 --stop-timeout=1s",
	"-a2 --leftovers=end -t2 -T4 -k1 --output=hold",
	"-a2 --leftovers=end -k1 --check=x --state=x",
	"-a2 --idle-timeout=1s -T4 --output=hold",
	"-a3 -b linear -m2s",
	"-a3 -b decorrelated -j none",
	"-a3 -b lild:up=1s,down=1s --repeat -T7",
	"-a3 -j full --seed=7",
	"-a3 --pace=start --min-timeout=2s",
	"-a3 --pace=start --throttle-on=4 --throttle-delay=3s",
	"-a2 --reset-after=2s",
	"-a2 --wait-first --splay=2s -j none",
	"-a2 --splay=2s -T3",
	"-a2 --delay-match=(x) -T6",
	"-a3 --stop-on=9 --retry-on=1,timeout -t2",
	"-a2 --free-on=1 -T4",
	"-a2 --health=x --health-interval=1s --health-timeout=1s -t4 -k1",
	("-a2 --health=x --health-interval=2s --health-retries=1 "
	 "--health-start-period=3s --reset-after=3s -T9 -k0"),
	"-a3 --throttle-on=4 --throttle-delay=2s --success-on=0,9",
	"-a2 --success-match=x --output=hold",
	"-a2 --fail-match=x --retry-match=y --stop-match=z",
	"-a2 --throttle-match=x --throttle-delay=2s",
	"-a2 --check=x -t2 -k1 -T5",
	"-a2 --check=x --output=chronic -T3 -k1",
	"-a2 --preserve-status -t2 -T4 -k1",
	"-a2 --before-retry=x -t2 -T5 -k1",
	"-a2 --on-give-up=x --output=chronic -t1 -k1",
	"-a2 --output=hold -T3 -t2 -k1",
	"-a2 --output=all -T3 -t2 -k1 --before-retry=x --on-give-up=x",
	"-a2 --output=last -T3",
	"-a2 --output=chronic --before-retry=x",
	"-a2 --stdin=replay -T2 --output=last",
	"-a2 --repeat=2 --success-delay=1s",
	"-a2 --repeat --output=hold -T4",
	"-a2 --state=x",
	"-a2 --state=x:skip",
	"-a2 --state=x --splay=1s -T3",
	"-a2 --state=x --repeat --success-delay=1s",
	"-a2 --state=x --output=last --on-give-up=x -T3",
	"-a2 --state=x -b mimd:up=2,down=2",
	"-a2 --budget=x -T3 --before-retry=x --output=chronic",
	"-a2 --state=x --budget=x --stdin=replay --check=x",
	"-a2 --state=x --budget=x --before-retry=x -t2 -k1 -T4",
	"-a2 --pace=start -T4 --output=hold --check=x -t2 -k0",
};

/* An event, some seconds after the one before. */
struct move {
	double after;
	bool left; /* GONE is not told: something of the process is left */
	struct event event;
};

/* A state, as it waits for its events. */
struct node {
	size_t parent; /* its number, and the move that leads here */
	struct move move;
	struct drive drive; /* without the policy */
	uint64_t attempts;
	bool left; /* processes that a REAPED will tell of */
	void *engine;
};

/* The size of an engine but for the failures that there is no time for. */
static size_t
packed(const struct policy *policy)
{
	return offsetof(struct engine, tally.times) +
	    (policy->limits.count > 0 ? FAILURES_MOST * sizeof(double) : 0);
}

/* What is met: states as rows, events as columns. */
#define KINDS (EVENT_ERROR + 1)
#define ROWS 18

/* Pairs of a row and a column that happen. */
#define PAIRS 104

struct explorer {
	const char *words; /* of the policy */
	struct options options;
	struct walk walk;
	bool left;
	struct node *nodes; /* STATES_MOST of them */
	size_t count;
	size_t at;	   /* the one whose events happen */
	struct move move;  /* the event that does */
	uint64_t *visited; /* hashes of states, or 0 */
	size_t runs;	   /* that came to an end */
	bool limited;	   /* by STATES_MOST */
};

static struct {
	bool more; /* policies than a few */
	struct explorer explorer;
	const char *names[ROWS];
	size_t met[ROWS][KINDS];
	size_t states, events, ends, cut;
} all;

#define SLOTS (1u << 18)

static const char *const kinds[KINDS] = {
	[EVENT_START] = "start",
	[EVENT_EXITED] = "exited",
	[EVENT_REAPED] = "reaped",
	[EVENT_KILLED] = "killed",
	[EVENT_GONE] = "gone",
	[EVENT_ENDED] = "ended",
	[EVENT_ANSWER] = "answer",
	[EVENT_PROBED] = "probed",
	[EVENT_TIMER] = "timer",
	[EVENT_DATE] = "date",
	[EVENT_SIGNAL] = "signal",
	[EVENT_PROGRESS] = "progress",
	[EVENT_BLOCKED] = "blocked",
	[EVENT_DELIVERED] = "delivered",
	[EVENT_ERROR] = "error",
};

static void
tell_path(const struct explorer *explorer, size_t number)
{
	const struct node *node = &explorer->nodes[number];

	if (number == 0)
		return;
	tell_path(explorer, node->parent);
	printf("#     +%g s %s outcome %d/%d answer %d signal %d -> %d\n",
	    node->move.after, kinds[node->move.event.kind],
	    node->move.event.evidence.outcome.kind,
	    node->move.event.evidence.outcome.code, node->move.event.answer,
	    node->move.event.signal, node->drive.action.kind);
}

static void
explore_failed(const char *file, int line, const char *text)
{
	const struct explorer *explorer = &all.explorer;
	static int told;

	tap.failed = true;
	if (told++ == 5)
		exit(1);
	printf("# %s:%d: %s\n#     retry %s\n", file, line, text,
	    explorer->words);
	tell_path(explorer, explorer->at);
	printf("#     +%g s %s outcome %d/%d answer %d signal %d\n",
	    explorer->move.after, kinds[explorer->move.event.kind],
	    explorer->move.event.evidence.outcome.kind,
	    explorer->move.event.evidence.outcome.code,
	    explorer->move.event.answer, explorer->move.event.signal);
}

/* --- a state as a number --- */

/* A time of which only the distance from now matters, and often not even it. */
static double
since(double time, double now, bool matters)
{
	return matters && isfinite(time) ? time - now : matters ? time : 0;
}

/* Clears the bytes behind a bool, up to what follows or the end of its struct. */
#define CLEAR_BEHIND(object, type, member) \
	memset((char *)&(object).member + 1, 0, \
	    (_Alignof(type) - 1) - offsetof(type, member) % _Alignof(type))

/* Bytes between members may have any value. */
static void
clear_padding(struct engine *engine)
{
	struct record *run = &engine->run;

	CLEAR_BEHIND(run->judgement, struct judgement, unmatched);
	CLEAR_BEHIND(run->outcome, struct outcome, oom);
	CLEAR_BEHIND(run->delay, struct delay, hint_decides);
	CLEAR_BEHIND(engine->returned, struct outcome, oom);
	CLEAR_BEHIND(engine->evidence.outcome, struct outcome, oom);
	CLEAR_BEHIND(engine->evidence, struct evidence, unread);
	CLEAR_BEHIND(engine->level, struct level, begun);
	CLEAR_BEHIND(engine->restored.level, struct level, begun);
	CLEAR_BEHIND(engine->process, struct process, ends_left);
	CLEAR_BEHIND(engine->probes, struct health, was_healthy);
	CLEAR_BEHIND(engine->probes, struct health, differ);
	CLEAR_BEHIND(engine->probes.last, struct outcome, oom);
	memset((char *)&engine->probes.phase + sizeof(engine->probes.phase), 0,
	    offsetof(struct health, due) - sizeof(engine->probes.phase));
}

/* Measures times from now on; a time that no policy looks at becomes 0. */
static void
shift_times(struct engine *engine, const struct policy *policy, double now)
{
	struct process *process = &engine->process;
	struct health *probes = &engine->probes;
	const bool pace = policy->pace_start;

	engine->begun = since(engine->begun, now, policy->max_time > 0);
	engine->attempt_begun = since(engine->attempt_begun, now, pace);
	engine->paced_from = since(engine->paced_from, now, pace);
	engine->delay_begun = since(engine->delay_begun, now, pace);
	engine->wait_begun =
	    since(engine->wait_begun, now, engine->state == STATE_WAITING);
	engine->delivered_by = since(engine->delivered_by, now, true);
	process->active = since(process->active, now, policy->idle_timeout > 0);
	process->deadline = since(process->deadline, now, true);
	process->limit = since(process->limit, now, true);
	process->run_end = 0;
	if (process->stop_by > 0)
		process->stop_by = since(process->stop_by, now, true);
	probes->begun = since(probes->begun, now,
	    policy->health.start_period > 0 && !probes->was_healthy);
	probes->due = since(probes->due, now, probes->phase != HEALTH_OFF);
	for (size_t i = 0; i < FAILURES_MOST; i++)
		if (i < engine->tally.totals[0])
			engine->tally.times[0][i] -= now;
}

/* Clears what is told, but decides nothing. */
static void
clear_told(struct engine *engine, const struct policy *policy)
{
	struct record *run = &engine->run;

	if (engine->state != STATE_RUNNING && engine->state != STATE_ASKING)
		memset(&engine->process, 0, sizeof(engine->process));
	run->elapsed = run->started = run->timeout = run->silent = 0;
	if (policy->reset_after == 0)
		run->duration = 0;
	run->delay.nominal = run->delay.low = run->delay.high = 0;
	run->delay.hint_decides = false;
	run->just_waited = run->waited = run->due = 0;
	run->signal = 0;
	run->forwarded = run->kept = run->check_timed_out = false;
	run->failures = 0;
}

static uint64_t
mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0xff51afd7ed558ccd;
	return sum ^ sum >> 32;
}

/* The number of the state: two that decide alike have the same. */
static uint64_t
hash(const struct explorer *explorer)
{
	static struct engine engine;
	const struct drive *drive = &explorer->walk.drive;
	const enum action_kind kind = drive->action.kind;
	uint64_t word, sum = 0x9e3779b97f4a7c15;

	memcpy(&engine, drive->engine, packed(&drive->policy));
	clear_padding(&engine);
	shift_times(&engine, &drive->policy, drive->now);
	clear_told(&engine, &drive->policy);
	for (size_t i = 0; i < packed(&drive->policy) / sizeof(word); i++) {
		memcpy(&word, (char *)&engine + i * sizeof(word), sizeof(word));
		sum = mix(sum, word);
	}
	/* A question or an attempt may fail to start, and nothing else does. */
	word = (uint64_t)drive->doing * 64 + (uint64_t)drive->asked * 32 +
	    (uint64_t)explorer->left * 16 +
	    (kind == ACTION_ABANDON || kind == ACTION_ASK || kind == ACTION_RUN
		    ? (uint64_t)kind
		    : 0);
	sum = mix(sum, word);
	return sum == 0 ? 1 : sum;
}

/* --- what may happen --- */

static size_t
row_of(const struct explorer *explorer)
{
	static const char *const questions[] = {
		[ASK_STATE] = "asks state",
		[ASK_INPUT] = "asks input",
		[ASK_CHECK] = "asks check",
		[ASK_BUDGET] = "asks budget",
		[ASK_GATE] = "asks gate",
		[ASK_SAVE] = "asks save",
		[ASK_HOOK] = "asks hook",
	};
	static const char *const phases[] = { "runs", "drains", "is ended",
		"is killed", "exited, is ended", "exited, is killed",
		"is collected" };
	const struct engine *engine = explorer->walk.drive.engine;
	const char *name = "?";
	size_t row;

	switch (engine->state) {
	case STATE_IDLE:
		name = "idle";
		break;
	case STATE_RUNNING:
		row = engine->process.phase == PROCESS_COLLECTING
		    ? 6
		    : engine->process.phase + (engine->process.exited ? 2 : 0);
		name = phases[row];
		break;
	case STATE_ASKING:
		name = questions[engine->question];
		break;
	case STATE_WAITING:
		name = "waits";
		break;
	case STATE_DELIVERING:
		name = engine->run.reason == REASON_NONE ? "delivers"
							 : "delivers, ends";
		break;
	case STATE_FINISHED:
		break;
	}
	for (row = 0; row < ROWS - 1 && all.names[row] != NULL; row++)
		if (strcmp(all.names[row], name) == 0)
			break;
	all.names[row] = name;
	return row;
}

/* What is waited for comes: of a process, of a question, or by the timer. */
static void
check_hope(const struct explorer *explorer)
{
	const struct drive *drive = &explorer->walk.drive;

	MUST(drive->doing != DOING_NOTHING);
	if (drive->doing == DOING_WAIT)
		MUST(drive->action.wake < INFINITY);
}

/* Keeps the state that was come to, unless it was met before. */
static void
arrive(struct explorer *explorer)
{
	const struct drive *drive = &explorer->walk.drive;
	const uint64_t sum = hash(explorer);
	size_t slot = sum % SLOTS;

	if (drive->doing == DOING_OVER) {
		explorer->runs++;
		return;
	}
	while (explorer->visited[slot] != 0 && explorer->visited[slot] != sum)
		slot = (slot + 1) % SLOTS;
	if (explorer->visited[slot] == sum)
		return;
	if (drive->now > HORIZON || explorer->walk.attempts > ATTEMPTS_MOST)
		return;
	if (explorer->count == STATES_MOST) {
		explorer->limited = true;
		return;
	}
	explorer->visited[slot] = sum;
	struct node *node = &explorer->nodes[explorer->count++];
	*node = (struct node){ .parent = explorer->at,
		.move = explorer->move,
		.attempts = explorer->walk.attempts,
		.left = explorer->left,
		.engine = malloc(packed(&drive->policy)) };
	memcpy(&node->drive, drive, sizeof(*drive));
	memcpy(node->engine, drive->engine, packed(&drive->policy));
}

/* Goes back to the state whose events happen. */
static void
go_back(struct explorer *explorer)
{
	const struct node *node = &explorer->nodes[explorer->at];

	explorer->walk.drive = node->drive;
	explorer->walk.attempts = node->attempts;
	explorer->left = node->left;
	memcpy(explorer->walk.drive.engine, node->engine,
	    packed(&node->drive.policy));
}

static void
happen(struct explorer *explorer, struct move move)
{
	struct walk *walk = &explorer->walk;
	struct drive *drive = &walk->drive;

	go_back(explorer);
	const double wake = drive->action.wake;
	const bool due = move.event.kind == EVENT_TIMER && move.after < 0;
	if (due)
		move.after = fmax(wake - drive->now, 0);
	drive->now += move.after;
	move.event.active = -1;
	explorer->move = move;
	all.events++;
	if (move.event.kind != EVENT_START)
		all.met[row_of(explorer)][move.event.kind]++;
	walk_step(walk, move.event);
	if (due && drive->doing != DOING_OVER)
		MUST(drive->action.kind != ACTION_NONE ||
		    drive->action.wake > drive->now);
	/* Something may be left, or not. */
	explorer->left = drive->action.kind == ACTION_LOOK ||
	    (explorer->left && drive->doing == DOING_LOOK &&
		drive->action.kind != ACTION_ABANDON);
	if (drive->action.kind == ACTION_LOOK) {
		arrive(explorer);
		explorer->left = false;
	}
	check_hope(explorer);
	arrive(explorer);
}

static void
happen_ends(struct explorer *explorer, double after)
{
	static const struct outcome outcomes[] = {
		{ OUTCOME_EXIT, 0, false },
		{ OUTCOME_EXIT, 1, false },
		{ OUTCOME_EXIT, 4, false },
		{ OUTCOME_EXIT, 9, false },
		{ OUTCOME_SIGNAL, SIGTERM, false },
		{ OUTCOME_UNSTARTABLE, ENOENT, false },
	};
	struct move move = { .after = after,
		.event = { .kind = EVENT_ENDED, .hint = -1 } };
	struct event *event = &move.event;
	const unsigned int matches = explorer->options.policy.rules.matches;

	for (size_t i = 0; i < sizeof(outcomes) / sizeof(*outcomes); i++) {
		event->evidence.outcome = outcomes[i];
		for (unsigned int matched = 0; matched <= matches; matched++) {
			event->evidence.matched = matched;
			if ((matched & matches) == matched)
				happen(explorer, move);
		}
	}
	event->evidence.matched = matches;
	event->evidence.outcome = outcomes[1];
	if (explorer->options.patterns.hint != NULL) {
		event->hint = 2;
		happen(explorer, move);
		event->hint = 5000;
		happen(explorer, move);
		event->hint = -1;
	}
}

static void
happen_answers(struct explorer *explorer, double after)
{
	static const unsigned int answers[] = {
#define OR(verdict) (1u << (verdict))
		[ASK_NOTHING] = 0,
		[ASK_STATE] = OR(ANSWER_YES) | OR(ANSWER_AGAIN) |
		    OR(ANSWER_NO) | OR(ANSWER_NONE),
		[ASK_INPUT] = OR(ANSWER_YES),
		[ASK_CHECK] = OR(ANSWER_YES) | OR(ANSWER_AGAIN) | OR(ANSWER_NO),
		[ASK_BUDGET] = OR(ANSWER_YES) | OR(ANSWER_NO),
		[ASK_GATE] = OR(ANSWER_YES) | OR(ANSWER_AGAIN) | OR(ANSWER_NO),
		[ASK_SAVE] = OR(ANSWER_YES) | OR(ANSWER_NONE),
		[ASK_HOOK] = OR(ANSWER_YES) | OR(ANSWER_NO),
	};
	const enum question question =
	    explorer->nodes[explorer->at].drive.action.question;
	struct move move = { .after = after, .event.kind = EVENT_ANSWER };

	for (int i = ANSWER_NONE; i <= ANSWER_NO; i++) {
		move.event.answer = (enum answer)i;
		if (answers[question] & OR(i))
			happen(explorer, move);
	}
	if (question != ASK_STATE)
		return;
	move.event.answer = ANSWER_YES;
	move.event.state = (struct state){ .n = 2,
		.given_up = 1,
		.delay = 2,
		.level = { .value = 2, .previous = 2, .begun = true } };
	happen(explorer, move);
}

/* What the process, or the question, comes to. */
static void
go_on(struct explorer *explorer, double after)
{
	const struct drive *drive = &explorer->nodes[explorer->at].drive;
	const bool fresh = drive->action.kind == ACTION_RUN ||
	    drive->action.kind == ACTION_ASK;
	struct move move = { .after = after };

	for (int status = 0; drive->probes && status < 2; status++) {
		move.event = (struct event){ .kind = EVENT_PROBED,
			.probe = { OUTCOME_EXIT, status } };
		happen(explorer, move);
	}
	move.event = (struct event){ .kind = EVENT_KILLED };
	if (drive->action.signal == SIGKILL)
		happen(explorer, move);
	switch (drive->doing) {
	case DOING_PROCESS:
		move.event.kind = EVENT_EXITED;
		happen(explorer, move);
		if (fresh && drive->asked)
			happen_answers(explorer, after);
		if (!fresh || drive->asked)
			break;
		move.event = (struct event){ .kind = EVENT_ENDED,
			.hint = -1,
			.evidence.outcome = { OUTCOME_UNFORKED, EAGAIN } };
		happen(explorer, move);
		break;
	case DOING_LOOK:
		move.event.kind = EVENT_REAPED;
		if (explorer->left)
			happen(explorer, move);
		break;
	case DOING_COLLECT:
		move.event.kind = EVENT_BLOCKED;
		happen(explorer, move);
		if (drive->asked)
			happen_answers(explorer, after);
		else
			happen_ends(explorer, after);
		break;
	case DOING_QUESTION:
		happen_answers(explorer, after);
		break;
	case DOING_DELIVERY:
		move.event.kind = EVENT_PROGRESS;
		happen(explorer, move);
		move.event.kind = EVENT_DELIVERED;
		happen(explorer, move);
		break;
	case DOING_WAIT:
		move.event.kind = EVENT_DATE;
		happen(explorer, move);
		break;
	case DOING_NOTHING:
	case DOING_OVER:
		break;
	}
}

/* Whether the action is answered at once, so that nothing comes in between. */
static bool
is_at_once(const struct drive *drive)
{
	return drive->doing == DOING_QUESTION &&
	    drive->action.question != ASK_INPUT;
}

static void
visit(struct explorer *explorer)
{
	static const double afters[] = { 0, 1 };
	static const struct {
		int number;
		bool ends_run;
	} signals[] = {
		{ SIGTERM, true }, { SIGURG, false },
		{ SIGHUP, false }, /* a reload */
	};
	const struct node *node = &explorer->nodes[explorer->at];

	/* GONE is never lost, or the engine would wait for ever. */
	if (node->drive.doing == DOING_LOOK && !node->left) {
		happen(explorer, (struct move){ .event.kind = EVENT_GONE });
		return;
	}
	/* An output that failed may be told of with an outcome or an answer. */
	struct event failure = {
		.kind = EVENT_ERROR,
		.signal = explorer->at % 2 ? SIGPIPE : 0,
		.hint = -1,
	};
	if (node->drive.doing == DOING_COLLECT && !node->drive.asked)
		failure.kind = EVENT_ENDED;
	else if (node->drive.doing == DOING_COLLECT ||
	    node->drive.action.kind == ACTION_ASK)
		failure.kind = EVENT_ANSWER;
	failure.answer = ANSWER_NO;
	failure.failed = failure.kind != EVENT_ERROR;
	happen(explorer, (struct move){ .event = failure });
	if (is_at_once(&node->drive)) {
		go_on(explorer, 0);
		return;
	}
	if (isfinite(node->drive.action.wake))
		happen(explorer,
		    (struct move){ .after = -1, .event.kind = EVENT_TIMER });
	/* A timer that is due fires before any more time passes. */
	const size_t count = node->drive.action.wake <= node->drive.now
	    ? 1
	    : sizeof(afters) / sizeof(*afters);
	for (size_t i = 0; i < count; i++) {
		const double after = afters[i];

		go_on(explorer, after);
		happen(explorer,
		    (struct move){ .after = after, .event.kind = EVENT_TIMER });
		if (node->drive.doing != DOING_LOOK)
			happen(explorer,
			    (struct move){ .after = after,
				.event.kind = EVENT_REAPED });
		for (size_t j = 0; j < sizeof(signals) / sizeof(*signals); j++)
			happen(explorer,
			    (struct move){ .after = after,
				.event = { .kind = EVENT_SIGNAL,
				    .signal = signals[j].number,
				    .ends_run = signals[j].ends_run } });
	}
}

static void
explore(const char *text)
{
	struct explorer *explorer = &all.explorer;
	char words[256], problem[ARGV_PROBLEM];
	char *argv[POLICY_WORDS] = { (char[]){ "retry" } }, *rest = words;
	int argc = 1;

	*explorer = (struct explorer){ .words = text };
	snprintf(words, sizeof(words), "-j none %s%s-- true", text,
	    *text == '\0' ? "" : " ");
	while ((argv[argc] = strsep(&rest, " ")) != NULL)
		argc++;
	if (!CHECK(argv_parse(argc, argv, &explorer->options, problem) == 0)) {
		printf("# %s: %s\n", text, problem);
		return;
	}
	explorer->nodes = calloc(STATES_MOST, sizeof(*explorer->nodes));
	explorer->visited = calloc(SLOTS, sizeof(*explorer->visited));
	struct drive *drive = &explorer->walk.drive;
	drive->policy = explorer->options.policy;
	drive->random = explorer->options.random;
	drive->engine =
	    engine_open(&drive->policy, drive->random, drive_hear, drive);
	if (explorer->nodes == NULL || explorer->visited == NULL ||
	    drive->engine == NULL)
		abort();
	arrive(explorer);
	happen(explorer, (struct move){ .event.kind = EVENT_START });
	while (++explorer->at < explorer->count) {
		visit(explorer);
		free(explorer->nodes[explorer->at].engine);
	}
	free(explorer->nodes[0].engine);
	CHECK(explorer->runs > 0);
	all.states += explorer->count;
	all.ends += explorer->runs;
	all.cut += explorer->limited;
	if (getenv("EXPLORE") != NULL)
		printf("# %6zu states%s: %s\n", explorer->count,
		    explorer->limited ? ", cut" : "", text);
	engine_close(drive->engine);
	free(explorer->nodes);
	free(explorer->visited);
	options_free(&explorer->options);
}

static void
the_laws_hold_in_each_state_that_can_be_reached(void)
{
	size_t count = sizeof(few) / sizeof(*few), pairs = 0;

	for (size_t i = 0; i < count; i++)
		explore(few[i]);
	if (all.more) {
		for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
			explore(more[i]);
		count += sizeof(more) / sizeof(*more);
	}
	for (size_t row = 0; row < ROWS; row++)
		for (size_t kind = 0; kind < KINDS; kind++)
			pairs += all.met[row][kind] > 0;
	CHECK_INT(pairs, PAIRS);
	/* All of row_of()'s but the end, of which nothing follows. */
	CHECK(all.names[ROWS - 2] != NULL && all.names[ROWS - 1] == NULL);
	CHECK(all.cut == 0);
	printf("# %zu policies (%zu cut short), %zu states, %zu events, "
	       "%zu ends, %zu pairs of state and event\n",
	    count, all.cut, all.states, all.events, all.ends, pairs);
	printf("# %-18s", "state");
	for (size_t kind = EVENT_EXITED; kind < KINDS; kind++)
		if (kinds[kind] != NULL)
			printf("%10s", kinds[kind]);
	for (size_t row = 0; row < ROWS && all.names[row] != NULL; row++) {
		printf("\n# %-18s", all.names[row]);
		for (size_t kind = EVENT_EXITED; kind < KINDS; kind++)
			if (kinds[kind] != NULL)
				printf("%10zu", all.met[row][kind]);
	}
	printf("\n");
}

int
main(int argc, char **argv)
{
	all.more = argc > 1 && strcmp(argv[1], "all") == 0;
	RUN(the_laws_hold_in_each_state_that_can_be_reached);
	return DONE();
}
