/* SPDX-License-Identifier: MIT */

/*
 * hear FILE LAST: appends to FILE "ready", then the number of each signal that
 * it receives, a line each.  LAST ends it, with status 0.
 */

#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
	sigset_t all;
	FILE *file;
	int number, last;

	if (argc != 3)
		errx(2, "usage: hear FILE LAST");
	last = (int)strtol(argv[2], NULL, 10);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	file = fopen(argv[1], "a");
	if (file == NULL)
		err(2, "%s", argv[1]);
	setvbuf(file, NULL, _IOLBF, 0);
	fprintf(file, "ready\n");
	do {
		number = sigwaitinfo(&all, NULL);
		if (number > 0)
			fprintf(file, "%d\n", number);
	} while (number != last);
	return 0;
}
