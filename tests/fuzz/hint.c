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
		double seconds = -1;
		const char *problem = hint_parse(text, times[i], &seconds);

		if (problem != NULL) {
			fuzz_problem(problem);
			continue;
		}
		MUST(seconds >= 0 && seconds <= DURATION_MAX);
		MUST(seconds <= before);
		before = seconds;
	}
	free(text);
	return 0;
}
