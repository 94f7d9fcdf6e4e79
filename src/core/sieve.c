/* SPDX-License-Identifier: MIT */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sieve.h"

/* Three bytes of each text are hashed to this many bits. */
#define HASH_BITS 16
#define HASHES (1 << HASH_BITS)

/* A text, and the one before it with the same hash. */
struct entry {
	struct sieve_text text;
	size_t offset; /* of the three bytes that are hashed */
	uint16_t next; /* its number + 1; 0: none */
};

struct sieve {
	struct entry *entries;
	uint64_t known[HASHES / 64]; /* a bit for each hash of a text */
	uint16_t heads[HASHES];	     /* of lists of entries */
};

/* Of three bytes; a folded letter is a small one. */
static uint32_t
hash(const char *bytes)
{
	uint16_t two;

	memcpy(&two, bytes, sizeof(two));
	const uint32_t all = two | (uint32_t)(unsigned char)bytes[2] << 16;
	return ((all | 0x202020) << 8) * UINT32_C(2654435761) >>
	    (32 - HASH_BITS);
}

struct sieve *
sieve_open(const struct sieve_text *texts, size_t count)
{
	struct sieve *sieve = calloc(1, sizeof(*sieve));

	if (sieve == NULL)
		return NULL;
	sieve->entries = calloc(count + 1, sizeof(*sieve->entries));
	if (sieve->entries == NULL || count >= UINT16_MAX) {
		sieve_close(sieve);
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		for (size_t at = 0; at + SIEVE_LEAST <= texts[i].length; at++)
			sieve->heads[hash(texts[i].text + at)]++;
	/*
	 * Chooses the three bytes of a text that the fewest texts have: most
	 * lines have none of them.
	 */
	for (size_t i = 0; i < count; i++) {
		struct entry *entry = &sieve->entries[i];
		const char *text = texts[i].text;

		entry->text = texts[i];
		for (size_t at = 1; at + SIEVE_LEAST <= texts[i].length; at++)
			if (sieve->heads[hash(text + at)] <
			    sieve->heads[hash(text + entry->offset)])
				entry->offset = at;
	}
	/* Most of the heads stay untouched. */
	for (size_t i = 0; i < count; i++)
		for (size_t at = 0; at + SIEVE_LEAST <= texts[i].length; at++)
			sieve->heads[hash(texts[i].text + at)] = 0;
	for (size_t i = 0; i < count; i++) {
		struct entry *entry = &sieve->entries[i];
		const uint32_t h = hash(entry->text.text + entry->offset);

		entry->next = sieve->heads[h];
		sieve->heads[h] = (uint16_t)(i + 1);
		sieve->known[h / 64] |= UINT64_C(1) << h % 64;
	}
	return sieve;
}

bool
sieve_next(const struct sieve *sieve, const char *line, size_t length,
    struct sieve_place *place)
{
	size_t i = place->from, next = place->next;
	uint32_t h = 0;

	for (;;) {
		while (next != 0) {
			const struct entry *entry = &sieve->entries[next - 1];

			place->number = next - 1;
			next = entry->next;
			if (i <= entry->offset)
				continue;
			place->at = i - 1 - entry->offset;
			if (place->at + entry->text.length > length ||
			    strncasecmp(entry->text.text, line + place->at,
				entry->text.length) != 0)
				continue;
			place->from = i;
			place->next = next;
			return true;
		}
		while (i + SIEVE_LEAST <= length) {
			h = hash(line + i);
			if (sieve->known[h / 64] >> h % 64 & 1)
				break;
			i++;
		}
		if (i + SIEVE_LEAST > length)
			return false;
		next = sieve->heads[h];
		i++;
	}
}

void
sieve_close(struct sieve *sieve)
{
	if (sieve == NULL)
		return;
	free(sieve->entries);
	free(sieve);
}
