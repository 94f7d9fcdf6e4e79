#include "core/duration.h"
#include "core/hint.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const double times[] = { 0, 784111777, 1.7e9, 4e9, 1e15 };
	char *text = fuzz_text(data, size);
	double before = DURATION_MAX;

	/* The later it is, the less is left until a date. */
	for (int i = 0; i < 5; i++) {
		struct hint hint = { .kind = HINT_NONE };
		const char *problem = hint_parse(text, times[i], &hint);

		if (problem != NULL) {
			fuzz_problem(problem);
			continue;
		}
		MUST(hint.seconds >= 0 && hint.seconds <= DURATION_MAX);
		if (hint.kind == HINT_DAILY) {
			MUST(hint.seconds <= 86400);
			continue;
		}
		MUST(hint.seconds <= before);
		before = hint.seconds;
	}
	free(text);
	return 0;
}
