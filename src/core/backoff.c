#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backoff.h"
#include "duration.h"
#include "number.h"
#include "text.h"

/* So large that no delay needs it, so small that doubling stays finite. */
#define HUGE_DELAY 1e300

static double
param(const struct backoff *backoff, int i)
{
	const double initial = backoff->strategy->params[i].initial;

	if (backoff->param_given[i])
		return backoff->params[i];
	return initial == PARAM_IS_BASE ? backoff->base : initial;
}

static double
constant(const struct backoff *backoff, struct level *level, uint64_t n,
    double u)
{
	(void)level, (void)n, (void)u;
	return backoff->base;
}

static double
linear(const struct backoff *backoff, struct level *level, uint64_t n, double u)
{
	(void)level, (void)u;
	return backoff->base + param(backoff, 0) * (double)(n - 1);
}

static double
polynomial(const struct backoff *backoff, struct level *level, uint64_t n,
    double u)
{
	(void)level, (void)u;
	return backoff->base * number_power((double)n, param(backoff, 0));
}

static double
exponential(const struct backoff *backoff, struct level *level, uint64_t n,
    double u)
{
	(void)level, (void)u;
	return backoff->base * number_power(param(backoff, 0), (double)(n - 1));
}

/*
 * Added up rather than computed by Binet's formula, which is wrong from n = 72
 * on.  From the second on no delay is below the one before it, so what reaches
 * the cap stays there, within 1600 sums; so does what is 0 for ever.
 */
static double
fibonacci(const struct backoff *backoff, struct level *level, uint64_t n,
    double u)
{
	double delay = backoff->base, next = param(backoff, 0);

	(void)level, (void)u;
	for (uint64_t i = 1; i < n; i++) {
		const double sum = delay + next;

		if (sum == 0 || (i > 1 && delay >= backoff->cap))
			break;
		delay = next;
		next = sum;
	}
	return delay;
}

/* systemd.service(5), RestartSteps=: the cap is reached after `steps`. */
static double
steps(const struct backoff *backoff, struct level *level, uint64_t n, double u)
{
	const double count = param(backoff, 0);
	const double base = number_min(backoff->base, backoff->cap);

	(void)level, (void)u;
	if ((double)n > count)
		return backoff->cap;
	return base *
	    number_power(backoff->cap / base, (double)(n - 1) / count);
}

static double
list(const struct backoff *backoff, struct level *level, uint64_t n, double u)
{
	(void)level, (void)u;
	return backoff->values[n < backoff->count ? n - 1 : backoff->count - 1];
}

/*
 * M. Brooker, "Exponential Backoff And Jitter", 2015.  With clamp=1 as printed
 * there, where many draws are the very cap; else the range ends at the cap.
 */
static double
decorrelated(const struct backoff *backoff, struct level *level, uint64_t n,
    double u)
{
	const double base = backoff->base;
	const double previous = n == 1 ? base : level->previous;
	const bool clamp = param(backoff, 1) != 0;
	double high = param(backoff, 0) * previous;

	if (!clamp)
		high = number_min(high, backoff->cap);
	high = number_max(high, base);
	level->previous = backoff_hold(backoff, base + (high - base) * u);
	return level->previous;
}

/* Polly's DecorrelatedJitterBackoffV2: a median of base * 2^(n-1). */
static double
smooth_reach(double t)
{
	return number_exp2(t) * number_tanh(number_power(4 * t, 0.5));
}

static double
smooth(const struct backoff *backoff, struct level *level, uint64_t n, double u)
{
	const double t = (double)(n - 1) + u;
	const double before = n == 1 ? 0 : smooth_reach(level->previous);
	const double reach = smooth_reach(t);

	level->previous = t;
	if (!isfinite(reach))
		return backoff->base > 0 ? HUGE_DELAY : 0;
	return number_max(reach - before, 0) * backoff->base / 1.4;
}

