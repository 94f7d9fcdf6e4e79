#ifndef PRESETS_H
#define PRESETS_H

/* One row a preset: long option words, the last one NULL. */
struct preset {
	const char *name;
	const char *doc;
	const char *words[10];
};

/* Ends with a NULL name. */
extern const struct preset presets[];

#endif
