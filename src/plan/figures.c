/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/figures.h"
#include "report/figure.h"
#include "report/message.h"
#include "core/duration.h"
#include "core/interval.h"
#include "core/text.h"

/* A percentile is told from so many runs on. */
#define P95_LEAST 60
#define P99_LEAST 300

struct sample
sample_of(const struct simulation *simulation)
{
	const struct record *end = &simulation->end;
	const struct script *script = &simulation->world->script;
	const double elapsed =
	    simulation->over ? end->elapsed : simulation->now;
	const bool met = simulation->early && elapsed >= script->down_from;
	struct sample sample = {
		.elapsed = elapsed,
		.attempts = (double)simulation->attempt,
		.down = met ? (double)simulation->down : NAN,
		.noticed = simulation->noticed,
	};

	if (!simulation->over)
		return sample;
	sample.reason = end->reason;
	sample.early = met && end->reason != REASON_SUCCESS &&
	    end->reason != REASON_PLAN && elapsed < script->down_until;
	return sample;
}

void
samples_add(struct samples *samples, struct sample sample)
{
	if (samples->count == samples->room) {
		samples->room = 2 * samples->room + 100;
		samples->rows = reallocarray(samples->rows, samples->room,
		    sizeof(*samples->rows));
		if (samples->rows == NULL)
			err(STATUS_OWN_FAILURE, NULL);
	}
	samples->rows[samples->count++] = sample;
}

/* --- what is known from a sample --- */

/*
 * Values of which `each` are a crowd, in order; NAN where there is none,
 * INFINITY where it is longer than was simulated.
 */
struct values {
	double *rows;
	size_t count, each;
	bool drawn;
};

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of all values that there are, and of the means of crowds. */
struct means {
	double total, members;
	double sum, squares, count;
};

static double
minus(double value, double than)
{
	return value - than;
}

static double
is_at_most(double value, double than)
{
	return value <= than;
}

/* Makes something of each value first. */
static struct means
means_of(const struct values *values, double (*of)(double value, double than),
    double than)
{
	struct means means = { 0 };

	for (size_t i = 0; i < values->count; i += values->each) {
		double total = 0, members = 0;

		for (size_t j = i; j < i + values->each; j++)
			if (!isnan(values->rows[j])) {
				total += of(values->rows[j], than);
				members++;
			}
		if (members == 0)
			continue;
		means.total += total;
		means.members += members;
		means.sum += total / members;
		means.squares += total / members * (total / members);
		means.count++;
	}
	return means;
}

/* The variance of their mean. */
static double
variance(const struct means *means)
{
	const double n = means->count, mean = means->sum / n;

	return fmax(means->squares / n - mean * mean, 0) / (n - 1);
}

/* How far the mean of other crowds may be, as Student's t has it; or NAN. */
static double
reach_of(struct means means)
{
	return means.count < 2
	    ? NAN
	    : interval_student(means.count - 1) * sqrt(variance(&means));
}

static struct estimated
estimate_mean(const struct values *values, double mean)
{
	/* Squares of values far from 0 would hide how they differ. */
	const double reach =
	    values->drawn ? reach_of(means_of(values, minus, mean)) : 0;

	return (struct estimated){ mean, { mean - reach, mean + reach } };
}

/*
 * Values that are 1 or 0.  Clients of a crowd depend on each other, so that
 * they are worth as many runs as vary as much as the crowds do.
 */
static struct estimated
estimate_share(const struct values *values)
{
	const struct means means = means_of(values, minus, 0);
	const double share = means.total / means.members;
	struct estimated estimated = { share, { NAN, NAN } };

	if (means.members == 0)
		estimated.value = NAN;
	else if (!values->drawn)
		estimated.within = (struct interval){ share, share };
	else if (values->each == 1 || share == 0 || share == 1)
		estimated.within =
		    interval_share(share, means.count, INTERVAL_NORMAL);
	else if (means.count > 1) {
		const double error = variance(&means);

		estimated.within = error == 0
		    ? (struct interval){ share, share }
		    : interval_share(share, share * (1 - share) / error,
			  interval_student(means.count - 1));
	}
	return estimated;
}

/*
 * Where a percentile of crowds may be: the share of values up to it has an
 * interval, whose ends are percentiles (R. S. Woodruff, "Confidence intervals
 * for medians and other position measures", JASA 47, 1952).
 */
static struct interval
crowds_percentile(const struct values *values, const double *sorted,
    size_t count, double quantile, double value)
{
	const double reach = reach_of(means_of(values, is_at_most, value));
	const double n = (double)count;

	if (isnan(reach))
		return (struct interval){ NAN, NAN };
	const double low = ceil(n * (quantile - reach)) - 1;
	const double high = ceil(n * (quantile + reach)) - 1;
	return (struct interval){ sorted[(size_t)fmax(low, 0)],
		sorted[(size_t)fmin(fmax(high, 0), n - 1)] };
}

