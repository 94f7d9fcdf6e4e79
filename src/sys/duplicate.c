/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/duplicate.h"
#include "sys/file.h"

void
duplicate_open(struct duplicate *duplicate, const struct options *options,
    bool logged)
{
	struct stat out, error;

	*duplicate = (struct duplicate){
		.warns = !logged && !options->quiet && options->trials == 0 &&
		    options->output == OUTPUT_STREAM &&
		    options->origin[OPTION_OUTPUT] == ORIGIN_DEFAULT &&
		    fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode) &&
		    fstat(STDERR_FILENO, &error) == 0 &&
		    !file_is_same(&out, &error),
	};
}

void
duplicate_begin(struct duplicate *duplicate, bool failed)
{
	if (!duplicate->warns)
		return;
	if (failed && duplicate->grew) {
		duplicate->warns = false;
		warnx("a failed attempt wrote to standard output; "
		      "--output=hold keeps that out");
	}
	duplicate->grew = false;
	duplicate->end = lseek(STDOUT_FILENO, 0, SEEK_CUR);
}

void
duplicate_end(struct duplicate *duplicate)
{
	duplicate->grew = duplicate->warns &&
	    lseek(STDOUT_FILENO, 0, SEEK_CUR) != duplicate->end;
}