/* IEEE 802.3, 4.2.3.2.5: truncated binary exponential backoff. */
static double
slots(const struct backoff *backoff, struct level *level, uint64_t n, double u)
{
	const double count =
	    number_exp2(number_min((double)n, param(backoff, 0)));

	(void)level;
	return backoff->base * number_min(number_floor(u * count), count - 1);
}

static double
add(double level, double change)
{
	return level + change;
}

static double
multiply(double level, double change)
{
	return level * change;
}

static double
level_set(const struct backoff *backoff, struct level *level, double value)
{
	level->begun = true;
	level->value = backoff_hold(backoff, value);
	return level->value;
}

static double
raised_by_adding(const struct backoff *backoff, struct level *level, uint64_t n,
    double u)
{
	(void)n, (void)u;
	return level_set(backoff, level,
	    level->begun ? add(level->value, param(backoff, 0))
			 : backoff->base);
}

static double
raised_by_multiplying(const struct backoff *backoff, struct level *level,
    uint64_t n, double u)
{
	(void)n, (void)u;
	return level_set(backoff, level,
	    level->begun ? multiply(level->value, param(backoff, 0))
			 : backoff->base);
}

#define UP_BY \
	{ \
		"up", "added after a failure", PARAM_CHANGE, PARAM_REQUIRED, \
		    0, 0 \
	}
#define UP_TIMES \
	{ \
		"up", "factor after a failure", PARAM_NUMBER, PARAM_REQUIRED, \
		    0, 0 \
	}
#define DOWN_BY \
	{ \
		"down", "added after a success, negative as a rule", \
		    PARAM_CHANGE, PARAM_REQUIRED, 0, 0 \
	}
#define DOWN_TIMES \
	{ \
		"down", "factor after a success", PARAM_NUMBER, \
		    PARAM_REQUIRED, 0, 0 \
	}

