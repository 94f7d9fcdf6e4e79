#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sysexits.h>

#include "list.h"
#include "sets.h"
#include "signals.h"

#define ALL UINT64_MAX
#define ALL_EXITS \
	{ \
		ALL, ALL, ALL, ALL \
	}
#define EXIT_BIT(status) (UINT64_C(1) << ((status) % 64))

const struct set_word set_classes[] = {
	{ "any", "every outcome", { ALL_EXITS, ALL, true, true, true } },
	{ "nonzero", "any exit status but 0",
	    { .exits = { ALL - 1, ALL, ALL, ALL } } },
	{ "signal", "death by any signal", { .signals = ALL } },
	{ "timeout", "timed out, whatever the process then returned",
	    { .timeout = true } },
	{ "unstartable", "could not be executed, or was not found",
	    { .unstartable = true } },
	{ "unforked", "no process could be made for it", { .unforked = true } },
	{ "temporary", "tempfail, unavailable or oserr",
	    { .exits = { [1] = EXIT_BIT(EX_TEMPFAIL) |
		      EXIT_BIT(EX_UNAVAILABLE) | EXIT_BIT(EX_OSERR) } } },
	{ .name = NULL },
};

#define SYSEXIT(name, status, doc) \
	{ \
		name, doc, \
		{ \
			.exits = { [(status) / 64] = EXIT_BIT(status) } \
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
		return "is not an exit status";
	low = high = strtonum(text, 0, 255, &problem);
	if (problem == NULL && dash != NULL) {
		if (*dash == '\0' || strspn(dash, "0123456789") != strlen(dash))
			return "is not a range of exit statuses";
		high = strtonum(dash, 0, 255, &problem);
	}
	if (problem != NULL)
		return "is an exit status over 255";
	if (low > high)
		return "is a range that runs backwards";
	for (long long status = low; status <= high; status++)
		item->exits[status / 64] |= EXIT_BIT(status);
	return NULL;
}

const char *
set_item(struct set *item, char *text)
{
	static const struct set_word *const tables[] = { set_classes,
		set_sysexits };

	*item = (struct set){ .timeout = false };
	if (isdigit((unsigned char)*text))
		return item_range(item, text);
	for (int i = 0; i < 2; i++)
		for (const struct set_word *word = tables[i];
		     word->name != NULL; word++)
			if (strcasecmp(word->name, text) == 0) {
				*item = word->set;
				return NULL;
			}
	const int number = signal_parse(text, false);
	if (number == -1)
		return "is not an outcome";
	item->signals = UINT64_C(1) << (number - 1);
	return NULL;
}

const char *
set_parse(struct set *set, const char *list, const char **where)
{
	struct set result = *set;

	while (list != NULL) {
		char text[LIST_ITEM];
		struct set item;

		*where = list;
		const char *problem = list_next(&list, text);
		if (problem != NULL)
			return problem;
		const bool out = *text == '!' || *text == '^';
		if (out && text[1] == '\0')
			return "has an empty item";
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

const char *
set_apply(struct set *set, const char *list)
{
	const char *where;

	return set_parse(set, list, &where);
}

bool
set_has(const struct set *set, struct outcome outcome)
{
	switch (outcome.kind) {
	case OUTCOME_NONE:
		break;
	case OUTCOME_EXIT:
		return set->exits[outcome.code / 64 % 4] &
		    EXIT_BIT(outcome.code);
	case OUTCOME_SIGNAL:
		return set->signals >> (outcome.code - 1) & 1;
	case OUTCOME_TIMEOUT:
		return set->timeout;
	case OUTCOME_UNSTARTABLE:
		return set->unstartable;
	case OUTCOME_UNFORKED:
		return set->unforked;
	}
	return false;
}

void
set_add(struct set *set, const struct set *other)
{
	for (int i = 0; i < 4; i++)
		set->exits[i] |= other->exits[i];
	set->signals |= other->signals;
	set->timeout |= other->timeout;
	set->unstartable |= other->unstartable;
	set->unforked |= other->unforked;
}

void
set_remove(struct set *set, const struct set *other)
{
	for (int i = 0; i < 4; i++)
		set->exits[i] &= ~other->exits[i];
	set->signals &= ~other->signals;
	set->timeout &= !other->timeout;
	set->unstartable &= !other->unstartable;
	set->unforked &= !other->unforked;
}

void
set_keep(struct set *set, const struct set *other)
{
	for (int i = 0; i < 4; i++)
		set->exits[i] &= other->exits[i];
	set->signals &= other->signals;
	set->timeout &= other->timeout;
	set->unstartable &= other->unstartable;
	set->unforked &= other->unforked;
}
