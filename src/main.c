/* SPDX-License-Identifier: MIT */

/*
 * retry runs a command until it succeeds.
 *
 * A map of the source; src/README.md explains how to change it.  Each directory
 * uses only itself and those above it.
 *
 *   core/     decides; no I/O of any kind
 *     duration    text to and from seconds
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
 *     sieve       many texts in a line at once
 *     line        a line of output: prefixes, what proves nothing, its quote
 *     health      the probes of an attempt: when, and what they tell
 *     hint        reads how long a server asks to wait
 *     policy      the options that concern the run
 *     process     the end of a process: its phases and their deadlines
 *     attempt     one execution of the command, and what came of it
 *     record      an event of a run, for all reports
 *     delay       the length of a wait, with jitter and hints
 *     end         how a run ends: its reason and exit status
 *     retries     what a run has counted, and the delays that follow from it
 *     run         attempt, judge, give up or wait, again: the whole run, for
 *                 any driver
 *     state       the backoff from one run to the next, as text
 *     text        makes text harmless, trims it, sums it up; comma lists
 *   report/   writes records as text, for people and for programs
 *     message     the lines for people
 *     page        text on a screen, broken between words
 *     report      writes records to logs, by the table of formats; escapes text
 *     text, tty, json, junit, github
 *                 the formats
 *     attempts    attempts that ended, as text, for the formats that list them
 *   plan/     simulates runs
 *     plan        shows a run that did not happen, and what others come to
 *     script      reads how the attempts of a plan end
 *     table       prints a plan as a table with bars
 *     bound       how long a run can last at most
 *     figures     what many simulated runs come to
 *     clients     many runs at once against one service, and their chart
 *     simulation  a driver of runs on an imaginary clock
 *   options/  reads argv
 *     argv        the command line to struct options
 *     options     all that the user asked for
 *     rows        the table: name, type, help and target of each; sets them
 *     presets     reads and applies presets, the built-in ones from a table
 *     file        reads a file of options
 *     suggest     what to type instead of a word that is slightly wrong, or
 *                 that belongs to another program
 *     derive      derives the policy from the options
 *     conflicts   options that contradict each other, and probable mistakes
 *     help        --help: a screen, tables, or pieces of the manual
 *     manual_text the manual, cut into pieces at build time by scripts/manual
 *   sys/      runs processes; clocks, descriptors, files
 *     loop        a driver of runs on libev and real processes
 *     job         the process that runs: an attempt, a check, a hook
 *     receiver    signals to `retry`, and to whom they are passed on
 *     events      a libev loop whose failures end in a message; the clock
 *     child       starts a process cleanly, with RETRY_*; signals it
 *     execute     the exec itself: $PATH, and scripts without #!
 *     tree        ends all that a timed-out attempt has started
 *     terminal    gives a terminal back as a killed process found it
 *     logs        opens the logs, and has the formats tell records to them
 *     messages    writes messages to standard error, but not for ever
 *     sink        writes without waiting for the reader
 *     screen      finds out what a terminal can show, and in which colours
 *     input       the standard input of attempts
 *     output      decides where the output of attempts goes; warns of a file
 *                 that has got the output of a failed one
 *     collector   reads it in the loop, and holds, searches or passes it on
 *     command     finds why a command could not be executed
 *     spool       temporary files without a name
 *     oom         the kernel's count of processes that ran out of memory
 *     probe       the process of --health, next to an attempt
 *     state_file  the state in a file, which one run at a time has
 *     budget_file the tokens in a file that processes share
 *     notify      tells systemd what the run and its attempts have to say
 *     relay       the socket on which an attempt speaks to systemd
 *     hinted      the wait that output asks for, perhaps until a date
 *     zone        when clocks in a time zone show a time of day
 *     file        opens, compares and replaces files; descriptors above 2
 */

#include <err.h>
#include <errno.h>
#include <link.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "options/help.h"
#include "options/argv.h"
#include "plan/plan.h"
#include "core/outcome.h"
#include "core/text.h"
#include "sys/command.h"
#include "sys/logs.h"
#include "sys/loop.h"
#include "sys/messages.h"
#include "sys/terminal.h"

/* The stack that `retry` and its forked children need, in bytes. */
#define STACK_LEAST (192 * 1024)

/* Room for PROGRAM, ": " and the name of the run. */
#define OWN_NAME (MESSAGE_PART + sizeof(PROGRAM) + 1)

/* Failing to write help, the version or a plan is a failure. */
static int
flush_stdout(void)
{
	if (fflush(stdout) == EOF || ferror(stdout)) {
		warn("standard output");
		return STATUS_OWN_FAILURE;
	}
	return EXIT_SUCCESS;
}

/*
 * Without --seed each run draws a new seed; from the clock, if a sandbox
 * forbids getrandom(2).  arc4random_buf(3) would take a fifth of the
 * instructions of a short run.
 */
