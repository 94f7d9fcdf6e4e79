#ifndef TERMINAL_H
#define TERMINAL_H

#include "cli/report.h"

/* What can be shown on this descriptor; 80 columns where nothing is known. */
struct screen terminal_look(int descriptor);

#endif
