/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backoff.h"
#include "duration.h"
#include "text.h"

/* No delay is as long, and twice this number is still finite. */
#define HUGE_DELAY 1e300

/* The retry for which a strategy computes the delay. */
struct retry {
	const struct backoff *backoff;
	struct level *level;
	double base, cap;
	double params[BACKOFF_PARAMS]; /* as given, or their initial values */
	uint64_t n;
	double u;
};

double
backoff_param(const struct backoff *backoff, int i)
{
	const double initial = backoff->strategy->params[i].initial;

	if (backoff->param_given[i])
		return backoff->params[i];
	return initial == PARAM_IS_BASE ? backoff->base : initial;
}

static double
constant(const struct retry *retry)
{
	return retry->base;
}

static double
linear(const struct retry *retry)
{
	return retry->base + retry->params[0] * (double)(retry->n - 1);
}

/*
 * C libraries disagree in the last of the 53 bits of pow(3) and tanh(3).  In
 * the first 40 they agree, so that a seed means the same delays with each.
 */
static double
rounded(double number)
{
	int exponent;

	/* frexp(3) has no exponent for infinity. */
	if (!isfinite(number))
		return number;
	const double digits = frexp(number, &exponent);

	return ldexp(rint(ldexp(digits, 40)), exponent - 40);
}

static double
polynomial(const struct retry *retry)
{
	return retry->base * rounded(pow((double)retry->n, retry->params[0]));
}

static double
exponential(const struct retry *retry)
{
	const double factor = retry->params[0];

	return retry->base * rounded(pow(factor, (double)(retry->n - 1)));
}

/*
 * Added up rather than computed by Binet's formula, which is wrong from n = 72
 * on.  Two delays at the cap have longer ones after them; a delay of 0 stays 0.
 */
static double
fibonacci(const struct retry *retry)
{
	double delay = retry->base, next = retry->params[0];

	for (uint64_t i = 1; i < retry->n; i++) {
		const double sum = delay + next;

		if (sum == 0 ||
		    fmin(delay, next) >= fmin(retry->cap, HUGE_DELAY))
			break;
		delay = next;
		next = sum;
	}
	return delay;
}

/* systemd.service(5), RestartSteps=: the cap is reached after `steps`. */
static double
steps(const struct retry *retry)
{
	const double count = retry->params[0];
	const double base = fmin(retry->base, retry->cap);

	if ((double)retry->n > count)
		return retry->cap;
	return base *
	    rounded(pow(retry->cap / base, (double)(retry->n - 1) / count));
}

static double
list(const struct retry *retry)
{
	const struct backoff *backoff = retry->backoff;
	const uint64_t last = backoff->count - 1;

	return backoff->values[retry->n - 1 < last ? retry->n - 1 : last];
}

/*
 * M. Brooker, "Exponential Backoff And Jitter", 2015.  With clamp=1 as printed
 * there, where many draws are the very cap; else the range ends at the cap.
 */
static double
decorrelated(const struct retry *retry)
{
	const double base = retry->base;
	const double previous = retry->n == 1 ? base : retry->level->previous;
	const bool clamp = retry->params[1] != 0;
	double high = retry->params[0] * previous;

	if (!clamp)
		high = fmin(high, retry->cap);
	high = fmax(high, base);
	retry->level->previous =
	    backoff_clamp(retry->backoff, base + (high - base) * retry->u);
	return retry->level->previous;
}

/* Polly's DecorrelatedJitterBackoffV2: a median of base * 2^(n-1). */
static double
smooth_reach(double t)
{
	return rounded(exp2(t) * tanh(sqrt(4 * t)));
}

static double
smooth(const struct retry *retry)
{
	const double t = (double)(retry->n - 1) + retry->u;
	const double before =
	    retry->n == 1 ? 0 : smooth_reach(retry->level->previous);
	const double reach = smooth_reach(t);

	retry->level->previous = t;
	if (!isfinite(reach))
		return retry->base > 0 ? HUGE_DELAY : 0;
	return fmax(reach - before, 0) * retry->base / 1.4;
}

/* IEEE 802.3, 4.2.3.2.5: truncated binary exponential backoff. */
static double
slots(const struct retry *retry)
{
	const double doublings = fmin((double)retry->n, retry->params[0]);
	const double count = exp2(doublings);

	return retry->base * fmin(floor(retry->u * count), count - 1);
}

/* The base begins the level; later a change is added, a factor multiplies. */
static double
move_level(const struct backoff *backoff, struct level *level, int i)
{
	const double by = backoff_param(backoff, i);
	double value = backoff->base;

	if (level->begun)
		value = backoff->strategy->params[i].kind == PARAM_CHANGE
		    ? level->value + by
		    : level->value * by;
	level->begun = true;
	level->value = backoff_clamp(backoff, value);
	return level->value;
}

static double
raise_level(const struct retry *retry)
{
	return move_level(retry->backoff, retry->level, 0);
}

#define REQUIRED(name, doc, kind) \
	{ \
		name, doc, kind, PARAM_REQUIRED, 0, 0 \
	}
