#ifndef OUTCOME_H
#define OUTCOME_H

/* How an attempt ended, and the number that goes with it. */
enum outcome_kind {
	OUTCOME_NONE,
	OUTCOME_EXIT,	     /* its exit status */
	OUTCOME_SIGNAL,	     /* the signal it died of */
	OUTCOME_TIMEOUT,     /* whatever its process then returned */
	OUTCOME_UNSTARTABLE, /* execve(2)'s errno */
	OUTCOME_UNFORKED     /* fork(2)'s errno */
};

struct outcome {
	enum outcome_kind kind;
	int code;
};

/* `retry`'s own exit statuses; the others are the command's. */
enum {
	STATUS_TOO_EARLY = 75,
	STATUS_TIMEOUT = 124,
	STATUS_OWN_FAILURE = 125,
	STATUS_NOT_EXECUTABLE = 126,
	STATUS_NOT_FOUND = 127
};

/* "exit", "signal", "timeout", "unstartable", "unforked"; "none". */
const char *outcome_name(enum outcome_kind kind);

/*
 * The exit status of a run that ends on this outcome without success: never 0.
 * A death by signal n gives 128+n, where the caller cannot die of it.
 */
int outcome_status(struct outcome outcome);

#endif
