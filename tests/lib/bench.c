/* SPDX-License-Identifier: MIT */

/*
 * Measures commands side by side: they take turns, in changing order, so that
 * what else the machine does falls on all of them alike.
 *
 *   bench shots ROUNDS COMMAND...   each a line of words without quotes
 *   bench signal COUNT RETRY        from kill(2) to the attempt's wake-up
 *   bench limit COUNT FILE          the least that COUNT attempts can cost
 */

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS 64

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

/* Runs a line of words once; the seconds that it took. */
static double
shot(const char *line)
{
	char *copy = strdup(line), *rest = copy, *words[WORDS + 1];
	int count = 0, status;
	pid_t pid;

	while (count < WORDS && (words[count] = strsep(&rest, " ")) != NULL)
		count++;
	words[count] = NULL;
	const double begun = now();
	const int error =
	    posix_spawnp(&pid, words[0], NULL, NULL, words, environ);
	if (error != 0)
		errc(EXIT_FAILURE, error, "%s", words[0]);
	if (waitpid(pid, &status, 0) == -1)
		err(EXIT_FAILURE, "waitpid");
	const double took = now() - begun;
	free(copy);
	return took;
}

static void
shots(size_t rounds, char **lines, size_t count)
{
	double *times = calloc(rounds * count, sizeof(*times));
	double limit = 0, least = 0;

	if (times == NULL)
		err(EXIT_FAILURE, "calloc");
	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < count; i++) {
			const size_t turn = (i + round) % count;

			times[turn * rounds + round] = shot(lines[turn]);
		}
	for (size_t i = 0; i < count; i++) {
		double *own = times + i * rounds;
		const double median = quantile(own, rounds, 0.5);
		const double low = quantile(own, rounds, 0.25);

		if (i == 0) {
			limit = median;
			least = low;
		}
		printf("%10.3f ms  %6.2f  %6.2f  %s\n", median * 1e3,
		    median / limit, low / least, lines[i]);
	}
	free(times);
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

/* What cannot be saved: a process, a program, a wait. */
static void
limit(char **words)
{
	const pid_t pid = vfork();

	if (pid == 0) {
		execv(words[0], words);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "echo") == 0)
		echo_signals();
	if (argc < 4)
		errx(EXIT_FAILURE, "shots|signal|limit COUNT WORD...");
	const size_t count = (size_t)strtoul(argv[2], NULL, 10);
	if (strcmp(argv[1], "shots") == 0)
		shots(count, argv + 3, (size_t)argc - 3);
	else if (strcmp(argv[1], "signal") == 0)
		signals(count, argv[0], argv[3]);
	else
		for (size_t i = 0; i < count; i++)
			limit(argv + 3);
	return EXIT_SUCCESS;
}
