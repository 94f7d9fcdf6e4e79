/*
 * retry runs a command until it succeeds.
 *
 * A map of the source.  core/ decides, cli/ talks and sys/ touches the system;
 * each uses only itself and those above it.
 *
 *   core/     decides; no I/O of any kind
 *     duration    text to and from seconds
 *     number      powers and the like, without the mathematical library
 *     signals     signals by name, and what they mean for a run
 *     outcome     how an attempt ended, and the exit status of that; sets of
 *                 outcomes: statuses, ranges, names, classes
 *     verdict     the rules by which an outcome is success, retry or stop
 *     limits      --attempts: how many failures of which kind give up
 *     random      uniform draws, from a seed or (tests) from a script
 *     backoff     the table of strategies; the nominal delay before retry n
 *     jitter      the table of jitters; the range and the draw
 *     budget      tokens that retries are paid from, as numbers and as text
 *     search      looks for patterns in the lines of an attempt's output
 *     hint        reads how long a server asks to wait
 *     control     reads the verdict that an attempt gives itself
 *     policy      the options that concern the engine
 *     record      an event of a run, for all reports
 *     delay       the length of a wait, with jitter and hints
 *     engine      the run as a state machine: events in, actions and records
 *                 out
 *     state       the backoff from one run to the next, as text
 *     text        makes text harmless, trims it, sums it up; comma lists
 *   cli/      talks with people and programs; argv, text and FILE * only
 *     options     argv to struct options, by their table
 *     option_rows the table: name, type, help and target of each; presets
 *     habits      the words of other programs, and the nearest of ours
 *     conflicts   options that contradict or complete each other
 *     help        prints the tables as --help
 *     message     the lines for people
 *     report      records, told to logs as text
 *     report_tty, report_json, report_junit, report_github
 *                 the formats that are more than text
 *     plan        a driver of the engine on an imaginary clock, which reads
 *                 the outcomes from a script, and their chances
 *     plan_table  prints a plan as a table with bars
 *   sys/      touches the system: processes, clocks, descriptors, files
 *     loop        a driver of the engine on libev and real processes
 *     events      a libev loop whose failures end in a message
 *     signal_queue
 *                 signals, which wait until the loop reads them
 *     child       starts a process cleanly, with RETRY_*; signals it
 *     tree        ends all that a timed-out attempt has started
 *     logs        opens the logs, and looks at terminals
 *     input       the standard input of attempts
 *     output      decides what becomes of the output of attempts
 *     collector   the process that holds it, searches it or passes it on
 *     control_file
 *                 the file in which an attempt gives its own verdict
 *     spool       temporary files without a name
 *     state_file  the state in a file, which one run at a time has
 *     budget_file the tokens in a file that processes share
 *     notify      tells systemd where the run stands
 *     zone        when clocks in a time zone show a time of day
 *     file        opens, compares and replaces files; descriptors above 2
 */

#include <err.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/help.h"
#include "cli/options.h"
#include "cli/plan.h"
#include "core/outcome.h"
#include "sys/logs.h"
#include "sys/loop.h"

/* Room for PROGRAM, ": " and the name of the run. */
#define OWN_NAME (MESSAGE_PART + sizeof(PROGRAM) + 1)

/* Help, version or a plan that could not be written did not succeed. */
static int
written(void)
{
	if (fflush(stdout) == EOF || ferror(stdout)) {
		warn("standard output");
		return STATUS_OWN_FAILURE;
	}
	return EXIT_SUCCESS;
}

/*
 * Does what the options ask for; returns the exit status.  All that `retry`
 * says from the start of a run on begins with `own_name`, and names the run.
 */
static int
act(struct options *options, char own_name[OWN_NAME])
{
	const struct policy *policy = &options->policy;
	struct random *random = &options->random;
	struct report report;
	char name[MESSAGE_PART];

	/* To reach the limit on file sizes is an error, as a full disk is. */
	if (options->help || options->version || options->plan)
		signal(SIGXFSZ, SIG_IGN);
	if (options->help) {
		help_topics[options->help_topic].print();
		return written();
	}
	if (options->version) {
		printf("%s %s\n", PROGRAM, VERSION);
		return written();
	}
	/* Without --seed each run draws anew. */
	if (options->origin[OPTION_SEED] == ORIGIN_DEFAULT &&
	    (policy->splay > 0 || policy->backoff.strategy->random ||
		!policy->jitter.kind->fixed))
		while (getrandom(&random->seed, sizeof(random->seed), 0) == -1)
			if (errno != EINTR)
				err(STATUS_OWN_FAILURE,
				    "cannot seed the random draws");
	logs_open(&report, options);
	if (options->plan) {
		logs_begin(&report);
		if (options->warning != NULL)
			warnx("%s", options->warning);
		const struct screen screen = logs_screen(STDOUT_FILENO);

		plan_run(options, &report, &screen);
		const int status = written();
		report_close(&report);
		return status;
	}
	message_name(options, name);
	if (*name != '\0')
		snprintf(own_name, OWN_NAME, "%s: %s", PROGRAM, name);
	return loop_run(options, &report);
}

int
main(int argc, char **argv)
{
	char problem[OPTIONS_PROBLEM];
	char own_name[OWN_NAME] = PROGRAM;
	char line[PIPE_BUF];
	struct options options;

	/* Not every libc would allocate room for whole lines. */
	setvbuf(stderr, line, _IOLBF, sizeof(line));
	/* However it was called: that name may be anything. */
	program_invocation_name = program_invocation_short_name = own_name;
	if (getauxval(AT_SECURE) != 0)
		errx(STATUS_OWN_FAILURE, "refuses to run setuid or setgid");
	if (options_parse(argc, argv, &options, problem) == -1)
		errx(STATUS_OWN_FAILURE, "%s (try '" PROGRAM " --help%s%s')",
		    problem, options.topic == NULL ? "" : "=",
		    options.topic == NULL ? "" : options.topic);
	const int status = act(&options, own_name);
	options_free(&options);
	exit(status); /* not return: `line` is the buffer of stderr */
}