static struct estimated
percentile(const struct values *values, const double *sorted, size_t count,
    double quantile, size_t least)
{
	const double value = sorted[(size_t)ceil((double)count * quantile) - 1];
	struct estimated estimated = { value, { value, value } };
	size_t low, high;

	if (!values->drawn)
		return estimated;
	if (count < least || isinf(value))
		return (struct estimated){ NAN, { NAN, NAN } };
	if (values->each > 1)
		estimated.within =
		    crowds_percentile(values, sorted, count, quantile, value);
	else if (interval_ranks(count, quantile, &low, &high))
		estimated.within =
		    (struct interval){ sorted[low], sorted[high] };
	else
		estimated.within = (struct interval){ NAN, NAN };
	return estimated;
}

static struct spread
estimate_spread(const struct values *values)
{
	double *sorted = reallocarray(NULL, values->count + 1, sizeof(*sorted));
	struct spread spread = { .mean.value = NAN,
		.p50.value = NAN,
		.p95.value = NAN,
		.p99.value = NAN };
	double sum = 0;
	size_t count = 0;

	if (sorted == NULL)
		err(STATUS_OWN_FAILURE, NULL);
	for (size_t i = 0; i < values->count; i++)
		if (!isnan(values->rows[i])) {
			sum += values->rows[i];
			sorted[count++] = values->rows[i];
		}
	qsort(sorted, count, sizeof(*sorted), compare);
	spread.count = count;
	if (count > 0) {
		const double most = sorted[count - 1];

		if (isfinite(most))
			spread.mean =
			    estimate_mean(values, sum / (double)count);
		spread.p50 = percentile(values, sorted, count, 0.5, 1);
		spread.p95 = percentile(values, sorted, count, 0.95, P95_LEAST);
		spread.p99 = percentile(values, sorted, count, 0.99, P99_LEAST);
		spread.most = most;
		/* Values that differ by a rounding error are equal. */
		spread.fixed =
		    isfinite(most) && most - sorted[0] <= 1e-9 * most;
	}
	free(sorted);
	return spread;
}

struct spread
spread_of(double *values, size_t count, bool drawn)
{
	return estimate_spread(&(struct values){ values, count, 1, drawn });
}

/* --- what is known of the runs --- */

static double
elapsed_of(const struct sample *sample)
{
	return sample->reason == REASON_NONE ? INFINITY : sample->elapsed;
}

static double
attempts_of(const struct sample *sample)
{
	return sample->reason == REASON_NONE ? INFINITY : sample->attempts;
}

static double
noticed_of(const struct sample *sample)
{
	return sample->noticed;
}

static double
down_of(const struct sample *sample)
{
	return sample->reason == REASON_NONE && !isnan(sample->down)
	    ? INFINITY
	    : sample->down;
}

static double
early_of(const struct sample *sample)
{
	return sample->reason == REASON_NONE || isnan(sample->down)
	    ? NAN
	    : (double)sample->early;
}

static double
gives_up_of(const struct sample *sample)
{
	if (sample->reason == REASON_NONE)
		return NAN;
	return sample->reason != REASON_SUCCESS &&
	    sample->reason != REASON_PLAN;
}

static const struct values *
take_values(struct values *values, const struct samples *samples,
    double (*value)(const struct sample *sample))
{
	for (size_t i = 0; i < samples->count; i++)
		values->rows[i] = value(&samples->rows[i]);
	return values;
}

struct plan_figures
figures_of(const struct samples *samples, bool outage)
{
	struct values values = {
		.rows = reallocarray(NULL, samples->count + 1, sizeof(double)),
		.count = samples->count,
		.each = samples->each,
		.drawn = samples->drawn,
	};
	struct plan_figures figures = { .outage = outage };

	if (values.rows == NULL)
		err(STATUS_OWN_FAILURE, NULL);
	figures.gives_up =
	    estimate_share(take_values(&values, samples, gives_up_of));
	figures.early = estimate_share(take_values(&values, samples, early_of));
	figures.elapsed =
	    estimate_spread(take_values(&values, samples, elapsed_of));
	figures.attempts =
	    estimate_spread(take_values(&values, samples, attempts_of));
	figures.noticed =
	    estimate_spread(take_values(&values, samples, noticed_of));
	figures.down = estimate_spread(take_values(&values, samples, down_of));
	for (size_t i = 0; i < samples->count; i++) {
		const enum reason reason = samples->rows[i].reason;

		figures.ends[reason]++;
		figures.runs += reason != REASON_NONE;
		figures.unfinished += reason == REASON_NONE;
	}
	free(values.rows);
	return figures;
}

