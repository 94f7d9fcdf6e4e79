/* SPDX-License-Identifier: MIT */

#include "problem.h"

const char problem_unknown[] = "unknown";
const char problem_unit[] = "unknown unit";
const char problem_not_whole[] = "not a whole number";
const char problem_over_255[] = "exit statuses end at 255";
const char problem_param[] = "unknown parameter";
const char problem_not_name_value[] = "not NAME=VALUE";
const char problem_not_a_ratio[] = "not a ratio";
const char problem_over_1[] = "more than 1";
const char problem_escape[] = "this backslash has no meaning in POSIX";
const char problem_no_format[] = "name the format first";
