/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text.h"
#include "trials.h"

/* The 0.975 quantile of the normal distribution. */
#define Z 1.959963984540054

/* A run that fails less often than this is good enough for a forecast. */
#define RARE 1e-3

/* The largest share of which there is a forecast. */
#define SHARE_MOST 0.5

static bool
is_same(struct outcome a, struct outcome b)
{
	return a.kind == b.kind && a.code == b.code;
}

void
trials_add(struct trials *trials, struct outcome outcome, bool failed)
{
	size_t i = 0;

	trials->count++;
	if (!failed)
		return;
	trials->failed++;
	while (i < TRIALS_ROWS && trials->rows[i].count > 0 &&
	    !is_same(trials->rows[i].outcome, outcome))
		i++;
	if (i == TRIALS_ROWS)
		return;
	const uint64_t count = trials->rows[i].count + 1;
	for (; i > 0 && trials->rows[i - 1].count < count; i--)
		trials->rows[i] = trials->rows[i - 1];
	trials->rows[i].outcome =
	    (struct outcome){ .kind = outcome.kind, .code = outcome.code };
	trials->rows[i].count = count;
}

uint64_t
trials_others(const struct trials *trials)
{
	uint64_t others = trials->failed;

	for (size_t i = 0; i < TRIALS_ROWS; i++)
		others -= trials->rows[i].count;
	return others;
}

/*
 * The interval is the score interval of E. B. Wilson, "Probable inference, the
 * law of succession, and statistical inference", JASA 22 (1927), which keeps
 * its 95 % also for few trials and rare failures (R. G. Newcombe, Statistics in
 * Medicine 17 (1998), method 3).  The rule of three: J. A. Hanley and A.
 * Lippman-Hand, "If nothing goes wrong, is everything all right?", JAMA 249
 * (1983).
 */
struct estimate
trials_estimate(const struct trials *trials)
{
	const double n = (double)trials->count;
	const double share = (double)trials->failed / n;

	if (trials->failed == 0)
		return (struct estimate){ 0, 0, fmin(3 / n, 1) };
	const double middle = share + Z * Z / (2 * n);
	const double half =
	    Z * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n));
	const double scale = 1 + Z * Z / n;
	return (struct estimate){
		.share = share,
		.low = (middle - half) / scale,
		/* All failed: rounding is not to leave less than 1. */
		.high = trials->failed == trials->count
		    ? 1
		    : (middle + half) / scale,
	};
}

struct forecast
trials_forecast(const struct trials *trials)
{
	struct forecast forecast = { 0 };

	if (trials->failed == 0)
		return forecast;
	const double share = trials_estimate(trials).share;
	if (share > SHARE_MOST)
		return forecast;
	forecast.attempts = 2;
	forecast.chance = share * share;
	while (forecast.chance >= RARE) {
		forecast.attempts++;
		forecast.chance *= share;
	}
	return forecast;
}

/* "trials 200 failed 7 exit:1=5 timeout:0=2" */
void
trials_format(const struct trials *trials, char text[TRIALS_TEXT])
{
	snprintf(text, TRIALS_TEXT, "trials %" PRIu64 " failed %" PRIu64,
	    trials->count, trials->failed);
	for (size_t i = 0; i < TRIALS_ROWS && trials->rows[i].count > 0; i++)
		text_append(text, TRIALS_TEXT, " %s:%d=%" PRIu64,
		    outcome_name(trials->rows[i].outcome.kind),
		    trials->rows[i].outcome.code, trials->rows[i].count);
}

/* Reads " exit:1=5"; returns the text behind it, or NULL. */
static const char *
parse_row(const char *text, struct outcome *outcome, uint64_t *count)
{
	char name[16];
	int end = 0;

	if (sscanf(text, " %15[a-z]:%9d=%" SCNu64 "%n", name, &outcome->code,
		count, &end) != 3 ||
	    *count == 0)
		return NULL;
	for (int kind = OUTCOME_EXIT; kind <= OUTCOME_UNFORKED; kind++)
		if (strcmp(name, outcome_name((enum outcome_kind)kind)) == 0) {
			outcome->kind = (enum outcome_kind)kind;
			return text + end;
		}
	return NULL;
}

bool
trials_parse(const char *line, struct trials *trials)
{
	struct trials read = { 0 };
	uint64_t left;
	int end = 0;

	*trials = read;
	/* SCNu64 would read a negative count as a large one. */
	if (strpbrk(line, "+-") != NULL)
		return false;
	if (sscanf(line, "trials %" SCNu64 " failed %" SCNu64 "%n", &read.count,
		&read.failed, &end) != 2 ||
	    read.failed > read.count || read.count > INT64_MAX)
		return false;
	left = read.failed;
	line += end;
	for (size_t i = 0; *line == ' '; i++) {
		if (i == TRIALS_ROWS)
			return false;
		line =
		    parse_row(line, &read.rows[i].outcome, &read.rows[i].count);
		if (line == NULL || read.rows[i].count > left)
			return false;
		left -= read.rows[i].count;
	}
	if (strcmp(line, "\n") != 0 && *line != '\0')
		return false;
	*trials = read;
	return true;
}
