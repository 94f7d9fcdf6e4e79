/*
 * tables SECTION: prints a list of the manual in mdoc(7), or what the shells'
 * completions know, from the tables that the program itself reads.  A program
 * of the build, never installed.
 */

#include <ctype.h>
#include <err.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/docs.h"
#include "cli/options.h"
#include "cli/presets.h"
#include "cli/report.h"
#include "core/backoff.h"
#include "core/bucket.h"
#include "core/jitter.h"
#include "core/sets.h"
#include "core/signals.h"

/* Prints text as it is, where roff would see hyphens, accents or macros. */
static void
print_literal(const char *text)
{
	if (*text == '.' || *text == '\'')
		printf("\\&");
	for (; *text != '\0'; text++)
		switch (*text) {
		case '\\':
			printf("\\e");
			break;
		case '-':
			printf("\\-");
			break;
		case '^':
			printf("\\(ha");
			break;
		case '~':
			printf("\\(ti");
			break;
		default:
			putchar(*text);
		}
}

/* Prints prose as a sentence on a line of its own. */
static void
print_sentence(const char *text)
{
	const bool is_name = isupper((unsigned char)text[1]);

	putchar(is_name ? *text : toupper((unsigned char)*text));
	print_literal(text + 1);
	printf(".\n");
}

/* The kinds of text that a value's name is made of. */
static int
kind_of(char c)
{
	if (isupper((unsigned char)c))
		return 'A';
	if (islower((unsigned char)c) || c == '-')
		return 'C';
	return c;
}

/* Prints "STRATEGY[:NAME=VALUE,...]" as the words of an mdoc line. */
static void
print_value(const char *value)
{
	const char *joint = "";

	for (; *value != '\0'; joint = " Ns ") {
		const int kind = kind_of(*value);
		size_t length = 1;

		while (kind_of(value[length]) == kind)
			length++;
		printf("%s", joint);
		switch (kind) {
		case '[':
			printf("Oo");
			break;
		case ']':
			printf("Oc");
			break;
		case 'A':
			printf("Ar %.*s", (int)length, value);
			break;
		case 'C':
			printf("Cm %.*s", (int)length, value);
			break;
		default:
			printf("No \\&%.*s", (int)length, value);
		}
		value += length;
	}
}

static void
print_option(const struct option_row *row)
{
	printf(".It ");
	if (row->letter != 0)
		printf("Fl %c , ", row->letter);
	printf("Fl -%s", row->name);
	if (row->takes == VALUE_OPTIONAL)
		printf(" Ns Oo");
	if (row->takes != VALUE_NONE) {
		printf(" Ns = Ns ");
		print_value(row->value);
	}
	if (row->takes == VALUE_OPTIONAL)
		printf(" Oc");
	putchar('\n');
	if (row->manual == NULL)
		print_sentence(row->doc);
	else
		printf("%s\n", row->manual);
	if (row->initial != NULL) {
		printf("The default is\n.Ql ");
		print_literal(row->initial);
		printf(" .\n");
	}
}

static void
print_options(void)
{
	for (int group = 0; group < GROUPS; group++) {
		printf(".Ss %s\n.Bl -tag -width Ds\n", option_groups[group]);
		for (int id = 0; id < OPTIONS; id++)
			if ((int)option_rows[id].group == group)
				print_option(&option_rows[id]);
		printf(".El\n");
	}
}

static void
print_param(const struct param *param)
{
	printf(".It Cm %s\n", param->name);
	print_literal(param->doc);
	if (param->initial == PARAM_IS_BASE)
		printf(" (default: d)\n");
	else if (param->initial == PARAM_REQUIRED)
		printf(" (must be given)\n");
	else
		printf(" (default: %g)\n", param->initial);
}

static void
print_params(const struct strategy *row)
{
	if (row->params[0].name == NULL)
		return;
	printf(".Bl -tag -width ceiling -compact\n");
	for (int i = 0; i < BACKOFF_PARAMS; i++)
		if (row->params[i].name != NULL)
			print_param(&row->params[i]);
	printf(".El\n");
}

static void
print_strategies(void)
{
	for (const struct strategy *row = strategies; row->name != NULL;
	     row++) {
		printf(".It Cm %s\n", row->name);
		print_literal(row->formula);
		printf("\n.br\n");
		print_sentence(row->doc);
		printf("With\n.Ql ");
		print_literal(row->sample);
		printf("\n%s%s: %s.\n",
		    row->listed		  ? "as it stands"
			: row->needs_ends ? "from 1 second to a cap of 16"
					  : "and a base of 1 second",
		    row->random ? ", where u is 1/2" : "", row->example);
		print_params(row);
	}
}

static void
print_jitters(void)
{
	for (const struct jitter_kind *row = jitter_kinds; row->name != NULL;
	     row++) {
		printf(".It ");
		print_value(row->name);
		if (row->alias != NULL)
			printf(" , Cm %s", row->alias);
		putchar('\n');
		print_literal(row->formula);
		printf("\n.br\n");
		print_sentence(row->doc);
	}
}

static void
print_presets(void)
{
	for (const struct preset *row = presets; row->name != NULL; row++) {
		printf(".It Cm %s\n", row->name);
		print_sentence(row->doc);
		for (const char *const *word = row->words; *word != NULL;
		     word++) {
			printf(".Ql ");
			print_literal(*word);
			putchar('\n');
		}
	}
}

static void
print_budget(void)
{
	for (const struct bucket_param *row = bucket_params; row->name != NULL;
	     row++) {
		printf(".It Cm %s\n", row->name);
		print_literal(row->doc);
		printf(" (default: %g)\n", (double)row->initial / 1000);
	}
}

