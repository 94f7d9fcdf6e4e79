/* SPDX-License-Identifier: MIT */

#include <signal.h>

#include "core/signals.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	const int number = signal_parse(text);
	char name[SIGNAL_NAME];

	MUST(number == -1 || (number >= 1 && number <= SIGRTMAX));
	MUST(!signal_ends_run(number) || signal_is_deadly(number));
	if (number != -1 && (number < 32 || number >= SIGNAL_RTMIN))
		MUST(signal_parse(signal_name(number, name)) == number);
	free(text);
	return 0;
}
