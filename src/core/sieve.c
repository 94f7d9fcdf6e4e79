/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sieve.h"

/* More words, longer ones, or deeper groups are not worth the search. */
#define WORDS_MOST 64
#define WORD_MOST 32
#define DEPTH_MOST 4

/* Bytes of a word that are hashed; shorter words are in too many lines. */
#define WORD_LEAST 4
#define HASH_BITS 14

/* The words of a part of a pattern. */
struct words {
	size_t count;
	char text[WORDS_MOST][WORD_MOST + 1];
};

/*
 * A part of a pattern: all texts that it matches, if they are few; and words of
 * which any text that it matches has one, if there are such.
 */
struct part {
	bool is_exact, is_bound;
	struct words exact, bound;
};

/* A word, and a pattern that needs it. */
struct word {
	uint32_t next; /* with the same hash; 0: none */
	unsigned int pattern;
	unsigned char length;
	unsigned char end; /* of the bytes that are hashed */
	char text[WORD_MOST];
};

struct sieve {
	unsigned int *always; /* the patterns that have no words */
	size_t always_count;

	struct word *words; /* from the second on */
	size_t count, room;
	uint32_t heads[1 << HASH_BITS]; /* of lists of words; 0: none */

	uint64_t *seen; /* by pattern: the line for which it was listed */
	uint64_t line;
};

/* --- the words of a pattern --- */

/*
 * Any case is taken for lower case, and any digit for 0.  What is folded stays
 * as it is if it is folded again.
 */
static char
fold(char c)
{
	c = (char)(c | 0x20);
	return (char)(c >= '0' && c <= '9' ? '0' : c);
}

static bool
add_word(struct words *words, const char *text)
{
	for (size_t i = 0; i < words->count; i++)
		if (strcmp(words->text[i], text) == 0)
			return true;
	if (words->count == WORDS_MOST)
		return false;
	strlcpy(words->text[words->count++], text, WORD_MOST + 1);
	return true;
}

static bool
add_words(struct words *words, const struct words *other)
{
	for (size_t i = 0; i < other->count; i++)
		if (!add_word(words, other->text[i]))
			return false;
	return true;
}

/* Makes each word of the first set go on with each word of the second. */
static bool
join_words(struct words *words, const struct words *other)
{
	struct words result = { 0 };

	for (size_t i = 0; i < words->count; i++)
		for (size_t j = 0; j < other->count; j++) {
			char text[2 * WORD_MOST + 1];

			strlcpy(text, words->text[i], sizeof(text));
			if (strlcat(text, other->text[j], sizeof(text)) >
				WORD_MOST ||
			    !add_word(&result, text))
				return false;
		}
	*words = result;
	return true;
}

static size_t
shortest(const struct words *words)
{
	size_t least = WORD_MOST;

	for (size_t i = 0; i < words->count; i++)
		if (strlen(words->text[i]) < least)
			least = strlen(words->text[i]);
	return least;
}

/* Takes the words over if they are longer, and so found in fewer lines. */
static void
prefer(struct part *part, const struct words *words)
{
	if (shortest(words) < WORD_LEAST ||
	    (part->is_bound && shortest(words) <= shortest(&part->bound)))
		return;
	part->is_bound = true;
	part->bound = *words;
}

static bool parse_alternatives(const char **text, int depth,
    struct part *result);

/* A bracket expression: a few characters, or any. */
static bool
parse_bracket(const char **text, struct part *part)
{
	const char *c = *text + 1;
	bool simple = *c != '^' && *c != ']';

	part->is_exact = false;
	if (*c == '^')
		c++;
	for (bool first = true; *c != ']' || first; first = false, c++) {
		const char word[] = { fold(*c), '\0' };

		if (*c == '\0' || *c == '[')
			return false;
		if (c[1] == '-' && *word == '0' && fold(c[2]) == '0')
			c += 2;
		simple = simple && *c != '-' && (unsigned char)*c < 0x80 &&
		    add_word(&part->exact, word);
	}
	part->is_exact = simple && part->exact.count <= 4;
	*text = c + 1;
	return true;
}

