/* SPDX-License-Identifier: MIT */

#include <stddef.h>

#include "problem.h"

const char *
problem_text(enum problem problem)
{
	static const char *const texts[PROBLEMS] = {
		[PROBLEM_EMPTY] = "empty",
		[PROBLEM_EMPTY_ITEM] = "empty item",
		[PROBLEM_TOO_LONG] = "too long",
		[PROBLEM_NO_MEMORY] = "too long: out of memory",
		[PROBLEM_UNKNOWN] = "unknown",

		[PROBLEM_NOT_A_NUMBER] = "not a number",
		[PROBLEM_NOT_WHOLE] = "not a whole number",
		[PROBLEM_NOT_A_COUNT] = "not a count",
		[PROBLEM_NEGATIVE] = "negative",
		[PROBLEM_HEXADECIMAL] = "hexadecimal",
		[PROBLEM_EXPONENT] = "with an exponent",
		[PROBLEM_TOO_SMALL] = "too small",
		[PROBLEM_TOO_LARGE] = "too large",
		[PROBLEM_NOT_POSITIVE] = "not more than 0",
		[PROBLEM_DECIMALS] = "more than three decimals",
		[PROBLEM_OVER_MILLION] = "more than a million",
		[PROBLEM_NOT_A_RATIO] = "not a ratio",
		[PROBLEM_OVER_1] = "more than 1",
		[PROBLEM_NOT_PERCENT] = "neither a duration nor a percentage",
		[PROBLEM_PERCENT_RANGE] = "not above 0% and at most 100%",

		[PROBLEM_NO_UNIT] = "the last number has no unit",
		[PROBLEM_UNIT] = "unknown unit",
		[PROBLEM_UNIT_ORDER] = "units out of order (largest first)",
		[PROBLEM_OVER_10000_DAYS] = "longer than 10000 days",

		[PROBLEM_NOT_A_STATUS] =
		    "not an exit status (use 1, 1-5 or 1,5)",
		[PROBLEM_NOT_A_RANGE] = "not a range of exit statuses",
		[PROBLEM_OVER_255] = "exit statuses end at 255",
		[PROBLEM_BACKWARDS] = "a range that runs backwards",
		[PROBLEM_HARMLESS_SIGNAL] = "this signal ends nothing",

		[PROBLEM_COUNT_0] = "the number must be more than 0",
		[PROBLEM_WINDOW_0] = "the time after / must be more than 0",
		[PROBLEM_WINDOW_COUNT] =
		    "the number before / must be at most 100",
		[PROBLEM_TOO_MANY_LIMITS] = "too many limits",
		[PROBLEM_ATTEMPTS_TWICE] =
		    "the number of attempts is given twice",

		[PROBLEM_NOT_NAME_VALUE] = "not NAME=VALUE",
		[PROBLEM_PARAM] = "unknown parameter",
		[PROBLEM_GIVEN_TWICE] = "given twice",
		[PROBLEM_NO_VALUE] = "without a value",
		[PROBLEM_NO_COUNT] = "takes no count",
		[PROBLEM_NO_LIST] =
		    "its values are missing, as in list:1s,5s,30s",
		[PROBLEM_UP_AND_DOWN] = "needs its parameters up and down",

		[PROBLEM_NO_FILE] = "no file is named",
		[PROBLEM_NO_FORMAT] =
		    "a format precedes the file, as in text:FILE",

		[PROBLEM_PATTERN] = "not a regular expression",
		[PROBLEM_PATTERN_LONG] = "longer than 1024 bytes",
		[PROBLEM_PATTERN_LARGE] =
		    "its repetitions would take too much memory",
		[PROBLEM_ESCAPE] = "this backslash has no meaning in POSIX",
		[PROBLEM_ESCAPE_END] = "backslash at the end",
		[PROBLEM_MARKED_GROUP] =
		    "(? is not POSIX, except (?i) at the beginning",
		[PROBLEM_EMPTY_ALTERNATIVE] =
		    "an empty alternative or group, which matches any line",
		[PROBLEM_REPEATED_TWICE] =
		    "a repetition of a repetition, such as *?, is not POSIX",
		[PROBLEM_REPEATS_NOTHING] = "nothing to repeat",
		[PROBLEM_REPEAT_COUNT] = "bad repetition count",
		[PROBLEM_OPEN_BRACE] =
		    "unmatched {; write \\{ for the character",
		[PROBLEM_OPEN_BRACKET] =
		    "unmatched [; write \\[ for the character",
		[PROBLEM_OPEN_GROUP] =
		    "unmatched (; write \\( for the character",
		[PROBLEM_CHARACTER_CLASS] = "unknown character class",
		[PROBLEM_COLLATING] = "unknown collating element",
		[PROBLEM_NO_GROUP] =
		    "put ( ) around the delay, as in 'Retry-After: (.*)'",
	};

	return texts[problem];
}
