#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/title.h"

char **
title_words(int argc, char **argv)
{
	const size_t pointers = ((size_t)argc + 1) * sizeof(*argv);
	size_t size = pointers;

	for (int i = 0; i < argc; i++)
		size += strlen(argv[i]) + 1;
	char **words = malloc(size);
	if (words == NULL)
		return NULL;
	char *end = (char *)words + pointers;
	for (int i = 0; i < argc; i++) {
		words[i] = end;
		end = stpcpy(end, argv[i]) + 1;
	}
	words[argc] = NULL;
	return words;
}

/* setproctitle_init(3) keeps copies of all but the list for children. */
static bool
begin(const struct title *title, struct environment *environment)
{
	int argc = 0;

	while (title->argv[argc] != NULL)
		argc++;
	if (argc == 0 || environment_keep(environment) == -1)
		return false;
	setproctitle_init(argc, title->argv, environ);
	return true;
}

void
title_set(struct title *title, struct environment *environment,
    const char *text)
{
	if (title->argv == NULL)
		return;
	if (!title->begun && !begin(title, environment)) {
		title->argv = NULL;
		return;
	}
	title->begun = true;
	setproctitle("%s", text);
}
