/* SPDX-License-Identifier: MIT */

/* Lines of a control file. */

#include "core/control.h"
#include "core/duration.h"
#include "fuzz.h"

static void
check_line(const char *line)
{
	struct control control = { .healthy = false };
	const char *problem = control_read(&control, line, 1.7e9);
	const int said = (control.verdict != VERDICT_NONE) +
	    (control.hint.kind != HINT_NONE) + control.healthy;

	if (problem != NULL) {
		fuzz_problem(problem);
		MUST(said == 0);
		return;
	}
	MUST(said <= 1);
	MUST(control.hint.seconds >= 0 && control.hint.seconds <= DURATION_MAX);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text;

	do
		check_line(fuzz_line(&rest));
	while (*rest != '\0');
	free(text);
	return 0;
}
