/* SPDX-License-Identifier: MIT */

/*
 * simulate [--seed N | --seconds N]
 *
 * Runs retry's loop, its processes and files on a kernel that dice play, and
 * holds what must be so of each run.  A seed says all: the options, what comes
 * of each process and when, the signals and the faults.  --seed tells one run
 * step by step.
 */

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "options/argv.h"
#include "plan/plan.h"
#include "core/signals.h"
#include "kernel.h"
#include "sys/logs.h"
#include "sys/messages.h"
#include "sys/terminal.h"
#include "tap.h"

#if defined(__SANITIZE_ADDRESS__)
#define SEEDS 3000
#else
#define SEEDS 6000
#endif

#define DESCRIPTORS 64
#define WORDS 48
#define LOG_MOST 65536

/* A descriptor that the logs of all runs go to. */
#define LOG_WORD "--log=json:fd:"

int __real_clock_gettime(clockid_t clock, struct timespec *time);
_Noreturn void __real_exit(int status);

static const char *const laws[LAWS] = {
	[LAW_ENDS] = "each run comes to an end",
	[LAW_REAPS] = "each process is waited for",
	[LAW_SIGNALS] = "no process that was reaped is signalled",
	[LAW_OVERLAP] = "attempts never overlap",
	[LAW_DESCRIPTORS] = "no descriptor is lost",
	[LAW_STATUS] = "the status fits the end that was told",
	[LAW_REASON] = "the reason of the end is one that there was",
	[LAW_TIME] =
	    "--max-time and --stop-timeout bound the run, but for its stops",
	[LAW_LOG] = "each attempt has its outcome in the log, in turn",
	[LAW_OBEYS] = "no attempt follows a signal that ends the run",
	[LAW_LOOKS] = "signals are looked at after a fork that failed",
	[LAW_PATIENCE] = "no process is ended before its time",
	[LAW_RELOAD] = "each reload is answered",
	[LAW_DESPAIR] = "only a process that lives is said not to end",
	[LAW_SPARES] =
	    "what a process starts because of its signal does not get it",
	[LAW_CONTINUES] = "no process is left stopped",
	[LAW_INPUT] = "each attempt finds the same input",
	[LAW_OUTPUT] = "held output goes out once, or never",
	[LAW_PLAN] = "a run without surprises goes as its plan says",
	[LAW_REPEATS] = "a seed always leads to the same run",
};

static struct {
	size_t broken[LAWS];
	size_t runs, refused, planned, attempts, processes, signals, steps;
	size_t ways[WAY_BROKE + 1];
	size_t reasons[REASONS];
	int log, messages;
	char text[LOG_MOST];
	char folder[64];
	char words[4096];
	size_t room;
	char *argv[WORDS + 1];
	int argc;
} simulation;

void
kernel_broke(enum law law, const char *format, ...)
{
	va_list arguments;

	if (simulation.broken[law]++ >= 3 && !kernel.told)
		return;
	printf("# seed %ju breaks: %s: ", (uintmax_t)kernel.seed, laws[law]);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n#   ");
	for (int i = 0; i < simulation.argc; i++)
		printf(" %s", simulation.argv[i]);
	putchar('\n');
}

/* --- what is run --- */

__attribute__((format(printf, 1, 2))) static void
word(const char *format, ...)
{
	char *text = simulation.words + simulation.room;
	va_list arguments;

	va_start(arguments, format);
	simulation.room += 1 +
	    (size_t)vsnprintf(text, sizeof(simulation.words) - simulation.room,
		format, arguments);
	va_end(arguments);
	simulation.argv[simulation.argc++] = text;
	simulation.argv[simulation.argc] = NULL;
}

/* One of the items that a list separates by blanks; "+" joins words. */
static void
some_words(const char *list)
{
	unsigned int count = 1;

	for (const char *at = list; *at != '\0'; at++)
		count += *at == ' ';
	for (unsigned int i = kernel_roll(count); i > 0; i--)
		list = strchr(list, ' ') + 1;
	for (size_t length; *list != '\0' && *list != ' '; list += length) {
		list += *list == '+';
		length = strcspn(list, " +");
		word("%.*s", (int)length, list);
	}
}