/* --- the lines --- */

static const char *
share_text(struct estimated share, char text[MESSAGE_PART])
{
	return isnan(share.within.low)
	    ? figure_percent(share.value, 0, text)
	    : figure_share(share.value, share.within, text);
}

/* Columns of a line; the rest of a longer one stands below it. */
#define COLUMNS_MOST 79

/* "LABEL first, rest" in a line or two. */
static void
print_figure(const char *label, const char *first, const char *between,
    const char *rest)
{
	const size_t width =
	    10 + strlen(first) + strlen(between) + 1 + strlen(rest);

	printf("%-9s %s", label, first);
	if (*rest != '\0')
		printf("%s%s%s", between,
		    width > COLUMNS_MOST ? "\n          " : " ", rest);
	printf("\n");
}

static void
print_gives_up(const struct plan_figures *figures)
{
	const struct estimated share = figures->gives_up;
	const double runs = (double)figures->runs;
	const double goes_on = figures->ends[REASON_PLAN] / runs;
	const bool is_never = share.value == 0 && share.within.high == 0;
	char text[MESSAGE_PART], why[4 * MESSAGE_PART] = "";
	int count = 0;

	for (int i = 0; i < REASONS; i++)
		count += figures->ends[i] > 0 && reasons[i].gave_up != NULL;
	for (int i = 0; i < REASONS; i++) {
		if (figures->ends[i] == 0 || reasons[i].gave_up == NULL)
			continue;
		text_append(why, sizeof(why), "%s", *why == '\0' ? "" : ", ");
		if (count > 1) {
			const double part = figures->ends[i] / runs;
			const double place = figure_place(
			    interval_share(part, runs, INTERVAL_NORMAL));

			text_append(why, sizeof(why), "%s ",
			    figure_percent(part,
				fmax(place, figure_place(share.within)), text));
		}
		text_append(why, sizeof(why), "%s", reasons[i].gave_up);
	}
	print_figure("gives up", is_never ? "never" : share_text(share, text),
	    ":", why);
	if (goes_on > 0)
		printf("goes on   %s after the plan\n",
		    figure_percent(goes_on, 0, text));
}

/* A number whose last digit stands for `place`, and seconds or a count. */
static const char *
value_text(double value, double place, bool is_time, char text[MESSAGE_PART])
{
	if (is_time && (place == 0 || value >= 60))
		return duration_text(value, text);
	if (place > 1)
		value = round(value / place) * place;
	snprintf(text, MESSAGE_PART, "%.*f%s", figure_decimals(place), value,
	    is_time ? "s" : "");
	return text;
}

/*
 * Adds "95% 3.1s (3.0-3.2)" to a line, without the interval if the digits tell
 * as much, or if it is narrower than this share of the number.  The last digit
 * of a count stands for `place` at least; all times of a line have the same.
 */
static void
add_estimated(char *line, size_t size, const char *before,
    struct estimated estimated, double place, bool is_time, double share)
{
	const struct interval within = estimated.within;
	char text[3][MESSAGE_PART];

	if (isnan(estimated.value))
		return;
	if (!is_time)
		place = fmax(place, figure_place(within));
	value_text(estimated.value, place, is_time, text[0]);
	value_text(within.low, place, is_time, text[1]);
	value_text(within.high, place, is_time, text[2]);
	text_append(line, size, "%s%s", before, text[0]);
	if (isnan(within.low) || strcmp(text[1], text[2]) == 0 ||
	    within.high - within.low < share * estimated.value)
		return;
	/* The unit stands behind the number. */
	for (int i = 1; i <= 2 && is_time && within.high < 60; i++)
		text[i][strlen(text[i]) - 1] = '\0';
	text_append(line, size, " (%s-%s)", text[1], text[2]);
}

/* The place of all times of a line: that of the one that is known least. */
static double
place_of(const struct spread *spread)
{
	const struct estimated rows[] = { spread->mean, spread->p50,
		spread->p95, spread->p99 };
	double place = 0.001;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!isnan(rows[i].value) && !isnan(rows[i].within.low))
			place = fmax(place, figure_place(rows[i].within));
	/* Three digits of the largest are enough for people. */
	if (spread->most > 0)
		place = fmax(place, pow(10, floor(log10(spread->most)) - 2));
	return fmin(place, 1);
}

/* The intervals of a mean and a median are told if they are as wide as this. */
#define WIDE 0.05

