#include <float.h>
#include <math.h>

#include "core/number.h"
#include "tap.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const double odd[] = { 0, -0., 1, -1, 0.5, -0.5, 2.5, -2.5, 1e300,
	-1e300, DBL_TRUE_MIN, DBL_MIN, DBL_MAX, 0x1p52 + 0.5, 0x1p53, INFINITY,
	-INFINITY };

/* The C library's are the measure of all of these. */
static void
least_greatest_and_whole_numbers_are_the_librarys(void)
{
	for (size_t i = 0; i < COUNT(odd); i++) {
		ROW("%g", odd[i]);
		CHECK(number_floor(odd[i]) == floor(odd[i]));
		CHECK(number_ceil(odd[i]) == ceil(odd[i]));
		CHECK(number_min(odd[i], NAN) == odd[i]);
		CHECK(number_min(NAN, odd[i]) == odd[i]);
		CHECK(number_max(odd[i], NAN) == odd[i]);
		CHECK(number_max(NAN, odd[i]) == odd[i]);
		for (size_t k = 0; k < COUNT(odd); k++) {
			CHECK(
			    number_min(odd[i], odd[k]) == fmin(odd[i], odd[k]));
			CHECK(
			    number_max(odd[i], odd[k]) == fmax(odd[i], odd[k]));
		}
	}
	CHECK(isnan(number_floor(NAN)));
	CHECK(isnan(number_ceil(NAN)));
	CHECK(isnan(number_min(NAN, NAN)));
	CHECK(isnan(number_max(NAN, NAN)));
}

/* Relative to what is wanted, however small, unless that has lost digits. */
static void
check_near(double got, double want, double tolerance)
{
	if (want != 0 && !isinf(want) && fabs(want) >= DBL_MIN)
		CHECK_DBL(got / want, 1, tolerance);
	else
		CHECK_DBL(got, want, DBL_MIN);
}

static void
powers_of_2_are_the_librarys(void)
{
	for (double x = -1200; x <= 1200; x += 0.37) {
		ROW("2^%g", x);
		check_near(number_power(2, x), exp2(x), 1e-15);
	}
	for (int i = -1074; i < 1024; i++) {
		ROW("2^%d", i);
		CHECK(number_power(2, i) == ldexp(1, i));
	}
	CHECK(number_power(2, 1024) == INFINITY);
	CHECK(number_power(2, nextafter(1024, 0)) > 1e308);
	CHECK(number_power(2, INFINITY) == INFINITY);
	CHECK(number_power(2, -INFINITY) == 0);
	CHECK(isnan(number_power(2, NAN)));
}

static void
powers_are_the_librarys(void)
{
	for (double x = 1e-300; x < 1e300; x *= 17.3)
		for (double y = -2.5; y < 300; y = y * 1.1 + 0.3) {
			ROW("%.17g^%.17g", x, y);
			check_near(number_power(x, y), pow(x, y), 2.5e-13);
		}
	for (double x = 1 - 1e-3; x < 1 + 1e-3; x += 0.77e-5)
		for (double y = 1; y < 1e6; y = y * 3 + 0.1) {
			ROW("%.17g^%.17g", x, y);
			check_near(number_power(x, y), pow(x, y), 2.5e-13);
		}
}

static void
small_powers_of_whole_numbers_are_exact(void)
{
	for (int x = 0; x < 1000; x++)
		for (int y = 0; y <= 64; y++) {
			const double want = pow(x, y);

			ROW("%d^%d", x, y);
			if (want <= 0x1p53)
				CHECK(number_power(x, y) == want);
		}
	for (int y = -1074; y < 1024; y++) {
		ROW("2^%d", y);
		CHECK(number_power(2, y) == ldexp(1, y));
	}
}

static void
powers_without_a_value_are_no_numbers(void)
{
	static const double exponents[] = { -1e300, -1, -0.5, 0, 0.5, 1, 1.5,
		64, 65, 1e300 };

	for (size_t i = 0; i < COUNT(odd); i++)
		for (size_t k = 0; k < COUNT(exponents); k++) {
			ROW("%g^%g", odd[i], exponents[k]);
			if (signbit(odd[i]))
				continue;
			check_near(number_power(odd[i], exponents[k]),
			    pow(odd[i], exponents[k]), 2.5e-13);
		}
	CHECK(isnan(number_power(-1, 0.5)));
	CHECK(isnan(number_power(NAN, 0.5)));
	CHECK(isnan(number_power(2, NAN)));
}

int
main(void)
{
	RUN(least_greatest_and_whole_numbers_are_the_librarys);
	RUN(powers_of_2_are_the_librarys);
	RUN(powers_are_the_librarys);
	RUN(small_powers_of_whole_numbers_are_exact);
	RUN(powers_without_a_value_are_no_numbers);
	return tap_done();
}