static void
draw_options(void)
{
	static const struct {
		unsigned int rarity; /* drawn once in so many runs */
		bool surprises;	     /* a plan does not know what comes of it */
		const char *list;
	} rows[] = {
		{ 2, false,
		    "-a1 -a2 -a3 -a8,2/10s -a6,timeout:2 -a9,1:2,any:4/5003ms" },
		{ 3, false, "-t1s -t2s -t500ms -t3s" },
		{ 6, true, "--idle-timeout=1s --idle-timeout=2s" },
		{ 5, true,
		    "--health=probe+--health-interval=500ms "
		    "--health=probe+--health-interval=1s+--health-retries=1 "
		    "--health=probe+--health-interval=200ms+"
		    "--health-timeout=500ms+--health-start-period=1s" },
		{ 3, false, "-k1s -k0 -k2s -k500ms" },
		{ 4, false, "--stop-timeout=500ms --stop-timeout=2s" },
		{ 4, false, "--leftovers=end --leftovers=spare" },
		{ 3, false, "-T3s -T6s -T10s -T1s" },
		{ 12, true, "-T6s+-t50% -T10s+-t20%" },
		{ 6, false, "-sINT -sTERM -sKILL -sUSR1 -s37 -sHUP" },
		{ 20, true, "-sWINCH" },
		{ 4, false,
		    "-bconstant -blinear -bfibonacci -bmimd:up=2,down=2 "
		    "-bpolynomial:power=2 -blist:1s,3s" },
		{ 3, false, "-d0 -d500ms -d2s -d250ms" },
		{ 4, false, "-jnone -jfull -jequal" },
		{ 8, false, "--pace=start --pace=start+--min-timeout=2s" },
		{ 8, false, "--wait-first --splay=2s" },
		{ 8, true, "--reset-after=1s --reset-after=0.5s" },
		{ 6, false, "--stop-on=4 --stop-on=9,KILL" },
		{ 6, false, "--retry-on=1,timeout --retry-on=1,9,75" },
		{ 8, false, "--free-on=75 --free-on=1" },
		{ 8, false, "--success-on=0,4 --success-on=9" },
		{ 8, false, "--throttle-on=9+--throttle-delay=2s" },
		{ 6, true,
		    "--success-match=x --stop-match=y --fail-match=z "
		    "--fail-match=z+--search=stderr" },
		{ 10, true, "--delay-match=(x)" },
		{ 6, false, "--check=check" },
		{ 6, false, "--preserve-status" },
		{ 3, false,
		    "--output=hold --output=all --output=last "
		    "--output=chronic --output=failed" },
		{ 8, false, "--stdin=replay --stdin=null" },
		{ 6, false, "--before-retry=gate" },
		{ 4, false, "--on-success=hook" },
		{ 4, false, "--on-give-up=hook" },
		{ 8, false,
		    "--repeat=2 --repeat=3 --repeat=2+--success-delay=1s" },
		{ 10, false, "-q -v" },
	};
	simulation.argc = 0;
	simulation.room = 0;
	word("retry");
	word("%s%d", LOG_WORD, simulation.log);
	word("--log=text");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!kernel_chance(rows[i].rarity) ||
		    (rows[i].surprises && kernel.simple))
			continue;
		some_words(rows[i].list);
	}
	if (kernel_chance(10))
		word("--budget=%s/budget%s", simulation.folder,
		    kernel.simple ? "" : ":tokens=1,success=0.5,rate=0.1");
	if (kernel_chance(4)) {
		word("--state=%s/state%s", simulation.folder,
		    kernel_chance(3) ? ":skip" : "");
		if (kernel_chance(2))
			word("--tolerate=%u", 1 + kernel_roll(3));
	}
	word("--seed=%u", kernel_roll(1000));
	word("--");
	word("command");
}

