/* SPDX-License-Identifier: MIT */

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sys/terminal.h"

#define DEFAULT_WIDTH 80
#define WIDEST 1000

/* The first of the variables that is set decides on characters. */
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

/* Whether the environment has this switch, and has not turned it off. */
static bool
is_on(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && *value != '\0' && strcmp(value, "0") != 0 &&
	    strcmp(value, "false") != 0;
}

/*
 * NO_COLOR wins, whatever its value is.  The other variables are for logs that
 * show colours and are not terminals, as those of CI services are.
 */
static bool
has_colour(enum color color, bool can_show)
{
	const char *no_colour = getenv("NO_COLOR");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	if (no_colour != NULL && *no_colour != '\0')
		return false;
	return can_show || is_on("CLICOLOR_FORCE") || is_on("FORCE_COLOR");
}

struct screen
screen_of(int descriptor, enum color color)
{
	const char *columns = getenv("COLUMNS");
	const char *type = getenv("TERM");
	const bool plain = type == NULL || strcmp(type, "dumb") == 0 ||
	    getenv("INSIDE_EMACS") != NULL;
	const bool terminal = isatty(descriptor);
	const char *problem;
	struct winsize size;
	int width = 0;

	if (ioctl(descriptor, TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	const bool sized = width > 0;
	if (width == 0 && columns != NULL)
		width = (int)strtonum(columns, 1, WIDEST, &problem);
	return (struct screen){
		.width = width == 0 ? DEFAULT_WIDTH : width,
		.terminal = terminal,
		.unicode = has_unicode(),
		.colour = has_colour(color, terminal && !plain),
		.plain = plain,
		.sized = sized,
	};
}
