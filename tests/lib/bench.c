/* SPDX-License-Identifier: MIT */

/*
 * Measures commands side by side: they take turns, in random order, so that
 * other work of the machine falls on all of them alike.
 *
 *   bench shots ROUNDS COMMAND...   each a line of words without quotes
 *   bench signal COUNT RETRY        from kill(2) to the attempt's wake-up
 */

#include <err.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS 64

/* How many copies scripts/bench makes of each program. */
#define COPIES 4

extern char **environ;

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int
by_size(const void *a, const void *b)
{
	const double *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

/* Sorts; the value below which the share of all lies. */
static double
quantile(double *values, size_t count, double share)
{
	qsort(values, count, sizeof(*values), by_size);
	return values[(size_t)(share * (double)(count - 1))];
}

/* A command, and what its runs took. */
struct command {
	char *line;
	double *times;	/* seconds */
	double *faults; /* of pages, which needed no disk */
};

/*
 * Runs a line of words once.  If its program has copies, NAME.0 and so on, the
 * round chooses one: where a file lies in memory makes a difference.
 */
static void
shot(const struct command *command, size_t round)
{
	char *copy = strdup(command->line), *rest = copy;
	char *words[WORDS + 1], name[256];
	struct rusage usage;
	int count = 0, status;
	pid_t pid;

	while (count < WORDS && (words[count] = strsep(&rest, " ")) != NULL)
		count++;
	words[count] = NULL;
	snprintf(name, sizeof(name), "%s.%zu", words[0], round % COPIES);
	if (access(name, X_OK) == 0)
		words[0] = name;
	const double begun = now();
	const int error =
	    posix_spawnp(&pid, words[0], NULL, NULL, words, environ);
	if (error != 0)
		errc(EXIT_FAILURE, error, "%s", words[0]);
	if (wait4(pid, &status, 0, &usage) == -1)
		err(EXIT_FAILURE, "wait4");
	command->times[round] = now() - begun;
	command->faults[round] = (double)usage.ru_minflt;
	free(copy);
}

/*
 * Prints the median of each command's times and page faults, and the ratios of
 * its quartiles and its median to those of the last command above it whose name
 * has "floor", or of the first command.
 */
static void
shots(size_t rounds, char **lines, size_t count)
{
	struct command *commands = calloc(count, sizeof(*commands));
	size_t *order = calloc(count, sizeof(*order));
	double low = 0, middle = 0, high = 0;

	if (commands == NULL || order == NULL)
		err(EXIT_FAILURE, "calloc");
	for (size_t i = 0; i < count; i++) {
		order[i] = i;
		commands[i].line = lines[i];
		commands[i].times = calloc(rounds, sizeof(double));
		commands[i].faults = calloc(rounds, sizeof(double));
		if (commands[i].times == NULL || commands[i].faults == NULL)
			err(EXIT_FAILURE, "calloc");
	}
	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < count; i++) {
			const size_t chosen =
			    i + (size_t)random() % (count - i);
			const size_t turn = order[chosen];

			order[chosen] = order[i];
			order[i] = turn;
			shot(&commands[turn], round);
		}
	for (size_t i = 0; i < count; i++) {
		double *times = commands[i].times;
		const double first = quantile(times, rounds, 0.25);
		const double median = quantile(times, rounds, 0.5);
		const double third = quantile(times, rounds, 0.75);

		if (i == 0 || strstr(lines[i], "floor") != NULL) {
			low = first;
			middle = median;
			high = third;
		}
		printf("%10.3f ms  %5.2f (%.2f-%.2f) %5.0f faults  %s\n",
		    median * 1e3, median / middle,
		    fmin(first / low, third / high),
		    fmax(first / low, third / high),
		    quantile(commands[i].faults, rounds, 0.5), lines[i]);
		free(times);
		free(commands[i].faults);
	}
	free(order);
	free(commands);
}

/* The attempt of bench signal: tells when a signal came. */
static void
echo_signals(void)
{
	sigset_t set;
	double time;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (time = now();; time = now()) {
		if (write(STDOUT_FILENO, &time, sizeof(time)) == -1)
			err(EXIT_FAILURE, "write");
		sigwaitinfo(&set, NULL);
	}
}

static void
signals(size_t count, char *program, char *retry)
{
	char *words[] = { retry, (char[]){ "-q" }, program, (char[]){ "echo" },
		NULL };
	double *times = calloc(count, sizeof(*times)), heard;
	posix_spawn_file_actions_t actions;
	int ends[2];
	pid_t pid;

	if (times == NULL || pipe(ends) == -1)
		err(EXIT_FAILURE, "pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	const int error =
	    posix_spawnp(&pid, retry, &actions, NULL, words, environ);
	if (error != 0)
		errc(EXIT_FAILURE, error, "%s", retry);
	if (read(ends[0], &heard, sizeof(heard)) != sizeof(heard))
		err(EXIT_FAILURE, "read");
	for (size_t i = 0; i < count; i++) {
		const double sent = now();

		kill(pid, SIGUSR1);
		if (read(ends[0], &heard, sizeof(heard)) != sizeof(heard))
			err(EXIT_FAILURE, "read");
		times[i] = heard - sent;
		usleep(200);
	}
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	printf("median %.3f ms, p99 %.3f ms\n",
	    quantile(times, count, 0.5) * 1e3,
	    quantile(times, count, 0.99) * 1e3);
	free(times);
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "echo") == 0)
		echo_signals();
	if (argc < 4)
		errx(EXIT_FAILURE, "shots|signal COUNT WORD...");
	const size_t count = (size_t)strtoul(argv[2], NULL, 10);
	if (strcmp(argv[1], "shots") == 0)
		shots(count, argv + 3, (size_t)argc - 3);
	else
		signals(count, argv[0], argv[3]);
	return EXIT_SUCCESS;
}
