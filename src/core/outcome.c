#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sysexits.h>

#include "outcome.h"
#include "signals.h"
#include "text.h"

const char *
outcome_name(enum outcome_kind kind)
{
	static const char *const names[] = {
		[OUTCOME_NONE] = "none",
		[OUTCOME_EXIT] = "exit",
		[OUTCOME_SIGNAL] = "signal",
		[OUTCOME_TIMEOUT] = "timeout",
		[OUTCOME_UNSTARTABLE] = "unstartable",
		[OUTCOME_UNFORKED] = "unforked",
	};

	return names[kind];
}

int
outcome_status(struct outcome outcome)
{
	switch (outcome.kind) {
	case OUTCOME_EXIT:
		return outcome.code != 0 ? outcome.code : 1;
	case OUTCOME_SIGNAL:
		return 128 + outcome.code;
	case OUTCOME_TIMEOUT:
		return STATUS_TIMEOUT;
	case OUTCOME_UNSTARTABLE:
		return outcome.code == ENOENT ? STATUS_NOT_FOUND
					      : STATUS_NOT_EXECUTABLE;
	case OUTCOME_NONE:
	case OUTCOME_UNFORKED:
		break;
	}
	return STATUS_OWN_FAILURE;
}

/* The words of a set that hold the signals and the kinds without a number. */
#define SIGNALS 4
#define KINDS 5

#define ALL UINT64_MAX
#define BIT(number) (UINT64_C(1) << ((number) % 64))

bool
set_has(const struct set *set, struct outcome outcome)
{
	switch (outcome.kind) {
	case OUTCOME_EXIT:
		return set->bits[outcome.code / 64 % 4] & BIT(outcome.code);
	case OUTCOME_SIGNAL:
		return set->bits[SIGNALS] & BIT(outcome.code - 1);
	case OUTCOME_NONE:
	case OUTCOME_TIMEOUT:
	case OUTCOME_UNSTARTABLE:
	case OUTCOME_UNFORKED:
		break;
	}
	return set->bits[KINDS] & BIT(outcome.kind);
}

void
set_add(struct set *set, const struct set *other)
{
	for (int i = 0; i < SET_WORDS; i++)
		set->bits[i] |= other->bits[i];
}

void
set_remove(struct set *set, const struct set *other)
{
	for (int i = 0; i < SET_WORDS; i++)
		set->bits[i] &= ~other->bits[i];
}

void
set_keep(struct set *set, const struct set *other)
{
	for (int i = 0; i < SET_WORDS; i++)
		set->bits[i] &= other->bits[i];
}

const struct set_word set_classes[] = {
	{ "any", "every outcome",
	    { { ALL, ALL, ALL, ALL, ALL,
		BIT(OUTCOME_TIMEOUT) | BIT(OUTCOME_UNSTARTABLE) |
		    BIT(OUTCOME_UNFORKED) } } },
	{ "nonzero", "any exit status but 0", { { ALL - 1, ALL, ALL, ALL } } },
	{ "signal", "death by any signal", { { [SIGNALS] = ALL } } },
	{ "timeout", "timed out, whatever the process then returned",
	    { { [KINDS] = BIT(OUTCOME_TIMEOUT) } } },
	{ "unstartable", "could not be executed, or was not found",
	    { { [KINDS] = BIT(OUTCOME_UNSTARTABLE) } } },
	{ "unforked", "no process could be made for it",
	    { { [KINDS] = BIT(OUTCOME_UNFORKED) } } },
	{ "temporary", "tempfail, unavailable or oserr",
	    { { [1] = BIT(EX_TEMPFAIL) | BIT(EX_UNAVAILABLE) |
		    BIT(EX_OSERR) } } },
	{ .name = NULL },
};

#define SYSEXIT(name, status, doc) \
	{ \
		name, doc, \
		{ \
			{ \
				[(status) / 64] = BIT(status) \
			} \
		} \
	}

const struct set_word set_sysexits[] = {
	SYSEXIT("ok", EX_OK, "0: success"),
	SYSEXIT("usage", EX_USAGE, "64: used wrongly"),
	SYSEXIT("dataerr", EX_DATAERR, "65: bad input data"),
	SYSEXIT("noinput", EX_NOINPUT, "66: no input file"),
	SYSEXIT("nouser", EX_NOUSER, "67: no such user"),
	SYSEXIT("nohost", EX_NOHOST, "68: no such host"),
	SYSEXIT("unavailable", EX_UNAVAILABLE, "69: service not available"),
	SYSEXIT("software", EX_SOFTWARE, "70: internal error"),
	SYSEXIT("oserr", EX_OSERR, "71: system error, as fork failing"),
	SYSEXIT("osfile", EX_OSFILE, "72: a system file is missing"),
	SYSEXIT("cantcreat", EX_CANTCREAT, "73: cannot create a file"),
	SYSEXIT("ioerr", EX_IOERR, "74: input or output error"),
	SYSEXIT("tempfail", EX_TEMPFAIL, "75: temporary failure"),
	SYSEXIT("protocol", EX_PROTOCOL, "76: protocol error"),
	SYSEXIT("noperm", EX_NOPERM, "77: permission denied"),
	SYSEXIT("config", EX_CONFIG, "78: configuration error"),
	{ .name = NULL },
};

/* An exit status or a range of them: "1", "100-110". */
static const char *
item_range(struct set *item, char *text)
{
	const char *problem;
	char *dash = strchr(text, '-');
	long long low, high;

	if (dash != NULL)
		*dash++ = '\0';
	if (strspn(text, "0123456789") != strlen(text))
		return "not an exit status";
	low = high = strtonum(text, 0, 255, &problem);
	if (problem == NULL && dash != NULL) {
		if (*dash == '\0' || strspn(dash, "0123456789") != strlen(dash))
			return "not a range of exit statuses";
		high = strtonum(dash, 0, 255, &problem);
	}
	if (problem != NULL)
		return "is an exit status over 255";
	if (low > high)
		return "a range that runs backwards";
	for (long long status = low; status <= high; status++)
		item->bits[status / 64] |= BIT(status);
	return NULL;
}

const char *
set_item(struct set *item, char *text)
{
	static const struct set_word *const tables[] = { set_classes,
		set_sysexits };

	*item = (struct set){ { 0 } };
	if (isdigit((unsigned char)*text))
		return item_range(item, text);
	for (int i = 0; i < 2; i++)
		for (const struct set_word *word = tables[i];
		     word->name != NULL; word++)
			if (strcasecmp(word->name, text) == 0) {
				*item = word->set;
				return NULL;
			}
	const int number = signal_parse(text);
	if (number == -1)
		return SET_UNKNOWN;
	item->bits[SIGNALS] = BIT(number - 1);
	return NULL;
}

const char *
set_parse(struct set *set, const char *list, const char **where)
{
	struct set result = *set;

	while (list != NULL) {
		char text[TEXT_ITEM];
		struct set item;

		if (where != NULL)
			*where = list;
		const char *problem = text_item(&list, text);
		if (problem != NULL)
			return problem;
		const bool out = *text == '!' || *text == '^';
		if (out && text[1] == '\0')
			return "empty item";
		problem = set_item(&item, text + out);
		if (problem != NULL)
			return problem;
		if (out)
			set_remove(&result, &item);
		else
			set_add(&result, &item);
	}
	*set = result;
	return NULL;
}