static void
draw_faults(void)
{
	static const int numbers[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT,
		SIGUSR1, SIGUSR2, SIGURG, SIGTSTP, SIGCONT, SIGWINCH, SIGTERM,
		SIGTTIN, SIGALRM, SIGURG, SIGNAL_RTMIN + 3 };

	kernel.no_terminal = kernel_chance(2);
	kernel.hangup_ignored = !kernel.simple && kernel_chance(8);
	kernel.faults = (struct faults){ .forks = false };
	kernel.input_left = (int)kernel_roll(4);
	kernel.input_at = kernel.clock;
	kernel.held_until = 0;
	if (kernel.simple)
		return;
	if (kernel_chance(8))
		kernel.held_until =
		    kernel.clock + kernel_roll(12) * (SECOND / 2);
	kernel.faults = (struct faults){
		.forks = kernel_chance(12),
		.files = kernel_chance(16),
		.readers = kernel_chance(6),
		.interrupts = kernel_chance(4),
		.stuck = kernel_chance(10),
		.subreaper = kernel_chance(20),
		.pidfds = kernel_chance(10),
		.saves = kernel_chance(8),
		.late = kernel_chance(6),
		.proc = kernel_chance(30),
	};
	for (unsigned int i = kernel_roll(5); i > 1; i--) {
		const unsigned int which =
		    kernel_roll(sizeof(numbers) / sizeof(*numbers));

		kernel.comes[kernel.coming].at =
		    kernel.clock + kernel_roll(32) * (SECOND / 4);
		kernel.comes[kernel.coming].number = numbers[which];
		kernel.comes[kernel.coming++].by_terminal = kernel_chance(3);
	}
}

/* --- what was told --- */

static void
empty(int file)
{
	if (ftruncate(file, 0) == -1 || lseek(file, 0, SEEK_SET) == -1)
		abort();
}

static char *
read_all(int file, char *text, size_t size)
{
	const ssize_t length = pread(file, text, size - 1, 0);

	text[length < 0 ? 0 : length] = '\0';
	return text;
}

/* The number of a field in a line of JSON; NAN if there is none. */
static double
field(const char *line, const char *name)
{
	char key[32];

	snprintf(key, sizeof(key), "\"%s\":", name);
	const char *at = strstr(line, key);
	if (at == NULL || strncmp(at + strlen(key), "null", 4) == 0)
		return NAN;
	return strtod(at + strlen(key), NULL);
}

static bool
has(const char *line, const char *name, const char *value)
{
	char key[64];

	snprintf(key, sizeof(key), "\"%s\":\"%s\"", name, value);
	return strstr(line, key) != NULL;
}

/* Fields of which only a plan, or only a run, knows the truth. */
static bool
is_free(const char *key)
{
	static const char *const names[] = { "time", "run", "pid", "user",
		"system", "timeout" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(key, names[i], strlen(names[i])) == 0 &&
		    key[strlen(names[i])] == '"')
			return true;
	return false;
}

/* Whether both lines say the same, but for what is free and some rounding. */
static bool
is_alike(const char *one, const char *other)
{
	while (*one != '\0' && *one == *other) {
		const char *key = one + 1;

		if (*one++ != '"') {
			other++;
			continue;
		}
		other++;
		const size_t length = strcspn(key, "\"");
		if (strncmp(key, other, length) != 0 || key[length] == '\0')
			return false;
		one = key + length + 1;
		other += length + 1;
		if (*one != ':' || *other != ':')
			continue;
		char *end, *other_end;
		const double a = strtod(one + 1, &end);
		const double b = strtod(other + 1, &other_end);
		if (end != one + 1 && other_end != other + 1 &&
		    (is_free(key) || fabs(a - b) < 1e-3)) {
			one = end;
			other = other_end;
		} else if (is_free(key)) {
			one += 1 + strcspn(one + 1, ",}");
			other += 1 + strcspn(other + 1, ",}");
		}
	}
	return *one == *other;
}

/* An outcome in the log as an item of a plan's script. */
static void
add_item(char *script, size_t size, const char *line)
{
	const size_t length = strlen(script);
	const double status = field(line, "status");
	char name[SIGNAL_NAME], item[64];

	if (has(line, "outcome", "timeout"))
		snprintf(item, sizeof(item), "timeout");
	else if (has(line, "outcome", "signal"))
		snprintf(item, sizeof(item), "%s:%.6fs",
		    signal_name((int)status, name), field(line, "duration"));
	else
		snprintf(item, sizeof(item), "%d:%.6fs", (int)status,
		    field(line, "duration"));
	snprintf(script + length, size - length, "%s%s", length == 0 ? "" : ",",
	    item);
}

