#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sys/terminal.h"

#define DEFAULT_WIDTH 80
#define WIDEST 1000

/* The first of the variables that decide on characters counts. */
static bool
has_unicode(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *locale = getenv(names[i]);

		if (locale != NULL && *locale != '\0')
			return strcasestr(locale, "UTF-8") != NULL ||
			    strcasestr(locale, "UTF8") != NULL;
	}
	return false;
}

static int
width_of(int descriptor)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	const char *problem;
	int width;

	if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	if (columns == NULL)
		return DEFAULT_WIDTH;
	width = (int)strtonum(columns, 1, WIDEST, &problem);
	return problem == NULL ? width : DEFAULT_WIDTH;
}

struct screen
terminal_look(int descriptor)
{
	const char *type = getenv("TERM");
	const char *no_colour = getenv("NO_COLOR");
	const bool plain = type == NULL || strcmp(type, "dumb") == 0;
	const bool terminal = isatty(descriptor);

	return (struct screen){
		.width = width_of(descriptor),
		.terminal = terminal,
		.unicode = has_unicode(),
		.colour = terminal && !plain &&
		    (no_colour == NULL || *no_colour == '\0'),
		.plain = plain,
	};
}