/* A character, a bracket expression or a group. */
static bool
parse_atom(const char **text, int depth, struct part *part)
{
	*part = (struct part){ .is_exact = true };
	switch (**text) {
	case '(':
		if (depth == DEPTH_MOST)
			return false;
		++*text;
		if (!parse_alternatives(text, depth + 1, part) || **text != ')')
			return false;
		++*text;
		return true;
	case '[':
		return parse_bracket(text, part);
	case '.':
		part->is_exact = false;
		++*text;
		return true;
	case '^':
	case '$':
		++*text;
		return add_word(&part->exact, "");
	case '*':
	case '+':
	case '?':
	case '{':
	case ')':
		return false;
	case '\\':
		++*text;
		if (**text == '\0' || isalnum((unsigned char)**text))
			return false;
		break;
	}
	const char c = *(*text)++, word[] = { fold(c), '\0' };
	part->is_exact = (unsigned char)c < 0x80;
	return add_word(&part->exact, word);
}

/* What follows an atom: how often it may come. */
static bool
parse_repetition(const char **text, struct part *part)
{
	const char repetition = **text;
	bool may_lack = repetition == '*' || repetition == '?';

	if (repetition == '\0' || strchr("*+?{", repetition) == NULL)
		return true;
	if (repetition == '{') {
		may_lack = (*text)[1] == '0' || (*text)[1] == ',';
		*text += strcspn(*text, "}");
		if (**text == '\0')
			return false;
	}
	++*text;
	if (**text != '\0' && strchr("*+?{", **text) != NULL)
		return false;
	/* Of "^*" libcs think differently. */
	if (part->is_exact && shortest(&part->exact) == 0)
		return false;
	if (part->is_exact && !may_lack)
		prefer(part, &part->exact);
	if (may_lack)
		part->is_bound = false;
	part->is_exact =
	    part->is_exact && repetition == '?' && add_word(&part->exact, "");
	return true;
}

/* Atoms in a row, up to the end of the alternative. */
static bool
parse_row(const char **text, int depth, struct part *result)
{
	struct words row = { .count = 1 }; /* what the last atoms match */
	struct part part;

	*result = (struct part){ .is_exact = true };
	while (**text != '\0' && **text != '|' && **text != ')') {
		if (!parse_atom(text, depth, &part) ||
		    !parse_repetition(text, &part))
			return false;
		if (part.is_bound)
			prefer(result, &part.bound);
		if (part.is_exact && join_words(&row, &part.exact))
			continue;
		prefer(result, &row);
		result->is_exact = false;
		row = (struct words){ .count = 1 };
		if (part.is_exact)
			row = part.exact;
	}
	prefer(result, &row);
	result->exact = row;
	return true;
}

static bool
parse_alternatives(const char **text, int depth, struct part *result)
{
	struct part row;

	*result = (struct part){ .is_exact = true, .is_bound = true };
	for (;;) {
		if (!parse_row(text, depth, &row))
			return false;
		result->is_exact = result->is_exact && row.is_exact &&
		    add_words(&result->exact, &row.exact);
		result->is_bound = result->is_bound && row.is_bound &&
		    add_words(&result->bound, &row.bound);
		if (**text != '|')
			return true;
		++*text;
	}
}

/* --- the words of all patterns --- */

/* The hash of the last WORD_LEAST bytes, which `window` holds. */
static uint32_t
hash_window(uint32_t window)
{
	return window * UINT32_C(2654435761) >> (32 - HASH_BITS);
}

/* Adds a byte to the last ones. */
static uint32_t
add_byte(uint32_t window, char byte)
{
	return window << 8 | (unsigned char)fold(byte);
}

static size_t
list_length(const struct sieve *sieve, uint32_t hash)
{
	size_t length = 0;

	for (uint32_t i = sieve->heads[hash]; i != 0; i = sieve->words[i].next)
		length++;
	return length;
}

