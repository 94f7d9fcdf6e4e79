/* SPDX-License-Identifier: MIT */

/*
 * A kernel for one process, `retry`, that runs in this one: its system calls
 * come here by the linker's --wrap.  No other process exists; those that retry
 * starts are rows of a table, and do what the dice say.  Time passes only while
 * retry waits for events.
 */

#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "options/options.h"

#define SECOND INT64_C(1000000000)
#define NEVER INT64_MAX

/* A process of the table. */
enum role {
	ROLE_ATTEMPT,
	ROLE_SHELL, /* a check, a gate or a hook */
	ROLE_PROBE, /* of an attempt's health */
	ROLE_ORPHAN /* started by an attempt or a shell */
};

/* What it does about a signal that asks it to end. */
enum manners { MANNERS_DIES, MANNERS_EXITS, MANNERS_LINGERS, MANNERS_IGNORES };

struct process {
	pid_t pid;
	pid_t parent;
	pid_t group;
	pid_t session;
	enum role role;
	enum manners manners;
	const char *command; /* SHELL */
	bool stuck;	     /* in the kernel: SIGKILL does not end it */
	int stopped;	     /* by this signal; 0 if it goes on */
	bool timed_out;	     /* retry has sent SIGKILL to it, or --signal */
	int heard;	     /* signals of --signal since it drains */
	bool cleans;	     /* starts a command because of its signal */
	bool spared;	     /* is such a command */
	bool dead;
	bool reaped;
	int status;	 /* as wait(2) gives it, once it ends */
	int64_t started; /* also tells a pid that is used again */
	int64_t ends;	 /* by itself, or by a signal */
	int64_t forks;	 /* is in fork(2) until then, and was stopped; or 0 */
};

/* What may go wrong in a run; the dice decide when. */
struct faults {
	bool forks;	 /* fork(2) fails at times */
	bool files;	 /* so do pipes and other descriptors */
	bool readers;	 /* readers of output go away, disks are full */
	bool interrupts; /* EINTR and EAGAIN */
	bool stuck;	 /* processes that SIGKILL does not end */
	bool subreaper;	 /* prctl(2) fails */
	bool pidfds;	 /* there are none */
	bool saves;	 /* the state cannot be written */
	bool late;	 /* retry wakes up late */
	bool proc;	 /* /proc cannot be read */
};

/* What must hold; each is a line of the test. */
enum law {
	LAW_ENDS,
	LAW_REAPS,
	LAW_SIGNALS,
	LAW_OVERLAP,
	LAW_DESCRIPTORS,
	LAW_STATUS,
	LAW_REASON,
	LAW_TIME,
	LAW_LOG,
	LAW_OBEYS,
	LAW_LOOKS,
	LAW_PATIENCE,
	LAW_RELOAD,
	LAW_DESPAIR,
	LAW_SPARES,
	LAW_CONTINUES,
	LAW_INPUT,
	LAW_OUTPUT,
	LAW_PLAN,
	LAW_REPEATS,
	LAWS
};

/* Whether systemd waits for the answer to a reload, and for what of it. */
enum reload { RELOAD_NONE, RELOAD_ASKED, RELOAD_BEGUN };

/* What an attempt says to systemd next. */
enum says { SAYS_READY, SAYS_RELOADING, SAYS_RELOADED };

/* How a run ended, apart from what it returned. */
enum way { WAY_RETURNED = 1, WAY_DIED, WAY_EXITED, WAY_BROKE };

#define PROCESSES 4000

struct kernel {
	uint64_t seed;
	uint64_t rolled;
	bool told; /* the trace is printed */
	int64_t clock;
	int steps;

	const struct options *options;
	struct faults faults;
	bool simple; /* all goes as in a plan */
	bool no_terminal;
	bool hangup_ignored;

	struct process processes[PROCESSES];
	int count;
	bool adopts;	/* retry is a subreaper */
	bool abandoned; /* retry said that something does not end */
	bool deadly;	/* a signal that ends the run was read */
	int64_t deadly_at;
	bool failed; /* a fault came up that may end the run in 125 */
	int attempts;
	bool signalled; /* any signal came */
	int64_t begun;
	int64_t stopped;    /* how long retry itself was */
	bool suspended;	    /* retry was stopped, for however long */
	off_t written;	    /* bytes that attempts wrote to be held */
	off_t written_last; /* by the last attempt */
	off_t released;	    /* bytes of them, and of messages, that went out */
	int died_of;	    /* WAY_DIED */
	int64_t held_until; /* another run has the state's lock */

	/* Signals to retry. */
	struct {
		int64_t at;
		int number;
		bool by_terminal;
	} comes[8];
	int coming;
	struct {
		bool is;
		int code;
		pid_t pid;
	} pending[65];
	bool raised[65];
	int got[65]; /* how many of each retry has read */
	bool ready;  /* retry has said so */
	enum reload reload;
	int relay_fd; /* the attempt's socket, or -1 */
	bool answers; /* the attempt has said that it is ready, there */
	enum says says;
	int64_t says_at; /* or NEVER */
	bool looked;	 /* at signals since an attempt did not begin */
	int signal_fd, lock_fd, timer_fd;
	int64_t timer; /* when it is due */

	/* Standard input that is spooled. */
	int64_t input_at;
	int input_left;
};

extern struct kernel kernel;

/* Forgets the run before; time goes on. */
void kernel_begin(const struct options *options);

/* Counts against the law, and tells of it. */
void kernel_broke(enum law law, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Calls loop_run() with the kernel below it; *status is what it returned. */
struct report;
enum way kernel_run(const struct options *options, struct report *report,
    int *status);

/* A number below `most`; true once in `most`. */
unsigned int kernel_roll(unsigned int most);
bool kernel_chance(unsigned int most);

/* A line of the trace. */
void kernel_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
