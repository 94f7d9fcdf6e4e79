#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>

#include "verdict.h"

/* What an attempt said of itself, each word replacing the one before. */
struct control {
	enum verdict verdict; /* NONE: nothing */
	double delay;	      /* seconds; negative for none */
	bool healthy;
};

/*
 * Takes in a line: "success", "retry", "stop", "delay DUR" or "reset"; an
 * empty one says nothing.  Returns NULL, or what is wrong with it.
 */
const char *control_read(struct control *control, const char *line);

#endif
