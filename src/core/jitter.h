#ifndef JITTER_H
#define JITTER_H

#include "backoff.h"

/* How the cap and the jitter follow each other. */
enum jitter_order {
	JITTER_INSIDE,	   /* room is left below the cap, which binds */
	JITTER_BEFORE_CAP, /* jitter, then cap */
	JITTER_AFTER_CAP   /* cap, then jitter, which may pass it */
};

/* One row a kind: nothing else in the source names it. */
struct jitter_kind {
	const char *name;    /* as the user writes it */
	const char *alias;   /* or NULL */
	const char *formula; /* of x, the held nominal delay, and u */
	const char *doc;
	bool fixed; /* draws nothing */

	/*
	 * For a kind that has a number, else NULL: what its text begins with,
	 * one of these characters, and how it is read.  Only such a kind may
	 * lengthen a delay, so only to it the order matters.
	 */
	const char *begins;
	const char *(*parse)(const char *text, double *amount);
	bool relative; /* the number is a share of the delay */

	double (*spread)(double x, double amount, double u);
	/* How long x may be, so that no draw is over the cap. */
	double (*room)(double cap, double amount);
};

/* Ends with a NULL name. */
extern const struct jitter_kind jitter_kinds[];

struct jitter {
	const struct jitter_kind *kind;
	double amount; /* RATIO, or seconds */
	enum jitter_order order;
};

/* Reads KIND.  Returns NULL, or what is wrong with the text. */
const char *jitter_parse(const char *text, struct jitter *jitter);

/*
 * The delay in seconds for the nominal delay `nominal`, not yet held, and the
 * draw `u` in [0, 1]; rises with u.  It is at least backoff->min, and at most
 * backoff->cap where that was given and the order is not JITTER_AFTER_CAP.
 */
double jitter_delay(const struct jitter *jitter, const struct backoff *backoff,
    double nominal, double u);

/* The longest nominal delay that leaves the jitter its room below the cap. */
double jitter_room(const struct jitter *jitter, const struct backoff *backoff);

#endif
