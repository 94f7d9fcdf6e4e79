/* SPDX-License-Identifier: MIT */

#ifndef PROBLEM_H
#define PROBLEM_H

/*
 * A parser returns NULL, or what is wrong with the text: words that fit after
 * "invalid --delay '3x': ".  These have a name, since a caller may know what
 * was meant; it compares the pointers.
 */
extern const char problem_unknown[];
extern const char problem_unit[];
extern const char problem_not_whole[];
extern const char problem_over_255[];
extern const char problem_param[];
extern const char problem_not_name_value[];
extern const char problem_not_a_ratio[];
extern const char problem_over_1[];
extern const char problem_escape[];
extern const char problem_no_format[];

#endif