#define UP_BY REQUIRED("up", "added after a failure", PARAM_CHANGE)
#define UP_TIMES REQUIRED("up", "factor after a failure", PARAM_NUMBER)
#define DOWN_BY \
	REQUIRED("down", "added after a success, usually negative", \
	    PARAM_CHANGE)
#define DOWN_TIMES REQUIRED("down", "factor after a success", PARAM_NUMBER)

const struct strategy strategies[] = {
	{
	    .name = "constant",
	    .formula = "d",
	    .doc = "always the base delay",
	    .example = "1 1 1 1 1",
	    .nominal = constant,
	},
	{
	    .name = "linear",
	    .formula = "d + step*(n-1)",
	    .doc = "grows by a fixed step",
	    .params = { { "step", "added for each retry", PARAM_TIME,
		PARAM_IS_BASE, 0, 0 } },
	    .example = "1 2 3 4 5",
	    .nominal = linear,
	},
	{
	    .name = "polynomial",
	    .formula = "d*n^power",
	    .doc = "grows with a power of n",
	    .params = { { "power", "the exponent", PARAM_NUMBER, 2, 0, 0 } },
	    .example = "1 4 9 16 25",
	    .nominal = polynomial,
	},
	{
	    .name = "exponential",
	    .formula = "d*factor^(n-1)",
	    .doc = "doubles, or grows by another factor",
	    .params = { { "factor", "growth from one retry to the next",
		PARAM_FACTOR, 2, 0, 0 } },
	    .example = "1 2 4 8 16",
	    .nominal = exponential,
	},
	{
	    .name = "fibonacci",
	    .formula = "d, second, then the sum of the previous two",
	    .doc = "grows by a factor that approaches 1.618",
	    .params = { { "second", "the second delay", PARAM_TIME,
		PARAM_IS_BASE, 0, 0 } },
	    .example = "1 1 2 3 5",
	    .nominal = fibonacci,
	},
	{
	    .name = "steps",
	    .formula = "d*(cap/d)^((n-1)/steps), then cap",
	    .doc = "grows by a fixed factor to the cap, at retry steps+1",
	    .params = { { "steps", "retries until the cap", PARAM_COUNT, 5, 1,
		1e9 } },
	    .needs_ends = true,
	    .sample = "steps:steps=4",
	    .example = "1 2 4 8 16 16",
	    .nominal = steps,
	},
	{
	    .name = "list",
	    .formula = "the values given, the last one repeated",
	    .doc = "your own delays",
	    .listed = true,
	    .sample = "list:1s,5s,30s",
	    .example = "1 5 30 30 30",
	    .nominal = list,
	},
	{
	    .name = "decorrelated",
	    .formula = "uniform in [d, min(cap, factor*previous)]",
	    .doc = "random, in a range that depends on the previous delay",
	    .params = { { "factor", "growth of the range", PARAM_FACTOR, 3, 0,
			    0 },
		{ "clamp", "1: cut each delay off at the cap", PARAM_COUNT, 0,
		    0, 1 } },
	    .random = true,
	    .example = "2 3.5 5.75 9.12 14.2",
	    .nominal = decorrelated,
	},
	{
	    .name = "smooth",
	    .formula = "(x(t) - x(previous t))*d/1.4, t = n-1+u",
	    .doc = "like decorrelated, with fewer extremes; "
		   "x(t) = 2^t*tanh(sqrt(4t))",
	    .random = true,
	    .example = "0.897 1.09 2.04 4.05 8.08",
	    .nominal = smooth,
	},
	{
	    .name = "slots",
	    .formula = "d*r, r an integer, uniform in [0, 2^min(n,ceiling)-1]",
	    .doc = "Ethernet's binary exponential backoff",
	    .params = { { "ceiling", "retry after which doubling stops",
		PARAM_COUNT, 10, 1, 52 } },
	    .random = true,
	    .example = "1 2 4 8 16",
	    .nominal = slots,
	},
	{
	    .name = "lild",
	    .formula = "level: d, then +up; after a success +down",
	    .doc = "linear increase, linear decrease",
	    .params = { UP_BY, DOWN_BY },
	    .keeps_level = true,
	    .sample = "lild:up=2,down=-1",
	    .example = "1 3 5 7 9",
	    .nominal = raise_level,
	},
	{
	    .name = "limd",
	    .formula = "level: d, then +up; after a success *down",
	    .doc = "linear increase, multiplicative decrease",
	    .params = { UP_BY, DOWN_TIMES },
	    .keeps_level = true,
	    .sample = "limd:up=2,down=0.5",
	    .example = "1 3 5 7 9",
	    .nominal = raise_level,
	},
	{
	    .name = "mild",
	    .formula = "level: d, then *up; after a success +down",
	    .doc = "multiplicative increase, linear decrease",
	    .params = { UP_TIMES, DOWN_BY },
	    .keeps_level = true,
	    .sample = "mild:up=2,down=-1",
	    .example = "1 2 4 8 16",
	    .nominal = raise_level,
	},
	{
	    .name = "mimd",
	    .formula = "level: d, then *up; after a success *down",
	    .doc = "multiplicative increase, multiplicative decrease",
	    .params = { UP_TIMES, DOWN_TIMES },
	    .keeps_level = true,
	    .sample = "mimd:up=2,down=0.5",
	    .example = "1 2 4 8 16",
	    .nominal = raise_level,
	},
	{ .name = NULL },
};

