#ifndef SHARED_H
#define SHARED_H

#include "cli/options.h"
#include "core/engine.h"
#include "sys/budget_file.h"
#include "sys/state.h"

/*
 * What a run shares with others, in the files that options name: the state with
 * those before and after it, the budget with those beside it.
 */
struct shared {
	struct state state;
	struct budget_file budget;
};

/* Takes the files up, as far as options name any, or ends `retry`. */
void shared_open(struct shared *shared, const struct options *options);

void shared_close(struct shared *shared);

/* Says what is wrong with the state's file. */
void shared_complain(const struct shared *shared, const char *problem);

/*
 * Tells the engine where earlier runs stood, once the lock is held.  Returns
 * whether there is a wait left of theirs; now is in seconds since the epoch.
 */
bool shared_recall(const struct shared *shared, struct engine *engine,
    double now);

/*
 * Remembers what the action brings, if it does; now is in seconds since the
 * epoch.  False, with a message, where it cannot.
 */
bool shared_remember(struct shared *shared, const struct engine *engine,
    const struct action *action, double now);

/* Pays for a retry; false where the budget does not allow it. */
bool shared_pay(const struct shared *shared);

/* Gives back what a success brings, if the action tells of one. */
void shared_give(const struct shared *shared, const struct engine *engine,
    const struct action *action);

#endif