/* The same options, as a plan with the outcomes that there were. */
static void
check_plan(const struct options *run, const char *log)
{
	static char script[8192], planned[LOG_MOST];
	char copy[LOG_MOST], *rest = copy, *other = planned;
	char problem[ARGV_PROBLEM];
	struct options options;
	struct report report;

	*script = '\0';
	snprintf(copy, sizeof(copy), "%s", log);
	for (char *line; (line = strsep(&rest, "\n")) != NULL;)
		if (has(line, "event", "outcome"))
			add_item(script, sizeof(script), line);
	/* A plan cannot say with what an attempt ended after its timeout. */
	if (run->policy.preserve_status && strstr(script, "timeout") != NULL)
		return;
	if (*script == '\0')
		snprintf(script, sizeof(script), "1");
	simulation.argc -= 2;
	word("--plan=%s", script);
	word("--");
	word("command");
	if (argv_parse(simulation.argc, simulation.argv, &options, problem) ==
	    -1) {
		kernel_broke(LAW_PLAN, "%s", problem);
		options_free(&options);
		return;
	}
	empty(simulation.log);
	/* The table is not looked at. */
	options.log_count = 1;
	FILE *const output = stdout;
	stdout = fopen("/dev/null", "w");
	logs_open(&report, &options);
	const struct screen screen = screen_of(simulation.log, COLOR_AUTO);
	plan_run(options.text[OPTION_PLAN], &report, &screen, 0);
	logs_close(&report);
	fclose(stdout);
	stdout = output;
	options_free(&options);
	simulation.planned++;
	read_all(simulation.log, planned, sizeof(planned));
	snprintf(copy, sizeof(copy), "%s", log);
	rest = copy;
	while (rest != NULL && other != NULL) {
		const char *line = strsep(&rest, "\n");
		char *plan = strsep(&other, "\n");
		char *figures =
		    plan == NULL ? NULL : strstr(plan, ",\"runs\":");

		/* Those of simulated runs, which no run has. */
		if (figures != NULL)
			strlcpy(figures, "}", 2);

		if (is_alike(line, plan))
			continue;
		/* So little before --max-time a run may be too late for it. */
		const char *next =
		    plan != NULL && has(plan, "event", "wait") ? other : plan;
		if (next != NULL && has(next, "event", "attempt") &&
		    field(next, "timeout") < 1e-3)
			return;
		kernel_broke(LAW_PLAN, "\n# run:  %s\n# plan: %s", line, plan);
		return;
	}
	if (rest != other)
		kernel_broke(LAW_PLAN, "the logs are of another length");
}

static enum reason
find_reason(const char *line)
{
	for (int i = REASON_SUCCESS; i <= REASON_ERROR; i++)
		if (has(line, "reason", reasons[i].name))
			return (enum reason)i;
	return REASON_NONE;
}

static bool
may_end_so(enum reason reason, const struct options *options)
{
	const struct policy *policy = &options->policy;

	switch (reason) {
	case REASON_NONE:
	case REASON_PLAN:
		return false;
	case REASON_SUCCESS:
		return kernel.attempts > 0;
	case REASON_STOP:
	case REASON_ATTEMPTS:
		return kernel.attempts > 0 || kernel.faults.forks ||
		    kernel.faults.files;
	case REASON_MAX_TIME:
		return policy->max_time > 0;
	case REASON_SIGNAL:
		return kernel.deadly;
	case REASON_BUDGET:
		return options->budget != NULL;
	case REASON_GATE:
		return options->text[OPTION_BEFORE_RETRY] != NULL;
	case REASON_HINT:
		return options->patterns.hint != NULL;
	case REASON_EARLY:
		return policy->early_skip;
	case REASON_ERROR:
		return kernel.failed;
	}
	return false;
}