static const char *
parse_value(const struct param *row, const char *text, double *value)
{
	const bool change = row->kind == PARAM_CHANGE;
	const bool negative = change && *text == '-';
	const char *problem;
	const char *end;

	if (change || row->kind == PARAM_TIME) {
		if (negative || (change && *text == '+'))
			text++;
		problem = duration_parse(text, value);
		if (negative)
			*value = -*value;
		return problem;
	}
	problem = duration_number(text, value, &end);
	if (problem != NULL)
		return problem;
	if (*end != '\0')
		return "not a number";
	if (!isfinite(*value))
		return "too large";
	if (row->kind == PARAM_FACTOR && *value <= 0)
		return "not more than 0";
	if (row->kind != PARAM_COUNT)
		return NULL;
	if (*value != floor(*value))
		return "not a whole number";
	if (*value < row->low)
		return "too small";
	return *value > row->high ? "too large" : NULL;
}

/* "name=value", which is cut in two. */
static const char *
parse_param(struct backoff *backoff, char *text)
{
	const struct strategy *strategy = backoff->strategy;
	char *value = strchr(text, '=');

	if (value == NULL)
		return "not NAME=VALUE";
	*value++ = '\0';
	for (int i = 0; strategy->params[i].name != NULL; i++) {
		if (strcmp(strategy->params[i].name, text) != 0)
			continue;
		if (backoff->param_given[i])
			return "given twice";
		backoff->param_given[i] = true;
		return parse_value(&strategy->params[i], value,
		    &backoff->params[i]);
	}
	return "unknown parameter";
}

const char *
backoff_parse(const char *text, struct backoff *backoff, const char **where)
{
	const size_t length = strcspn(text, ":");
	const char *rest = text[length] == ':' ? text + length + 1 : NULL;
	const struct strategy *strategy = strategies;

	*where = text;
	while (strategy->name != NULL && !text_is(text, length, strategy->name))
		strategy++;
	if (strategy->name == NULL)
		return "unknown strategy";
	backoff->text = text;
	backoff->strategy = strategy;
	for (int i = 0; i < BACKOFF_PARAMS; i++)
		backoff->param_given[i] = false;
	if (strategy->listed) {
		if (rest == NULL)
			return "its values are missing, as in list:1s,5s,30s";
		free(backoff->values);
		/* A value and its comma are two characters at least. */
		backoff->values = reallocarray(NULL, strlen(rest) / 2 + 1,
		    sizeof(*backoff->values));
		if (backoff->values == NULL)
			return "too long: out of memory";
		backoff->count = 0;
	}
	while (rest != NULL) {
		char item[TEXT_ITEM];

		*where = rest;
		const char *problem = text_item(&rest, item);
		if (problem == NULL && strategy->listed)
			problem = duration_parse(item,
			    &backoff->values[backoff->count++]);
		else if (problem == NULL)
			problem = parse_param(backoff, item);
		if (problem != NULL)
			return problem;
	}
	*where = text;
	for (int i = 0; i < BACKOFF_PARAMS; i++)
		if (strategy->params[i].initial == PARAM_REQUIRED &&
		    !backoff->param_given[i])
			return "needs its parameters up and down";
	return NULL;
}

double
backoff_longest(const struct backoff *backoff)
{
	double longest = 0;

	for (size_t i = 0; backoff->strategy->listed && i < backoff->count; i++)
		longest = fmax(longest, backoff->values[i]);
	for (int i = 0; i < BACKOFF_PARAMS; i++) {
		const enum param_kind kind = backoff->strategy->params[i].kind;

		if (backoff->param_given[i] &&
		    (kind == PARAM_TIME || kind == PARAM_CHANGE))
			longest = fmax(longest, backoff->params[i]);
	}
	return longest;
}

double
backoff_nominal(const struct backoff *backoff, struct level *level, uint64_t n,
    double u)
{
	const struct retry retry = {
		.backoff = backoff,
		.level = level,
		.base = backoff->base,
		.cap = backoff->cap,
		.params = { backoff_param(backoff, 0),
		    backoff_param(backoff, 1) },
		.n = n,
		.u = u,
	};
	const double delay = backoff->strategy->nominal(&retry);

	if (isnan(delay) || delay < 0)
		return 0;
	return fmin(delay, HUGE_DELAY);
}

double
backoff_success(const struct backoff *backoff, struct level *level,
    double otherwise)
{
	if (!backoff->strategy->keeps_level)
		return otherwise;
	return move_level(backoff, level, 1);
}

double
backoff_clamp(const struct backoff *backoff, double delay)
{
	return fmax(fmin(delay, backoff->cap), backoff->min);
}
