#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>

/* What can be shown where something is written to. */
struct screen {
	int width;     /* columns; 0 where nothing may be drawn now */
	bool terminal; /* or what looks like one */
	bool unicode;
	bool colour;
	bool plain; /* knows no control sequences */
};

#endif