static void
check_end(const struct options *options, enum way way, int status,
    const char *end)
{
	const struct policy *policy = &options->policy;
	const enum reason reason = find_reason(end);
	const int told = (int)field(end, "status");
	const bool tolerated = strstr(end, "\"tolerated\":true") != NULL;
	const double bound =
	    policy->splay + policy->max_time + policy->kill_after + 4;

	simulation.reasons[reason]++;
	if (!may_end_so(reason, options))
		kernel_broke(LAW_REASON, "%s", reasons[reason].name);
	if (way == WAY_RETURNED && status != told)
		kernel_broke(LAW_STATUS, "%d, but %d was told", status, told);
	if (way == WAY_DIED && 128 + kernel.died_of != told)
		kernel_broke(LAW_STATUS, "died of %d, but %d was told",
		    kernel.died_of, told);
	if (reason == REASON_SUCCESS && told != 0 && !policy->preserve_status)
		kernel_broke(LAW_STATUS, "success is %d", told);
	if (told == 0 && reason != REASON_SUCCESS && reason != REASON_SIGNAL &&
	    !(reason == REASON_GATE && policy->repeat) && !tolerated &&
	    !policy->preserve_status)
		kernel_broke(LAW_STATUS, "0 for %s", reasons[reason].name);
	if (tolerated && (told != 0 || policy->tolerate == 0))
		kernel_broke(LAW_STATUS, "%d is tolerated", told);
	/*
	 * SIGKILL, a search, a reader and a helper that hangs have a second
	 * each.
	 */
	if (kernel.deadly && !kernel.failed && policy->stop_timeout > 0 &&
	    kernel.released == 0 && !kernel.faults.late &&
	    !kernel.faults.stuck &&
	    (double)(kernel.clock - kernel.deadly_at - kernel.stopped) / 1e9 >
		policy->stop_timeout + 4)
		kernel_broke(LAW_TIME, "%g s after a signal",
		    (double)(kernel.clock - kernel.deadly_at) / 1e9);
	/* A reader that takes some of the output is waited for. */
	if (reason == REASON_MAX_TIME && policy->kill_after > 0 &&
	    kernel.released == 0 && !kernel.faults.late &&
	    !kernel.faults.stuck && field(end, "elapsed") > bound)
		kernel_broke(LAW_TIME, "%g s", field(end, "elapsed"));
}

/* The output of attempts, as --output says, and maybe messages. */
static void
check_output(const struct options *options, const char *end)
{
	const enum reason reason = find_reason(end);
	const bool tolerated = strstr(end, "\"tolerated\":true") != NULL;
	off_t due = 0;

	/* At the end of --max-time a reader may be too slow. */
	if (kernel.failed || kernel.deadly || reason == REASON_MAX_TIME ||
	    (options->policy.max_time > 0 &&
		field(end, "elapsed") >= options->policy.max_time) ||
	    !options_collects(options))
		return;
	/* All of some attempts is let out. */
	if (options->output == OUTPUT_FAILED) {
		if (kernel.released > kernel.written ||
		    (field(end, "failures") == 0 && kernel.released > 0))
			kernel_broke(LAW_OUTPUT, "%jd bytes, written %jd",
			    (intmax_t)kernel.released,
			    (intmax_t)kernel.written);
		return;
	}
	if (options->output == OUTPUT_HOLD || options->output == OUTPUT_ALL)
		due = kernel.written;
	else if (options->output == OUTPUT_LAST)
		due = kernel.written_last;
	else if (options->output == OUTPUT_CHRONIC && !tolerated &&
	    reason != REASON_SUCCESS && reason != REASON_EARLY)
		due = kernel.written;
	if (kernel.released < due ||
	    (options->output != OUTPUT_CHRONIC && kernel.released > due) ||
	    (due == 0 && kernel.written > 0 && kernel.released > 0))
		kernel_broke(LAW_OUTPUT, "%jd of %jd bytes, written %jd",
		    (intmax_t)kernel.released, (intmax_t)due,
		    (intmax_t)kernel.written);
}

static void
check_log(const struct options *options, enum way way, int status)
{
	const double limit = options->policy.max_time > 0
	    ? options->policy.splay + options->policy.max_time
	    : INFINITY;
	char copy[LOG_MOST], *rest = copy;
	double attempt = 0, outcomes = 0;
	bool ended = false, runs = false;

	snprintf(copy, sizeof(copy), "%s", simulation.text);
	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (*line == '\0')
			continue;
		/* A hook goes on after the end. */
		if (ended && !has(line, "event", "signal"))
			kernel_broke(LAW_LOG, "after the end: %s", line);
		if (has(line, "event", "attempt")) {
			if (runs || field(line, "attempt") <= attempt)
				kernel_broke(LAW_LOG, "%s", line);
			if (field(line, "elapsed") >= limit)
				kernel_broke(LAW_TIME, "%s", line);
			attempt = field(line, "attempt");
			runs = true;
		}
		if (has(line, "event", "outcome")) {
			if (!(field(line, "attempt") > outcomes) ||
			    has(line, "outcome", "none"))
				kernel_broke(LAW_LOG, "%s", line);
			outcomes = field(line, "attempt");
			runs = false;
		}
		if (has(line, "event", "end")) {
			ended = true;
			if (runs)
				kernel_broke(LAW_LOG, "no outcome: %s", line);
			check_end(options, way, status, line);
			check_output(options, line);
		}
	}
	if (!ended)
		kernel_broke(LAW_LOG, "no end");
}

