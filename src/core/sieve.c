/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sieve.h"

/*
 * The automaton that finds the words is that of A. V. Aho and M. J. Corasick,
 * "Efficient string matching: an aid to bibliographic search", CACM 18 (1975).
 */

/* More words, longer ones, or deeper groups are not worth the search. */
#define WORDS_MOST 32
#define WORD_MOST 16
#define DEPTH_MOST 4

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

/* A state for each beginning of a word. */
struct node {
	uint32_t child, sibling; /* numbers of nodes; 0: none */
	uint32_t fail;		 /* the longest end that begins a word, too */
	uint32_t outputs;	 /* a list; 0: none */
	uint32_t state;		 /* its number in `next` */
	unsigned char byte;
};

/* A pattern that a word is for. */
struct output {
	uint32_t next; /* in the list; 0: none */
	unsigned int pattern;
};

struct sieve {
	size_t patterns;
	unsigned int *always; /* the patterns that have no words */
	size_t always_count;

	struct node *nodes;
	size_t node_count, node_room;
	struct output *outputs;
	size_t output_count, output_room;

	unsigned char columns[UCHAR_MAX + 1]; /* of a byte, in `next` */
	size_t width;			      /* how many columns there are */
	uint32_t *next;	      /* a row per state; the states are offsets */
	uint32_t first_final; /* states from here on end a word */
	uint32_t *finals;     /* the lists of outputs of these */

	uint64_t *seen; /* by pattern: the line for which it was listed */
	uint64_t line;
};

/* --- the words of a pattern --- */