static void
print_words(const struct set_word *words)
{
	for (const struct set_word *word = words; word->name != NULL; word++) {
		printf(".It Cm %s\n", word->name);
		print_literal(word->doc);
		putchar('\n');
	}
}

static void
print_classes(void)
{
	print_words(set_classes);
}

static void
print_sysexits(void)
{
	print_words(set_sysexits);
}

static void
print_formats(void)
{
	for (const struct format *row = formats; row->name != NULL; row++) {
		printf(".It Cm %s\n", row->name);
		print_sentence(row->doc);
	}
}

/* Prints a word in quotes that sh, zsh and fish read alike. */
static void
print_quoted(const char *text)
{
	printf(" '");
	for (; *text != '\0'; text++)
		if (*text == '\'')
			printf("'\\''");
		else
			putchar(*text);
	putchar('\'');
}

/* What a value's name says of its kind: "FORMAT" of "FORMAT[:FILE]". */
static void
print_kind(const struct option_row *row)
{
	if (row == &option_rows[OPTION_BUDGET])
		printf(" 'BUDGET'");
	else if (row->value != NULL && islower((unsigned char)*row->value))
		print_quoted(row->name);
	else
		printf(" '%.*s'",
		    row->value == NULL ? 0 : (int)strcspn(row->value, "[|"),
		    row->value == NULL ? "" : row->value);
}

static void
complete_word(const char *kind, const char *word, const char *doc)
{
	printf("_retry_word %s", kind);
	print_quoted(word);
	print_quoted(doc);
	putchar('\n');
}

/* The words of a value that is written as "end|start". */
static void
complete_choices(const struct option_row *row)
{
	const char *word = row->value;

	if (word == NULL || !islower((unsigned char)*word))
		return;
	while (*word != '\0') {
		const size_t length = strcspn(word, "|");

		printf("_retry_word %s '%.*s' ''\n", row->name, (int)length,
		    word);
		word += length + (word[length] == '|');
	}
}

static void
complete_options(void)
{
	static const char *const takes[] = {
		[VALUE_NONE] = "none",
		[VALUE_REQUIRED] = "required",
		[VALUE_OPTIONAL] = "optional",
	};

	for (int id = 0; id < OPTIONS; id++) {
		const struct option_row *row = &option_rows[id];

		printf("_retry_option %c %s %s",
		    row->letter == 0 ? '-' : row->letter, row->name,
		    takes[row->takes]);
		print_kind(row);
		print_quoted(row->doc);
		putchar('\n');
		complete_choices(row);
	}
}

static void
complete_params(const struct strategy *strategy)
{
	char kind[64], word[64];

	for (int i = 0; i < BACKOFF_PARAMS; i++) {
		const struct param *row = &strategy->params[i];

		if (row->name == NULL)
			return;
		snprintf(kind, sizeof(kind), "PARAM_%s", strategy->name);
		snprintf(word, sizeof(word), "%s=", row->name);
		complete_word(kind, word, row->doc);
	}
}

static void
complete_budget(void)
{
	char word[64];

	for (const struct bucket_param *row = bucket_params; row->name != NULL;
	     row++) {
		snprintf(word, sizeof(word), "%s=", row->name);
		complete_word("PARAM_budget", word, row->doc);
	}
}

static void
complete_backoff(void)
{
	for (const struct strategy *row = strategies; row->name != NULL;
	     row++) {
		complete_word("STRATEGY", row->name, row->doc);
		complete_params(row);
	}
	for (const struct jitter_kind *row = jitter_kinds; row->name != NULL;
	     row++) {
		if (row->parse == NULL)
			complete_word("KIND", row->name, row->doc);
		if (row->alias != NULL)
			complete_word("KIND", row->alias, row->doc);
	}
	for (const struct preset *row = presets; row->name != NULL; row++)
		complete_word("NAME", row->name, row->doc);
}

static void
complete_signals(const char *kind)
{
	for (int number = 1; number < NSIG; number++) {
		const char *name = sigabbrev_np(number);

		if (name != NULL && signal_is_deadly(number))
			complete_word(kind, name, sigdescr_np(number));
	}
}

static void
complete_sets(const char *kind)
{
	for (const struct set_word *row = set_classes; row->name != NULL; row++)
		complete_word(kind, row->name, row->doc);
	for (const struct set_word *row = set_sysexits; row->name != NULL;
	     row++)
		complete_word(kind, row->name, row->doc);
	complete_signals(kind);
}

static void
print_completions(void)
{
	complete_options();
	complete_backoff();
	complete_budget();
	complete_sets("SET");
	complete_sets("SCRIPT");
	complete_signals("SIG");
	for (const struct format *row = formats; row->name != NULL; row++)
		complete_word("FORMAT", row->name, row->doc);
	for (const struct topic *row = docs_topics; row->name != NULL; row++)
		complete_word("TOPIC", row->name, row->doc);
}

/* One row a list of the manual. */
static const struct {
	const char *name;
	void (*print)(void);
} sections[] = {
	{ "options", print_options },
	{ "strategies", print_strategies },
	{ "jitters", print_jitters },
	{ "presets", print_presets },
	{ "budget", print_budget },
	{ "classes", print_classes },
	{ "sysexits", print_sysexits },
	{ "formats", print_formats },
	{ "completions", print_completions },
};

int
main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (argc == 2 && strcmp(sections[i].name, argv[1]) == 0) {
			sections[i].print();
			return fflush(stdout) == EOF ? EXIT_FAILURE
						     : EXIT_SUCCESS;
		}
	errx(EXIT_FAILURE, "usage: tables SECTION");
}
