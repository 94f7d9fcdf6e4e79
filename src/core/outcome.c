/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sysexits.h>

#include "outcome.h"
#include "signals.h"
#include "text.h"

const char *const outcome_names[] = {
	[OUTCOME_NONE] = "none",
	[OUTCOME_EXIT] = "exit",
	[OUTCOME_SIGNAL] = "signal",
	[OUTCOME_TIMEOUT] = "timeout",
	[OUTCOME_UNHEALTHY] = "unhealthy",
	[OUTCOME_UNSTARTABLE] = "unstartable",
	[OUTCOME_UNFORKED] = "unforked",
};

const char *const class_names[] = {
	[CLASS_NONE] = "none",
	[CLASS_UNKNOWN] = "unknown",
	[CLASS_TRANSIENT] = "transient",
	[CLASS_PERMANENT] = "permanent",
};

/* A shell exits with 128 and the signal that its command died of. */
#define EXIT_KILLED (128 + SIGKILL)

bool
outcome_may_be_oom(struct outcome outcome)
{
	return (outcome.kind == OUTCOME_EXIT && outcome.code == EXIT_KILLED) ||
	    (outcome.kind == OUTCOME_SIGNAL && outcome.code == SIGKILL);
}

bool
outcome_ran(struct outcome outcome)
{
	return outcome.kind != OUTCOME_UNSTARTABLE &&
	    outcome.kind != OUTCOME_UNFORKED;
}

bool
outcome_was_ended(struct outcome outcome)
{
	return outcome.kind == OUTCOME_TIMEOUT ||
	    outcome.kind == OUTCOME_UNHEALTHY;
}

#define NAME(error) [error] = #error

