/* SPDX-License-Identifier: MIT */

#ifndef FIGURE_H
#define FIGURE_H

#include "core/interval.h"

/* Numbers with no more digits than are known of them. */

/* Room for one. */
#define FIGURE_TEXT 128

/*
 * What the last digit of a number stands for, if it lies in this interval: some
 * sixth of it, or less, as a power of ten.  0 if the number is exact.
 */
double figure_place(struct interval interval);

/* The digits behind the point of a number whose last digit stands for this. */
int figure_decimals(double place);

/*
 * A share: "3.5%"; `place` is of the share, not of the percentage, and 0 gives
 * two digits of the distance from 0 % or from 100 %, whichever is nearer.
 */
const char *figure_percent(double share, double place, char text[FIGURE_TEXT]);

/* A share and its interval: "3.5% (95%: 1.7-7.0%)" or "0% (95%: at most 1%)" */
const char *figure_share(double share, struct interval interval,
    char text[FIGURE_TEXT]);

/* The same, if the share itself is known only to be between two. */
const char *figure_shares(double low, double high, struct interval interval,
    char text[FIGURE_TEXT]);

/* At least 1, rounded down to two digits: "23,000". */
const char *figure_rough(double number, char text[FIGURE_TEXT]);

#endif
