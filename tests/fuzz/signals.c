#include <signal.h>

#include "core/signals.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	const int named = signal_parse(text, false);
	const int number = signal_parse(text, true);
	char name[SIGNAL_NAME];

	MUST(named == -1 || named == number);
	MUST(number == -1 || (number >= 1 && number <= SIGRTMAX));
	MUST(!signal_ends_run(number) || signal_is_deadly(number));
	if (named != -1)
		MUST(signal_parse(signal_name(named, name), false) == named);
	free(text);
	return 0;
}
