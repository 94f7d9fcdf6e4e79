#ifndef DOCS_H
#define DOCS_H

/*
 * Prints the help text, or the one on a topic, on stdout.  Returns 0, or
 * STATUS_OWN_FAILURE, with a line on stderr, if there is no such topic.
 */
int docs_help(const char *topic);

#endif
