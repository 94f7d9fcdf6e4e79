/* SPDX-License-Identifier: MIT */

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/figures.h"
#include "report/message.h"
#include "core/duration.h"

/* The 0.975 quantile of the normal distribution. */
#define Z 1.959963984540054

/* --- what is known --- */

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* What the last digit of a number stands for that lies between the two. */
static double
last_digit(double low, double high)
{
	return high > low ? pow(10, floor(log10((high - low) / 6))) : 0;
}

/*
 * Of n independent values, between (q - reach)*n and (q + reach)*n are below
 * the quantile q, 95 times in 100: it lies between the two values there.  If it
 * is known no better than to a tenth, the larger one is safe to rely on.
 */
static double
quantile(const double *sorted, size_t count, double independent, double q)
{
	const double n = (double)count;
	const double reach = Z * sqrt(q * (1 - q) / independent);
	double value = sorted[(size_t)ceil(n * q) - 1];

	if (reach >= q || reach >= 1 - q)
		return NAN;
	const double low = sorted[(size_t)(n * (q - reach))];
	const double high = sorted[(size_t)ceil(n * (q + reach)) - 1];
	const double place = last_digit(low, high);
	if (isinf(high))
		return NAN;
	if (high - low > value / 10)
		value = high;
	return place > 0 ? round(value / place) * place : value;
}

struct quantiles
quantiles_of(double *values, size_t count, size_t each, bool drawn)
{
	const size_t groups = count / each;
	const double independent = drawn ? (double)groups : INFINITY;

	if (count == 0)
		return (struct quantiles){ NAN, NAN };
	qsort(values, count, sizeof(*values), compare);
	return (struct quantiles){
		quantile(values, count, independent, 0.5),
		quantile(values, count, independent, 0.95),
	};
}

/*
 * Runs that share a budget depend on each other: they are worth as many
 * independent ones as have shares that vary as much as those of simulations do.
 */
static double
independent_runs(const struct samples *samples, double share)
{
	const double n = (double)samples->count;
	const double simulations = n / (double)samples->each;
	double squares = 0;

	if (samples->each == 1 || simulations < 10)
		return simulations;
	for (size_t i = 0; i < samples->count; i += samples->each) {
		double gave_up = 0;

		for (size_t j = i; j < i + samples->each; j++)
			gave_up +=
			    reasons[samples->rows[j].reason].gave_up != NULL;
		const double off = gave_up / (double)samples->each - share;
		squares += off * off;
	}
	/* Less by 3, since the squares are not known exactly either. */
	const double worth =
	    share * (1 - share) * simulations * (simulations - 3) / squares;
	return fmin(fmax(worth, simulations), n);
}

/*
 * Where a share may be that was seen in n runs, 95 times in 100.  If none or
 * all were seen, one end is exact; else by E. B. Wilson, "Probable inference,
 * the law of succession, and statistical inference", JASA 22 (1927).
 */
static void
find_interval(struct plan_figures *figures, double n)
{
	const double share = figures->gives_up;
	const double rest = -expm1(log(0.05) / n), scale = 1 + Z * Z / n;
	const double middle = (share + Z * Z / (2 * n)) / scale;
	const double half =
	    Z * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n)) / scale;

	figures->low = share == 0 ? 0 : share == 1 ? 1 - rest : middle - half;
	figures->high = share == 0 ? rest : share == 1 ? 1 : middle + half;
}

struct plan_figures
figures_of(const struct samples *samples, bool outage)
{
	struct plan_figures figures = { .outage = outage,
		.gives_up = NAN,
		.low = NAN,
		.high = NAN };
	double *elapsed =
	    reallocarray(NULL, samples->count + 1, sizeof(*elapsed));
	double gave_up = 0;

	if (elapsed == NULL)
		err(STATUS_OWN_FAILURE, NULL);
	for (size_t i = 0; i < samples->count; i++) {
		const enum reason reason = samples->rows[i].reason;

		elapsed[i] = samples->rows[i].elapsed;
		figures.ends[reason]++;
		figures.runs += reason != REASON_NONE;
		gave_up += reasons[reason].gave_up != NULL;
	}
	figures.elapsed = quantiles_of(elapsed, samples->count, samples->each,
	    samples->drawn);
	free(elapsed);
	if (figures.runs == 0)
		return figures;
	const double share = gave_up / (double)figures.runs;
	figures.gives_up = figures.low = figures.high = share;
	if (samples->drawn)
		find_interval(&figures, independent_runs(samples, share));
	return figures;
}

