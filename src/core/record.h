/* SPDX-License-Identifier: MIT */

#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "health.h"
#include "limits.h"
#include "outcome.h"
#include "verdict.h"

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
	bool saves;	     /* the run leaves a state to the next one */
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
	double hint;	  /* the attempt asked for this; negative: for none */
	bool hint_decides; /* the wait is so long because of the hint */
};

/* A number that only a plan knows; NAN: not even a plan does. */
struct figure {
	const char *name; /* as in JSON */
	double value;
};

/* Times are in seconds; `elapsed`, `started` and `due` since the run began. */
struct record {
	enum record_kind kind;
	double time; /* since 1970; in a plan since the run began */
	double elapsed;

	uint64_t limit; /* on attempts; 0: none */
	double max_time;
	double hint_limit; /* on the waits that hints ask for */
	uint64_t tolerate; /* runs that may give up in a row, less one */

	/*
	 * run_record() fills in `elapsed`, `final`, `probes`, `health` and
	 * `locked`, and a driver that runs processes `time`, `pid`,
	 * `last_line`, `line`, `left`, `lost_input`, `user`, `system`, `output`
	 * and `advice`; all else stays from one record to the next.
	 */

	/* The last attempt that was begun; its number is 0 before the first. */
	uint64_t attempt;
	uint64_t used; /* attempts that count against the limit */
	bool final;    /* the limit allows no other attempt after this one */
	long pid;      /* of the process that runs; 0: none, or a plan */
	double started;
	double timeout; /* INFINITY: none */

	/* The last attempt that ended. */
	struct outcome outcome;
	struct class_known known; /* its class, and who told that */
	const char *preset;	  /* the one that did, or NULL */
	bool has_presets;	  /* the run has presets that tell classes */
	struct judgement judgement;
	const char *line;     /* that decided the class or verdict, or NULL */
	double silent;	      /* --idle-timeout, if that ended it; or 0 */
	bool check_timed_out; /* its --check did */
	double duration;
	enum health_status health; /* of the attempt that was begun last */
	struct health probes;	   /* what its health probes told */
	bool first_healthy;	/* HEALTH: for the first time in the attempt */
	const char *last_line;	/* the last line of the last probe, or NULL */
	double user, system;	/* processor time; NAN in a plan */
	uint64_t left;		/* OUTCOME: processes that the attempt left */
	const char *left_names; /* "nginx, sh"; NULL: none, or named already */
	uint64_t lost_input;	/* the attempt whose input later ones lack; 0:
				   none */

	uint64_t failures; /* of the run */

	int64_t paid; /* thousandths of a token that the retry cost, or 0 */

	bool runs; /* an attempt runs */

	/* The last wait. */
	struct delay delay;
	bool waits;	    /* it is under way */
	bool kept;	    /* an earlier run left it to this one */
	double due;	    /* when it ends */
	double just_waited; /* before the last attempt; negative: no wait */
	double waited;	    /* in the whole run */

	double locked; /* seconds that another run has had the state, while
			       it is waited for */

	/* SIGNAL. */
	int signal;
	bool forwarded;

	/* END; a hook sees these too. */
	enum reason reason;
	const struct limit *reached; /* ATTEMPTS; NULL: their number is */
	enum cut cut;
	int ended_by;	    /* the signal that ended the run, or 0 */
	bool in_a_wait;	    /* the signal came in a wait */
	double too_long;    /* the hint that ended the run, or 0 */
	bool too_late;	    /* the hint is longer than --max-time allows */
	double too_early;   /* EARLY: seconds; 0: another run is active */
	bool tolerated;	    /* --tolerate makes the status 0 */
	uint64_t given_up;  /* runs in a row that gave up, up to this one */
	int status;	    /* the exit status */
	const char *output; /* OUTCOME too: the last of the attempt's held
			       output, or NULL */
	int death;	    /* the signal that retry dies of then, or 0 */
	const char *advice; /* OUTCOME too: what to type instead, or NULL */

	/* END of a plan: until one has no name; NULL: this is a run. */
	const struct figure *figures;
	uint64_t clients; /* a plan of so many; 0: of a single run */
};

/* Whether the last attempt that ended failed, so that it has a class. */
bool record_has_class(const struct record *record);

/* Whether the run, which is over, succeeded after failed attempts. */
bool record_is_flaky(const struct record *record);

/* The name of the record in JSON: "start", "attempt". */
const char *record_name(enum record_kind kind);

#endif
