/* SPDX-License-Identifier: MIT */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
	uint64_t near[HASHES / 64];  /* and of three bytes from one before */
	uint16_t heads[HASHES];	     /* of lists of entries */
	unsigned char weights[UINT8_MAX + 1];
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

static bool
has(const uint64_t *hashes, uint32_t h)
{
	return hashes[h / 64] >> h % 64 & 1;
}

static void
add(uint64_t *hashes, uint32_t h)
{
	hashes[h / 64] |= UINT64_C(1) << h % 64;
}

/* The most common bytes in the output of tools, and how common they are. */
static const char common[] = " etaoinrsdlcpu/-.hmfg:10\"_2b";
#define COMMON_MOST 59

/* How common the byte is: from 1, seldom, to 60. */
static unsigned int
weight(const struct sieve *sieve, char byte)
{
	return 1U + sieve->weights[(unsigned char)(byte | 0x20)];
}

/*
 * Chooses the three bytes of a text that are the least common: what many of the
 * texts have, which is counted in the heads, many lines have as well.
 */
static void
choose_bytes(const struct sieve *sieve, struct entry *entry)
{
	const char *text = entry->text.text;
	uint64_t least = UINT64_MAX;

	/* The byte before them had better be known, too. */
	for (size_t i = entry->text.length > SIEVE_LEAST;
	     i + SIEVE_LEAST <= entry->text.length; i++) {
		const uint64_t cost = (uint64_t)sieve->heads[hash(text + i)] *
		    weight(sieve, text[i]) * weight(sieve, text[i + 1]) *
		    weight(sieve, text[i + 2]);

		if (cost >= least)
			continue;
		least = cost;
		entry->offset = i;
	}
}

/*
 * If three bytes of a line are not near, a text has its three neither there nor
 * one place later.  Any byte may come before those that a text begins with.
 */
static void
add_near(struct sieve *sieve, const char *bytes, bool follows)
{
	char before[SIEVE_LEAST] = { '\0', bytes[0], bytes[1] };

	add(sieve->near, hash(bytes));
	if (follows)
		add(sieve->near, hash(bytes - 1));
	else
		for (int byte = 0; byte <= UINT8_MAX; byte++) {
			before[0] = (char)byte;
			add(sieve->near, hash(before));
		}
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
	for (size_t i = 0; common[i] != '\0'; i++)
		sieve->weights[(unsigned char)common[i]] =
		    (unsigned char)(COMMON_MOST - 2 * i);
	for (size_t i = 0; i < count; i++)
		for (size_t at = 0; at + SIEVE_LEAST <= texts[i].length; at++)
			sieve->heads[hash(texts[i].text + at)]++;
	for (size_t i = 0; i < count; i++) {
		sieve->entries[i].text = texts[i];
		choose_bytes(sieve, &sieve->entries[i]);
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
		add(sieve->known, h);
		add_near(sieve, entry->text.text + entry->offset,
		    entry->offset > 0);
	}
	return sieve;
}

static char
fold(char c)
{
	if (c < 'A' || c > 'Z')
		return c;
	return (char)(c | 0x20);
}

static bool
is_same(struct sieve_text text, const char *other)
{
	for (size_t i = 0; i < text.length; i++)
		if (fold(text.text[i]) != fold(other[i]))
			return false;
	return true;
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
			    !is_same(entry->text, line + place->at))
				continue;
			place->from = i;
			place->next = next;
			return true;
		}
		while (i + SIEVE_LEAST <= length) {
			h = hash(line + i);
			if (!has(sieve->near, h))
				i += 2;
			else if (has(sieve->known, h))
				break;
			else
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