void
figures_rows(const struct plan_figures *figures,
    struct figure rows[FIGURES_ROWS])
{
	const bool clients = figures->clients > 0;
	const struct figure all[FIGURES_ROWS] = {
		{ "runs", (double)figures->runs },
		{ "gives_up", figures->gives_up },
		{ "gives_up_low", figures->low },
		{ "gives_up_high", figures->high },
		{ "elapsed_p50", figures->elapsed.p50 },
		{ "elapsed_p95", figures->elapsed.p95 },
		{ clients ? "clients" : NULL, (double)figures->clients },
		{ "simulations", (double)figures->simulations },
		{ "peak_retries", figures->peak.p50 },
		{ "peak_retries_p95", figures->peak.p95 },
		{ "last_elapsed", figures->last.p50 },
		{ "last_elapsed_p95", figures->last.p95 },
		{ figures->outage ? "then_retries" : NULL, figures->then.p50 },
		{ "then_retries_p95", figures->then.p95 },
	};

	memcpy(rows, all, sizeof(all));
}

/* --- the lines --- */

/* "gives up  0.19% (95% interval: 0.12-0.30%), after the last attempt" */
static void
print_gives_up(FILE *file, const struct plan_figures *figures)
{
	const double share = 100 * figures->gives_up;
	const double low = 100 * figures->low, high = 100 * figures->high;
	const double place = last_digit(low, high);
	const int digits = place > 0 ? (int)fmax(-log10(place) + 0.5, 0) : 1;
	int most = REASON_NONE, count = 0;

	if (share == 0 || share == 100)
		fprintf(file, "gives up  %s", share == 0 ? "none" : "all");
	else
		fprintf(file, "gives up  %.*f%%", digits, share);
	if (low < high)
		fprintf(file, " (95%% interval: %.*f-%.*f%%)",
		    low > 0 ? digits : 0, low, high < 100 ? digits : 0, high);
	for (int i = 0; i < REASONS; i++) {
		if (figures->ends[i] == 0 || reasons[i].gave_up == NULL)
			continue;
		count++;
		if (figures->ends[i] > figures->ends[most] || count == 1)
			most = i;
	}
	if (count > 0)
		fprintf(file, ", %s%s", count > 1 ? "mostly " : "",
		    reasons[most].gave_up);
	fprintf(file, "\n");
}

/* "then      9, once the service is back (95% of simulations: at most 11)" */
static void
print_load(FILE *file, const char *label, const struct quantiles *load,
    const char *what)
{
	if (isnan(load->p50))
		return;
	fprintf(file, "%-9s %.0f%s", label, load->p50, what);
	if (load->p95 > load->p50)
		fprintf(file, " (95%% of simulations: at most %.0f)",
		    load->p95);
	fprintf(file, "\n");
}

/* "time      half within 2m03s, 95% within 2m16s" */
static void
print_time(FILE *file, const struct quantiles *time)
{
	char text[DURATION_TEXT];

	if (isnan(time->p50)) {
		fprintf(file, "time      unknown: there are too few runs\n");
		return;
	}
	fprintf(file, "time      half within %s",
	    duration_text(time->p50, text));
	if (!isnan(time->p95))
		fprintf(file, ", 95%% within %s",
		    duration_text(time->p95, text));
	fprintf(file, "\n");
}

void
figures_print(FILE *file, const struct plan_figures *figures, bool time_alone)
{
	const size_t runs = figures->runs;
	const struct quantiles last = figures->last;
	char text[DURATION_TEXT];

	if (runs == 0) {
		fprintf(file,
		    "No simulation came to its end: there were too many "
		    "attempts.\n");
		return;
	}
	if (figures->clients > 0)
		fprintf(file, "%zu simulation%s of %" PRIu64 " client%s:\n",
		    figures->simulations, figures->simulations == 1 ? "" : "s",
		    figures->clients, figures->clients == 1 ? "" : "s");
	else {
		if (runs >= 1000)
			fprintf(file, "Of %zu,%03zu simulated runs",
			    runs / 1000, runs % 1000);
		else
			fprintf(file, "Of %zu simulated run%s", runs,
			    runs == 1 ? "" : "s");
		fprintf(file, "%s:\n",
		    figures->ends[REASON_NONE] > 0
			? ", and one of too many attempts"
			: "");
	}
	if (!time_alone)
		print_gives_up(file, figures);
	print_time(file, &figures->elapsed);
	if (figures->clients == 0)
		return;
	print_load(file, "busiest", &figures->peak,
	    figures->peak.p50 == 1 ? " retry in one second"
				   : " retries in one second");
	if (figures->outage)
		print_load(file, "then", &figures->then,
		    ", once the service is back");
	if (isnan(last.p50))
		return;
	fprintf(file, "all done  within %s", duration_text(last.p50, text));
	if (last.p95 > last.p50)
		fprintf(file, " (95%% of simulations: %s)",
		    duration_text(last.p95, text));
	fprintf(file, "\n");
}
