/* SPDX-License-Identifier: MIT */

#include <math.h>

#include "core/duration.h"
#include "fuzz.h"

/* As people read it, it is the same but for half of the last digit. */
static void
reads_back(double seconds)
{
	char text[DURATION_TEXT];
	double again;

	MUST(strlen(duration_text(seconds, text)) < sizeof(text));
	MUST(duration_parse(text, &again) == NULL);
	MUST(fabs(seconds - again) <=
	    fmax(1e-6, seconds >= 86370 ? 1800.1 : seconds * 0.051));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	double seconds = -1;
	const char *const problem = duration_parse(text, &seconds);

	if (problem == NULL) {
		MUST(seconds >= 0 && seconds <= DURATION_MAX);
		reads_back(seconds);
	} else {
		fuzz_problem(problem);
		MUST(seconds == -1);
	}
	free(text);
	return 0;
}
