#include "checksum.h"

uint64_t
checksum(const void *data, size_t length)
{
	const unsigned char *bytes = data;
	uint64_t sum = 0xcbf29ce484222325;

	while (length-- > 0)
		sum = (sum ^ *bytes++) * 0x100000001b3;
	return sum;
}