/*
 * Adds a word to the shortest list that one of its parts leads to; returns
 * false if there is no memory.
 */
static bool
insert(struct sieve *sieve, const char *text, unsigned int pattern)
{
	struct word word = { .pattern = pattern,
		.length = (unsigned char)strlen(text) };
	uint32_t window = 0, best = 0;
	size_t least = SIZE_MAX;

	if (sieve->count >= sieve->room) {
		const size_t room = sieve->room * 2 + 64;
		struct word *words =
		    reallocarray(sieve->words, room, sizeof(*words));

		if (words == NULL)
			return false;
		sieve->words = words;
		sieve->room = room;
	}
	memcpy(word.text, text, word.length);
	for (unsigned char end = 1; end <= word.length; end++) {
		window = add_byte(window, text[end - 1]);
		const uint32_t hash = hash_window(window);
		const size_t length = list_length(sieve, hash);
		if (end < WORD_LEAST || length >= least)
			continue;
		least = length;
		best = hash;
		word.end = end;
	}
	word.next = sieve->heads[best];
	sieve->words[sieve->count] = word;
	sieve->heads[best] = (uint32_t)sieve->count++;
	return true;
}

/* Adds the words of a pattern, each alternative by itself. */
static bool
add_pattern(struct sieve *sieve, const char *text, unsigned int number)
{
	struct part part;

	if (strncmp(text, "(?i)", 4) == 0)
		text += 4;
	for (;;) {
		if (!parse_row(&text, 0, &part) || *text == ')' ||
		    !part.is_bound) {
			sieve->always[sieve->always_count++] = number;
			return true;
		}
		for (size_t i = 0; i < part.bound.count; i++)
			if (!insert(sieve, part.bound.text[i], number))
				return false;
		if (*text == '\0')
			return true;
		text++;
	}
}

struct sieve *
sieve_open(const char *const *patterns, size_t count)
{
	struct sieve *sieve = calloc(1, sizeof(*sieve));

	if (sieve == NULL)
		return NULL;
	sieve->always = calloc(count + 1, sizeof(*sieve->always));
	sieve->seen = calloc(count + 1, sizeof(*sieve->seen));
	sieve->count = 1;
	bool done = sieve->always != NULL && sieve->seen != NULL;
	for (size_t i = 0; done && i < count; i++)
		if (patterns[i] != NULL)
			done = add_pattern(sieve, patterns[i], (unsigned int)i);
	if (done)
		return sieve;
	sieve_close(sieve);
	return NULL;
}

/* Whether the line has the word, whose hashed bytes end before `end`. */
static bool
has_word(const struct word *word, const char *line, size_t length, size_t end)
{
	if (end < word->end || end - word->end + word->length > length)
		return false;
	line += end - word->end;
	for (unsigned char i = 0; i < word->length; i++)
		if (fold(line[i]) != word->text[i])
			return false;
	return true;
}

size_t
sieve_line(struct sieve *sieve, const char *text, size_t length,
    unsigned int *numbers)
{
	size_t count = 0;
	uint32_t window = 0;

	sieve->line++;
	for (size_t i = 0; i < sieve->always_count; i++) {
		sieve->seen[sieve->always[i]] = sieve->line;
		numbers[count++] = sieve->always[i];
	}
	for (size_t i = 0; i < length; i++) {
		window = add_byte(window, text[i]);
		for (uint32_t next = sieve->heads[hash_window(window)];
		     next != 0;) {
			const struct word *word = &sieve->words[next];

			next = word->next;
			if (sieve->seen[word->pattern] == sieve->line ||
			    !has_word(word, text, length, i + 1))
				continue;
			sieve->seen[word->pattern] = sieve->line;
			numbers[count++] = word->pattern;
		}
	}
	return count;
}

void
sieve_close(struct sieve *sieve)
{
	if (sieve == NULL)
		return;
	free(sieve->always);
	free(sieve->words);
	free(sieve->seen);
	free(sieve);
}