static uint64_t
draw_seed(void)
{
	struct timespec time;
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed)) {
		clock_gettime(CLOCK_REALTIME, &time);
		seed = text_checksum(&time, sizeof(time));
	}
	/* All programs that read JSON know numbers of 53 bits. */
	return seed >> 11;
}

/* Prints help, the version or a plan; returns the exit status. */
static int
show(const struct options *options)
{
	const struct screen screen =
	    screen_of(STDOUT_FILENO, options->style.color);
	struct report report;

	/* The limit on file sizes is an error, as a full disk is. */
	signal(SIGXFSZ, SIG_IGN);
	if (options->help) {
		help_print(options->text[OPTION_HELP], &screen);
		return flush_stdout();
	}
	if (options->version) {
		printf("%s %s\n", PROGRAM, VERSION);
		return flush_stdout();
	}
	logs_open(&report, options);
	if (options->warning != NULL)
		warnx("%s", options->warning);
	plan_run(options->text[OPTION_PLAN], &report, &screen, PLAN_STEPS);
	const int status = flush_stdout();
	logs_close(&report);
	return status;
}

/*
 * Runs the command.  From here on all messages begin with `own_name`, which
 * gets the name of the run, too.
 */
static int
run(const struct options *options, char own_name[OWN_NAME])
{
	struct report report;
	char name[MESSAGE_PART];

	logs_open(&report, options);
	message_name(&report.style, name);
	if (*name != '\0')
		snprintf(own_name, OWN_NAME, "%s: %s", PROGRAM, name);
	return loop_run(options, &report);
}

/*
 * Whether this process has rights that its parent has not.  The kernel sets
 * AT_SECURE also if SELinux or AppArmor changes the domain, as it may for the
 * first process of a container; such a change gives no rights.
 */
static bool
is_privileged(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (getuid() != geteuid() || getgid() != getegid())
		return true;
	return getauxval(AT_SECURE) != 0 && getuid() != 0 &&
	    syscall(SYS_capget, &header, sets) == 0 &&
	    (sets[0].permitted | sets[1].permitted) != 0;
}

static void
check_stack(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 &&
	    limit.rlim_cur < STACK_LEAST)
		errx(STATUS_OWN_FAILURE,
		    "the stack is limited to %llu KiB, but %d are needed: "
		    "ulimit -s",
		    (unsigned long long)limit.rlim_cur / 1024,
		    STACK_LEAST / 1024);
}

/*
 * A static program relocates itself, and with musl leaves writable what it has
 * relocated.  In a dynamic program the linker protects that.
 */
static void
protect_relocated(void)
{
	/* NOLINTNEXTLINE(bugprone-reserved-identifier) the linker sets it */
	extern const ElfW(Ehdr) __ehdr_start;
	const uintptr_t start = (uintptr_t)&__ehdr_start;
	const uintptr_t base = __ehdr_start.e_type == ET_DYN ? start : 0;
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) it is an address */
	const ElfW(Phdr) *rows = (const void *)(start + __ehdr_start.e_phoff);

	if (getauxval(AT_BASE) != 0)
		return; /* a dynamic program */
	for (int i = 0; i < __ehdr_start.e_phnum; i++) {
		const uintptr_t begin = base + rows[i].p_vaddr;
		const uintptr_t from = begin & ~(page - 1);
		const uintptr_t to = (begin + rows[i].p_memsz) & ~(page - 1);

		if (rows[i].p_type == PT_GNU_RELRO)
			/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
			mprotect((void *)from, to - from, PROT_READ);
	}
}

int
main(int argc, char **argv)
{
	char problem[ARGV_PROBLEM];
	char own_name[OWN_NAME] = PROGRAM;
	struct options options;

	protect_relocated();
	/* Not argv[0], which may be anything. */
	program_invocation_name = program_invocation_short_name = own_name;
	check_stack();
	if (is_privileged())
		errx(STATUS_OWN_FAILURE,
		    "refuses to run setuid, setgid or "
		    "with capabilities of its file");
	if (argc < 2) {
		help_usage(stderr);
		fprintf(stderr, "More: " PROGRAM " --help, man " PROGRAM "\n");
		exit(STATUS_OWN_FAILURE);
	}
	if (argv_parse(argc, argv, &options, problem) == -1)
		errx(STATUS_OWN_FAILURE, "%s (try '" PROGRAM " --help%s%s')",
		    problem, options.topic == NULL ? "" : "=",
		    options.topic == NULL ? "" : options.topic);
	options.path = command_path();
	if (options.origin[OPTION_SEED] == ORIGIN_DEFAULT)
		options.style.seed = draw_seed();
	const int status = options.help || options.version || options.plan
	    ? show(&options)
	    : run(&options, own_name);
	options_free(&options);
	return status;
}
