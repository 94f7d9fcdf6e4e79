/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <string.h>

#include "duration.h"
#include "jitter.h"

const char *const jitter_orders[] = { "inside", "before-cap", "after-cap",
	NULL };

const struct jitter_kind jitter_kinds[] = {
	{
	    .name = "none",
	    .formula = "x",
	    .doc = "no jitter: every delay is the nominal one",
	    .fixed = true,
	    .least = 1,
	},
	{
	    .name = "full",
	    .formula = "x*u",
	    .doc = "between 0 and x",
	    .least = 0,
	},
	{
	    .name = "equal",
	    .alias = "half",
	    .formula = "x/2 + x/2*u",
	    .doc = "at least half of x",
	    .least = 0.5,
	},
	{
	    .name = "RATIO",
	    .formula = "x*(1 - r + 2*r*u)",
	    .doc = "up to r above or below x: 0.2 or 20%",
	    .least = 1,
	    .begins = "-.0123456789",
	    .relative = true,
	},
	{
	    .name = "+DUR",
	    .formula = "x + DUR*u",
	    .doc = "up to DUR above x",
	    .least = 1,
	    .begins = "+",
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
	const struct jitter_kind *kind = jitter_kinds;

	while (kind->name != NULL && !is_kind(kind, text))
		kind++;
	if (kind->name == NULL)
		return "unknown jitter";
	jitter->text = text;
	jitter->kind = kind;
	jitter->amount = 0;
	if (kind->begins == NULL)
		return NULL;
	if (!kind->relative)
		return duration_parse(text + 1, &jitter->amount);
	return duration_ratio(text, &jitter->amount);
}

/* The delay that the draw `u` makes of x. */
static double
spread(const struct jitter *jitter, double x, double u)
{
	const double least = jitter->kind->least, amount = jitter->amount;

	if (jitter->kind->relative)
		return x * (1 - amount + 2 * amount * u);
	return x * (least + (1 - least) * u) + amount * u;
}

double
jitter_room(const struct jitter *jitter, const struct backoff *backoff)
{
	if (jitter->order != JITTER_INSIDE || backoff->most == 0)
		return backoff->cap;
	if (jitter->kind->relative)
		return backoff->most / (1 + jitter->amount);
	return backoff->most - jitter->amount;
}

double
jitter_delay(const struct jitter *jitter, const struct backoff *backoff,
    double nominal, double u)
{
	const bool heeds_order = jitter->kind->begins != NULL;
	const double min = backoff->min;
	const double x =
	    fmin(backoff_clamp(backoff, nominal), jitter_room(jitter, backoff));
	double most = backoff_most(backoff);
	double delay = spread(jitter, x, u);

	if (heeds_order && jitter->order != JITTER_INSIDE)
		most = INFINITY;
	/*
	 * A range that begins below the minimum is moved up to begin there.
	 * It stays at least as wide as the range of a nominal delay equal to
	 * the minimum; otherwise short delays would have no jitter.
	 */
	if (spread(jitter, x, 0) < min) {
		const double width =
		    spread(jitter, min, 1) - spread(jitter, min, 0);
		const double high = fmax(spread(jitter, x, 1), min + width);

		delay = min + u * (fmin(high, most) - min);
	}
	if (heeds_order && jitter->order == JITTER_BEFORE_CAP)
		most = backoff_most(backoff);
	return fmax(fmin(delay, most), min);
}
