#ifndef HELP_H
#define HELP_H

/* One row per topic of --help=TOPIC; the first is printed by --help alone. */
struct help_topic {
	const char *name;
	void (*print)(void); /* on stdout */
};

/* Ends with a NULL name. */
extern const struct help_topic help_topics[];

#endif
