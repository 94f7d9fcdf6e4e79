/* SPDX-License-Identifier: MIT */

#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attempt.h"
#include "policy.h"

/*
 * What happens in a run, for messages, logs, systemd and the table of a plan.
 * A record holds everything that is known about the run at that moment, so that
 * no reader has to derive anything.
 */
enum record_kind {
	RECORD_START,	/* the run begins */
	RECORD_ATTEMPT, /* an attempt was started */
	RECORD_OUTCOME, /* an attempt ended, and its verdict is known */
	RECORD_LOCK,	/* another run has had the state for a second */
	RECORD_HEALTH,	/* the health of the attempt that runs has changed */
	RECORD_WAIT,	/* a wait begins */
	RECORD_SIGNAL,	/* retry received a signal */
	RECORD_END	/* the run is over, apart from its last hook */
};

/* Why a run ended; reasons[] has everything that follows from it. */
enum reason {
	REASON_NONE,
	REASON_SUCCESS,
	REASON_ATTEMPTS,
	REASON_MAX_TIME,
	REASON_STOP,
	REASON_SIGNAL,
	REASON_BUDGET,
	REASON_GATE,
	REASON_HINT,
	REASON_EARLY,
	REASON_PLAN,
	REASON_ERROR
};

#define REASONS (REASON_ERROR + 1)

struct reason_row {
	const char *name;    /* in JSON and $RETRY_REASON: "max-time" */
	bool gives_up;	     /* --tolerate counts it */
	bool hooks;	     /* --on-success or --on-give-up follows */
	const char *gave_up; /* in a plan: "out of time"; NULL: it did not */
};

extern const struct reason_row reasons[REASONS];

/* The process, or the reading of standard input, that --max-time ended. */
enum cut { CUT_NOTHING, CUT_ATTEMPT, CUT_CHECK, CUT_GATE, CUT_INPUT };

/* The length of a wait and how it was computed, in seconds. */
struct delay {
	double nominal;	  /* from the strategy, within --min- and --max-delay */
	double low, high; /* the range of the random draw */
	double seconds;	  /* the wait itself */
	bool hint_is_longer; /* than the strategy's delay may be */
	bool hint_decides;   /* the wait is so long because of the hint */
};

/* A number that only a plan knows; NAN: not even a plan does. */
struct figure {
	const char *name; /* as in JSON */
	double value;
};

/* A wait, before the first attempt or after one. */
struct wait {
	struct delay delay;
	bool lasts;    /* it is under way */
	bool kept;     /* an earlier run left it to this one */
	double due;    /* when it ends */
	double before; /* the one before the last attempt; negative: none */
	double total;  /* of the whole run */
};

/* How a run ends. */
struct end {
	enum reason reason;
	int status;   /* the exit status */
	int death;    /* the signal that `retry` dies of, or 0 */
	int ended_by; /* the signal that ended the run, or 0 */

	/* What messages add; end.c's functions leave it alone. */
	enum cut cut;
	bool in_a_wait;	   /* the signal came while no process ran */
	double too_long;   /* the hint that ended the run, or 0 */
	double too_early;  /* EARLY: seconds; 0: another run is active */
	bool tolerated;	   /* --tolerate makes the status 0 */
	uint64_t given_up; /* runs in a row that gave up, up to this one */
};

/* What only a driver that runs processes knows; but for the time. */
struct seen {
	double time; /* since 1970; a plan sets it, too: since the run began */
	long pid;    /* of the process that runs; 0: none */
	const char *last_line;	/* of the last probe, or NULL */
	const char *line;	/* that decided the class or verdict, or NULL */
	double user, system;	/* the last attempt's processor time; or NAN */
	uint64_t left;		/* processes that it left */
	const char *left_names; /* "nginx, sh"; NULL: none, or named already */
	uint64_t lost_input;	/* the attempt whose input later ones lack; or
				   0 */
	const char
	    *output; /* the last of what it wrote and was held; or NULL */
	const char *advice; /* what to type instead, or NULL */
};

/* Times are in seconds; `elapsed`, `begun` and `due` since the run began. */
struct record {
	enum record_kind kind;
	double elapsed;

	/* Always valid. */
	const struct policy *policy;
	uint64_t used;		     /* attempts that count against the limit */
	const struct limit *reached; /* by the last failure, or NULL */
	bool final;		     /* the limit allows none after this one */
	uint64_t failures;	     /* of the run */
	int64_t paid; /* thousandths of a token for the retry, or 0 */
	bool locked;  /* another run has the state: it is waited for */

	/* The attempt that was begun last: valid from ATTEMPT on. */
	struct attempt attempt;

	/* How the last attempt ended: the one above, unless it runs. */
	struct ended last;

	/*
	 * From the first OUTCOME on `delay` is that of the wait that follows;
	 * the other members are of the wait under way, or else of the last.
	 */
	struct wait wait;

	/* SIGNAL. */
	int signal;
	bool forwarded;

	/*
	 * Valid once it is certain that the run ends: in the last OUTCOME, in
	 * END, and in hooks.  Before that the reason is NONE.
	 */
	struct end end;

	/* Filled in by tell() of the driver, and when a process starts. */
	struct seen seen;

	/* END of a plan: until one has no name; NULL: this is a run. */
	const struct figure *figures;
	uint64_t clients; /* a plan of so many; 0: of a single run */
};

/* Whether the last attempt that ended failed, so that it has a class. */
bool record_has_class(const struct record *record);

/* Whether the run, which is over, succeeded after failed attempts. */
bool record_is_flaky(const struct record *record);

/* The name of the record in JSON: "start", "attempt". */
extern const char *const record_names[];

#endif
