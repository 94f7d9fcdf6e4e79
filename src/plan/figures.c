/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/message.h"
#include "plan/figures.h"
#include "core/duration.h"
#include "core/text.h"

/* Standard deviations that 95 % of a normal distribution are within. */
#define CONFIDENT 1.96

/* If none of n was seen, the share is below this / n, with 95 %. */
#define RULE_OF_THREE 3

struct sample
sample_of(const struct simulation *simulation)
{
	const struct record *end = &simulation->end;
	const double back = simulation->service->script.down_until;

	if (!simulation->over)
		return (struct sample){
			.elapsed = simulation->now,
			.attempts = (double)simulation->attempt,
			.down = (double)simulation->down,
			.noticed = NAN,
		};
	return (struct sample){
		.reason = end->reason,
		.elapsed = end->elapsed,
		.attempts = (double)end->attempt,
		.down = (double)simulation->down,
		.noticed = simulation->noticed,
		.early = end->reason != REASON_SUCCESS &&
		    end->reason != REASON_PLAN && end->elapsed < back,
	};
}

void
samples_add(struct samples *samples, struct sample sample)
{
	if (samples->count == samples->room) {
		samples->room = 2 * samples->room + 100;
		samples->rows = reallocarray(samples->rows, samples->room,
		    sizeof(*samples->rows));
		if (samples->rows == NULL)
			abort();
	}
	samples->rows[samples->count++] = sample;
}

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * What a run that was cut short at this value would have come to: the mean of
 * all that went beyond, or the value if none did.  Source: Kaplan and Meier,
 * Nonparametric estimation from incomplete observations, 1958.
 */
static double
expected_beyond(const double *values, size_t count, double value)
{
	double sum = 0;
	size_t first = count;

	while (first > 0 && values[first - 1] > value)
		sum += values[--first];
	return first < count ? sum / (double)(count - first) : value;
}

/* The members at this offset of runs that came to their end, or did not. */
static size_t
members(const struct samples *samples, size_t offset, bool ended,
    double *values)
{
	size_t count = 0;

	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->rows[i];
		const double value =
		    *(const double *)(const void *)((const char *)sample +
			offset);

		if (!isnan(value) && ended == (sample->reason != REASON_NONE))
			values[count++] = value;
	}
	return count;
}

/* What the members at this offset come to. */
static struct spread
spread_of(const struct samples *samples, size_t offset)
{
	double *values =
	    reallocarray(NULL, samples->count + 1, sizeof(*values));
	struct spread spread = { 0 };
	double sum = 0, squares = 0;

	if (values == NULL)
		abort();
	const size_t count = members(samples, offset, true, values);
	qsort(values, count, sizeof(*values), compare);
	double *cut = values + count;
	const size_t cuts = members(samples, offset, false, cut);
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	for (size_t i = 0; i < cuts; i++)
		sum += expected_beyond(values, count, cut[i]);
	spread.count = count;
	if (count + cuts > 0)
		spread.mean = sum / (double)(count + cuts);
	if (count > 0) {
		for (size_t i = 0; i < count; i++)
			squares += (values[i] - spread.mean) *
			    (values[i] - spread.mean);
		spread.error = CONFIDENT * sqrt(squares) / (double)count;
		spread.p50 = values[(count - 1) / 2];
		spread.p95 = values[(size_t)ceil((double)count * 0.95) - 1];
		spread.p99 = values[(size_t)ceil((double)count * 0.99) - 1];
		/* Values that differ by a rounding error are equal. */
		spread.fixed =
		    values[count - 1] - values[0] <= 1e-9 * values[count - 1];
	}
	free(values);
	return spread;
}

struct plan_figures
figures_of(const struct samples *samples, bool outage)
{
	struct plan_figures figures = {
		.elapsed = spread_of(samples, offsetof(struct sample, elapsed)),
		.attempts =
		    spread_of(samples, offsetof(struct sample, attempts)),
		.outage = outage,
		.noticed = spread_of(samples, offsetof(struct sample, noticed)),
		.down = spread_of(samples, offsetof(struct sample, down)),
	};

	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->rows[i];

		if (sample->reason == REASON_NONE)
			continue;
		figures.runs++;
		figures.ends[sample->reason]++;
		figures.early += sample->early;
		figures.gives_up += sample->reason != REASON_SUCCESS &&
		    sample->reason != REASON_PLAN;
	}
	if (figures.runs > 0) {
		figures.early /= (double)figures.runs;
		figures.gives_up /= (double)figures.runs;
	}
	return figures;
}

const char *
figures_percent(double share, char text[MESSAGE_PART])
{
	const double percent = 100 * share;

	if (percent > 99.9)
		return message_percent(share, text);
	snprintf(text, MESSAGE_PART, "%.*g %%",
	    percent < 10	 ? 2
		: percent < 99.5 ? 3
				 : 4,
	    percent);
	return text;
}

/* The margin of error in percent, with one digit that is known. */
static const char *
margin(double percent, char text[MESSAGE_PART])
{
	/* 9.5 has two digits once it is rounded to one. */
	snprintf(text, MESSAGE_PART, percent < 9.5 ? "%.1g" : "%.0f", percent);
	return text;
}

