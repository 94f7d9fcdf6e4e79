/* SPDX-License-Identifier: MIT */

/*
 * Lines: the words of a command line; an empty one; then what happens, a byte a
 * choice.  Behind the last of them all goes on as usual.
 */

#include "options/argv.h"
#include "fuzz.h"
#include "tries.h"

static const char *script;

static int
choose(int count)
{
	const uint8_t byte = (uint8_t)*script;

	if (byte == '\0')
		return 0;
	script++;
	return byte % count;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text;
	char *words[FUZZ_WORDS], problem[ARGV_PROBLEM];
	const int count = fuzz_words(&rest, words);
	struct options *options = &try.options;

	script = rest;
	try.seconds_most = 1e6;
	try.attempts_most = 100;
	try.policy = &options->policy;
	if (argv_parse(count, words, options, problem) == 0 && !options->help &&
	    !options->version)
		try_run();
	options_free(options);
	free(text);
	return 0;
}
