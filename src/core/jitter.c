#include <string.h>

#include "duration.h"
#include "jitter.h"
#include "number.h"

static double
none(double x, double amount, double u)
{
	(void)amount, (void)u;
	return x;
}

static double
full(double x, double amount, double u)
{
	(void)amount;
	return x * u;
}

static double
equal(double x, double amount, double u)
{
	(void)amount;
	return x / 2 + x / 2 * u;
}

static double
ratio(double x, double amount, double u)
{
	return x * (1 - amount + 2 * amount * u);
}

static double
plus(double x, double amount, double u)
{
	return x + amount * u;
}

static double
whole_room(double cap, double amount)
{
	(void)amount;
	return cap;
}

static double
ratio_room(double cap, double amount)
{
	return cap / (1 + amount);
}

static double
plus_room(double cap, double amount)
{
	return cap - amount;
}

static const char *
parse_ratio(const char *text, double *amount)
{
	const char *end;
	const char *problem = duration_number(text, amount, &end);

	if (problem != NULL)
		return problem;
	if (*end == '%') {
		*amount /= 100;
		end++;
	}
	if (*end != '\0')
		return "is not a ratio";
	return *amount > 1 ? "is more than 1" : NULL;
}

static const char *
parse_plus(const char *text, double *amount)
{
	return duration_parse(text + 1, amount);
}

const struct jitter_kind jitter_kinds[] = {
	{
	    .name = "none",
	    .formula = "x",
	    .doc = "no jitter: every delay is the nominal one",
	    .fixed = true,
	    .spread = none,
	    .room = whole_room,
	},
	{
	    .name = "full",
	    .formula = "x*u",
	    .doc = "anything from nothing to the nominal delay",
	    .spread = full,
	    .room = whole_room,
	},
	{
	    .name = "equal",
	    .alias = "half",
	    .formula = "x/2 + x/2*u",
	    .doc = "half of the nominal delay at least",
	    .spread = equal,
	    .room = whole_room,
	},
	{
	    .name = "RATIO",
	    .formula = "x*(1 - r + 2*r*u)",
	    .doc = "so much around it: 0.2 or 20%",
	    .begins = "-.0123456789",
	    .parse = parse_ratio,
	    .relative = true,
	    .spread = ratio,
	    .room = ratio_room,
	},
	{
	    .name = "+DUR",
	    .formula = "x + DUR*u",
	    .doc = "up to DUR on top",
	    .begins = "+",
	    .parse = parse_plus,
	    .spread = plus,
	    .room = plus_room,
	},
	{ .name = NULL },
};

static bool
is_kind(const struct jitter_kind *kind, const char *text)
{
	if (kind->begins != NULL)
		return *text != '\0' && strchr(kind->begins, *text) != NULL;
	return strcmp(kind->name, text) == 0 ||
	    (kind->alias != NULL && strcmp(kind->alias, text) == 0);
}

const char *
jitter_parse(const char *text, struct jitter *jitter)
{
	for (const struct jitter_kind *kind = jitter_kinds; kind->name != NULL;
	     kind++) {
		if (!is_kind(kind, text))
			continue;
		jitter->kind = kind;
		jitter->amount = 0;
		return kind->parse == NULL ? NULL
					   : kind->parse(text, &jitter->amount);
	}
	return "is not a jitter";
}

double
jitter_room(const struct jitter *jitter, const struct backoff *backoff)
{
	if (jitter->order != JITTER_INSIDE || !backoff->cap_given)
		return backoff->cap;
	return jitter->kind->room(backoff->cap, jitter->amount);
}

double
jitter_delay(const struct jitter *jitter, const struct backoff *backoff,
    double nominal, double u)
{
	const struct jitter_kind *kind = jitter->kind;
	double x = nominal;

	if (jitter->order == JITTER_BEFORE_CAP && kind->parse != NULL)
		return backoff_hold(backoff,
		    kind->spread(x, jitter->amount, u));
	x = number_min(backoff_hold(backoff, x), jitter_room(jitter, backoff));
	x = number_max(kind->spread(x, jitter->amount, u), backoff->min);
	if (jitter->order == JITTER_INSIDE && backoff->cap_given)
		x = number_min(x, backoff->cap);
	return x;
}