/* --- a run --- */

static uint64_t
find_open(void)
{
	uint64_t open = 0;

	for (int i = 0; i < DESCRIPTORS; i++)
		if (fcntl(i, F_GETFD) != -1)
			open |= UINT64_C(1) << i;
	return open;
}

static void
check_processes(void)
{
	for (int i = 0; i < kernel.count; i++) {
		const struct process *process = &kernel.processes[i];
		/* A stop of retry itself is the shell's to handle. */
		if (!process->dead && process->stopped == SIGSTOP &&
		    !kernel.failed && !kernel.faults.proc && !kernel.suspended)
			kernel_broke(LAW_CONTINUES, "%d", process->pid);
		if (process->reaped || process->role == ROLE_ORPHAN ||
		    (process->role == ROLE_PROBE && process->timed_out) ||
		    kernel.abandoned)
			continue;
		if (kernel.options->policy.kill_after == 0)
			continue;
		kernel_broke(LAW_REAPS, "%d of role %d", process->pid,
		    process->role);
	}
}

static void
run_once(void)
{
	char problem[ARGV_PROBLEM];
	struct options options;
	struct report report;
	FILE *const error = stderr;
	int status;

	empty(simulation.log);
	empty(simulation.messages);
	if (argv_parse(simulation.argc, simulation.argv, &options, problem) ==
	    -1) {
		simulation.refused++;
		kernel_tell("refused: %s", problem);
		options_free(&options);
		return;
	}
	kernel_begin(&options);
	draw_faults();
	if (kernel.told) {
		printf("#");
		for (int i = 0; i < simulation.argc; i++)
			printf(" %s", simulation.argv[i]);
		putchar('\n');
	}
	const uint64_t before = find_open();
	logs_open(&report, &options);
	const enum way way = kernel_run(&options, &report, &status);
	/* A run that was left in its midst may have had its own. */
	stderr = error;
	if (kernel.signal_fd != -1)
		close(kernel.signal_fd);
	if (kernel.timer_fd != -1)
		close(kernel.timer_fd);
	if (kernel.lock_fd != -1)
		close(kernel.lock_fd);
	const uint64_t after = find_open();
	simulation.runs++;
	simulation.ways[way]++;
	simulation.attempts += (size_t)kernel.attempts;
	simulation.processes += (size_t)kernel.count;
	simulation.steps += (size_t)kernel.steps;
	read_all(simulation.log, simulation.text, sizeof(simulation.text));
	if (kernel.told)
		printf("# way %d, status %d, died of %d\n%s", way, status,
		    kernel.died_of, simulation.text);
	if (way == WAY_RETURNED || way == WAY_DIED) {
		/* A run that failed itself has no use for them any more. */
		if (after != before && !kernel.failed)
			kernel_broke(LAW_DESCRIPTORS, "%#jx before, %#jx after",
			    (uintmax_t)before, (uintmax_t)after);
		check_processes();
		check_log(&options, way, status);
		if (kernel.simple)
			check_plan(&options, simulation.text);
	} else if (way == WAY_EXITED) {
		if (status != 125)
			kernel_broke(LAW_STATUS, "exits %d", status);
		if (!kernel.failed)
			kernel_broke(LAW_REASON, "exits %d", status);
	}
	for (int i = 3; i < DESCRIPTORS; i++)
		if (after & ~before & UINT64_C(1) << i)
			close(i);
	options_free(&options);
}

