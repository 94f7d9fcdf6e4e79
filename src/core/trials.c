/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text.h"
#include "trials.h"

/* A run that fails less often than this is good enough for a forecast. */
#define RARE 1e-3

/* From n trials no share is forecast that is below 1 of this many times n. */
#define BEYOND 10

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
	trials->runs += failed && !trials->failed_last;
	trials->failed_last = failed;
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

struct estimate
trials_estimate(const struct trials *trials)
{
	const double failed = (double)trials->failed;
	const double cut = (double)trials->cut;
	const double n = (double)trials->count + cut;

	return (struct estimate){
		.share = failed / (double)trials->count,
		.most = (failed + cut) / n,
		.interval =
		    interval_share_between(failed / n, (failed + cut) / n, n),
	};
}

struct again
trials_again(const struct trials *trials)
{
	return (struct again){
		.followed = trials->failed - trials->failed_last,
		.failed = trials->failed - trials->runs,
		.clustered = interval_clustered(trials->count, trials->failed,
		    trials->runs),
	};
}

struct forecast
trials_forecast(const struct trials *trials)
{
	const double n = (double)trials->count + (double)trials->cut;
	const double least = 1 / (BEYOND * n);
	struct forecast forecast = { 0 };

	if (trials->count == 0 || trials->failed + trials->cut == 0 ||
	    trials_again(trials).clustered)
		return forecast;
	const double share = trials_estimate(trials).interval.high;
	if (share > SHARE_MOST)
		return forecast;
	forecast.share = share;
	forecast.attempts = 2;
	forecast.chance = share * share;
	while (forecast.chance >= fmax(RARE, least)) {
		forecast.attempts++;
		forecast.chance *= share;
	}
	forecast.chance = fmax(forecast.chance, least);
	return forecast;
}

/*
 * "trials 200 failed 7 cut 0 runs 4 open 0 exit:1=5 timeout:0=2"; `open` is 1
 * if the last trial failed, so that the next one may go on with its run.
 */
void
trials_format(const struct trials *trials, char text[TRIALS_TEXT])
{
	snprintf(text, TRIALS_TEXT,
	    "trials %" PRIu64 " failed %" PRIu64 " cut %" PRIu64
	    " runs %" PRIu64 " open %d",
	    trials->count, trials->failed, trials->cut, trials->runs,
	    trials->failed_last);
	for (size_t i = 0; i < TRIALS_ROWS && trials->rows[i].count > 0; i++)
		text_append(text, TRIALS_TEXT, " %s:%d=%" PRIu64,
		    outcome_name(trials->rows[i].outcome.kind),
		    trials->rows[i].outcome.code, trials->rows[i].count);
}

/* Reads " exit:1=5"; returns the text behind it, or NULL. */
static const char *
parse_counted(const char *text, struct outcome *outcome, uint64_t *count)
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
	int open, end = 0;

	*trials = read;
	/* SCNu64 would read a negative count as a large one. */
	if (strpbrk(line, "+-") != NULL)
		return false;
	if (sscanf(line,
		"trials %" SCNu64 " failed %" SCNu64 " cut %" SCNu64
		" runs %" SCNu64 " open %1d%n",
		&read.count, &read.failed, &read.cut, &read.runs, &open,
		&end) != 5 ||
	    read.failed > read.count || read.count > INT64_MAX ||
	    read.cut > INT64_MAX)
		return false;
	/* A success is between two runs, and after the last if that is over. */
	const uint64_t others = read.count - read.failed;
	read.failed_last = open != 0;
	if (open > 1 || (read.runs > 0) != (read.failed > 0) ||
	    read.runs > read.failed ||
	    (read.runs > 0 && others + read.failed_last < read.runs) ||
	    (read.runs == 0 && read.failed_last))
		return false;
	left = read.failed;
	line += end;
	for (size_t i = 0; *line == ' '; i++) {
		if (i == TRIALS_ROWS)
			return false;
		line = parse_counted(line, &read.rows[i].outcome,
		    &read.rows[i].count);
		if (line == NULL || read.rows[i].count > left)
			return false;
		left -= read.rows[i].count;
	}
	if (strcmp(line, "\n") != 0 && *line != '\0')
		return false;
	*trials = read;
	return true;
}