/* A mean and percentiles. */
static void
print_spread(const char *label, const struct spread *spread, bool is_time,
    const char *unit)
{
	char first[4 * MESSAGE_PART] = "", rest[4 * MESSAGE_PART] = "";
	char text[MESSAGE_PART];

	if (spread->fixed) {
		value_text(spread->most, 0, is_time, text);
		printf("%-9s %s%s%s\n", label, text, unit,
		    strcmp(unit, " attempt") == 0 && strcmp(text, "1") != 0
			? "s"
			: "");
		return;
	}
	/* A count is whole, but for its mean. */
	const double place = is_time ? place_of(spread) : 1;
	if (isnan(spread->mean.value))
		text_append(first, sizeof(first), "mean unknown");
	add_estimated(first, sizeof(first), "mean ", spread->mean,
	    is_time ? place : 0.01, is_time, WIDE);
	add_estimated(first, sizeof(first), "; median ", spread->p50, place,
	    is_time, WIDE);
	add_estimated(rest, sizeof(rest), "95% ", spread->p95, place, is_time,
	    0);
	add_estimated(rest, sizeof(rest), *rest == '\0' ? "99% " : ", 99% ",
	    spread->p99, place, is_time, 0);
	print_figure(label, first, ",", rest);
}

void
figures_print_outage(const struct plan_figures *figures)
{
	const double share = figures->early.value;
	const double all = (double)figures->runs;
	const double met = (double)figures->down.count;
	char text[MESSAGE_PART];

	if (met == 0) {
		printf("outage    no run meets it\n");
		return;
	}
	char early[3 * MESSAGE_PART], those[2 * MESSAGE_PART] = "";
	if (figures->early.within.low == figures->early.within.high &&
	    (share == 0 || share == 1))
		snprintf(early, sizeof(early),
		    "%s gives up before the service is back",
		    share == 0 ? "no run" : "each run");
	else
		snprintf(early, sizeof(early),
		    "%s give up before the service is back",
		    share_text(figures->early, text));
	if (met < all)
		snprintf(those, sizeof(those), "of the %s that meet it",
		    figure_percent(met / all, 0, text));
	print_figure("outage", early, ",", those);
	print_spread("in outage", &figures->down, false, " attempt");
	if (figures->noticed.count > 0)
		print_spread("recovers", &figures->noticed, true,
		    " after the outage");
}

static void
print_count(size_t count, const char *what)
{
	if (count < 10000)
		printf("%zu %s%s", count, what, count == 1 ? "" : "s");
	else
		printf("%zu,%03zu %ss", count / 1000, count % 1000, what);
}

void
figures_print(const struct plan_figures *figures, bool time_alone)
{
	const char *what =
	    figures->clients > 0 ? "simulated client" : "simulated run";
	char text[MESSAGE_PART];

	if (figures->runs == 0) {
		printf("No simulated run came to its end: there were too many "
		       "attempts.\n");
		return;
	}
	printf("Of ");
	print_count(figures->runs, what);
	if (figures->crowds > 1)
		printf(" in %zu crowds", figures->crowds);
	if (figures->unfinished > 0)
		printf(", and one longer than all (%s at least)",
		    duration_text(figures->elapsed.p50.value, text));
	printf(":\n");
	if (!time_alone) {
		print_gives_up(figures);
		print_spread("attempts", &figures->attempts, false, "");
	}
	print_spread("time", &figures->elapsed, true, "");
	if (figures->outage)
		figures_print_outage(figures);
}

/* "50 retries in one second (1 crowd in 20: 56)" */
static void
print_crowds(const char *label, const struct spread *spread, bool is_time,
    const char *after)
{
	const double place = !is_time ? 1
	    : spread->fixed	      ? 0
				      : place_of(spread);
	const bool one = !is_time && round(spread->p50.value) == 1;
	char text[MESSAGE_PART];

	printf("%-9s %s%s%s", label,
	    value_text(spread->p50.value, place, is_time, text),
	    is_time   ? ""
		: one ? " retry"
		      : " retries",
	    after);
	if (!spread->fixed && !isnan(spread->p95.value))
		printf(" (1 crowd in 20: %s)",
		    value_text(spread->p95.value, place, is_time, text));
	else if (!spread->fixed)
		printf(" (at most %s in %zu crowds)",
		    value_text(spread->most, place, is_time, text),
		    spread->count);
	printf("\n");
}

void
figures_print_crowds(const struct plan_figures *figures)
{
	const double total = round(figures->total);

	print_crowds("peak", &figures->peak, false, " in one second");
	if (figures->outage)
		print_crowds("then", &figures->then, false,
		    " in one second after the outage");
	if (figures->crowds > 0)
		print_crowds("ends", &figures->last, true,
		    ", with the last client");
	printf("total     %.0f attempt%s\n\n", total, total == 1 ? "" : "s");
	if (figures->crowds > 0)
		figures_print(figures, false);
	else
		printf("There were too many steps to simulate more: %zu of "
		       "%" PRIu64 " clients are through.\n",
		    figures->through, figures->clients);
}
