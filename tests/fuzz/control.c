/* Lines of a control file. */

#include "core/control.h"
#include "core/duration.h"
#include "fuzz.h"

static void
check_line(const char *line)
{
	struct control control = { .delay = -1 };
	const char *problem = control_read(&control, line);
	const int said = (control.verdict != VERDICT_NONE) +
	    (control.delay != -1) + control.healthy;

	if (problem != NULL) {
		fuzz_problem(problem);
		MUST(said == 0);
		return;
	}
	MUST(said <= 1);
	MUST(control.delay == -1 ||
	    (control.delay >= 0 && control.delay <= DURATION_MAX));
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