/* All the runs of a seed, which may share a state and a budget. */
static void
run_seed(uint64_t seed)
{
	static const char *const files[] = { "state", "state.lock",
		"state.damaged", "state.new", "budget" };
	char name[128];

	kernel.seed = seed;
	kernel.rolled = 0;
	kernel.clock = 1000 * SECOND;
	kernel.simple = kernel_chance(3);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(name, sizeof(name), "%s/%s", simulation.folder,
		    files[i]);
		unlink(name);
	}
	draw_options();
	for (unsigned int i = kernel.simple ? 2 : kernel_roll(3); i < 3; i++) {
		run_once();
		kernel.clock += kernel_roll(8) * (SECOND / 2);
	}
}

static double
seconds_now(void)
{
	struct timespec time;

	__real_clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The runs of the last seed as text, to compare with. */
static void
check_repeats(uint64_t seed)
{
	static char log[LOG_MOST];
	const uint64_t rolled = kernel.rolled;
	size_t same = 0;

	memcpy(log, simulation.text, sizeof(log));
	run_seed(seed);
	while (log[same] != '\0' && log[same] == simulation.text[same])
		same++;
	if (kernel.rolled != rolled || log[same] != simulation.text[same])
		kernel_broke(LAW_REPEATS,
		    "%ju and %ju rolls, the log from byte %zu: %.60s, %.60s",
		    (uintmax_t)rolled, (uintmax_t)kernel.rolled, same,
		    log + same, simulation.text + same);
}

int
main(int argc, char **argv)
{
	char said[LOG_MOST];
	double seconds = INFINITY;
	uint64_t first = 1, count = SEEDS;
	int failed = 0;

	program_invocation_name = argv[0] = (char[]){ "retry" };
	/* Whoever starts this may have another, which retry would heed. */
	clearenv();
	setenv("NOTIFY_SOCKET", "@simulated", 1);
	/* So that children are forked: clone(2) is not simulated. */
	setenv("LD_PRELOAD", "", 1);
	for (int i = 1; i + 1 < argc; i += 2) {
		const uint64_t number = strtoull(argv[i + 1], NULL, 10);

		if (strcmp(argv[i], "--seed") == 0) {
			first = number;
			count = 1;
			kernel.told = true;
		} else if (strcmp(argv[i], "--seconds") == 0) {
			seconds = (double)number;
			count = UINT64_MAX;
		} else if (strcmp(argv[i], "--from") == 0)
			first = number;
	}
	snprintf(simulation.folder, sizeof(simulation.folder),
	    "%s/simulate.XXXXXX",
	    access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (mkdtemp(simulation.folder) == NULL)
		tap_bail_out(simulation.folder, strerror(errno));
	setenv("TMPDIR", simulation.folder, 1);
	simulation.log = memfd_create("log", 0);
	simulation.messages = memfd_create("messages", 0);
	const int inherited = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 60);
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	dup2(simulation.messages, STDERR_FILENO);
	setvbuf(stdout, NULL, _IOLBF, 0);

	const double begun = seconds_now();
	for (uint64_t i = 0; i < count && seconds_now() - begun < seconds;
	     i++) {
		run_seed(first + i);
		if (i % 100 == 0)
			check_repeats(first + i);
	}
	const double took = seconds_now() - begun;
	if (kernel.told)
		printf("%s\n",
		    read_all(simulation.messages, said, sizeof(said)));
	dup2(inherited, STDERR_FILENO);

	printf("# %zu runs (%zu refused, %zu also planned), %zu attempts, "
	       "%zu processes, %zu waits, %.0f runs a second\n",
	    simulation.runs, simulation.refused, simulation.planned,
	    simulation.attempts, simulation.processes, simulation.steps,
	    (double)simulation.runs / took);
	printf("# %zu returned, %zu died of a signal, %zu gave up at once;",
	    simulation.ways[WAY_RETURNED], simulation.ways[WAY_DIED],
	    simulation.ways[WAY_EXITED]);
	for (int i = REASON_SUCCESS; i <= REASON_ERROR; i++)
		printf(" %s %zu", reasons[i].name, simulation.reasons[i]);
	putchar('\n');
	for (int i = 0; i < LAWS; i++) {
		printf("%sok %d - %s\n", simulation.broken[i] > 0 ? "not " : "",
		    i + 1, laws[i]);
		failed += simulation.broken[i] > 0;
	}
	printf("1..%d\n", LAWS);
	fflush(stdout);
	rmdir(simulation.folder);
	__real_exit(failed > 0);
}