const struct strategy strategies[] = {
	{
	    .name = "constant",
	    .formula = "d",
	    .doc = "always the base delay",
	    .sample = "constant",
	    .example = "1 1 1 1 1",
	    .nominal = constant,
	},
	{
	    .name = "linear",
	    .formula = "d + step*(n-1)",
	    .doc = "grows by a fixed step",
	    .params = { { "step", "added for each retry", PARAM_TIME,
		PARAM_IS_BASE, 0, 0 } },
	    .sample = "linear",
	    .example = "1 2 3 4 5",
	    .nominal = linear,
	},
	{
	    .name = "polynomial",
	    .formula = "d*n^power",
	    .doc = "grows with a power of n",
	    .params = { { "power", "the exponent", PARAM_NUMBER, 2, 0, 0 } },
	    .sample = "polynomial",
	    .example = "1 4 9 16 25",
	    .nominal = polynomial,
	},
	{
	    .name = "exponential",
	    .formula = "d*factor^(n-1)",
	    .doc = "doubles, or grows by another factor",
	    .params = { { "factor", "growth from one retry to the next",
		PARAM_FACTOR, 2, 0, 0 } },
	    .sample = "exponential",
	    .example = "1 2 4 8 16",
	    .nominal = exponential,
	},
	{
	    .name = "fibonacci",
	    .formula = "d, second, then the sum of the two before",
	    .doc = "grows by 1.618, gently at first",
	    .params = { { "second", "the second delay", PARAM_TIME,
		PARAM_IS_BASE, 0, 0 } },
	    .sample = "fibonacci",
	    .example = "1 1 2 3 5",
	    .nominal = fibonacci,
	},
	{
	    .name = "steps",
	    .formula = "d*(cap/d)^((n-1)/steps), then cap",
	    .doc = "reaches the cap in so many steps",
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
	    .doc = "random, from the delay before",
	    .params = { { "factor", "growth of the range", PARAM_FACTOR, 3, 0,
			    0 },
		{ "clamp", "1: cut at the cap, as first published", PARAM_COUNT,
		    0, 0, 1 } },
	    .random = true,
	    .sample = "decorrelated",
	    .example = "2 3.5 5.75 9.12 14.2",
	    .nominal = decorrelated,
	},
	{
	    .name = "smooth",
	    .formula = "(x(t) - x(previous t))*d/1.4, t = n-1+u",
	    .doc = "decorrelated without spikes; x(t) = 2^t*tanh(sqrt(4t))",
	    .random = true,
	    .sample = "smooth",
	    .example = "0.897 1.09 2.04 4.05 8.08",
	    .nominal = smooth,
	},
	{
	    .name = "slots",
	    .formula = "d*r, r whole, uniform in [0, 2^min(n,ceiling)-1]",
	    .doc = "Ethernet's binary exponential backoff",
	    .params = { { "ceiling", "where doubling ends", PARAM_COUNT, 10, 1,
		52 } },
	    .random = true,
	    .sample = "slots",
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
	    .nominal = raised_by_adding,
	    .lower = add,
	},
	{
	    .name = "limd",
	    .formula = "level: d, then +up; after a success *down",
	    .doc = "linear increase, multiplicative decrease",
	    .params = { UP_BY, DOWN_TIMES },
	    .keeps_level = true,
	    .sample = "limd:up=2,down=0.5",
	    .example = "1 3 5 7 9",
	    .nominal = raised_by_adding,
	    .lower = multiply,
	},
	{
	    .name = "mild",
	    .formula = "level: d, then *up; after a success +down",
	    .doc = "multiplicative increase, linear decrease",
	    .params = { UP_TIMES, DOWN_BY },
	    .keeps_level = true,
	    .sample = "mild:up=2,down=-1",
	    .example = "1 2 4 8 16",
	    .nominal = raised_by_multiplying,
	    .lower = add,
	},
	{
	    .name = "mimd",
	    .formula = "level: d, then *up; after a success *down",
	    .doc = "multiplicative increase, multiplicative decrease",
	    .params = { UP_TIMES, DOWN_TIMES },
	    .keeps_level = true,
	    .sample = "mimd:up=2,down=0.5",
	    .example = "1 2 4 8 16",
	    .nominal = raised_by_multiplying,
	    .lower = multiply,
	},
	{ .name = NULL },
};

static const struct strategy *
find(const char *name, size_t length)
{
	for (const struct strategy *row = strategies; row->name != NULL; row++)
		if (strlen(row->name) == length &&
		    strncmp(row->name, name, length) == 0)
			return row;
	return NULL;
}

static const char *
parse_change(const char *text, double *value)
{
	const bool negative = *text == '-';
	const char *problem =
	    duration_parse(text + (negative || *text == '+'), value);

	if (negative)
		*value = -*value;
	return problem;
}

static const char *
parse_value(const struct param *row, const char *text, double *value)
{
	const char *end, *problem;

	if (row->kind == PARAM_TIME)
		return duration_parse(text, value);
	if (row->kind == PARAM_CHANGE)
		return parse_change(text, value);
	problem = duration_number(text, value, &end);
	if (problem != NULL)
		return problem;
	if (*end != '\0')
		return "is not a number";
	if (!isfinite(*value))
		return "is too large";
	if (row->kind == PARAM_FACTOR && *value <= 0)
		return "must be more than 0";
	if (row->kind != PARAM_COUNT)
		return NULL;
	if (*value != number_floor(*value))
		return "is not a whole number";
	if (*value < row->low)
		return "is too small";
	return *value > row->high ? "is too large" : NULL;
}

/* "name=value", which is cut in two. */
static const char *
parse_param(struct backoff *backoff, char *text)
{
	const struct strategy *strategy = backoff->strategy;
	char *value = strchr(text, '=');

	if (value == NULL)
		return "is not NAME=VALUE";
	*value++ = '\0';
	for (int i = 0; i < BACKOFF_PARAMS; i++) {
		if (strategy->params[i].name == NULL ||
		    strcmp(strategy->params[i].name, text) != 0)
			continue;
		if (backoff->param_given[i])
			return "is given twice";
		backoff->param_given[i] = true;
		return parse_value(&strategy->params[i], value,
		    &backoff->params[i]);
	}
	return "is not a parameter of this strategy";
}