static bool
add_word(struct words *words, const char *text)
{
	if (words->count == WORDS_MOST)
		return false;
	strcpy(words->text[words->count++], text);
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

	if (words->count * other->count > WORDS_MOST)
		return false;
	for (size_t i = 0; i < words->count; i++)
		for (size_t j = 0; j < other->count; j++) {
			char *text = result.text[result.count++];

			if (strlen(words->text[i]) + strlen(other->text[j]) >
			    WORD_MOST)
				return false;
			strcpy(text, words->text[i]);
			strcat(text, other->text[j]);
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
	if (shortest(words) == 0 ||
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
		char word[] = { (char)tolower((unsigned char)*c), '\0' };

		if (*c == '\0' || *c == '[')
			return false;
		simple &= *c != '-' && (unsigned char)*c < 0x80;
		bool known = false;
		for (size_t i = 0; i < part->exact.count; i++)
			known |= part->exact.text[i][0] == *word;
		if (simple && !known)
			simple = add_word(&part->exact, word);
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
	const unsigned char c = (unsigned char)*(*text)++;
	const char word[] = { (char)tolower(c), '\0' };
	part->is_exact = c < 0x80;
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

/* --- the automaton --- */

/* Makes room for one more row; returns false if there is no memory. */
static bool
grow(void **rows, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return true;
	const size_t more = *room * 2 + 64;
	void *larger = reallocarray(*rows, more, size);
	if (larger == NULL)
		return false;
	*rows = larger;
	*room = more;
	return true;
}

/* Adds an output to a list; returns false if there is no memory. */
static bool
add_output(struct sieve *sieve, uint32_t *list, unsigned int pattern)
{
	void *rows = sieve->outputs;

	if (!grow(&rows, sieve->output_count, &sieve->output_room,
		sizeof(*sieve->outputs)))
		return false;
	sieve->outputs = rows;
	sieve->outputs[sieve->output_count] =
	    (struct output){ .next = *list, .pattern = pattern };
	*list = (uint32_t)sieve->output_count++;
	return true;
}

/* Returns the node that follows on this byte, or 0. */
static uint32_t
child_of(const struct sieve *sieve, uint32_t node, unsigned char byte)
{
	uint32_t child = sieve->nodes[node].child;

	while (child != 0 && sieve->nodes[child].byte != byte)
		child = sieve->nodes[child].sibling;
	return child;
}

static bool
insert(struct sieve *sieve, const char *word, unsigned int pattern)
{
	uint32_t node = 0, list;

	for (; *word != '\0'; word++) {
		const unsigned char byte = (unsigned char)*word;
		uint32_t child = child_of(sieve, node, byte);

		if (child == 0) {
			void *rows = sieve->nodes;

			if (!grow(&rows, sieve->node_count, &sieve->node_room,
				sizeof(*sieve->nodes)))
				return false;
			sieve->nodes = rows;
			child = (uint32_t)sieve->node_count++;
			sieve->nodes[child] = (struct node){ .byte = byte,
				.sibling = sieve->nodes[node].child };
			sieve->nodes[node].child = child;
		}
		node = child;
	}
	list = sieve->nodes[node].outputs;
	if (!add_output(sieve, &list, pattern))
		return false;
	sieve->nodes[node].outputs = list;
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

/*
 * Finds the nodes in the order of their depth, and where each goes on if no
 * child follows: to the longest end of its text that begins a word.
 */
static void
link_nodes(struct sieve *sieve, uint32_t *order)
{
	struct node *nodes = sieve->nodes;
	size_t count = 1;

	order[0] = 0;
	for (size_t i = 0; i < count; i++) {
		const uint32_t parent = order[i];

		for (uint32_t child = nodes[parent].child; child != 0;
		     child = nodes[child].sibling) {
			uint32_t fail = nodes[parent].fail, found = 0;

			while (parent != 0 &&
			    (found = child_of(sieve, fail,
				 nodes[child].byte)) == 0 &&
			    fail != 0)
				fail = nodes[fail].fail;
			nodes[child].fail = found;
			order[count++] = child;
			uint32_t *end = &nodes[child].outputs;
			while (*end != 0)
				end = &sieve->outputs[*end].next;
			*end = nodes[found].outputs;
		}
	}
}

/* Numbers the states, those that end a word last. */
static bool
number_states(struct sieve *sieve)
{
	uint32_t state = 0;

	for (int final = 0; final < 2; final++) {
		if (final == 1)
			sieve->first_final = state;
		for (size_t i = 0; i < sieve->node_count; i++)
			if ((sieve->nodes[i].outputs != 0) == (final == 1)) {
				sieve->nodes[i].state = state;
				state += (uint32_t)sieve->width;
			}
	}
	sieve->next =
	    calloc(sieve->node_count * sieve->width, sizeof(*sieve->next));
	sieve->finals = calloc((state - sieve->first_final) / sieve->width + 1,
	    sizeof(*sieve->finals));
	return sieve->next != NULL && sieve->finals != NULL;
}

/* Writes the rows of the automaton: those of shorter texts first. */
static bool
build(struct sieve *sieve)
{
	uint32_t *order = calloc(sieve->node_count, sizeof(*order));

	if (order == NULL)
		return false;
	/* Column 0 is for bytes that are in no word. */
	sieve->width = 1;
	for (size_t i = 1; i < sieve->node_count; i++) {
		unsigned char *column = &sieve->columns[sieve->nodes[i].byte];

		if (*column == 0)
			*column = (unsigned char)sieve->width++;
	}
	for (int c = 'A'; c <= 'Z'; c++)
		sieve->columns[c] = sieve->columns[tolower(c)];
	link_nodes(sieve, order);
	if (!number_states(sieve)) {
		free(order);
		return false;
	}
	for (size_t i = 0; i < sieve->node_count; i++) {
		const struct node *node = &sieve->nodes[order[i]];
		uint32_t *row = sieve->next + node->state;

		if (order[i] != 0)
			memcpy(row,
			    sieve->next + sieve->nodes[node->fail].state,
			    sieve->width * sizeof(*row));
		for (uint32_t child = node->child; child != 0;
		     child = sieve->nodes[child].sibling)
			row[sieve->columns[sieve->nodes[child].byte]] =
			    sieve->nodes[child].state;
		if (node->outputs != 0)
			sieve->finals[(node->state - sieve->first_final) /
			    sieve->width] = node->outputs;
	}
	free(order);
	return true;
}

struct sieve *
sieve_open(const char *const *patterns, size_t count)
{
	struct sieve *sieve = calloc(1, sizeof(*sieve));

	if (sieve == NULL)
		return NULL;
	sieve->patterns = count;
	sieve->always = calloc(count + 1, sizeof(*sieve->always));
	sieve->seen = calloc(count + 1, sizeof(*sieve->seen));
	sieve->nodes = calloc(1, sizeof(*sieve->nodes));
	sieve->outputs = calloc(1, sizeof(*sieve->outputs));
	sieve->node_count = sieve->node_room = 1;
	sieve->output_count = sieve->output_room = 1;
	bool done = sieve->always != NULL && sieve->seen != NULL &&
	    sieve->nodes != NULL && sieve->outputs != NULL;
	for (size_t i = 0; done && i < count; i++)
		if (patterns[i] != NULL)
			done = add_pattern(sieve, patterns[i], (unsigned int)i);
	if (done && build(sieve))
		return sieve;
	sieve_close(sieve);
	return NULL;
}

size_t
sieve_line(struct sieve *sieve, const char *text, size_t length,
    unsigned int *numbers)
{
	const unsigned char *columns = sieve->columns;
	const uint32_t *next = sieve->next;
	const uint32_t first_final = sieve->first_final;
	size_t count = 0;
	uint32_t state = sieve->nodes[0].state;

	sieve->line++;
	for (size_t i = 0; i < sieve->always_count; i++) {
		sieve->seen[sieve->always[i]] = sieve->line;
		numbers[count++] = sieve->always[i];
	}
	if (sieve->node_count == 1)
		return count;
	for (size_t i = 0; i < length; i++) {
		state = next[state + columns[(unsigned char)text[i]]];
		if (state < first_final)
			continue;
		for (uint32_t list =
			 sieve->finals[(state - first_final) / sieve->width];
		     list != 0; list = sieve->outputs[list].next) {
			const unsigned int pattern =
			    sieve->outputs[list].pattern;

			if (sieve->seen[pattern] == sieve->line)
				continue;
			sieve->seen[pattern] = sieve->line;
			numbers[count++] = pattern;
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
	free(sieve->nodes);
	free(sieve->outputs);
	free(sieve->next);
	free(sieve->finals);
	free(sieve->seen);
	free(sieve);
}