/* By how many percent a share of so many runs may err: " (+-0.4)", or "". */
static const char *
share_error(double share, size_t runs, char text[MESSAGE_PART])
{
	const double error =
	    CONFIDENT * sqrt(share * (1 - share) / (double)runs);
	char number[MESSAGE_PART];

	*text = '\0';
	if (error > 0)
		snprintf(text, MESSAGE_PART, " (+-%.32s)",
		    margin(100 * error, number));
	return text;
}

static void
print_gives_up(const struct plan_figures *figures)
{
	const double runs = (double)figures->runs;
	const double goes_on = figures->ends[REASON_PLAN] / runs;
	const char *before = ": ";
	char text[MESSAGE_PART], error[MESSAGE_PART];

	if (figures->gives_up == 0 && figures->runs > 1 && goes_on < 1)
		printf("give up   none (fewer than %s)\n",
		    figures_percent(RULE_OF_THREE / runs, text));
	else if (figures->gives_up == 0)
		printf("give up   none\n");
	else if (figures->gives_up == 1)
		printf("give up   all of them");
	else
		printf("give up   %s%s",
		    figures_percent(figures->gives_up, text),
		    share_error(figures->gives_up, figures->runs, error));
	for (int i = 0; i < REASONS && figures->gives_up > 0; i++) {
		const double share = figures->ends[i] / runs;

		if (share == 0 || reasons[i].gave_up == NULL)
			continue;
		printf("%s", before);
		if (share < figures->gives_up)
			printf("%s ", figures_percent(share, text));
		printf("%s", reasons[i].gave_up);
		before = ", ";
	}
	if (figures->gives_up > 0)
		printf("\n");
	if (goes_on > 0)
		printf("go on     %s after the plan\n",
		    goes_on == 1 ? "all of them"
				 : figures_percent(goes_on, text));
}

static const char *
count_text(double count, char text[MESSAGE_PART])
{
	snprintf(text, MESSAGE_PART, count < 100 ? "%.3g" : "%.0f", count);
	return text;
}

static const char *
time_text(double seconds, char text[MESSAGE_PART])
{
	return duration_text(seconds, text);
}

/* What follows a number. */
struct unit {
	const char *one, *many;
};

/* A mean and percentiles; `half` is a word for what a run does by them. */
static void
print_spread(const char *label, const struct spread *spread,
    const char *(*write)(double, char *), struct unit unit, const char *half)
{
	char text[4][MESSAGE_PART], error[MESSAGE_PART] = "";
	char number[MESSAGE_PART];

	write(spread->mean, text[0]);
	if (spread->fixed) {
		printf("%-9s %s%s\n", label, text[0],
		    strcmp(text[0], "1") == 0 ? unit.one : unit.many);
		return;
	}
	const double percent = 100 * spread->error / spread->mean;
	if (percent > 1)
		snprintf(error, sizeof(error), " (+-%.32s %%)",
		    margin(percent, number));
	printf("%-9s %s%s on average%s; %s %s, 95 %% %s, 99 %% %s\n", label,
	    text[0], unit.many, error, half, write(spread->p50, text[1]),
	    write(spread->p95, text[2]), write(spread->p99, text[3]));
}

void
figures_print_outage(const struct plan_figures *figures)
{
	char text[MESSAGE_PART], error[MESSAGE_PART];

	if (figures->early == 0 || figures->early == 1)
		printf("outage    %s give up before the service is back\n",
		    figures->early == 0 ? "none" : "all");
	else
		printf("outage    %s%s give up before the service is back\n",
		    figures_percent(figures->early, text),
		    share_error(figures->early, figures->runs, error));
	print_spread("meanwhile", &figures->down, count_text,
	    (struct unit){ " attempt", " attempts" }, "half at most");
	if (figures->noticed.count > 0)
		print_spread("noticed", &figures->noticed, time_text,
		    (struct unit){ " later", " later" }, "half in");
}

/* No run came to its end while there was time. */
static void
print_none(const struct plan_figures *figures)
{
	char count[MESSAGE_PART], time[MESSAGE_PART];

	printf("No simulated run came to its end: after %s attempts %s had "
	       "passed.\n",
	    count_text(figures->attempts.mean, count),
	    duration_text(figures->elapsed.mean, time));
}

void
figures_print(const struct plan_figures *figures)
{
	if (figures->runs == 0) {
		print_none(figures);
		return;
	}
	const char *what = figures->clients > 0 ? "client" : "run";
	if (figures->runs < 10000)
		printf("Of %zu simulated %s%s:\n", figures->runs, what,
		    figures->runs == 1 ? "" : "s");
	else
		printf("Of %zu,%03zu simulated %ss:\n", figures->runs / 1000,
		    figures->runs % 1000, what);
	print_gives_up(figures);
	print_spread("attempts", &figures->attempts, count_text,
	    (struct unit){ "", "" }, "half at most");
	print_spread("time", &figures->elapsed, time_text,
	    (struct unit){ "", "" }, "half in");
	if (figures->outage)
		figures_print_outage(figures);
}
