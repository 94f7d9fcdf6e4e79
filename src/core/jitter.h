/* SPDX-License-Identifier: MIT */

#ifndef JITTER_H
#define JITTER_H

#include "backoff.h"

/* How the cap and the jitter follow each other. */
enum jitter_order {
	JITTER_INSIDE,	   /* room is left below the cap, which binds */
	JITTER_BEFORE_CAP, /* cap, then jitter, then cap again */
	JITTER_AFTER_CAP   /* cap, then jitter, which may pass it */
};

/* "inside", "before-cap", "after-cap"; a NULL ends them. */
extern const char *const jitter_orders[];

/* One row a kind: to add one, add a row. */
struct jitter_kind {
	const char *name;    /* as the user writes it */
	const char *alias;   /* or NULL */
	const char *formula; /* of x, the clamped nominal delay, and u */
	const char *doc;
	bool fixed;   /* draws nothing */
	double least; /* the share of x for u = 0; u = 1 gives all of x */

	/*
	 * A kind with an amount: its text begins with one of these characters,
	 * and the amount is a share of x, below and above it, or seconds on
	 * top.  Only such a kind lengthens delays, so only it heeds the order.
	 */
	const char *begins;
	bool relative;
};

/* Ends with a NULL name. */
extern const struct jitter_kind jitter_kinds[];

/* The kind that a strategy without a draw of its own has. */
#define JITTER_DEFAULT "20%"

struct jitter {
	const struct jitter_kind *kind;
	double amount; /* RATIO or seconds, 0 for a kind without */
	enum jitter_order order;
	const char *text; /* as it was typed, or the default */
};

/* Reads KIND, and keeps its text. */
const char *jitter_parse(const char *text, struct jitter *jitter);

/*
 * The delay in seconds for the nominal delay `nominal`, not yet clamped, and
 * the draw `u` in [0, 1]; rises with u.  It is at least backoff->min (jitter
 * then goes above the minimum).  Unless the order is JITTER_AFTER_CAP, it
 * is at most backoff_most().
 */
double jitter_delay(const struct jitter *jitter, const struct backoff *backoff,
    double nominal, double u);

/* The longest nominal delay that leaves the jitter its room below the cap. */
double jitter_room(const struct jitter *jitter, const struct backoff *backoff);

#endif