const char *
outcome_error(int error)
{
	static const char *const names[] = { NAME(E2BIG), NAME(EACCES),
		NAME(EAGAIN), NAME(EBADF), NAME(EBUSY), NAME(EDQUOT),
		NAME(EFAULT), NAME(EFBIG), NAME(EHOSTDOWN), NAME(EHOSTUNREACH),
		NAME(EINTR), NAME(EINVAL), NAME(EIO), NAME(EISDIR),
		NAME(EKEYEXPIRED), NAME(EKEYREJECTED), NAME(EKEYREVOKED),
		NAME(ELIBACC), NAME(ELIBBAD), NAME(ELIBEXEC), NAME(ELIBMAX),
		NAME(ELIBSCN), NAME(ELOOP), NAME(EMFILE), NAME(EMLINK),
		NAME(ENAMETOOLONG), NAME(ENETDOWN), NAME(ENETUNREACH),
		NAME(ENFILE), NAME(ENOBUFS), NAME(ENODATA), NAME(ENODEV),
		NAME(ENOENT), NAME(ENOEXEC), NAME(ENOKEY), NAME(ENOMEM),
		NAME(ENOSPC), NAME(ENOSYS), NAME(ENOTCONN), NAME(ENOTDIR),
		NAME(ENXIO), NAME(EOPNOTSUPP), NAME(EOVERFLOW), NAME(EPERM),
		NAME(EPROTO), NAME(EREMOTEIO), NAME(EROFS), NAME(ESRCH),
		NAME(ESTALE), NAME(ETIMEDOUT), NAME(ETXTBSY), NAME(EUCLEAN),
		NAME(EUSERS) };
	const int count = sizeof(names) / sizeof(names[0]);

	return error > 0 && error < count ? names[error] : NULL;
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
	case OUTCOME_UNHEALTHY:
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

/* The words that hold the signals and the other kinds. */
#define SIGNALS 4
#define KINDS 5

#define ALL UINT64_MAX
#define BIT(number) (UINT64_C(1) << ((number) % 64))

/* Whether the bits of one class have the outcome. */
static bool
has(const uint64_t *bits, struct outcome outcome)
{
	if (outcome.kind == OUTCOME_EXIT)
		return bits[outcome.code / 64 % 4] & BIT(outcome.code);
	if (outcome.kind == OUTCOME_SIGNAL)
		return bits[SIGNALS] & BIT(outcome.code - 1);
	return bits[KINDS] & BIT(outcome.kind);
}

bool
set_has(const struct set *set, struct outcome outcome)
{
	if (outcome.class != CLASS_NONE)
		return has(&set->bits[(outcome.class - 1) * OUTCOME_WORDS],
		    outcome);
	for (int i = 0; i < SET_WORDS; i += OUTCOME_WORDS)
		if (!has(&set->bits[i], outcome))
			return false;
	return true;
}

bool
set_has_class(const struct set *set)
{
	for (int i = OUTCOME_WORDS; i < SET_WORDS; i++)
		if (set->bits[i] != set->bits[i - OUTCOME_WORDS])
			return true;
	return false;
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

/* The kinds that are one bit each. */
#define OTHER_KINDS \
	(BIT(OUTCOME_TIMEOUT) | BIT(OUTCOME_UNHEALTHY) | \
	    BIT(OUTCOME_UNSTARTABLE) | BIT(OUTCOME_UNFORKED))
#define ANY \
	{ \
		ALL, ALL, ALL, ALL, ALL, OTHER_KINDS \
	}

const struct set_word set_classes[] = {
	{ "any", "every outcome", ANY, CLASS_NONE },
	{ "transient", "retrying may help: a preset says so, 75, a hint", ANY,
	    CLASS_TRANSIENT },
	{ "permanent", "retrying does not help: a preset says so, not found",
	    ANY, CLASS_PERMANENT },
	{ "unknown", "any other failure", ANY, CLASS_UNKNOWN },
	{ "nonzero", "any exit status but 0", { ALL - 1, ALL, ALL, ALL },
	    CLASS_NONE },
	{ "signal", "death by any signal", { [SIGNALS] = ALL }, CLASS_NONE },
	{ "timeout", "timed out, whatever the exit status",
	    { [KINDS] = BIT(OUTCOME_TIMEOUT) }, CLASS_NONE },
	{ "unhealthy", "ended because --health kept failing",
	    { [KINDS] = BIT(OUTCOME_UNHEALTHY) }, CLASS_NONE },
	{ "unstartable", "could not be executed, or was not found",
	    { [KINDS] = BIT(OUTCOME_UNSTARTABLE) }, CLASS_NONE },
	{ "unforked", "fork failed", { [KINDS] = BIT(OUTCOME_UNFORKED) },
	    CLASS_NONE },
	{ .name = NULL },
};

#define SYSEXIT(name, status, doc) \
	{ \
		name, doc, { [(status) / 64] = BIT(status) }, CLASS_NONE \
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
	SYSEXIT("oserr", EX_OSERR, "71: system error, such as a failed fork"),
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
item_range(uint64_t bits[OUTCOME_WORDS], char *text)
{
	const char *invalid;
	char *dash = strchr(text, '-');
	long long low, high;

	if (dash != NULL)
		*dash++ = '\0';
	if (strspn(text, "0123456789") != strlen(text))
		return "not an exit status (use 1, 1-5 or 1,5)";
	low = high = strtonum(text, 0, 255, &invalid);
	if (invalid == NULL && dash != NULL) {
		if (*dash == '\0' || strspn(dash, "0123456789") != strlen(dash))
			return "not a range of exit statuses";
		high = strtonum(dash, 0, 255, &invalid);
	}
	if (invalid != NULL)
		return "exit statuses end at 255";
	if (low > high)
		return "a range that runs backwards";
	for (long long status = low; status <= high; status++)
		bits[status / 64] |= BIT(status);
	return NULL;
}

static const struct set_word *
find_word(const struct set_word *words, const char *name)
{
	/* Most differ in their first letter, which is a small one. */
	while (words->name != NULL &&
	    (*words->name != (*name | 0x20) ||
		strcasecmp(words->name, name) != 0))
		words++;
	return words->name == NULL ? NULL : words;
}

const char *
set_item(struct set *item, char *text)
{
	const bool is_sysexit = strncasecmp(text, "EX_", 3) == 0;
	const struct set_word *word = NULL;
	enum failure_class class = CLASS_NONE;
	uint64_t bits[OUTCOME_WORDS] = { 0 };
	const char *problem = NULL;

	*item = (struct set){ 0 };
	if (isdigit((unsigned char)*text))
		problem = item_range(bits, text);
	else if ((!is_sysexit &&
		     (word = find_word(set_classes, text)) != NULL) ||
	    (word = find_word(set_sysexits, text + 3 * is_sysexit)) != NULL) {
		memcpy(bits, word->bits, sizeof(bits));
		class = word->class;
	} else {
		const int number = is_sysexit ? -1 : signal_parse(text);

		if (number == -1)
			return "unknown outcome";
		bits[SIGNALS] = BIT(number - 1);
	}
	if (problem != NULL)
		return problem;
	for (int i = 0; i < SET_WORDS; i++)
		if (class == CLASS_NONE || (int)class == i / OUTCOME_WORDS + 1)
			item->bits[i] = bits[i % OUTCOME_WORDS];
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
		if (strcasecmp(text, "none") == 0) {
			result = (struct set){ 0 };
			continue;
		}
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
