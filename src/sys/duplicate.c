/* SPDX-License-Identifier: MIT */

#include <sys/stat.h>
#include <unistd.h>

#include "sys/duplicate.h"
#include "sys/file.h"

void
duplicate_open(struct duplicate *duplicate, const struct options *options,
    struct messages *messages, bool logged)
{
	struct stat out, error;

	*duplicate = (struct duplicate){
		.messages = messages,
		.warns = !logged && !options->quiet &&
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
		say(duplicate->messages,
		    "the output file may now contain output of a failed "
		    "attempt; --output=hold keeps it out");
	}
	duplicate->grew = false;
	duplicate->end = file_offset(STDOUT_FILENO);
}

void
duplicate_end(struct duplicate *duplicate)
{
	duplicate->grew =
	    duplicate->warns && file_offset(STDOUT_FILENO) != duplicate->end;
}