static const char *
parse_params(struct backoff *backoff, const char *text, const char **where)
{
	const char *problem = NULL;
	char item[TEXT_ITEM];

	while (problem == NULL && text != NULL) {
		*where = text;
		problem = text_item(&text, item);
		if (problem == NULL)
			problem = parse_param(backoff, item);
	}
	return problem;
}

static const char *
parse_values(struct backoff *backoff, const char *text, const char **where)
{
	const char *problem = NULL;
	char item[TEXT_ITEM];
	size_t room = 1;

	for (const char *c = text; *c != '\0'; c++)
		room += *c == ',';
	free(backoff->values);
	backoff->values = reallocarray(NULL, room, sizeof(double));
	if (backoff->values == NULL)
		return "is too long for the memory there is";
	backoff->count = 0;
	while (problem == NULL && text != NULL) {
		*where = text;
		problem = text_item(&text, item);
		if (problem == NULL)
			problem = duration_parse(item,
			    &backoff->values[backoff->count++]);
	}
	return problem;
}

static const char *
check_required(const struct backoff *backoff)
{
	for (int i = 0; i < BACKOFF_PARAMS; i++) {
		const struct param *row = &backoff->strategy->params[i];

		if (row->name != NULL && row->initial == PARAM_REQUIRED &&
		    !backoff->param_given[i])
			return "needs both its parameters, up and down";
	}
	return NULL;
}

const char *
backoff_parse(const char *text, struct backoff *backoff, const char **where)
{
	const size_t length = strcspn(text, ":");
	const char *problem = NULL;

	*where = text;
	backoff->strategy = find(text, length);
	if (backoff->strategy == NULL)
		return "is not a strategy";
	for (int i = 0; i < BACKOFF_PARAMS; i++)
		backoff->param_given[i] = false;
	if (backoff->strategy->listed)
		return text[length] == '\0'
		    ? "needs its values, as in list:1s,5s,30s"
		    : parse_values(backoff, text + length + 1, where);
	if (text[length] == ':')
		problem = parse_params(backoff, text + length + 1, where);
	if (problem != NULL)
		return problem;
	*where = text;
	return check_required(backoff);
}

double
backoff_longest(const struct backoff *backoff)
{
	double longest = 0;

	for (size_t i = 0; backoff->strategy->listed && i < backoff->count; i++)
		longest = number_max(longest, backoff->values[i]);
	for (int i = 0; i < BACKOFF_PARAMS; i++) {
		const enum param_kind kind = backoff->strategy->params[i].kind;

		if (backoff->param_given[i] &&
		    (kind == PARAM_TIME || kind == PARAM_CHANGE))
			longest = number_max(longest, backoff->params[i]);
	}
	return longest;
}

double
backoff_nominal(const struct backoff *backoff, struct level *level, uint64_t n,
    double u)
{
	const double delay = backoff->strategy->nominal(backoff, level, n, u);

	if (isnan(delay) || delay < 0)
		return 0;
	return number_min(delay, HUGE_DELAY);
}

double
backoff_success(const struct backoff *backoff, struct level *level,
    double otherwise)
{
	const struct strategy *strategy = backoff->strategy;

	if (!strategy->keeps_level)
		return otherwise;
	return level_set(backoff, level,
	    level->begun ? strategy->lower(level->value, param(backoff, 1))
			 : backoff->base);
}

double
backoff_hold(const struct backoff *backoff, double delay)
{
	if (!(delay <= backoff->cap))
		delay = backoff->cap;
	return delay < backoff->min ? backoff->min : delay;
}
