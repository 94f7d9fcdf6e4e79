#ifndef DOCS_H
#define DOCS_H

/* One row a topic of --help=TOPIC. */
struct topic {
	const char *name;
	const char *doc;
	void (*print)(void);
};

/* Ends with a NULL name. */
extern const struct topic docs_topics[];

/*
 * Prints the help text, or the one on a topic, on stdout.  Returns NULL, or
 * what is wrong with the topic.
 */
const char *docs_help(const char *topic);

#endif
