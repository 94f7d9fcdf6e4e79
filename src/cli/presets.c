#include <stddef.h>

#include "cli/presets.h"

const struct preset presets[] = {
	{ "grpc", "gRPC's connection backoff, as its code has it",
	    { "--attempts=0", "--backoff=exponential:factor=1.6", "--delay=1s",
		"--max-delay=120s", "--jitter=20%", "--jitter-order=after-cap",
		"--pace=start", "--min-timeout=20s", NULL } },
	{ "aws", "the standard mode of the AWS SDKs",
	    { "--attempts=3", "--backoff=exponential", "--delay=1s",
		"--max-delay=20s", "--jitter=full", NULL } },
	{ "ethernet", "truncated binary exponential backoff at 10 Mb/s",
	    { "--attempts=16", "--backoff=slots:ceiling=10", "--delay=51.2us",
		NULL } },
	{ "eventsauce", "the defaults of EventSauce's BackOff",
	    { "--attempts=16", "--backoff=exponential", "--delay=100ms",
		"--max-delay=2.5s", "--jitter=none", NULL } },
	{ "kubernetes", "a crashing container's restarts",
	    { "--attempts=0", "--backoff=exponential", "--delay=10s",
		"--max-delay=300s", "--jitter=none", "--reset-after=10m",
		NULL } },
	{ "curl", "the delays of curl --retry",
	    { "--backoff=exponential", "--delay=1s", "--max-delay=10m",
		"--jitter=none", NULL } },
	{ "poll", "wait for something to come about",
	    { "--backoff=exponential", "--delay=100ms", "--jitter=none",
		"--wait-first", NULL } },
	{ .name = NULL },
};
